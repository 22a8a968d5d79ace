package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"rtrail/internal/bench/stat"
	"rtrail/internal/document"
	"rtrail/internal/unit"
)

// minHistory is how many runs a series needs: two levels of four.
const minHistory = 8

// History is what changed over time. docs/bench-history.schema.json describes its JSON form.
type History struct {
	Format    int       `json:"format"`
	Runs      int       `json:"runs"`
	Series    []Series  `json:"series"`
	Anomalies []Anomaly `json:"anomalies"`
	Notes     []string  `json:"notes"`
}

// Series is a number of one step, run after run.
type Series struct {
	Environment   string        `json:"environment"`
	Scenario      string        `json:"scenario"`
	Level         Level         `json:"level"`
	Metric        string        `json:"metric"`
	LowerIsBetter bool          `json:"lower_is_better"`
	Runs          int           `json:"runs"`
	From          time.Time     `json:"from"`
	To            time.Time     `json:"to"`
	TooShort      bool          `json:"too_short"` // for any change
	Changes       []LevelChange `json:"changes"`
	// Apart are runs that are too few for a level of their own, between two others.
	Apart []time.Time `json:"apart"`

	metric *metric
	values []float64   // of the runs, in order of time
	began  []time.Time // when these did
}

// LevelChange is a change of a series for good.
type LevelChange struct {
	After  time.Time       `json:"after"` // the last run before it
	At     time.Time       `json:"at"`    // the first run of the new level
	Before document.Number `json:"before"`
	Now    document.Number `json:"now"`
	Runs   [2]int          `json:"runs"`  // of the level before and of the new one
	Ratio  document.Number `json:"ratio"` // now to before
	Low    document.Number `json:"low"`   // of the interval of 95 %; null: too few runs
	High   document.Number `json:"high"`
	P      document.Number `json:"p"`
	// Lasting says that the new level has runs enough to be one.
	Lasting bool `json:"lasting"`
	// Differs are settings and properties that the first run has otherwise than the one
	// before.
	Differs []string `json:"differs"`

	last, first int // the runs of After and At in the series
}

// Historic finds changes over time in the runs of each step, in metrics that are chosen.
func Historic(ctx context.Context, in *Input, chosen []string) (*History, error) {
	c := &checker{}
	good := c.check(in.Runs)
	h := &History{Format: 1, Runs: len(in.Runs), Series: []Series{}, Anomalies: append([]Anomaly{}, c.found...), Notes: append([]string{}, in.Notes...)}
	dated := slices.DeleteFunc(slices.Clone(good), func(r *Run) bool { return !r.dated })
	if n := len(good) - len(dated); n > 0 {
		h.Notes = append(h.Notes, unit.Plural(n, "run does", "runs do")+" not tell their date, and are left out")
	}
	if len(dated) == 0 {
		return nil, errors.New("no run can be put in order: none that is valid tells its date; CSV files need a column date, or a file of environments with dates")
	}
	slices.SortStableFunc(dated, func(a, b *Run) int { return a.Began.Compare(b.Began) })
	return h, h.add(ctx, dated, chosen)
}

// step is what belongs to one series.
type step struct {
	environment, scenario string
	level                 Level
}

// add looks at all steps.
func (h *History) add(ctx context.Context, runs []*Run, chosen []string) error {
	steps := map[step][]*Run{}
	for _, r := range runs {
		s := step{r.Environment, r.Scenario, r.level()}
		steps[s] = append(steps[s], r)
	}
	order := slices.SortedFunc(maps.Keys(steps), func(a, b step) int {
		return cmp.Or(cmp.Compare(a.environment, b.environment), cmp.Compare(a.scenario, b.scenario), compareLevels(a.level, b.level))
	})
	if len(order) > maxCells {
		return fmt.Errorf("%d steps: at most %d are looked at", len(order), maxCells)
	}
	long := 0
	for _, s := range order {
		for i := range metrics {
			if err := ctx.Err(); err != nil {
				return err
			}
			m := &metrics[i]
			if !slices.Contains(chosen, m.name) {
				continue
			}
			with := slices.DeleteFunc(slices.Clone(steps[s]), func(r *Run) bool { return !(m.of(r) > 0) })
			if len(with) == 0 {
				continue
			}
			if more := len(with) - stat.MaxHistory; more > 0 {
				with = with[more:]
				long++
			}
			x := Series{Environment: s.environment, Scenario: s.scenario, Level: s.level, Metric: m.name, LowerIsBetter: m.lower, metric: m}
			x.find(with)
			h.Series = append(h.Series, x)
		}
	}
	if len(h.Series) == 0 {
		return fmt.Errorf("no run that is valid has one of %v", chosen)
	}
	if long > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("%d series have more than %d runs: their last %d are looked at", long, stat.MaxHistory, stat.MaxHistory))
	}
	return nil
}

// find looks for changes in the runs of a series, in order of time.
func (x *Series) find(runs []*Run) {
	x.Runs, x.From, x.To = len(runs), runs[0].Began, runs[len(runs)-1].Began
	x.Changes, x.Apart, x.TooShort = []LevelChange{}, []time.Time{}, len(runs) < minHistory
	for _, r := range runs {
		x.values, x.began = append(x.values, float64(x.metric.of(r))), append(x.began, r.Began)
	}
	if x.TooShort {
		return
	}
	changes, apart := stat.Changes(x.values)
	for _, i := range apart {
		x.Apart = append(x.Apart, runs[i].Began)
	}
	for _, c := range changes {
		first, last := runs[c.At], runs[c.Last]
		x.Changes = append(x.Changes, LevelChange{After: last.Began, At: first.Began, Before: document.Number(c.Before), Now: document.Number(c.Now), Runs: [2]int{c.Size.Runs[1], c.Size.Runs[0]},
			Ratio: document.Number(c.Size.Ratio), Low: document.Number(c.Size.Low), High: document.Number(c.Size.High), P: document.Number(c.P), Lasting: c.Lasting, Differs: differs(last, first), last: c.Last, first: c.At})
	}
}

// differs are names that have other values in the second run.
func differs(a, b *Run) []string {
	out := []string{}
	for _, of := range []func(*Run) map[string]string{func(r *Run) map[string]string { return r.Settings }, func(r *Run) map[string]string { return r.Properties }} {
		before, after := of(a), of(b)
		names := maps.Clone(before)
		if names == nil {
			names = map[string]string{}
		}
		maps.Copy(names, after)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if before[name] != after[name] && len(out) < maxLines {
				out = append(out, fmt.Sprintf("%s: %s → %s", name, cmp.Or(before[name], "not set"), cmp.Or(after[name], "not set")))
			}
		}
	}
	return out
}

// Document is the answer for people.
func (h *History) Document() document.Document {
	d := document.Document{Title: "Load tests over time"}
	found, short, apart, longest, notes := 0, 0, 0, 0, slices.Clone(h.Notes)
	for i := range h.Series {
		x := &h.Series[i]
		found, apart, longest = found+len(x.Changes), apart+len(x.Apart), max(longest, x.Runs)
		if x.TooShort {
			short++
		}
	}
	facts := document.Facts{Items: []string{unit.Plural(h.Runs, "run", "runs"), fmt.Sprintf("%d series", len(h.Series))}}
	if short < len(h.Series) {
		facts.Items = append(facts.Items, unit.Plural(found, "change", "changes"))
	}
	if short > 0 { // comes first: it is what numbers do not say
		d.Blocks = append(d.Blocks, document.Prose{Label: "NOT JUDGED", Style: document.Warn,
			Words: fmt.Sprintf("%d of %d series have fewer than %d runs (the longest has %d): too few for a change to be found", short, len(h.Series), minHistory, longest)})
	}
	d.Blocks = append(d.Blocks, facts)
	if apart > 0 {
		notes = append(notes, fmt.Sprintf("%s stand apart from those before and after them: too few for a level, left out (--json tells when)", unit.Plural(apart, "run", "runs")))
	}
	for _, n := range notes {
		d.Blocks = append(d.Blocks, document.Prose{Label: "NOTE", Words: n})
	}
	var out []string
	for _, a := range h.Anomalies {
		if a.Excluded {
			out = append(out, a.Environment+", "+a.step+": "+a.Words)
		}
	}
	if len(out) > 0 {
		d.Blocks = append(d.Blocks, list("LEFT OUT", document.Warn, out))
	}
	if found == 0 {
		if short < len(h.Series) {
			d.Blocks = append(d.Blocks, document.Prose{Label: "NO CHANGE", Words: "no change of a level was found. Small changes, and those of the last few runs, may not show yet."})
		}
		return d
	}
	d.Blocks = append(d.Blocks, h.table())
	return d
}

func (h *History) table() document.Table {
	t := document.Table{Title: "CHANGES, the latest first", Under: 1, Columns: []document.Column{{Name: "first run"}, {Name: "environment", Cut: true, Max: nameWidth}, {Name: "scenario", Cut: true, Max: nameWidth},
		{Name: "level", Right: true}, {Name: "metric"}, {Name: "before", Right: true}, {Name: "now", Right: true}, {Name: "change", Right: true}, {Name: "95 % interval", Drop: 1}, {Name: "runs", Right: true, Drop: 2}, {Name: ""}}}
	type line struct {
		*Series
		*LevelChange
	}
	var lines []line
	for i := range h.Series {
		for k := range h.Series[i].Changes {
			lines = append(lines, line{&h.Series[i], &h.Series[i].Changes[k]})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return b.At.Compare(a.At) })
	if more := len(lines) - maxLines; more > 0 {
		lines, t.More = lines[:maxLines], fmt.Sprintf("and %d more (--json)", more)
	}
	for _, l := range lines {
		interval := "-"
		if known(l.Low) {
			interval = change(l.Low) + " to " + change(l.High)
		}
		judged := "better"
		if (l.Ratio > 1) == l.LowerIsBetter {
			judged = "worse"
		}
		var below []document.Row
		if !l.Lasting {
			judged += "?"
			below = append(below, document.Row{Words: unit.Plural(l.LevelChange.Runs[1], "run has", "runs have") + " the new level: too few to tell a change for good from an accident"})
		}
		for _, s := range l.Differs {
			below = append(below, document.Row{Label: "with it", Words: s})
		}
		t.Add([]string{l.At.UTC().Format(time.DateTime), l.Environment, l.Scenario, l.Series.Level.String(), l.metric.title, l.metric.text(l.Before), l.metric.text(l.Now),
			change(l.Ratio), interval, fmt.Sprintf("%d/%d", l.LevelChange.Runs[0], l.LevelChange.Runs[1]), judged}, below...)
	}
	return t
}
