package path

import (
	"bytes"
	"cmp"
	"slices"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const (
	second = int64(1e9)
	tenth  = second / 10
)

type pair struct{ from, to flow.Addr }

// meter is one second of a pair, and its tenths.
type meter struct {
	Rate
	packets, bytes [10]uint64
}

func (m *meter) rate() Rate {
	m.BusiestPackets, m.BusiestBytes = slices.Max(m.packets[:]), slices.Max(m.bytes[:])
	return m.Rate
}

// rates sums up packets per second. Seconds end when packets of the next but
// one come: workers and interfaces are a little apart.
type rates struct {
	open [2]map[pair]*meter // by parity of the second
	at   [2]int64           // which second
	list []*meter
	cut  bool
	hot  *meter // used last
}

func newRates() rates {
	return rates{open: [2]map[pair]*meter{{}, {}}}
}

func (r *rates) add(f *decode.Frame, e *event) {
	s := f.At - f.At%second
	k := pair{f.Src.Addr, f.Dst.Addr}
	m := r.hot
	if m == nil || m.At != s || m.From != k.from || m.To != k.to {
		if m = r.meter(s, k); m == nil {
			return
		}
		r.hot = m
	}
	m.Packets++
	m.Bytes += uint64(f.Wire)
	i := (f.At - s) / tenth
	m.packets[i]++
	m.bytes[i] += uint64(f.Wire)
	if e == nil {
		return
	}
	if e.resent {
		m.Resent++
	}
	if e.clocked {
		m.Clocked++
		m.Queued += e.queued
		m.QueuedMax = max(m.QueuedMax, e.queued)
	}
}

func (r *rates) meter(s int64, k pair) *meter {
	i := s / second & 1
	if r.at[i] != s {
		if s < r.at[i] {
			return nil // time went back by more than a second
		}
		r.flush(int(i))
		r.at[i] = s
	}
	m := r.open[i][k]
	if m == nil {
		if len(r.open[i]) >= maxPairs {
			r.cut = true
			return nil
		}
		m = &meter{Rate: Rate{At: s, From: k.from, To: k.to}}
		r.open[i][k] = m
	}
	return m
}

func (r *rates) flush(i int) {
	for _, m := range r.open[i] {
		if len(r.list) >= maxRates {
			r.cut = true
			break
		}
		r.list = append(r.list, m)
	}
	clear(r.open[i])
	r.hot = nil
}

// close ends all seconds.
func (r *rates) close() []*meter {
	r.flush(0)
	r.flush(1)
	return r.list
}

// merge adds up what several workers saw of the same second and pair.
func merge(list []*meter) []Rate {
	slices.SortStableFunc(list, func(a, b *meter) int {
		return cmp.Or(cmp.Compare(a.At, b.At), bytes.Compare(a.From[:], b.From[:]), bytes.Compare(a.To[:], b.To[:]))
	})
	var merged []Rate
	for i := 0; i < len(list); {
		sum := *list[i]
		for i++; i < len(list) && list[i].At == sum.At && list[i].From == sum.From && list[i].To == sum.To; i++ {
			sum.merge(list[i])
		}
		merged = append(merged, sum.rate())
	}
	return merged
}

func (m *meter) merge(o *meter) {
	m.Packets += o.Packets
	m.Bytes += o.Bytes
	for i := range m.packets {
		m.packets[i] += o.packets[i]
		m.bytes[i] += o.bytes[i]
	}
	m.Resent += o.Resent
	m.Queued += o.Queued
	m.QueuedMax = max(m.QueuedMax, o.QueuedMax)
	m.Clocked += o.Clocked
}
