package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rtrail/internal/bench/compare"
	"rtrail/internal/nearest"
	"rtrail/internal/page"
	"rtrail/internal/privilege"
)

// benchCompareJob is what `rtrail bench compare` was asked to do.
type benchCompareJob struct {
	compare.Options
	metrics []string
	face
	pageFlag
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
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("nothing is given: name files or folders with runs, as rtrail bench compare before/ after/")
			}
			return nil
		},
		RunE: b.run,
	}
	f := cmd.Flags()
	f.StringVar(&b.Base, "base", "", "compare with this environment, not with the first")
	f.BoolVar(&b.Force, "force", false, "compare in spite of unequal settings")
	f.StringSliceVar(&b.Vary, "vary", nil, "settings that may differ; repeatable")
	f.StringSliceVar(&b.metrics, "metric", nil, "tables of these: "+strings.Join(compare.Metrics(), ", ")+"; --json has all")
	b.face.add(f, "the comparison")
	b.pageFlag.add(f, "the comparison")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (b *benchCompareJob) run(cmd *cobra.Command, args []string) error {
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
	if err := in.TellApart(args); err != nil {
		return err
	}
	result, err := compare.Compare(cmd.Context(), in, b.Options)
	if err != nil {
		return err
	}
	if len(b.metrics) == 0 {
		b.metrics = in.DefaultMetrics()
	}
	answer := result.Document(b.metrics)
	if b.html != "" {
		if err := b.write(cmd.Context(), page.Page{Document: answer}); err != nil {
			return err
		}
	}
	return b.print(cmd.OutOrStdout(), answer, result)
}

// checkMetrics refuses names that are none of numbers of a run.
func checkMetrics(names []string) error {
	for _, m := range names {
		if !slices.Contains(compare.Metrics(), m) {
			return usageError("--metric %q: no such metric%s; there are %s", m, nearest.Hint(m, compare.Metrics()), strings.Join(compare.Metrics(), ", "))
		}
	}
	return nil
}

// readRuns reads the runs of files and folders.
func readRuns(cmd *cobra.Command, args []string, outputs ...output) (*compare.Input, error) {
	files, err := compare.Files(args)
	if err != nil {
		return nil, err
	}
	var paths, reads, writes []string
	for _, f := range files {
		paths, reads = append(paths, f.Path), append(reads, f.Reads()...)
	}
	if err := checkOutputs(outputs, paths); err != nil {
		return nil, err
	}
	for _, o := range outputs {
		writes = append(writes, o.path)
	}
	confine(cmd.ErrOrStderr(), privilege.Needs{Read: reads, Write: writes})
	return compare.Read(cmd.Context(), files)
}
