package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Targets of whole processes, from start to end.
const (
	targetCore = 1.5 // percent of one core
	targetMB   = 100
)

// whole is what one whole process cost, by wait4(2): what time(1) -v shows.
type whole struct {
	cpu  time.Duration // user and system time
	wall time.Duration
	rss  int64 // bytes at most
}

// core is the share of one core in percent.
func (p whole) core() float64 { return 100 * float64(p.cpu) / float64(p.wall) }

// command is a program to measure; %s in its arguments is a directory that is
// there for this run only.
type command struct {
	title  string
	length time.Duration
	args   []string
}

// commands are rtrail as users run it, and atop for as long.
func commands(binary string, watch, record time.Duration, tools bool) []command {
	all := []command{
		{"rtrail --for " + watch.String(), watch, []string{binary, "--for", watch.String()}},
		{"rtrail record --for " + record.String(), record, []string{binary, "record", "-o", "%s/recording", "--for", record.String()}},
	}
	if tools {
		seconds := int(watch / time.Second)
		all = append(all, command{"atop -w FILE 1 " + fmt.Sprint(seconds), watch, []string{"atop", "-w", "%s/raw", "1", fmt.Sprint(seconds + 1)}})
	}
	return all
}

// compareWhole measures every command that often and prints a row for each.
func compareWhole(all []command, rounds int) error {
	fmt.Printf("Whole processes from start to end, %d rounds. Target for rtrail: %.1f %% of a core and %d MB.\n\n", rounds, targetCore, targetMB)
	fmt.Printf("%-28s %30s %34s\n", "", "% of a core  min  median  max", "peak RSS in MB  min  median  max")
	for _, c := range all {
		if c.length <= 0 {
			continue
		}
		var core, mb []float64
		for range rounds {
			p, err := runWhole(c)
			if err != nil {
				fmt.Printf("%-28s not measured: %v\n", c.title, err)
				break
			}
			core = append(core, p.core())
			mb = append(mb, megabytes(p.rss))
		}
		if len(core) == rounds {
			fmt.Printf("%-28s %18.2f %6.2f %6.2f   %17.1f %6.1f %6.1f\n", c.title,
				slices.Min(core), median(core), slices.Max(core), slices.Min(mb), median(mb), slices.Max(mb))
		}
	}
	fmt.Println()
	return nil
}

// runWhole runs a program to its end and says what it cost.
func runWhole(c command) (whole, error) {
	dir, err := os.MkdirTemp("", "rtrail-cost-")
	if err != nil {
		return whole{}, err
	}
	defer os.RemoveAll(dir)
	args := slices.Clone(c.args)
	for i := range args {
		args[i] = string(bytes.ReplaceAll([]byte(args[i]), []byte("%s"), []byte(filepath.Clean(dir))))
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.length+20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return whole{}, fmt.Errorf("run %s: %w: %s", args[0], err, said.Bytes())
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return whole{}, fmt.Errorf("run %s: the system does not say what it used", args[0])
	}
	// A child begins with the peak of its parent (exec_mmap in fs/exec.c), which is
	// small here.
	return whole{
		cpu:  time.Duration(usage.Utime.Nano() + usage.Stime.Nano()),
		wall: time.Since(began),
		rss:  usage.Maxrss << 10,
	}, nil
}

// median of a list, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
