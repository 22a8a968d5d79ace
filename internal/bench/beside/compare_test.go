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
		l.seconds = append(l.seconds, second{begin.Add(time.Duration(i+1) * time.Second), float64(i)})
	}
	// Seconds that lie in it only in part do not count.
	got, err := l.rate(begin.Add(1500*time.Millisecond), begin.Add(4500*time.Millisecond))
	if err != nil || got != 2.5 {
		t.Errorf("%v, %v; want 2.5, the mean of the third and the fourth second", got, err)
	}
	if _, err := l.rate(begin.Add(1500*time.Millisecond), begin.Add(2400*time.Millisecond)); err == nil {
		t.Error("no second, and no error")
	}
}
