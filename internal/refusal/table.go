package refusal

import (
	"regexp"
	"strings"
)

// lookup finds what is known about a counter. One that is not known counts as
// refused work if its name says so.
func (s *source) lookup(name string) Counter {
	if c, ok := s.known(name); ok {
		return c
	}
	if !soundsFailed.MatchString(name) {
		return Counter{Kind: Volume}
	}
	return Counter{
		Kind: Refused, Unit: "events", Resource: s.resource, PerSecond: 1,
		Means: "not known to this version of rtrail; the name says that something failed",
		Why:   "what it counts is not documented, so a few are ignored",
	}
}

// soundsFailed are parts of words by which kernels name counters of failures.
var soundsFailed = regexp.MustCompile(`(?i)drop|fail|err|overflow|discard|prune|refus|reject|invalid|nobuf|oom|exceed|mismatch|bad|full|abort|denied`)

func (s *source) known(name string) (Counter, bool) {
	s.once.Do(func() {
		s.byName = map[string]*Counter{}
		for i := range s.counters {
			for _, n := range fields(s.counters[i].Names) {
				if prefix, any := strings.CutSuffix(n, "*"); any {
					s.families = append(s.families, family{prefix, &s.counters[i]})
				} else {
					s.byName[n] = &s.counters[i]
				}
			}
		}
	})
	if c := s.byName[name]; c != nil {
		return *c, true
	}
	for _, f := range s.families {
		// A new counter of failures is not volume because its name begins like others.
		if strings.HasPrefix(name, f.prefix) && (f.counter.Kind != Volume || !soundsFailed.MatchString(name)) {
			return *f.counter, true
		}
	}
	return Counter{}, false
}

// family is counters whose names begin alike.
type family struct {
	prefix  string
	counter *Counter
}

// of puts a prefix before the names of counters: a protocol's before those of
// its section.
func of(prefix string, list ...Counter) []Counter {
	for i := range list {
		list[i].Names = each(prefix, list[i].Names)
		list[i].Less = each(prefix, list[i].Less)
		list[i].Of = each(prefix, list[i].Of)
	}
	return list
}

// each puts a prefix before each name; one that has another section's stays.
func each(prefix, names string) string {
	list := fields(names)
	for i, n := range list {
		if full, ok := strings.CutPrefix(n, "="); ok {
			list[i] = full
		} else {
			list[i] = prefix + n
		}
	}
	return strings.Join(list, " ")
}

func fields(names string) []string { return strings.Fields(names) }

func volume(names string) Counter { return Counter{Names: names, Kind: Volume} }

func ordinary(names, why string) Counter { return Counter{Names: names, Kind: Ordinary, Why: why} }

func slowed(names, means string, rules ...string) Counter {
	return Counter{Names: names, Kind: Slowed, Means: means, Rules: rules}
}
