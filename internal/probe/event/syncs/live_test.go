package syncs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// Each call is counted with its file, its result and its time.
func TestLive(t *testing.T) {
	const rounds = 20
	dir := filepath.Join(t.TempDir(), "a long name of a directory", "b")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "journal")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gone, err := os.CreateTemp(dir, "gone")
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Close()
	if err := os.Remove(gone.Name()); err != nil {
		t.Fatal(err)
	}
	var took time.Duration
	rec := eventtest.Watch(t, New(), func() {
		for i := range rounds {
			fmt.Fprintln(f, i)
			began := time.Now()
			if err := unix.Fdatasync(int(f.Fd())); err != nil {
				t.Error(err)
			}
			took += time.Since(began)
		}
		_ = unix.Fsync(int(gone.Fd()))
		if unix.Fsync(1<<20) != unix.EBADF {
			t.Error("a descriptor that is not there was written")
		}
	})
	seen := map[string]recording.SyncSum{}
	for _, r := range recording.Rows[recording.SyncSum](rec) {
		if int(r.PID) == os.Getpid() {
			seen[r.Call+" "+r.Path] = r
		}
	}
	d := seen["fdatasync "+path]
	if d.Calls != rounds || d.Errors != 0 || d.Time > took || d.Time < took/2 || d.Longest > d.Time || d.Longest <= 0 || d.Device == "" || d.Histogram == "" || d.Process == "" {
		t.Errorf("%d calls of fdatasync took %v: %+v", rounds, took, d)
	}
	if g := seen["fsync "+gone.Name()+" (deleted)"]; g.Calls != 1 {
		t.Errorf("of a deleted file: %+v", g)
	}
	if bad := seen["fsync "]; bad.Calls != 1 || bad.Errors != 1 || bad.Device != "" {
		t.Errorf("that failed: %+v", bad)
	}
	if t.Failed() {
		t.Log(seen)
	}
}

// The cheap form sees the same on ext4, and synchronous writes.
func TestExt4(t *testing.T) {
	dir := t.TempDir()
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil || fs.Type != unix.EXT4_SUPER_MAGIC {
		t.Skip("temporary files are not on ext4")
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	synchronous, err := os.OpenFile(f.Name(), os.O_WRONLY|os.O_SYNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer synchronous.Close()
	rec := eventtest.Watch(t, OfExt4(), func() {
		fmt.Fprintln(f, "a record")
		if err := unix.Fsync(int(f.Fd())); err != nil {
			t.Error(err)
		}
		fmt.Fprintln(synchronous, "another")
	})
	seen := map[string]int64{}
	for _, r := range recording.Rows[recording.SyncSum](rec) {
		if int(r.PID) == os.Getpid() && r.Path == f.Name() {
			seen[r.Call] += r.Calls
		}
	}
	if len(seen) != 2 || seen["fsync"] != 1 || seen["write"] != 1 {
		t.Errorf("seen: %v", seen)
	}
}

// Types are laid out as in bpf/syncs.c.
func TestLayout(t *testing.T) {
	if k, s := unsafe.Sizeof(key{}), unsafe.Sizeof(sum{}); k != 24 || s != 160 {
		t.Errorf("keys have %d bytes, sums %d", k, s)
	}
}
