package knee

import (
	"math"
	"testing"
)

func TestClosedKnee(t *testing.T) {
	curve := Levels([]Level{{16, 950, 9, 1}, {1, 100, 1, 1}, {8, 700, 2, 1}, {8, 720, 2, 1}, {8, 1, 2, 1}, {32, 1000, 20, 1}, {64, 990, 40, 1}, {128, math.NaN(), 0, 1}})
	knee, beyond, ok := Closed(curve)
	if !ok || beyond || knee.Level != 16 || len(curve) != 6 || curve[1].Throughput != 700 || curve[1].Runs != 3 {
		t.Errorf("%+v %v %v of %+v", knee, beyond, ok, curve)
	}
	if knee, beyond, ok := Closed(curve[:2]); !ok || !beyond || knee.Level != 8 {
		t.Errorf("%+v %v %v", knee, beyond, ok)
	}
	if _, _, ok := Closed(Levels([]Level{{128, 0, 0, 1}})); ok {
		t.Error("a failed run has a knee")
	}
}

func TestOpenKnee(t *testing.T) {
	rates := []Level{{100, 100, 1, 1}, {200, 199.5, 2, 1}, {400, 399, 30, 1}, {800, 500, 900, 1}}
	for _, tt := range []struct {
		limit, knee float64
		failed, ok  bool
	}{{math.Inf(1), 400, true, true}, {10, 200, true, true}, {0.5, 0, true, false}} {
		knee, failed, ok := Open(rates, tt.limit)
		if knee.Level != tt.knee || failed != tt.failed || ok != tt.ok {
			t.Errorf("p99 of %v ms: %+v, %v, %v", tt.limit, knee, failed, ok)
		}
	}
	if knee, failed, ok := Open(rates[:2], 10); knee.Level != 200 || failed || !ok {
		t.Errorf("%+v, %v, %v", knee, failed, ok)
	}
	if _, _, ok := Open([]Level{{100, 100, math.NaN(), 1}}, 10); ok {
		t.Error("an unknown p99 keeps a limit")
	}
}
