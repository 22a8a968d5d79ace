package localfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// elsewhere is the folder that the test program makes its root directory, in mounts of its own,
// if it is asked to be a process for these tests.
const elsewhere = "LOCALFILE_ELSEWHERE"

func init() {
	if dir := os.Getenv(elsewhere); dir != "" {
		runtime.LockOSThread() // /proc/PID/root is that of the first thread
		err := errors.Join(unix.Unshare(unix.CLONE_NEWNS), unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
			unix.Mount(dir, dir, "", unix.MS_BIND, ""), unix.Mount("none", dir+"/own", "tmpfs", 0, ""), os.WriteFile(dir+"/own/log", []byte("own"), 0o600), unix.Chroot(dir))
		fmt.Println("ready", err)
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
}

// in is a process whose root directory is a folder, with a filesystem in it that nobody else
// has.
func in(t *testing.T, dir string) int32 {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root for mounts of its own")
	}
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), elsewhere+"="+dir)
	stdin, err1 := c.StdinPipe()
	stdout, err2 := c.StdoutPipe()
	if err := errors.Join(err1, err2, c.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); _ = c.Wait() })
	said := make([]byte, 200)
	if n, _ := stdout.Read(said); string(said[:n]) != "ready <nil>\n" {
		t.Skipf("no mounts of its own: %s", said[:n])
	}
	return int32(c.Process.Pid)
}

// Files that somebody names in another root directory: links lead nowhere else, and nothing
// waits for a pipe or a filesystem that only the process has.
func TestOpenOwnedElsewhere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Mkdir(dir+"/own", 0o700), os.MkdirAll(dir+"/var/lib/db", 0o700), os.MkdirAll(dir+"/etc", 0o700),
		os.WriteFile(dir+"/var/lib/db/slow.log", []byte("log"), 0o600), os.WriteFile(dir+"/etc/passwd", []byte("inside"), 0o600),
		os.Symlink("/var/lib/db", dir+"/data"), os.Symlink("../../lib/../lib/db", dir+"/var/lib/same"), os.Symlink("slow.log", dir+"/var/lib/db/latest"),
		os.Symlink("/../../../../../../../etc", dir+"/out"), os.Symlink("own", dir+"/served"), os.Symlink("/loop", dir+"/loop"),
		unix.Mkfifo(dir+"/var/lib/db/fifo", 0o600), os.Link(dir+"/etc/passwd", dir+"/etc/hard"),
		os.WriteFile(dir+"/etc/other", nil, 0o600), os.Chown(dir+"/etc/other", 65533, -1),
	} {
		if err != nil && os.Getuid() == 0 {
			t.Fatal(err)
		}
	}
	pid := in(t, dir)
	for path, want := range map[string]string{
		"/var/lib/db/slow.log":  "log",
		"/data/slow.log":        "log",
		"/var/lib/x/../db/none": "no such file",
		"/var/lib/same/none":    "no such file",
		"/data/latest":          "not a regular file",
		"/data/fifo":            "not a regular file",
		"/data":                 "not a regular file",
		"/out/passwd":           "several", // the one inside
		"/../../etc/passwd":     "several",
		"/own/log":              "server",
		"/served/log":           "server",
		"/loop/log":             "not a directory",
		"/etc/other":            "belongs to user 65533",
	} {
		done := make(chan string, 1)
		go func() {
			f, err := OpenOwned(pid, path, 0)
			if err != nil {
				done <- err.Error()
				return
			}
			defer f.Close()
			b, _ := io.ReadAll(f)
			done <- string(b)
		}()
		select {
		case got := <-done:
			if want == "several" {
				want = errHardText(t, dir)
			}
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: waits", path)
		}
	}
	if st, err := Stat(pid, "/data/fifo"); err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		t.Errorf("%o, %v", st.Mode, err)
	}
	if st, err := StatFolder(pid, "/data/fifo"); err != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		t.Errorf("%o, %v", st.Mode, err)
	}
	if _, err := StatFolder(pid, "/served/log"); !errors.Is(err, errServer) {
		t.Errorf("a folder that is not trusted: %v", err)
	}
	root := fmt.Sprintf("/proc/%d/root", pid)
	if !SameDirectory(root, dir) || SameDirectory(root, "/proc/self/root") || SameDirectory(root, "/proc/0/root") || SameDirectory("/proc/self/exe", "/proc/self/exe") {
		t.Error("directories are not told apart")
	}
}

// errHardText is what opening a file with two names says.
func errHardText(t *testing.T, dir string) string {
	t.Helper()
	_, err := OpenOwned(int32(os.Getpid()), dir+"/etc/hard")
	if err == nil {
		t.Fatal("a file with two names is opened")
	}
	return errors.Unwrap(err).Error()
}
