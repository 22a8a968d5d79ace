package main

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"rtrail/internal/escape"
)

// onScreen watches a server on a terminal until the time is over, looks at all
// lists, quits, and gives what the terminal got.
func onScreen(t *testing.T, server string) string {
	t.Helper()
	master, slave := openTerminal(t)
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "mysql", "--full", "--for", "3s", server)
	cmd.Args[0] = "rtrail"
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var got screenText
	go got.read(master)
	got.wait(t, "ENDED")
	for _, key := range "2345?xq" {
		if _, err := master.WriteString(string(key)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond) // it draws now and then, not for each key
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v", err)
	}
	got.wait(t, "\x1b[?1049l")
	got.mu.Lock()
	defer got.mu.Unlock()
	return got.text.String()
}

// drawn are the sequences with which the library of the full screen draws.
var drawn = regexp.MustCompile(`\x1b\[[0-9;?<=>]*\$?[A-Za-z]|\x1b\]2;rtrail [a-z]+\x07|\x1b\]2;\x07|\x1b[=>78]`)

// harmlessScreen fails the test if the terminal got what only the server can have
// said so.
func harmlessScreen(t *testing.T, screen string) {
	t.Helper()
	for _, bad := range []string{"\x1b[31m", "owned\x07", "\x1b]52;", "\nFORGED"} {
		if at := strings.Index(screen, bad); at >= 0 {
			t.Errorf("the terminal gets %q: %q", bad, screen[max(at-100, 0):min(at+100, len(screen))])
		}
	}
	rest := strings.NewReplacer("\r", "", "\n", "", "\t", "", "\b", "").Replace(drawn.ReplaceAllString(screen, ""))
	if at := strings.IndexFunc(rest, escape.Hidden); at >= 0 || !utf8.ValidString(rest) {
		at = max(at, 0)
		t.Errorf("the terminal gets %q", rest[max(at-100, 0):min(at+100, len(rest))])
	}
}

// On the full screen text of a server is neither a title nor the clipboard, nor is
// it written backwards. When the time is over it says so, and a key ends it.
func TestHostileMySQLServerOnFullScreen(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	for name, c := range map[string]struct {
		server func(t *testing.T) string
		shows  []string
	}{
		"evil text": {func(t *testing.T) string { return evilServer().start(t) }, []string{"8.0.43", `\u202e`, `\x1b`}},
		"silent": {func(t *testing.T) string {
			return serving(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c); c.Close() })
		}, []string{"no answer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screen := onScreen(t, "u:p@"+c.server(t))
			harmlessScreen(t, screen)
			for _, want := range c.shows {
				if !strings.Contains(screen, want) {
					t.Errorf("%q is not shown: %.3000q", want, screen)
				}
			}
		})
	}
}
