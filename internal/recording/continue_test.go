package recording

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/safefile"
)

// rename gives all segments of a recording the names that versions without
// numbers gave them, and returns these, oldest first.
func renameToOld(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, id := range entries(t, dir) {
		name := id.start.UTC().Format("20060102T150405.000000000Z")
		folder := filepath.Join(dir, segmentsFolder)
		if err := os.Rename(filepath.Join(folder, id.String()), filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// A recording whose segments have no numbers goes on: a journal in it is sealed,
// all is read in order.
func TestContinueOldNames(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing shares what it uses")
	}
	dir, c := t.TempDir(), newClock()
	rnd := rand.New(rand.NewPCG(5, 5))
	d := create(t, dir, Options{SegmentLength: 3 * time.Second, Now: c.time})
	want := fill(t, d, c, rnd, 9)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	old := renameToOld(t, dir)
	// One that was killed has left a segment that is not sealed.
	d = create(t, dir, Options{Now: c.time})
	more := fill(t, d, c, rnd, 2)
	kill(d)
	killed := filepath.Join(dir, segmentsFolder, c.now.Add(-2*time.Second).UTC().Format("20060102T150405.000000000Z"))
	if err := errors.Join(os.Mkdir(killed, 0o700), os.Rename(filepath.Join(dir, journalFile), filepath.Join(killed, journalFile))); err != nil {
		t.Fatal(err)
	}
	d = create(t, dir, Options{Now: c.time})
	if _, err := os.Stat(filepath.Join(killed, journalFile)); err == nil {
		t.Error("the journal of an old segment is not sealed")
	}
	last := fill(t, d, c, rnd, 2)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Recording{more, last} {
		for name, rows := range m.tables {
			want.tables[name].appendFrom(rows)
		}
	}
	if diff := cmp.Diff(contents(want), contents(open(t, dir))); diff != "" {
		t.Errorf("(-committed +read):\n%s", diff)
	}
	out := filepath.Join(t.TempDir(), "x.rtr")
	if err := Pack(t.Context(), dir, out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(want), contents(open(t, out))); diff != "" {
		t.Errorf("read from the packed file (-committed +read):\n%s", diff)
	}
	have := entries(t, dir)
	for i, name := range old {
		if have[i].String() != name {
			t.Errorf("segment %d is %v, want %s", i, have[i], name)
		}
	}
	if n := have[len(have)-1]; n.number != 1 {
		t.Errorf("the first segment with a number is %v", n)
	}
}

// Segments without numbers count against the limit, and go first, oldest first.
func TestTrimOldNames(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	rnd := rand.New(rand.NewPCG(6, 6))
	commit := func(d *Directory) {
		w := NewWriter(c.now)
		appendNoise(w, rnd, 160<<10)
		if err := d.Commit(w); err != nil {
			t.Fatal(err)
		}
		c.now = c.now.Add(time.Second)
		for d.waiting() > 0 {
			time.Sleep(time.Millisecond)
		}
	}
	d := create(t, dir, Options{SegmentLength: 2 * time.Second, Now: c.time})
	for range 24 {
		commit(d)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	old := renameToOld(t, dir)
	before := bytesBelow(t, dir)
	if before < SmallestMaxSize/2 {
		t.Fatalf("%d bytes prove nothing", before)
	}
	d = create(t, dir, Options{MaxSize: SmallestMaxSize, SegmentLength: 2 * time.Second, Now: c.time})
	if d.Size() < before-100<<10 {
		t.Errorf("%d bytes counted, %d are there", d.Size(), before)
	}
	gone := 0
	for range 8 {
		commit(d)
		if size := bytesBelow(t, dir); size > SmallestMaxSize {
			t.Fatalf("%d bytes, the limit is %d", size, SmallestMaxSize)
		}
		have := entries(t, dir)
		gone = len(old)
		for i, name := range old {
			if have[0].String() == name {
				gone = i
			}
		}
		for i, name := range old[gone:] {
			if have[i].String() != name {
				t.Fatalf("%v is left, %s was before it", have[i], name)
			}
		}
	}
	if gone == 0 {
		t.Error("no old segment was dropped")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// What filesystems put into a directory is no reason to refuse it, nor are files
// of others beside a recording that is there.
func TestEntriesOfOthers(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "lost+found"), 0o700), os.Mkdir(filepath.Join(dir, ".snapshot"), 0o700)); err != nil {
		t.Fatal(err)
	}
	put(".nfs000000000001")
	if err := create(t, dir, Options{Now: c.time}).Close(); err != nil {
		t.Fatal(err)
	}
	if n := open(t, dir).Manifest().Notes; len(n) > 0 {
		t.Errorf("notes %q", n)
	}
	for i := range 1000 {
		put(fmt.Sprintf("thesis-%04d.doc", i))
	}
	for range 3 {
		if err := create(t, dir, Options{Now: c.time}).Close(); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	for _, n := range open(t, dir).Manifest().Notes {
		if strings.Contains(n, "thesis") {
			told = append(told, n)
		}
	}
	want := []string{`left alone, as no part of the recording: "thesis-0000.doc", "thesis-0001.doc", "thesis-0002.doc" and 997 more`}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "thesis-0999.doc")); string(b) != "x" {
		t.Errorf("a file of others: %q, %v", b, err)
	}
}

// A manifest that is continued for years stays one that can be read.
func TestNotesAreBounded(t *testing.T) {
	m := Manifest{Format: 1}
	for i := range 10 * maxKeptNotes {
		m.keep(fmt.Sprintf("%d %s", i, strings.Repeat("\x01é", maxNoteBytes)))
	}
	dir, c := folder(t, map[string][]byte{}), newClock()
	d := create(t, folder(t, map[string][]byte{manifestFile: []byte(`{"format":1,"host":{"name":"db1"}}`)}), Options{Now: c.time})
	if err := d.UpdateManifest(func(have *Manifest) { have.Notes = m.Notes }); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if notes := open(t, d.path).Manifest().Notes; len(notes) != maxKeptNotes || !strings.HasPrefix(notes[len(notes)-1], fmt.Sprint(10*maxKeptNotes-1)) {
		t.Errorf("%d notes, the last is %q", len(notes), notes[len(notes)-1])
	}
	// Readers tell some of what they could not read.
	for i := range 5 * maxReadNotes {
		name := segmentID{number: i + 1, start: c.now}.String()
		if err := os.MkdirAll(filepath.Join(dir, segmentsFolder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, segmentsFolder, name, "disks.parquet"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, journalFile), journalOf(t, 1, sample{}), 0o600); err != nil {
		t.Fatal(err)
	}
	if notes := open(t, dir).Manifest().Notes; len(notes) != maxReadNotes+1 || !strings.Contains(notes[maxReadNotes], "400 more notes") {
		t.Errorf("%d notes, the last is %q", len(notes), notes[len(notes)-1])
	}
	if c, err := Inspect(t.Context(), dir); err != nil || len(c.Notes) != maxReadNotes+1 {
		t.Errorf("%d notes of Inspect, %v", len(c.Notes), err)
	}
}

// What lies in a segment and cannot be sealed, and what only has the name of one,
// neither ends the recording nor keeps older ones from being dropped.
func TestSegmentsThatAreNone(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	d := create(t, dir, Options{SegmentLength: 2 * time.Second, Now: c.time})
	fill(t, d, c, rand.New(rand.NewPCG(7, 7)), 4)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	precious := filepath.Join(t.TempDir(), "precious")
	segment := func(second int) string {
		return filepath.Join(dir, segmentsFolder, time.Date(2020, 1, 1, 0, 0, second, 0, time.UTC).Format(startLayout))
	}
	good := filepath.Join(dir, segmentsFolder, entries(t, dir)[0].String())
	if err := errors.Join(os.Mkdir(precious, 0o755), os.WriteFile(filepath.Join(precious, "x.parquet"), nil, 0o600),
		os.Symlink(precious, segment(0)), os.WriteFile(segment(1), nil, 0o600), os.Mkdir(segment(2), 0o700),
		os.WriteFile(filepath.Join(segment(2), journalFile), make([]byte, 100), 0o600),
		os.WriteFile(filepath.Join(good, journalFile), []byte("no journal, but the tables beside it are good"), 0o600),
		os.WriteFile(filepath.Join(good, "cpus.parquet"+safefile.PartialSuffix), []byte("PAR1"), 0o600),
		os.WriteFile(filepath.Join(good, "huge.parquet"), nil, 0o600), os.Truncate(filepath.Join(good, "huge.parquet"), 1<<40)); err != nil {
		t.Fatal(err)
	}
	tables := func() int { have, _ := filepath.Glob(filepath.Join(good, "*.parquet")); return len(have) }
	before := tables()
	d = create(t, dir, Options{MaxSize: SmallestMaxSize, SegmentLength: time.Second, Now: c.time})
	if tables() != before {
		t.Error("tables beside a journal that cannot be read were removed")
	}
	if _, err := os.Stat(filepath.Join(good, "cpus.parquet"+safefile.PartialSuffix)); err == nil {
		t.Error("a temporary file is left")
	}
	notes := strings.Join(d.manifest.Notes, "\n")
	if strings.Count(notes, "stays as it is") != 4 {
		t.Errorf("notes:\n%s", notes)
	}
	if d.Size() > SmallestMaxSize {
		t.Errorf("%d bytes are counted", d.Size())
	}
	d.mu.Lock()
	for range 2 { // the first two cannot be dropped
		if !d.dropForRoom() {
			t.Error("nothing could be dropped")
		}
	}
	d.mu.Unlock()
	if have, _ := os.ReadDir(precious); len(have) != 1 {
		t.Error("a link was followed")
	}
	if _, err := os.Stat(segment(2)); err == nil {
		t.Error("the oldest one that can be dropped is left")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// A manifest cannot claim pieces that there are not.
func TestPieceOfManifest(t *testing.T) {
	for _, piece := range []int{-1, -7, maxNumber + 1} {
		dir := folder(t, map[string][]byte{
			manifestFile:                     fmt.Appendf(nil, `{"format":1,"piece":%d}`, piece),
			journalFile:                      []byte(journalMagic),
			hostileSegment + "disks.parquet": []byte("x"),
		})
		if _, err := Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "pieces") {
			t.Errorf("%d: %v", piece, err)
		}
	}
}

// Segments of a number that nobody counts up to leave none for the next.
func TestNumbersAreUsedUp(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	name := segmentID{number: maxNumber - 1, start: c.now}.String()
	if err := os.MkdirAll(filepath.Join(dir, segmentsFolder, name), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, testHost, Options{Now: c.time}); err == nil || !strings.Contains(err.Error(), "no number") {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"000000-0-20260131T030000.000000000Z", "0000001-0-20260131T030000.000000000Z", "000001-00-20260131T030000.000000000Z"} {
		if id, ok := parseSegment(name); ok {
			t.Errorf("%s is read as %v", name, id)
		}
	}
}

// Of very many pieces the newest are looked at, in a time that does not grow with
// the square of their number.
func TestManyPieces(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing shares what it uses")
	}
	files := map[string][]byte{}
	c := newClock()
	data := journalOf(t, 1, sample{})
	for i := range 3 * maxPieces {
		files[segmentsFolder+"/"+segmentID{number: i + 1, piece: i, start: c.now}.String()+"/"+journalFile] = bytes.Clone(data)
	}
	dir := folder(t, files)
	began := time.Now()
	got, err := Inspect(t.Context(), dir)
	if err != nil || len(got.Pieces) != maxPieces || !strings.Contains(strings.Join(got.Notes, "\n"), "3000 pieces") {
		t.Errorf("%d pieces, notes %q, %v", len(got.Pieces), got.Notes, err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// What was recorded before rtrail was started again is of the host, and of the process of
// rtrail, of that time; whatever the clock did meanwhile.
func TestRuns(t *testing.T) {
	for name, step := range map[string]time.Duration{"a minute later": time.Minute, "the clock was set back": -20 * time.Second} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := &stepClock{clock: *newClock()}
			n := 0
			var began []time.Time
			for run := range 3 {
				if run > 0 {
					c.now = c.now.Add(step)
				}
				m := testHost
				m.Host.PID, m.Host.Kernel, m.Host.CPUs, m.Started = 100+run, fmt.Sprintf("6.%d", run), 2+run, c.now
				d, err := Create(dir, m, c.options(Options{SegmentLength: 20 * time.Second}))
				if err != nil {
					t.Fatal(err)
				}
				began = append(began, c.now)
				c.record(t, d, &n, 40)
				if run == 1 {
					kill(d)
				} else if err := d.Close(); err != nil {
					t.Fatal(err)
				}
			}
			held, err := Holds(t.Context(), dir)
			if err != nil || held.Manifest.Host.PID != 102 || len(held.Manifest.Runs) != 2 {
				t.Fatalf("%+v, %v", held.Manifest, err)
			}
			for run := range 3 {
				piece := 0
				if step < 0 {
					piece = run
				}
				for _, from := range []time.Duration{0, 30 * time.Second} {
					rec, err := OpenPiece(t.Context(), dir, piece, began[run].Add(from), began[run].Add(from+9*time.Second))
					if err != nil {
						t.Fatal(err)
					}
					if h := rec.Manifest().Host; h.PID != 100+run || h.Kernel != fmt.Sprintf("6.%d", run) || h.CPUs != 2+run || h.Name != testHost.Host.Name || rec.Count(System) == 0 {
						t.Errorf("run %d from %v: %d rows of %+v", run, from, rec.Count(System), h)
					}
				}
			}
			if h := open(t, dir).Manifest().Host; h.PID != 102 {
				t.Errorf("without a range: %+v", h)
			}
		})
	}
	var m Manifest
	for i := range 3 * maxRuns {
		m.keepRuns(append(m.Runs, Run{Piece: i})...)
	}
	if len(m.Runs) != maxRuns || m.Runs[maxRuns-1].Piece != 3*maxRuns-1 {
		t.Errorf("%d runs are kept, the last %+v", len(m.Runs), m.Runs[len(m.Runs)-1])
	}
}
