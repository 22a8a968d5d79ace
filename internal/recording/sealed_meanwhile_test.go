package recording

import (
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/budget"
)

// A recorder at work may seal a segment, or drop it, after a reader has listed it with its journal.
func TestSealedMeanwhile(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	d := create(t, dir, Options{SegmentLength: 10 * time.Second, Now: c.time})
	memory := fill(t, d, c, rand.New(rand.NewPCG(9, 9)), 25, System, Listeners)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := newDirectorySource(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer src.close()
	listed := src.segments()
	if len(listed) != 3 {
		t.Fatalf("%d segments, want 3", len(listed))
	}
	listed[1].files = []string{journalFile} // before it was sealed
	read := func(tables ...Table) *Recording {
		in := readOptions{tables: tables, memory: budget.From(t.Context())}
		o := &opener{ctx: budget.With(t.Context(), in.memory), src: src, segments: slices.Clone(listed), piece: newest, in: in}
		rec, err := o.open()
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}

	rec := read()
	if diff := cmp.Diff(contents(memory), contents(rec)); diff != "" {
		t.Errorf("sealed meanwhile (-committed +read):\n%s", diff)
	}
	if m := rec.Manifest(); len(m.Unread) > 0 || len(m.Notes) > 0 {
		t.Errorf("sealed meanwhile: not read %v, notes %q", m.Unread, m.Notes)
	}

	if err := os.RemoveAll(filepath.Join(dir, listed[1].folder)); err != nil {
		t.Fatal(err)
	}
	why := path.Join(listed[1].folder, journalFile) + " is missing"
	lacks := func(table Table) Unread {
		return Unread{Table: table, From: listed[1].id.start, To: listed[2].id.start, Why: why}
	}
	m := read(System, Listeners).Manifest()
	if diff := cmp.Diff([]Unread{lacks(Listeners), lacks(System)}, m.Unread); diff != "" {
		t.Errorf("dropped meanwhile: not read (-want +got):\n%s", diff)
	}
	if !slices.Equal(m.Notes, []string{why}) {
		t.Errorf("dropped meanwhile: notes %q", m.Notes)
	}
}
