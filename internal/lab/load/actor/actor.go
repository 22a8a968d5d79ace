// Package actor holds the small faulty programs of the labs: leaks, zombies,
// writers that fill a disk. They are part of rtrail's own binary, started
// through a symbolic link so that the process has a telling name.
package actor

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Variable is the environment variable that turns rtrail into an actor. Its
// value names the part to play.
const Variable = "RTRAIL_LAB_ACTOR"

// longest is how long an actor may live, whatever becomes of its lab.
const longest = 2 * time.Minute

// parts are the programs, by name. Each gets its arguments and runs until it
// is killed or fails.
var parts = map[string]func(args []string) error{
	"leak":          leak,
	"zombies":       zombies,
	"append":        appendRecords,
	"create":        createFiles,
	"rewrite":       rewriteFile,
	"read-direct":   readDirect,
	"touch-memory":  touchMemory,
	"short-leavers": shortLeavers,

	"http-pieces":     httpPieces,
	"http-two-writes": httpTwoWrites,
	"http-hasty":      httpHasty,
	"download":        download,
	"resolver":        resolver,
	"exporter":        exporter,
	"tail-server":     tailServer,
	"fan-out":         fanOutServer,
	"far-proxy":       farProxy,
	"job-server":      jobServer,
	"news-server":     newsServer,
	"sink":            sink,
}

// Main plays the part that the environment names, if it names one, and says
// whether it did.
func Main() (handled bool) {
	part, ok := os.LookupEnv(Variable)
	if !ok {
		return false
	}
	play, ok := parts[part]
	if !ok {
		fmt.Fprintf(os.Stderr, "unknown part %q in %s\n", part, Variable)
		os.Exit(2)
	}
	// The lab's processes die with it; this holds when the link to the parent
	// is lost, as for a process that entered a namespace.
	time.AfterFunc(longest, func() { os.Exit(3) })
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	if err := play(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// number returns a numeric argument, such as bytes per second.
func number(args []string, i int, what string) (int, error) {
	if i >= len(args) {
		return 0, fmt.Errorf("missing argument %d: %s", i+1, what)
	}
	n, err := strconv.Atoi(args[i])
	if err != nil {
		return 0, fmt.Errorf("argument %d, %s: %w", i+1, what, err)
	}
	return n, nil
}

// report writes a number to a file that the lab reads: how much was done.
// It is replaced in one go, so that a reader never sees half of it.
func report(path string, values ...int64) error {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintln(&b, v)
	}
	if err := os.WriteFile(path+".new", []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
