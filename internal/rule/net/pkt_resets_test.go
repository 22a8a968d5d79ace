package net

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/proto"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

const (
	finFlag = 1
	rstFlag = 4

	getPage = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
	page    = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
)

// ending is how a connection on which one request was answered goes on. Its
// fields are milliseconds after that answer; 0: it does not come.
type ending struct {
	fin, say, rst, bye int    // the server's FIN, what the client says then, the server's RST, the client's own FIN
	says               string // by the client
	taken              bool   // the server's FIN acknowledges what the client says
	ask, answer        string // before; HTTP unless told otherwise
	port               uint16 // 80 unless told otherwise
}

// play adds the connection, in the order of its times.
func (e ending) play(f *film, at time.Duration, client uint16) {
	if e.port == 0 {
		e.port, e.ask, e.answer = 80, getPage, page
	}
	put := func(after time.Duration, toServer bool, flags byte, seq, ack uint32, data string) {
		f.segment(at+after, client, e.port, toServer, flags, seq, ack, uint32((at+after)/ms)+1, data)
	}
	put(0, true, synFlag, 100, 0, "")
	put(ms, false, synFlag|ackFlag, 900, 101, "")
	put(2*ms, true, ackFlag, 101, 901, "")
	put(10*ms, true, ackFlag, 101, 901, e.ask)
	asked, answered := 101+uint32(len(e.ask)), 901+uint32(len(e.answer))
	put(12*ms, false, ackFlag, 901, asked, e.answer)
	put(13*ms, true, ackFlag, asked, answered, "")
	said := asked + uint32(len(e.says))
	for i := 1; i < 1000; i++ {
		now := 12*ms + time.Duration(i)*ms
		switch i {
		case e.fin:
			taken := asked
			if e.taken {
				taken = said
			}
			put(now, false, finFlag|ackFlag, answered, taken, "")
		case e.say:
			ack := answered
			if e.fin < e.say {
				ack++
			}
			put(now, true, ackFlag, asked, ack, e.says)
		case e.bye:
			put(now, true, finFlag|ackFlag, said, answered+1, "")
		case e.rst:
			put(now, false, rstFlag, answered+1, 0, "")
		}
	}
}

// A server that closes idle connections loses the requests that cross its FIN,
// wherever the capture was taken. What is sent to say farewell, or to see whether
// the connection is still there, is not lost by anybody.
func TestRequestsThatCrossTheServersFIN(t *testing.T) {
	redis := func(e ending) ending {
		e.port, e.ask, e.answer = 6379, "*2\r\n$3\r\nGET\r\n$1\r\na\r\n", "$1\r\nb\r\n"
		return e
	}
	for _, tt := range []struct {
		name string
		with ending
		want string // in the headline; "" for no finding
	}{
		{"captured at the client", ending{fin: 300, say: 302, rst: 304, says: getPage}, "closes idle connections while clients still use them: 5 of 5"},
		{"captured at the server", ending{say: 299, fin: 300, rst: 301, says: getPage}, "closes idle connections while clients still use them: 5 of 5"},
		{"the client sees the FIN and closes before the RST", ending{fin: 300, say: 302, bye: 303, rst: 304, says: getPage}, "closes idle connections"},
		{"a command of Redis", redis(ending{fin: 300, say: 302, rst: 304, says: "*2\r\n$3\r\nGET\r\n$1\r\nc\r\n"}), "closes idle connections"},
		{"a farewell", redis(ending{fin: 300, say: 302, rst: 304, says: "*1\r\n$4\r\nQUIT\r\n"}), ""},
		{"a pool tests the connection", redis(ending{fin: 300, say: 302, rst: 304, says: "*1\r\n$4\r\nPING\r\n"}), ""},
		{"the server had the request when it closed", ending{say: 299, fin: 300, rst: 301, says: getPage, taken: true}, ""},
		{"closed right behind the answer", ending{fin: 1, say: 2, rst: 4, says: getPage}, ""},
		{"the client says nothing more", ending{fin: 300, bye: 302, rst: 304}, ""},
		{"no RST: nobody knows", ending{fin: 300, say: 302, says: getPage}, ""},
		{"what is not decoded may be a farewell", ending{fin: 300, say: 302, rst: 304, says: "gone", port: 7777, ask: "what?\x01\x02", answer: "this\x03\x04"}, ""},
	} {
		f := newFilm()
		for i := range 5 {
			tt.with.play(f, time.Duration(i)*2*time.Second, uint16(40000+i))
		}
		found, err := resets.Detect(f.view(t))
		switch {
		case err != nil:
			t.Fatal(err)
		case tt.want == "" && len(found) > 0:
			t.Errorf("%s: found %s", tt.name, found[0].Headline)
		case tt.want != "" && (len(found) != 1 || found[0].Confidence != rule.Certain || !strings.Contains(found[0].Headline.String(), tt.want)):
			t.Errorf("%s: found %+v, want %q", tt.name, found, tt.want)
		case tt.want != "" && !strings.Contains(found[0].Fixes[0].Text.String(), "which is about 300 ms"):
			t.Errorf("%s: the server's idle limit is not told: %s", tt.name, found[0].Fixes[0].Text)
		}
	}
}

// Whether an idle limit or something else ended idle connections, the times say
// for which they had been idle; how many there were, all connections do.
func TestIdleConnectionsClosedInUse(t *testing.T) {
	crossed := func(idle ...time.Duration) *ruletest.Host {
		i := 0
		h := with(100, func(n int, c *ruletest.PacketConnection) {
			c.ID, c.Ending, c.Closer, c.CloseState, c.ClosedAt = int64(n+1), "finished", "client", "idle", ruletest.Start.Add(time.Second)
			if i < len(idle) {
				c.Ending, c.Closer, c.CloseState = "reset", "server", "crossed"
				i++
			}
		})()
		for i, d := range idle {
			h.PacketTransaction(1.1, recording.PacketTransaction{Connection: int64(i + 1), Status: proto.Unanswered.String(), Idle: d + 100*ms})
		}
		return h
	}
	alike := []time.Duration{5 * time.Second, 5 * time.Second, 5100 * ms, 5 * time.Second}
	ruletest.Check(t, resets, []ruletest.Situation{
		{Name: "an idle limit", Host: func() *ruletest.Host { return crossed(alike...) }, Want: rule.Certain, Kind: view.KindService, Subject: "mysql 10.0.0.2:3306",
			Low: 0.04, High: 0.04, Says: "4 of 100 that ended", Proof: "after 5 s without a request (5 s to 5.1 s)"},
		{Name: "more than were kept", Host: func() *ruletest.Host {
			return crossed(alike...).AllConnections(1000, recording.PacketDirection{}, recording.PacketDirection{Crossed: 300})
		}, Want: rule.Certain, Kind: view.KindService, Subject: "mysql 10.0.0.2:3306", Low: 0.3, High: 0.3, Says: "300 of 1000 that ended"},
		{Name: "two are an accident", Host: func() *ruletest.Host { return crossed(alike[:2]...) }},
	})
	for name, idle := range map[string][]time.Duration{"a limit": alike, "a restart": {ms, time.Second, 30 * time.Second}} {
		found, err := resets.Detect(crossed(idle...).View())
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %d findings, error %v", name, len(found), err)
		}
		if told := strings.Contains(found[0].Fixes[0].Text.String(), "which is about 5 s"); told != (name == "a limit") || told == (len(found[0].Notes) > 0) {
			t.Errorf("%s: %s, notes %v", name, found[0].Fixes[0].Text, found[0].Notes)
		}
	}
}

// Windows tries a connect three times where it is refused: that is one connect, as
// one person sees it.
func TestRefusedConnectsCountOnce(t *testing.T) {
	for _, tt := range []struct {
		name     string
		connects int
		tries    int
		headline string
	}{
		{"one, tried three times", 1, 3, ""},
		{"two, tried three times each", 2, 3, ""},
		{"three, tried once each", 3, 1, "3 connects were refused"},
		{"four, tried three times each", 4, 3, "4 connects were refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFilm()
			for i := range tt.connects {
				for try := range tt.tries {
					at := time.Duration(i)*5*time.Second + time.Duration(try)*500*ms
					f.tcp(at, 40000+uint16(i), true, synFlag, 100, 0, uint32(at/ms)+1)
					f.tcp(at+ms, 40000+uint16(i), false, rstFlag|ackFlag, 0, 101, 0)
				}
			}
			found, err := detectResets(f.view(t))
			if err != nil {
				t.Fatal(err)
			}
			if tt.headline == "" {
				if len(found) > 0 {
					t.Fatalf("found %s", found[0].Headline)
				}
				return
			}
			if len(found) != 1 {
				t.Fatalf("found %v", found)
			}
			holds(t, found[0], tt.headline, "100 %", strings.ReplaceAll("N of N connects were refused: ", "N", strconv.Itoa(tt.connects)))
		})
	}
}

// Who asks on although the server has said that it closes loses what it asks by its
// own doing; where the server said nothing, it is the server's.
func TestClientsThatAskOnAfterAClose(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		found        int
	}{
		{"it said so", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx", 0},
		{"it said nothing", page, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFilm()
			for i := range uint16(5) {
				at := time.Duration(i) * time.Second
				put := func(after time.Duration, toServer bool, flags byte, seq, ack uint32, data string) {
					f.segment(at+after, 40000+i, 80, toServer, flags, seq, ack, uint32((at+after)/ms)+1, data)
				}
				put(0, true, synFlag, 100, 0, "")
				put(ms, false, synFlag|ackFlag, 900, 101, "")
				put(2*ms, true, ackFlag, 101, 901, "")
				put(3*ms, true, ackFlag, 101, 901, getPage+getPage)
				put(4*ms, false, ackFlag, 901, 101+uint32(2*len(getPage)), tt.answer)
				put(5*ms, false, rstFlag, 901+uint32(len(tt.answer)), 0, "")
			}
			v := f.view(t)
			found, err := detectResets(v)
			if err != nil || len(found) != tt.found {
				t.Errorf("found %v, %v", found, err)
			}
			for _, c := range v.PacketConnections() {
				if dismissed := c.CloseState == "dismissed"; dismissed != (tt.found == 0) {
					t.Errorf("closed in state %s", c.CloseState)
				}
			}
		})
	}
}
