package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// ReceiveBuffers sums up how often receive buffers overflowed or grew in the window, the
// most first: what the kernel told of them as far as it was traced.
func (v *View) ReceiveBuffers() []recording.ReceiveBuffer {
	return Memo(v, "receive-buffers", func() []recording.ReceiveBuffer {
		return SumReceiveBuffers(Rows[recording.ReceiveBuffer](v), v.watched("buffers"))
	})
}

// SumReceiveBuffers sums up rows of one or more readings, those of most times first. Span
// and Traced are of all readings. The source counted for so long; 0: that is not known.
func SumReceiveBuffers(rows []recording.ReceiveBuffer, watched time.Duration) []recording.ReceiveBuffer {
	all := traced(rows, watched, func(r *recording.ReceiveBuffer) (span, traced time.Duration) { return r.Span, r.Traced })
	type same struct {
		kind, protocol string
		inode          uint64
		pid            int32
		ends           ConnectionKey
	}
	at := map[same]int{}
	var list []recording.ReceiveBuffer
	for _, r := range rows {
		factor := all.factor(r.Span, r.Traced)
		r.Times, r.Bytes = scaled(r.Times, factor), scaled(r.Bytes, factor)
		k := same{r.Kind, r.Protocol, r.Inode, r.PID, ConnectionKey{r.NetNS, r.Local, r.LocalPort, r.Remote, r.RemotePort}}
		n, ok := at[k]
		if !ok {
			at[k] = len(list)
			list = append(list, r)
			continue
		}
		s := &list[n]
		s.At, s.Buffer, s.Limit, s.Set = r.At, r.Buffer, r.Limit, r.Set
		s.Span += r.Span
		s.Traced += r.Traced
		s.Times += r.Times
		s.Bytes += r.Bytes
		s.Largest = max(s.Largest, r.Largest)
	}
	slices.SortStableFunc(list, func(a, b recording.ReceiveBuffer) int { return cmp.Compare(b.Times, a.Times) })
	return list
}
