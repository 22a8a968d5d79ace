package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

// replaying is a full screen of a recording on a terminal.
type replaying struct {
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File
	before *unix.Termios
	got    screenText
}

func startReplaying(t *testing.T, path string) *replaying {
	t.Helper()
	r := &replaying{}
	r.master, r.slave = openTerminal(t)
	if err := unix.IoctlSetWinsize(int(r.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200}); err != nil {
		t.Fatal(err)
	}
	var err error
	if r.before, err = unix.IoctlGetTermios(int(r.slave.Fd()), unix.TCGETS); err != nil {
		t.Fatal(err)
	}
	r.cmd = exec.CommandContext(t.Context(), os.Args[0], "replay", "--full", path)
	r.cmd.Args[0] = "rtrail"
	r.cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=xterm-256color")
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = r.slave, r.slave, r.slave
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go r.got.read(r.master)
	return r
}

func (r *replaying) press(t *testing.T, keys string) {
	t.Helper()
	if _, err := r.master.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// ended waits for the end, and wants the terminal as it was.
func (r *replaying) ended(t *testing.T) (screen string) {
	t.Helper()
	_ = r.cmd.Wait() // the state tells
	r.got.wait(t, "\x1b[?1049l")
	after, err := unix.IoctlGetTermios(int(r.slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.before, after); diff != "" {
		t.Errorf("the terminal is another one (-before +after):\n%s", diff)
	}
	r.got.mu.Lock()
	defer r.got.mu.Unlock()
	return r.got.text.String()
}

// On the full screen text of a recording is neither a title nor the clipboard, whatever pane
// is shown, and a resize and keys that lead nowhere break nothing.
func TestHostileRecordingOnFullScreen(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	rec := inventedHost(t, func(recording.Table, string) string { return "a" + hostile })
	r := startReplaying(t, onDisk(t, namedBy(rec.Manifest(), hostile), allRows(t, rec)))
	r.got.wait(t, "10 s")
	for i, pane := range []string{"", "PROCESSES", "DISKS", "INTERFACES", "CONTROL GROUPS", "FINDINGS"} {
		r.press(t, fmt.Sprint(i+1))
		r.got.wait(t, pane)
	}
	if err := unix.IoctlSetWinsize(int(r.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 20, Col: 90}); err != nil {
		t.Fatal(err)
	}
	r.press(t, "tnever\r")
	r.got.wait(t, "never")
	r.press(t, "?")
	r.got.wait(t, "full screen")
	r.press(t, "xn]q")
	harmlessScreen(t, r.ended(t))
	if code := r.cmd.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// allRows are all rows of a recording.
func allRows(t *testing.T, rec *recording.Recording) *recording.Writer {
	t.Helper()
	w, err := rec.Rewrite(func(_ recording.Table, _, have string) string { return have }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// However it ends, the terminal is given back.
func TestReplayGivesTheTerminalBack(t *testing.T) {
	rec := busyHost().Rec
	path := onDisk(t, rec.Manifest(), allRows(t, rec))
	for name, end := range map[string]func(r *replaying){
		"Ctrl-C":  func(r *replaying) { r.press(t, "\x03") },
		"SIGTERM": func(r *replaying) { _ = r.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startReplaying(t, path)
			r.got.wait(t, "verdict")
			end(r)
			if screen := r.ended(t); strings.Contains(screen, "panic") {
				t.Errorf("%q", screen)
			}
		})
	}
}
