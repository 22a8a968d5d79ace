package socket

import (
	"testing"

	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
)

// TestDumpsOfRestingConnections: where dumps cost more than their share, they
// are further apart while hardly any connection does something.
func TestDumpsOfRestingConnections(t *testing.T) {
	skippedUntilDump := func(p *Probe) (n int) {
		for !p.dumpNow(false) {
			n++
		}
		return n
	}
	for _, test := range []struct{ busy, all, want int }{
		{1, 100, maxSkipped},
		{50, 100, 2},
		{100, 100, 2},
	} {
		p := &Probe{samples: 4, cost: 2*dumpBudget + dumpBudget/2, walked: map[kernel.SocketTable]*walkMemory{1: newWalkMemory()}}
		m := p.walked[1]
		for range 2 { // the second walk finds all but the busy ones as they were
			m.begin(p.samples)
			for i := range test.all {
				c := connection{socket: uint64(i), row: &recording.TCPSample{}}
				if i < test.busy {
					c.row = nil
					m.room()
				}
				m.add(c)
			}
		}
		p.restful = p.rests()
		if got := skippedUntilDump(p); got != test.want {
			t.Errorf("%d of %d busy: %d samples without a dump, want %d", test.busy, test.all, got, test.want)
		}
		p.cost = dumpBudget / 2
		if got := skippedUntilDump(p); got != 0 {
			t.Errorf("%d samples without a dump that costs less than its share", got)
		}
	}
	if p := (&Probe{tcp: make([]recording.TCPSample, 9)}); p.rests() {
		t.Error("a dump by sock_diag does not tell what rests")
	}
}

// TestMemoryOfWalks: what a walk keeps of connections shrinks with their number.
func TestMemoryOfWalks(t *testing.T) {
	m := newWalkMemory()
	walk := func(n int) {
		m.begin(1)
		for i := range n {
			m.add(connection{socket: uint64(i), row: &recording.TCPSample{}})
		}
	}
	walk(100_000)
	for range 3 {
		walk(1000)
	}
	if most := max(cap(m.list), cap(m.before), cap(m.spare)); most > 10_000 {
		t.Errorf("room for %d connections of 1,000", most)
	}
}

// TestDumpsWithoutTraffic: while no packet is counted there is nothing new to read.
func TestDumpsWithoutTraffic(t *testing.T) {
	for _, test := range []struct {
		name string
		p    Probe
		want bool
	}{
		{"packets are counted", Probe{cost: dumpBudget / 2}, true},
		{"none are", Probe{cost: dumpBudget / 2, still: true}, false},
		{"none are, and a dump costs next to nothing", Probe{cost: quietBudget / 2, still: true}, true},
		{"none are, but a connection waits for an answer", Probe{cost: dumpBudget / 2, still: true, blocked: true}, true},
		{"none are, but the last dump is long ago", Probe{cost: dumpBudget / 2, still: true, skipped: maxSkipped}, true},
	} {
		if got := test.p.dumpNow(false); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	counters := []recording.ProtocolSample{{Protocol: "Tcp", Name: "InSegs", Value: 5}, {Protocol: "Tcp", Name: "MaxConn", Value: -1}, {Protocol: "Udp6", Name: "InDatagrams", Value: 7}, {Protocol: "Ip", Name: "InReceives", Value: 100}}
	if got, known := packets(counters); got != 12 || !known {
		t.Errorf("%d packets, known: %v, want 12", got, known)
	}
	if _, known := packets(counters[2:]); known {
		t.Error("packets are known without those of TCP")
	}
}
