package http

import (
	"bytes"

	"rtrail/internal/packet/proto/pair"
)

// maxLegs is how often a server may ask before it has the credentials: NTLM and
// Digest with an old nonce take two turns (RFC 4559, 7616). Who is refused more
// often has the wrong ones.
const maxLegs = 2

// challenge is an answer that asked for credentials (RFC 9110, 11.6), and what
// it was the answer to.
type challenge struct {
	code    int // 401 or 407; 0: the answer before asked for none
	legs    uint8
	command string
	target  []byte
}

// challenges compares an answer with the one before: a client that is asked for
// credentials sends the same request again with them, on the same connection.
func (p *parser) challenges(q *pair.Pending) {
	c := &p.asked
	asks := (p.code == 401 || p.code == 407) && p.answer.auth
	again := c.code != 0 && q != nil && q.Tag&credentials != 0 && q.Command == c.command && bytes.Equal(q.Text(), c.target)
	switch {
	case again && p.code < 400:
		p.queue.Now.Challenges, p.queue.Now.Challenge = c.legs, codes[c.code]
		c.code = 0
	case !asks || q == nil:
		c.code = 0
	case again && p.code == c.code:
		if c.legs++; c.legs > maxLegs {
			c.code = 0
		}
	default:
		c.code, c.legs, c.command = p.code, 1, q.Command
		c.target = append(c.target[:0], q.Text()...)
	}
}
