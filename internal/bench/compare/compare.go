package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/bench/stat"
	"rtrail/internal/document"
	"rtrail/internal/nearest"
	"rtrail/internal/unit"
)

// Bounds of what is laid side by side.
const (
	maxEnvironments = 200
	maxScenarios    = 100
	maxLevels       = 200
	maxCells        = 20_000
)

// Options say how.
type Options struct {
	Base  string   // the environment that others are compared with; "": the first
	Force bool     // compare in spite of unequal settings
	Vary  []string // settings that may differ
}

// metric is a number of a run.
type metric struct {
	name, title string
	lower       bool // is better
	decimals    int
	of          func(*Run) document.Number
}

var metrics = []metric{
	{"qps", "QPS", false, 0, func(r *Run) document.Number { return r.Load.QPS }},
	{"tps", "TPS", false, 0, func(r *Run) document.Number { return r.Load.TPS }},
	{"mean", "MEAN ms", true, 2, func(r *Run) document.Number { return r.Load.Mean }},
	{"p95", "P95 ms", true, 2, func(r *Run) document.Number { return r.Load.P95 }},
	{"p99", "P99 ms", true, 2, func(r *Run) document.Number { return r.Load.P99 }},
	{"cpu_us", "CPU µs per transaction", true, 1, cpuCost},
}

// cpuCost is the CPU time of a transaction in µs: what explains a difference of throughput where
// CPUs are full.
func cpuCost(r *Run) document.Number {
	if known(r.Costs.CPU) || !(r.Load.TPS > 0) {
		return r.Costs.CPU
	}
	return document.Number(r.busy()*1e6) / r.Load.TPS
}

// Metrics are the names of all numbers that are compared.
func Metrics() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return names
}

func (m *metric) text(v document.Number) string {
	switch {
	case !known(v):
		return "-"
	case m.decimals > 0:
		return fmt.Sprintf("%.*f", m.decimals, float64(v))
	case v < 100:
		return unit.Number(v).String()
	}
	return unit.Count(v).String()
}

// Result is what is to be told. docs/bench-compare.schema.json describes its JSON form.
type Result struct {
	Format       int           `json:"format"`
	Runs         int           `json:"runs"`
	Base         string        `json:"base"`
	Forced       bool          `json:"forced"` // in spite of unequal settings
	Environments []Environment `json:"environments"`
	Tables       []Table       `json:"tables"`
	Anomalies    []Anomaly     `json:"anomalies"`
	Notes        []string      `json:"notes"`

	levels []Level
}

// Environment is one of what is compared.
type Environment struct {
	Name       string            `json:"name"`
	Runs       int               `json:"runs"`
	Compared   bool              `json:"compared"`
	Reason     string            `json:"reason"` // why not, or what differs all the same; "": nothing does
	Began      *time.Time        `json:"began"`  // null: not known
	Ended      *time.Time        `json:"ended"`
	Settings   map[string]string `json:"settings"`
	Properties map[string]string `json:"properties"`
	Best       []Best            `json:"best"`
	Short      []Short           `json:"short_of"`
	// Alternate compares every second run of each step with the others, Halves the earlier
	// half of them with the later.
	Alternate stat.Self `json:"alternate"`
	Halves    stat.Self `json:"halves"`

	hostKnown bool
}

// Best is the level at which an environment got most.
type Best struct {
	Scenario string          `json:"scenario"`
	Metric   string          `json:"metric"`
	Level    Level           `json:"level"`
	Value    document.Number `json:"value"`
}

// Table is a metric of a scenario.
type Table struct {
	Metric        string   `json:"metric"`
	Scenario      string   `json:"scenario"`
	LowerIsBetter bool     `json:"lower_is_better"`
	Levels        []Level  `json:"levels"`
	Rows          []Row    `json:"rows"`
	Winners       []Winner `json:"winners"` // of levels that at least two environments have

	metric *metric
}

// Row is an environment in a table; its cells are of the table's levels.
type Row struct {
	Environment string `json:"environment"`
	Compared    bool   `json:"compared"`
	Cells       []Cell `json:"cells"`
}

// Cell is what the runs of a step got.
type Cell struct {
	Runs   int             `json:"runs"`
	Median document.Number `json:"median"`
	Low    document.Number `json:"low"` // of the median's interval; null: too few runs
	High   document.Number `json:"high"`
	Rank   int             `json:"rank"`    // from 1; 0: not compared, or nothing is known
	ToBase *Ratio          `json:"to_base"` // null: it is the base, or there is nothing to compare

	values []float64
}

// Ratio is the distance of a cell from another.
type Ratio struct {
	Ratio      document.Number `json:"ratio"` // of medians
	Low        document.Number `json:"low"`   // of the interval of 95 %; null: too few runs
	High       document.Number `json:"high"`
	P          document.Number `json:"p"`
	Adjusted   document.Number `json:"p_adjusted"` // among all comparisons of the metric
	Conclusion stat.Conclusion `json:"conclusion"`
	NoneBeyond document.Number `json:"none_beyond"` // no difference larger than this share is likely; null: not known

	difference stat.Difference
}

// Winner is the best of a level.
type Winner struct {
	Level        Level           `json:"level"`
	Environments []string        `json:"environments"` // several: the same median
	Median       document.Number `json:"median"`
	Next         string          `json:"next"`
	Lead         *Ratio          `json:"lead"` // over the next; null: none has another median
}

// Compare lays runs side by side.
func Compare(ctx context.Context, in *Input, o Options) (*Result, error) {
	c := &checker{}
	good := c.check(in.Runs)
	r := &Result{Format: 1, Runs: len(in.Runs), Notes: append([]string{}, in.Notes...), Anomalies: append([]Anomaly{}, c.found...)}
	if c.more > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d more anomalies are not listed", c.more))
	}
	names, scenarios, err := r.axes(in.Runs)
	if err != nil {
		return nil, err
	}
	if len(names) < 2 {
		return nil, fmt.Errorf("only one environment is there (%q): runs of the same environment in different files are told apart if each file or folder is named", names[0])
	}
	of := map[string][]*Run{}
	for _, x := range good {
		of[x.Environment] = append(of[x.Environment], x)
	}
	all := map[string][]*Run{}
	for i := range in.Runs {
		all[in.Runs[i].Environment] = append(all[in.Runs[i].Environment], &in.Runs[i])
	}
	for _, name := range names {
		r.Environments = append(r.Environments, describe(name, all[name], of[name]))
	}
	if err := r.chooseBase(o.Base); err != nil {
		return nil, err
	}
	r.settings(o)
	if err := r.enough(); err != nil {
		return nil, err
	}
	for i := range metrics {
		var family, leads []*stat.Difference
		from := len(r.Tables)
		for _, scenario := range scenarios {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t, err := r.table(&metrics[i], scenario, of)
			if err != nil {
				return nil, err
			}
			if t != nil {
				r.Tables = append(r.Tables, *t)
			}
		}
		for k := range r.Tables[from:] {
			t := &r.Tables[from+k]
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			family, leads = append(family, t.toBase(r.Base)...), append(leads, t.rank()...)
		}
		stat.Holm(family)
		stat.Holm(leads)
		for k := range r.Tables[from:] {
			r.Tables[from+k].conclude()
		}
	}
	if len(r.Tables) == 0 {
		return nil, errors.New("nothing is left to compare: " + r.excluded())
	}
	for i := range r.Environments {
		r.Environments[i].best(r.Tables)
		r.Environments[i].self(of[r.Environments[i].Name])
	}
	r.judgeNotes(in.Runs)
	return r, nil
}

func (r *Result) excluded() string {
	if len(r.Anomalies) == 0 {
		return "no run has a number"
	}
	a := r.Anomalies[0]
	return fmt.Sprintf("all %d runs are left out; %s, %s: %s", r.Runs, a.Environment, a.step, a.Words)
}

// axes are the names of environments and scenarios, in the order of their first runs, and the
// levels.
func (r *Result) axes(runs []Run) (names, scenarios []string, err error) {
	seenNames, seenScenarios, seenLevels := map[string]bool{}, map[string]bool{}, map[Level]bool{}
	for i := range runs {
		x := &runs[i]
		if !seenNames[x.Environment] {
			seenNames[x.Environment], names = true, append(names, x.Environment)
		}
		if !seenScenarios[x.Scenario] {
			seenScenarios[x.Scenario], scenarios = true, append(scenarios, x.Scenario)
		}
		seenLevels[x.level()] = true
	}
	for _, n := range []struct {
		what      string
		have, max int
	}{{"environments", len(names), maxEnvironments}, {"scenarios", len(scenarios), maxScenarios}, {"levels", len(seenLevels), maxLevels},
		{"steps of all environments", len(names) * len(scenarios) * len(seenLevels), maxCells}} {
		if n.have > n.max {
			return nil, nil, fmt.Errorf("%d %s: at most %d are compared at a time", n.have, n.what, n.max)
		}
	}
	r.levels = slices.SortedFunc(maps.Keys(seenLevels), compareLevels)
	return names, scenarios, nil
}

// describe says what an environment is.
func describe(name string, all, good []*Run) Environment {
	e := Environment{Name: name, Runs: len(all), Compared: true, Settings: joined(all, func(r *Run) map[string]string { return r.Settings }),
		Properties: joined(all, func(r *Run) map[string]string { return r.Properties }), Short: append([]Short{}, shortages(good)...), Best: []Best{}}
	for _, r := range all {
		e.hostKnown = e.hostKnown || len(r.Saturated) > 0 || known(document.Number(r.busy()))
		if !r.dated {
			continue
		}
		if e.Began == nil || r.Began.Before(*e.Began) {
			e.Began = &r.Began
		}
		if _, ok := r.measured(); ok && (e.Ended == nil || r.Ended.After(*e.Ended)) {
			e.Ended = &r.Ended
		}
	}
	return e
}

// maxValues bounds how many values of a setting are told.
const maxValues = 5

// joined is the values that runs have by name: several are "10, 30".
func joined(runs []*Run, of func(*Run) map[string]string) map[string]string {
	values := map[string]map[string]bool{}
	for _, r := range runs {
		for name, v := range of(r) {
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][v] = true
		}
	}
	out := map[string]string{}
	for name, set := range values {
		list := slices.Sorted(maps.Keys(set))
		if more := len(list) - maxValues; more > 0 {
			list = append(list[:maxValues], fmt.Sprintf("and %d more", more))
		}
		out[name] = strings.Join(list, ", ")
	}
	return out
}

func (r *Result) names() (names []string) {
	for _, e := range r.Environments {
		names = append(names, e.Name)
	}
	return names
}

func (r *Result) chooseBase(want string) error {
	r.Base = r.Environments[0].Name
	if want == "" {
		return nil
	}
	if names := r.names(); !slices.Contains(names, want) {
		return fmt.Errorf("there is no environment %q%s; there are %s", want, nearest.Hint(want, names), strings.Join(names, ", "))
	}
	r.Base = want
	return nil
}

// settings finds who has others than the base.
func (r *Result) settings(o Options) {
	base := r.Environments[slices.Index(r.names(), r.Base)].Settings
	unknown, told := map[string][]string{}, false
	for i := range r.Environments {
		e := &r.Environments[i]
		told = told || len(e.Settings) > 0
		var unequal []string
		keys := maps.Clone(base)
		maps.Copy(keys, e.Settings)
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			mine, here := e.Settings[name]
			other, there := base[name]
			switch {
			case slices.Contains(o.Vary, name):
			case !here || !there:
				unknown[name] = append(unknown[name], e.Name)
			case mine != other:
				unequal = append(unequal, fmt.Sprintf("%s %s, and %s of %s", name, mine, other, r.Base))
			}
		}
		if len(unequal) == 0 {
			continue
		}
		e.Reason = "unequal settings: " + strings.Join(unequal, "; ")
		e.Compared = o.Force
		r.Forced = r.Forced || o.Force
	}
	if !told {
		r.Notes = append(r.Notes, "No settings of the tests are told (rows, seconds): whether environments were tested alike is not known.")
	}
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		r.Notes = append(r.Notes, fmt.Sprintf("whether the setting %s is equal is not known: either %s or the base %s does not tell it", name, strings.Join(unknown[name], ", "), r.Base))
	}
}

func (r *Result) enough() error {
	var reasons []string
	compared := 0
	for _, e := range r.Environments {
		if e.Compared {
			compared++
		} else {
			reasons = append(reasons, e.Name+": "+e.Reason)
		}
	}
	if more := len(reasons) - maxValues; more > 0 {
		reasons = append(reasons[:maxValues], fmt.Sprintf("and %d more", more))
	}
	if compared < 2 {
		return fmt.Errorf("nothing can be compared with %s: %s; --force compares all the same, --vary NAME allows a setting to differ", r.Base, strings.Join(reasons, "; "))
	}
	return nil
}

// best finds the level with most throughput.
func (e *Environment) best(tables []Table) {
	for _, t := range tables {
		if t.Metric != "qps" && (t.Metric != "tps" || slices.ContainsFunc(tables, func(o Table) bool { return o.Metric == "qps" && o.Scenario == t.Scenario })) {
			continue
		}
		for _, row := range t.Rows {
			if row.Environment != e.Name {
				continue
			}
			b := Best{Scenario: t.Scenario, Metric: t.Metric}
			for k, c := range row.Cells {
				if c.Runs > 0 && !(c.Median <= b.Value) {
					b.Level, b.Value = t.Levels[k], c.Median
				}
			}
			if b.Value > 0 {
				e.Best = append(e.Best, b)
			}
		}
	}
}

// self compares an environment with itself.
func (e *Environment) self(runs []*Run) {
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b *Run) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Repeat, b.Repeat)) })
	type step struct {
		scenario string
		level    Level
	}
	values := map[step][]float64{}
	var order []step
	for _, r := range runs {
		v := r.Load.TPS
		if !(v > 0) {
			v = r.Load.QPS
		}
		if !(v > 0) {
			continue
		}
		s := step{r.Scenario, r.level()}
		if values[s] == nil {
			order = append(order, s)
		}
		values[s] = append(values[s], float64(v))
	}
	for _, s := range order {
		e.Alternate.Add(stat.Alternate(values[s]))
		e.Halves.Add(stat.Halves(values[s]))
	}
}

// judgeNotes say once how far all conclusions carry.
func (r *Result) judgeNotes(runs []Run) {
	most, family, single := 0, 0, true
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			for _, c := range row.Cells {
				single = single && c.Runs <= 1
				if c.ToBase != nil {
					family = max(family, c.ToBase.difference.Family)
					most = max(most, min(c.ToBase.difference.Runs[0], c.ToBase.difference.Runs[1]))
				}
			}
		}
	}
	switch need := stat.FewestRuns(family); {
	case family == 0:
	case single:
		r.Notes = append([]string{fmt.Sprintf("Each step ran once: nothing here is shown to be different. Ranks, ratios and who is first are those of single runs, and the next run may change them. With %d comparisons of a metric, %d runs of each step are the least that can show a difference.", family, need)}, r.Notes...)
	case most < need:
		r.Notes = append([]string{fmt.Sprintf("Too few runs: with %d comparisons of a metric, %d runs of each step are the least that can show a difference, and there are at most %d.", family, need, most)}, r.Notes...)
	default:
		r.Notes = append(r.Notes, fmt.Sprintf("%d comparisons of a metric are judged together (Holm): the chance that any of them is called different by mistake is %v. Intervals hold for each by itself.", family, unit.Share(stat.Alpha)))
	}
	for _, e := range r.Environments {
		for _, s := range []struct {
			stat.Self
			what string
		}{{e.Alternate, "every second run against the others"}, {e.Halves, "the earlier half of the runs against the later"}} {
			if s.Fails() {
				r.Notes = append(r.Notes, fmt.Sprintf("%s differs from itself: %s, %d of %d steps are different, more than chance explains. Something else changed: conclusions about it are too sure.", e.Name, s.what, s.Different, s.Pairs))
			}
		}
	}
	off := 0.0
	for i := range runs {
		if runs[i].derived {
			off = max(off, runs[i].rounding.qps)
		}
	}
	if off > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("QPS is TPS × the queries of a transaction (ps 1, ro 16, rw 20, wo 6) where files do not tell it. TPS is rounded, so QPS may be off by up to %v.", unit.Number(off)))
	}
}
