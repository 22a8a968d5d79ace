package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/document"
	"rtrail/internal/episode"
	"rtrail/internal/imported"
	"rtrail/internal/privilege"
	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/session"
	"rtrail/internal/timeline"
	"rtrail/internal/unit"
)

const (
	// timelineWindows is how many windows are judged if the recording is long enough:
	// ten minutes each of a day. To read and judge one takes a tenth of a second of CPU
	// time beside a thousand processes.
	timelineWindows = 150
	// timelinePart is what is judged of a window, as much as diagnose watches.
	timelinePart = 10 * time.Second
	// timelinePatience bounds how long is judged, and looked for what to judge, if no --step is given.
	timelinePatience = 9 * time.Second
	// exactly is how exact beginnings and ends are made, as a share of a window.
	exactly = 10
)

// timelineJob is what `rtrail timeline` was asked to do.
type timelineJob struct {
	from, to string
	step     time.Duration
	gently   bool // somebody looks at a screen meanwhile
	prom     prometheusFlags
	face
}

func newTimelineCommand() *cobra.Command {
	var t timelineJob
	cmd := &cobra.Command{
		Use:   "timeline RECORDING | REPORTS... | --prometheus URL",
		Short: "List the findings of a recording with beginning and end",
		Long: `Prints one line for each finding of a recording: when it begins and ends, how
long it lasts, how sure it is, whom it is about, and what it says. A subject
that is found again, also after a restart, goes on in its line. Findings that
are at most possible are counted, with the command that judges the moment of
the one that would cost most.

Of each window the busiest ten seconds are judged: of a day, those of each ten
minutes, the busiest windows first; and ten more in which counters say that most
connects, packets or allocations were refused or lost. So faults are missed that
are over before the next of these ten seconds, keep no CPU or disk busy, let no
task stall and count nothing: waits for locks, a full disk.
--step 1m looks closer, and takes as long as it takes. Beginnings and ends are
then searched for between the windows; each line says how exact they are.

Reports of other tools, as rtrail diagnose reads them, serve, too: what is
judged at a time then has at least five of their samples, and what they do not
tell is not judged. --prometheus asks a Prometheus for what node_exporter told
of --instance in the last hour, or from --from to --to, 31 days at most; of more
than 1,500 samples some are left out, and a note says so.`,
		Example: `  rtrail timeline /var/log/rtrail
  rtrail timeline night.rtr --from 02:00 --to 04:00
  rtrail timeline night.rtr --from -1h --step 10s
  rtrail timeline --prometheus http://prom:9090 --instance db1:9100 --from -24h
  rtrail timeline night.rtr --json | jq -r '.findings[] | [.start, .end, .finding.headline] | @tsv'`,
		Args: func(_ *cobra.Command, args []string) error {
			return oneStore(args, "timeline", &t.prom)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := t.check(args); err != nil {
				return err
			}
			from, err := t.open(cmd, args)
			if err != nil {
				return err
			}
			told, err := t.run(cmd.Context(), from)
			if err != nil {
				return err
			}
			return t.print(cmd.OutOrStdout(), told.document(), told.result())
		},
	}
	f := cmd.Flags()
	f.StringVar(&t.from, "from", "", "only from this time on: "+momentForms)
	f.StringVar(&t.to, "to", "", "only up to this time")
	f.DurationVar(&t.step, "step", 0, "time per window, 10s at least (default: what takes seconds)")
	t.prom.add(f, "look through", "the last 1h, or --from and --to")
	thresholds{}.add(f, "")
	t.face.add(f, "the timeline")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

// checkRecordings refuses what is no recording.
func checkRecordings(cmd *cobra.Command, paths []string) error {
	if err := checkThere(cmd, paths); err != nil {
		return err
	}
	for _, path := range paths {
		if !isReport(path) && !isRecording(path) {
			return usageError("%s is no recording, and no report of another tool that is known: rtrail record makes one", path)
		}
	}
	return nil
}

// partOnly says that silence of rules on reports is no health.
const partOnly = "what these reports do not tell is not judged: rtrail diagnose lists it"

// oneStore refuses other than one recording, files that may be reports, or Prometheus.
func oneStore(args []string, verb string, prom *prometheusFlags) error {
	if len(args) == 0 && !prom.given() {
		return usageError("which recording? give a directory or an .rtr file: rtrail %s RECORDING", verb)
	}
	return nil
}

// openStore opens a recording, or reads reports of other tools as one.
func openStore(ctx context.Context, paths []string) (*session.Store, error) {
	switch kind, err := evidenceIn(paths); {
	case err != nil:
		return nil, err
	case kind == ofReports:
		return session.OpenReports(ctx, paths)
	case len(paths) > 1:
		return nil, usageError("%d files given: it takes one recording, or reports of other tools about one host", len(paths))
	}
	return session.OpenStore(paths[0]), nil
}

func (t *timelineJob) check(args []string) error {
	if err := t.prom.check("files", len(args) > 0); err != nil {
		return err
	}
	if t.step != 0 && t.step < timelinePart {
		return usageError("--step %v: the shortest is %v", t.step, timelinePart)
	}
	return t.face.check()
}

// open opens what is looked through. Of Prometheus all that is asked for is.
func (t *timelineJob) open(cmd *cobra.Command, args []string) (*session.Store, error) {
	if !t.prom.given() {
		if err := checkRecordings(cmd, args); err != nil {
			return nil, err
		}
		confine(cmd.ErrOrStderr(), privilege.Needs{Read: args, Run: imported.Sadf()})
		return openStore(cmd.Context(), args)
	}
	when, err := t.prom.between(t.from, t.to, promSpan, time.Now())
	if err != nil {
		return nil, err
	}
	t.from, t.to = "", ""
	all, err := t.prom.open(cmd.Context(), cmd.ErrOrStderr(), nil, when)
	if err != nil {
		return nil, err
	}
	return all[0].Store, nil
}

// timelined is what a recording told.
type timelined struct {
	source   *session.Store
	contents recording.Held
	from, to time.Time
	survey   episode.Survey
	exact    time.Duration
	notes    []string
}

func (t *timelineJob) run(ctx context.Context, src *session.Store) (*timelined, error) {
	held, err := src.Holds(ctx)
	if err != nil {
		return nil, err
	}
	when, notes, err := between(t.from, t.to, held.Window)
	if err != nil {
		return nil, err
	}
	out := &timelined{source: src, contents: held, from: when.From, to: when.To, notes: append(overrides(), notes...)}
	var note string
	if out.from, out.to, note = enough(src, held.Window, out.from, out.to); note != "" {
		out.notes = append(out.notes, note)
	}
	every, patience, part := t.step, time.Duration(0), max(timelinePart, src.AtLeast())
	switch {
	case every == 0:
		every, patience = max(timeline.Step(out.to.Sub(out.from), timelineWindows), part), timelinePatience
	case every < part:
		return nil, tooShort("--step", every, src)
	}
	every = inParts(src, every, part)
	out.exact = max(every/exactly, part)
	out.survey = episode.Survey{Windows: episode.Windows{Every: every}, Part: part, Patience: patience, Spread: patience > 0, Gently: t.gently, Fully: src.Imported()}
	out.survey.Begin()
	left := refusedPatience
	var said heard
	for _, p := range held.Pieces {
		if p.From.After(out.to) || p.To.Before(out.from) {
			continue
		}
		from, to := later(p.From, out.from), earlier(p.To, out.to)
		rec, err := src.OpenPiece(ctx, p.Number, from, to, timeline.Tables...)
		if err != nil {
			return nil, err
		}
		out.notes = append(out.notes, rec.Manifest().Notes...)
		open, lines := said.by(opening(src, p)), stretches(src, rec, from, to, part)
		began := time.Now()
		if out.survey.Refusals, notes, err = refusals(ctx, src, p, from, to, lines, &out.survey, left); err != nil {
			return nil, err
		}
		left -= time.Since(began)
		out.notes = append(out.notes, notes...)
		if err := out.survey.Judge(ctx, open, catalogue.For, from, to, lines); err != nil {
			return nil, err
		}
		if err := out.survey.Refine(ctx, open, catalogue.For, out.exact); err != nil {
			return nil, err
		}
	}
	out.notes = append(out.notes, said.notes...)
	if src.Imported() {
		out.notes = append(out.notes, partOnly)
	}
	out.notes = append(out.notes, lacking(&out.survey)...)
	slices.Sort(out.notes)
	out.notes = slices.Compact(out.notes)
	return out, nil
}

// heard are the notes of the parts of a recording that are judged: those tell of more tables than the timeline
// itself is made of. Several are read at a time.
type heard struct {
	mu    sync.Mutex
	notes []string
}

// maxHeard bounds them.
const maxHeard = 100

// by is the same opening, listened to.
func (h *heard) by(open episode.Open) episode.Open {
	return func(ctx context.Context, from, to time.Time) (*recording.Recording, error) {
		rec, err := open(ctx, from, to)
		if err != nil {
			return nil, err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, n := range rec.Manifest().Notes {
			if len(h.notes) < maxHeard && !slices.Contains(h.notes, n) {
				h.notes = append(h.notes, n)
			}
		}
		return rec, nil
	}
}

// tooShort refuses a time in which reports have too few samples.
func tooShort(flag string, length time.Duration, src *session.Store) error {
	return usageError("%s %v: these reports have a sample each %v, so that the shortest is %v", flag, length, unit.Duration(src.Interval()), unit.Duration(src.AtLeast()))
}

// document is the answer for people.
func (t *timelined) document() document.Document {
	s := &t.survey
	host := t.contents.Manifest.Host.Name
	d := document.Document{Title: "Findings of " + host + " over time", Blocks: []document.Block{
		document.Facts{Items: []string{host, fmt.Sprintf("%s to %s", t.from.Local().Format(clockLayout), t.to.Local().Format(clockLayout+" MST")), t.judged()}}}}
	list := s.Episodes()
	if len(list) == 0 {
		words := noFault(s)
		if s.Judged == 0 {
			words = notJudged
		}
		d.Blocks = append(d.Blocks, document.Prose{Label: "FINDINGS", Words: words})
	} else {
		table := document.Table{Title: "FINDINGS, times in " + t.from.Local().Format("MST"), Columns: []document.Column{{Name: "begin"}, {Name: "end"}, {Name: "lasts", Right: true}, {Name: "±", Right: true},
			{Name: "sure"}, {Name: "subject", Cut: true, Max: 28}, {Name: "finding", Wrap: true, Hang: 30}}}
		day := ""
		for _, e := range list {
			clock := func(at time.Time) string {
				at = at.Local()
				if on := at.Format(time.DateOnly); on != day {
					day = on
					return at.Format(clockLayout)
				}
				return at.Format("15:04:05")
			}
			table.Rows = append(table.Rows, []string{clock(e.First) + open(e.After, "…"), clock(e.Last) + open(e.Before, "…"), unit.Duration(e.Last.Sub(e.First)).String(), within(e, s.Part),
				e.Finding.Confidence.String(), strings.TrimPrefix(subjectName(e), "/"), fmt.Sprintf("%s: %v", e.Finding.Rule, e.Finding.Headline)})
		}
		d.Blocks = append(d.Blocks, table, document.Prose{Words: t.legend(list)})
		worst := episode.Worst(list, 1)[0]
		d.Blocks = append(d.Blocks, document.List{Title: "LOOK CLOSER", Items: []document.Item{{Words: "the worst one",
			Command: judging(t.source, worst.First).String()}}})
	}
	d.Blocks = append(d.Blocks, possible(t.source, s)...)
	if s.Left > 0 {
		d.Blocks = append(d.Blocks, document.Prose{Label: "NOTE", Style: document.Warn,
			Words: fmt.Sprintf("there was no time to judge %d of %d windows; --from and --to choose a part, --step %v takes the time it needs", s.Left, s.Left+s.Judged, s.Every)})
	}
	for _, n := range t.notes {
		d.Blocks = append(d.Blocks, document.Prose{Label: "NOTE", Style: document.Warn, Words: n})
	}
	return d
}

// judged says what was looked at.
func (t *timelined) judged() string {
	if t.survey.Part < t.survey.Every {
		return fmt.Sprintf("judged: the %s %v of each %v", which(&t.survey), unit.Duration(t.survey.Part), unit.Duration(t.survey.Every)) + alsoRefused(&t.survey)
	}
	return fmt.Sprintf("judged in windows of %v", unit.Duration(t.survey.Part))
}

// legend explains the marks that are there.
func (t *timelined) legend(list []episode.Episode) string {
	words := fmt.Sprintf("± is how exact begin and end are, at least %v.", unit.Duration(t.survey.Part))
	if slices.ContainsFunc(list, func(e episode.Episode) bool { return e.After.IsZero() || e.Before.IsZero() }) {
		words += " …: it was there when the recording, or the part that was judged, begins or ends."
	}
	return words
}

func open(bound time.Time, mark string) string {
	if bound.IsZero() {
		return mark
	}
	return ""
}

// within is how exact begin and end are.
func within(e episode.Episode, exact time.Duration) string {
	if !e.After.IsZero() {
		exact = max(exact, e.First.Sub(e.After))
	}
	if !e.Before.IsZero() {
		exact = max(exact, e.Before.Sub(e.Last))
	}
	return unit.Duration(exact).String()
}

// subjectName is the name of the subject that outlives its process.
func subjectName(e episode.Episode) string {
	if e.Finding.Key.Name != "" {
		return e.Finding.Key.Name
	}
	return e.Finding.Subject.Name
}

// result is the answer for programs.
func (t *timelined) result() report.Timeline {
	s := &t.survey
	return report.NewTimeline(t.contents, report.NewSpan(t.from, t.to), report.NewSurveyed(s), s.Episodes(), len(s.Hints()), t.notes)
}
