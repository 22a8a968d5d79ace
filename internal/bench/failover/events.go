package failover

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/unit"
)

// interruption says what happened in a part of the run that lies between two others.
func (x *run) interruption(g span, low, high time.Duration, outages, disconnections []Interval) Interruption {
	it := Interruption{Outages: outages, Disconnections: disconnections, Codes: []Code{}, After: state(nil)}
	it.Interval = x.interval(g.from, g.to, true, true, 0)
	it.Before = state(x.part(max(low, g.from-side), g.from))
	begins := func(list []Interval, from, to Kind, words func(Interval) (string, string)) (sum time.Duration) {
		for _, i := range list {
			began, ended := words(i)
			if !i.BeginSeen {
				it.BeginSeen = false
				began += ", since before the watch"
			}
			if i.BeginGap > 0 {
				began += fmt.Sprintf(", or up to %s before, when nobody watched", seconds(i.BeginGap))
			}
			if i.EndGap > 0 {
				ended += fmt.Sprintf(", or up to %s before, when nobody watched", seconds(i.EndGap))
			}
			it.Events = append(it.Events, Event{i.From, from, began})
			if i.EndSeen {
				it.Events = append(it.Events, Event{i.To, to, ended})
			} else {
				it.EndSeen = false
			}
			sum += i.Took
			it.Within = max(it.Within, i.Within)
		}
		return sum
	}
	it.errors(x.part(g.from, g.to))
	it.WithoutWrites = begins(outages, WritesStop, WritesAgain, func(i Interval) (string, string) {
		again := "writes again"
		if s := x.s[x.second(i.To.Elapsed)]; s.Counted == 0 {
			again += ", TPS " + perSecond(s.TPS)
		}
		return "writes stop", again
	})
	it.WithoutConnection = begins(disconnections, Disconnected, Connected, func(i Interval) (string, string) {
		c := x.s[x.second(i.From.Elapsed)].Connects
		return "connects fail: " + cmp.Or(c.Class, "error"), "connects succeed"
	})
	it.recovery(x, g, high)
	return it
}

// second is the one in which a moment lies.
func (x *run) second(elapsed time.Duration) int {
	i := x.index(elapsed)
	if i == len(x.s) || i > 0 && x.s[i].Elapsed > elapsed {
		i--
	}
	return i
}

// errors adds the errors up.
func (i *Interruption) errors(list []Second) {
	type key struct {
		number int
		class  string
	}
	sums := map[key]int{}
	first := true
	for _, s := range list {
		if s.Errors > 0 {
			i.Errors += int(s.Errors + 0.5)
			for _, c := range s.Codes {
				sums[key{c.Number, c.Class}] += c.Count
			}
		}
		if first && (s.Errors > 0 || s.Connects.Failed > 0) {
			first = false
			what := "first error: " + cmp.Or(s.Connects.Class, "connect failed")
			if s.Errors > 0 {
				what = "first errors, " + perSecond(s.Errors) + "/s"
				if words := Codes(s.Codes); words != "" {
					what += ": " + words
				}
			}
			i.Events = append(i.Events, Event{Moment{s.At, s.Elapsed}, FirstError, what})
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b key) int {
		return cmp.Or(-cmp.Compare(sums[a], sums[b]), cmp.Compare(a.number, b.number), strings.Compare(a.class, b.class))
	}) {
		i.Codes = append(i.Codes, Code{k.number, k.class, sums[k]})
	}
}

// recovery looks for the time from which the load is as before: the median of some seconds
// reaches most of the median before.
func (i *Interruption) recovery(x *run, g span, high time.Duration) {
	back := g.from
	for _, list := range [][]Interval{i.Outages, i.Disconnections} {
		for _, o := range list {
			if !o.EndSeen {
				return
			}
			back = max(back, o.To.Elapsed)
		}
	}
	if len(i.Outages) == 0 {
		i.After = state(x.part(g.to, min(high, g.to+side)))
		return
	}
	back = x.s[x.second(back)].Elapsed
	after := x.part(back, high)
	for n := range after {
		if len(after)-n < usual || !(i.Before.TPS > 0) {
			break
		}
		if s := after[n]; float64(state(after[n:min(n+RecoveredSeconds, len(after))]).TPS) >= RecoveredShare*float64(i.Before.TPS) &&
			float64(s.TPS) >= RecoveredShare*float64(i.Before.TPS) {
			i.Recovered = &Moment{s.At, s.Elapsed}
			what := fmt.Sprintf("recovered, TPS %s (%s before)", perSecond(s.TPS), perSecond(i.Before.TPS))
			if i.RecoveredGap = x.missedAt(s.Elapsed); i.RecoveredGap > 0 {
				what += fmt.Sprintf(", or up to %s before, when nobody watched", seconds(i.RecoveredGap))
			}
			i.Events = append(i.Events, Event{*i.Recovered, Recovered, what})
			back = s.Elapsed
			break
		}
	}
	i.After = state(x.part(back, min(high, back+side)))
}

// Changes finds what is new from one second to the next: where the name leads, who answers.
type Changes struct {
	Log       bool // the seconds are those of a log
	before    *Second
	server    *Server
	uptime    int64
	addresses []string
}

// Next is what is new in a second.
func (c *Changes) Next(s *Second) (list []Event) {
	add := func(k Kind, format string, args ...any) {
		list = append(list, Event{Moment{s.At, s.Elapsed}, k, fmt.Sprintf(format, args...)})
	}
	if p := c.before; p != nil {
		if gap := (s.Elapsed - p.Elapsed).Round(time.Second) - time.Second; gap > 0 {
			if c.Log {
				add(Gap, "the log has no lines for %s before this", seconds(gap))
			} else {
				add(Gap, "the watch stood still for %s before this", seconds(gap))
			}
		}
		if step := s.At.Sub(p.At) - (s.Elapsed - p.Elapsed); step.Abs() >= clockStep {
			sign := "+"
			if step < 0 {
				sign = "-"
			}
			whose := "watch"
			if c.Log {
				whose = "log"
			}
			add(ClockStep, "the clock of the "+whose+" is set by %s%v", sign, unit.Duration(step.Abs()))
		}
	}
	c.before = s
	if s.Lost != "" {
		add(KeptLost, "a connection ends: %s", s.Lost)
	}
	if len(s.Addresses) > 0 {
		if c.addresses != nil && !slices.Equal(c.addresses, s.Addresses) {
			add(NameChanged, "the name leads to %s instead of %s", Addresses(s.Addresses), Addresses(c.addresses))
		}
		c.addresses = s.Addresses
	}
	if s.Server == nil {
		return list
	}
	switch last := c.server; {
	case last == nil:
	case !last.same(s.Server):
		add(NewServer, "first connect to the new server: %s", s.Server)
	case c.uptime >= 0 && s.Uptime >= 0 && s.Uptime < c.uptime:
		add(Restarted, "the server was restarted: %s", s.Server)
	case last.ReadOnly != s.Server.ReadOnly && s.Server.ReadOnly:
		add(ReadOnlyOn, "read_only is on")
	case last.ReadOnly != s.Server.ReadOnly:
		add(ReadOnlyOff, "read_only is off")
	}
	c.server, c.uptime = s.Server, s.Uptime
	return list
}

// changes are those of a whole run.
func (x *run) changes() (list []Event) {
	c := Changes{Log: x.source == Log}
	for i := range x.s {
		list = append(list, c.Next(&x.s[i])...)
	}
	return list
}

// String names a server.
func (s *Server) String() string {
	words := fmt.Sprintf("server_id %d, %s", s.ID, s.Version)
	if s.ReadOnly {
		words += ", read_only"
	}
	return words
}

// Addresses are those of a name.
func Addresses(list []string) string {
	const shown = 2
	if len(list) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:shown], ", "), len(list)-shown)
	}
	return strings.Join(list, ", ")
}

// Codes are errors by number.
func Codes(list []Code) string {
	const shown = 4
	var words []string
	for _, c := range list {
		name := c.Class
		if c.Number > 0 {
			name = strings.TrimSpace(fmt.Sprintf("%d %s", c.Number, c.Class))
		}
		words = append(words, fmt.Sprintf("%s ×%d", name, c.Count))
	}
	if len(words) > shown {
		words = append(words[:shown], "...")
	}
	return strings.Join(words, ", ")
}

// perSecond is a rate, "-" if it is not known.
func perSecond(n document.Number) string {
	if !known(n) {
		return "-"
	}
	return unit.Number(n).String()
}
