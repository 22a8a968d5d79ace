package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rtrail/internal/mysqlconn/mysqltest"
)

// evil is text of a server that means harm: titles, clipboards, colours and moves
// of the cursor in seven and eight bits, reversed writing, lines, bytes that are
// no UTF-8.
const evil = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x1b]52;c;aGk=\x07\x9b31m\u009b2J\u009d0;t\u009c\u202e\u2066\u200b\ufeff\r\nFORGED 1 2 3\n\xff\xfe\x00"

// evilServer answers everything with such text, short and long.
func evilServer() *talkingServer {
	long := strings.Repeat(evil, 1000)
	return &talkingServer{version: "8.0.43" + evil, rows: 50, waits: true, innodb: evil,
		variables: [][]string{{evil, evil}, {"version_comment", evil}, {"sql_mode", long}},
		name: func(column string, row int) string {
			if row == 7 {
				return column + long
			}
			return column + evil
		},
		text: func(_ string, row int) string {
			if row == 5 {
				return "select a from `" + strings.Repeat("x"+evil, 12_000) // 2 MB
			}
			return "select a from `t" + evil + "` where b = 1"
		}}
}

// ran is what a run of the program took and gave.
type ran struct {
	printed
	took   time.Duration
	memory int64 // bytes resident at most
}

// runBounded runs this test's binary as the program.
func runBounded(t *testing.T, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Args[0] = "rtrail"
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return ran{printed{strings.Join(args, " "), out.String(), errs.String(), cmd.ProcessState.ExitCode()}, time.Since(began), usage.Maxrss << 10}
}

// bounded fails the test where a run took more than a server may make it take.
func (r ran) bounded(t *testing.T, name string, codes ...int) {
	t.Helper()
	known := false
	for _, c := range codes {
		known = known || r.code == c
	}
	if !known || r.took > 30*time.Second || r.memory > 512<<20 {
		t.Errorf("%s: %s: exit %d, %v, %d MiB\n%.500s", name, r.of, r.code, r.took, r.memory>>20, r.errs)
	}
	shown(t, name+": "+r.of, r.out)
	shown(t, name+": "+r.of+", standard error", r.errs)
	for _, text := range []string{r.out, r.errs} {
		for _, bad := range []string{"\nFORGED", "panic:", "crashed (bug)"} {
			if at := strings.Index("\n"+text, bad); at >= 0 {
				t.Errorf("%s: %s: %q at %.2000s", name, r.of, bad, text[max(at-300, 0):])
			}
		}
	}
	if strings.Contains(r.of, "--json") && r.code == exitOK {
		isJSON(t, r.printed)
	}
}

// What a server says harms nobody who looks at it, in any view.
func TestHostileMySQLServer(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	address := "u:p@" + evilServer().start(t)
	dir := filepath.Join(t.TempDir(), "rec")
	for _, args := range [][]string{
		{"mysql", "--for", "3s", "--explain", "--deep", address}, {"mysql", "--json", "--for", "3s", address}, {"mysql", "audit", "--for", "3s", address},
		{"mysql", "audit", "--json", "--for", "3s", address}, {"mysql", "--for", "3s", "--literals", address},
		{"record", "-o", dir, "--for", "3s", "--mysql", address}, {"replay", dir}, {"diagnose", dir, "-v"}, {"diagnose", dir, "--json"},
		{"--for", "3s", "--mysql", address, "-v"},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			if args[0] != "replay" && args[0] != "diagnose" && args[0] != "record" {
				t.Parallel()
			}
			r := runBounded(t, args...)
			r.bounded(t, "evil", exitOK)
			if args[0] == "mysql" && !strings.Contains(r.out, "1") {
				t.Error("it shows nothing")
			}
		})
	}
}

// A server that does not keep to the protocol costs neither time nor memory
// without end, and the exit code is that of a failure.
func TestServersThatBreakTheProtocol(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	hello := mysqltest.Greeting("mysql_native_password", 0) // and whatever the client says
	after := func(c net.Conn, say func()) {
		defer c.Close()
		if _, err := io.WriteString(c, hello); err != nil {
			return
		}
		b := make([]byte, 4096)
		if _, err := c.Read(b); err != nil {
			return
		}
		say()
	}
	endless := func(c net.Conn, piece string) {
		for {
			if _, err := io.WriteString(c, piece); err != nil {
				return
			}
		}
	}
	asked := func(raw string, forever string) func(net.Conn) {
		return func(c net.Conn) {
			after(c, func() {
				if _, err := io.WriteString(c, mysqltest.Packet(2, mysqltest.OK)); err != nil {
					return
				}
				b := make([]byte, 4096)
				if _, err := c.Read(b); err != nil {
					return
				}
				if _, err := io.WriteString(c, raw); err == nil && forever != "" {
					endless(c, forever)
				}
				_, _ = io.Copy(io.Discard, c)
			})
		}
	}
	for name, serve := range map[string]func(net.Conn){
		"never answers":  func(c net.Conn) { _, _ = io.Copy(io.Discard, c); c.Close() },
		"closes at once": func(c net.Conn) { c.Close() },
		"one byte a second": func(c net.Conn) {
			defer c.Close()
			for _, b := range []byte(hello + hello) {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		},
		"endless greeting": func(c net.Conn) { defer c.Close(); endless(c, "\xff\xff\xff\x00"+strings.Repeat("x", 1<<20)) },
		"evil error": func(c net.Conn) {
			defer c.Close()
			_, _ = io.WriteString(c, mysqltest.Packet(0, mysqltest.Error(1040, evil)))
		},
		"evil method": func(c net.Conn) {
			after(c, func() { _, _ = io.WriteString(c, mysqltest.Packet(2, mysqltest.Switch(evil[:20]))) })
		},
		"switches without end": func(c net.Conn) {
			after(c, func() { endless(c, mysqltest.Packet(2, mysqltest.Switch("mysql_native_password"))) })
		},
		"2^40 columns":    asked(mysqltest.Packet(1, "\xfe\x00\x00\x00\x00\x00\x01\x00\x00"), ""),
		"endless columns": asked(mysqltest.Packet(1, "\x05"), mysqltest.Packet(2, mysqltest.Column("a"))),
		"endless rows": asked(mysqltest.Packets([]string{"\x01", mysqltest.Column("version"), mysqltest.End}),
			mysqltest.Packet(4, mysqltest.Row(strings.Repeat("x", 200)))),
		"endless packet": asked("", "\xff\xff\xff\x01"+strings.Repeat("x", 1<<24-1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := "u:p@" + serving(t, serve)
			runBounded(t, "mysql", "--for", "4s", address).bounded(t, name, exitFailed)
			runBounded(t, "mysql", "audit", "--for", "4s", address).bounded(t, name, exitFailed)
		})
	}
}
