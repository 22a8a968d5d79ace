package safefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOpenOwned opens what somebody else named.
func TestOpenOwned(t *testing.T) {
	root := t.TempDir()
	me := uint32(os.Geteuid())
	file := func(name string) string {
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	plain := file("plain")
	must(os.Symlink(plain, filepath.Join(root, "link")))
	must(os.Symlink("plain", filepath.Join(root, "relative")))
	must(os.Link(file("one"), filepath.Join(root, "two")))
	must(unix.Mkfifo(filepath.Join(root, "fifo"), 0o600))
	must(os.Mkdir(filepath.Join(root, "folder"), 0o700))
	must(os.Symlink("/etc", filepath.Join(root, "etc"))) // within root that is root/etc
	outside := filepath.Join(t.TempDir(), "outside")
	must(os.WriteFile(outside, []byte("x"), 0o600))
	must(os.Symlink(filepath.Dir(outside), filepath.Join(root, "away")))
	must(os.Symlink(root, filepath.Join(root, "folder/again")))
	for name, x := range map[string]struct {
		root, path string
		owners     []uint32
		says       string // "": it opens
	}{
		"a file":               {"/", plain, []uint32{me}, ""},
		"anybody's":            {"/", plain, nil, ""},
		"in a root":            {root, "/plain", []uint32{me}, ""},
		"above the root":       {root, "/../../plain", []uint32{me}, ""},
		"somebody else's":      {"/", plain, []uint32{me + 4711}, "belongs to user"},
		"a link":               {"/", filepath.Join(root, "link"), nil, "symbolic link"},
		"a relative link":      {root, "/relative", nil, "symbolic link"},
		"a hard link":          {"/", filepath.Join(root, "two"), nil, "hard link"},
		"a pipe":               {"/", filepath.Join(root, "fifo"), nil, "not a regular file"},
		"a folder":             {"/", filepath.Join(root, "folder"), nil, "not a regular file"},
		"a device":             {"/", "/dev/zero", nil, "not a regular file"},
		"of the kernel":        {"/", "/proc/self/environ", nil, "not a regular file"},
		"nothing":              {"/", filepath.Join(root, "none"), nil, "no such file"},
		"out of the root":      {root, filepath.Join("/away", filepath.Base(outside)), nil, "no such file"},
		"the host's own files": {root, "/etc/passwd", nil, "symbolic link"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			f, err := OpenOwned(x.root, x.path, x.owners...)
			if err == nil {
				f.Close()
			}
			if (err == nil) != (x.says == "") || err != nil && !strings.Contains(err.Error(), x.says) {
				t.Errorf("%v, want %q", err, x.says)
			}
			if time.Since(began) > time.Second {
				t.Error("it waited")
			}
		})
	}
}

func TestReadAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 2048), 0o600); err != nil {
		t.Fatal(err)
	}
	for most, whole := range map[int64]bool{2048: true, 2047: false, 1 << 20: true} {
		f, err := OpenOwned("/", path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ReadAll(f, most)
		if (err == nil) != whole || whole && len(b) != 2048 || int64(len(b)) > most+1 {
			t.Errorf("%d: %d bytes, %v", most, len(b), err)
		}
		f.Close()
	}
}
