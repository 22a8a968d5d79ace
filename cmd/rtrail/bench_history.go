package main

import (
	"strings"

	"github.com/spf13/cobra"

	"rtrail/internal/bench/compare"
)

// benchHistoryJob is what `rtrail bench history` was asked to do.
type benchHistoryJob struct{ benchRuns }

func newBenchHistoryCommand() *cobra.Command {
	var b benchHistoryJob
	cmd := &cobra.Command{
		Use:   "history RUNS...",
		Short: "Find when results of a load test changed for good",
		Long: `Puts the runs of each environment, scenario and level in order of time, and
finds where their level changes: from when on, by how much, with an interval,
and which settings and properties of the runs changed with it. A few runs that
stand apart are no change; at the end of a series it takes four runs of the new
level to tell a change from an accident.

A series needs eight runs. Files are those of rtrail bench compare; environments
of the same name are one environment, whichever file they are in.`,
		Example: `  rtrail bench history nightly/
  rtrail bench history nightly-*/runs.jsonl --metric tps,p99 --json`,
		Args: someRuns("rtrail bench history nightly/"),
		RunE: b.run,
	}
	b.add(cmd, "the changes", "look at these: "+strings.Join(compare.Metrics(), ", "))
	return cmd
}

func (b *benchHistoryJob) run(cmd *cobra.Command, args []string) error {
	in, err := b.read(cmd, args)
	if err != nil {
		return err
	}
	history, err := compare.Historic(cmd.Context(), in, b.metrics)
	if err != nil {
		return err
	}
	return b.answer(cmd, history.Document(), history, history.Curves)
}
