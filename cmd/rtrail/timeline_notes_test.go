package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/episode"
	"rtrail/internal/recording"
)

// What parts of a recording say of themselves is told once, and not without end.
func TestHeard(t *testing.T) {
	var h heard
	var next []string
	var fails error
	open := h.by(func(context.Context, time.Time, time.Time) (*recording.Recording, error) {
		return recording.New(recording.Manifest{Notes: next}), fails
	})
	read := func(notes ...string) {
		next = notes
		if _, err := open(t.Context(), time.Time{}, time.Time{}); !errors.Is(err, fails) {
			t.Errorf("%v, want %v", err, fails)
		}
	}
	read("listeners.parquet is missing")
	read()
	read("disks.parquet is missing", "listeners.parquet is missing")
	fails = errors.New("no memory")
	read("of what failed")
	fails = nil
	if want := []string{"listeners.parquet is missing", "disks.parquet is missing"}; !slices.Equal(h.notes, want) {
		t.Errorf("%q, want %q", h.notes, want)
	}
	for i := range 2 * maxHeard {
		read(fmt.Sprint(i))
	}
	if len(h.notes) != maxHeard {
		t.Errorf("%d notes, want %d", len(h.notes), maxHeard)
	}
}

// The step that is advised is one that the flag takes.
func TestTimelineAdvisesAStep(t *testing.T) {
	for every, want := range map[time.Duration]string{10 * time.Second: "--step 10s takes", 10 * time.Minute: "--step 10m0s takes"} {
		out := &timelined{survey: episode.Survey{Windows: episode.Windows{Every: every}, Part: 10 * time.Second, Judged: 2, Left: 3}}
		if !slices.ContainsFunc(out.document().Blocks, func(b document.Block) bool {
			p, ok := b.(document.Prose)
			return ok && strings.Contains(p.Words, want)
		}) {
			t.Errorf("nobody says %q", want)
		}
	}
}
