package main

import (
	"strings"

	"github.com/spf13/cobra"

	"rtrail/internal/bench/compare"
	"rtrail/internal/page"
)

// benchHistoryJob is what `rtrail bench history` was asked to do.
type benchHistoryJob struct {
	metrics []string
	face
	pageFlag
}

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
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("nothing is given: name files or folders with runs, as rtrail bench history nightly/")
			}
			return nil
		},
		RunE: b.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&b.metrics, "metric", nil, "look at these: "+strings.Join(compare.Metrics(), ", "))
	b.face.add(f, "the changes")
	b.pageFlag.add(f, "the changes")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (b *benchHistoryJob) run(cmd *cobra.Command, args []string) error {
	if err := b.face.check(); err != nil {
		return err
	}
	if err := checkMetrics(b.metrics); err != nil {
		return err
	}
	in, err := readRuns(cmd, args, output{"--html", b.html})
	if err != nil {
		return err
	}
	if len(b.metrics) == 0 {
		b.metrics = in.DefaultMetrics()
	}
	history, err := compare.Historic(cmd.Context(), in, b.metrics)
	if err != nil {
		return err
	}
	answer := history.Document()
	if b.html != "" {
		if err := b.write(cmd.Context(), page.Page{Document: answer}); err != nil {
			return err
		}
	}
	return b.print(cmd.OutOrStdout(), answer, history)
}
