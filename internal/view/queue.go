package view

import (
	"fmt"

	"rtrail/internal/recording"
)

// Queue is the first queueing discipline of an interface, for what it sends, over
// the window. Its counters include those below it.
type Queue struct {
	recording.QdiscSample // the last reading
	Samples               []recording.QdiscSample
	Dropped, Sent         float64 // packets in the window
	SentBytes             float64 // in the window, with headers
	Held                  float64 // times in the window that a rate or a limit made packets wait
	HeldShare             float64 // of the times between two readings, those in which that happened
}

// leastHeld is how many times a second packets waited, at least, where any did: readings are
// seconds or minutes apart.
const leastHeld = 1e-6

// Queues lists the first queues of all interfaces that were read.
func (v *View) Queues() []Queue {
	return Memo(v, "queues", func() (list []Queue) {
		type sample = recording.QdiscSample
		type key struct {
			ns             uint64
			name           string
			handle, parent uint32
		}
		keys, series := Group(Rows[sample](v), func(s sample) key { return key{s.NetNS, s.Interface, s.Handle, s.Parent} })
		for _, k := range keys {
			// Nothing queues at ingress and clsact: filters drop there what they
			// were told to.
			if k.parent != recording.QdiscRoot {
				continue
			}
			q := Queue{QdiscSample: series[k][len(series[k])-1], Samples: series[k]}
			q.Dropped, _ = Delta(q.Samples, func(s sample) uint32 { return s.Drops })
			q.Sent, _ = Delta(q.Samples, func(s sample) uint64 { return s.Packets })
			q.SentBytes, _ = Delta(q.Samples, func(s sample) uint64 { return s.Bytes })
			q.Held, _ = Delta(q.Samples, func(s sample) uint32 { return s.Overlimits })
			q.HeldShare = steady(q.Samples, leastHeld, func(s sample) float64 { return float64(s.Overlimits) })
			list = append(list, q)
		}
		return list
	})
}

// Shapes says whether somebody gave the queue a rate that was reached in the
// window: what it throws away is the rate at work. Not every cake or htb has one.
func (q Queue) Shapes() bool {
	if q.Held == 0 {
		return false
	}
	switch q.Kind {
	case "tbf", "htb", "hfsc", "cbq", "cake":
		return true
	}
	return false
}

// String names the queue as tc(8) does: "tbf 8001:".
func (q Queue) String() string {
	if q.Handle == 0 {
		return q.Kind
	}
	return fmt.Sprintf("%s %x:", q.Kind, q.Handle>>16)
}
