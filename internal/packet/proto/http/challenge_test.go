package http

import (
	"fmt"
	"strings"
	"testing"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// counted is a sink that keeps what became of challenges.
type counted struct{ words []string }

func (c *counted) Exchange(e *proto.Exchange) {
	word := e.Code
	if e.Challenges > 0 {
		word += fmt.Sprintf(" met %d of %s", e.Challenges, e.Challenge)
	}
	c.words = append(c.words, word)
}

// TestChallenges tells challenges that the client meets from refusals.
func TestChallenges(t *testing.T) {
	const (
		bare  = "GET /a HTTP/1.1\r\n\r\n"
		named = "GET /a HTTP/1.1\r\nauthorization: NTLM eA==\r\n\r\n"
		other = "GET /b HTTP/1.1\r\nAuthorization: NTLM eA==\r\n\r\n"
		asks  = "401 Unauthorized\r\nWWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM\r\n"
		ok    = "200 OK\r\n"
	)
	for _, tc := range []struct {
		name  string
		turns []string // a request, its answer, and so on
		want  string
	}{
		{"Basic", []string{bare, asks, named, ok}, "401, 200 met 1 of 401"},
		{"NTLM", []string{bare, asks, named, asks, named, ok}, "401, 401, 200 met 2 of 401"},
		{"NTLM, begun by the client", []string{named, asks, named, ok}, "401, 200 met 1 of 401"},
		{"a proxy", []string{"CONNECT h:443 HTTP/1.1\r\n\r\n", "407 Who\r\nProxy-Authenticate: Basic\r\n",
			"CONNECT h:443 HTTP/1.1\r\nProxy-Authorization: Basic eA==\r\n\r\n", ok}, "407, 200 met 1 of 407"},
		{"each request again", []string{bare, asks, named, ok, bare, asks, named, ok}, "401, 200 met 1 of 401, 401, 200 met 1 of 401"},
		{"not followed", []string{bare, asks, bare, asks, bare, asks}, "401, 401, 401"},
		{"followed without credentials", []string{bare, asks, bare, ok}, "401, 200"},
		{"followed by another request", []string{bare, asks, other, ok}, "401, 200"},
		{"followed later", []string{bare, asks, "GET /c HTTP/1.1\r\n\r\n", ok, named, ok}, "401, 200, 200"},
		{"refused", []string{bare, asks, named, "403 Forbidden\r\n", named, ok}, "401, 403, 200"},
		{"without a challenge", []string{bare, "401 Unauthorized\r\n", named, ok}, "401, 200"},
		{"wrong passwords", []string{bare, asks, named, asks, named, asks, named, ok}, "401, 401, 401, 200"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got counted
			p := newParser(&got, false)
			var offset [2]uint64
			for i, text := range tc.turns {
				dir := flow.ToServer
				if i%2 == 1 {
					dir = flow.ToClient
					text = "HTTP/1.1 " + text + "Content-Length: 0\r\n\r\n"
				}
				p.Data(&flow.Chunk{Dir: dir, Offset: offset[dir], Data: []byte(text), Stamp: flow.Stamp{At: int64(i + 1), Frame: uint64(i + 1)}})
				offset[dir] += uint64(len(text))
			}
			p.End(flow.Stamp{At: 99}, flow.Finished)
			if words := strings.Join(got.words, ", "); words != tc.want {
				t.Errorf("%s, want %s", words, tc.want)
			}
		})
	}
}
