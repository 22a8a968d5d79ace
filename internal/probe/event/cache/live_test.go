package cache

import (
	"os"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// Pages of a file that is written, dropped, read from the disk and read again are those
// that it has.
func TestLive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var fs unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &fs) == nil && fs.Type == unix.TMPFS_MAGIC {
		t.Skip("files in memory are no cache of a disk")
	}
	const n = 3000
	page := os.Getpagesize()
	chunk := make([]byte, 16*page)
	read := func() {
		for at := int64(0); ; at += int64(len(chunk)) {
			if got, _ := f.ReadAt(chunk, at); got == 0 {
				return
			}
		}
	}
	write := func() {
		if _, err := f.WriteAt(make([]byte, n*page), 0); err != nil {
			t.Fatal(err)
		}
		_ = f.Sync()
	}
	rec := eventtest.Watch(t, New(), write,
		func() { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) },
		read,
		func() { read(); read() },
		write,
		func() { _ = os.Truncate(path, 0) },
	)
	var steps []recording.CacheSum // all devices: ours is the only one that is used
	for _, r := range recording.Rows[recording.CacheSum](rec) {
		if int(r.PID) != os.Getpid() {
			continue
		}
		if len(steps) == 0 || !steps[len(steps)-1].At.Equal(r.At) {
			steps = append(steps, recording.CacheSum{At: r.At})
		}
		s := &steps[len(steps)-1]
		s.Read, s.Added, s.Waited, s.Fresh, s.Dirtied, s.Removed = s.Read+r.Read, s.Added+r.Added, s.Waited+r.Waited, s.Fresh+r.Fresh, s.Dirtied+r.Dirtied, s.Removed+r.Removed
	}
	if len(steps) != 6 {
		t.Fatalf("%d steps: %+v", len(steps), steps)
	}
	// Metadata of the filesystem is cached, too.
	near := func(step int, what string, got, want int64) {
		t.Helper()
		if got < want || got > want+n/50 {
			t.Errorf("step %d: %d pages %s, want %d", step, got, what, want)
		}
	}
	for i, want := range []recording.CacheSum{
		{Added: n, Fresh: n, Dirtied: n},
		{Removed: n},
		{Read: n, Added: n},
		{Read: 2 * n},
		{Dirtied: n},
		{Removed: n},
	} {
		got := steps[i]
		near(i, "read", got.Read, want.Read)
		near(i, "added", got.Added, want.Added)
		near(i, "new", got.Fresh, want.Fresh)
		near(i, "dirtied", got.Dirtied, want.Dirtied)
		near(i, "removed", got.Removed, want.Removed)
		// What the last read of a step before began to read may be waited for in this one.
		if got.Waited > got.Added+n/50 || (i == 2) != (got.Waited > 0) && got.Waited > n/50 {
			t.Errorf("step %d: %d of %d pages were waited for", i, got.Waited, got.Added)
		}
	}
}

// What is more than the rows of a reading is summed up.
func TestManyProcesses(t *testing.T) {
	var keys []key
	var sums []sum
	for i := range uint32(maxRows + 50) {
		keys, sums = append(keys, key{PID: i + 1, Device: 8 << 20}), append(sums, sum{Read: uint64(i)})
	}
	rows := New().rows(keys, sums, time.Unix(10, 0), event.Traced{})
	last := rows[len(rows)-1]
	if len(rows) != maxRows+1 || rows[0].Read != maxRows+49 || rows[0].Device != "8:0" || last.Process != "others" || last.Read != 49*50/2 {
		t.Errorf("%d rows, first %+v, last %+v", len(rows), rows[0], last)
	}
}

// Types are laid out as in bpf/cache.c.
func TestLayout(t *testing.T) {
	if k, s := unsafe.Sizeof(key{}), unsafe.Sizeof(sum{}); k != 8 || s != 80 {
		t.Errorf("keys have %d bytes, sums %d", k, s)
	}
}
