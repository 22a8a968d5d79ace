package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/episode"
	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/session"
	"rtrail/internal/shell"
	"rtrail/internal/timeline"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
)

const (
	// judgedWindows is how many windows of a recording are judged, if it is long
	// enough: each takes some 50 ms.
	judgedWindows = 40
	// A window that is judged is not shorter, for rates need some samples, and not
	// longer than a minute, for the time it takes: of a longer one the minute that
	// was busiest.
	minJudged, maxJudged = 10 * time.Second, time.Minute
	// judgePatience bounds how long is judged before the rest is left out.
	judgePatience = 10 * time.Second

	maxEpisodes  = 12
	topProcesses = 5
)

// overview is what a recording tells at a glance: which faults were there when,
// and which processes used the CPUs.
type overview struct {
	source *session.Store
	episode.Survey
}

func newOverview(src *session.Store, span time.Duration) *overview {
	every := max(timeline.Step(span, judgedWindows), minJudged, src.AtLeast())
	part := min(every, max(maxJudged, src.AtLeast()))
	return &overview{source: src, Survey: episode.Survey{Windows: episode.Windows{Every: inParts(src, every, part)}, Part: part, Patience: judgePatience, Fully: src.Imported()}}
}

// inParts is how long windows are: those of reports are made of whole parts, for a shorter one may
// have too few samples.
func inParts(src *session.Store, every, part time.Duration) time.Duration {
	if !src.Imported() {
		return every
	}
	return (every + part - 1) / part * part
}

// enough makes a time that is chosen so long that rules have samples enough of reports, as far as
// the reports go, and says so.
func enough(src *session.Store, held recording.Window, from, to time.Time) (time.Time, time.Time, string) {
	least := src.AtLeast()
	if !src.Imported() || to.Sub(from) >= least {
		return from, to, ""
	}
	to = earlier(held.To, from.Add(least))
	from = later(held.From, to.Add(-least))
	if to.Sub(from) < least {
		return from, to, fmt.Sprintf("the reports have a sample each %v and hold %v: rules that want more samples are silent", unit.Duration(src.Interval()), unit.Duration(to.Sub(from)))
	}
	return from, to, fmt.Sprintf("the reports have a sample each %v: %v from %v on is judged, as rules want five", unit.Duration(src.Interval()), unit.Duration(least), unit.Moment(from))
}

// judge judges the windows of a piece of a recording.
func (o *overview) judge(ctx context.Context, p recording.Piece, rec *recording.Recording, from, to time.Time) error {
	return o.Judge(ctx, opening(o.source, p), catalogue.For, from, to, stretches(o.source, rec, from, to, o.Part))
}

// stretches are those of which a part is judged.
func stretches(src *session.Store, rec *recording.Recording, from, to time.Time, part time.Duration) []timeline.Line {
	if src.Imported() {
		return timeline.Sampled(rec, from, to, part)
	}
	return timeline.Lines(rec, from, to, part)
}

// opening reads parts of a piece of a recording.
func opening(src *session.Store, p recording.Piece) episode.Open {
	return func(ctx context.Context, from, to time.Time) (*recording.Recording, error) {
		return src.OpenPiece(ctx, p.Number, from, to)
	}
}

// blocks are the faults and the processes.
func (o *overview) blocks() []document.Block {
	list := document.List{Title: "FAULTS" + o.how(), Style: document.Strong}
	for _, e := range o.worst() {
		list.Items = append(list.Items, document.Item{
			Words:   fmt.Sprintf("%s  %v, %s: %v", when(e), e.Finding.Confidence, e.Finding.Rule, e.Finding.Headline),
			Command: o.judgeAgain(e),
		})
	}
	list.More = o.less()
	if len(list.Items) == 0 {
		return append(o.none(), o.rest()...)
	}
	return append([]document.Block{list}, o.rest()...)
}

// whole are the same with all evidence of each fault.
func (o *overview) whole() []document.Block {
	var list []verdict.Finding
	for _, e := range o.worst() {
		list = append(list, e.Finding)
	}
	if len(list) == 0 {
		return append(o.none(), o.rest()...)
	}
	out := append([]document.Block{document.Heading{Words: "FAULTS" + o.how(), Style: document.Strong}}, report.Whole(list)...)
	for i, e := range o.worst() {
		f := out[1+i].(document.Finding)
		f.Rows = append([]document.Row{{Label: "when", Words: when(e) + ", evidence of the window in which it cost most", Commands: []string{o.judgeAgain(e)}}}, f.Rows...)
		out[1+i] = f
	}
	if more := o.less(); more != "" {
		out = append(out, document.Prose{Words: more})
	}
	return append(out, o.rest()...)
}

// worst are the faults that are told.
func (o *overview) worst() []episode.Episode { return episode.Worst(o.Episodes(), maxEpisodes) }

// when is the time of a fault.
func when(e episode.Episode) string {
	return fmt.Sprintf("%s to %s", e.From.Local().Format(clockLayout), unit.Clock(e.To))
}

// judgeAgain is the command that judges the beginning of a fault.
func (o *overview) judgeAgain(e episode.Episode) string {
	return judging(o.source, e.First).String()
}

// judging is the command that judges a moment, by the same thresholds. --for is not less than rules need.
func judging(src *session.Store, at time.Time) shell.Command {
	files, again, least := src.Paths(), src.Again(), max(src.AtLeast(), timelinePart)
	if len(files) > 0 {
		again = shell.Line("%s", shell.Paths(files[:min(len(files), maxReportsNamed)]))
	} else { // the first value of what is asked for is up to an interval late
		least += src.Interval().Round(time.Second)
	}
	line := shell.Line("rtrail diagnose %s --at %s", again, at.Local().Format(clockLayout))
	if least > timelinePart {
		line = line.With("--for %s", least.String())
	}
	line = asOverridden(line)
	if more := len(files) - maxReportsNamed; more > 0 {
		line = line.With("# and the other %d files", more)
	}
	return line
}

// maxReportsNamed bounds the files that a command names.
const maxReportsNamed = 20

// less says how many faults are not told; "": all are.
func (o *overview) less() string {
	if more := len(o.Episodes()) - maxEpisodes; more > 0 {
		return fmt.Sprintf("and %s that cost less", unit.Plural(more, "more fault", "more faults"))
	}
	return ""
}

func (o *overview) none() []document.Block {
	if o.Judged == 0 {
		return []document.Block{document.Prose{Label: "FAULTS", Style: document.Warn, Words: notJudged}}
	}
	return []document.Block{document.Prose{Label: "FAULTS", Words: noFault(&o.Survey)}}
}

// noFault says that none was found in what was judged.
func noFault(s *episode.Survey) string {
	if len(s.Hints()) > 0 {
		return "none above possible was found" + unjudged(s) + how(s)
	}
	return "none was found" + unjudged(s) + how(s)
}

// possible says how many findings are no faults because they are possible at most, and where to look.
func possible(src *session.Store, s *episode.Survey) []document.Block {
	list := s.Hints()
	if len(list) == 0 {
		return nil
	}
	f := list[0].Finding
	return []document.Block{document.List{Title: "POSSIBLE, " + unit.Plural(len(list), "finding that is not listed", "findings that are not listed"), Items: []document.Item{{
		Words: fmt.Sprintf("would cost most: %s: %v", f.Rule, f.Headline), Command: judging(src, list[0].Worst.From).String()}}}}
}

// notJudged stands where nothing is said of health.
const notJudged = "NOT JUDGED: no window was judged"

// unjudged bounds what was found, if not all was judged.
func unjudged(s *episode.Survey) string {
	if s.Left+s.Empty == 0 {
		return ""
	}
	return fmt.Sprintf(" in the %s that %s judged, of %d", unit.Plural(int64(s.Judged), "window", "windows"), was(s.Judged), s.Judged+s.Left+s.Empty)
}

// lacking says which rules were not judged where a probe told nothing: their silence is no health there.
func lacking(s *episode.Survey) (notes []string) {
	const most = 3 // rules that are named
	for _, l := range s.Lacks() {
		n := len(l.Rules)
		names := strings.Join(l.Rules[:min(n, most)], ", ")
		if n > most {
			names += fmt.Sprintf(" and %d others", n-most)
		}
		notes = append(notes, fmt.Sprintf("%s (%s) %s not judged in %d of %s, between %s and %s, without the probe %s: %s", unit.Plural(n, "rule", "rules"), names, was(n),
			l.Parts, unit.Plural(s.Judged+s.Beside, "window", "windows"), l.From.Local().Format(clockLayout), l.To.Local().Format(clockLayout), l.Probe, cmp.Or(l.Why, "it has no samples there")))
	}
	return notes
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// which part of a window is judged.
func which(s *episode.Survey) string {
	if s.Blind {
		return "first"
	}
	return "busiest"
}

// rest is what is possible, what was not judged, and the processes.
func (o *overview) rest() (out []document.Block) {
	out = possible(o.source, &o.Survey)
	if !o.Until.IsZero() {
		out = append(out, document.Prose{Label: "NOTE", Style: document.Warn,
			Words: fmt.Sprintf("judging took too long: what began after %s was not judged; --at and --for choose a part", o.Until.Local().Format(clockLayout))})
	}
	if top := o.Top(topProcesses); len(top) > 0 {
		t := document.Table{Title: "TOP PROCESSES" + o.how(), Columns: []document.Column{{Name: "process", Cut: true}, {Name: "PID", Right: true},
			{Name: "CPU time", Right: true}, {Name: "cores", Right: true}, {Name: "most cores", Right: true}, {Name: "most RSS", Right: true}}}
		for _, p := range top {
			t.Rows = append(t.Rows, []string{p.Name, fmt.Sprint(p.PID), unit.Seconds(p.CPUSeconds).String(), fmt.Sprintf("%.2f", p.CPUSeconds/cmp.Or(p.Seconds, 1)),
				fmt.Sprintf("%.2f", p.MostCPU), unit.Bytes(max(p.MostRSS, 0)).String()})
		}
		out = append(out, t)
	}
	return out
}

// how says what was judged.
func (o *overview) how() string { return how(&o.Survey) }

func how(s *episode.Survey) string {
	if s.Part < s.Every {
		return fmt.Sprintf(", the %s %v of each %v", which(s), unit.Duration(s.Part), unit.Duration(s.Every)) + alsoRefused(s)
	}
	return fmt.Sprintf(", in windows of %v", unit.Duration(s.Every))
}

// alsoRefused says how many more parts of windows were judged.
func alsoRefused(s *episode.Survey) string {
	if s.Beside == 0 {
		return ""
	}
	return fmt.Sprintf(", in %d also those of most refusals", s.Beside)
}
