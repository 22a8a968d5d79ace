package refusal

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// What the queue of an interface throws away is told of by its root, and only
// if it is a share that nobody's TCP asks for.
func TestQueueDrops(t *testing.T) {
	for _, tt := range []struct {
		name        string
		sent, drops float64 // per second
		want        bool
	}{{"shaper at its rate", 1000, 50, true}, {"a filled link", 100000, 20, false}, {"a burst", 1000, 0.2, false}} {
		h := ruletest.New(2, 10)
		for _, parent := range []uint32{recording.QdiscRoot, 0x10010} {
			ruletest.Every(h, func(at time.Time, s float64) recording.QdiscSample {
				return recording.QdiscSample{At: at, NetNS: 1, Interface: "eth0", Kind: "tbf", Handle: 0x10000 + parent&0x10, Parent: parent, Packets: uint64(tt.sent * s), Drops: uint32(tt.drops * s)}
			})
		}
		list := Rising(h.View())
		if (len(list) == 1) != tt.want || len(list) > 1 {
			t.Errorf("%s: %+v", tt.name, list)
		}
	}
}
