package failover

import (
	"cmp"
	"math"
	"slices"
	"time"

	"rtrail/internal/document"
)

const (
	// joined is how far apart two signs of one interruption may be.
	joined = 30 * time.Second
	// side is how much of the time before and after an interruption is compared.
	side = time.Minute
	// sure is how many transactions would have come, at the rate before, while none did:
	// by chance (Poisson) this happens once in a thousand times.
	sure = 7
	// usual is how many seconds tell the rate before.
	usual = 3
	// shortestGap is how long no write must be acknowledged, where each one is known.
	shortestGap = time.Second
	// RecoveredShare is the share of the transactions before at which a server has recovered,
	// as the median of RecoveredSeconds.
	RecoveredShare   = 0.8
	RecoveredSeconds = 5
	// clockStep is a change of the clock that is told.
	clockStep = 500 * time.Millisecond
)

// Moment is a time of a run.
type Moment struct {
	At      time.Time     `json:"time"`
	Elapsed time.Duration `json:"elapsed_ns"`
}

// Interval is a part of a run.
type Interval struct {
	From Moment `json:"from"`
	To   Moment `json:"to"`
	// Took is without seconds that were not watched, and at least how long it was where it
	// began before the watch or ended after it.
	Took time.Duration `json:"duration_ns"`
	// Gaps is how much longer it may have been, as nobody watched for so long just before it, in
	// it or before its end: BeginGap before From, EndGap before To.
	Gaps      time.Duration `json:"gaps_ns"`
	BeginGap  time.Duration `json:"begin_gap_ns"`
	EndGap    time.Duration `json:"end_gap_ns"`
	BeginSeen bool          `json:"begin_seen"`
	EndSeen   bool          `json:"end_seen"`
	// Within is how much longer it may have been.
	Within time.Duration `json:"resolution_ns"`
}

// Kind is what happened.
type Kind string

// Kinds of events.
const (
	FirstError   Kind = "first_error"
	WritesStop   Kind = "writes_stop"
	ReadOnlyOn   Kind = "read_only_on"
	Disconnected Kind = "disconnected"
	KeptLost     Kind = "connection_lost"
	NameChanged  Kind = "name_changed"
	Connected    Kind = "connected"
	NewServer    Kind = "new_server"
	Restarted    Kind = "restarted"
	ReadOnlyOff  Kind = "read_only_off"
	WritesAgain  Kind = "writes_again"
	Recovered    Kind = "recovered"
	ClockStep    Kind = "clock_step"
	Gap          Kind = "gap"
)

// order is that of events of one second.
var order = []Kind{Gap, ClockStep, FirstError, ReadOnlyOn, WritesStop, KeptLost, Disconnected, NameChanged, Connected, Restarted, NewServer, ReadOnlyOff, WritesAgain, Recovered}

// causes are the events that explain why there are no transactions. A name may lead to other
// addresses of the same server each second.
var causes = []Kind{FirstError, ReadOnlyOn, KeptLost, Disconnected, Restarted, NewServer}

// Event is one entry of the time line.
type Event struct {
	Moment
	Kind Kind   `json:"kind"`
	What string `json:"what"`
}

// State is what was usual in a part of a run.
type State struct {
	Seconds   int             `json:"seconds"`
	TPS       document.Number `json:"transactions_per_second"` // medians
	QPS       document.Number `json:"queries_per_second"`
	Connect   document.Number `json:"connect_ms"`
	Addresses []string        `json:"addresses"` // the last
	Server    *Server         `json:"server"`
}

// Interruption is a time in which clients were hurt: no writes, no connections, or errors.
type Interruption struct {
	Interval
	Outages        []Interval `json:"write_outages"`
	Disconnections []Interval `json:"disconnections"`
	// WithoutWrites and WithoutConnection are their sums.
	WithoutWrites     time.Duration `json:"without_writes_ns"`
	WithoutConnection time.Duration `json:"without_connection_ns"`
	Errors            int           `json:"errors"`
	Codes             []Code        `json:"error_codes"`
	// Pause says that nothing but missing transactions was seen, of which nobody knows whether
	// a client wanted them.
	Pause     bool    `json:"pause"`
	Events    []Event `json:"events"`
	Recovered *Moment `json:"recovered"` // nil: not seen
	// RecoveredGap is how much earlier it may have recovered, as nobody watched.
	RecoveredGap time.Duration `json:"recovered_gap_ns"`
	Before       State         `json:"before"`
	After        State         `json:"after"` // from Recovered on, or since writes and connections are back
	connects     bool          // that they are known
	noWrites     bool          // in all of the run
}

// Hurt says whether writes or connections failed altogether for a time.
func (i *Interruption) Hurt() bool { return len(i.Outages)+len(i.Disconnections) > 0 && !i.Pause }

// Analysis is the time line of a run.
type Analysis struct {
	Target        string         `json:"target"`
	Source        Source         `json:"source"`
	Seconds       int            `json:"seconds"`
	Unwatched     int            `json:"unwatched_seconds"` // in which the watch itself stood still
	Interruptions []Interruption `json:"interruptions"`
	Changes       []Event        `json:"changes"` // that belong to none of them
	Gaps          []Event        `json:"gaps"`    // all times that nobody watched, each at its end
	// Unfinished is the line at which a log ends in the middle; it is left out. 0: none.
	Unfinished int   `json:"unfinished_line"`
	Whole      State `json:"whole"` // where there is no interruption
	// NoWrites says that no writes were seen from which an outage could be told.
	NoWrites bool `json:"no_writes"`
	relative bool
}

// run is a run as it is analysed.
type run struct {
	source Source
	s      []Second
}

// Analyse makes the time line of a run.
func Analyse(r Run) *Analysis {
	x := run{source: r.Source, s: r.Seconds}
	a := &Analysis{Target: r.Target, Source: r.Source, Seconds: len(r.Seconds), Interruptions: []Interruption{}, Changes: []Event{}, Gaps: []Event{}, Unfinished: r.Unfinished, Whole: state(r.Seconds), relative: r.Relative}
	for i := range x.s {
		a.Unwatched += int(x.missed(i) / time.Second)
	}
	if len(x.s) == 0 {
		a.NoWrites = true
		return a
	}
	outages := x.outages()
	if x.hasWrites() {
		outages = x.gaps()
	}
	disconnections := x.disconnections()
	a.NoWrites = !slices.ContainsFunc(x.s, func(s Second) bool { return s.TPS > 0 })
	changes := x.changes()
	groups := x.group(outages, disconnections)
	for i, g := range groups {
		low, high := time.Duration(0), x.end()
		if i > 0 {
			low = groups[i-1].to
		}
		if i+1 < len(groups) {
			high = groups[i+1].from
		}
		a.Interruptions = append(a.Interruptions, x.interruption(g, low, high, within(outages, g), within(disconnections, g)))
	}
	for _, c := range changes {
		if c.Kind == Gap {
			a.Gaps = append(a.Gaps, c)
			if n := owner(groups, c.Elapsed); n < 0 {
				continue
			}
		}
		if n := owner(groups, c.Elapsed); n >= 0 {
			it := &a.Interruptions[n]
			it.Events = append(it.Events, c)
		} else {
			a.Changes = append(a.Changes, c)
		}
	}
	for i := range a.Interruptions {
		it := &a.Interruptions[i]
		it.noWrites = a.NoWrites && x.source == Counters
		it.connects = x.source != Log || slices.ContainsFunc(x.s, func(s Second) bool { return s.Connects.OK > 0 })
		slices.SortStableFunc(it.Events, func(a, b Event) int {
			return cmp.Or(cmp.Compare(a.Elapsed, b.Elapsed), cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)))
		})
		it.Pause = !x.source.wanted() && !slices.ContainsFunc(it.Events, func(e Event) bool { return slices.Contains(causes, e.Kind) })
	}
	return a
}

// end is when the watch ended.
func (x *run) end() time.Duration { return x.s[len(x.s)-1].Elapsed + time.Second }

// missed is how long nobody watched before second i.
func (x *run) missed(i int) time.Duration {
	if i == 0 {
		return 0
	}
	return max(0, (x.s[i].Elapsed-x.s[i-1].Elapsed).Round(time.Second)-time.Second)
}

// missedIn is how long nobody watched in a part of the run.
func (x *run) missedIn(from, to time.Duration) (sum time.Duration) {
	for i := range x.s {
		if m := x.missed(i); m > 0 && x.s[i].Elapsed > from && x.s[i].Elapsed <= to {
			sum += m
		}
	}
	return sum
}

// moment is a time of the run with its time of day.
func (x *run) moment(elapsed time.Duration) Moment {
	i := max(0, x.index(elapsed)-1)
	if i+1 < len(x.s) && x.s[i+1].Elapsed == elapsed {
		i++
	}
	return Moment{x.s[i].At.Add(elapsed - x.s[i].Elapsed), elapsed}
}

// index is the first second that begins then or later.
func (x *run) index(elapsed time.Duration) int {
	i, _ := slices.BinarySearchFunc(x.s, elapsed, func(s Second, e time.Duration) int { return cmp.Compare(s.Elapsed, e) })
	return i
}

// interval is a part of the run. Whether it went on in seconds that nobody watched, or began or
// ended in them, is not known.
func (x *run) interval(from, to time.Duration, beginSeen, endSeen bool, within time.Duration) Interval {
	i := Interval{From: x.moment(from), To: x.moment(to), BeginSeen: beginSeen, EndSeen: endSeen, Within: within}
	missed := x.missedIn(from, to)
	if beginSeen {
		i.BeginGap = x.missedAt(from)
	}
	if endSeen {
		i.EndGap = x.missedAt(to)
	}
	i.Took, i.Gaps = to-from-missed, missed+i.BeginGap
	return i
}

// missedAt is how long nobody watched just before a second that begins then.
func (x *run) missedAt(elapsed time.Duration) time.Duration {
	if i := x.index(elapsed); i < len(x.s) && x.s[i].Elapsed == elapsed {
		return x.missed(i)
	}
	return 0
}

// between is the part from one second to another.
func (x *run) between(from, to int) Interval {
	end := x.end()
	if to < len(x.s) {
		end = x.s[to].Elapsed
	}
	return x.interval(x.s[from].Elapsed, end, from > 0, to < len(x.s), time.Second)
}

// disconnections are the times in which no new connection came about.
func (x *run) disconnections() (list []Interval) {
	from := -1
	for i := range x.s {
		c := x.s[i].Connects
		if c.Failed > 0 && c.OK == 0 && from < 0 {
			from = i
		}
		if c.OK > 0 && from >= 0 {
			list, from = append(list, x.between(from, i)), -1
		}
	}
	if from >= 0 {
		list = append(list, x.between(from, len(x.s)))
	}
	return list
}

// outages are the times without writes, told by whole seconds. Seconds in which nothing
// answered are without writes, unless the counters tell later that they went on.
func (x *run) outages() (list []Interval) {
	var before rates
	from := -1
	for i := 0; i <= len(x.s); i++ {
		if i < len(x.s) && !(x.s[i].TPS > 0) {
			if from < 0 && x.s[i].without() {
				from = i
			}
			continue
		}
		if from >= 0 && x.counts(from, i, &before) {
			list = append(list, x.between(from, i))
		}
		from = -1
		if i < len(x.s) {
			before = append(before, float64(x.s[i].TPS))
		}
	}
	return list
}

// without says that a second had no writes, as far as is known.
func (s *Second) without() bool {
	return known(s.TPS) && s.TPS <= 0 || !known(s.TPS) && (s.Connects.Failed > 0 && s.Connects.OK == 0 || s.Lost != "")
}

// counts says whether seconds without writes are an outage.
func (x *run) counts(from, to int, before *rates) bool {
	rate := before.mean()
	if to < len(x.s) {
		// Writes that went on unanswered are in what is counted next, which also has those of
		// the second before and of the one after.
		if s := &x.s[to]; s.Counted > 0 && float64(s.TPS)*s.Counted.Seconds() > 2.5*rate {
			return false
		}
	}
	n := 0
	for i := from; i < to; i++ {
		if x.s[i].without() {
			n++
		}
	}
	if math.IsNaN(rate) {
		return x.source.wanted()
	}
	if rate*float64(n) >= sure {
		return true
	}
	*before = append(*before, make([]float64, n)...)
	return false
}

// rates are transactions in usual seconds.
type rates []float64

// mean is that of the last minute; NaN if that is too little.
func (r rates) mean() float64 {
	if len(r) < usual {
		return math.NaN()
	}
	last := r[max(0, len(r)-int(side/time.Second)):]
	sum := 0.0
	for _, v := range last {
		sum += v
	}
	return sum / float64(len(last))
}

// hasWrites says that the time of each write is known.
func (x *run) hasWrites() bool {
	return slices.ContainsFunc(x.s, func(s Second) bool { return s.LastWrite > 0 })
}

// gaps are the times between two acknowledged writes that are long.
func (x *run) gaps() (list []Interval) {
	last := time.Duration(0)
	add := func(to time.Duration, seen bool) {
		if to-last-x.missedIn(last, to) >= shortestGap {
			list = append(list, x.interval(last, to, last > 0, seen, 0))
		}
	}
	for i := range x.s {
		if s := &x.s[i]; s.LastWrite > 0 {
			add(s.FirstWrite, true)
			last = s.LastWrite
		}
	}
	add(x.end(), false)
	return list
}

// span is a part of a run.
type span struct{ from, to time.Duration }

// group joins outages, disconnections and errors that are close.
func (x *run) group(lists ...[]Interval) (groups []span) {
	var signs []span
	for _, list := range lists {
		for _, i := range list {
			signs = append(signs, span{i.From.Elapsed, i.To.Elapsed})
		}
	}
	for _, s := range x.s {
		if s.Errors > 0 {
			signs = append(signs, span{s.Elapsed, s.Elapsed + time.Second})
		}
	}
	slices.SortFunc(signs, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, s := range signs {
		if n := len(groups) - 1; n >= 0 && s.from-groups[n].to <= joined {
			groups[n].to = max(groups[n].to, s.to)
		} else {
			groups = append(groups, s)
		}
	}
	return groups
}

// within are the intervals of a group.
func within(list []Interval, g span) []Interval {
	inside := []Interval{}
	for _, i := range list {
		if i.From.Elapsed >= g.from && i.From.Elapsed < g.to {
			inside = append(inside, i)
		}
	}
	return inside
}

// owner is the interruption to which a change belongs: it is in it, or close.
func owner(groups []span, at time.Duration) int {
	best, distance := -1, side
	for i, g := range groups {
		if d := max(g.from-at, at-g.to, 0); d < distance {
			best, distance = i, d
		}
	}
	return best
}

// state is what was usual in some seconds.
func state(list []Second) State {
	s := State{Seconds: len(list), Addresses: []string{}}
	var tps, qps, connect []float64
	for i := range list {
		x := &list[i]
		for _, v := range []struct {
			n  document.Number
			to *[]float64
		}{{x.TPS, &tps}, {x.QPS, &qps}, {x.Connects.Took, &connect}} {
			if known(v.n) {
				*v.to = append(*v.to, float64(v.n))
			}
		}
		if len(x.Addresses) > 0 {
			s.Addresses = x.Addresses
		}
		if x.Server != nil {
			s.Server = x.Server
		}
	}
	s.TPS, s.QPS, s.Connect = median(tps), median(qps), median(connect)
	return s
}

// median sorts its numbers; NaN without any.
func median(v []float64) document.Number {
	if len(v) == 0 {
		return document.Number(math.NaN())
	}
	slices.Sort(v)
	return document.Number((v[(len(v)-1)/2] + v[len(v)/2]) / 2)
}

// part is the seconds that begin in a part of the run.
func (x *run) part(from, to time.Duration) []Second {
	i, j := x.index(from), x.index(to)
	if i >= j {
		return nil
	}
	return x.s[i:j]
}
