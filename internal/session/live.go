package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// Options is what to watch, and how.
type Options struct {
	What     string        // for errors: "this host"
	Probes   []probe.Probe // started here, and closed in the end
	Length   time.Duration // of the window
	Interval time.Duration // between two samples; 0: one second
	Slowest  time.Duration // see probe.Runner
	// Keep is how much a recording in memory keeps in a session without end; 0: all.
	// Between Keep and half as much again is there.
	Keep time.Duration
	// About is the host and the tool. Its Started is when the window begins; zero:
	// now.
	About recording.Manifest
}

// Live is a host that is watched.
type Live struct {
	what   string
	length time.Duration
	runner probe.Runner
	rec    *recording.Recording
}

// Start starts probes; Run or Evidence sample them. Those that cannot start are
// asked again while they run.
func Start(o Options) *Live {
	if o.About.Started.IsZero() {
		o.About.Started = time.Now()
	}
	l := &Live{what: o.What, length: o.Length, runner: probe.Runner{Probes: o.Probes, Interval: o.Interval, Slowest: o.Slowest}}
	o.About.Probes = l.runner.Start()
	l.rec = recording.New(o.About)
	l.runner.Sink = l.rec
	if o.Keep > 0 {
		l.runner.Sink = &sliding{rec: l.rec, keep: o.Keep, forgot: o.About.Started}
	}
	return l
}

// Missing is what the first probe that cannot start lacks; nil: all run.
func (l *Live) Missing() error { return l.runner.Missing() }

// Recording grows while the session runs. It may be read meanwhile.
func (l *Live) Recording() *recording.Recording { return l.rec }

// LeftOut is how many samples were left out to save CPU time.
func (l *Live) LeftOut() int64 { return l.runner.LeftOut() }

// Into has samples go somewhere else than into Recording.
func (l *Live) Into(sink recording.Sink) { l.runner.Sink = sink }

// Also has samples go to a sink first, and then into Recording.
func (l *Live) Also(first recording.Sink) { l.runner.Sink = both{first, l.runner.Sink} }

// Last is the evidence of the last part of the session, as long as it is, or all that is
// there yet. Neighbouring parts share a sample, so that no counts between them are missed.
func (l *Live) Last(length time.Duration, now time.Time) *Evidence {
	from := now.Add(-length - l.runner.Interval)
	if began := l.rec.Manifest().Started; from.Before(began) {
		from = began
	}
	return &Evidence{Recording: l.rec, From: from, To: now}
}

// Run samples until the time is over or ctx ends.
func (l *Live) Run(ctx context.Context, length time.Duration) error { return l.runner.Run(ctx, length) }

// Evidence waits until the window is over, or ctx ends.
func (l *Live) Evidence(ctx context.Context) (*Evidence, error) {
	if err := l.Run(ctx, l.length); err != nil {
		return nil, fmt.Errorf("watching %s: %w", l.what, err)
	}
	e := &Evidence{Recording: l.rec, From: l.rec.Manifest().Started, To: time.Now()}
	l.rec.UpdateManifest(func(m *recording.Manifest) { m.Ended = e.To })
	if ctx.Err() != nil {
		e.Interrupted = true
		e.Notes = append(e.Notes, fmt.Sprintf("interrupted after %.1f s of %v: judged on what was seen so far", e.To.Sub(e.From).Seconds(), unit.Duration(l.length)))
	}
	return e, nil
}

// Close ends what still runs.
func (l *Live) Close() { l.runner.Close() }

// sliding is a sink that forgets.
type sliding struct {
	rec  *recording.Recording
	keep time.Duration

	mu     sync.Mutex
	forgot time.Time // what is before was forgotten
}

// Commit adds a sample.
func (s *sliding) Commit(w *recording.Writer) error {
	at := w.Started
	if err := s.rec.Commit(w); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := at.Add(-s.keep); before.Sub(s.forgot) >= s.keep/2 {
		s.rec.Forget(before)
		s.forgot = before
	}
	return nil
}

// both is a sink of two.
type both struct{ first, second recording.Sink }

// Commit adds a sample. An error of the first ends the run.
func (b both) Commit(w *recording.Writer) error {
	copied := w.Share()
	if err := b.first.Commit(copied); err != nil {
		return err
	}
	return b.second.Commit(w)
}
