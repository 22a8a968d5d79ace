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
