package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"rtrail/internal/bench/load"
	"rtrail/internal/crash"
	"rtrail/internal/safefile"
)

// grace is how long a verb that reads evidence may take to end after a signal.
const grace = 900 * time.Millisecond

// interruption is how a run ends that does not come to its end.
type interruption struct {
	finishes atomic.Bool
	screen   atomic.Pointer[fullScreen] // what the terminal shows; nil: lines
	left     atomic.Pointer[string]     // what stays changed elsewhere if the program ends now
}

type interruptionKey struct{}

// finishes says that what runs has something to finish when it is interrupted,
// such as a recording to close or a verdict on what was seen so far, and takes
// the time that needs. Without it a run ends within a second of a signal.
func finishes(ctx context.Context) {
	if i := interruptionOf(ctx); i != nil {
		i.finishes.Store(true)
	}
}

// leaves says what stays changed elsewhere if the program ends now, and how to put it back;
// "": nothing. A second signal prints that.
func leaves(ctx context.Context, words string) {
	if i := interruptionOf(ctx); i != nil {
		i.left.Store(&words)
	}
}

// interruptionOf is that of a run; nil in a test that has none.
func interruptionOf(ctx context.Context) *interruption {
	i, _ := ctx.Value(interruptionKey{}).(*interruption)
	return i
}

// exit ends the program where it stands, with the terminal as it was before.
func (i *interruption) exit(stderr io.Writer, message string, code int) {
	i.screen.Load().leave()
	say(stderr, message)
	exitAtOnce(code)
}

// say prints last words. A reader of stderr that has stopped does not keep it.
func say(stderr io.Writer, message string) {
	said := make(chan struct{})
	go func() {
		defer close(said)
		_ = crash.Guard(func() error {
			_, err := fmt.Fprintln(stderr, "rtrail:", message)
			return err
		})
	}()
	select {
	case <-said:
	case <-time.After(saying):
	}
}

// saying is how long the last words may take.
const saying = 100 * time.Millisecond

// untilSignal is a context that the first SIGINT, SIGTERM or SIGHUP ends. The
// second signal ends the program at once, whatever that does.
func untilSignal(stderr io.Writer) (context.Context, func()) {
	i := &interruption{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), interruptionKey{}, i))
	wanted := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		wanted = append(wanted, syscall.SIGHUP)
	}
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, wanted...)
	go func() {
		select {
		case <-signals:
			cancel()
		case <-done:
			return
		}
		var late <-chan time.Time
		if !i.finishes.Load() {
			late = time.After(grace)
		}
		select {
		case s := <-signals:
			i.screen.Load().leave()
			if words := i.left.Load(); words != nil && *words != "" {
				say(stderr, *words)
			}
			dieOf(s.(syscall.Signal))
		case <-late:
			i.exit(stderr, "interrupted", exitFailed)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// tidying is how long the removal of temporary files may delay an end.
const tidying = 300 * time.Millisecond

// exitAtOnce ends the program without unwinding what runs.
func exitAtOnce(code int) {
	load.EndAll()
	safefile.RemoveTemporaries(tidying)
	os.Exit(code)
}

// dieOf ends the program as if it did not handle the signal, so that whoever
// started it sees that.
func dieOf(s syscall.Signal) {
	load.EndAll()
	safefile.RemoveTemporaries(tidying)
	signal.Reset(s)
	_ = syscall.Kill(os.Getpid(), s) // if it is ignored, the last line ends us
	time.Sleep(100 * time.Millisecond)
	os.Exit(128 + int(s))
}
