// Rtrail says why a host is slow, and proves it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"rtrail/internal/lab/actor"
)

// Exit codes; docs/exit-codes.md tells users.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitFound  = 3 // --fail-on met
)

func main() {
	if actor.Main() {
		return
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program: what it is told, where it writes, its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	// A reader that went away is no error of ours: with SIGPIPE ignored, the
	// write fails with EPIPE and the program ends quietly.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	help := watchHelp(root)
	err := root.ExecuteContext(ctx)
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
			fmt.Fprintln(stderr, "rtrail:", status.err)
		}
		return status.code
	}
	fmt.Fprintln(stderr, "rtrail:", err)
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
		newPacketsCommand(),
		newMySQLCommand(),
		newStacksCommand(),
		newReplayCommand(),
		newPackCommand(),
		newLabCommand(),
		newExplainCommand(),
		newDoctorCommand(),
		newVersionCommand(),
		newCompletionCommand(),
	)
	return withHelp(root)
}
