// Command day writes the recording of a made-up day, to measure what long
// recordings cost:
//
//	go run ./internal/measure/day -o /tmp/day [-processes 1000] [-hours 24]
//	time bin/rtrail timeline /tmp/day
//	time bin/rtrail diff /tmp/day@12:00 /tmp/day@22:00
//
// The host has 4 CPUs, one disk and a MySQL server; one in ten processes does
// something. Known faults: batch takes all CPUs from 03:00:00 to 03:20:00 and from
// 17:00:00 to 17:00:40, backup keeps the disk busy from 11:00:00 to 11:07:30, and
// from 21:00:00 on mysqld writes 15 times as much for each statement.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"rtrail/internal/recording"
)

var midnight = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func main() {
	out := flag.String("o", "", "directory to record into (required)")
	processes := flag.Int("processes", 1000, "processes of the host")
	hours := flag.Float64("hours", 24, "how much of the day to record")
	flag.Parse()
	if *out == "" || *processes < 10 || *hours <= 0 || *hours > 24 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(*out, *processes, int(*hours*3600)); err != nil {
		fmt.Fprintln(os.Stderr, "day:", err)
		os.Exit(1)
	}
}

func write(dir string, processes, seconds int) error {
	now := midnight
	d, err := recording.Create(dir, recording.Manifest{Tool: "rtrail measure", Started: now, Probes: []recording.ProbeInfo{{Name: "made-up", Fills: recording.AllTables(), Interval: time.Second}}, Host: recording.Host{Name: "made-up", Kernel: "6.1.0", Arch: "amd64",
		CPUs: cpus, MemoryBytes: 16 << 30, PageSize: 4096, Boot: now.Add(-24 * time.Hour), CgroupVersion: "v2", NetNS: ns, PID: 999_999, Root: true}},
		recording.Options{Now: func() time.Time { return now }, Elapsed: func() time.Duration { return now.Sub(midnight) }})
	if err != nil {
		return err
	}
	h := newHost(processes)
	for range seconds {
		now = now.Add(time.Second)
		if err := d.Commit(h.second(now)); err != nil {
			return err
		}
	}
	return d.Close()
}
