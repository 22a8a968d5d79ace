package view

import (
	"cmp"
	"slices"

	"rtrail/internal/recording"
)

// TCPEvents sums up the segments that connections sent again in the window, and resets,
// the most first: what the kernel told of them as far as it was traced.
func (v *View) TCPEvents() []recording.TCPEvent {
	return Memo(v, "tcp-events", func() []recording.TCPEvent { return SumTCPEvents(Rows[recording.TCPEvent](v)) })
}

// SumTCPEvents sums up rows of one or more readings, the most packets first. Span is of
// all readings.
func SumTCPEvents(rows []recording.TCPEvent) []recording.TCPEvent {
	type same struct {
		kind, reason string
		state        recording.TCPState
		ends         ConnectionKey
	}
	at := map[same]int{}
	var list []recording.TCPEvent
	for i := range rows {
		r := &rows[i]
		k := same{r.Kind, r.Reason, r.State, ConnectionKey{r.NetNS, r.Local, r.LocalPort, r.Remote, r.RemotePort}}
		n, ok := at[k]
		if !ok {
			at[k] = len(list)
			list = append(list, *r)
			continue
		}
		s := &list[n]
		s.At, s.Inode = r.At, cmp.Or(r.Inode, s.Inode)
		s.Span += r.Span
		s.Packets += r.Packets
		s.Bytes += r.Bytes
		s.Failed += r.Failed
	}
	slices.SortStableFunc(list, func(a, b recording.TCPEvent) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), cmp.Compare(b.Failed, a.Failed))
	})
	return list
}
