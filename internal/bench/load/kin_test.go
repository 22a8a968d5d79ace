package load

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// forker leaves three processes behind: one in the background, one in a session of its own whose
// parent ends (a double fork), and one in a group of its own. Each writes its PID into a file.
const forker = `
keep() { sh -c 'echo $$ >"$1.new"; mv "$1.new" "$1"; exec sleep 300' keep "$1"; }
keep "$D/background" &
(setsid sh -c '(echo $$ >/dev/null; sh -c "echo \$\$ >$D/session.new; mv $D/session.new $D/session; exec sleep 300" </dev/null >/dev/null 2>&1 &) ; exit 0') &
(set -m; keep "$D/group" </dev/null >/dev/null 2>&1 &)
while [ ! -e "$D/background" ] || [ ! -e "$D/session" ] || [ ! -e "$D/group" ]; do sleep 0.02; done
`

// pidsOf are those that the forker left.
func pidsOf(t *testing.T, dir string) (pids []int) {
	t.Helper()
	for _, name := range []string{"background", "session", "group"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// alive says which of some processes are there.
func alive(pids []int) (list []int) {
	for _, pid := range pids {
		if r, ok := readRelative(pid); ok && !r.dead {
			list = append(list, pid)
		}
	}
	return list
}

// What a command forks away ends with its step, however the step ends; others of this host stay.
func TestDescendantsEnd(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid (util-linux)")
	}
	for name, tt := range map[string]struct {
		script string
		limit  time.Duration
		stop   bool
		fails  string
	}{
		"it ends":           {script: forker + "echo 5", limit: time.Minute},
		"it fails":          {script: forker + "exit 3", limit: time.Minute, fails: "exit status 3"},
		"its time is over":  {script: forker + "sleep 300", limit: 3 * time.Second, fails: "did not end within 3s"},
		"it is interrupted": {script: forker + "touch $D/ready; sleep 300", limit: time.Minute, stop: true, fails: "context canceled"},
		"it ignores TERM":   {script: "trap '' TERM; " + forker + "while :; do sleep 1; done", limit: 2 * time.Second, fails: "did not end within 2s"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("D", dir)
			beside := exec.Command("sleep", "300")
			beside.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := beside.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = beside.Process.Kill()
				_ = beside.Wait()
			}()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if tt.stop {
				go func() {
					for _, err := os.Stat(filepath.Join(dir, "ready")); err != nil; _, err = os.Stat(filepath.Join(dir, "ready")) {
						time.Sleep(10 * time.Millisecond)
					}
					stop()
				}()
			}
			c := &Command{Args: []string{"/bin/sh", "-c", tt.script}}
			_, err := c.Run(ctx, Level{Threads: 1}, Limits{Time: tt.limit}, quiet())
			if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) && !(tt.stop && errors.Is(err, context.Canceled)) {
				t.Errorf("%v, want %q", err, tt.fails)
			}
			if left := alive(pidsOf(t, dir)); len(left) > 0 {
				t.Errorf("of %v are left: %v", pidsOf(t, dir), left)
			}
			if len(alive([]int{beside.Process.Pid})) == 0 {
				t.Error("a process ended that the command did not start")
			}
		})
	}
}

// What another child of rtrail leaves behind comes to rtrail, too, while a command runs: it stays.
func TestStrangersThatComeToRtrailStay(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid (util-linux)")
	}
	dir := t.TempDir()
	t.Setenv("D", dir)
	beside := exec.Command("/bin/sh", "-c", `while [ ! -e $D/go ]; do sleep 0.02; done
setsid sh -c 'echo $$ >$D/stranger.new; mv $D/stranger.new $D/stranger; exec sleep 300' </dev/null >/dev/null 2>&1 & exit 0`)
	if err := beside.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- beside.Wait() }()
	c := &Command{Args: []string{"/bin/sh", "-c", forker + "touch $D/go; while [ ! -e $D/stranger ]; do sleep 0.02; done; sleep 0.2; echo 5"}}
	if _, err := c.Run(t.Context(), Level{Threads: 1}, Limits{Time: time.Minute}, quiet()); err != nil {
		t.Fatal(err)
	}
	if err := <-gone; err != nil {
		t.Error(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "stranger"))
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	r, ok := readRelative(stranger)
	if !ok || r.dead || r.parent != os.Getpid() {
		t.Errorf("the stranger is %+v, %v", r, ok)
	}
	r.signal(syscall.SIGKILL)
	if left := alive(pidsOf(t, dir)); len(left) > 0 {
		t.Errorf("of %v are left: %v", pidsOf(t, dir), left)
	}
}

// Who ends at once ends the commands, too.
func TestEndAll(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid (util-linux)")
	}
	dir := t.TempDir()
	t.Setenv("D", dir)
	p, err := startCommand(t.Context(), []string{"/bin/sh", "-c", forker + "touch $D/ready; sleep 300"})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := os.Stat(filepath.Join(dir, "ready")); err != nil; _, err = os.Stat(filepath.Join(dir, "ready")) {
		time.Sleep(10 * time.Millisecond)
	}
	pids := append(pidsOf(t, dir), p.command.Process.Pid)
	EndAll()
	p.lines(func(string) {})
	if err := p.wait(); err == nil {
		t.Error("the command ended by itself")
	}
	if left := alive(pids); len(left) > 0 {
		t.Errorf("of %v are left: %v", pids, left)
	}
}

// A process of the same number that began later is another one.
func TestSignalsOnlyThatProcess(t *testing.T) {
	c := exec.Command("sleep", "300")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	r, ok := readRelative(c.Process.Pid)
	if !ok || r.parent != os.Getpid() {
		t.Fatalf("%+v, %v", r, ok)
	}
	other := r
	other.start++
	other.signal(syscall.SIGKILL)
	time.Sleep(50 * time.Millisecond)
	if now, ok := readRelative(r.pid); !ok || now.dead {
		t.Error("a signal for another process ended it")
	}
	r.signal(syscall.SIGKILL)
	if err := c.Wait(); err == nil {
		t.Error("it was not ended")
	}
}
