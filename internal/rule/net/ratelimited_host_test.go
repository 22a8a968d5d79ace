package net

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// shaped is a host of which tbf sends so many bytes in a second at the time s, while backlog bytes wait.
func shaped(backlog uint32, rate func(s float64) float64, change func(s float64, q *recording.QdiscSample)) *ruletest.Host {
	h := ruletest.New(2, 8)
	var sent, before float64
	return ruletest.Every(h, func(at time.Time, s float64) recording.QdiscSample {
		sent += rate(s) * (s - before)
		before = s
		q := recording.QdiscSample{At: at, NetNS: 1, Interface: "eth0", Kind: "tbf", Handle: 0x80010000, Parent: recording.QdiscRoot,
			Bytes: uint64(1e9 + sent), Packets: uint64(1e6 + sent/1500), Overlimits: uint32(900 * s), Backlog: backlog}
		if change != nil {
			change(s, &q)
		}
		return q
	})
}

func mbit8(float64) float64 { return 1e6 }

// heldBack adds a connection that always has something to send, with such a round trip.
func heldBack(h *ruletest.Host, rtt time.Duration) *ruletest.Host {
	return ruletest.Every(h, func(at time.Time, s float64) recording.TCPSample {
		return recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 80, Remote: "10.0.0.2", RemotePort: 40000, State: recording.TCPEstablished, Inode: 7, Info: true,
			Busy: time.Duration(s * float64(time.Second)), RTT: rtt, MinRTT: time.Millisecond}
	})
}

func TestRateLimitedFromTheHost(t *testing.T) {
	ruletest.Check(t, rateLimited, []ruletest.Situation{
		{Name: "tbf with a standing queue", Host: func() *ruletest.Host { return heldBack(shaped(200000, mbit8, nil), 200*time.Millisecond) },
			Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.98, High: 1, Says: "the shaper tbf 8001: of eth0 limits traffic to 977 KiB/s", Proof: "take up to 199 ms longer"},
		{Name: "a gateway: what it forwards waits", Host: func() *ruletest.Host { return shaped(200000, mbit8, nil) },
			Want: rule.Possible, Kind: view.KindInterface, Subject: "eth0", Low: 0, High: 0, Says: "the shaper tbf 8001: of eth0 limits traffic to 977 KiB/s"},
		{Name: "a connection of another namespace", Host: func() *ruletest.Host {
			return heldBack(shaped(200000, mbit8, func(_ float64, q *recording.QdiscSample) { q.NetNS = 2 }), 200*time.Millisecond)
		}, Want: rule.Possible, Kind: view.KindInterface, Subject: "eth0", Low: 0, High: 0},
		{Name: "a queue of 8 ms that loses nothing", Host: func() *ruletest.Host { return heldBack(shaped(8000, mbit8, nil), 9*time.Millisecond) },
			Want: rule.Likely, Kind: view.KindInterface, Subject: "eth0", Low: 0.85, High: 0.9, Says: "packets wait 8 ms in it", Proof: "take up to 8 ms longer"},
		{Name: "a connection that waits elsewhere", Host: func() *ruletest.Host { return heldBack(shaped(10000, mbit8, nil), 200*time.Millisecond) },
			Want: rule.Possible, Kind: view.KindInterface, Subject: "eth0", Low: 0, High: 0, Says: "packets wait 10 ms in it"},
		{Name: "a short queue", Host: func() *ruletest.Host { return heldBack(shaped(3000, mbit8, nil), 4*time.Millisecond) }},
		{Name: "below its rate", Host: func() *ruletest.Host {
			return shaped(200000, mbit8, func(_ float64, q *recording.QdiscSample) { q.Overlimits = 7 })
		}},
		{Name: "traffic that comes and goes", Host: func() *ruletest.Host {
			return heldBack(shaped(200000, func(s float64) float64 { return 2e5 * (1 + float64(int(s)%4)) }, nil), 200*time.Millisecond)
		}},
		{Name: "a queue without a rate", Host: func() *ruletest.Host {
			return heldBack(shaped(200000, mbit8, func(_ float64, q *recording.QdiscSample) { q.Kind = "fq_codel" }), 200*time.Millisecond)
		}},
		{Name: "it throws the excess away", Host: func() *ruletest.Host {
			return heldBack(shaped(200000, mbit8, func(s float64, q *recording.QdiscSample) { q.Drops = uint32(100 * s) }), 200*time.Millisecond)
		}},
	})
}
