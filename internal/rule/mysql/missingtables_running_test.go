package mysql

import (
	"slices"
	"testing"
	"time"
)

func TestSpans(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	var s spans
	for _, x := range [][2]int{{1, 2}, {5, 6}, {5, 7}, {6, 8}, {20, 21}, {10, 22}} {
		s = s.add(at(x[0]), at(x[1]))
	}
	if want := (spans{{at(1), at(2)}, {at(5), at(8)}, {at(10), at(22)}}); !slices.Equal(s, want) {
		t.Errorf("%v, want %v", s, want)
	}
	for _, c := range []struct {
		from, to int
		want     bool
	}{{0, 0, false}, {0, 1, true}, {3, 4, false}, {2, 3, true}, {4, 9, true}, {6, 7, true}, {9, 9, false}, {15, 16, true}, {22, 23, true}, {23, 30, false}} {
		if got := s.touch(at(c.from), at(c.to)); got != c.want {
			t.Errorf("touch(%d, %d) = %v", c.from, c.to, got)
		}
	}
	if spans(nil).touch(at(0), at(9)) {
		t.Error("there are none")
	}
}
