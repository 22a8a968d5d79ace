package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/sys/unix"

	"rtrail/internal/watch"
)

// fullQueue is a listener that accepts nothing, and clients that do not reach it, until stop.
func fullQueue(t *testing.T) (port int, stop func()) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 1); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	port = name.(*unix.SockaddrInet4).Port
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			d := net.Dialer{Timeout: 300 * time.Millisecond}
			for ctx.Err() == nil {
				if c, err := d.DialContext(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
					<-ctx.Done() // those that are in the queue stay there
					c.Close()
				}
			}
		})
	}
	return port, sync.OnceFunc(func() { cancel(); clients.Wait(); unix.Close(fd) })
}

// buffer may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// watching runs rtrail watch until stop, which returns what it printed.
func watching(t *testing.T, args ...string) (stop func() (stdout, stderr string)) {
	t.Helper()
	var out, errs buffer
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	root := newRootCommand()
	root.SetArgs(append([]string{"watch", "--window", "5s", "--every", "1s", "--mysql", "off", "--events", "off", "--json"}, args...))
	root.SetOut(&out)
	root.SetErr(&errs)
	go func() { done <- root.ExecuteContext(ctx) }()
	return func() (string, string) {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("it ends with %v", err)
		}
		return out.String(), errs.String()
	}
}

// A full accept queue is told once, by a command, with its cause; so is its end; and the next
// run tells neither again.
func TestWatchTellsOfAFault(t *testing.T) {
	dir := t.TempDir()
	state, told, command := filepath.Join(dir, "state.json"), filepath.Join(dir, "told"), filepath.Join(dir, "tell")
	if err := os.WriteFile(command, []byte("#!/bin/sh\n{ echo \"$RTRAIL_EVENT $RTRAIL_RULE $RTRAIL_SUBJECT\"; cat; } >> \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	port, heal := fullQueue(t)
	defer heal()
	stop := watching(t, "--state", state, "--notify", "exec:"+command+" "+told)
	wait := func(event string) string {
		t.Helper()
		mine := ""
		for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			b, _ := os.ReadFile(told)
			for line := range strings.Lines(string(b)) {
				if strings.HasPrefix(line, event+" net/accept-queue-full ") && strings.Contains(line, ":"+strconv.Itoa(port)) {
					return string(b)
				}
			}
			mine = string(b)
		}
		out, errs := stop()
		t.Fatalf("not told: %s\ntold:\n%s\nstdout:\n%s\nstderr:\n%s", event, mine, out, errs)
		return ""
	}
	wait("began")
	heal()
	text := wait("ended")
	out, errs := stop()
	for _, event := range []string{"began", "ended"} {
		if n := strings.Count(text, event+" net/accept-queue-full "); n != 1 {
			t.Errorf("%s told %d times:\n%s", event, n, text)
		}
	}
	if !strings.Contains(text, "\nLOOK    ") || !strings.Contains(text, "\nWHY     rtrail explain net/accept-queue-full") {
		t.Errorf("told:\n%s", text)
	}
	if errs != "" {
		t.Errorf("stderr: %s", errs)
	}
	checkSchema(t, out)
	b, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	s, err := watch.DecodeState(b, manifest().Host.Name, time.Now())
	if err != nil || len(s.Pending) != 0 {
		t.Errorf("state: %v, %+v", err, s.Pending)
	}
	before := strings.Count(text, "net/accept-queue-full")
	stop = watching(t, "--for", "9s", "--state", state, "--notify", "exec:"+command+" "+told)
	time.Sleep(9 * time.Second)
	stop()
	b, _ = os.ReadFile(told)
	if n := strings.Count(string(b), "net/accept-queue-full"); n != before {
		t.Errorf("after a restart:\n%s", b)
	}
}

// checkSchema wants lines as docs/watch.schema.json has them.
func checkSchema(t *testing.T, lines string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/watch.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("urn:rtrail:watch:1", value); err != nil {
		t.Fatal(err)
	}
	schema := c.MustCompile("urn:rtrail:watch:1")
	n := 0
	for line := range strings.Lines(lines) {
		n++
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if n < 3 {
		t.Errorf("%d lines", n)
	}
}
