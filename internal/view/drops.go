package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Drops sums up what the kernel dropped in the window, the most packets first.
func (v *View) Drops() []recording.PacketDrop {
	return Memo(v, "drops", func() []recording.PacketDrop { return SumDrops(Rows[recording.PacketDrop](v), v.watched("drops")) })
}

// SumDrops sums up rows of one or more readings, the most packets first. Addresses are
// those of one packet; Span and Traced are of all readings. The source counted for so long;
// 0: that is not known.
func SumDrops(rows []recording.PacketDrop, watched time.Duration) []recording.PacketDrop {
	all := traced(rows, watched, func(r *recording.PacketDrop) (span, traced time.Duration) { return r.Span, r.Traced })
	type same struct {
		netns                              uint64
		device, reason, function, protocol string
		port                               uint16
	}
	at := map[same]int{}
	var list []recording.PacketDrop
	for _, r := range rows {
		factor := all.factor(r.Span, r.Traced)
		r.Packets, r.Bytes = scaled(r.Packets, factor), scaled(r.Bytes, factor)
		k := same{r.NetNS, r.Device, r.Reason, r.Function, r.Protocol, r.Port}
		i, ok := at[k]
		if !ok {
			at[k] = len(list)
			list = append(list, r)
			continue
		}
		s := &list[i]
		s.At = r.At
		s.Span += r.Span
		s.Traced += r.Traced
		s.Packets += r.Packets
		s.Bytes += r.Bytes
	}
	slices.SortStableFunc(list, func(a, b recording.PacketDrop) int { return cmp.Compare(b.Packets, a.Packets) })
	return list
}
