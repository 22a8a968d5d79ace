package rt

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func TestServerStoppedAnswering(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	type wait struct {
		statement  string
		over       time.Duration
		n, within  int64
		idle       time.Duration // of clients before they ask it
		rts        []time.Duration
		unfamiliar bool // it was never answered
		elsewhere  bool // it waits for another service
		download   time.Duration
	}
	scene := func(proto string, change func(*recording.PacketCapture), waits ...wait) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 60).PacketCapture(change).Packets(ruletest.PacketService{Proto: proto, Rate: 20, RTs: us(2000, 2100), To: 20, Approximate: proto == "generic"})
			for _, w := range waits {
				rts := w.rts
				if rts == nil {
					rts = repeated(100, 2*ms)
				}
				row := recording.PacketUnanswered{At: ruletest.Start.Add(20 * s), Server: "10.0.0.2", ServerPort: 3306, Proto: proto, Command: "Query", Fingerprint: w.statement,
					Over: w.over, Count: w.n, Within: w.within, Waited: time.Duration(w.n) * w.over, Longest: w.over + w.over/4, Client: "10.0.0.1", ClientPort: 40001}
				if proto == "generic" || proto == "tls" {
					row.Command, row.Fingerprint = "", ""
				} else if !w.unfamiliar {
					h.PacketStatement(recording.PacketStatement{Proto: proto, Fingerprint: w.statement, IdleBefore: w.idle, Download: w.download}, rts...)
				}
				if w.elsewhere {
					row.ServerPort++
				}
				ruletest.Add(h, row)
			}
			return h
		}
	}
	const name = "10.0.0.2:3306"
	about := func(proto string) string { return proto + " " + name }
	ruletest.Check(t, serverSlow, []ruletest.Situation{
		{Name: "a server that hangs", Host: scene("mysql", nil, wait{statement: "select ?", over: 30 * s, n: 20}), Want: rule.Likely, Kind: view.KindService, Subject: about("mysql"),
			Low: 9.9, High: 10.1, Says: "does not answer: 20 requests that reached it had waited when the window ended, up to 37.5 s", Proof: "no request was answered since"},
		{Name: "two of its clients", Host: scene("mysql", nil, wait{statement: "select ?", over: 30 * s, n: 2}), Want: rule.Possible, Kind: view.KindService, Subject: about("mysql"), Low: 0.9, High: 1.1},
		{Name: "the capture dropped packets", Host: scene("mysql", func(c *recording.PacketCapture) { c.Dropped = 5 }, wait{statement: "select ?", over: 30 * s, n: 20}),
			Want: rule.Possible, Kind: view.KindService, Subject: about("mysql"), Low: 9.9, High: 10.1},
		{Name: "within its answers", Host: scene("http", nil, wait{statement: "GET /big", over: 30 * s, n: 10, within: 10, unfamiliar: true}), Want: rule.Likely, Kind: view.KindService,
			Subject: about("http"), Low: 4.9, High: 5.1, Says: "stopped in the middle of answers"},
		{Name: "one resource of HTTP", Host: scene("http", nil, wait{statement: "GET /x", over: 30 * s, n: 10, idle: 10 * s}), Want: rule.Possible, Kind: view.KindService, Subject: about("http"), Low: 4.9, High: 5.1},
		{Name: "two resources of HTTP", Host: scene("http", nil, wait{statement: "GET /x", over: 30 * s, n: 10, idle: 10 * s}, wait{statement: "GET /y", over: 8 * s, n: 6}),
			Want: rule.Likely, Kind: view.KindService, Subject: about("http"), Low: 5.7, High: 5.9},
		{Name: "long polling: asked again at once", Host: scene("http", nil, wait{statement: "GET /poll", over: 30 * s, n: 10}), Abstains: "long polling"},
		{Name: "never answered before", Host: scene("mysql", nil, wait{statement: "select sleep(?)", over: 30 * s, n: 10, unfamiliar: true}), Abstains: "nothing like select sleep(?) was answered"},
		{Name: "a protocol that is not decoded", Host: scene("generic", nil, wait{over: 30 * s, n: 10}), Abstains: "its protocol is not decoded"},
		{Name: "TLS, where farewells look like requests", Host: scene("tls", nil, wait{over: 30 * s, n: 10})},
		{Name: "reports that take as long", Host: scene("mysql", nil, wait{statement: "select ?", over: 8 * s, n: 10, rts: append(repeated(50, 2*ms), 5*s)})},
		{Name: "downloads that take as long", Host: scene("http", nil, wait{statement: "GET /big", over: 8 * s, n: 10, download: 100 * 2 * s})},
		{Name: "under way at the end", Host: scene("mysql", nil, wait{statement: "select ?", over: 512 * ms, n: 20})},
		{Name: "of another service", Host: scene("mysql", nil, wait{statement: "select ?", over: 30 * s, n: 20, elsewhere: true})},
	})
	if hung := scene("mysql", nil, wait{statement: "select ?", over: 30 * s, n: 20})().View(); serverSlow.Seen(hung) || errorAnswers.Seen(hung) || firstDisconnect.Seen(hung) {
		t.Error("response times, answers or connections are healthy although a server hangs")
	}
	if fine := scene("mysql", nil)().View(); !serverSlow.Seen(fine) || !firstDisconnect.Seen(fine) {
		t.Error("response times or connections of a healthy server are not seen")
	}
}

// Who waits for a server that does not answer cannot answer either, and is not to
// blame.
func TestServerStoppedAnsweringOthers(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	hang := func(back string) *ruletest.Host {
		h := ruletest.New(2, 60).PacketCapture(nil)
		for _, x := range []struct{ server, client string }{{"10.0.0.2", "10.0.0.1"}, {back, "10.0.0.2"}} {
			h.Packets(ruletest.PacketService{Server: x.server, Rate: 20, RTs: us(2000), To: 20})
			h.PacketStatement(recording.PacketStatement{Server: x.server, Fingerprint: "select ?"}, repeated(100, 2*ms)...)
			ruletest.Add(h, recording.PacketUnanswered{At: ruletest.Start.Add(20 * s), Server: x.server, ServerPort: 3306, Proto: "mysql", Command: "Query", Fingerprint: "select ?",
				Over: 30 * s, Count: 5, Waited: 150 * s, Longest: 40 * s, Client: x.client, ClientPort: 40001})
		}
		return h
	}
	found := ruletest.Judge(t, hang("10.0.0.3"), serverSlow, rule.Likely)
	if len(found) != 1 || found[0].Subject.Name != "mysql 10.0.0.3:3306" || len(found[0].Notes) != 1 || len(found[0].Affects) != 1 {
		t.Errorf("found %+v, want the last of the chain", found)
	}
}
