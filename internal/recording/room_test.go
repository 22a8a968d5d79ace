package recording

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
)

// smallDisk mounts a filesystem of so many KiB.
func smallDisk(t *testing.T, kib int) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting a small filesystem needs root")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk,mode=755", kib)); err != nil {
		t.Skipf("mounting a small filesystem: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// fillUp takes all room of a filesystem.
func fillUp(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "others"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 1<<16); len(block) > 0; {
		if _, err := f.Write(block); err != nil {
			block = block[:len(block)/2]
		}
	}
}

// sampler commits samples of about 8 KB that do not compress.
type sampler struct {
	t     *testing.T
	d     *Directory
	c     *clock
	rnd   *rand.Rand
	count int
}

func (s *sampler) commit(samples int) {
	s.t.Helper()
	for range samples {
		w := NewWriter(s.c.now)
		for range 1000 {
			Append(w, SocketOwner{At: s.c.now, Inode: s.rnd.Uint64()})
		}
		if err := s.d.Commit(w); err != nil {
			s.t.Fatalf("sample %d: %v", s.count, err)
		}
		s.count++
		s.c.now = s.c.now.Add(time.Second)
		for s.d.waiting() > 0 { // a clock that runs this fast must wait for the sealing
			time.Sleep(time.Millisecond)
		}
	}
}

// seconds lists the times that are in a recording, as seconds since a time.
func seconds(rec *Recording, since time.Time) map[int]bool {
	have := map[int]bool{}
	for _, r := range Rows[SocketOwner](rec) {
		have[int(r.At.Sub(since)/time.Second)] = true
	}
	return have
}

func partials(dir string) []string {
	var left []string
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, safefile.PartialSuffix) {
			left = append(left, path)
		}
		return nil
	})
	return left
}

// A recording on a disk smaller than its limit goes on in the place of its
// oldest segments, and ends without an error.
func TestSmallDiskKeepsTheNewest(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing shares what it uses")
	}
	dir := smallDisk(t, 1<<10)
	c := newClock()
	start := c.now
	into := filepath.Join(dir, "rec")
	s := &sampler{t: t, d: create(t, into, Options{Now: c.time}), c: c, rnd: rand.New(rand.NewPCG(7, 7))}
	s.commit(500) // some 4 MB
	if n := s.d.Lost(); n > 0 {
		t.Errorf("%d samples lost, though old ones could go", n)
	}
	if err := s.d.Close(); err != nil {
		t.Fatal(err)
	}
	rec := open(t, into)
	have := seconds(rec, start)
	for i := s.count - 20; i < s.count; i++ {
		if !have[i] {
			t.Errorf("second %d of %d is missing", i, s.count)
		}
	}
	if notes := fmt.Sprint(rec.Manifest().Notes); !strings.Contains(notes, "dropped: the disk was full") {
		t.Errorf("notes %q", notes)
	}
	if left := partials(into); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// While others fill the disk, old segments go, and when there are none, samples
// are lost and counted; with room the recording goes on by itself.
func TestFullDiskAndRecovery(t *testing.T) {
	dir := smallDisk(t, 4<<10)
	c := newClock()
	start := c.now
	into := filepath.Join(dir, "rec")
	s := &sampler{t: t, d: create(t, into, Options{Now: c.time}), c: c, rnd: rand.New(rand.NewPCG(8, 8))}
	s.commit(10)
	fillUp(t, dir)
	s.commit(60)
	lost := s.d.Lost()
	if lost == 0 {
		t.Fatal("the disk was not full")
	}
	if err := os.Remove(filepath.Join(dir, "others")); err != nil {
		t.Fatal(err)
	}
	s.commit(20)
	if n := s.d.Lost(); n > lost+1 {
		t.Errorf("%d samples lost after there was room again", n-lost)
	}
	for _, when := range []string{"while it runs", "closed"} {
		if when == "closed" {
			if err := s.d.Close(); err != nil {
				t.Fatal(err)
			}
		}
		rec := open(t, into)
		have := seconds(rec, start)
		for i := s.count - 19; i < s.count; i++ { // the recorder looks for room once a second
			if !have[i] {
				t.Errorf("%s: second %d of %d is missing", when, i, s.count)
			}
		}
		if notes := fmt.Sprint(rec.Manifest().Notes); !strings.Contains(notes, fmt.Sprintf("%d samples from ", s.d.Lost())) {
			t.Errorf("%s: notes %q", when, notes)
		}
	}
}

// A recording that is killed on a full disk is continued when there is room.
func TestContinueAfterFullDisk(t *testing.T) {
	dir := smallDisk(t, 4<<10)
	c := newClock()
	start := c.now
	into := filepath.Join(dir, "rec")
	s := &sampler{t: t, d: create(t, into, Options{Now: c.time}), c: c, rnd: rand.New(rand.NewPCG(9, 9))}
	s.commit(10)
	fillUp(t, dir)
	s.commit(60)
	kill(s.d)
	if err := os.Remove(filepath.Join(dir, "others")); err != nil {
		t.Fatal(err)
	}
	s.d = create(t, into, Options{Now: c.time})
	s.commit(10)
	if err := s.d.Close(); err != nil {
		t.Fatal(err)
	}
	have := seconds(open(t, into), start)
	for i := s.count - 10; i < s.count; i++ {
		if !have[i] {
			t.Errorf("second %d of %d is missing", i, s.count)
		}
	}
}

// Somebody who removes the recording while it runs is noticed by the next look,
// a second later, not at the end.
func TestRemovedWhileRecording(t *testing.T) {
	for name, remove := range map[string]func(dir string) error{
		"directory": os.RemoveAll,
		"content": func(dir string) error {
			return os.RemoveAll(filepath.Join(dir, segmentsFolder))
		},
		"journal": func(dir string) error { return os.Remove(filepath.Join(dir, journalFile)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "rec")
			c := newClock()
			d := create(t, dir, Options{Now: c.time})
			s := &sampler{t: t, d: d, c: c, rnd: rand.New(rand.NewPCG(1, 1))}
			s.commit(2)
			d.sync()
			s.commit(1)
			if err := remove(dir); err != nil {
				t.Fatal(err)
			}
			d.sync()
			w := NewWriter(c.now)
			Append(w, SystemSample{At: c.now})
			if err := d.Commit(w); err == nil || !strings.Contains(err.Error(), "was removed") {
				t.Errorf("the next sample: %v", err)
			}
			if err := d.Close(); err == nil || !strings.Contains(err.Error(), "was removed") {
				t.Errorf("closing: %v", err)
			}
		})
	}
}

// A recording that is moved goes on where it is.
func TestMovedWhileRecording(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rec")
	c := newClock()
	d := create(t, dir, Options{Now: c.time, SegmentLength: 2 * time.Second})
	s := &sampler{t: t, d: d, c: c, rnd: rand.New(rand.NewPCG(1, 1))}
	s.commit(3)
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	d.sync()
	s.commit(5)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if n := open(t, dir+".old").Count(SocketOwners); n != 8000 {
		t.Errorf("%d rows", n)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something was made under the old name")
	}
}
