package env

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func isolate(t *testing.T) {
	t.Helper()
	old := StateDir
	useState(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	t.Cleanup(func() { StateDir = old })
}

func useState(dir string) { StateDir = func() (string, error) { return dir, nil } }

func statePath(t *testing.T) string {
	t.Helper()
	dir, err := StateDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// leftovers lists state files and folders that labs have left.
func leftovers(t *testing.T) []string {
	t.Helper()
	state, _ := filepath.Glob(statePath(t) + "/*.json")
	dirs, _ := filepath.Glob(os.TempDir() + "/rtrail-lab-*")
	return append(state, dirs...)
}

// helper is a lab in a process of its own, that the test kills. It changes a
// file that stands for one of the kernel's, and says when it is ready.
func helper() {
	useState(os.Getenv("LAB_TEST_STATE"))
	procSys = os.Getenv("LAB_TEST_PROC_SYS")
	e, err := New("test/killed", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// setsid leaves the process group and ignores nothing: only the mark in
	// its environment leads to it.
	if _, err := e.Start("sh", "-c", "setsid sleep 61 & sleep 62"); err != nil {
		fmt.Println(err)
	}
	if err := e.Sysctl(ConntrackMax, "7"); err != nil {
		fmt.Println(err)
	}
	fmt.Println("ready", e.ID)
	time.Sleep(time.Minute)
}

func TestCleanAfterKill(t *testing.T) {
	isolate(t)
	real := procSys
	procSys = t.TempDir()
	t.Cleanup(func() { procSys = real })
	file := sysctlFile(ConntrackMax)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("4711\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LAB_TEST_HELPER=1", "LAB_TEST_STATE="+statePath(t), "LAB_TEST_PROC_SYS="+procSys)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var word, id string
	if _, err := fmt.Fscan(stdout, &word, &id); err != nil || word != "ready" {
		t.Fatalf("the lab said %q %q: %v", word, id, err)
	}

	if err := Until(t.Context(), 5*time.Second, "the lab's three processes", func() (bool, error) {
		return len(living(id, nil)) == 3, nil
	}); err != nil {
		t.Error(err)
	}
	var out strings.Builder
	if n, err := Clean(&out); err != nil || n != 0 || !strings.Contains(out.String(), "left alone") {
		t.Errorf("a running lab: %d cleaned, %v, %q", n, err, out.String())
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed: an error is what we want
	if len(living(id, nil)) == 0 {
		t.Error("the grandchild died with the lab: the test proves nothing")
	}

	out.Reset()
	if n, err := Clean(&out); err != nil || n != 1 {
		t.Errorf("after the kill: %d cleaned, %v, %q", n, err, out.String())
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "4711" {
		t.Errorf("the variable is %q, %v", b, err)
	}
	if alive := living(id, nil); len(alive) > 0 {
		t.Errorf("processes %v still run", alive)
	}
	if left := leftovers(t); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

// TestEnvOnHost makes one of everything that needs root, and looks whether it
// is gone afterwards.
func TestEnvOnHost(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make network namespaces, control groups and mounts")
	}
	for _, c := range []string{"ip", "mkfs.ext4", "losetup", "fsfreeze"} {
		if _, err := exec.LookPath(c); err != nil {
			t.Skipf("needs the command %s", c)
		}
	}
	isolate(t)
	e, err := New("test/host", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Cleanup()
	a, err := e.NetNS("a")
	if err != nil {
		t.Skipf("cannot make a network namespace here: %v", err)
	}
	b, err := e.NetNS("b")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Veth(a, b); err != nil {
		t.Error(err)
	}
	disk, err := e.LoopFS("disk", 8<<20)
	if err != nil {
		t.Skipf("cannot make a loop filesystem here: %v", err)
	}
	g, err := e.Cgroup("group", "cpu")
	if err != nil {
		t.Skipf("cannot make a control group here: %v", err)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	writer, file := e.Path("stuck-writer"), disk.Mount+"/f"
	if err := os.Symlink(shell, writer); err != nil {
		t.Fatal(err)
	}
	p, err := e.StartWith(Options{NetNS: a, Cgroups: []*Cgroup{g}}, writer, "-c", "while :; do echo line >"+file+"; done")
	if err != nil {
		t.Fatal(err)
	}
	if err := Until(t.Context(), 5*time.Second, "the writer to write", func() (bool, error) {
		_, err := os.Stat(file)
		return err == nil, err
	}); err != nil {
		t.Error(err, p.Output())
	}
	if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.PID)); err != nil || strings.TrimSpace(string(comm)) != "stuck-writer" {
		t.Errorf("it is called %q, %v", comm, err)
	}
	// The hardest thing to leave: a writer that cannot die before the thaw.
	if err := disk.Freeze(); err != nil {
		t.Error(err)
	}
	if err := Until(t.Context(), 5*time.Second, "the writer to hang", func() (bool, error) { return e.InState('D') > 0, nil }); err != nil {
		t.Error(err)
	}
	items := e.journal.list()
	if err := e.Cleanup(); err != nil {
		t.Error(err)
	}
	if alive := living(e.ID, items); len(alive) > 0 {
		t.Errorf("processes %v still run", alive)
	}
	for _, m := range items {
		switch m.Kind {
		case madeNetNS:
			m.Name = "/run/netns/" + m.Name
		case madeLink:
			m.Name = "/sys/class/net/" + m.Name
		case madeMount, madeCgroup, madeDir, madeLoop:
		default:
			continue
		}
		if _, err := os.Stat(m.Name); err == nil {
			t.Errorf("%s %s is still there", m.Kind, m.Name)
		}
	}
	if mounts, err := os.ReadFile("/proc/mounts"); err != nil || strings.Contains(string(mounts), e.ID) {
		t.Errorf("still mounted, or %v", err)
	}
	if left := leftovers(t); left != nil {
		t.Errorf("left behind: %q", left)
	}
}
