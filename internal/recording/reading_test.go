package recording

import (
	"slices"
	"testing"
	"time"
)

// TestChunks: pieces of a table put together are the rows asked for, whether
// they are there or repeat others.
func TestChunks(t *testing.T) {
	start := time.Unix(1700000000, 0).UTC()
	row := func(n int) SystemSample { return SystemSample{At: start.Add(time.Duration(n)), Forks: uint64(n)} }
	repeated := row(0)
	as := func(_ *SystemSample, at time.Time) SystemSample { return row(int(at.Sub(start))) }
	var all table[SystemSample]
	for n := range 5 {
		all.list = append(all.list, row(n))
	}
	all.more = []piece[SystemSample]{{rows: []SystemSample{row(5), row(6)}}, {as: as}}
	for n := range 2*chunkRows + 3 {
		all.more[1].again = append(all.more[1].again, Again[SystemSample]{&repeated, start.Add(time.Duration(7 + n))})
	}
	all.rest = 2 + len(all.more[1].again)
	for _, c := range [][2]int{{0, all.count()}, {0, 0}, {0, 3}, {2, 6}, {5, 7}, {6, 8}, {7, 9}, {chunkRows, 2*chunkRows + 1}, {all.count() - 1, all.count()}} {
		var got, want []uint64
		all.chunks(c[0], c[1], func(some raw) {
			for i := range some.n {
				got = append(got, uint64(some.at(i).Sub(start)))
			}
		})
		for n := c[0]; n < c[1]; n++ {
			want = append(want, uint64(n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("rows %d to %d: got %d rows %v", c[0], c[1], len(got), got)
		}
	}
}
