package main

import (
	"math"
	"testing"
)

func TestMedianAndDoubt(t *testing.T) {
	for _, tc := range []struct {
		list          []float64
		middle, doubt float64
	}{
		{[]float64{3}, 3, 0},
		{[]float64{4, 1, 2, 3}, 2.5, 2 * 1.2533 * 1.4826 * 1 / 2},
		{[]float64{1, 2, 3, 4, 1000}, 3, 2 * 1.2533 * 1.4826 * 1 / math.Sqrt(5)},
	} {
		if m, d := median(tc.list), doubtOf(tc.list); m != tc.middle || math.Abs(d-tc.doubt) > 1e-9 {
			t.Errorf("%v: %v give or take %v, want %v and %v", tc.list, m, d, tc.middle, tc.doubt)
		}
	}
}
