package beside

import (
	"math/rand/v2"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)

// ladder is runs of 30 seconds with pauses of two, and what the CPUs did every second by a
// clock that is behind.
func ladder(behind time.Duration, shares ...float64) (spans []Span, samples []Busy) {
	draw := rand.New(rand.NewPCG(1, 1))
	at := start
	add := func(seconds int, share float64) {
		for range seconds {
			at = at.Add(time.Second)
			samples = append(samples, Busy{at.Add(-behind), share + 0.02*draw.Float64()})
		}
	}
	add(60, 0.01)
	for _, s := range shares {
		from := at
		add(30, s)
		spans = append(spans, Span{from, at})
		add(2, 0.01)
	}
	add(60, 0.01)
	return spans, samples
}

func TestOffset(t *testing.T) {
	levels := []float64{0.05, 0.3, 0.6, 0.9, 0.95, 0.95, 0.05, 0.25, 0.5, 0.8}
	for _, behind := range []time.Duration{0, 8 * time.Hour, -5*time.Hour - 30*time.Minute, 17 * time.Second, -90 * time.Second, 8*time.Hour + 20*time.Second} {
		spans, samples := ladder(behind, levels...)
		got, ok := Offset(spans, samples)
		if !ok || (got-behind).Abs() > time.Second {
			t.Errorf("behind by %v: %v, %v", behind, got, ok)
		}
	}
}

func TestOffsetUnknown(t *testing.T) {
	spans, samples := ladder(8*time.Hour, 0.05, 0.3, 0.6)
	if got, ok := Offset(spans, samples); ok {
		t.Errorf("three runs: %v", got)
	}
	draw := rand.New(rand.NewPCG(2, 2))
	spans, samples = ladder(0, 0.5, 0.5, 0.5, 0.5, 0.5)
	for i := range samples {
		samples[i].Share = draw.Float64()
	}
	if got, ok := Offset(spans, samples); ok {
		t.Errorf("noise: %v", got)
	}
	for i := range samples {
		samples[i].Share = 0.5
	}
	if got, ok := Offset(spans, samples); ok {
		t.Errorf("a flat line: %v", got)
	}
	if _, ok := Offset(spans, nil); ok {
		t.Error("no samples")
	}
}
