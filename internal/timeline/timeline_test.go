package timeline

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rtrail/internal/recording"
)

func TestLines(t *testing.T) {
	from := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	w := recording.NewWriter(from)
	for i := range 4 { // one reading each 30 s: idle in the first minute, half busy in the second
		at := from.Add(time.Duration(i) * 30 * time.Second)
		busy := time.Duration(max(0, i-1)) * 30 * time.Second
		recording.Append(w, recording.CPUSample{At: at, CPU: -1, User: busy, Idle: time.Duration(i)*60*time.Second - busy})
		recording.Append(w, recording.SystemSample{At: at, Load1: float64(i), Blocked: int64(3 - i)})
		recording.Append(w, recording.MemorySample{At: at, Total: 100, Available: int64(90 - 10*i), SwapTotal: 10, SwapFree: int64(10 - i)})
		recording.Append(w, recording.PressureSample{At: at, Resource: "cpu", SomeAvg10: 1}, recording.PressureSample{At: at, Resource: "io", SomeAvg10: float64(10 * i)})
	}
	rec := recording.New(recording.Manifest{})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	want := []Line{
		{At: from, Busy: 0, IOWait: 0, Load: 1, Blocked: 3, Available: 0.8, SwapUsed: 1, Stall: 0.1, Stalled: "io"},
		{At: from.Add(time.Minute), Busy: 0.5, IOWait: 0, Load: 3, Blocked: 1, Available: 0.6, SwapUsed: 3, Stall: 0.3, Stalled: "io"},
	}
	got := Lines(rec, from, from.Add(10*time.Minute), time.Minute)
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// Times of idling and waiting fall now and then, without having begun again.
func TestCountersThatFall(t *testing.T) {
	from := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	w := recording.NewWriter(from)
	for i := range 3 {
		d := time.Duration(i) * 10 * time.Second
		r := recording.CPUSample{At: from.Add(d), CPU: -1, User: d / 2, Idle: 1000*time.Hour + d/2, IOWait: 5000 * time.Hour}
		r.IOWait -= time.Duration(i) * 10 * time.Millisecond
		recording.Append(w, r)
		load := []float64{2, math.NaN(), 1}[i]
		recording.Append(w, recording.SystemSample{At: r.At, Load1: load, Blocked: recording.Unknown})
	}
	rec := recording.New(recording.Manifest{})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	got := Lines(rec, from, from.Add(time.Minute), time.Minute)
	want := []Line{{At: from, Busy: 0.5, IOWait: 0, Load: 2, Blocked: math.NaN(), Available: math.NaN(), SwapUsed: math.NaN(), Stall: math.NaN()}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// The sum of all CPUs jumps when one goes offline, and back when it comes: nobody worked or
// idled for so long.
func TestCPUSharesOfHotplug(t *testing.T) {
	from := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	const boot = 24 * time.Hour
	var series []recording.CPUSample
	for i, idle := range []time.Duration{boot, boot, 2 * boot, 2 * boot, boot, boot} {
		n := time.Duration(i) * time.Second
		series = append(series, recording.CPUSample{At: from.Add(n), CPU: -1, User: boot + n, Idle: idle + n, IOWait: n / 2})
	}
	for name, c := range map[string]struct {
		series []recording.CPUSample
		cpus   int
		want   [2]float64
	}{
		"with jumps":  {series, 4, [2]float64{0.4, 0.2}},
		"jumps only":  {series[1:3], 4, [2]float64{math.NaN(), math.NaN()}},
		"back only":   {series[3:5], 0, [2]float64{math.NaN(), math.NaN()}},
		"one reading": {series[:1], 4, [2]float64{math.NaN(), math.NaN()}},
	} {
		busy, iowait := cpuShares(c.series, c.cpus)
		if diff := cmp.Diff(c.want, [2]float64{busy, iowait}, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: busy and iowait (-want +got):\n%s", name, diff)
		}
	}
}

func TestStep(t *testing.T) {
	for span, want := range map[time.Duration]time.Duration{
		10 * time.Second:    time.Second,
		time.Hour:           time.Minute,
		10 * time.Hour:      10 * time.Minute,
		30 * 24 * time.Hour: 12 * time.Hour,
		90 * 24 * time.Hour: 24 * time.Hour,
	} {
		if got := Step(span, 60); got != want {
			t.Errorf("%v: %v, want %v", span, got, want)
		}
	}
}

// What only reports of other tools tell has lines, too, and shows nothing.
func TestSampled(t *testing.T) {
	from := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	w := recording.NewWriter(from)
	recording.Append(w, recording.SystemSample{At: from.Add(time.Minute), Load1: 3})
	for i := range 5 {
		recording.Append(w, recording.DiskSample{At: from.Add(time.Duration(i) * 30 * time.Second)})
	}
	recording.Append(w, recording.MySQLVariable{At: from.Add(5 * time.Minute)}) // a setting is no sample
	rec := recording.New(recording.Manifest{})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range Sampled(rec, from, from.Add(10*time.Minute), time.Minute) {
		got = append(got, fmt.Sprintf("%s %v", l.At.Format("04:05"), l.Load))
	}
	if diff := cmp.Diff([]string{"00:00 NaN", "01:00 3", "02:00 NaN"}, got); diff != "" {
		t.Error(diff)
	}
	if n := len(Lines(rec, from, from.Add(10*time.Minute), time.Minute)); n != 1 {
		t.Errorf("%d lines are shown", n)
	}
}
