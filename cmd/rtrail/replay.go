package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/escape"
	"rtrail/internal/privilege"
	"rtrail/internal/recording"
	"rtrail/internal/timeline"
	"rtrail/internal/unit"
)

const (
	// timelineLines is how many lines a timeline has at most by itself: a
	// screen or two.
	timelineLines = 60
	// atLength is how much --at shows: enough to see what led to the moment.
	atLength = time.Minute
)

// replayJob is what `rtrail replay` was asked to do.
type replayJob struct {
	at     string
	length time.Duration
	step   time.Duration
}

func newReplayCommand() *cobra.Command {
	var r replayJob
	cmd := &cobra.Command{
		Use:   "replay RECORDING",
		Short: "Show what a recording holds, and what happened when",
		Long: `Begins with the faults of a recording, with the beginning and end of each, and
the processes that used most CPU time. It judges window by window, of long
windows the busiest minute. A timeline of the host follows, then the tables and
probes.
"rtrail diagnose RECORDING --at TIME" judges any moment.`,
		Example: `  rtrail replay /var/log/rtrail
  rtrail replay night.rtr --at 03:00
  rtrail diagnose night.rtr --at 03:00`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("which recording? give a directory or an .rtr file: rtrail replay RECORDING")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			confine(cmd.ErrOrStderr(), privilege.Needs{Read: args})
			var out bytes.Buffer
			if err := r.run(cmd.Context(), &out, args[0], cmd.Flags().Changed("for")); err != nil {
				return err
			}
			_, err := cmd.OutOrStdout().Write(out.Bytes())
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.at, "at", "", "show from this time on: "+momentForms)
	f.DurationVar(&r.length, "for", atLength, "with --at: how much to show")
	f.DurationVar(&r.step, "step", 0, "time per line (default: what fits on a screen)")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (r *replayJob) run(ctx context.Context, out io.Writer, path string, lengthGiven bool) error {
	switch {
	case r.length <= 0:
		return usageError("--for %v: the time must be positive", r.length)
	case r.step < 0:
		return usageError("--step %v: the time must be positive", r.step)
	case lengthGiven && r.at == "":
		return usageError("--for needs --at")
	}
	c, err := recording.Inspect(ctx, path)
	if err != nil {
		return err
	}
	from, to := c.Window.From, c.Window.To
	if r.at != "" {
		if from, err = moment(r.at, from, to, time.Now()); err != nil {
			return err
		}
		if end := from.Add(r.length); end.Before(to) {
			to = end
		}
	}
	step := r.step
	if step == 0 {
		step = timeline.Step(to.Sub(from), timelineLines)
	}
	var runs []recording.ProbeRun
	var notes []string
	var times bytes.Buffer
	o := newOverview(path, to.Sub(from))
	for _, p := range c.Pieces {
		if p.From.After(to) || p.To.Before(from) {
			continue
		}
		rec, err := recording.OpenPiece(ctx, path, p.Number, from, to, append(slices.Clone(timeline.Tables), recording.ProbeRuns)...)
		if err != nil {
			return err
		}
		runs = append(runs, recording.Rows[recording.ProbeRun](rec)...)
		notes = append(notes, rec.Manifest().Notes...)
		if len(c.Pieces) > 1 {
			fmt.Fprintf(&times, "\n%v\n", p)
		}
		printTimeline(&times, timeline.Lines(rec, from, to, step), step)
		begin, end := later(p.From, from), earlier(p.To, to)
		if err := o.judge(ctx, p.Number, begin, end, timeline.Lines(rec, begin, end, o.judged)); err != nil {
			return err
		}
	}
	printAbout(out, c)
	if err := o.print(out); err != nil {
		return err
	}
	if times.Len() == 0 {
		printTimeline(&times, nil, step)
	}
	fmt.Fprintln(&times)
	if _, err := times.WriteTo(out); err != nil {
		return err
	}
	if r.at == "" {
		printTables(out, c)
	}
	printProbes(out, c.Manifest, runs)
	told := map[string]bool{}
	for _, n := range append(notes, c.Notes...) {
		if !told[n] {
			fmt.Fprintf(out, "note: %s\n", escape.Text(n))
		}
		told[n] = true
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

const clockLayout = "2006-01-02 15:04:05"

func printAbout(out io.Writer, c recording.Contents) {
	m, size := c.Manifest, int64(0)
	for _, s := range c.Segments {
		size += s.Bytes
	}
	fmt.Fprintf(out, "%s  %d CPUs %v  Linux %s  by %s\n", escape.Text(m.Host.Name), m.Host.CPUs, unit.Bytes(m.Host.MemoryBytes), escape.Text(m.Host.Kernel), escape.Text(m.Tool))
	fmt.Fprintf(out, "%s to %s, %v in %s, %v\n\n", c.Window.From.Local().Format(clockLayout), c.Window.To.Local().Format(clockLayout+" MST"),
		unit.Duration(c.Window.To.Sub(c.Window.From)), counted(len(c.Segments), "segment"), unit.Bytes(size))
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func printTables(out io.Writer, c recording.Contents) {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TABLE\tROWS\t")
	for _, name := range slices.Sorted(maps.Keys(c.Rows)) {
		fmt.Fprintf(w, "%s\t%v\t\n", escape.Text(string(name)), unit.Count(c.Rows[name]))
	}
	w.Flush()
	fmt.Fprintln(out)
}

// printProbes lists each probe with what it cost and what went wrong.
func printProbes(out io.Writer, m recording.Manifest, runs []recording.ProbeRun) {
	type total struct {
		runs, late, failed, lost int64
		cpu                      time.Duration
		last                     string
	}
	totals := map[string]*total{}
	for _, r := range runs {
		t := totals[r.Probe]
		if t == nil {
			t = &total{}
			totals[r.Probe] = t
		}
		t.runs++
		t.cpu += r.CPU
		t.lost += r.Lost
		if r.Late {
			t.late++
		}
		if r.Error != "" {
			t.failed, t.last = t.failed+1, r.Error
		}
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "PROBE\tRUNS\tCPU EACH\tLATE\tROWS LOST\tERRORS\t")
	for _, p := range m.Probes {
		t, name := totals[p.Name], escape.Text(p.Name)
		switch {
		case t != nil:
			fmt.Fprintf(w, "%s\t%v\t%v\t%d\t%d\t%d\t%s\n", name, unit.Count(t.runs), unit.Duration(int64(t.cpu)/t.runs), t.late, t.lost, t.failed, escape.Text(t.last))
		case p.Missing != "":
			fmt.Fprintf(w, "%s\tdid not run: %s\n", name, escape.Text(p.Missing))
		default:
			fmt.Fprintf(w, "%s\t0\t\t\t\t\t\n", name)
		}
	}
	w.Flush()
	fmt.Fprintln(out)
}

func printTimeline(out io.Writer, lines []timeline.Line, step time.Duration) {
	if len(lines) == 0 {
		fmt.Fprintln(out, "no samples of CPU, load or memory in this time")
		return
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "EACH %v\tCPU BUSY\tI/O WAIT\tLOAD\tBLOCKED\tMEM AVAIL\tSWAP USED\tSTALLED\t\n", unit.Duration(step))
	day := ""
	for _, l := range lines {
		at := l.At.Local()
		clock := at.Format("15:04:05")
		if d := at.Format(time.DateOnly); d != day {
			day, clock = d, at.Format(clockLayout)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s %s\t\n", clock,
			known(l.Busy, unit.Share(l.Busy)), known(l.IOWait, unit.Share(l.IOWait)), known(l.Load, unit.Number(l.Load)),
			known(l.Blocked, unit.Count(l.Blocked)), known(l.Available, unit.Share(l.Available)),
			known(l.SwapUsed, unit.Bytes(l.SwapUsed)), known(l.Stall, unit.Share(l.Stall)), escape.Text(l.Stalled))
	}
	w.Flush()
}

// known prints a number, or a dash where no row tells it.
func known(v float64, as fmt.Stringer) string {
	if math.IsNaN(v) {
		return "-"
	}
	return as.String()
}
