package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// nobody is a user of Debian who owns nothing; another is one who is not known.
const (
	nobody  = 65534
	another = 4242
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make files of other users")
	}
	t.Setenv("SUDO_UID", "")
	t.Setenv("PKEXEC_UID", "")
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func makeDir(t *testing.T, path string, mode fs.FileMode, uid int) string {
	t.Helper()
	must(t, os.MkdirAll(path, 0o755), os.Chown(path, uid, 0), os.Chmod(path, mode))
	return path
}

// as runs a shell as another user, who is hostile.
func as(t *testing.T, uid int, script string) error {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// Which directories root writes into, and which not.
func TestOpenDirJudges(t *testing.T) {
	needRoot(t)
	base := t.TempDir()
	must(t, os.Chmod(base, 0o755), os.Chmod(filepath.Dir(base), 0o755))
	for _, c := range []struct {
		name, path string
		make       func(dir string)
		sudo       int
		want       string // part of the error
	}{
		{name: "root's own", path: "a", make: func(d string) { makeDir(t, d+"/a", 0o755, 0) }},
		{name: "another user's", path: "a", make: func(d string) { makeDir(t, d+"/a", 0o755, nobody) }, want: "belongs to nobody"},
		{name: "below another user's", path: "a/b", make: func(d string) { makeDir(t, d+"/a", 0o755, nobody); makeDir(t, d+"/a/b", 0o700, 0) }, want: "/a belongs to nobody"},
		{name: "everybody may write", path: "a", make: func(d string) { makeDir(t, d+"/a", 0o777, 0) }, want: "others than root may write into"},
		{name: "below one that everybody may write", path: "a/b", make: func(d string) { makeDir(t, d+"/a", 0o777, 0); makeDir(t, d+"/a/b", 0o700, 0) }, want: "chmod go-w"},
		{name: "sticky", path: "a", make: func(d string) { makeDir(t, d+"/a", 0o777|fs.ModeSticky, 0) }},
		{name: "own one below sticky", path: "a/b", make: func(d string) { makeDir(t, d+"/a", 0o777|fs.ModeSticky, 0); makeDir(t, d+"/a/b", 0o700, 0) }},
		{name: "another user's below sticky", path: "a/b", make: func(d string) { makeDir(t, d+"/a", 0o777|fs.ModeSticky, 0); makeDir(t, d+"/a/b", 0o700, nobody) }, want: "belongs to nobody"},
		{name: "the invoking user's", path: "a", make: func(d string) { makeDir(t, d+"/a", 0o755, nobody) }, sudo: nobody},
		{name: "another user's under sudo", path: "a", make: func(d string) { makeDir(t, d+"/a", 0o755, another) }, sudo: nobody, want: "belongs to user 4242"},
		{name: "a stranger's in the invoking user's", path: "a/b", make: func(d string) { makeDir(t, d+"/a", 0o755, nobody); makeDir(t, d+"/a/b", 0o755, another) }, sudo: nobody, want: "belongs to user 4242"},
		{name: "the invoking user's that all may write", path: "a", make: func(d string) { makeDir(t, d+"/a", 0o777, nobody) }, sudo: nobody, want: "others than nobody may write"},
		{name: "a group of several", path: "a", make: func(d string) {
			makeDir(t, d+"/a", 0o775, 0)
			must(t, os.Chown(d+"/a", 0, 4243), os.Chmod(d+"/a", 0o775))
		}, want: "others than root may write"},
		{name: "root's link", path: "l", make: func(d string) { makeDir(t, d+"/a", 0o755, 0); must(t, os.Symlink("a", d+"/l")) }},
		{name: "root's link to another user's", path: "l", make: func(d string) { makeDir(t, d+"/a", 0o755, nobody); must(t, os.Symlink("a", d+"/l")) }, want: "belongs to nobody"},
		{name: "another user's link in sticky", path: "s/l", make: func(d string) {
			makeDir(t, d+"/s", 0o777|fs.ModeSticky, 0)
			makeDir(t, d+"/a", 0o755, 0)
			must(t, as(t, nobody, "ln -s "+d+"/a "+d+"/s/l"))
		}, want: "a link that others can change"},
		{name: "root's link in sticky", path: "s/l", make: func(d string) {
			makeDir(t, d+"/s", 0o777|fs.ModeSticky, 0)
			makeDir(t, d+"/a", 0o755, 0)
			must(t, os.Symlink(d+"/a", d+"/s/l"))
		}},
		{name: "the invoking user's link", path: "h/l", make: func(d string) {
			makeDir(t, d+"/h", 0o755, nobody)
			makeDir(t, d+"/a", 0o755, 0)
			must(t, as(t, nobody, "ln -s "+d+"/a "+d+"/h/l"))
		}, sudo: nobody, want: "a link that others can change"},
		{name: "root's link below the invoking user's", path: "h/b/l", make: func(d string) {
			makeDir(t, d+"/h", 0o755, nobody)
			makeDir(t, d+"/h/b", 0o755, 0)
			must(t, os.Symlink(d, d+"/h/b/l"))
		}, sudo: nobody, want: "a link that others can change"},
		{name: "links that go in circles", path: "l", make: func(d string) { must(t, os.Symlink("m", d+"/l"), os.Symlink("l", d+"/m")) }, want: "too many levels"},
		{name: "a file", path: "f/x", make: func(d string) { must(t, os.WriteFile(d+"/f", nil, 0o600)) }, want: "not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, err := os.MkdirTemp(base, "")
			must(t, err, os.Chmod(dir, 0o755))
			c.make(dir)
			if c.sudo != 0 {
				t.Setenv("SUDO_UID", strconv.Itoa(c.sudo))
				t.Setenv("SUDO_GID", strconv.Itoa(c.sudo))
			}
			d, err := OpenDir(dir + "/" + c.path)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			if err == nil {
				d.Close()
			}
		})
	}
}

// A program without root may write into shared directories, and follows no link
// that others put there.
func TestOpenDirAsUser(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root is not allowed what is tested here")
	}
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/shared", 0o777), os.Chmod(dir+"/shared", 0o777), os.Symlink(dir, dir+"/shared/l"), os.Symlink(dir, dir+"/own"))
	for path, ok := range map[string]bool{"/shared": true, "/own": true, "/shared/l": false} {
		d, err := OpenDir(dir + path)
		if (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
		if err == nil {
			d.Close()
		}
	}
}

// TestAsUser runs the tests that are for users as one.
func TestAsUser(t *testing.T) {
	needRoot(t)
	dir := makeDir(t, "/tmp/rtrail-test-"+strconv.Itoa(os.Getpid()), 0o700, nobody)
	defer os.RemoveAll(dir)
	copied := dir + "/test"
	b, err := os.ReadFile(os.Args[0])
	must(t, err, os.WriteFile(copied, b, 0o755), os.Chown(copied, nobody, nobody))
	must(t, as(t, nobody, "cd "+dir+" && HOME="+dir+" TMPDIR="+dir+" exec ./test -test.run 'TestOpenDirAsUser|TestReplace|TestMake'"))
}

// Whatever lies under the name that is written, it is replaced and not written
// into, and the mode is the one asked for.
func TestReplace(t *testing.T) {
	for _, mask := range []int{0, 0o077, 0o777} {
		old := unix.Umask(mask)
		defer unix.Umask(old)
		for name, put := range map[string]func(path, victim string) error{
			"nothing": func(string, string) error { return nil },
			"wide file": func(path, _ string) error {
				return errors.Join(os.WriteFile(path, []byte("old"), 0o666), os.Chmod(path, 0o666))
			},
			"link":      func(path, victim string) error { return os.Symlink(victim, path) },
			"hard link": func(path, victim string) error { return os.Link(victim, path) },
			"FIFO":      func(path, _ string) error { return unix.Mkfifo(path, 0o666) },
			"dangling":  func(path, _ string) error { return os.Symlink("nowhere", path) },
		} {
			for _, at := range []string{"out", "out" + PartialSuffix} {
				t.Run(fmt.Sprintf("%s as %s, umask %o", name, at, mask), func(t *testing.T) {
					unix.Umask(0o022)
					dir := t.TempDir()
					victim := dir + "/victim"
					must(t, os.WriteFile(victim, []byte("untouched"), 0o644), put(dir+"/"+at, victim))
					unix.Umask(mask)
					d, err := OpenDir(dir)
					must(t, err)
					defer d.Close()
					must(t, d.Replace("out", 0o640, func(f *os.File) error { _, err := f.WriteString("new"); return err }))
					info, err := os.Lstat(dir + "/out")
					must(t, err)
					if info.Mode() != 0o640 {
						t.Errorf("mode %v", info.Mode())
					}
					if b, _ := os.ReadFile(dir + "/out"); string(b) != "new" {
						t.Errorf("holds %q", b)
					}
					if b, _ := os.ReadFile(victim); string(b) != "untouched" {
						t.Errorf("another file was written: %q", b)
					}
					if _, err := os.Lstat(dir + "/nowhere"); err == nil {
						t.Error("a dangling link was followed")
					}
					if _, err := os.Lstat(dir + "/out" + PartialSuffix); err == nil {
						t.Error("the partial file is left")
					}
				})
			}
		}
	}
}

func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/out", []byte("old"), 0o600))
	d, err := OpenDir(dir)
	must(t, err)
	defer d.Close()
	failed := errors.New("failed")
	if err := d.Replace("out", 0o600, func(f *os.File) error { io.WriteString(f, "half"); return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	if b, _ := os.ReadFile(dir + "/out"); string(b) != "old" {
		t.Errorf("%q", b)
	}
	if names, _ := d.Names(); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestMakeDir(t *testing.T) {
	dir := t.TempDir()
	old := unix.Umask(0o777)
	defer unix.Umask(old)
	d, err := MakeDir(dir+"/a/b", 0o750)
	must(t, err)
	defer d.Close()
	for _, path := range []string{"/a", "/a/b"} {
		if info, err := os.Stat(dir + path); err != nil || info.Mode().Perm() != 0o750 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	sub, err := d.Mkdir("c", 0o700)
	must(t, err)
	defer sub.Close()
	must(t, os.RemoveAll(dir+"/a"))
	if !sub.Gone() || !d.Gone() {
		t.Error("a removed directory is not gone")
	}
}

// A directory that is held by its descriptor is not left for what takes its name.
func TestHeldDirectory(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/a", 0o700), os.Mkdir(dir+"/victim", 0o700))
	d, err := OpenDir(dir + "/a")
	must(t, err)
	defer d.Close()
	must(t, os.Rename(dir+"/a", dir+"/moved"), os.Symlink("victim", dir+"/a"))
	must(t, d.Replace("x", 0o600, func(*os.File) error { return nil }))
	if _, err := os.Stat(dir + "/moved/x"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir + "/victim/x"); err == nil {
		t.Error("the link that took the directory's name was followed")
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/file", []byte("x"), 0o600), os.WriteFile(dir+"/two", nil, 0o600), os.Link(dir+"/two", dir+"/hard"),
		os.Symlink("file", dir+"/link"), unix.Mkfifo(dir+"/fifo", 0o600), os.Mkdir(dir+"/sub", 0o700), os.Symlink("sub", dir+"/sublink"))
	d, err := OpenDir(dir)
	must(t, err)
	defer d.Close()
	for name, ok := range map[string]bool{"file": true, "hard": false, "link": false, "fifo": false, "sub": false, "none": false} {
		f, err := d.Open(name)
		if (err == nil) != ok || (d.Plain(name) == nil) != ok {
			t.Errorf("%s: %v, %v", name, err, d.Plain(name))
		}
		if err == nil {
			f.Close()
		}
	}
	if _, err := d.Sub("sublink"); err == nil {
		t.Error("a link to a directory was followed")
	}
	if _, err := d.Create("link", 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created over a link: %v", err)
	}
}

func TestParent(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/a/b", 0o755), os.Symlink("a/b", dir+"/c"), os.Symlink("c/../real", dir+"/out"), os.Symlink(dir+"/gone/x", dir+"/lost"))
	for path, want := range map[string]string{
		"/x": dir + "/x", "/out": dir + "/a/real", "/a/b/../y": dir + "/a/y",
		"/": "", "/a/..": "", "/lost": "", "/none/x": "",
	} {
		d, name, err := Parent(dir + path)
		if (err == nil) != (want != "") && path != "/" {
			t.Errorf("%s: %v", path, err)
		}
		if err != nil {
			continue
		}
		if path == "/" { // the directory itself, as a file in its parent
			want = dir
		}
		a, errA := os.Stat(filepath.Dir(want))
		b, errB := d.File().Stat()
		if errA != nil || errB != nil || !os.SameFile(a, b) || name != filepath.Base(want) {
			t.Errorf("%s: %s in %s, want %s", path, name, d.Path(), want)
		}
		d.Close()
	}
}

// A hostile user in the invoking user's place cannot lead a removal elsewhere.
func TestRemoveTree(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/gone/a/b", 0o755), os.MkdirAll(dir+"/kept", 0o755), os.WriteFile(dir+"/kept/x", nil, 0o600),
		os.WriteFile(dir+"/gone/a/f", nil, 0o600), os.Symlink(dir+"/kept", dir+"/gone/a/link"), unix.Mkfifo(dir+"/gone/fifo", 0o600), os.Symlink("kept", dir+"/l"))
	d, err := OpenDir(dir)
	must(t, err)
	defer d.Close()
	must(t, d.RemoveTree("gone"), d.RemoveTree("l"), d.RemoveTree("never"))
	names, err := d.Names()
	if err != nil || len(names) != 1 {
		t.Errorf("left: %v, %v", names, err)
	}
	if _, err := os.Stat(dir + "/kept/x"); err != nil {
		t.Error(err)
	}
}

func TestRemoveTreeStopsAtMounts(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/gone/mnt", 0o755), os.MkdirAll(dir+"/kept", 0o755), os.WriteFile(dir+"/kept/x", nil, 0o600))
	if err := unix.Mount(dir+"/kept", dir+"/gone/mnt", "", unix.MS_BIND, ""); err != nil {
		t.Skipf("mounting: %v", err)
	}
	defer unix.Unmount(dir+"/gone/mnt", unix.MNT_DETACH)
	d, err := OpenDir(dir)
	must(t, err)
	defer d.Close()
	if err := d.RemoveTree("gone"); err == nil || !strings.Contains(err.Error(), "mounted") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir + "/kept/x"); err != nil {
		t.Errorf("removed through a mount: %v", err)
	}
}

func TestPrivateGroup(t *testing.T) {
	if privateGroup(4243, 0) {
		t.Error("a group that is not known is private")
	}
	groups, err := os.ReadFile("/etc/group")
	if err == nil && strings.Contains(string(groups), "root:x:0:\n") && !privateGroup(0, 0) {
		t.Error("root's own group is not private")
	}
}
