package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// TCPEvents sums up the segments that connections sent again in the window, and resets,
// the most first: what the kernel told of them as far as it was traced.
func (v *View) TCPEvents() []recording.TCPEvent {
	return Memo(v, "tcp-events", func() []recording.TCPEvent {
		return SumTCPEvents(Rows[recording.TCPEvent](v), v.watched("retransmits"))
	})
}

// SumTCPEvents sums up rows of one or more readings, the most packets first. Span and Traced
// are of all readings. The source counted for so long; 0: that is not known.
func SumTCPEvents(rows []recording.TCPEvent, watched time.Duration) []recording.TCPEvent {
	all := traced(rows, watched, func(r *recording.TCPEvent) (span, traced time.Duration) { return r.Span, r.Traced })
	type same struct {
		kind, reason string
		state        recording.TCPState
		ends         ConnectionKey
	}
	at := map[same]int{}
	var list []recording.TCPEvent
	for _, r := range rows {
		factor := all.factor(r.Span, r.Traced)
		r.Packets, r.Bytes, r.Failed = scaled(r.Packets, factor), scaled(r.Bytes, factor), scaled(r.Failed, factor)
		k := same{r.Kind, r.Reason, r.State, ConnectionKey{r.NetNS, r.Local, r.LocalPort, r.Remote, r.RemotePort}}
		n, ok := at[k]
		if !ok {
			at[k] = len(list)
			list = append(list, r)
			continue
		}
		s := &list[n]
		s.At, s.Inode = r.At, cmp.Or(r.Inode, s.Inode)
		s.Span += r.Span
		s.Traced += r.Traced
		s.Packets += r.Packets
		s.Bytes += r.Bytes
		s.Failed += r.Failed
	}
	slices.SortStableFunc(list, func(a, b recording.TCPEvent) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), cmp.Compare(b.Failed, a.Failed))
	})
	return list
}
