package rt

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestModes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	// bell is a log-normal hump round a time.
	bell := func(at time.Duration, width float64) func() time.Duration {
		return func() time.Duration { return time.Duration(float64(at) * math.Exp(random.NormFloat64()*width)) }
	}
	mix := func(n int, parts ...func() time.Duration) *Histogram {
		var h Histogram
		for i := range n {
			h.Add(parts[i%len(parts)]())
		}
		return &h
	}
	const ms = time.Millisecond
	tests := []struct {
		name string
		h    *Histogram
		want []time.Duration
	}{
		{"nothing", &Histogram{}, nil},
		{"one value", mix(1, bell(ms, 0)), []time.Duration{ms}},
		{"one bell", mix(10000, bell(3*ms, 0.3)), []time.Duration{3 * ms}},
		{"one wide bell of few", mix(200, bell(3*ms, 0.8)), []time.Duration{3 * ms}},
		{"shaper: two with a hollow gap", mix(20000, bell(4329*time.Microsecond, 0.15), bell(4329*time.Microsecond, 0.15), bell(4329*time.Microsecond, 0.15), bell(25737*time.Microsecond, 0.1)),
			[]time.Duration{4329 * time.Microsecond, 25737 * time.Microsecond}},
		{"batches of a pool", mix(3000, bell(500*ms, 0.01), bell(1000*ms, 0.01), bell(1500*ms, 0.01)), []time.Duration{500 * ms, 1000 * ms, 1500 * ms}},
		{"exponential tail", mix(20000, func() time.Duration { return time.Duration(random.ExpFloat64() * 1e6) }), []time.Duration{ms}},
		{"a handful of outliers", mix(10010, func() time.Duration {
			if random.IntN(5000) == 0 {
				return time.Second
			}
			return bell(ms, 0.2)()
		}), []time.Duration{ms}},
	}
	for _, test := range tests {
		got := Modes(test.h.Buckets(modesPerOctave * 2))
		if len(got) != len(test.want) {
			t.Errorf("%s: %d humps, want %d: %v", test.name, len(got), len(test.want), got)
			continue
		}
		for i, m := range got {
			if ratio := float64(m.At) / float64(test.want[i]); ratio < 0.6 || ratio > 1.7 {
				t.Errorf("%s: hump at %v, want %v", test.name, m.At, test.want[i])
			}
		}
	}
}
