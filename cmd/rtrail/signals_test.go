package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"rtrail/internal/outfile"
)

// stuck is a run that never ends by itself.
func stuck() {
	ctx, _ := untilSignal(os.Stderr)
	if len(os.Args) > 1 {
		finishes(ctx)
	}
	if os.Getenv("RTRAIL_SCREEN") != "" {
		stuckScreen(ctx)
	}
	if f, err := outfile.Create(ctx, "result.html"); err != nil || f.Close() != nil {
		panic(err)
	}
	if os.Getenv("RTRAIL_STUCK") == "memory" {
		exitAtOnce(exitMemory)
	}
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("done")
	time.Sleep(time.Minute)
}

// ends starts the test's binary as another program, sends signals, each after a
// line of output, and gives how it ended. Nothing may be left of the file that it
// was writing.
func ends(t *testing.T, how string, signals []syscall.Signal, args ...string) syscall.WaitStatus {
	t.Helper()
	dir := t.TempDir()
	defer func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", args...)
	cmd.Env, cmd.Dir = append(os.Environ(), "RTRAIL_STUCK="+how), dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for _, s := range signals {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = io.Copy(io.Discard, lines)
	_ = cmd.Wait() // the state tells
	return cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// TestSignals ends what does not end by itself: after the first signal where
// nothing is to be finished, at the second one otherwise.
func TestSignals(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(s) {
				t.Skip("ignored since before the test, as nohup does")
			}
			if got := ends(t, "1", []syscall.Signal{s}); got.ExitStatus() != exitFailed {
				t.Errorf("the first signal: %v", got)
			}
			if got := ends(t, "1", []syscall.Signal{syscall.SIGINT, s}, "finishes"); !got.Signaled() || got.Signal() != s {
				t.Errorf("the second signal: %v", got)
			}
		})
	}
}

// TestEndForMemory does so where memory runs out.
func TestEndForMemory(t *testing.T) {
	if got := ends(t, "memory", nil); got.ExitStatus() != exitMemory {
		t.Errorf("%v", got)
	}
}

// silent ARGS... runs rtrail, which opens the FIFO "fifo", of which a writer
// writes nothing, and wants a signal to end that.
func silent(ts *testscript.TestScript, neg bool, args []string) {
	fifo := ts.MkAbs("fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil && !errors.Is(err, unix.EEXIST) {
		ts.Fatalf("%v", err)
	}
	var errs bytes.Buffer
	cmd := command(ts, args)
	cmd.Stderr = &errs
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	var writer *os.File
	for writer == nil {
		var err error
		if writer, err = os.OpenFile(fifo, os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
			break
		} else if !errors.Is(err, unix.ENXIO) { // nobody reads yet
			ts.Fatalf("%v", err)
		}
		select {
		case <-ended:
			ts.Fatalf("%v ended: %s", cmd.Args, errs.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	defer writer.Close()
	ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-ended:
	case <-time.After(time.Minute):
		ts.Fatalf("%v does not end", cmd.Args)
	}
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || errs.String() != "rtrail: interrupted\n" {
		ts.Fatalf("%v exits with %d\n%s", cmd.Args, code, errs.String())
	}
}
