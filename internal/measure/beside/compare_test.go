package beside

import (
	"math"
	"strings"
	"testing"
	"time"
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
		if m, d := Median(tc.list), DoubtOf(tc.list); m != tc.middle || math.Abs(d-tc.doubt) > 1e-9 {
			t.Errorf("%v: %v give or take %v, want %v and %v", tc.list, m, d, tc.middle, tc.doubt)
		}
	}
}

func TestRate(t *testing.T) {
	begin := time.Unix(1000, 0)
	l := &Load{}
	l.read(strings.NewReader("Running the test\n\n[ 1s ] thds: 8 tps: 10.50 qps: 10.50 (r/w/o: 10.50/0.00/0.00) lat (ms,95%): 0.33 err/s: 0.00 reconn/s: 0.00\n[ 2s ] thds: 8 tps: 1.00 qps: 20.00 (r/w/o\nqueries: 3 (1 per sec.)\n"))
	if len(l.seconds) != 2 || l.seconds[0].queries != 10.5 || l.seconds[1].queries != 20 {
		t.Fatalf("read %v", l.seconds)
	}
	l.seconds = nil
	for i := range 10 {
		l.seconds = append(l.seconds, second{begin.Add(time.Duration(i+1) * time.Second), float64(i), time.Duration(i*i) * time.Second})
	}
	// Seconds that lie in it only in part do not count.
	got, err := l.rate(begin.Add(1500*time.Millisecond), begin.Add(4500*time.Millisecond))
	if want := (Rate{Queries: 2.5, CPU: (3*3 - 1*1) / 5.}); err != nil || got != want {
		t.Errorf("%v, %v; want %v, of the third and the fourth second", got, err, want)
	}
	if _, err := l.rate(begin.Add(1500*time.Millisecond), begin.Add(2400*time.Millisecond)); err == nil {
		t.Error("no second, and no error")
	}
}

func TestTurn(t *testing.T) {
	// The hypervisor gives half of the CPU time in the middle; the program takes
	// 5 % of what is left.
	turn := Turn{Before: Rate{1000, 0.002}, With: Rate{475, 0.002 / 0.95}, After: Rate{1000, 0.002}}
	if math.Abs(turn.Loss()-52.5) > 1e-9 || math.Abs(turn.Cost()-5) > 1e-9 {
		t.Errorf("loss %v, cost %v; want 52.5 and 5", turn.Loss(), turn.Cost())
	}
	turn = Turn{Before: Rate{1000, 0.002}, With: Rate{1000, 0.002}, After: Rate{900, 0.0025}}
	if math.Abs(turn.Noise()-10) > 1e-9 || math.Abs(turn.CostNoise()-20) > 1e-9 {
		t.Errorf("noise %v and %v, want 10 and 20", turn.Noise(), turn.CostNoise())
	}
	s := SumUp([]Turn{turn, turn})
	for want, verdict := range map[float64]string{-20: "NOT reached", 20: "reached"} {
		if r := s.Report(want); strings.Count(r, "percent fewer") != 2 || strings.Count(r, ": "+verdict+" (") != 2 {
			t.Errorf("at most %v: %q, want %s twice", want, r, verdict)
		}
	}
}
