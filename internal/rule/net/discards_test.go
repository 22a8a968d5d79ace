package net

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// What packets that were thrown away cost is the time that connections wait for them: few of many
// may cost much, and what TCP repairs at once costs next to nothing.
func TestDiscardsByWhatIsLost(t *testing.T) {
	const seconds = 10
	for _, tt := range []struct {
		name             string
		share            float64 // of 10,000 packets a second
		again, timeouts  float64 // a second
		dsack            float64
		queue, ring, cpu rule.Confidence
		low, high        float64 // bounds of the impact
	}{
		{"half a percent that sends connections into timers", 0.005, 50, 4, 0, rule.Likely, rule.Likely, rule.Likely, 0.5, 1},
		{"half a percent that TCP repairs at once", 0.005, 50, 0, 0, rule.Possible, rule.Possible, rule.Likely, 0.001, 0.01},
		{"a tenth of a percent that sends connections into timers", 0.001, 15, 4, 0, rule.Likely, rule.Likely, rule.Likely, 0.5, 1},
		{"a tenth of a percent that TCP repairs at once", 0.001, 15, 0, 0, 0, 0, rule.Possible, 0.0001, 0.01},
		{"next to none, and timers run out because of other losses", 0.0003, 50, 4, 0, 0, 0, 0, 0, 0},
		{"half a percent, and copies that were not needed", 0.005, 50, 4, 50, rule.Possible, rule.Possible, rule.Likely, 0.001, 0.01},
		{"5 % that send connections into timers", 0.05, 500, 10, 0, rule.Certain, rule.Certain, rule.Certain, 1.5, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const rate = 10_000.0
			lost := rate * tt.share
			build := func() *ruletest.Host {
				h := ruletest.New(2, seconds)
				counters(h, 1, map[string]float64{"TcpOutSegs": rate, "TcpRetransSegs": tt.again, "TcpExtTCPSynRetrans": 0, "TcpExtTCPTimeouts": tt.timeouts,
					"TcpExtTCPLossProbes": 0, "TcpExtTCPDSACKRecv": tt.dsack})
				sockets(h, func(s float64, i int) recording.TCPSample {
					return recording.TCPSample{NetNS: 1, Local: "10.0.0.2", LocalPort: 41000, Remote: "10.0.0.1", RemotePort: 80, State: recording.TCPEstablished, Info: true,
						RTT: time.Millisecond, MSS: 1448, RTO: 204 * time.Millisecond, TotalRetrans: uint32(tt.again * s), SegsOut: uint32(rate * s), BytesSent: uint64(1e6 * s)}
				}, 1)
				return h
			}
			for _, r := range []struct {
				rule rule.Rule
				want rule.Confidence
				add  func(h *ruletest.Host, at time.Time, s float64)
			}{
				{qdiscDrops, tt.queue, func(h *ruletest.Host, at time.Time, s float64) {
					ruletest.Add(h, recording.QdiscSample{At: at, NetNS: 1, Interface: "eth0", Kind: "pfifo", Handle: 0x80010000, Parent: recording.QdiscRoot, Packets: uint64((rate - lost) * s), Drops: uint32(lost * s)})
				}},
				{nicDrops, tt.ring, func(h *ruletest.Host, at time.Time, s float64) {
					ruletest.Add(h, recording.NetDeviceSample{At: at, NetNS: 1, Interface: "eth0", RxPackets: uint64((rate - lost) * s), RxErrors: uint64(lost * s), RxFIFO: uint64(lost * s), SpeedMbps: -1, Physical: true, MTU: 1500, Up: true})
				}},
				{softnet, tt.cpu, func(h *ruletest.Host, at time.Time, s float64) {
					ruletest.Add(h, recording.SoftnetSample{At: at, CPU: 1, Processed: uint64((rate - lost) * s), Dropped: uint64(lost * s)})
				}},
			} {
				h := build()
				h.Readings(func(at time.Time, s float64) { r.add(h, at, s) })
				for _, f := range ruletest.Judge(t, h, r.rule, r.want) {
					if w := max(f.Impact.TimeLost, f.Impact.Share); w < tt.low || w > tt.high {
						t.Errorf("%s: impact %.4f, want %.4f to %.4f: %s", r.rule.ID, w, tt.low, tt.high, f.Impact.Text)
					}
				}
			}
		})
	}
}
