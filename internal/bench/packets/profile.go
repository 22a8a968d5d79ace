package main

import (
	"context"
	"fmt"
	"os"
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
