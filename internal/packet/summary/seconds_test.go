package summary

import (
	"slices"
	"testing"
)

// TestCrashOfOneSecond has what takes seconds panic at the first: the others are
// given out all the same, in order.
func TestCrashOfOneSecond(t *testing.T) {
	var given []int64
	told := int64(0)
	s := newSeconds(1, func(x *Second) {
		given = append(given, x.At)
		if len(given) == 1 {
			panic("the first")
		}
	}, func(before int64) { told = before })
	for i := range int64(3) {
		s.open[secondKey{second: 7 - i}] = &Second{At: 7 - i}
	}
	func() {
		defer func() {
			if recover() != "the first" {
				t.Error("nobody is told of the panic")
			}
		}()
		s.release(8)
	}()
	if want := []int64{5, 6, 7}; !slices.Equal(given, want) || told != 8 || len(s.open) != 0 {
		t.Errorf("given %v, told %d, %d left, want %v, 8 and none", given, told, len(s.open), want)
	}
}
