package probe

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rtrail/internal/recording"
)

// fake is a probe whose samples do what the test says.
type fake struct {
	name    string
	check   error
	sample  func(ctx context.Context, n int, w *recording.Writer) error
	n       atomic.Int32
	closing bool

	starts, closes atomic.Int32
}

func (f *fake) Name() string             { return f.name }
func (f *fake) Help() string             { return "" }
func (f *fake) Fills() []recording.Table { return []recording.Table{recording.System} }
func (f *fake) Start() error             { f.starts.Add(1); return f.check }
func (f *fake) Close() error             { f.closes.Add(1); return nil }
func (f *fake) Closing()                 { f.closing = true }
func (f *fake) Sample(ctx context.Context, w *recording.Writer) error {
	n := int(f.n.Add(1))
	return f.sample(ctx, n, w)
}

func oneRow(_ context.Context, _ int, w *recording.Writer) error {
	recording.Append(w, recording.SystemSample{At: time.Now()})
	return nil
}

func TestRunSamplesBothEdges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := recording.New(recording.Manifest{})
		p := &fake{name: "good", sample: oneRow}
		began := time.Now()
		if err := (&Runner{Probes: []Probe{p}, Sink: rec}).Run(t.Context(), 5*time.Second); err != nil {
			t.Fatal(err)
		}
		rows := recording.Rows[recording.SystemSample](rec)
		if len(rows) != 6 || rows[0].At != began || rows[5].At.Sub(began) < 4900*time.Millisecond {
			t.Fatalf("want a sample each second and one at the end, got %d, the last after %v", len(rows), rows[len(rows)-1].At.Sub(began))
		}
		if !p.closing {
			t.Error("Closing was not called before the last sample")
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("run of 5 s took %v", took)
		}
	})
}

func TestInterruptTakesOneMoreSample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := recording.New(recording.Manifest{})
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		began := time.Now()
		if err := (&Runner{Probes: []Probe{&fake{name: "p", sample: oneRow}}, Sink: rec}).Run(ctx, time.Minute); err != nil {
			t.Fatal(err)
		}
		rows := recording.Rows[recording.SystemSample](rec)
		if len(rows) != 4 || rows[3].At.Sub(began) != 2500*time.Millisecond {
			t.Errorf("want samples at 0, 1, 2 and 2.5 s, got %d", len(rows))
		}
	})
}

func TestLateSampleIsGivenUpAndReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := recording.New(recording.Manifest{})
		p := &fake{name: "slow", sample: func(ctx context.Context, n int, w *recording.Writer) error {
			if n == 2 {
				time.Sleep(1200 * time.Millisecond)
			}
			return oneRow(ctx, n, w)
		}}
		if err := (&Runner{Probes: []Probe{p}, Sink: rec}).Run(t.Context(), 4*time.Second); err != nil {
			t.Fatal(err)
		}
		late := 0
		for _, run := range recording.Rows[recording.ProbeRun](rec) {
			if run.Late {
				late++
				if run.Rows != 0 || run.Lost == 0 || !strings.Contains(run.Error, "deadline") {
					t.Errorf("late run reported as %+v", run)
				}
			}
		}
		if late != 1 {
			t.Errorf("want one late run, got %d", late)
		}
		if n := rec.Count(recording.System); n < 3 {
			t.Errorf("good samples before and after a late one must stay, got %d", n)
		}
	})
}

func TestStuckProbeDoesNotHoldTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := recording.New(recording.Manifest{})
		release := make(chan struct{})
		stuck := &fake{name: "stuck", sample: func(context.Context, int, *recording.Writer) error { <-release; return nil }}
		good := &fake{name: "good", sample: oneRow}
		began := time.Now()
		if err := (&Runner{Probes: []Probe{stuck, good}, Sink: rec}).Run(t.Context(), 3*time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("a stuck probe held the run for %v", took)
		}
		if stuck.n.Load() != 1 {
			t.Errorf("a stuck probe was asked %d times", stuck.n.Load())
		}
		close(release)
	})
}

// What answers again is read again, and the time between is told.
func TestProbeThatComesBackIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := recording.New(recording.Manifest{})
		const hung = 10*time.Second + 500*time.Millisecond
		p := &fake{name: "hung", sample: func(ctx context.Context, n int, w *recording.Writer) error {
			if n == 3 || n == 6 {
				time.Sleep(hung)
			}
			return oneRow(ctx, n, w)
		}}
		began := time.Now()
		if err := (&Runner{Probes: []Probe{p}, Sink: rec}).Run(t.Context(), 30*time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("run of 30 s took %v", took)
		}
		var given, back, lost, good int64
		for _, run := range recording.Rows[recording.ProbeRun](rec) {
			lost += run.Lost
			switch {
			case strings.Contains(run.Error, "given up until it answers"):
				given++
			case run.Late:
				back++
			default:
				good++
			}
		}
		if given != 2 || back != 2 || lost != 20 || good < 9 || p.closes.Load() != 1 {
			t.Errorf("given up %d times, back %d times, %d samples lost, %d good ones, closed %d times", given, back, lost, good, p.closes.Load())
		}
		notes := recording.Rows[recording.UnseenNote](rec)
		if len(notes) != 2 {
			t.Fatalf("notes %+v", notes)
		}
		for _, n := range notes { // a verdict tells those once that have the same words
			if n.Count != 10 || n.What != UnseenSamples || n.Why != "probe hung gave no answer for a while" {
				t.Errorf("note %+v", n)
			}
		}
	})
}

// brief is a probe that says it waits for nobody.
type brief struct{ fake }

func (*brief) Brief() {}

func TestProbesOfOneLaneDoNotHoldEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := recording.New(recording.Manifest{})
		release := make(chan struct{})
		stuck := &brief{fake{name: "stuck", sample: func(_ context.Context, n int, _ *recording.Writer) error {
			if n == 3 {
				<-release
			}
			return nil
		}}}
		slow := &brief{fake{name: "slow", sample: func(ctx context.Context, n int, w *recording.Writer) error {
			if n == 2 {
				time.Sleep(800 * time.Millisecond)
			}
			return oneRow(ctx, n, w)
		}}}
		good := &brief{fake{name: "good", sample: oneRow}}
		began := time.Now()
		if err := (&Runner{Probes: []Probe{stuck, slow, good}, Sink: rec}).Run(t.Context(), 6*time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("run of 6 s took %v", took)
		}
		samples, late, last := map[string]int{}, map[string]int{}, time.Time{}
		for _, run := range recording.Rows[recording.ProbeRun](rec) {
			samples[run.Probe]++
			if run.Late {
				late[run.Probe]++
			}
			if run.Probe != "good" {
				continue
			}
			if gap := run.At.Sub(last); !last.IsZero() && gap > time.Second+patience {
				t.Errorf("%v between two samples of a probe that is never late", gap)
			}
			last = run.At
		}
		want := map[string]int{"stuck": 3, "slow": 7, "good": 7}
		for name, n := range want {
			if samples[name] != n {
				t.Errorf("%d samples of %s, want %d", samples[name], name, n)
			}
		}
		if late["stuck"] != 1 || late["slow"]+late["good"] != 0 {
			t.Errorf("late: %v", late)
		}
		if !good.closing || !slow.closing {
			t.Error("Closing was not called before the last sample")
		}
		close(release)
	})
}

// counting counts commits.
type counting struct{ commits atomic.Int64 }

func (c *counting) Commit(*recording.Writer) error {
	c.commits.Add(1)
	return nil
}

func TestSamplesOfOneWakingAreOneCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := &brief{fake{name: "one", sample: oneRow}}, &brief{fake{name: "two", sample: oneRow}}
		sink := &counting{}
		if err := (&Runner{Probes: []Probe{one, two}, Sink: sink}).Run(t.Context(), 5*time.Second); err != nil {
			t.Fatal(err)
		}
		if n := sink.commits.Load(); n != 6 || one.n.Load() != 6 || two.n.Load() != 6 {
			t.Errorf("%d commits of %d and %d samples, want 6 of each", n, one.n.Load(), two.n.Load())
		}
	})
}

// A lane in which something is always due hands over what it read all the same.
func TestSamplesAreHeldForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &counting{}
		l := &lane{run: &run{runner: &Runner{Sink: sink}}}
		for range 30 { // of 100 ms each
			l.hold(recording.NewWriter(time.Now()))
			time.Sleep(100 * time.Millisecond)
		}
		if n := sink.commits.Load(); n != 2 {
			t.Errorf("%d commits in three seconds, want 2", n)
		}
	})
}

// often is a probe that is read five times a second.
type often struct{ brief }

func (*often) Interval(time.Duration) time.Duration { return 200 * time.Millisecond }

// ages is a sink that notes how old samples are when they come.
type ages struct {
	counting
	oldest time.Duration
}

func (a *ages) Commit(w *recording.Writer) error {
	a.oldest = max(a.oldest, time.Since(w.Started))
	return a.counting.Commit(w)
}

// What is read several times a second waits for what is read once, and for no longer than
// a second where nothing is.
func TestSamplesWaitForThoseOfTheSecond(t *testing.T) {
	for name, tc := range map[string]struct {
		probes  []Probe
		commits int64 // in ten seconds
	}{
		"beside others": {[]Probe{&often{brief{fake{name: "often", sample: oneRow}}}, &brief{fake{name: "once", sample: oneRow}}}, 11},
		"alone":         {[]Probe{&often{brief{fake{name: "often", sample: oneRow}}}}, 10},
	} {
		synctest.Test(t, func(t *testing.T) {
			sink := &ages{}
			if err := (&Runner{Probes: tc.probes, Sink: sink}).Run(t.Context(), 10*time.Second); err != nil {
				t.Fatal(err)
			}
			if n := sink.commits.Load(); n < tc.commits-1 || n > tc.commits+1 || sink.oldest > heldAtMost {
				t.Errorf("%s: %d commits in ten seconds, want %d; samples %v old at most", name, n, tc.commits, sink.oldest)
			}
		})
	}
}

func TestPanicIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := recording.New(recording.Manifest{})
		p := &fake{name: "bad", sample: func(context.Context, int, *recording.Writer) error { panic("index out of range") }}
		if err := (&Runner{Probes: []Probe{p}, Sink: rec}).Run(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
		runs := recording.Rows[recording.ProbeRun](rec)
		if len(runs) == 0 || !strings.Contains(runs[0].Error, "index out of range") {
			t.Errorf("panic not reported: %+v", runs)
		}
	})
}

type fullDisk struct{}

func (fullDisk) Commit(*recording.Writer) error { return errors.New("no space left on device") }

func TestSinkErrorEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := (&Runner{Probes: []Probe{&fake{name: "a", sample: oneRow}}, Sink: fullDisk{}}).Run(t.Context(), time.Minute)
		if err == nil || time.Since(began) > time.Second {
			t.Errorf("want the sink's error at once, got %v after %v", err, time.Since(began))
		}
	})
}

type brokenSink struct{}

func (brokenSink) Commit(*recording.Writer) error { panic("index out of range") }

// Whoever runs probes on a full screen gives the terminal back.
func TestPanicOfTheSinkEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := (&Runner{Probes: []Probe{&fake{name: "a", sample: oneRow}}, Sink: brokenSink{}}).Run(t.Context(), time.Minute)
		if err == nil || !strings.Contains(err.Error(), "crashed (bug): index out of range") || time.Since(began) > time.Second {
			t.Errorf("want the crash at once, got %v after %v", err, time.Since(began))
		}
	})
}

func TestStartSaysWhatIsMissing(t *testing.T) {
	p := &fake{name: "klog", check: &MissingError{What: "CAP_SYSLOG", How: "run as root"}}
	infos := (&Runner{Probes: []Probe{p}}).Start()
	if infos[0].Missing != "needs CAP_SYSLOG" || infos[0].Remedy != "run as root" {
		t.Errorf("got %+v", infos[0])
	}
}

// lateComer cannot start before a time: a server that is not up yet.
type lateComer struct {
	fake
	from time.Time
}

func (p *lateComer) Start() error {
	p.starts.Add(1)
	if time.Now().Before(p.from) {
		return &MissingError{What: "a server", How: "start one"}
	}
	return nil
}

func TestProbeThatCannotStartIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := recording.New(recording.Manifest{})
		began := time.Now()
		late := &lateComer{fake{name: "late", sample: oneRow}, began.Add(40 * time.Second)}
		never := &lateComer{fake{name: "never", sample: oneRow}, began.Add(time.Hour)}
		r := &Runner{Probes: []Probe{late, never}, Sink: rec}
		if infos := r.Start(); infos[0].Missing == "" || infos[0].Remedy != "start one" {
			t.Errorf("got %+v", infos[0])
		}
		if err := r.Missing(); err == nil || err.Error() != "probe late needs a server; start one" {
			t.Errorf("missing: %v", err)
		}
		if err := r.Run(t.Context(), 65*time.Second); err != nil {
			t.Fatal(err)
		}
		rows := recording.Rows[recording.SystemSample](rec)
		if len(rows) != 6 || rows[0].At.Sub(began) != time.Minute {
			t.Errorf("want 6 samples from 1m0s on, got %d from %v on", len(rows), rows[0].At.Sub(began))
		}
		if late.starts.Load() != 3 || never.starts.Load() != 3 || late.closes.Load() != 1 || never.closes.Load() != 0 {
			t.Errorf("started %d and %d times, closed %d and %d times", late.starts.Load(), never.starts.Load(), late.closes.Load(), never.closes.Load())
		}
		notes := recording.Rows[recording.UnseenNote](rec)
		if len(notes) != 1 || notes[0].Probe != "late" || notes[0].Count != 60 || !strings.Contains(notes[0].Why, "needs a server") {
			t.Errorf("notes %+v", notes)
		}
	})
}

func TestInterruptDoesNotWaitForAProbeThatCannotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		p := &fake{name: "never", check: errors.New("not here"), sample: oneRow}
		if err := (&Runner{Probes: []Probe{p}, Sink: recording.New(recording.Manifest{})}).Run(ctx, time.Hour); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 10*time.Second || p.n.Load() != 0 {
			t.Errorf("ended after %v, with %d samples", took, p.n.Load())
		}
	})
}

func TestStretchKeepsTheBudget(t *testing.T) {
	for _, c := range []struct{ interval, cpu, want time.Duration }{
		{time.Second, 5 * time.Millisecond, time.Second},
		{time.Second, 40 * time.Millisecond, 2 * time.Second},
		{time.Second, time.Second, SlowestInterval},
		{200 * time.Millisecond, 8 * time.Millisecond, 400 * time.Millisecond},
	} {
		if got := stretch(c.interval, c.cpu); got != c.want {
			t.Errorf("stretch(%v, %v) = %v, want %v", c.interval, c.cpu, got, c.want)
		}
	}
}

// On a starved host the watch calls again before it is seen that a sample was given up.
func TestGivenUpOnce(t *testing.T) {
	r := &run{runner: &Runner{Sink: recording.New(recording.Manifest{})}, ctx: t.Context()}
	r.lanes.Add(1)
	l := &lane{run: r, running: &followed{probe: &fake{name: "slow"}}, since: time.Now().Add(-time.Hour)}
	l.late()
	l.late() // a second end of the lane would be a panic
	r.lanes.Wait()
	if _, ok := l.done(); ok {
		t.Error("the sample that was given up counts")
	}
}

// Where the watch itself comes late, the others of the lane are not given up with the one that hangs.
func TestLateWatchFreesTheOthers(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	now := time.Now()
	cpu := &clocks{process: processCPU, thread: ThreadCPU}
	r := &run{runner: &Runner{Sink: recording.New(recording.Manifest{}), Interval: time.Second}, ctx: ended, end: now, cpu: cpu, overload: newOverload(cpu.process, now)}
	good := &fake{name: "good", sample: oneRow}
	stuck := &followed{probe: &fake{name: "stuck"}}
	r.lanes.Add(1)
	l := &lane{run: r, probes: []*followed{stuck, {probe: good, next: now}}, running: stuck, since: now.Add(-time.Hour)}
	l.late()
	r.lanes.Wait()
	if good.n.Load() == 0 {
		t.Error("a probe was never read because another one of its lane hangs")
	}
}
