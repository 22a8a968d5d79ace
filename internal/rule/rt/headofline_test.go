package rt

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// stalled is a Redis that answered no request for 60 ms, forty times; change says what
// was different for the command with whose answers that ended.
func stalled(proto string, change func(all, held *recording.PacketStall)) func() *ruletest.Host {
	return func() *ruletest.Host {
		h := ruletest.New(2, 10).PacketCapture(nil)
		for range 30 {
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Proto: proto}})
		}
		h.Packets(ruletest.PacketService{Proto: proto, Rate: 100, RTs: repeated(3, 100*time.Microsecond, 40*time.Millisecond)})
		all := recording.PacketStall{At: ruletest.Start, Server: "10.0.0.2", ServerPort: 3306, Proto: proto, Count: 40, Lasted: 2400 * time.Millisecond, P50: 60 * time.Millisecond,
			Seconds: 10, Waiters: 250, Waited: 9 * time.Second, Usual: 100 * time.Microsecond, Requests: 1000, RTSum: 10 * time.Second, Connections: 16}
		held := all
		held.Command, held.Fingerprint, held.Waiting, held.Executions = "EVAL", "EVAL ?", "GET ?", 42
		if change != nil {
			change(&all, &held)
		}
		ruletest.Add(h, all)
		if held.Count > 0 {
			ruletest.Add(h, held)
		}
		return h
	}
}

func TestHeadOfLine(t *testing.T) {
	ruletest.Check(t, headOfLine, []ruletest.Situation{
		{Name: "scripts", Host: stalled("redis", nil), Want: rule.Certain, Kind: view.KindService, Subject: "redis 10.0.0.2:3306", Low: 0.8, High: 1,
			Says: "blocks all other requests while it works on EVAL ?: they wait for 60 ms, 40 times", Proof: "GET ? waited most often, and can take 100 µs"},
		{Name: "others are answered meanwhile", Host: stalled("redis", func(_, held *recording.PacketStall) { held.Answered = 10 })},
		{Name: "it is one of many that end so", Host: stalled("redis", func(all, _ *recording.PacketStall) { all.Lasted *= 3 })},
		{Name: "nine times", Host: stalled("redis", func(_, held *recording.PacketStall) { held.Count = 9 })},
		{Name: "at one moment", Host: stalled("redis", func(_, held *recording.PacketStall) { held.Seconds = 2 })},
		{Name: "next to nobody waits", Host: stalled("redis", func(_, held *recording.PacketStall) { held.Waited = 400 * time.Millisecond })},
		{Name: "nobody knows what it is", Host: stalled("tls", func(_, held *recording.PacketStall) { held.Count = 0 })},
		{Name: "the way was never seen", Host: func() *ruletest.Host {
			h := stalled("redis", nil)()
			return h.PacketCapture(func(c *recording.PacketCapture) { c.Missed = c.Bytes / 10 })
		}, Want: rule.Likely, Kind: view.KindService, Subject: "redis 10.0.0.2:3306", Low: 0.8, High: 1},
	})
}

// Encrypted requests are nobody's statement; that nobody is answered while they wait
// says that they can be faster.
func TestServerSlowByStalls(t *testing.T) {
	ruletest.Check(t, serverSlow, []ruletest.Situation{
		{Name: "all wait at once", Host: stalled("tls", func(_, held *recording.PacketStall) { held.Count = 0 }), Want: rule.Likely, Kind: view.KindService, Subject: "tls 10.0.0.2:3306",
			Low: 0.8, High: 1.1, Says: "40 times it answered no request for at least 60 ms, while up to 16 connections waited", Proof: "requests waited that can take 100 µs"},
		{Name: "they wait for other things", Host: stalled("tls", func(all, held *recording.PacketStall) { held.Count, all.Waited = 0, 4*time.Second })},
		{Name: "one connection", Host: stalled("tls", func(all, held *recording.PacketStall) { held.Count, all.Connections = 0, 1 })},
	})
}
