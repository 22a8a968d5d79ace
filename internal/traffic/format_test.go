package traffic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

func interval(times ...time.Duration) *Interval {
	x := &Interval{Iteration: 3, End: 1_700_000_004e9, Elapsed: 4 * time.Second}
	for _, d := range times {
		x.Add(&rt.Transaction{RT: d})
	}
	return x
}

func TestFormat(t *testing.T) {
	us := time.Microsecond
	for _, tc := range []struct {
		format string
		of     *Interval
		want   string
	}{
		{`%n %a %s %x %m %M %h %S %v`, interval(1*us, 2*us, 3*us, 10*us), "4 4 16 114 1 10 2 3 12"},
		{`%T\t%t\t%I%%\n`, interval(), "1700000004\t4\t3%\n"},
		{`%n %a %s %x %m %M %h %S %v %95n %95M`, interval(), "0 0 0 0 0 0 0 0 0 0 0"},
		{`%50n %50a %50M %50m %50s %50x`, interval(1*us, 2*us, 3*us, 10*us), "2 1 2 1 3 5"},
		{`%100M %100n`, interval(5*us, 6*us), "6 2"},
		{`%99n %99a`, interval(5 * us), "0 0"}, // 0.99 of one is none
		{`\r\\ \q`, interval(), "\r\\ \\q"},
		{`ÄÖ %n €`, interval(us), "ÄÖ 1 €"},
	} {
		f, err := ParseFormat(tc.format)
		if err != nil {
			t.Errorf("%s: %v", tc.format, err)
			continue
		}
		if got := string(f.Append(nil, tc.of)); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.format, got, tc.want)
		}
	}
}

func TestFormatErrors(t *testing.T) {
	for format, want := range map[string]string{
		`%q`: "no code %q", `%`: "no code", `%95`: "no code", `%0M`: "no percentage", `%101M`: "no percentage", `%95%`: "no code %95%",
		`%99999999999999999999M`: "no percentage", `%95T`: "no percentile", ``: "takes", `%ü`: "no code %ü",
	} {
		_, err := ParseFormat(format)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "%S standard deviation") {
			t.Errorf("%s: %v; want %q and the codes", format, err, want)
		}
	}
}

// Everything is within one percent of what sorting all values gives; the
// variance within two percent of the mean square.
func TestFormatAgainstSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var x Interval
		var all []float64
		for range 200 + r.IntN(5000) {
			d := time.Duration(math.Exp(r.NormFloat64()*1.5+14)) + time.Microsecond
			x.Add(&rt.Transaction{RT: d})
			all = append(all, float64(d)/1e3)
		}
		slices.Sort(all)
		for _, percent := range []int{1, 50, 90, 95, 99, 100} {
			part := all[:len(all)*percent/100]
			var sum, squares float64
			for _, v := range part {
				sum += v
				squares += v * v
			}
			n := float64(len(part))
			mean := sum / n
			median := part[len(part)/2]
			if len(part)%2 == 0 {
				median = (part[len(part)/2-1] + median) / 2
			}
			variance := squares/n - mean*mean
			for code, want := range map[string]float64{"n": n, "a": mean, "s": sum, "m": part[0], "M": part[len(part)-1], "h": median, "S": math.Sqrt(variance), "v": variance, "x": squares} {
				f, err := ParseFormat(fmt.Sprintf("%%%d%s", percent, code))
				if err != nil {
					t.Fatal(err)
				}
				got, err := strconv.ParseFloat(string(f.Append(nil, &x)), 64)
				if err != nil {
					t.Fatal(err)
				}
				slack := 0.01*want + 1
				switch code {
				case "v", "x":
					slack = 0.02*squares/n + 1
					if code == "x" {
						slack *= n
					}
				case "S":
					slack = 0.02*mean + 0.01*want + 1
				}
				if math.Abs(got-want) > slack {
					t.Errorf("%%%d%s of %d: %v, want %v", percent, code, len(all), got, want)
				}
			}
		}
	}
}

// Intervals without anything have lines; a clock that jumps by years does not
// print forever.
func TestFormattedIntervals(t *testing.T) {
	var out strings.Builder
	f, _ := ParseFormat(`%T %t %I %n\n`)
	lines := &Formatted{Out: &out, Format: f, Every: 2 * time.Second}
	for _, at := range []int64{1000, 1001, 1006} {
		s := &summary.Second{At: at * 1e9}
		s.Stats.Add(&rt.Transaction{RT: time.Millisecond})
		lines.Second(s)
	}
	if err := lines.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "1002 2 0 2\n1004 4 1 0\n1006 6 2 0\n1008 8 3 1\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	lines = &Formatted{Out: &out, Format: f, Every: time.Second}
	for _, at := range []int64{0, 1_700_000_000} {
		s := &summary.Second{At: at * 1e9}
		s.Stats.Add(&rt.Transaction{RT: time.Millisecond})
		lines.Second(s)
	}
	lines.Close()
	if n := strings.Count(out.String(), "\n"); n > maxEmpty+10 || !strings.HasSuffix(out.String(), " 1\n") {
		t.Errorf("%d lines for a jump of 54 years, the last %q", n, out.String()[out.Len()-30:])
	}
}

func FuzzFormat(f *testing.F) {
	for _, s := range []string{`%T\t%n\t%M\t%m\t%a\t%h\t%S\t%95M\t%95a\t%95S\t%99M\t%99a\t%99S\n`, `%`, `%%`, `\`, `%9`, `%1x%v%I`} {
		f.Add(s)
	}
	x := interval(time.Microsecond, time.Millisecond, time.Second)
	f.Fuzz(func(t *testing.T, s string) {
		format, err := ParseFormat(s)
		if err != nil {
			return
		}
		if got := format.Append(nil, x); len(got) > 40*len(s)+40 {
			t.Errorf("%q gives %d bytes", s, len(got))
		}
	})
}
