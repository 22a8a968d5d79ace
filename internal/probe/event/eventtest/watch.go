// Package eventtest runs sources of events in tests.
package eventtest

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// Watch runs a source beside what steps do, with a sample after each, and returns its
// rows. The test is skipped where the source cannot start, and fails if events were lost,
// unless they are Missed.
func Watch(t *testing.T, s event.Source, steps ...func()) *recording.Recording {
	t.Helper()
	p := event.New(s, event.Options{Budget: 1})
	if err := p.Start(); err != nil {
		if missing, ok := errors.AsType[*probe.MissingError](err); ok && os.Geteuid() != 0 {
			t.Skip(missing)
		}
		t.Fatal(err)
	}
	defer p.Close()
	rec := recording.New(recording.Manifest{})
	var missed int64
	sample := func() {
		w := recording.NewWriter(time.Now())
		if err := p.Sample(context.Background(), w); err != nil {
			t.Fatal(err)
		}
		lost := w.LostRows() + missed
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		if missed = Missed(rec); lost > missed {
			t.Errorf("%d events were lost", lost-missed)
		}
	}
	sample()
	for i, do := range steps {
		do()
		if i == len(steps)-1 {
			p.Closing()
		}
		sample()
	}
	for _, p := range recording.Rows[recording.EventProgram](rec) {
		t.Logf("%s: %d runs, %v each, %d missed", p.Program, p.Runs, p.RunTime/time.Duration(max(p.Runs, 1)), p.Missed)
	}
	return rec
}

// Missed is how often programs did not run because they ran already on that CPU: an
// interrupt came, and what it did passed the same tracepoint. The numbers of a source are
// too small by no more than that.
func Missed(rec *recording.Recording) (n int64) {
	for _, p := range recording.Rows[recording.EventProgram](rec) {
		n += p.Missed
	}
	return n
}
