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
	return Write(context.Background(), path, func(f *File) error {
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
	if err := Write(t.Context(), dir+"/out", func(f *File) error { fmt.Fprint(f, "half"); return failed }); !errors.Is(err, failed) {
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
	if _, err := Create(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
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

// Outputs are for their owner and group, and for fewer if they were before.
func TestNeverForAll(t *testing.T) {
	for before, want := range map[fs.FileMode]fs.FileMode{0: 0o640, 0o644: 0o640, 0o666: 0o640, 0o600: 0o600, 0o400: 0o600} {
		path := t.TempDir() + "/out"
		if before != 0 {
			must(t, os.WriteFile(path, nil, before))
			must(t, os.Chmod(path, before))
		}
		must(t, put(path, "x"))
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%v: %v, %v; want %v", before, info.Mode(), err, want)
		}
	}
}

// In a directory that all may write into, as /tmp, root follows no link of
// somebody else and opens nothing of theirs.
func TestSharedDirectory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make files of other users")
	}
	const another = 4242
	precious := t.TempDir() + "/precious"
	for name, make := range map[string]func(path string) error{
		"link": func(path string) error {
			return errors.Join(os.Symlink(precious, path), os.Lchown(path, another, another))
		},
		"FIFO": func(path string) error {
			return errors.Join(unix.Mkfifo(path, 0o666), os.Chown(path, another, another))
		},
	} {
		for how, write := range map[string]func(path string) error{
			"Create": func(path string) error { return put(path, "new") },
			"Open": func(path string) error {
				f, err := Open(t.Context(), path)
				if err == nil {
					fmt.Fprint(f, "new")
					f.Abandon()
				}
				return err
			},
		} {
			must(t, os.WriteFile(precious, []byte("old"), 0o600))
			shared := t.TempDir()
			must(t, os.Chmod(shared, 0o777|os.ModeSticky))
			must(t, make(shared+"/out"))
			if err := write(shared + "/out"); err == nil {
				t.Errorf("%s, %s: no error", name, how)
			}
			if b, err := os.ReadFile(precious); err != nil || string(b) != "old" {
				t.Errorf("%s, %s: %q, %v", name, how, b, err)
			}
		}
	}
}

// What root writes for somebody who called sudo, in a directory of theirs, is
// theirs to read.
func TestForInvoker(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	t.Setenv("SUDO_UID", "4242")
	t.Setenv("SUDO_GID", "4243")
	dir := t.TempDir()
	must(t, os.Chown(dir, 4242, 4243))
	for name, write := range map[string]func(path string) error{
		"whole": func(path string) error { return put(path, "x") },
		"open": func(path string) error {
			f, err := Open(t.Context(), path)
			if err == nil {
				err = f.Commit()
			}
			return err
		},
	} {
		path := filepath.Join(dir, name)
		must(t, write(path))
		var st unix.Stat_t
		must(t, unix.Stat(path, &st))
		if st.Uid != 4242 || st.Gid != 4243 || st.Mode&0o777 != 0o640 {
			t.Errorf("%s: of %d and %d, mode %o", name, st.Uid, st.Gid, st.Mode)
		}
	}
}
