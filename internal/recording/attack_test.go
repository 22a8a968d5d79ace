package recording

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sys/unix"
)

// sparse makes a file of a size without content that ends as given.
func sparse(path string, size int64, end string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(end), size-int64(len(end)))
	return errors.Join(err, f.Close())
}

// Files that claim much are refused before anybody reads, sums or copies them.
func TestFilesThatClaimMuch(t *testing.T) {
	if testing.Short() {
		t.Skip("reads much")
	}
	sum := func(size int64) []byte {
		return fmt.Appendf(nil, `{"disks.parquet":{"bytes":%d,"crc32c":1}}`, size)
	}
	for name, c := range map[string]struct {
		files map[string][]byte
		path  string
		size  int64
		note  string
	}{
		"a table of a terabyte":      {map[string][]byte{hostileSegment + checksumFile: sum(1 << 40)}, hostileSegment + "disks.parquet", 1 << 40, "more than any file"},
		"one without a checksum":     {map[string][]byte{hostileSegment + "x": nil}, hostileSegment + "disks.parquet", 1 << 40, "more than any file"},
		"a table without an end":     {map[string][]byte{hostileSegment + checksumFile: sum(600 << 20)}, hostileSegment + "disks.parquet", 600 << 20, "its end is missing"},
		"a list of checksums":        {map[string][]byte{hostileSegment + "disks.parquet": nil}, hostileSegment + checksumFile, 1 << 40, "too many"},
		"a manifest":                 {map[string][]byte{}, manifestFile, 1 << 40, "not a recording"},
		"a journal":                  {map[string][]byte{}, journalFile, 1 << 40, "not a journal"},
		"a journal in a segment":     {map[string][]byte{}, hostileSegment + journalFile, 1 << 40, "not a journal"},
		"a journal that begins well": {map[string][]byte{journalFile: []byte(journalMagic)}, journalFile, 1 << 40, "claims 0 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, c.files)
			full := filepath.Join(dir, c.path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o700), sparse(full, c.size, "\x00")); err != nil {
				if errors.Is(err, unix.EFBIG) {
					t.Skip("the filesystem has no files of that size")
				}
				t.Fatal(err)
			}
			began := time.Now()
			rec, err := Open(t.Context(), dir)
			said := fmt.Sprint(err)
			if err == nil {
				said = strings.Join(rec.Manifest().Notes, "\n")
			}
			if !strings.Contains(said, c.note) {
				t.Errorf("not said: %s", said)
			}
			if c, err := Inspect(t.Context(), dir); err == nil && len(c.Segments) > 0 && c.Segments[0].Bytes > 1<<41 {
				t.Errorf("%d bytes are counted", c.Segments[0].Bytes)
			}
			out := filepath.Join(t.TempDir(), "x.rtr")
			if err := Pack(t.Context(), dir, out); c.size == 1<<40 && (err == nil || !strings.Contains(err.Error(), "more than any file") && !strings.Contains(err.Error(), "not a recording")) {
				t.Errorf("packing: %v", err)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// A table may have many rows, but not many groups of them.
func TestManyRowGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("reads much")
	}
	var out bytes.Buffer
	// Packed, each group would cost the test an encoder.
	w := parquet.NewGenericWriter[SwapSample](&out)
	for i := range 5_000 {
		if _, err := w.Write([]SwapSample{{At: time.Unix(int64(i), 0)}}); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sum := crc32.Checksum(out.Bytes(), castagnoli)
	dir := folder(t, map[string][]byte{hostileSegment + "swaps.parquet": out.Bytes(),
		hostileSegment + checksumFile: fmt.Appendf(nil, `{"swaps.parquet":{"bytes":%d,"crc32c":%d}}`, out.Len(), sum)})
	var err error
	heap := heapOf(func() { _, err = Open(t.Context(), dir) })
	if heap > 100<<20 {
		t.Errorf("%d bytes of heap", heap)
	}
	if err == nil || !strings.Contains(err.Error(), "more groups of rows") && !strings.Contains(err.Error(), "description takes") {
		t.Errorf("error %v", err)
	}
}

// What somebody puts in the place of a recorder's files while it runs is neither
// followed, nor waited for, nor written into.
func TestSwappedWhileItRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("writes sixteen recordings")
	}
	names := []string{manifestFile, manifestFile + ".partial", journalFile, segmentsFolder}
	for _, name := range names {
		for kind, put := range map[string]func(precious, path string) error{
			"link":      func(precious, path string) error { return os.Symlink(precious, path) },
			"hard link": func(precious, path string) error { return os.Link(precious, path) },
			"FIFO":      func(_, path string) error { return unix.Mkfifo(path, 0o600) },
			"directory": func(_, path string) error { return os.Mkdir(path, 0o700) },
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				base := t.TempDir()
				dir, precious, c := filepath.Join(base, "rec"), filepath.Join(base, "precious"), newClock()
				if err := os.WriteFile(precious, []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
				d := create(t, dir, Options{SegmentLength: 2 * time.Second, Now: c.time})
				fill(t, d, c, rand.New(rand.NewPCG(1, 1)), 3, System, Processes)
				path := filepath.Join(dir, name)
				_ = os.Rename(path, filepath.Join(base, "away")) // the partial file is not there
				if err := put(precious, path); err != nil {
					t.Fatal(err)
				}
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					for range 5 {
						w := randomSample(rand.New(rand.NewPCG(2, 2)), c.now, System, Processes)
						_ = d.Commit(w) // may end the recording
						c.pass(time.Second)
					}
					_ = d.Close()
				}()
				select {
				case <-ended:
				case <-time.After(time.Minute):
					t.Fatal("it hangs")
				}
				if b, err := os.ReadFile(precious); err != nil || string(b) != "old" {
					t.Errorf("the file beside: %q, %v", b, err)
				}
				// Neither the next recorder nor a reader does so.
				if d, err := Create(dir, testHost, Options{Now: c.time}); err == nil {
					_ = d.Close()
				}
				_, _ = Open(t.Context(), dir)
				_, _ = Inspect(t.Context(), dir)
				if b, err := os.ReadFile(precious); err != nil || string(b) != "old" {
					t.Errorf("the file beside: %q, %v", b, err)
				}
			})
		}
	}
}

// A directory that takes the name of the recorder's is left alone.
func TestReplacedWhileItRuns(t *testing.T) {
	base := t.TempDir()
	dir, away, other, c := filepath.Join(base, "rec"), filepath.Join(base, "away"), filepath.Join(base, "other"), newClock()
	d := create(t, dir, Options{SegmentLength: 2 * time.Second, Now: c.time})
	rnd := rand.New(rand.NewPCG(1, 1))
	fill(t, d, c, rnd, 3, System, Processes)
	if err := errors.Join(os.Mkdir(other, 0o700), os.Rename(dir, away), os.Symlink(other, dir)); err != nil {
		t.Fatal(err)
	}
	fill(t, d, c, rnd, 3, System, Processes)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadDir(other); err != nil || len(have) > 0 {
		t.Errorf("written there: %v, %v", have, err)
	}
	if n := len(Rows[SystemSample](open(t, away))); n == 0 {
		t.Error("the recording has no samples")
	}
}
