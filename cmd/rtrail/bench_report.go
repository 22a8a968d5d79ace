package main

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/bench"
	"rtrail/internal/bench/report"
	"rtrail/internal/page"
	"rtrail/internal/privilege"
)

// benchReport is what `rtrail bench report` was asked to do.
type benchReport struct {
	p99 time.Duration
	face
	pageFlag
}

func newBenchReportCommand() *cobra.Command {
	var j benchReport
	cmd := &cobra.Command{
		Use:   "report RUNS...",
		Short: "Say what the runs of a load test show",
		Long: `Reads folders of rtrail bench, or their files runs.jsonl, and says for each
environment and scenario: the knee, the scalability law with its intervals, what
saturates from the knee on and what proves it; then each run with what clients
got and the averages of the host over exactly its seconds, and what a
transaction costs.

The knee of a closed loop is the fewest clients that get 95 % of the most that
any level got; that of an open loop the highest rate up to which all were kept,
with a p99 within --p99 where that is given. The law is refused below six
levels, where the levels follow two laws, and where its peak lies beyond them.
Runs that are invalid are listed, and nothing is concluded from them.`,
		Example: `  rtrail bench report gp3/ io2/
  rtrail bench report gp3/ --p99 10ms --html gp3.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("bench report takes folders of rtrail bench, or their files: rtrail bench report gp3/")
			}
			return nil
		},
		RunE: j.run,
	}
	f := cmd.Flags()
	f.DurationVar(&j.p99, "p99", 0, "limit of the 99th percentile of open loops (default: none)")
	j.face.add(f, "the report")
	j.pageFlag.add(f, "the report")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (j *benchReport) run(cmd *cobra.Command, args []string) error {
	if err := j.face.check(); err != nil {
		return err
	}
	if j.p99 < 0 {
		return usageError("--p99 %v: a limit is above 0", j.p99)
	}
	needs := privilege.Needs{Read: args}
	if j.html != "" {
		needs.Write = append(needs.Write, j.html)
	}
	confine(cmd.ErrOrStderr(), needs)
	var all []bench.Run
	var notes []string
	for _, path := range args {
		runs, cut, err := bench.Open(cmd.Context(), path)
		if err != nil {
			return err
		}
		if cut {
			notes = append(notes, fmt.Sprintf("%s: the last run was cut off, and is left out", path))
		}
		all = append(all, runs...)
	}
	o := report.Options{P99: math.Inf(1)}
	if j.p99 > 0 {
		o.P99 = float64(j.p99) / float64(time.Millisecond)
	}
	r := report.New(all, o)
	r.Notes = append(r.Notes, notes...)
	answer := r.Document()
	if j.html != "" {
		if err := j.write(cmd.Context(), page.Page{Document: answer, Curves: r.Curves()}); err != nil {
			return err
		}
	}
	return j.print(cmd.OutOrStdout(), answer, r)
}
