// Package report says what the runs of a load test show, environment by environment: each run,
// what runs at one level have in common, the knee, what an operation costs, and what limits it.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"rtrail/internal/bench"
	"rtrail/internal/bench/knee"
	"rtrail/internal/document"
)

// Options is what is asked of runs.
type Options struct {
	P99 float64 // the limit of the 99th percentile of open loops, in milliseconds; infinite: none
}

// Report is what runs show. docs/bench-report.schema.json describes its JSON form.
type Report struct {
	Format       int           `json:"format"`
	Environments []Environment `json:"environments"`
	Notes        []string      `json:"notes"` // on files that were read
}

// Environment is what was tested.
type Environment struct {
	Name     string            `json:"name"`
	Settings map[string]string `json:"settings"` // and properties, that all its runs have in common
	Runs     []bench.Run       `json:"runs"`
	Ladders  []Ladder          `json:"ladders"`
	Notes    []string          `json:"notes"`
}

// Ladder is the levels of one scenario, of valid runs: of clients (a closed loop), or of rates.
type Ladder struct {
	Scenario string  `json:"scenario"`
	Open     bool    `json:"open_loop"`
	Levels   []Level `json:"levels"`
	Knee     *Knee   `json:"knee"` // null: there is none
	// Law is the scalability law of a closed loop; null: Refused says why it is not told.
	Law     *knee.Fit `json:"law"`
	Refused string    `json:"law_refused"`
	// Limits is what saturates from the knee on, in how many of the runs.
	Limits []Limit `json:"limits"`
}

// Level is the medians of runs.
type Level struct {
	Level float64     `json:"level"` // clients, or the intended rate per second
	Runs  int         `json:"runs"`
	Load  bench.Load  `json:"load"`
	Host  bench.Host  `json:"host"`
	Costs bench.Costs `json:"costs"` // of a transaction
}

// Knee is where more load is no longer worth it.
type Knee struct {
	Level     float64         `json:"level"`
	PerSecond document.Number `json:"transactions_per_second"`
	P99       document.Number `json:"p99_ms"`
	Beyond    bool            `json:"may_be_higher"` // no higher level was tried
}

// Limit is a finding of runs.
type Limit struct {
	bench.Saturated
	Runs int `json:"runs"` // that have it
	Of   int `json:"of"`
	// Near is how near its subject was to its baseline, in the run in which it was nearest; null: it
	// has none.
	Near *bench.Near `json:"of_baseline"`
}

// New sorts runs into environments, by the order in which they come.
func New(runs []bench.Run, o Options) *Report {
	r := &Report{Format: 1, Environments: []Environment{}, Notes: []string{}}
	byName := map[string][]bench.Run{}
	var names []string
	for _, run := range runs {
		if _, known := byName[run.Environment]; !known {
			names = append(names, run.Environment)
		}
		byName[run.Environment] = append(byName[run.Environment], run)
	}
	for _, name := range names {
		r.Environments = append(r.Environments, environment(name, byName[name], o))
	}
	return r
}

func environment(name string, runs []bench.Run, o Options) Environment {
	e := Environment{Name: name, Runs: runs, Settings: common(runs), Ladders: []Ladder{}, Notes: []string{}}
	slices.SortStableFunc(e.Runs, func(a, b bench.Run) int { return a.Began.Compare(b.Began) })
	for i := range e.Runs {
		switch r := &e.Runs[i]; {
		case len(r.Invalid) > 0:
		case !(r.Load.TPS > 0):
			r.Invalid = []string{"no transaction was finished"}
		case !(level(r) > 0):
			r.Invalid = []string{"neither clients nor a rate are told"}
		}
	}
	for i := range e.Runs[1:] {
		a, b := &e.Runs[i], &e.Runs[i+1]
		if b.Began.Before(a.Ended) && !b.Began.IsZero() {
			e.Notes = append(e.Notes, fmt.Sprintf("%s and %s overlap in time: each is loaded by the other", Name(a), Name(b)))
		}
	}
	e.Notes = append(e.Notes, remarked(e.Runs)...)
	type ladder struct {
		scenario string
		open     bool
	}
	byLadder := map[ladder][]bench.Run{}
	var order []ladder
	for _, run := range e.Runs {
		l := ladder{run.Scenario, run.Threads == 0}
		if _, known := byLadder[l]; !known {
			order = append(order, l)
		}
		byLadder[l] = append(byLadder[l], run)
	}
	for _, l := range order {
		e.Ladders = append(e.Ladders, climb(l.scenario, l.open, byLadder[l], o))
	}
	return e
}

// mostNamed is how many runs a note names.
const mostNamed = 3

// remarked are the notes of runs, each once, with those that have it.
func remarked(runs []bench.Run) (notes []string) {
	of := map[string][]string{}
	var order []string
	for i := range runs {
		for _, n := range runs[i].Notes {
			if len(of[n]) == 0 {
				order = append(order, n)
			}
			of[n] = append(of[n], Name(&runs[i]))
		}
	}
	for _, n := range order {
		switch has := of[n]; {
		case len(has) == len(runs):
			notes = append(notes, n)
		case len(has) > mostNamed:
			notes = append(notes, fmt.Sprintf("%s (%d runs)", n, len(has)))
		default:
			notes = append(notes, fmt.Sprintf("%s: %s", strings.Join(has, "; "), n))
		}
	}
	return notes
}

// common is the settings and properties that all runs have, with the same value.
func common(runs []bench.Run) map[string]string {
	told := func(r *bench.Run) map[string]string {
		all := map[string]string{}
		maps.Copy(all, r.Properties)
		maps.Copy(all, r.Settings)
		return all
	}
	all := told(&runs[0])
	for i := range runs {
		other := told(&runs[i])
		maps.DeleteFunc(all, func(name, value string) bool { v, ok := other[name]; return !ok || v != value })
	}
	return all
}

// level is that of a run.
func level(r *bench.Run) float64 {
	if r.Threads > 0 {
		return float64(r.Threads)
	}
	return float64(r.Rate)
}

// Name is how people call a run.
func Name(r *bench.Run) string {
	name := fmt.Sprintf("%s at %s", r.Scenario, Level{Level: level(r)}.words(r.Threads == 0))
	if r.Repeat > 0 {
		name += fmt.Sprintf(", run %d", r.Repeat)
	}
	return name
}

// climb sums up the runs of a ladder.
func climb(scenario string, open bool, runs []bench.Run, o Options) Ladder {
	l := Ladder{Scenario: scenario, Open: open, Levels: []Level{}, Limits: []Limit{}}
	valid := slices.DeleteFunc(slices.Clone(runs), func(r bench.Run) bool { return len(r.Invalid) > 0 })
	var points []knee.Point
	at := map[float64][]bench.Run{}
	for i := range valid {
		r := &valid[i]
		n := level(r)
		at[n] = append(at[n], *r)
		points = append(points, knee.Point{Clients: n, Throughput: float64(r.Load.TPS)})
	}
	var levels []knee.Level
	for _, n := range slices.Sorted(maps.Keys(at)) {
		x := medians(n, at[n])
		l.Levels = append(l.Levels, x)
		levels = append(levels, knee.Level{Level: n, Throughput: float64(x.Load.TPS), P99: float64(x.Load.P99)})
	}
	var found knee.Level
	var ok bool
	if open {
		var failed bool
		found, failed, ok = knee.Open(levels, o.P99)
		l.knee(found, !failed, ok)
	} else {
		var beyond bool
		found, beyond, ok = knee.Closed(levels)
		l.knee(found, beyond, ok)
		law, err := knee.Find(points)
		if refused := (*knee.Refused)(nil); errors.As(err, &refused) {
			l.Refused = refused.Why
		}
		l.Law = law
	}
	l.limits(slices.Concat(valid, refused(runs)), found.Level)
	return l
}

func (l *Ladder) knee(at knee.Level, beyond, ok bool) {
	if ok {
		l.Knee = &Knee{at.Level, document.Number(at.Throughput), document.Number(at.P99), beyond}
	}
}

// refused are runs that the server let no client in for: all that is concluded of them.
func refused(runs []bench.Run) []bench.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r bench.Run) bool { return !r.Refused || len(r.Saturated) == 0 })
}

// Limiting is the run that shows what limits a ladder: of those from the knee on, the first finding
// of which is the first limit, that with the least load. nil: there is none.
func (e *Environment) Limiting(l *Ladder) (run *bench.Run) {
	for i := range e.Runs {
		r := &e.Runs[i]
		switch {
		case len(r.Invalid) > 0, r.Scenario != l.Scenario, (r.Threads == 0) != l.Open, l.Knee != nil && level(r) < l.Knee.Level:
		case len(l.Limits) > 0 && (len(r.Saturated) == 0 || r.Saturated[0].Rule != l.Limits[0].Rule):
		case run == nil || level(r) < level(run):
			run = r
		}
	}
	return run
}

// limits counts what runs from a level on are short of: of an open loop, those above the knee.
// First comes what ends the ladder, then rules by the runs of which they are the first finding,
// then by those that have them, whatever their subject: a shaper is found as an interface in one
// run, as a path in another. Of those that are as frequent, what more load shows goes first.
func (l *Ladder) limits(runs []bench.Run, from float64) {
	seen := map[string]int{}
	type weight struct {
		ends  bool
		heads int // runs of which it is the first finding
		runs  int
		// the highest level of these
		heading, level float64
	}
	weights := map[string]*weight{} // by rule
	of := 0
	for _, r := range runs {
		if n := level(&r); n < from || l.Open && n == from && len(l.Levels) > 0 && l.Levels[len(l.Levels)-1].Level > from {
			continue
		}
		of++
		counted := map[string]bool{}
		for n, s := range r.Saturated {
			w := weights[s.Rule]
			if w == nil {
				w = &weight{}
				weights[s.Rule] = w
			}
			if !counted[s.Rule] {
				counted[s.Rule] = true
				w.runs++
			}
			w.ends, w.level = w.ends || r.Refused, max(w.level, level(&r))
			if n == 0 {
				w.heads, w.heading = w.heads+1, max(w.heading, level(&r))
			}
			if counted[s.Rule+"\x00"+s.Subject] {
				continue
			}
			counted[s.Rule+"\x00"+s.Subject] = true
			i, known := seen[s.Rule+"\x00"+s.Subject]
			if !known {
				i = len(l.Limits)
				seen[s.Rule+"\x00"+s.Subject] = i
				l.Limits = append(l.Limits, Limit{Saturated: s})
			}
			l.Limits[i].Runs++
			for _, n := range r.Baseline {
				if n.Thing == s.Subject && (l.Limits[i].Near == nil || n.Share > l.Limits[i].Near.Share) {
					l.Limits[i].Near = &n
				}
			}
		}
	}
	for i := range l.Limits {
		l.Limits[i].Of = of
	}
	slices.SortStableFunc(l.Limits, func(a, b Limit) int {
		v, w := weights[a.Rule], weights[b.Rule]
		if v.ends != w.ends {
			if v.ends {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(w.heads, v.heads), cmp.Compare(w.heading, v.heading), cmp.Compare(w.runs, v.runs), cmp.Compare(w.level, v.level), cmp.Compare(b.Runs, a.Runs))
	})
}

// medians are those of the runs at a level.
func medians(at float64, runs []bench.Run) Level {
	of := func(number func(*bench.Run) document.Number) document.Number {
		var all []float64
		for i := range runs {
			if v := float64(number(&runs[i])); !math.IsNaN(v) {
				all = append(all, v)
			}
		}
		if len(all) == 0 {
			return document.Number(math.NaN())
		}
		slices.Sort(all)
		return document.Number((all[(len(all)-1)/2] + all[len(all)/2]) / 2)
	}
	type n = document.Number
	return Level{
		Level: at, Runs: len(runs),
		Load: bench.Load{
			TPS: of(func(r *bench.Run) n { return r.Load.TPS }), QPS: of(func(r *bench.Run) n { return r.Load.QPS }),
			Errors: of(func(r *bench.Run) n { return r.Load.Errors }), Mean: of(func(r *bench.Run) n { return r.Load.Mean }),
			P50: of(func(r *bench.Run) n { return r.Load.P50 }), P95: of(func(r *bench.Run) n { return r.Load.P95 }),
			P99: of(func(r *bench.Run) n { return r.Load.P99 }), Max: of(func(r *bench.Run) n { return r.Load.Max }),
		},
		Host: bench.Host{
			CPUs: of(func(r *bench.Run) n { return r.Host.CPUs }), User: of(func(r *bench.Run) n { return r.Host.User }),
			System: of(func(r *bench.Run) n { return r.Host.System }), Softirq: of(func(r *bench.Run) n { return r.Host.Softirq }),
			IOWait: of(func(r *bench.Run) n { return r.Host.IOWait }), Util: of(func(r *bench.Run) n { return r.Host.Util }),
		},
		Costs: bench.Costs{
			CPU: of(func(r *bench.Run) n { return r.Costs.CPU }), Switches: of(func(r *bench.Run) n { return r.Costs.Switches }),
			Read: of(func(r *bench.Run) n { return r.Costs.Read }), Written: of(func(r *bench.Run) n { return r.Costs.Written }),
			Sent: of(func(r *bench.Run) n { return r.Costs.Sent }),
		},
	}
}
