package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/bench"
	"rtrail/internal/bench/beside"
	"rtrail/internal/bench/logs"
	"rtrail/internal/bench/report"
	"rtrail/internal/infile"
	"rtrail/internal/page"
	"rtrail/internal/privilege"
)

// benchReport is what `rtrail bench report` was asked to do.
type benchReport struct {
	p99    time.Duration
	host   []string
	behind string
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
Runs that are invalid are listed, and nothing is concluded from them.

Logs of sysbench are read, too. --host names what recorded the server's host
meanwhile: a recording of rtrail, or reports of tsar, sar, vmstat or iostat.
Where its clock or time zone does not agree with that of the runs, the CPU time
shows it, and --behind says by how much to correct.`,
		Example: `  rtrail bench report gp3/ io2/
  rtrail bench report gp3/ --p99 10ms --html gp3.html
  rtrail bench report sysbench-*.log --host tsar.txt`,
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
	f.StringArrayVar(&j.host, "host", nil, "what recorded the server's host; may be given several times")
	f.StringVar(&j.behind, "behind", "", "by how much the clock of --host is behind that of the runs, as 8h; 0: not at all")
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
	if j.behind != "" && len(j.host) == 0 {
		return usageError("--behind corrects the clock of --host: say which files")
	}
	needs := privilege.Needs{Read: slices.Concat(args, j.host)}
	if j.html != "" {
		needs.Write = append(needs.Write, j.html)
	}
	confine(cmd.ErrOrStderr(), needs)
	all, notes, err := openRuns(cmd.Context(), args)
	if err != nil {
		return err
	}
	if len(j.host) > 0 {
		said, err := j.fill(cmd.Context(), all)
		if err != nil {
			return err
		}
		notes = append(notes, said...)
	}
	o := report.Options{P99: math.Inf(1)}
	if j.p99 > 0 {
		o.P99 = float64(j.p99) / float64(time.Millisecond)
	}
	r := report.New(all, o)
	r.Notes = append(r.Notes, notes...)
	answer := r.Document()
	if j.html != "" {
		p := page.Page{Document: answer, Curves: r.Curves()}
		if err := limitingSteps(cmd.Context(), r, &p); err != nil {
			return err
		}
		if err := j.write(cmd.Context(), p); err != nil {
			return err
		}
	}
	return j.print(cmd.OutOrStdout(), answer, r)
}

// openRuns reads runs of rtrail bench, and logs of sysbench.
func openRuns(ctx context.Context, paths []string) (all []bench.Run, notes []string, err error) {
	for _, path := range paths {
		isLog := infile.Begins(path, func(in io.Reader) bool {
			head := make([]byte, 64<<10)
			n, _ := io.ReadFull(in, head)
			return logs.Is(head[:n])
		})
		if isLog {
			runs, said, err := logs.Open(ctx, path)
			if err != nil {
				return nil, nil, err
			}
			all, notes = append(all, runs...), append(notes, said...)
			continue
		}
		runs, cut, err := bench.Open(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		if cut {
			notes = append(notes, fmt.Sprintf("%s: the last run was cut off, and is left out", path))
		}
		all = append(all, runs...)
	}
	return all, notes, nil
}

// fill gives runs the numbers of the host.
func (j *benchReport) fill(ctx context.Context, runs []bench.Run) (notes []string, err error) {
	var source *beside.Source
	if len(j.host) == 1 && isRecording(j.host[0]) {
		source, err = beside.Recording(ctx, j.host[0])
	} else {
		source, err = beside.Reports(ctx, j.host)
	}
	if err != nil {
		return nil, err
	}
	behind, sure, err := source.Behind(ctx, runs)
	if err != nil {
		return nil, err
	}
	switch {
	case j.behind != "":
		if behind, err = time.ParseDuration(j.behind); err != nil {
			return nil, usageError("--behind %s: a duration, as 8h or -90s", j.behind)
		}
	case behind != 0:
		return nil, fmt.Errorf("clocks do not agree: what the CPUs did fits the runs if the clock of %s is taken to be %v; say --behind %v, or --behind 0 if it is right", j.host[0], off(behind), behind)
	case !sure:
		notes = append(notes, "whether the clocks of the runs and of the host agree does not show: fewer than four runs, or CPU time that does not follow them")
	}
	return notes, source.Fill(ctx, runs, behind)
}

// off words by how much a clock is wrong.
func off(behind time.Duration) string {
	if behind < 0 {
		return fmt.Sprintf("%v ahead", -behind)
	}
	return fmt.Sprintf("%v behind", behind)
}
