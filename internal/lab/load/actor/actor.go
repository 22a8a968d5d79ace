// Package actor holds the small faulty programs of the labs: leaks, zombies,
// writers that fill a disk. They are part of rtrail's own binary, started
// through a symbolic link so that the process has a telling name.
package actor

import (
	"fmt"
	"net"
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

// part is a program. It gets its arguments and runs until it is killed or fails.
type part struct {
	arguments string // that it cannot do without
	play      func(args []string) error
}

var parts = map[string]part{
	"leak":            {"BYTES_PER_SECOND NOISE_BYTES LEAKING", leak},
	"zombies":         {"PER_SECOND REPORT", zombies},
	"append":          {"PATH REPORT", appendRecords},
	"create":          {"DIR REPORT", createFiles},
	"rewrite":         {"PATH MILLISECONDS REPORT", rewriteFile},
	"read-direct":     {"PATH REPORT", readDirect},
	"touch-memory":    {"BYTES REPORT [GROWS_PER_SECOND [PAUSE_MS]]", touchMemory},
	"short-leavers":   {"PER_SECOND REPORT", shortLeavers},
	"supervise":       {"COMMAND", supervise},
	"http-pieces":     {"ADDRESS PIECES PAUSE_MS", httpPieces},
	"http-two-writes": {"ADDRESS nagle|nodelay", httpTwoWrites},
	"http-hasty":      {"ADDRESS hasty|polite", httpHasty},
	"download":        {"ADDRESS PATH PAUSE_MS REPORT", download},
	"datagrams":       {"ADDRESS:PORT BURST MILLISECONDS TEXT", datagrams},
	"resolver":        {"ADDRESS answer|drop-first|mute", resolver},
	"exporter":        {"ADDRESS:PORT BREAKS", exporter},
	"tail-server":     {"ADDRESS:PORT PERMILLE MILLISECONDS", tailServer},
	"fan-out":         {"ADDRESS:PORT BACKEND:PORT CALLS", fanOutServer},
	"far-proxy":       {"ADDRESS:PORT UPSTREAM:PORT MICROSECONDS", farProxy},
	"worker-pool":     {"WORKERS MILLISECONDS BYTES ADDRESS:PORT", workerPool},
	"job-server":      {"WORKERS MILLISECONDS ADDRESS:PORT...", jobServer},
	"news-server":     {"ADDRESS:PORT", newsServer},
	"stock-app":       {"ADDRESS:PORT DATABASE:PORT", stockApp},
	"stock-batch":     {"DATABASE:PORT PATH", stockBatch},
	"sink":            {"ADDRESS:PORT", sink},
	"delay":           {"DEVICE MILLISECONDS [BYTES_PER_SECOND [QUEUE_BYTES]]", delay},
	"find-words":      {"GROWN REPORT", findWords},
}

// Main plays the part that the environment names, if it names one, and says
// whether it did.
func Main() (handled bool) {
	name, ok := os.LookupEnv(Variable)
	if !ok {
		return false
	}
	p, ok := parts[name]
	if !ok {
		fail(fmt.Errorf("unknown part %q in %s", name, Variable))
	}
	args := os.Args[1:]
	if len(args) < strings.Count(p.arguments, " ")+1-strings.Count(p.arguments, "[") {
		fail(fmt.Errorf("%s needs %s", name, p.arguments))
	}
	// The lab's processes die with it; this holds when the link to the parent
	// is lost, as for a process that entered a namespace.
	time.AfterFunc(longest, func() { os.Exit(3) })
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	if err := p.play(args); err != nil {
		fail(err)
	}
	return true
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// number is a numeric argument, such as bytes per second.
func number(args []string, i int) int {
	n, err := strconv.Atoi(args[i])
	if err != nil {
		fail(fmt.Errorf("argument %d: %w", i+1, err))
	}
	return n
}

// serve hands each connection to an address to a goroutine, which closes it after.
func serve(address string, handle func(net.Conn)) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			handle(c)
		}()
	}
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
