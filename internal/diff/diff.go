// Package diff compares two windows, of one recording or of two hosts: what was done and waited for
// per request or per second, settings, and processes.
//
// Two windows are never the same. A quantity is told only if it differs in all parts of the
// windows: each is cut into Parts, and every part of the one has more than every part of the
// other. If nothing changed, that happens by chance once in 924 / 2 quantities (the ways to
// choose 6 of 12), whatever the distribution, so that no threshold is tuned to a load. Parts
// that follow each other are alike, so it must also be MinRatio apart, and so much that it
// matters on any host (the floor of each quantity). A quantity that is not known of all parts of both
// windows is not compared, and the result says so.
package diff

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

const (
	// Parts is how many parts each window is cut into.
	Parts = 6
	// MinRatio is how far apart a quantity must be, at least.
	MinRatio = 1.5
	// minRequests is how many requests each part must have for amounts per request: fewer
	// are a sample too small.
	minRequests = 20
	// maxLines bounds each list.
	maxLines = 500
)

// Side is one of the two windows.
type Side struct {
	Recording *recording.Recording
	From, To  time.Time
	// Around has what is read less often than once a second, of Beyond more at both ends; nil:
	// Recording has it.
	Around *recording.Recording
}

// Beyond is how much of Around counts at both ends of a window: the time between two
// readings of MySQL's statements.
const Beyond = 10 * time.Second

// Result is what differs between two windows, the first and the second one.
type Result struct {
	Per       string // what amounts are divided by: "MySQL transaction"; "second" if requests are not known on both sides
	Plural    string // of Per, if that is requests
	Requests  [2]float64
	Changes   []Change // those that explain most first
	Compared  int      // quantities that were compared
	Settings  []Setting
	Processes []Process
	Missing   []Missing // what could not be compared
}

// Change is a quantity that differs.
type Change struct {
	Quantity *Quantity
	Who      string     // the process, disk, server, statement...; "" is the host
	Per      string     // what Amount is divided by: Result.Per, or "request" of a service; "": it is a level
	Amount   [2]float64 // per Per; levels as they are
	PerSec   [2]float64 // per second; of response times and waits, how many waited at a time on the average
	kind     kind
	weight   float64
}

// Ratio is how many times more the first side has; infinite if the second has none.
func (c *Change) Ratio() float64 { return c.Amount[0] / c.Amount[1] }

// Compare compares what two windows tell. What one of them does not tell in all of its parts is
// missing: what is not known would look like a difference. Two windows of which nothing can be compared
// are an error.
func Compare(first, second Side) (Result, error) {
	a, b := measure(first, second)
	r := Result{Per: "second", Settings: settings(a, b), Processes: processes(a, b)}
	by := [2][]float64{a.seconds(), b.seconds()}
	for _, kind := range requestKinds {
		x, y := a.requests(kind), b.requests(kind)
		if x != nil && y != nil {
			r.Per, r.Plural, by = kind.name, kind.plural, [2][]float64{x, y}
			break
		}
	}
	for i, m := range []*measured{a, b} {
		r.Requests[i] = view.Unknown
		if r.Per != "second" {
			r.Requests[i] = sum(by[i]) / sum(m.seconds())
		}
	}
	r.Changes, r.Compared = changes(a, b, by, r.Per)
	r.Missing = missing(a, b)
	if r.Compared == 0 {
		return Result{}, nothing(a, b, r.Missing)
	}
	return r, nil
}

// changes are the quantities that differ, of those that both sides measured. A process of
// one side only is told as that.
func changes(a, b *measured, by [2][]float64, per string) (list []Change, compared int) {
	all := [2]map[*Quantity]float64{a.totals(), b.totals()}
	for k := range either(a, b) {
		if !a.complete(k) || !b.complete(k) {
			continue
		}
		compared++
		if c, ok := change(k, [2]*measured{a, b}, by, all); ok {
			if c.Per = cmp.Or(k.quantity.Per, per); k.quantity.level {
				c.Per = ""
			}
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(x, y Change) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(x.Quantity.ID, y.Quantity.ID), cmp.Compare(x.Who, y.Who))
	})
	list = slices.DeleteFunc(list, func(x Change) bool {
		return x.Who == "" && slices.ContainsFunc(list, func(y Change) bool { return y.Who != "" && y.kind != ofSpace && y.all(&x) })
	})
	return list[:min(len(list), maxLines)], compared
}

// all says whether it is all of what the host did of the quantity: the only disk.
func (c *Change) all(host *Change) bool {
	return c.Quantity == host.Quantity && c.PerSec[0] >= wholly*host.PerSec[0] && c.PerSec[1] >= wholly*host.PerSec[1]
}

// wholly is the share that counts as all.
const wholly = 0.99

// either are the names that one of two windows has at least.
func either(a, b *measured) iter.Seq[name] {
	return func(yield func(name) bool) {
		for k := range a.amounts {
			if !yield(k) {
				return
			}
		}
		for k := range b.amounts {
			if a.amounts[k] == nil && !yield(k) {
				return
			}
		}
	}
}

// totals are how much there was of quantities per second: what the host counts and other
// network namespaces do, and where nobody counts it for the host, what all others have.
func (m *measured) totals() map[*Quantity]float64 {
	seconds := sum(m.seconds())
	hosts, all := map[*Quantity]float64{}, map[*Quantity]float64{}
	for k, a := range m.amounts {
		n := sum(a.of[:]) / seconds
		if k.who == "" || k.kind == ofSpace {
			hosts[k.quantity] += n
		}
		all[k.quantity] += n
	}
	for q := range all {
		if m.amounts[name{quantity: q}] != nil {
			all[q] = hosts[q]
		}
	}
	return all
}

// change compares one quantity.
func change(k name, sides [2]*measured, by [2][]float64, all [2]map[*Quantity]float64) (c Change, ok bool) {
	c = Change{Quantity: k.quantity, Who: k.who, kind: k.kind}
	var rates [2][]float64
	for i, m := range sides {
		a, divisor := m.amount(k), by[i]
		parts := a.of[:]
		if k.quantity.level {
			rates[i] = parts
			c.Amount[i], c.PerSec[i] = mean(parts), mean(parts)
			continue
		}
		if k.quantity.Per != "" {
			divisor = a.by[:]
		}
		for j, amount := range parts {
			rates[i] = append(rates[i], amount/divisor[j])
		}
		c.Amount[i], c.PerSec[i] = sum(parts)/sum(divisor), sum(parts)/sum(m.seconds())
	}
	if !apart(rates[0], rates[1]) || max(c.PerSec[0], c.PerSec[1]) < k.quantity.floor {
		return c, false
	}
	low, high := min(c.Amount[0], c.Amount[1]), max(c.Amount[0], c.Amount[1])
	if high < MinRatio*low {
		return c, false
	}
	// How much of what the host does changed, and how many times: a process that does ten
	// times as much of next to nothing explains little.
	most := max(c.PerSec[0], c.PerSec[1])
	if !k.quantity.level {
		most = max(most, all[0][k.quantity], all[1][k.quantity])
	}
	c.weight = math.Log(min(high/max(low, high/maxRatio), maxRatio)) * max(c.PerSec[0], c.PerSec[1]) / most
	if k.quantity.waits {
		// A wait that grew a hundredfold costs its seconds and no more: t of them per second weigh
		// t/(1+t), as in impacts of findings.
		lost := max(c.PerSec[0], c.PerSec[1])
		c.weight *= lost / (1 + lost)
	}
	return c, !math.IsNaN(c.weight) && !math.IsInf(c.weight, 0)
}

// maxRatio bounds what a change from next to nothing weighs.
const maxRatio = 100

// apart says whether all of one list are above all of the other. Numbers that are not known
// are apart from none.
func apart(x, y []float64) bool {
	for _, v := range slices.Concat(x, y) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return len(x) > 0 && len(y) > 0 && (slices.Min(x) > slices.Max(y) || slices.Min(y) > slices.Max(x))
}

func sum(list []float64) (s float64) {
	for _, v := range list {
		s += v
	}
	return s
}

func mean(list []float64) float64 { return sum(list) / float64(len(list)) }
