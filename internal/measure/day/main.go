// Command day writes the recording of a made-up day and, with -ask, measures what rtrail
// takes to answer questions about it, and fails if that is more than was promised:
//
//	go run ./internal/measure/day -ask bin/rtrail [-o DIR] [-processes 1000] [-hours 24]
//
// Without -ask the recording stays in DIR for questions of your own. The host has 4 CPUs, one
// disk and a MySQL server; one in ten processes does something. Known faults: batch takes all
// CPUs from 03:00:00 to 03:20:00 and from 17:00:00 to 17:00:40, backup keeps the disk busy from
// 11:00:00 to 11:07:30, and from 21:00:00 on mysqld writes 15 times as much for each statement.
// Nobody is seen waiting for the disk: that one is at most possible, and no line of the timeline.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"rtrail/internal/recording"
)

var midnight = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	out := flag.String("o", "", "directory to record into; with -ask by default a temporary one")
	processes := flag.Int("processes", 1000, "processes of the host")
	hours := flag.Float64("hours", 24, "how much of the day to record")
	program := flag.String("ask", "", "the rtrail to ask")
	flag.Parse()
	if *out == "" && *program == "" || *processes < 10 || *hours <= 0 || *hours > 24 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(ctx, *out, *program, *processes, int(*hours*3600)); err != nil {
		fmt.Fprintln(os.Stderr, "day:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, program string, processes, seconds int) error {
	if out == "" {
		scratch, err := os.MkdirTemp("", "rtrail-day-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(scratch)
		out = filepath.Join(scratch, "day")
	}
	if err := write(ctx, out, processes, seconds); err != nil || program == "" {
		return err
	}
	return ask(ctx, program, out)
}

func write(ctx context.Context, dir string, processes, seconds int) error {
	now := midnight
	d, err := recording.Create(dir, recording.Manifest{Tool: "rtrail measure", Started: now, Probes: []recording.ProbeInfo{{Name: "made-up", Fills: recording.AllTables(), Interval: time.Second}}, Host: recording.Host{Name: "made-up", Kernel: "6.1.0", Arch: "amd64",
		CPUs: cpus, MemoryBytes: 16 << 30, PageSize: 4096, Boot: now.Add(-24 * time.Hour), CgroupVersion: "v2", NetNS: ns, PID: 999_999, Root: true}},
		recording.Options{Now: func() time.Time { return now }, Elapsed: func() time.Duration { return now.Sub(midnight) }})
	if err != nil {
		return err
	}
	h := newHost(processes)
	for range seconds {
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), d.Close())
		}
		now = now.Add(time.Second)
		if err := d.Commit(h.second(now)); err != nil {
			return err
		}
	}
	return d.Close()
}
