package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func put(path, text string) error {
	return Write(context.Background(), path, 0o644, func(f *File) error {
		_, err := io.WriteString(f, text)
		return err
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(dir string) error
		at   string // where the text is wanted
		link string // what must still be a link
	}{
		{"new", func(string) error { return nil }, "out", ""},
		{"old", func(d string) error { return os.WriteFile(d+"/out", []byte("longer than the new one"), 0o644) }, "out", ""},
		{"link", func(d string) error {
			return errors.Join(os.WriteFile(d+"/real", []byte("old"), 0o644), os.Symlink("real", d+"/out"))
		}, "real", "out"},
		{"link to link", func(d string) error {
			return errors.Join(os.WriteFile(d+"/real", []byte("old"), 0o644), os.Symlink(d+"/real", d+"/mid"), os.Symlink("mid", d+"/out"))
		}, "real", "out"},
		{"dangling link", func(d string) error { return os.Symlink("real", d+"/out") }, "real", "out"},
		{"link in a linked folder", func(d string) error {
			return errors.Join(os.MkdirAll(d+"/a/b", 0o755), os.Symlink("a/b", d+"/c"), os.Symlink("c/../real", d+"/out"))
		}, "a/real", "out"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, tc.make(dir))
			must(t, put(dir+"/out", "new"))
			if b, err := os.ReadFile(filepath.Join(dir, tc.at)); err != nil || string(b) != "new" {
				t.Errorf("%q, %v", b, err)
			}
			if b, err := os.ReadFile(dir + "/out"); err != nil || string(b) != "new" {
				t.Errorf("through the link: %q, %v", b, err)
			}
			if tc.link != "" {
				if info, err := os.Lstat(filepath.Join(dir, tc.link)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
					t.Errorf("the link is gone: %v, %v", info, err)
				}
			}
			if left, _ := filepath.Glob(dir + "/.rtrail-*"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestMode(t *testing.T) {
	path := t.TempDir() + "/out"
	must(t, os.WriteFile(path, nil, 0o600))
	must(t, put(path, "secret"))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestFails(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/out", []byte("old"), 0o644))
	failed := errors.New("failed")
	if err := Write(t.Context(), dir+"/out", 0o644, func(f *File) error { fmt.Fprint(f, "half"); return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	if b, _ := os.ReadFile(dir + "/out"); string(b) != "old" {
		t.Errorf("%q", b)
	}
	must(t, os.Symlink("loop", dir+"/loop"))
	for _, path := range []string{dir, dir + "/loop", dir + "/no/such/out"} {
		if err := put(path, "new"); err == nil || !strings.Contains(err.Error(), path+": ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left, _ := filepath.Glob(dir + "/.rtrail-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFIFO(t *testing.T) {
	path := t.TempDir() + "/fifo"
	must(t, unix.Mkfifo(path, 0o644))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Create(ctx, path, 0o644); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a reader: %v", err)
	}
	r, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	must(t, err)
	defer r.Close()
	must(t, put(path, "new"))
	b := make([]byte, 10)
	if n, err := r.Read(b); err != nil || string(b[:n]) != "new" {
		t.Errorf("%q, %v", b[:n], err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the FIFO is gone: %v, %v", info, err)
	}
}

func TestDevice(t *testing.T) {
	path := t.TempDir() + "/full"
	if err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 7))); err != nil {
		t.Skip("needs the right to make devices: ", err)
	}
	if f, err := os.OpenFile(path, os.O_WRONLY, 0); err != nil {
		t.Skip("devices do not work here: ", err)
	} else {
		f.Close()
	}
	if err := put(path, "new"); !errors.Is(err, unix.ENOSPC) {
		t.Error(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("the device is gone: %v, %v", info, err)
	}
}

// A file that somebody has open, as standard output led into a file, is added to.
func TestOpenElsewhere(t *testing.T) {
	path := t.TempDir() + "/out"
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	fmt.Fprint(f, "report ")
	must(t, put(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), "page"))
	if b, _ := os.ReadFile(path); string(b) != "report page" {
		t.Errorf("%q", b)
	}
}
