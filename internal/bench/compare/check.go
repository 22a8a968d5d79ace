package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/unit"
)

// maxAnomalies bounds what is told of runs.
const maxAnomalies = 1000

// Anomaly is what is wrong with a run.
type Anomaly struct {
	Kind        string `json:"kind"` // one of Kinds
	Environment string `json:"environment"`
	Scenario    string `json:"scenario"`
	Level       Level  `json:"level"`
	Repeat      int    `json:"repeat"` // 0: not known
	Words       string `json:"words"`
	// Excluded says that the run takes part in nothing.
	Excluded bool `json:"excluded"`

	step string
}

// Kinds of anomalies.
const (
	Failed       = "failed"         // no transaction was finished
	Invalid      = "invalid"        // the run says so itself
	Duplicate    = "duplicate"      // the same run twice
	Overlap      = "overlap"        // two runs of an environment at the same time
	Length       = "length"         // it took longer or shorter than it was to take
	Errors       = "errors"         // requests failed
	LittlesLaw   = "littles-law"    // TPS x mean is not the number of threads
	BusyCPUs     = "busy-cpus"      // more CPUs are busy than there are
	QueriesRatio = "queries-per-tx" // QPS / TPS is not what the scenario has
)

// checker collects anomalies.
type checker struct {
	found []Anomaly
	more  int // that did not fit
}

func (c *checker) add(kind string, r *Run, excluded bool, format string, args ...any) {
	if len(c.found) == maxAnomalies {
		c.more++
		return
	}
	c.found = append(c.found, Anomaly{kind, r.Environment, r.Scenario, r.level(), r.Repeat, fmt.Sprintf(format, args...), excluded, r.step()})
}

// check looks at all runs, and returns those that may be compared.
func (c *checker) check(runs []Run) (good []*Run) {
	seen := map[string]bool{}
	for i := range runs {
		r := &runs[i]
		switch {
		case c.duplicate(r, seen), c.failed(r):
			continue
		}
		good = append(good, r)
		c.length(r)
		c.errors(r)
		c.law(r)
		c.cpus(r)
		c.ratio(r)
	}
	c.overlaps(runs)
	return good
}

func (c *checker) duplicate(r *Run, seen map[string]bool) bool {
	if r.Began.IsZero() {
		return false
	}
	key := fmt.Sprintf("%s\x00%v\x00%v\x00%v\x00%v\x00%v\x00%v", r.Scenario, r.level(), r.Began.UnixNano(), r.Ended.UnixNano(), r.Load.TPS, r.Load.QPS, r.Load.Mean)
	if !r.dated { // a dated one may be in two arguments, under a name of each
		key += "\x00" + r.Environment
	}
	if seen[key] {
		c.add(Duplicate, r, true, "the same numbers at the same time (%s) are in the input before: this one is left out", r.clock())
		return true
	}
	seen[key] = true
	return false
}

func (r *Run) clock() string {
	if r.dated {
		return r.Began.UTC().Format(time.DateTime)
	}
	return r.Began.UTC().Format(time.TimeOnly)
}

func known(n document.Number) bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

func (c *checker) failed(r *Run) bool {
	if r.Unfinished && len(r.Invalid) == 0 {
		c.add(Invalid, r, true, "it ended before its time")
		return true
	}
	if len(r.Invalid) > 0 {
		words := r.Invalid[0]
		if n := len(r.Invalid) - 1; n > 0 {
			words += fmt.Sprintf(", and %d more reasons", n)
		}
		c.add(Invalid, r, true, "nothing can be concluded from it: %s", words)
		return true
	}
	if r.Load.TPS > 0 || r.Load.QPS > 0 {
		return false
	}
	if !known(r.Load.TPS) && !known(r.Load.QPS) && (r.Load.Mean > 0 || r.Load.P95 > 0) {
		return false
	}
	words := "QPS 0: no transaction was finished"
	if !known(r.Load.TPS) && !known(r.Load.QPS) {
		words = "no number of what the load got is known"
	}
	if s, ok := r.measured(); ok {
		words += fmt.Sprintf("; it took %v", unit.Seconds(s))
		if planned := r.planned(); planned > 0 {
			words += fmt.Sprintf(" of %v", unit.Seconds(planned))
		}
	}
	c.add(Failed, r, true, "%s", words)
	return true
}

// measured is how many seconds a run took.
func (r *Run) measured() (float64, bool) {
	return r.Seconds(), !r.Began.IsZero() && r.Ended.After(r.Began)
}

// planned is how many it was to take; 0: not known.
func (r *Run) planned() float64 {
	s, err := strconv.ParseFloat(r.Settings["seconds"], 64)
	if err != nil || !(s > 0) || math.IsInf(s, 0) {
		return 0
	}
	return s
}

func (c *checker) length(r *Run) {
	s, ok := r.measured()
	if planned := r.planned(); ok && planned > 0 && math.Abs(s-planned) > max(r.rounding.clock, time.Second).Seconds() {
		c.add(Length, r, false, "it took %v s, not %v s", unit.Number(s), unit.Number(planned))
	}
}

func (c *checker) errors(r *Run) {
	if r.Load.Errors > 0 {
		c.add(Errors, r, false, "%v errors: what fails fast makes throughput look good", unit.Number(r.Load.Errors))
	}
}

// law checks Little's law: in a closed loop, throughput times the mean time is the number of
// threads. Threads are whole: the product must round to their number, within what the missing
// digits of its factors may be. At the end threads stop one after the other, which takes them about
// the time of a transaction each.
func (c *checker) law(r *Run) {
	tps, mean, threads := float64(r.Load.TPS), float64(r.Load.Mean)/1000, float64(r.Threads)
	if !(tps > 0 && mean > 0 && threads > 0) || r.Rate > 0 {
		return
	}
	there, halfMean := tps*mean, r.rounding.mean/1000
	tooFew, tooMany := there-(tps-r.rounding.tps)*(mean-halfMean), (tps+r.rounding.tps)*(mean+halfMean)-there
	end := 0.0
	if s, ok := r.measured(); ok {
		end = threads * mean / s
	}
	off, what, explained := there-threads, "more than there are: one of the numbers is wrong", tooFew
	if off < 0 {
		what, explained = "fewer: threads stood still outside of transactions, as in a stalled end", tooMany+end
		if r.Load.Errors > 0 {
			what = "fewer: failed transactions take threads, too"
		}
	}
	if math.Abs(off) > explained+0.5 {
		c.add(LittlesLaw, r, false, "TPS × mean = %.1f transactions at a time, with %d threads: %.1f %s (missing digits and the end explain %.2f)", there, r.Threads, math.Abs(off), what, explained)
	}
}

// busy is how many CPUs work.
func (r *Run) busy() float64 { return float64(r.Host.User + r.Host.System + r.Host.Softirq) }

func (c *checker) cpus(r *Run) {
	busy, cpus, least := r.busy(), float64(r.Host.CPUs), r.busy()-3*r.rounding.cpu
	if !(cpus > 0 && least > cpus) {
		return
	}
	words := fmt.Sprintf("%.2f CPUs are busy of %v", busy, unit.Number(cpus))
	if r.rounding.cpu > 0 {
		words += fmt.Sprintf(" (at least %.2f: digits are missing)", least)
	}
	c.add(BusyCPUs, r, false, "%s: other programs work on the host, the load generator may be one, or the server may use more", words)
}

// ratio checks that a transaction has the queries of its scenario. Queries of transactions that
// were cut off at the end count for nothing.
func (c *checker) ratio(r *Run) {
	want, tps, qps := queries(r.Scenario), float64(r.Load.TPS), float64(r.Load.QPS)
	if r.derived || !(want > 0 && tps > 0 && qps > 0) {
		return
	}
	tolerance := r.rounding.qps + want*r.rounding.tps
	if s, ok := r.measured(); ok {
		tolerance += float64(r.Threads) * want / s
	}
	if math.Abs(qps-want*tps) > tolerance {
		c.add(QueriesRatio, r, false, "QPS / TPS is %.3f and should be %v: errors, or another script", qps/tps, want)
	}
}

func (c *checker) overlaps(runs []Run) {
	var timed []*Run
	for i := range runs {
		// Times of day may be of different days.
		if _, ok := runs[i].measured(); ok && runs[i].dated {
			timed = append(timed, &runs[i])
		}
	}
	slices.SortStableFunc(timed, func(a, b *Run) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), a.Began.Compare(b.Began))
	})
	var last *Run // the one that ends last
	for _, r := range timed {
		if last == nil || last.Environment != r.Environment {
			last = r
			continue
		}
		over := last.Ended.Sub(r.Began)
		// The same run twice is told elsewhere.
		if over > r.rounding.clock && !(last.Began.Equal(r.Began) && last.Ended.Equal(r.Ended) && last.step() == r.step()) {
			c.add(Overlap, r, false, "it began at %s, and %s ended %v later: the two disturbed each other, or clocks are wrong", r.clock(), last.step(), unit.Duration(over))
		}
		if r.Ended.After(last.Ended) {
			last = r
		}
	}
}
