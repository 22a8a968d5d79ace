package capture

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/recording"
)

const (
	// maxWaiting bounds the requests that a worker remembers as open when an
	// interval ends, to 8 MiB. There is one to a connection.
	maxWaiting = 1 << 16
	// maxUnanswered bounds the rows that are made of them.
	maxUnanswered = 2000
)

// waiting are the requests that wait for a server when an interval or the capture ends.
// How long they did is known only when all workers have come there.
type waiting struct {
	ports []uint16
	list  []awaited
}

type awaited struct {
	statement summary.StatementKey
	client    flow.Endpoint
	since     int64
	within    bool
}

// transaction takes what waits when the capture ends.
func (w *waiting) transaction(t *rt.Transaction) {
	if t.Open != 0 {
		w.add(&rt.Open{Client: t.Client, Server: t.Server, Proto: t.Proto, Command: t.Command, Fingerprint: t.Fingerprint, Since: t.Open, Within: t.ResponsePackets > 0})
	}
}

// before takes what waits when an interval ends and the capture goes on.
func (w *waiting) before(end int64) func(*rt.Open) {
	return func(o *rt.Open) {
		if o.Since < end {
			w.add(o)
		}
	}
}

func (w *waiting) add(o *rt.Open) {
	if len(w.list) >= maxWaiting || len(w.ports) > 0 && !slices.Contains(w.ports, o.Server.Port) {
		return
	}
	k := summary.StatementKey{Service: summary.Service{Server: o.Server, Proto: o.Proto}, Command: o.Command, Fingerprint: o.Fingerprint}
	w.list = append(w.list, awaited{k, o.Client, o.Since, o.Within})
}

// unanswered sums up what waited when the interval or the capture ended, the longest waits first.
func unanswered(parts []*part, end int64) []recording.PacketUnanswered {
	type key struct {
		summary.StatementKey
		over time.Duration
	}
	sums := map[key]*recording.PacketUnanswered{}
	for _, p := range parts {
		for i := range p.waiting.list {
			a := &p.waiting.list[i]
			took := time.Duration(max(0, end-a.since))
			k := key{a.statement, atLeast(took)}
			row := sums[k]
			if row == nil {
				row = &recording.PacketUnanswered{Server: a.statement.Server.Addr.String(), ServerPort: int32(a.statement.Server.Port),
					Proto: a.statement.Proto, Command: a.statement.Command, Fingerprint: a.statement.Fingerprint, Over: k.over}
				sums[k] = row
			}
			row.Count++
			row.Waited += took
			if a.within {
				row.Within++
			}
			if row.Client == "" || took > row.Longest {
				row.At, row.Longest = time.Unix(0, a.since), took
				row.Client, row.ClientPort = a.client.Addr.String(), int32(a.client.Port)
			}
		}
	}
	var list []recording.PacketUnanswered
	for _, row := range sums {
		list = append(list, *row)
	}
	slices.SortFunc(list, func(a, b recording.PacketUnanswered) int {
		return cmp.Or(cmp.Compare(b.Waited, a.Waited), a.At.Compare(b.At), cmp.Compare(a.Server, b.Server), cmp.Compare(a.ServerPort, b.ServerPort),
			cmp.Compare(a.Command, b.Command), cmp.Compare(a.Fingerprint, b.Fingerprint), cmp.Compare(a.Over, b.Over))
	})
	return list[:min(len(list), maxUnanswered)]
}

// atLeast is the largest power of two of milliseconds that is not longer.
func atLeast(d time.Duration) time.Duration {
	ms := uint64(d / time.Millisecond)
	if ms == 0 {
		return 0
	}
	return time.Millisecond << (bits.Len64(ms) - 1)
}
