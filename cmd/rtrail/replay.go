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
	"rtrail/internal/imported"
	"rtrail/internal/privilege"
	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/session"
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
	full   bool
	prom   prometheusFlags

	face
	pageFlag
}

func newReplayCommand() *cobra.Command {
	var r replayJob
	cmd := &cobra.Command{
		Use:   "replay RECORDING | REPORTS... | --prometheus URL",
		Short: "Show what a recording holds, and what happened when",
		Long: `Begins with the faults of a recording, with the beginning and end of each, and
the processes that used most CPU time. It judges window by window, of long
windows the busiest minute. Findings that are at most possible are counted. A
timeline of the host follows, then the tables and probes. --json has all faults
with their evidence.

--full browses the recording on the whole terminal: the verdict of each window
(--for, 10 s), processes, disks, interfaces and control groups meanwhile; n and
p jump between findings, "?" lists the keys.
"rtrail diagnose RECORDING --at TIME" judges any moment.

Reports of other tools, as rtrail diagnose reads them, are shown the same way.
--prometheus asks a Prometheus for what node_exporter told of --instance in the
last hour, or for --for from --at on (10m if not given), 31 days at most; with
--full it is the hour with --at in its middle. Of more than 1,500 samples some
are left out, and a note says so.`,
		Example: `  rtrail replay /var/log/rtrail
  rtrail replay night.rtr --at 03:00
  rtrail replay night.rtr --at 03:00 --full
  rtrail replay --prometheus http://prom:9090 --instance db1:9100 --for 6h
  rtrail diagnose night.rtr --at 03:00`,
		Args: func(_ *cobra.Command, args []string) error {
			return oneStore(args, "replay", &r.prom)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			lengthGiven := cmd.Flags().Changed("for")
			if err := r.check(args, lengthGiven); err != nil {
				return err
			}
			from, err := r.open(cmd, args, lengthGiven)
			if err != nil {
				return err
			}
			if r.full {
				return r.screen(cmd, from)
			}
			told, err := r.run(cmd.Context(), from, lengthGiven)
			if err != nil {
				return err
			}
			if err := r.print(cmd.OutOrStdout(), told.document(), told.result()); err != nil || r.html == "" {
				return err
			}
			p, err := told.page(cmd.Context())
			if err != nil {
				return err
			}
			return r.pageFlag.write(cmd.Context(), p)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.at, "at", "", "show from this time on: "+momentForms)
	f.DurationVar(&r.length, "for", atLength, "with --at or --prometheus: how much to show; with --full: what is judged at a time, 10s if not given")
	f.DurationVar(&r.step, "step", 0, "time per line (default: what fits on a screen)")
	f.BoolVar(&r.full, "full", false, "full screen: move through the time with the verdict of each moment")
	r.prom.add(f, "show", "the last 1h, or --at and --for")
	thresholds{}.add(f, "")
	r.face.add(f, "the answer")
	r.pageFlag.add(f, "the answer")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

// replayed is what a recording told.
type replayed struct {
	contents recording.Contents
	part     bool // --at: not all of it
	from, to time.Time
	step     time.Duration
	overview *overview
	pieces   []pieceLines
	runs     []recording.ProbeRun
	notes    []string
}

// pieceLines is the timeline of a piece.
type pieceLines struct {
	recording.Piece
	lines []timeline.Line
}

// check refuses what cannot be meant, as far as that shows without reading anything.
func (r *replayJob) check(args []string, lengthGiven bool) error {
	if err := r.prom.check("files", len(args) > 0); err != nil {
		return err
	}
	switch {
	case r.length <= 0:
		return usageError("--for %v: the time must be positive", r.length)
	case r.step < 0:
		return usageError("--step %v: the time must be positive", r.step)
	case r.full:
		return r.checkFull()
	case lengthGiven && r.at == "" && !r.prom.given():
		return usageError("--for needs --at")
	}
	if err := r.face.check(); err != nil {
		return err
	}
	return checkOutputs([]output{{"--html", r.html}}, args)
}

// open opens what is shown. Of Prometheus all that is asked for is.
func (r *replayJob) open(cmd *cobra.Command, args []string, lengthGiven bool) (*session.Store, error) {
	if !r.prom.given() {
		confine(cmd.ErrOrStderr(), privilege.Needs{Read: args, Write: []string{r.html}, Run: imported.Sadf()})
		return openStore(cmd.Context(), args)
	}
	length := r.length
	switch {
	case r.full, !lengthGiven && r.at == "":
		length = promSpan
	case !lengthGiven:
		length = promLength
	}
	now := time.Now()
	when, err := r.prom.lasting("--at ", r.at, length, now)
	if err != nil {
		return nil, err
	}
	if r.full && r.at != "" { // the screen begins there
		r.at = when.From.Format(time.RFC3339)
		when.To = earlier(when.From.Add(promSpan/2), now)
		when.From = when.To.Add(-promSpan)
	} else {
		r.at = ""
	}
	all, err := r.prom.open(cmd.Context(), cmd.ErrOrStderr(), []string{r.html}, when)
	if err != nil {
		return nil, err
	}
	return all[0].Store, nil
}

func (r *replayJob) run(ctx context.Context, src *session.Store, lengthGiven bool) (*replayed, error) {
	c, err := src.Inspect(ctx)
	if err != nil {
		return nil, err
	}
	from, to := c.Window.From, c.Window.To
	notes := overrides()
	if r.at != "" {
		if least := src.AtLeast(); src.Imported() && r.length < least {
			if lengthGiven {
				return nil, tooShort("--for", r.length, src)
			}
			r.length = least
		}
		at, note, err := moment(r.at, r.length, c.Window, time.Now())
		if err != nil {
			return nil, err
		}
		from, to = later(at, from), earlier(at.Add(r.length), to)
		if note != "" {
			notes = append(notes, note)
		}
	}
	from, to, note := enough(src, c.Window, from, to)
	if note != "" {
		notes = append(notes, note)
	}
	step := r.step
	if step == 0 {
		step = max(timeline.Step(to.Sub(from), timelineLines), src.Holding(1))
	}
	out := &replayed{contents: c, part: r.at != "", from: from, to: to, step: step, overview: newOverview(src, to.Sub(from))}
	for _, p := range c.Pieces {
		if p.From.After(to) || p.To.Before(from) {
			continue
		}
		rec, err := src.OpenPiece(ctx, p.Number, from, to, append(slices.Clone(timeline.Tables), recording.ProbeRuns)...)
		if err != nil {
			return nil, err
		}
		out.runs = append(out.runs, recording.Rows[recording.ProbeRun](rec)...)
		notes = append(notes, rec.Manifest().Notes...)
		out.pieces = append(out.pieces, pieceLines{p, timeline.Lines(rec, from, to, step)})
		begin, end := later(p.From, from), earlier(p.To, to)
		if err := out.overview.judge(ctx, p, rec, begin, end); err != nil {
			return nil, err
		}
	}
	if src.Imported() {
		notes = append(notes, partOnly)
	}
	notes = append(notes, lacking(&out.overview.Survey)...)
	for _, n := range append(notes, c.Notes...) {
		if !slices.Contains(out.notes, n) {
			out.notes = append(out.notes, n)
		}
	}
	return out, nil
}

// document is the answer for people.
func (r *replayed) document() document.Document { return r.compose(r.overview.blocks()) }

// compose is a document with the faults as blocks show them.
func (r *replayed) compose(faults []document.Block) document.Document {
	c := r.contents
	d := document.Document{Title: "What " + c.Manifest.Host.Name + " recorded", Blocks: append(about(c), faults...)}
	for _, p := range r.pieces {
		if len(c.Pieces) > 1 {
			d.Blocks = append(d.Blocks, document.Heading{Words: p.String(), Style: document.Strong})
		}
		d.Blocks = append(d.Blocks, timelineTable(p.lines, r.step))
	}
	if len(r.pieces) == 0 {
		d.Blocks = append(d.Blocks, timelineTable(nil, r.step))
	}
	if !r.part {
		d.Blocks = append(d.Blocks, rowsTable(c))
	}
	d.Blocks = append(d.Blocks, probesTable(r.probes())...)
	for _, n := range r.notes {
		d.Blocks = append(d.Blocks, document.Prose{Label: "NOTE", Style: document.Warn, Words: n})
	}
	return d
}

// result is the answer for programs.
func (r *replayed) result() report.Replay {
	out := report.NewReplay(r.contents, report.NewSpan(r.from, r.to))
	o := r.overview
	out.Judged = report.NewJudged(o.Every, o.Part, o.Until)
	out.Faults = report.NewFaults(o.Episodes())
	out.Possible = len(o.Hints())
	out.TopProcesses = report.NewTopProcesses(o.Top(topProcesses))
	out.OverTime.EverySeconds = r.step.Seconds()
	for _, p := range r.pieces {
		out.OverTime.Add(p.Number, p.lines)
	}
	out.Probes = append(out.Probes, r.probes()...)
	out.Notes = append(out.Notes, r.notes...)
	if o.Judged == 0 {
		out.Notes = append(out.Notes, notJudged)
	}
	return out
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
	m := c.Manifest
	if len(c.Segments) == 0 { // of reports, which tell less
		return []document.Block{document.Facts{Items: []string{m.Host.Name, fmt.Sprintf("%s to %s", c.Window.From.Local().Format(clockLayout), c.Window.To.Local().Format(clockLayout+" MST")),
			fmt.Sprint(unit.Duration(c.Window.To.Sub(c.Window.From))), "reports of other tools"}}}
	}
	return []document.Block{
		document.Facts{Items: []string{m.Host.Name, unit.Plural(int64(m.Host.CPUs), "CPU", "CPUs") + " " + unit.Bytes(m.Host.MemoryBytes).String(), "Linux " + m.Host.Kernel, "by " + m.Tool}},
		document.Facts{Items: []string{fmt.Sprintf("%s to %s", c.Window.From.Local().Format(clockLayout), c.Window.To.Local().Format(clockLayout+" MST")),
			fmt.Sprintf("%v in %s, %v", unit.Duration(c.Window.To.Sub(c.Window.From)), unit.Plural(int64(len(c.Segments)), "segment", "segments"), unit.Bytes(c.Bytes()))}},
	}
}

func rowsTable(c recording.Contents) document.Table {
	t := document.Table{Title: "TABLES", Columns: []document.Column{{Name: "table"}, {Name: "rows", Right: true}}}
	for _, name := range slices.Sorted(maps.Keys(c.Rows)) {
		t.Rows = append(t.Rows, []string{string(name), unit.Count(c.Rows[name]).String()})
	}
	return t
}

// probes are those of the recording, with what they did in the time that was asked for.
func (r *replayed) probes() []report.Recorder {
	sums := map[string]*report.Recorder{}
	for _, run := range r.runs {
		p := sums[run.Probe]
		if p == nil {
			p = &report.Recorder{}
			sums[run.Probe] = p
		}
		p.Runs++
		p.CPUSeconds += run.CPU.Seconds()
		p.Lost += run.Lost
		if run.Late {
			p.Late++
		}
		if run.Error != "" {
			p.Errors, p.Error = p.Errors+1, run.Error
		}
	}
	var out []report.Recorder
	for _, info := range r.contents.Manifest.Probes {
		p := report.Recorder{Missing: info.Missing}
		if sum := sums[info.Name]; sum != nil {
			p = *sum
		}
		p.Name = info.Name
		out = append(out, p)
	}
	return out
}

// probesTable lists each probe with what it cost, and below it what went wrong, which is
// never cut.
func probesTable(list []report.Recorder) []document.Block {
	t := document.Table{Title: "PROBES", Columns: []document.Column{{Name: "probe"}, {Name: "runs", Right: true}, {Name: "CPU each", Right: true}, {Name: "late", Right: true},
		{Name: "rows lost", Right: true}, {Name: "errors", Right: true}}}
	var out []document.Block
	note := func(format string, args ...any) {
		out = append(out, document.Prose{Label: "NOTE", Style: document.Warn, Words: fmt.Sprintf(format, args...)})
	}
	for _, p := range list {
		if p.Runs == 0 {
			t.Rows = append(t.Rows, []string{p.Name, "0", "-", "-", "-", "-"})
			if p.Missing != "" {
				note("the probe %s did not run: %s", p.Name, p.Missing)
			}
			continue
		}
		t.Rows = append(t.Rows, []string{p.Name, unit.Count(p.Runs).String(), unit.Seconds(p.CPUSeconds / float64(p.Runs)).String(), fmt.Sprint(p.Late), fmt.Sprint(p.Lost), fmt.Sprint(p.Errors)})
		if p.Error != "" {
			note("last error of the probe %s: %s", p.Name, p.Error)
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
