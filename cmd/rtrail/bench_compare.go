package main

import (
	"strings"

	"github.com/spf13/cobra"

	"rtrail/internal/bench/compare"
	"rtrail/internal/chart"
)

// benchCompareJob is what `rtrail bench compare` was asked to do.
type benchCompareJob struct {
	compare.Options
	benchRuns
}

func newBenchCompareCommand() *cobra.Command {
	var b benchCompareJob
	cmd := &cobra.Command{
		Use:   "compare A B...",
		Short: "Lay load tests of several environments side by side",
		Long: `Lays load tests of several environments side by side: for each scenario and
level the medians, ranks, ratios to a base with intervals, and who is first; for
each environment its settings, best level, what it was short of, and what is
wrong with its runs. Files are runs.jsonl of rtrail bench, folders with one, or
CSV files of runs, environments and tables (docs/bench.md).

The run is the sample: with one run per step nothing is called different. Four
runs a side are the least, more where many steps are compared, since all
comparisons of a metric are judged together. Where no difference is seen, the
largest that may be there is told; nothing is called equal.

Environments whose settings of the test differ from the base's (rows, seconds)
are not compared, unless --force or --vary says so.`,
		Example: `  rtrail bench compare before/ after/
  rtrail bench compare runs.jsonl --base db1 --metric qps,p99
  rtrail bench compare sysbench-runs.csv --html compared.html`,
		Args: someRuns("rtrail bench compare before/ after/"),
		RunE: b.run,
	}
	f := cmd.Flags()
	f.StringVar(&b.Base, "base", "", "compare with this environment, not with the first")
	f.BoolVar(&b.Force, "force", false, "compare in spite of unequal settings")
	f.StringSliceVar(&b.Vary, "vary", nil, "settings that may differ; repeatable")
	b.add(cmd, "the comparison", "tables of these: "+strings.Join(compare.Metrics(), ", ")+"; --json has all")
	return cmd
}

func (b *benchCompareJob) run(cmd *cobra.Command, args []string) error {
	in, err := b.read(cmd, args)
	if err != nil {
		return err
	}
	if err := in.TellApart(args); err != nil {
		return err
	}
	result, err := compare.Compare(cmd.Context(), in, b.Options)
	if err != nil {
		return err
	}
	return b.answer(cmd, result.Document(b.metrics), result, func() ([]chart.Curve, string) { return result.Curves(b.metrics) })
}
