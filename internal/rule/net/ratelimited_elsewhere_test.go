package net

import (
	"math"
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// flow is a connection of 10.0.0.1, as the socket of the sender shows it at each reading.
type flow struct {
	remote                   string
	port                     uint16
	rate                     func(s float64) float64 // bytes per second in the second that ends at s
	rtt, deviation, shortest time.Duration
	unsent, underWay         uint32  // bytes, segments
	busy, closed             float64 // shares of the time: with data, and of that with a closed window
	again                    float64 // share of segments
}

// bulk has 1 MB/s acknowledged, while packets wait for 190 ms and the program has more to send.
func bulk(change func(*flow)) flow {
	f := flow{remote: "10.0.0.2", port: 40000, rate: func(float64) float64 { return 1e6 }, rtt: 200 * ms, deviation: 20 * ms, shortest: 10 * ms, unsent: 400000, underWay: 60, busy: 1}
	if change != nil {
		change(&f)
	}
	return f
}

func sending(flows ...flow) *ruletest.Host {
	h := ruletest.New(2, 8)
	for _, f := range flows {
		var sent float64
		ruletest.Every(h, func(at time.Time, s float64) recording.TCPSample {
			if s > 0 {
				sent += f.rate(s)
			}
			segments := 1e6 + sent/1448
			return recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 80, Remote: f.remote, RemotePort: f.port, State: recording.TCPEstablished, Inode: 7, Info: true,
				BytesAcked: uint64(1e9 + sent), DataSegsOut: uint32(segments * (1 + f.again)), TotalRetrans: uint32(segments * f.again), NotSent: f.unsent, Unacked: f.underWay, SendQueue: f.unsent + 1448*f.underWay,
				RTT: f.rtt, RTTVar: f.deviation, MinRTT: f.shortest,
				Busy: time.Duration(s * f.busy * float64(time.Second)), RwndLimited: time.Duration(s * f.closed * float64(time.Second))}
		})
	}
	return h
}

// toFour are connections to four hosts.
func toFour(rate func(host int, s float64) float64) *ruletest.Host {
	var flows []flow
	for i, remote := range []string{"10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"} {
		flows = append(flows, bulk(func(f *flow) {
			f.remote, f.rate = remote, func(s float64) float64 { return rate(i, s) }
		}))
	}
	return sending(flows...)
}

// interfaceOf adds an interface of such a speed, of which so many packets a second are dropped.
func interfaceOf(h *ruletest.Host, mbps int64, bytes, drops float64) *ruletest.Host {
	return ruletest.Every(h, func(at time.Time, s float64) recording.NetDeviceSample {
		return recording.NetDeviceSample{At: at, NetNS: 1, Interface: "eth0", Up: true, SpeedMbps: mbps, TxBytes: uint64(1e9 + s*bytes), TxDropped: uint64(s * drops)}
	})
}

// queueOf adds a tbf of a namespace that sends so many bytes a second, and in which packets wait
// in the seconds that held names by their ends.
func queueOf(h *ruletest.Host, ns uint64, bytes float64, backlog uint32, held func(s float64) bool) *ruletest.Host {
	times := uint32(7)
	return ruletest.Every(h, func(at time.Time, s float64) recording.QdiscSample {
		if held(s) {
			times += 90
		}
		return recording.QdiscSample{At: at, NetNS: ns, Interface: "eth1", Kind: "tbf", Handle: 0x80010000, Parent: recording.QdiscRoot,
			Bytes: uint64(bytes * s), Packets: uint64(bytes / 1500 * s), Overlimits: times, Backlog: backlog}
	})
}

func always(float64) bool { return true }

func TestRateLimitedElsewhere(t *testing.T) {
	one := func(change func(*flow)) func() *ruletest.Host {
		return func() *ruletest.Host { return sending(bulk(change)) }
	}
	// Two connections that take from each other what one limit lets through.
	competing := func(sign float64) func(s float64) float64 {
		return func(s float64) float64 { return 5e5 + sign*2e5*math.Sin(s) }
	}
	lossy := func(f *flow) { f.rtt, f.deviation, f.again = 10500*time.Microsecond, 2*ms, 0.03 }
	ruletest.Check(t, rateLimited, []ruletest.Situation{
		{Name: "packets wait on the way", Host: one(nil), Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.94, High: 0.96,
			Says: "traffic from 10.0.0.1 to 10.0.0.2 is limited to 1021 KiB/s (8.36 Mbit/s)", Proof: "round trips take 190 ms longer than the shortest"},
		{Name: "data waits in the socket", Host: one(nil), Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.94, High: 0.96,
			Says: "beyond this host: packets wait 190 ms on the way", Proof: "1 connection had something to send 100 % of the time, with open windows; 475 KiB wait"},
		{Name: "connections share a limit", Host: func() *ruletest.Host {
			return sending(bulk(func(f *flow) { f.rate = competing(1) }), bulk(func(f *flow) { f.port++; f.rate = competing(-1) }))
		}, Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 1.88, High: 1.92, Says: "to 10.0.0.2 is limited to 1021 KiB/s"},
		{Name: "others on the same path", Host: func() *ruletest.Host {
			return sending(bulk(nil), bulk(func(f *flow) { f.port++; f.busy, f.rate = 0.1, func(float64) float64 { return 2e5 } }))
		}, Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.94, High: 0.96},
		{Name: "a short queue", Host: one(func(f *flow) { f.rtt, f.deviation, f.shortest = 16*ms, 2*ms, 8*ms }), Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.49, High: 0.51, Says: "packets wait 8 ms"},
		{Name: "far below the speed of the link", Host: func() *ruletest.Host { return interfaceOf(one(nil)(), 1000, 1.1e6, 0) }, Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.94, High: 0.96,
			Proof: "0.9 % of its speed (1,000 Mbit/s)"},
		{Name: "the link is full", Host: func() *ruletest.Host { return interfaceOf(one(nil)(), 9, 1.1e6, 0) }},
		{Name: "all that goes out", Host: func() *ruletest.Host {
			return toFour(func(host int, s float64) float64 { return 2.5e5 + 1e5*math.Sin(s+float64(host)*math.Pi/2) })
		}, Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 3.7, High: 3.9, Says: "to all others is limited to 1021 KiB/s"},
		{Name: "four peers with limits of their own", Host: func() *ruletest.Host {
			return toFour(func(host int, s float64) float64 { return 2.5e5 })
		}},
		{Name: "four peers that vary by themselves", Host: func() *ruletest.Host {
			noise := [][]float64{{3, -2, 1, 0, -3, 2, 2, -1}, {-1, 2, 3, -3, 0, 1, -2, 2}, {2, 3, -1, 1, -2, -3, 0, 1}, {0, 1, -2, 3, 2, -1, -3, 2}}
			return toFour(func(host int, s float64) float64 { return 2.5e5 * (1 + noise[host][int(s)-1]/100) })
		}},
		{Name: "no more than others carry", Host: func() *ruletest.Host {
			return sending(bulk(nil), bulk(func(f *flow) {
				f.remote, f.busy, f.rate = "10.0.0.3", 0.1, func(s float64) float64 { return 1e6 * (1 + float64(int(s)%3)) }
			}))
		}},
		{Name: "the CPUs are full", Host: func() *ruletest.Host {
			return one(nil)().CPU(0, ruletest.CPU{User: 0.6, System: 0.4}).CPU(1, ruletest.CPU{User: 0.9, System: 0.1})
		}, Want: rule.Possible, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.94, High: 0.96},
		{Name: "the CPUs are full of work that waits", Host: func() *ruletest.Host {
			return one(nil)().CPU(0, ruletest.CPU{Nice: 0.9, System: 0.1}).CPU(1, ruletest.CPU{Nice: 0.9, System: 0.1})
		}, Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.94, High: 0.96},
		{Name: "nothing unsent, and a long queue", Host: one(func(f *flow) { f.unsent = 0 }), Want: rule.Possible, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.94, High: 0.96},
		{Name: "nothing unsent, and a short queue", Host: one(func(f *flow) { f.unsent, f.rtt, f.deviation = 0, 40*ms, 4*ms })},
		{Name: "delayed acknowledgements of single segments", Host: one(func(f *flow) { f.unsent, f.underWay = 0, 1 })},
		{Name: "round trips as short as ever", Host: one(func(f *flow) { f.rtt, f.deviation = 11*ms, ms })},
		{Name: "a long path", Host: one(func(f *flow) { f.rtt, f.shortest = 130*ms, 100*ms })},
		{Name: "round trips that vary, as on Wi-Fi", Host: one(func(f *flow) { f.deviation = 100 * ms })},
		{Name: "a rate that varies, as on Wi-Fi", Host: one(func(f *flow) {
			f.rate = func(s float64) float64 { return 1e6 * (1 + 0.3*math.Sin(2*s)) }
		})},
		{Name: "the reader is slow", Host: one(func(f *flow) { f.closed = 0.9 })},
		{Name: "the program sends no more", Host: one(func(f *flow) { f.busy = 0.2 })},
		{Name: "a reader of this host does not keep up", Host: func() *ruletest.Host {
			return ruletest.Every(one(nil)(), func(at time.Time, _ float64) recording.TCPSample {
				return recording.TCPSample{At: at, NetNS: 2, Local: "10.0.0.2", LocalPort: 40000, Remote: "10.0.0.1", RemotePort: 80, State: recording.TCPEstablished, RecvQueue: 90000, Info: true}
			})
		}},
		{Name: "both ends on this host", Host: one(func(f *flow) { f.remote = "127.0.0.1" })},
		{Name: "a shaper of this host throws away", Host: func() *ruletest.Host {
			return ruletest.Every(one(nil)(), func(at time.Time, s float64) recording.QdiscSample {
				return recording.QdiscSample{At: at, NetNS: 1, Interface: "eth0", Kind: "tbf", Handle: 0x80010000, Parent: recording.QdiscRoot, Bytes: uint64(1e6 * s), Packets: uint64(700 * s), Overlimits: uint32(900 * s), Drops: uint32(100 * s)}
			})
		}},
		{Name: "a queue of the same namespace holds it", Host: func() *ruletest.Host { return queueOf(one(nil)(), 1, 1e6, 0, always) }},
		{Name: "such a queue held packets once", Host: func() *ruletest.Host {
			return queueOf(one(nil)(), 1, 1e6, 0, func(s float64) bool { return s == 3 })
		}, Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.94, High: 0.96, Says: "beyond this host"},
		{Name: "a container is held to less", Host: func() *ruletest.Host { return queueOf(one(nil)(), 2, 1e5, 0, always) },
			Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.94, High: 0.96, Says: "beyond this host"},
		{Name: "a container sends through a queue of the host", Host: func() *ruletest.Host { return queueOf(one(nil)(), 2, 1.1e6, 0, always) }},
		{Name: "that queue held packets once", Host: func() *ruletest.Host {
			return queueOf(one(nil)(), 2, 1.1e6, 0, func(s float64) bool { return s == 3 })
		}, Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.94, High: 0.96},
		{Name: "losses at an even rate", Host: one(lossy), Want: rule.Possible, Kind: view.KindPeer, Subject: "10.0.0.1", Low: 0.99, High: 1.01, Says: "of it is lost beyond this host", Proof: "were sent again"},
		{Name: "losses of few packets", Host: one(func(f *flow) { lossy(f); f.rate = func(float64) float64 { return 6e5 } })},
		{Name: "losses on this host", Host: func() *ruletest.Host { return interfaceOf(one(lossy)(), 1000, 1.1e6, 20) }},
		{Name: "losses without more to send", Host: one(func(f *flow) { lossy(f); f.unsent = 0 })},
	})
}

// A container at its own limit hides no other limit.
func TestRateLimitedHereAndElsewhere(t *testing.T) {
	found := ruletest.Judge(t, queueOf(sending(bulk(nil)), 2, 1e5, 20000, always), rateLimited, rule.Likely)
	var kinds []string
	for _, f := range found {
		kinds = append(kinds, f.Subject.Kind)
	}
	if want := []string{view.KindInterface, view.KindPeer}; !slices.Equal(kinds, want) {
		t.Errorf("found about %q, want %q", kinds, want)
	}
}

// Three readings have two rates, which are no plateau.
func TestRateLimitedElsewhereNeedsReadings(t *testing.T) {
	h := sending(bulk(nil))
	v := view.New(h.Rec, ruletest.Start, ruletest.Start.Add(2*time.Second))
	found, err := rateLimited.Detect(v)
	if err != nil || len(found) > 0 {
		t.Errorf("in two seconds: %v, %+v", err, found)
	}
}
