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
// rows. The test is skipped where the source cannot start.
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
	sample := func() {
		w := recording.NewWriter(time.Now())
		if err := p.Sample(context.Background(), w); err != nil {
			t.Fatal(err)
		}
		if lost := w.LostRows(); lost > 0 {
			t.Errorf("%d events were lost", lost)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
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
		t.Logf("%s: %d runs, %v each", p.Program, p.Runs, p.RunTime/time.Duration(max(p.Runs, 1)))
	}
	return rec
}
