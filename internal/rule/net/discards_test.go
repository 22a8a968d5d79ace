package net

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// traffic is what the packets belong to.
type traffic struct {
	rtt       time.Duration
	within    bool    // the other end of the connection is on this host, too
	datagrams float64 // sent besides, a second
}

// What packets that were thrown away cost is the time that connections wait for them: few of many
// may cost much, and what TCP repairs at once costs next to nothing.
func TestDiscardsByWhatIsLost(t *testing.T) {
	const seconds = 10
	type situation struct {
		name             string
		share            float64 // of 10,000 packets a second
		again, timeouts  float64 // a second
		dsack            float64
		queue, ring, cpu rule.Confidence
		low, high        float64 // bounds of the impact
		change           func(*traffic)
	}
	long := func(x *traffic) { x.rtt = 50 * time.Millisecond }
	for _, tt := range []situation{
		{"half a percent that sends connections into timers", 0.005, 50, 4, 0, rule.Likely, rule.Likely, rule.Likely, 0.5, 1, nil},
		{"half a percent that TCP repairs at once", 0.005, 50, 0, 0, rule.Possible, rule.Possible, rule.Likely, 0.001, 0.01, nil},
		{"a tenth of a percent that sends connections into timers", 0.001, 15, 4, 0, rule.Likely, rule.Likely, rule.Likely, 0.5, 1, nil},
		{"a tenth of a percent that TCP repairs at once", 0.001, 15, 0, 0, 0, 0, rule.Possible, 0.0001, 0.01, nil},
		{"next to none, and timers run out because of other losses", 0.0003, 50, 4, 0, 0, 0, 0, 0, 0, nil},
		{"half a percent, and copies that were not needed", 0.005, 50, 4, 50, rule.Possible, rule.Possible, rule.Likely, 0.001, 0.01, nil},
		{"5 % that send connections into timers", 0.05, 500, 10, 0, rule.Certain, rule.Certain, rule.Certain, 1.5, 3, nil},
		{"5 % that TCP repairs at once; what is received, others send again", 0.05, 500, 0, 0, rule.Possible, rule.Certain, rule.Certain, 0.049, 0.051, nil},
		{"5 % that TCP repairs at once, both ends on this host", 0.05, 500, 0, 0, rule.Possible, rule.Certain, rule.Possible, 0.049, 0.051, func(x *traffic) { x.within = true }},
		{"5 % that limit what a long path carries", 0.05, 500, 0, 0, rule.Certain, rule.Certain, rule.Certain, 0.049, 0.051, long},
		{"5 %, of which nobody sends anything again", 0.05, 0, 0, 0, rule.Certain, rule.Certain, rule.Certain, 0.049, 0.051, nil},
		{"5 %, of which half is sent again", 0.05, 250, 0, 0, rule.Certain, rule.Certain, rule.Certain, 0.049, 0.051, nil},
		{"5 %, and as much as that is sent again, but datagrams are lost, too", 0.05, 500, 0, 0, rule.Certain, rule.Certain, rule.Certain, 0.049, 0.051, func(x *traffic) { x.datagrams = 4000 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const rate = 10_000.0
			lost := rate * tt.share
			x := traffic{rtt: time.Millisecond}
			if tt.change != nil {
				tt.change(&x)
			}
			build := func() *ruletest.Host {
				h := ruletest.New(2, seconds)
				counters(h, 1, map[string]float64{"TcpOutSegs": rate, "TcpRetransSegs": tt.again, "TcpExtTCPSynRetrans": 0, "TcpExtTCPTimeouts": tt.timeouts,
					"TcpExtTCPLossProbes": 0, "TcpExtTCPDSACKRecv": tt.dsack, "UdpOutDatagrams": x.datagrams})
				if x.within {
					sockets(h, func(s float64, i int) recording.TCPSample {
						return recording.TCPSample{NetNS: 2, Local: "10.0.0.1", LocalPort: 80, Remote: "10.0.0.2", RemotePort: 41000, State: recording.TCPEstablished, Info: true}
					}, 1)
				}
				sockets(h, func(s float64, i int) recording.TCPSample {
					return recording.TCPSample{NetNS: 1, Local: "10.0.0.2", LocalPort: 41000, Remote: "10.0.0.1", RemotePort: 80, State: recording.TCPEstablished, Info: true,
						RTT: x.rtt, MSS: 1448, RTO: 204 * time.Millisecond, TotalRetrans: uint32(tt.again * s), SegsOut: uint32(rate * s), BytesSent: uint64(1e6 * s)}
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
