// Rtrail says why a host is slow, and proves it.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"rtrail/internal/budget"
	"rtrail/internal/crash"
	"rtrail/internal/escape"
	"rtrail/internal/infile"
	"rtrail/internal/lab/load/actor"
	"rtrail/internal/unit"
)

// Exit codes; docs/exit-codes.md tells users.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitFound  = 3 // --fail-on met
	exitMemory = 4 // more memory needed than there is
)

func main() {
	if actor.Main() {
		return
	}
	confinable = true
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program: what it is told, where it writes, its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	// A reader that went away is no error of ours: with SIGPIPE ignored, the
	// write fails with EPIPE and the program ends quietly.
	signal.Ignore(syscall.SIGPIPE)
	log.SetOutput(io.Discard) // what libraries log, as net/http does of bytes that a server sends unasked
	ctx, stop := untilSignal(stderr)
	defer stop()
	budget.Watch(ctx, func(bytes, limit int64) {
		interruptionOf(ctx).exit(stderr, fmt.Sprintf("this takes %v of memory, and %v were there: ended before the kernel kills others; read less at once, or on a larger machine",
			unit.Bytes(bytes), unit.Bytes(limit)), exitMemory)
	})

	// All that is printed goes through these, whoever prints it.
	out, errs := escape.NewWriter(stdout), escape.NewWriter(stderr)
	if _, tty := terminalWidth(stdout); tty {
		out = escape.Coloured(stdout)
	}
	defer errs.Flush()
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(infile.Reader(ctx, os.Stdin))
	root.SetOut(out)
	root.SetErr(errs)
	help := watchHelp(root)
	// What panics outside of all that costs less still leaves what was printed.
	err := cmp.Or(crash.Guard(func() error { return root.ExecuteContext(ctx) }), out.Flush())
	if err == nil && *help != nil {
		err = fmt.Errorf("writing the help: %w", *help)
	}
	var status *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return exitOK
	case errors.As(err, &status):
		if status.err != nil {
			fmt.Fprintln(errs, "rtrail:", status.err)
		}
		return status.code
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintln(errs, "rtrail:", err)
	return exitFailed
}

// exitError ends the program with a code of its own.
type exitError struct {
	code int
	err  error // printed if there is one
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError says that the command line was wrong.
func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// newRootCommand makes the command tree. `rtrail` alone is `rtrail diagnose`.
func newRootCommand() *cobra.Command {
	root := newDiagnoseCommand()
	root.Use = "rtrail [EVIDENCE...]"
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	addNoColor(root)
	root.AddCommand(
		newDiagnoseCommand(),
		newRecordCommand(),
		newBenchCommand(),
		newPingCommand(),
		newThroughputCommand(),
		newWatchCommand(),
		newPacketsCommand(),
		newMySQLCommand(),
		newAuditCommand(),
		newStacksCommand(),
		newTraceCommand(),
		newReplayCommand(),
		newTimelineCommand(),
		newDiffCommand(),
		newPackCommand(),
		newLabCommand(),
		newExplainCommand(),
		newDoctorCommand(),
		newVersionCommand(),
		newCompletionCommand(),
	)
	withCompletion(root)
	return withHelp(root)
}
