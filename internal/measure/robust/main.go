// Command robust does to rtrail what befalls recorders: kill -9, power loss, a
// full disk, a clock that is set, a removed directory, SIGSTOP, a filesystem that
// does not answer, very many processes and sockets. Each scenario has a promise
// and measures how it is held. It needs root and takes about two minutes:
//
//	go run ./internal/measure/robust bin/rtrail
//
// ROBUST_SEED=N repeats the moments of a run whose figures name it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// scenario is one thing that goes wrong.
type scenario struct {
	name    string
	promise string
	// run does it in a folder of its own and returns what was measured; an
	// error says that the promise was broken.
	run func(ctx context.Context, e *env) (figure string, err error)
}

func scenarios() []scenario {
	return []scenario{
		{"kill", "kill -9 at a random moment costs no sample that was committed and at most the last second, and the next recorder goes on", killed},
		{"power", "power loss costs at most the last 3 s", powerLoss},
		{"full-disk", "a full disk ends nothing: samples follow within 3 s after there is room", fullDisk},
		{"clock", "every sample can be read, however the clock is set", clockSteps},
		{"vanished", "a removed directory ends the recorder with an error within 4 s", vanished},
		{"stopped", "after SIGSTOP and SIGCONT it goes on within 3 s, with a gap and no burst", stopped},
		{"hung-mount", "a filesystem that does not answer delays neither the recorder nor the verdict by more than 5 s", hungMount},
		{"processes", "20,000 processes: the verdict comes within 10 s after the time asked for, in 500 MB", manyProcesses},
		{"sockets", "10,000 sockets: the verdict comes within 10 s after the time asked for, in 500 MB", manySockets},
	}
}

// limit bounds one scenario.
const limit = time.Minute

func main() {
	if helper() {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "robust:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) < 1 {
		return errors.New("usage: robust RTRAIL [SCENARIO...]")
	}
	if os.Geteuid() != 0 {
		return errors.New("run it as root: it mounts filesystems")
	}
	program, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "rtrail-robust-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	broken := 0
	fmt.Println("| scenario | promise | measured |\n|---|---|---|")
	for _, s := range scenarios() {
		if len(args) > 1 && !strings.Contains(" "+strings.Join(args[1:], " ")+" ", " "+s.name+" ") {
			continue
		}
		figure, err := s.once(ctx, program, filepath.Join(scratch, s.name))
		if err != nil {
			broken++
			figure = fmt.Sprintf("BROKEN: %v (%s)", err, figure)
		}
		fmt.Printf("| %s | %s | %s |\n", s.name, s.promise, figure)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d promises are broken", broken)
	}
	return nil
}

// once runs a scenario and undoes what it made.
func (s scenario) once(ctx context.Context, program, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	e := &env{program: program, dir: dir}
	figure, err := s.run(ctx, e)
	return figure, errors.Join(err, e.cleanUp())
}
