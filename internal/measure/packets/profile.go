package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/summary"
)

// profiled does what `rtrail packets FILE` does, in this process, and writes
// profiles of it.
func profiled(path, cpu, heap string) error {
	if cpu != "" {
		f, err := os.Create(cpu)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := read(path); err != nil {
		return err
	}
	if heap == "" {
		return nil
	}
	f, err := os.Create(heap)
	if err != nil {
		return err
	}
	defer f.Close()
	return pprof.Lookup("allocs").WriteTo(f, 0)
}

// renew makes the profile that the compiler is guided by: of reading each of the
// big captures once.
func renew(out, dir string) error {
	dir, err := os.MkdirTemp(dir, "rtrail-measure-")
	if err != nil {
		return fmt.Errorf("make a place for captures: %w", err)
	}
	defer os.RemoveAll(dir)
	f, err := os.Create(out)
	if err != nil {
		return fmt.Errorf("write the profile: %w", err)
	}
	defer f.Close()
	var paths []string
	for _, name := range []string{"A", "B", "C", "D"} {
		paths = append(paths, filepath.Join(dir, name+".pcap"))
		if _, err := write(paths[len(paths)-1], name, 1); err != nil {
			return err
		}
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	defer pprof.StopCPUProfile()
	for _, path := range paths {
		if err := read(path); err != nil {
			return err
		}
	}
	return nil
}

// read reads a capture and sums it up.
func read(path string) error {
	src, err := pcap.OpenFile(path)
	if err != nil {
		return err
	}
	defer src.Close()
	begin := time.Now()
	workers := runtime.GOMAXPROCS(0)
	collectors := summary.New(workers, summary.Options{Second: func(*summary.Second) {}})
	report, err := engine.Run(context.Background(), src, engine.Options{
		Workers:   workers,
		Collector: func(i int) engine.Collector { return collectors.Worker(i) },
	})
	if err != nil {
		return err
	}
	_ = collectors.Result()
	took := time.Since(begin)
	fmt.Printf("%d packets in %v: %.2f million a second\n", report.Packets, took.Round(time.Millisecond), float64(report.Packets)/took.Seconds()/1e6)
	return nil
}
