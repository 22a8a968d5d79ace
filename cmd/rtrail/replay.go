package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/document"
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

	markdown bool
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
			d, err := r.run(cmd.Context(), args[0], cmd.Flags().Changed("for"))
			if err != nil {
				return err
			}
			as := face{markdown: r.markdown}
			return as.print(cmd.OutOrStdout(), d, nil)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.at, "at", "", "show from this time on: "+momentForms)
	f.DurationVar(&r.length, "for", atLength, "with --at: how much to show")
	f.DurationVar(&r.step, "step", 0, "time per line (default: what fits on a screen)")
	f.BoolVar(&r.markdown, "markdown", false, "print as Markdown")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (r *replayJob) run(ctx context.Context, path string, lengthGiven bool) (d document.Document, err error) {
	switch {
	case r.length <= 0:
		return d, usageError("--for %v: the time must be positive", r.length)
	case r.step < 0:
		return d, usageError("--step %v: the time must be positive", r.step)
	case lengthGiven && r.at == "":
		return d, usageError("--for needs --at")
	}
	c, err := recording.Inspect(ctx, path)
	if err != nil {
		return d, err
	}
	from, to := c.Window.From, c.Window.To
	if r.at != "" {
		at, err := moment(r.at, r.length, c.Window, time.Now())
		if err != nil {
			return d, err
		}
		from, to = later(at, from), earlier(at.Add(r.length), to)
	}
	step := r.step
	if step == 0 {
		step = timeline.Step(to.Sub(from), timelineLines)
	}
	var runs []recording.ProbeRun
	var notes []string
	var times []document.Block
	o := newOverview(path, to.Sub(from))
	for _, p := range c.Pieces {
		if p.From.After(to) || p.To.Before(from) {
			continue
		}
		rec, err := recording.OpenPiece(ctx, path, p.Number, from, to, append(slices.Clone(timeline.Tables), recording.ProbeRuns)...)
		if err != nil {
			return d, err
		}
		runs = append(runs, recording.Rows[recording.ProbeRun](rec)...)
		notes = append(notes, rec.Manifest().Notes...)
		if len(c.Pieces) > 1 {
			times = append(times, document.Heading{Words: p.String(), Style: document.Strong})
		}
		times = append(times, timelineTable(timeline.Lines(rec, from, to, step), step))
		begin, end := later(p.From, from), earlier(p.To, to)
		if err := o.judge(ctx, p.Number, begin, end, timeline.Lines(rec, begin, end, o.judged)); err != nil {
			return d, err
		}
	}
	if len(times) == 0 {
		times = append(times, timelineTable(nil, step))
	}
	d.Title = "What " + c.Manifest.Host.Name + " recorded"
	d.Blocks = slices.Concat(about(c), o.blocks(), times)
	if r.at == "" {
		d.Blocks = append(d.Blocks, rowsTable(c))
	}
	d.Blocks = append(d.Blocks, probesTable(c.Manifest, runs)...)
	told := map[string]bool{}
	for _, n := range append(notes, c.Notes...) {
		if !told[n] {
			d.Blocks = append(d.Blocks, document.Prose{Label: "NOTE", Style: document.Warn, Words: n})
		}
		told[n] = true
	}
	return d, nil
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

func about(c recording.Contents) []document.Block {
	m, size := c.Manifest, int64(0)
	for _, s := range c.Segments {
		size += s.Bytes
	}
	return []document.Block{
		document.Facts{Items: []string{m.Host.Name, unit.Plural(int64(m.Host.CPUs), "CPU", "CPUs") + " " + unit.Bytes(m.Host.MemoryBytes).String(), "Linux " + m.Host.Kernel, "by " + m.Tool}},
		document.Facts{Items: []string{fmt.Sprintf("%s to %s", c.Window.From.Local().Format(clockLayout), c.Window.To.Local().Format(clockLayout+" MST")),
			fmt.Sprintf("%v in %s, %v", unit.Duration(c.Window.To.Sub(c.Window.From)), unit.Plural(int64(len(c.Segments)), "segment", "segments"), unit.Bytes(size))}},
	}
}

func rowsTable(c recording.Contents) document.Table {
	t := document.Table{Title: "TABLES", Columns: []document.Column{{Name: "table"}, {Name: "rows", Right: true}}}
	for _, name := range slices.Sorted(maps.Keys(c.Rows)) {
		t.Rows = append(t.Rows, []string{string(name), unit.Count(c.Rows[name]).String()})
	}
	return t
}

// probesTable lists each probe with what it cost, and below it what went wrong, which is
// never cut.
func probesTable(m recording.Manifest, runs []recording.ProbeRun) []document.Block {
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
	t := document.Table{Title: "PROBES", Columns: []document.Column{{Name: "probe"}, {Name: "runs", Right: true}, {Name: "CPU each", Right: true}, {Name: "late", Right: true},
		{Name: "rows lost", Right: true}, {Name: "errors", Right: true}}}
	var out []document.Block
	for _, p := range m.Probes {
		switch sum := totals[p.Name]; {
		case sum != nil:
			t.Rows = append(t.Rows, []string{p.Name, unit.Count(sum.runs).String(), unit.Duration(int64(sum.cpu) / sum.runs).String(), fmt.Sprint(sum.late), fmt.Sprint(sum.lost), fmt.Sprint(sum.failed)})
			if sum.last != "" {
				out = append(out, document.Prose{Label: "NOTE", Style: document.Warn, Words: fmt.Sprintf("last error of the probe %s: %s", p.Name, sum.last)})
			}
		default:
			t.Rows = append(t.Rows, []string{p.Name, "0", "-", "-", "-", "-"})
			if p.Missing != "" {
				out = append(out, document.Prose{Label: "NOTE", Style: document.Warn, Words: fmt.Sprintf("the probe %s did not run: %s", p.Name, p.Missing)})
			}
		}
	}
	return append([]document.Block{t}, out...)
}

// timelineTable is a line for each step, with the day where it changes.
func timelineTable(lines []timeline.Line, step time.Duration) document.Block {
	if len(lines) == 0 {
		return document.Prose{Words: "no samples of CPU, load or memory in this time"}
	}
	t := document.Table{Title: fmt.Sprintf("OVER TIME, each %v, times in %s", unit.Duration(step), lines[0].At.Local().Format("MST")), Columns: []document.Column{{Name: "time"}, {Name: "CPU busy", Right: true}, {Name: "I/O wait", Right: true},
		{Name: "load", Right: true}, {Name: "blocked", Right: true, Drop: 2}, {Name: "mem avail", Right: true}, {Name: "swap used", Right: true, Drop: 1}, {Name: "stalled", Right: true}, {Name: "on"}}}
	day := ""
	for _, l := range lines {
		at := l.At.Local()
		clock := at.Format("15:04:05")
		if d := at.Format(time.DateOnly); d != day {
			day, clock = d, at.Format(clockLayout)
		}
		t.Rows = append(t.Rows, []string{clock, known(l.Busy, unit.Share(l.Busy)), known(l.IOWait, unit.Share(l.IOWait)), known(l.Load, unit.Number(l.Load)),
			known(l.Blocked, unit.Count(l.Blocked)), known(l.Available, unit.Share(l.Available)), known(l.SwapUsed, unit.Bytes(l.SwapUsed)), known(l.Stall, unit.Share(l.Stall)), l.Stalled})
	}
	return t
}

// known prints a number, or a dash where no row tells it.
func known(v float64, as fmt.Stringer) string {
	if math.IsNaN(v) {
		return "-"
	}
	return as.String()
}
