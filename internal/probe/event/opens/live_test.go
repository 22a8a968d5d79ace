package opens

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// Opens are told with their whole path, whether they succeed or not.
func TestLive(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	cmd := exec.Command("python3", "-c", `
import os, sys
flags = os.O_CREAT | os.O_WRONLY
os.chdir(sys.argv[1])
os.mkdir("below")
os.open(sys.argv[1] + "/absolute", flags)
os.open("relative", flags)
d = os.open("below", os.O_RDONLY)
os.open("at", flags, dir_fd=d)
for name in ["missing", sys.argv[1] + "/no/where", ""]:
    try: os.open(name, os.O_RDONLY)
    except OSError: pass
try: os.open("missing too", os.O_RDONLY, dir_fd=d)
except OSError: pass
try: os.open("x" * 3000, os.O_RDONLY)
except OSError: pass
`, dir)
	rec := eventtest.Watch(t, New(), func() {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	})
	got := map[string]int32{}
	for _, r := range recording.Rows[recording.FileOpen](rec) {
		if int(r.PID) != cmd.Process.Pid {
			continue
		}
		if len(r.Path) > 1000 {
			got["long "+r.Path[len(r.Path)-4:]] = r.Error
			continue
		}
		if rel, err := filepath.Rel(dir, r.Path); (err == nil && filepath.IsLocal(rel)) || r.Path == "" {
			got[r.Path] = r.Error
		}
		if (r.Error == 0) != (r.FD >= 0) || r.Error > 0 && r.FD != recording.Unknown || r.Process == "" || r.Started.IsZero() {
			t.Errorf("row: %+v", r)
		}
		if r.Path == dir+"/relative" && r.Flags&(unix.O_CREAT|unix.O_WRONLY) != unix.O_CREAT|unix.O_WRONLY {
			t.Errorf("flags: %#x", r.Flags)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	want := map[string]int32{
		in("absolute"): 0, in("relative"): 0, in("below"): 0, in("below/at"): 0,
		in("missing"): int32(unix.ENOENT), in("no/where"): int32(unix.ENOENT), in("below/missing too"): int32(unix.ENOENT), "": int32(unix.ENOENT), "long x...": int32(unix.ENAMETOOLONG),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths and errors (-want +got):\n%s", diff)
	}
}

// Events with lengths that cannot be are refused.
func TestDamaged(t *testing.T) {
	const textAt = 64
	s := New()
	b := make([]byte, textAt+10)
	for _, c := range []struct {
		name string
		b    []byte
	}{
		{"short", b[:textAt-1]},
		{"path beyond the end", func() []byte { b := append([]byte{}, b...); b[28] = 11; return b }()},
		{"names beyond the end", func() []byte { b := append([]byte{}, b...); b[28], b[35] = 5, 0xff; return b }()},
	} {
		if row, err := s.row(c.b); err == nil {
			t.Errorf("%s: %+v", c.name, row)
		}
	}
	if _, err := s.row(b); err != nil {
		t.Error(err)
	}
}
