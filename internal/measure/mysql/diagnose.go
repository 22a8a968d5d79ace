package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"rtrail/internal/measure/beside"
)

// diagnoses runs rtrail diagnose beside sysbench, from its start to its verdict.
func (b *comparison) diagnoses(ctx context.Context) error {
	load, before, err := b.loaded(ctx)
	if err != nil {
		return err
	}
	defer load.Stop()
	fmt.Printf("%d connections of sysbench oltp_point_select, %d turns of rtrail diagnose %s\n\n", b.server.Threads, b.rounds, b.flags)
	fmt.Printf("%6s %12s %12s %12s %8s %8s %8s %8s %10s %10s\n", "turn", "before", "with it", "after", "loss %", "noise %", "cost %", "noise %", "rtrail", "programs")
	var turns []beside.Turn
	var said []float64
	for i := range b.rounds {
		var out bytes.Buffer
		cmd := exec.CommandContext(ctx, b.rtrail, append([]string{"diagnose", "--json", "--mysql", "off"}, strings.Fields(b.flags)...)...)
		cmd.Stdout = &out
		r, err := load.Whole(cmd)
		if err != nil {
			return err
		}
		after, err := load.Rate(alone)
		if err != nil {
			return err
		}
		programs, err := costOf(out.Bytes())
		if err != nil {
			return err
		}
		t := beside.Turn{Before: before, With: r.Rate, After: after}
		fmt.Printf("%6d %12.0f %12.0f %12.0f %8.1f %8.1f %8.1f %8.1f %8.1f %% %8.1f %%\n", i+1, t.Before.Queries, t.With.Queries, t.After.Queries, t.Loss(), t.Noise(), t.Cost(), t.CostNoise(), 100*r.CPU, 100*programs)
		turns, said = append(turns, t), append(said, 100*(r.CPU+programs)/float64(runtime.NumCPU()))
		before = after
	}
	fmt.Printf("\n%s\nrtrail itself and what it says that its BPF programs cost are %.2g percent of %d CPUs\n", beside.SumUp(turns).Report(b.want), beside.Median(said), runtime.NumCPU())
	return nil
}

// costOf is what a verdict says that all BPF programs cost together, as a share of a core.
func costOf(verdict []byte) (share float64, err error) {
	var v struct {
		Probes []struct {
			Programs []struct {
				Share float64 `json:"core_share"`
			}
		}
	}
	if err := json.Unmarshal(verdict, &v); err != nil {
		return 0, fmt.Errorf("read the verdict of rtrail: %w", err)
	}
	for _, p := range v.Probes {
		for _, program := range p.Programs {
			share += program.Share
		}
	}
	return share, nil
}
