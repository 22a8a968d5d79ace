package traffic

import (
	"math"
	"slices"
	"testing"
	"time"

	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
)

// TestSlotsAreSparse puts seconds into intervals that lie years apart, up to the
// end of time: what is empty is given out a while and then left out.
func TestSlotsAreSparse(t *testing.T) {
	const year = int64(365 * 24 * time.Hour)
	for _, every := range []time.Duration{time.Second, time.Hour, 366 * 24 * time.Hour, math.MaxInt64} {
		for _, times := range [][]int64{
			{0, pcap.MaxTime}, {pcap.MaxTime}, {pcap.MaxTime, 0, pcap.MaxTime}, {math.MaxInt64}, {0, math.MaxInt64},
			{50 * year, 10 * year, 60 * year, 60*year + 1e9, 61 * year},
		} {
			var full []int64
			empty := 0
			s := slots[int, int64]{every: every, give: func(at int64, list []*int64) {
				if len(list) == 0 {
					empty++
				} else {
					full = append(full, at)
				}
			}}
			for _, at := range times {
				s.add(at, 1, &at, func(*int64) {})
			}
			s.passed(slices.Max(times))
			s.flush()
			if empty > maxEmpty*len(times) || len(full) == 0 || len(full) > len(times) || !slices.IsSorted(full) {
				t.Errorf("every %v, %v: %d empty intervals, and %v", every, times, empty, full)
			}
		}
	}
}

// TestSlotsAreBoundedInAll: many gaps have no more empty intervals than one.
func TestSlotsAreBoundedInAll(t *testing.T) {
	empty := 0
	s := slots[int, int]{every: time.Second, give: func(_ int64, list []*int) {
		if len(list) == 0 {
			empty++
		}
	}}
	for i := range int64(1000) {
		v := 0
		s.add(i*int64(time.Hour), 1, &v, func(*int) {})
	}
	if empty != maxEmptyInAll {
		t.Errorf("%d empty intervals, want %d", empty, int(maxEmptyInAll))
	}
}

// TestBarsEnd puts every power of two into a histogram, up to the longest time.
func TestBarsEnd(t *testing.T) {
	for low := range 64 {
		for high := low; high < 64; high++ {
			var h rt.Histogram
			h.Add(1<<low - 1)
			h.Add(1<<high - 1)
			var n uint64
			bars := Bars(&h)
			for i, b := range bars {
				n += b.Count
				if b.To <= b.From || i > 0 && b.From != bars[i-1].To {
					t.Fatalf("2^%d and 2^%d: %v", low, high, bars)
				}
			}
			if n != 2 || len(bars) > maxBars {
				t.Fatalf("2^%d and 2^%d: %d of 2 in %d bars", low, high, n, len(bars))
			}
		}
	}
}
