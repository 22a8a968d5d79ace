package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"rtrail/internal/mysqlview/screen"
)

// stuckScreen shows the full screen and ignores the end of its context. SIGUSR1
// stands for memory that runs out.
func stuckScreen(ctx context.Context) {
	spent := make(chan os.Signal, 1)
	signal.Notify(spent, syscall.SIGUSR1)
	go func() {
		<-spent
		interruptionOf(ctx).exit(os.Stderr, "no memory", exitMemory)
	}()
	_ = showFullScreen(ctx, tea.NewProgram(screen.New(false), tea.WithoutSignalHandler()))
}

// TestTerminalIsGivenBack ends a program that draws on the whole terminal, in all
// the ways that do not ask it.
func TestTerminalIsGivenBack(t *testing.T) {
	for name, c := range map[string]struct {
		args    []string
		signals []syscall.Signal
		code    int // -1: of the last signal
		says    string
	}{
		"memory":                {[]string{"finishes"}, []syscall.Signal{syscall.SIGUSR1}, exitMemory, "rtrail: no memory"},
		"the second signal":     {[]string{"finishes"}, []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, -1, ""},
		"a signal that is late": {nil, []syscall.Signal{syscall.SIGTERM}, exitFailed, "rtrail: interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			master, slave := openTerminal(t)
			before, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], c.args...)
			cmd.Env = append(os.Environ(), "RTRAIL_STUCK=1", "RTRAIL_SCREEN=1", "TERM=xterm-256color")
			cmd.Dir = t.TempDir()
			cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Process.Kill() }()
			var shown screenText
			go shown.read(master)
			shown.wait(t, "\x1b[?1049h")
			if now, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS); err != nil || now.Lflag == before.Lflag {
				t.Fatalf("the terminal is not raw: %+v, %v", now, err)
			}
			for _, s := range c.signals {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
				time.Sleep(100 * time.Millisecond)
			}
			_ = cmd.Wait() // the state tells
			status := cmd.ProcessState.Sys().(syscall.WaitStatus)
			if c.code < 0 && !status.Signaled() || c.code >= 0 && status.ExitStatus() != c.code {
				t.Errorf("it ended so: %v", cmd.ProcessState)
			}
			after, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the terminal is another one (-before +after):\n%s", diff)
			}
			shown.wait(t, leaveScreen)
			shown.wait(t, c.says)
		})
	}
}

// openTerminal makes a terminal of 80 columns.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	t.Cleanup(func() { _ = slave.Close() })
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// screenText is what a terminal was sent.
type screenText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screenText) read(master *os.File) {
	b := make([]byte, 4096)
	for {
		n, err := master.Read(b)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.text.Write(b[:n])
		s.mu.Unlock()
	}
}

// wait waits until the terminal was sent something.
func (s *screenText) wait(t *testing.T, want string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		text := s.text.String()
		s.mu.Unlock()
		if strings.Contains(text, want) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%q was not shown in\n%q", want, text)
		}
	}
}
