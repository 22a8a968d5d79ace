package recording

import (
	"encoding/base64"
	"encoding/binary"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/safefile"
)

var testHost = Manifest{Tool: "rtrail test", Host: Host{Name: "db1", CPUs: 2}}

// clock is a settable time.
type clock struct {
	mu  sync.Mutex // recorders seal beside the test, and ask for the time
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)} }

func create(t *testing.T, dir string, o Options) *Directory {
	t.Helper()
	d, err := Create(dir, testHost, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// kill leaves a directory as the kernel does for a killed process.
func kill(d *Directory) {
	close(d.stop)
	d.workers.Wait()
	d.release()
}

// fill commits samples to a directory and to memory.
func fill(t *testing.T, d *Directory, c *clock, rnd *rand.Rand, samples int, tables ...Table) *Recording {
	t.Helper()
	memory := New(testHost)
	if testing.Short() && len(tables) == 0 { // under the race detector, which looks for what is shared
		tables = []Table{System, Processes, Listeners}
	}
	for range samples {
		w := randomSample(rnd, c.now, tables...)
		again := NewWriter(c.now)
		for name, rows := range w.tables {
			copied := kindByName(name).empty()
			copied.appendFrom(rows)
			again.tables[name] = copied
		}
		if err := memory.Commit(w); err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(again); err != nil {
			t.Fatal(err)
		}
		c.pass(time.Second)
	}
	return memory
}

// entries lists the segments of a recording, as they lie on the disk.
func entries(t *testing.T, dir string) []segmentID {
	t.Helper()
	src, err := newDirectorySource(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer src.close()
	var all []segmentID
	for _, s := range src.segments() {
		all = append(all, s.id)
	}
	return all
}

func open(t *testing.T, path string) *Recording {
	t.Helper()
	rec, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// What is read back equals what was committed: from the journal, from sealed
// segments, and from a packed file.
func TestRoundTrip(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	d := create(t, dir, Options{SegmentLength: 10 * time.Second, Now: c.time})
	memory := fill(t, d, c, rand.New(rand.NewPCG(1, 1)), 25)
	if diff := cmp.Diff(contents(memory), contents(open(t, dir))); diff != "" {
		t.Errorf("read while recording (-committed +read):\n%s", diff)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(entries(t, dir)); n != 3 {
		t.Errorf("%d segments, want 3", n)
	}
	closed := open(t, dir)
	if diff := cmp.Diff(contents(memory), contents(closed)); diff != "" {
		t.Errorf("read after closing (-committed +read):\n%s", diff)
	}
	if m := closed.Manifest(); len(m.Notes) > 0 || m.Ended.IsZero() || m.Host != testHost.Host {
		t.Errorf("manifest %+v", m)
	}
	out := filepath.Join(t.TempDir(), "night.rtr")
	if err := Pack(t.Context(), dir, out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(memory), contents(open(t, out))); diff != "" {
		t.Errorf("read from the packed file (-committed +read):\n%s", diff)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "segments", "*", "*"+safefile.PartialSuffix))
	if len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestOpenRange(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	start := c.now
	d := create(t, dir, Options{SegmentLength: 3 * time.Minute, Now: c.time})
	for range 20 {
		w := NewWriter(c.now)
		Append(w, SystemSample{At: c.now, Load1: 1}, SystemSample{At: c.now.Add(time.Second), Load1: 2})
		Append(w, CPUSample{At: c.now})
		if err := d.Commit(w); err != nil {
			t.Fatal(err)
		}
		c.now = c.now.Add(time.Minute)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	from, to := start.Add(7*time.Minute), start.Add(9*time.Minute)
	rec, err := OpenRange(t.Context(), dir, from, to, System)
	if err != nil {
		t.Fatal(err)
	}
	var got []time.Duration
	for _, r := range Rows[SystemSample](rec) {
		got = append(got, r.At.Sub(from))
	}
	want := []time.Duration{0, time.Second, time.Minute, time.Minute + time.Second, 2 * time.Minute}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
	if n := rec.Count(CPUs); n != 0 {
		t.Errorf("%d rows of a table that was not asked for", n)
	}
	w, err := Span(t.Context(), dir)
	if err != nil || !w.From.Equal(start) || !w.To.Equal(c.now) {
		t.Errorf("span %v, %v", w, err)
	}
}

func TestSpanOfRunning(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	d := create(t, dir, Options{Now: c.time})
	defer d.Close()
	w := NewWriter(c.now)
	Append(w, SystemSample{At: c.now.Add(5 * time.Second)})
	if err := d.Commit(w); err != nil {
		t.Fatal(err)
	}
	span, err := Span(t.Context(), dir)
	if err != nil || !span.From.Equal(c.now) || !span.To.Equal(c.now.Add(5*time.Second)) {
		t.Errorf("span %v, %v", span, err)
	}
}

func TestTextThatIsNotUTF8(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	d := create(t, dir, Options{Now: c.time})
	w := NewWriter(c.now)
	Append(w, KernelLogLine{At: c.now, Text: "bad \xff\xfe byte"})
	if err := d.Commit(w); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	got := Rows[KernelLogLine](open(t, dir))[0].Text
	if want := "bad \uFFFD byte"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// appendNoise adds a text that takes about size bytes, however it is packed.
func appendNoise(w *Writer, rnd *rand.Rand, size int) {
	noise := make([]byte, 0, size+8)
	for len(noise) < size {
		noise = binary.LittleEndian.AppendUint64(noise, rnd.Uint64())
	}
	Append(w, KernelLogLine{At: w.Started, Text: base64.StdEncoding.EncodeToString(noise)})
}

func TestMaxSize(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	const limit = SmallestMaxSize
	d := create(t, dir, Options{MaxSize: limit, SegmentLength: 3 * time.Second, Now: c.time})
	rnd := rand.New(rand.NewPCG(3, 3))
	written := int64(0)
	for range 60 {
		w := NewWriter(c.now)
		appendNoise(w, rnd, 80<<10)
		if err := d.Commit(w); err != nil {
			t.Fatal(err)
		}
		c.now = c.now.Add(time.Second)
		for d.waiting() > 0 { // a clock that runs this fast must wait for the sealing
			time.Sleep(time.Millisecond)
		}
		size := bytesBelow(t, dir)
		if size > limit {
			t.Fatalf("%d bytes, limit %d", size, limit)
		}
		written = max(written, size)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if written < limit/2 {
		t.Errorf("at most %d bytes kept, though %d are allowed", written, limit)
	}
	rec := open(t, dir)
	if notes := rec.Manifest().Notes; len(notes) != 1 || !strings.Contains(notes[0], "segments before") {
		t.Errorf("notes %q", notes)
	}
	rows := Rows[KernelLogLine](rec)
	if len(rows) == 0 || c.now.Sub(rows[len(rows)-1].At) > 2*time.Second {
		t.Error("the newest rows are not there")
	}
}

// bytesBelow is what all files below a directory hold.
func bytesBelow(t *testing.T, dir string) (total int64) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // files come and go
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}

// waiting is how many segments are not sealed yet.
func (d *Directory) waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pending)
}

// A recorder that was killed leaves a journal, perhaps half sealed. The next
// one goes on.
func TestContinue(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	rnd := rand.New(rand.NewPCG(4, 4))
	first := create(t, dir, Options{Now: c.time})
	want := fill(t, first, c, rnd, 3)
	if _, err := Create(dir, testHost, Options{}); err == nil || !strings.Contains(err.Error(), "another rtrail is recording") {
		t.Errorf("second recorder: %v", err)
	}
	kill(first)

	second := create(t, dir, Options{Now: c.time})
	more := fill(t, second, c, rnd, 3)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	for name, rows := range more.tables {
		want.tables[name].appendFrom(rows)
	}
	rec := open(t, dir)
	if diff := cmp.Diff(contents(want), contents(rec)); diff != "" {
		t.Errorf("(-committed +read):\n%s", diff)
	}
	if notes := rec.Manifest().Notes; len(notes) != 1 || !strings.Contains(notes[0], "went on") {
		t.Errorf("notes %q", notes)
	}
}

func TestCreateRefuses(t *testing.T) {
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.doc"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	d := create(t, other, Options{})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	newer := t.TempDir()
	if err := os.WriteFile(filepath.Join(newer, manifestFile), []byte(`{"format":99,"host":{"name":"db1"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	web1 := testHost
	web1.Host.Name = "web1"
	for _, c := range []struct {
		dir      string
		manifest Manifest
		want     string
	}{
		{foreign, testHost, "thesis.doc"},
		{other, web1, "db1"},
		{newer, testHost, "newer rtrail"},
	} {
		if _, err := Create(c.dir, c.manifest, Options{}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.dir) {
			t.Errorf("error %v, want one about %q", err, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(foreign, segmentsFolder)); err == nil {
		t.Error("something was made in a foreign folder")
	}
}
