// Package refusal knows the counters of work that was refused, dropped, pruned
// or that failed: what each of them counts, whether that is a failure or
// ordinary operation, and which rule judges it.
//
// A refusal counter that rises is never health. What rose in a window and no
// finding accounts for is listed by the verdict, and the resource that it
// belongs to is not called healthy. A counter that these tables do not know is
// listed if its name says that something failed.
package refusal

import (
	"cmp"
	"slices"
	"sync"

	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// Kind says what it means that a counter rises.
type Kind int

const (
	// Volume: work that was done, or a gauge.
	Volume Kind = iota
	// Ordinary: it sounds like a failure and is none; Why says why.
	Ordinary
	// Slowed: the work was done, but later or at a higher price. How much of that
	// is too much is judged by Rules.
	Slowed
	// Refused: each count is work that somebody asked for and that was not done.
	Refused
)

// Counter is what is known about one counter, or about several that count the
// same thing in different places.
type Counter struct {
	Names string // as the source prints them, separated by blanks; a last * stands for any ending
	Kind  Kind
	Unit  string // what is counted, in the plural: "SYNs", "packets"
	Means string // what one count is, in a sentence without its end
	// Why says of an Ordinary counter why it is no failure, and of a Refused one why
	// so few or so slow ones are everyday life.
	Why      string
	Resource string   // what is not healthy while a Refused one rises: the Resource of a rule, where one fits
	Rules    []string // IDs of the rules that judge it

	Less string // names of counters that count some of the same: they are taken off
	// A Refused counter is reported if it grew by Least in the window, at that rate,
	// and by that share of another counter. 0: minCounts, minRate, any.
	Least     float64
	PerSecond float64
	Share     float64
	Of        string
}

const (
	// minCounts: one or two in a window are a burst without lasting harm.
	minCounts = 3
	// minRate, per second: three in a minute. In long windows anything has
	// happened once.
	minRate = 0.05
	// maxRisen bounds what one verdict lists.
	maxRisen = 50
)

// Scope is one thing that has counters of its own, and how these moved in the
// window: a network namespace, an interface, a control group, the host.
type Scope struct {
	Subject view.Entity // whose counters they are; of the host: KindHost
	Where   string      // the same in words behind a counter's name: "eth0 in web"; "" for this host
	Seconds float64     // between the first and the last reading
	Delta   map[string]float64
	Check   func(counter string) shell.Command // command that shows a counter
	Detail  func(counter string) string        // who suffers most, as far as known; may be nil
}

// source is where counters of one kind are read.
type source struct {
	name     string // "nstat"
	file     string // where the numbers come from
	resource string // of counters that the table does not know
	counters []Counter
	scopes   func(*view.View) []Scope

	once     sync.Once // fills the rest
	byName   map[string]*Counter
	families []family
}

// sources lists all. A new source of counters is an entry here.
var sources = []*source{&protocols, &devices, &queues, &softnet, &conntrack, &memory, &disks, &controlGroups, &mysqlStatus, &mysqlErrors}

// Risen is a counter of refused work that rose in the window.
type Risen struct {
	Counter
	Name   string // of the counter
	File   string // it was read from
	Scope  Scope
	Count  float64 // in the window
	Rate   float64 // per second
	Detail string
}

// Rising lists the counters of refused work that rose in the window by more than
// what is everyday life, those that rose most first.
func Rising(v *view.View) []Risen {
	var list []Risen
	for _, s := range sources {
		for _, scope := range s.scopes(v) {
			for name, delta := range scope.Delta {
				if delta <= 0 {
					continue
				}
				if r, ok := s.rise(name, scope); ok {
					list = append(list, r)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Risen) int {
		return cmp.Or(-cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Scope.Where, b.Scope.Where))
	})
	return list[:min(len(list), maxRisen)]
}

// rise says whether a counter rose by enough to be reported.
func (s *source) rise(name string, scope Scope) (Risen, bool) {
	c := s.lookup(name)
	if c.Kind != Refused {
		return Risen{}, false
	}
	count := scope.Delta[name]
	for _, other := range fields(c.Less) {
		count -= scope.Delta[other]
	}
	needed := max(orElse(c.Least, minCounts), orElse(c.PerSecond, minRate)*scope.Seconds)
	if c.Least > 0 && c.PerSecond == 0 {
		needed = c.Least
	}
	if count < needed || c.Of != "" && count < c.Share*scope.Delta[c.Of] {
		return Risen{}, false
	}
	r := Risen{Counter: c, Name: name, File: s.file, Scope: scope, Count: count, Rate: count}
	if scope.Seconds > 0 {
		r.Rate = count / scope.Seconds
	}
	if scope.Detail != nil {
		r.Detail = scope.Detail(name)
	}
	return r, true
}

// AccountedFor says whether a finding is about what a counter counts: it is of a
// rule that judges the counter, and not about another thing of the same kind. A kill in a control
// group is counted by those above it, too.
func (r *Risen) AccountedFor(f rule.Finding) bool {
	if !slices.Contains(r.Rules, f.Rule) {
		return false
	}
	mine, its := r.Scope.Subject, f.Subject
	if mine.NetNS != 0 && its.NetNS != 0 && mine.NetNS != its.NetNS {
		return false
	}
	return mine.Kind == view.KindNetNS || mine.Kind != its.Kind || mine.Name == its.Name ||
		mine.Kind == view.KindCgroup && (view.InGroup(its.Name, mine.Name) || view.InGroup(mine.Name, its.Name))
}

// Check is a command that shows the counter.
func (r *Risen) Check() shell.Command { return r.Scope.Check(r.Name) }

func orElse(v, other float64) float64 {
	if v == 0 {
		return other
	}
	return v
}
