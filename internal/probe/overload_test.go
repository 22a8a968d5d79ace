package probe

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"rtrail/internal/recording"
)

// machine has CPU times that samples and others add to, on the clock of the test.
type machine struct {
	began          time.Time
	samples        time.Duration
	beside         float64 // share of a core that is used beside the samples
	perSampleOther float64 // what a sample costs elsewhere, as a part of its own time
}

func (m *machine) clocks() *clocks {
	return &clocks{
		thread: func() time.Duration { return m.samples },
		process: func() time.Duration {
			return time.Duration(float64(m.samples)*(1+m.perSampleOther) + m.beside*float64(time.Since(m.began)))
		},
	}
}

// costly is a probe whose samples take some CPU time.
func (m *machine) costly(name string, cpu time.Duration) *fake {
	return &fake{name: name, sample: func(ctx context.Context, n int, w *recording.Writer) error {
		m.samples += cpu
		return oneRow(ctx, n, w)
	}}
}

// TestOverload reads less often what makes the whole program dear, says how many
// samples are missing, and leaves cheap probes alone.
func TestOverload(t *testing.T) {
	for _, c := range []struct {
		name    string
		m       machine
		cpu     time.Duration // of a sample
		min     int32         // samples in two minutes
		max     int32
		slowest time.Duration
	}{
		// stretch holds all of these to an interval of 4 s at most.
		{name: "within its budget", cpu: 20 * time.Millisecond, min: 118, max: 121},
		{name: "dear, still below a quarter of a core", cpu: 600 * time.Millisecond, min: 29, max: 32},
		{name: "twice the budget", m: machine{perSampleOther: 1}, cpu: time.Second, min: 10, max: 24},
		{name: "many times the budget", m: machine{perSampleOther: 3}, cpu: time.Second, min: 4, max: 14},
		{name: "no longer than is wished", m: machine{perSampleOther: 3}, cpu: time.Second, slowest: 5 * time.Second, min: 23, max: 27},
		{name: "most is used beside the samples", m: machine{beside: 2}, cpu: 600 * time.Millisecond, min: 29, max: 32},
		{name: "others use the time, the probe hardly any", m: machine{beside: 3}, cpu: 20 * time.Millisecond, min: 118, max: 121},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := c.m
				m.began = time.Now()
				rec := recording.New(recording.Manifest{})
				dear := &brief{}
				dear.name, dear.sample = "dear", m.costly("dear", c.cpu).sample
				cheap := &brief{}
				cheap.name, cheap.sample = "cheap", m.costly("cheap", time.Millisecond).sample
				r := &Runner{Probes: []Probe{dear, cheap}, Sink: rec, Slowest: c.slowest, clocks: m.clocks()}
				if err := r.Run(t.Context(), 2*time.Minute); err != nil {
					t.Fatal(err)
				}
				if n := dear.n.Load(); n < c.min || n > c.max {
					t.Errorf("%d samples, want %d to %d", n, c.min, c.max)
				}
				if n := cheap.n.Load(); n < 118 {
					t.Errorf("%d samples of the cheap probe", n)
				}
				var lost, noted int64
				var last time.Time
				for _, run := range recording.Rows[recording.ProbeRun](rec) {
					lost += run.Lost
					last = run.At
				}
				for _, u := range recording.Rows[recording.UnseenNote](rec) {
					noted = max(noted, u.Count)
					if u.Probe != "dear" || u.What != UnseenSamples || u.Of <= u.Count {
						t.Errorf("noted %+v", u)
					}
				}
				if lost != r.LeftOut() || noted != lost {
					t.Errorf("%d samples lost by the runs, %d by the notes, %d left out", lost, noted, r.LeftOut())
				}
				// What is left out and what is taken is what stretch would have taken.
				if want := int64(29); c.cpu == time.Second && (lost == 0 || lost+int64(dear.n.Load()) < want || lost+int64(dear.n.Load()) > want+4) {
					t.Errorf("%d samples taken, %d left out: of about %d", dear.n.Load(), lost, want)
				}
				if c.cpu < time.Second && lost != 0 {
					t.Errorf("%d samples left out", lost)
				}
				if last.Sub(m.began) < 119*time.Second {
					t.Errorf("the last sample was taken after %v", last.Sub(m.began))
				}
			})
		})
	}
}

// TestOverloadEnds goes back to the wished interval when others use nothing more.
func TestOverloadEnds(t *testing.T) {
	at := time.Unix(0, 0)
	used := time.Duration(0)
	o := newOverload(func() time.Duration { return used }, at)
	factor := 1.0
	step := func(seconds int, load float64) {
		for range seconds {
			at = at.Add(time.Second)
			cpu := time.Duration(load * float64(time.Second))
			used += cpu
			factor = o.sampled(at, cpu)
		}
	}
	step(60, 0.2)
	if factor != 1 {
		t.Errorf("factor %v below the budget", factor)
	}
	step(60, 0.05)
	step(2, 1) // starting, or sealing a segment
	if factor != 1 {
		t.Errorf("factor %v after two seconds", factor)
	}
	step(60, 0.2)
	step(60, 1)
	if factor < 4 || factor > maxSlowdown {
		t.Errorf("factor %v after a minute of a whole core", factor)
	}
	if len(o.looks) > 50 {
		t.Errorf("%d looks are kept", len(o.looks))
	}
	step(120, 0.05)
	if factor != 1 {
		t.Errorf("factor %v two minutes later", factor)
	}
}

func TestProcessCPU(t *testing.T) {
	before := processCPU()
	for began := ThreadCPU(); ThreadCPU()-began < 20*time.Millisecond; {
		_ = before
	}
	if took := processCPU() - before; took < 10*time.Millisecond {
		t.Errorf("20 ms of this thread are %v of the process", took)
	}
}
