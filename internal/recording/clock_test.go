package recording

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stepClock is a wall clock that somebody sets, beside one that nobody sets.
type stepClock struct {
	clock
	elapsed time.Duration
}

func (c *stepClock) options(o Options) Options {
	o.Now, o.Elapsed = c.time, func() time.Duration { return c.elapsed }
	return o
}

// record commits a sample a second; Load1 counts the samples.
func (c *stepClock) record(t *testing.T, d *Directory, n *int, samples int) {
	t.Helper()
	for range samples {
		w := NewWriter(c.now)
		Append(w, SystemSample{At: c.now, Load1: float64(*n)}, SystemSample{At: c.now.Add(time.Millisecond), Load1: -1})
		if err := d.Commit(w); err != nil {
			t.Fatal(err)
		}
		*n++
		c.now, c.elapsed = c.now.Add(time.Second), c.elapsed+time.Second
		for d.waiting() > 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// loads lists the samples of one piece, in the order of reading.
func loads(t *testing.T, dir string, piece int) (all []int) {
	t.Helper()
	rec, err := OpenPiece(t.Context(), dir, piece, time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rows[SystemSample](rec) {
		if r.Load1 >= 0 {
			all = append(all, int(r.Load1))
		}
	}
	return all
}

func upTo(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// Whatever the clock does, every sample can be read, in the piece in which it was
// taken, and pieces follow each other as they were recorded.
func TestClockSteps(t *testing.T) {
	for name, test := range map[string]struct {
		step   time.Duration
		pieces int
	}{
		"back by a minute": {-time.Minute, 2},
		"back by an hour":  {-time.Hour, 2},
		"back by years":    {-20 * 365 * 24 * time.Hour, 2},
		"back by little":   {-200 * time.Millisecond, 2},
		"on by a minute":   {time.Minute, 1},
		"on by years":      {20 * 365 * 24 * time.Hour, 1},
		"slewed":           {-400 * time.Microsecond, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := &stepClock{clock: *newClock()}
			d := create(t, dir, c.options(Options{SegmentLength: 20 * time.Second}))
			n := 0
			c.record(t, d, &n, 90)
			c.now = c.now.Add(test.step)
			c.record(t, d, &n, 90)
			for _, when := range []string{"while it runs", "closed", "packed"} {
				path := dir
				switch when {
				case "closed":
					if err := d.Close(); err != nil {
						t.Fatal(err)
					}
				case "packed":
					path = filepath.Join(t.TempDir(), "x.rtr")
					if err := Pack(t.Context(), dir, path); err != nil {
						t.Fatal(err)
					}
				}
				content, err := Inspect(t.Context(), path)
				if err != nil || len(content.Pieces) != test.pieces {
					t.Fatalf("%s: %v, %v; want %d pieces", when, content.Pieces, err, test.pieces)
				}
				var got []int
				for _, p := range content.Pieces {
					got = append(got, loads(t, path, p.Number)...)
					if p.From.Before(content.Window.From) || p.To.After(content.Window.To) || p.To.Before(p.From) {
						t.Errorf("%s: %v outside of %v", when, p, content.Window)
					}
				}
				if fmt.Sprint(got) != fmt.Sprint(upTo(0, n)) {
					t.Errorf("%s: samples %v, want 0 to %d", when, got, n-1)
				}
				if notes := fmt.Sprint(content.Manifest.Notes); strings.Contains(notes, "clock was set back") != (test.pieces > 1) {
					t.Errorf("%s: notes %q", when, notes)
				}
			}
		})
	}
}

// Of two pieces that hold the same times, a range is read from the newer one,
// with a note about the other.
func TestRangeInPieces(t *testing.T) {
	dir := t.TempDir()
	c := &stepClock{clock: *newClock()}
	start := c.now
	d := create(t, dir, c.options(Options{SegmentLength: time.Minute}))
	n := 0
	c.record(t, d, &n, 600)
	c.now = c.now.Add(-5 * time.Minute)
	c.record(t, d, &n, 60)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		from, to time.Duration
		first    int
		note     bool
	}{
		{2 * time.Minute, 3 * time.Minute, 120, false},
		{5*time.Minute + 10*time.Second, 5*time.Minute + 20*time.Second, 610, true},
		{8 * time.Minute, 9 * time.Minute, 480, false},
	} {
		rec, err := OpenRange(t.Context(), dir, start.Add(test.from), start.Add(test.to))
		if err != nil {
			t.Fatal(err)
		}
		rows := Rows[SystemSample](rec)
		if len(rows) == 0 || int(rows[0].Load1) != test.first {
			t.Errorf("from %v: %d rows, the first %v; want sample %d", test.from, len(rows), rows[:min(1, len(rows))], test.first)
		}
		if notes := fmt.Sprint(rec.Manifest().Notes); strings.Contains(notes, "is left out") != test.note {
			t.Errorf("from %v: notes %q", test.from, notes)
		}
	}
}

// The size limit drops what was recorded first, also when the clock was set back
// far behind it.
func TestLimitAfterStepBack(t *testing.T) {
	c := &stepClock{clock: *newClock()}
	dir := t.TempDir()
	d := create(t, dir, c.options(Options{MaxSize: SmallestMaxSize}))
	rnd := rand.New(rand.NewPCG(3, 3))
	commit := func(mark uint64, samples int) {
		t.Helper()
		for range samples {
			w := NewWriter(c.now)
			appendNoise(w, rnd, 40<<10)
			Append(w, SystemSample{At: c.now, Forks: mark})
			if err := d.Commit(w); err != nil {
				t.Fatal(err)
			}
			c.now, c.elapsed = c.now.Add(time.Second), c.elapsed+time.Second
			for d.waiting() > 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}
	commit(1, 100)
	c.now = c.now.Add(-24 * time.Hour)
	commit(2, 200)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	rows := Rows[SystemSample](open(t, dir))
	if len(rows) == 0 || rows[len(rows)-1].Forks != 2 || c.now.Sub(rows[len(rows)-1].At) > 2*time.Second {
		t.Errorf("%d rows: the newest are gone", len(rows))
	}
	for _, id := range entries(t, dir) {
		if id.piece == 0 {
			t.Errorf("segment %v is kept, though newer ones were dropped", id)
		}
	}
}

// A machine that comes back with its clock behind begins a new piece.
func TestRestartWithClockBehind(t *testing.T) {
	for name, end := range map[string]func(*Directory) error{
		"closed": (*Directory).Close,
		"killed": func(d *Directory) error {
			for d.waiting() > 0 { // one that was killed seals nothing beside the next
				time.Sleep(time.Millisecond)
			}
			kill(d)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := &stepClock{clock: *newClock()}
			n := 0
			d := create(t, dir, c.options(Options{SegmentLength: 20 * time.Second}))
			c.record(t, d, &n, 50)
			if err := end(d); err != nil {
				t.Fatal(err)
			}
			c.now = c.now.Add(-30 * time.Second)
			d = create(t, dir, c.options(Options{SegmentLength: 20 * time.Second}))
			c.record(t, d, &n, 50)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			got := append(loads(t, dir, 0), loads(t, dir, 1)...)
			if fmt.Sprint(got) != fmt.Sprint(upTo(0, n)) {
				t.Errorf("samples %v, want 0 to %d", got, n-1)
			}
		})
	}
}

// Recordings of versions without numbers are read, and continued.
func TestSegmentNames(t *testing.T) {
	at := time.Date(2026, 1, 31, 3, 0, 0, 5, time.UTC)
	for name, want := range map[string]segmentID{
		"20260131T030000.000000005Z":              {0, 0, at},
		"000012-3-20260131T030000.000000005Z":     {12, 3, at},
		"123456789-0-20260131T030000.000000005Z":  {123456789, 0, at},
		"12-3-20260131T030000.000000005Z":         {},
		"000012--1-20260131T030000.000000005Z":    {},
		"000012-3-20260131T030000.000000005Z.tmp": {},
		"../20260131T030000.000000005Z":           {},
	} {
		if got, ok := parseSegment(name); ok != (want != segmentID{}) || got != want && ok {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
	if got, want := (segmentID{12, 3, at}).String(), "000012-3-20260131T030000.000000005Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	old, numbered := segmentID{0, 0, at.Add(time.Hour)}, segmentID{1, 0, at}
	if old.compare(numbered) >= 0 {
		t.Error("segments without a number are older")
	}
}

// A piece of which nothing can be read, as of a host without a battery for its clock that
// lost power again at once, leaves the other pieces as they are.
func TestUnreadablePiece(t *testing.T) {
	zeros := make([]byte, 4096)
	for name, c := range map[string]struct {
		garbage []byte
		sealed  bool // the journal was made a segment's by the next run
		known   bool // that something is missing
	}{
		"zeros of the running segment": {zeros, false, true},
		"zeros in a segment":           {zeros, true, true},
		"an empty journal":             {nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			clock := &stepClock{clock: *newClock()}
			start, n := clock.now, 0
			d := create(t, dir, clock.options(Options{SegmentLength: 20 * time.Second}))
			clock.record(t, d, &n, 50)
			clock.now = clock.now.Add(-time.Hour)
			clock.record(t, d, &n, 1)
			kill(d)
			journal := filepath.Join(dir, journalFile)
			if c.sealed {
				id := segmentID{number: 100, piece: 1, start: clock.now}
				journal = filepath.Join(dir, segmentsFolder, id.String(), journalFile)
				if err := os.MkdirAll(filepath.Dir(journal), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(filepath.Join(dir, journalFile)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(journal, c.garbage, 0o600); err != nil {
				t.Fatal(err)
			}
			held, err := Holds(t.Context(), dir)
			if err != nil || len(held.Pieces) != 2 || held.Window.From.Before(start.Add(-2*time.Hour)) || held.Window.To.Before(start.Add(49*time.Second)) {
				t.Fatalf("%+v, %v", held, err)
			}
			if content, err := Inspect(t.Context(), dir); err != nil || len(content.Pieces) != 2 || c.known && !strings.Contains(fmt.Sprint(content.Notes), errNotJournal.Error()) {
				t.Errorf("%+v, %v", content, err)
			}
			if got := loads(t, dir, 0); fmt.Sprint(got) != fmt.Sprint(upTo(0, 50)) {
				t.Errorf("samples %v", got)
			}
			rec, err := OpenPiece(t.Context(), dir, 1, held.Window.From, held.Window.To)
			if err != nil || len(rec.Tables()) > 0 || c.known && !strings.Contains(fmt.Sprint(rec.Manifest().Notes), errNotJournal.Error()) {
				t.Errorf("the piece: %v, notes %q, %v", rec.Tables(), rec.Manifest().Notes, err)
			}
			rec, err = OpenRange(t.Context(), dir, time.Time{}, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			if notes := fmt.Sprint(rec.Manifest().Notes); c.known && (rec.Count(System) != 100 || !strings.Contains(notes, "piece 1, ") || !strings.Contains(notes, "cannot be read and is left out")) {
				t.Errorf("%d rows, notes %q", rec.Count(System), notes)
			}
		})
	}
}

// Of a piece one of whose segments cannot be read, any range can be opened: that of the
// segment is empty, with a note.
func TestUnreadableSegment(t *testing.T) {
	dir := t.TempDir()
	clock := &stepClock{clock: *newClock()}
	start, n := clock.now, 0
	d := create(t, dir, clock.options(Options{SegmentLength: 3 * time.Minute}))
	clock.record(t, d, &n, 600)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(dir, segmentsFolder, entries(t, dir)[0].String())
	if err := os.WriteFile(filepath.Join(first, string(System)+parquetSuffix), []byte("PAR1"), 0o600); err != nil {
		t.Fatal(err)
	}
	from, to := start.Add(30*time.Second), start.Add(time.Minute)
	rec, err := OpenPiece(t.Context(), dir, 0, from, to)
	if err != nil || rec.Count(System) != 0 || !strings.Contains(fmt.Sprint(rec.Manifest().Notes), "system.parquet") {
		t.Errorf("%d rows, notes %q, %v", rec.Count(System), rec.Manifest().Notes, err)
	}
	if _, err := OpenRange(t.Context(), dir, from, to); err == nil || !strings.Contains(err.Error(), "system.parquet") {
		t.Errorf("a range that was chosen: %v", err)
	}
}
