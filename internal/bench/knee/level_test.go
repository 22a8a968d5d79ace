package knee

import (
	"math"
	"testing"
)

func TestClosedKnee(t *testing.T) {
	curve := []Level{{1, 100, 1}, {8, 700, 2}, {16, 950, 9}, {32, 1000, 20}, {64, 990, 40}, {128, math.NaN(), 0}}
	knee, beyond, ok := Closed(curve)
	if !ok || beyond || knee.Level != 16 {
		t.Errorf("%+v %v %v of %+v", knee, beyond, ok, curve)
	}
	if knee, beyond, ok := Closed(curve[:2]); !ok || !beyond || knee.Level != 8 {
		t.Errorf("%+v %v %v", knee, beyond, ok)
	}
	if _, _, ok := Closed([]Level{{128, 0, 0}}); ok {
		t.Error("a failed run has a knee")
	}
}

func TestOpenKnee(t *testing.T) {
	rates := []Level{{100, 100, 1}, {200, 199.5, 2}, {400, 399, 30}, {800, 500, 900}}
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
	if _, _, ok := Open([]Level{{100, 100, math.NaN()}}, 10); ok {
		t.Error("an unknown p99 keeps a limit")
	}
}
