// Package audit goes through the variables of a MySQL, MariaDB or Percona
// server that matter for symptoms of slowness: what each is set to, what it is
// by default, what it does, what changing it costs. It recommends a change only
// with evidence out of the server's own counters or sessions; what merely
// differs from the default is listed as that.
//
// The variables are data: a Setting each, grouped by topic in the files
// settings_*.go.
package audit

import (
	"cmp"
	"slices"
	"strings"

	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// Setting is one variable and what is known of it.
type Setting struct {
	Name  string   // as the newest servers write it
	Names []string // older or other servers' names for the same
	Topic Topic
	Only  string   // "MariaDB", "MySQL" (and Percona); "": all
	Why   string   // what it does to response times, a sentence
	Cost  string   // what it costs to change it, or what the other side of it is
	Apply Apply    // what a change needs
	Auto  string   // how the server sizes it by itself unless it is set; "": it has a plain default
	Unit  Unit     // how its values read
	With  []string // settings that are judged together with it: a change of one speaks for or against the others
	// Advise looks for evidence. nil: there is no evidence in a server's counters.
	Advise func(*Facts, Value) *Advice
}

// Topic is what a setting is about.
type Topic string

// The topics, in the order of the report.
const (
	Buffer      Topic = "buffer pool"
	Redo        Topic = "redo log and durability"
	IO          Topic = "disk I/O"
	Latches     Topic = "latches and purge"
	Locks       Topic = "locks and transactions"
	Tables      Topic = "tables and files"
	Connections Topic = "connections"
	Threads     Topic = "thread pool"
	Memory      Topic = "memory per session"
	Instruments Topic = "instruments and logs"
	Binlog      Topic = "binary log and replication"
	General     Topic = "general"
)

var topics = []Topic{Buffer, Redo, IO, Latches, Locks, Tables, Connections, Threads, Memory, Instruments, Binlog, General}

// Apply is what a change needs to be in force.
type Apply int

// Ways to apply a change.
const (
	Dynamic Apply = iota // SET GLOBAL; sessions may have to reconnect
	Restart
	Mixed // depends on the version: see Setting.Applies
)

// Unit is how values read.
type Unit int

// Units.
const (
	Plain Unit = iota
	Bytes
	Seconds
	Millis // milliseconds
)

// Direction is where a recommendation wants a value to go.
type Direction int

// Directions.
const (
	Raise Direction = iota + 1
	Lower
	Change // to another kind of value
)

// Advice is a recommendation with its evidence.
type Advice struct {
	Direction Direction
	To        string // the value, or how to find it
	Evidence  []rule.Text
	Sure      rule.Confidence
	// Pushes are further settings on which the change has an effect, and where it
	// wants them: a larger buffer pool wants no larger session buffers.
	Pushes map[string]Direction
}

// Entry is one setting of one server.
type Entry struct {
	Setting  *Setting
	Name     string // as this server writes it
	Value    string
	Default  Default
	Differs  bool // from the default; only if that is known
	Advice   *Advice
	Withheld rule.Text // a recommendation that was dropped for another one; empty without
}

// Report is the audit of one server.
type Report struct {
	Server   string
	Flavor   string
	Version  string
	Facts    *Facts
	Entries  []Entry // in the order of topics
	Defaults string  // which servers the defaults were read from
	Notes    []string
}

// Recommended are the entries with advice, the surest first.
func (r *Report) Recommended() []Entry {
	list := slices.DeleteFunc(slices.Clone(r.Entries), func(e Entry) bool { return e.Advice == nil })
	slices.SortStableFunc(list, func(a, b Entry) int { return cmp.Compare(b.Advice.Sure, a.Advice.Sure) })
	return list
}

// Different are those that differ from their default without advice.
func (r *Report) Different() []Entry {
	return slices.DeleteFunc(slices.Clone(r.Entries), func(e Entry) bool { return e.Advice != nil || !e.Differs })
}

// Of audits one server of a recording; ok is false when its variables were
// never read.
func Of(v *view.View, s *view.MySQLServer) (r *Report, ok bool) {
	f := factsOf(v, s)
	if _, ok := s.Variable("max_connections"); !ok {
		return nil, false
	}
	r = &Report{Server: s.Server, Flavor: s.Flavor, Version: s.Version, Facts: f}
	known := defaultsFor(s)
	r.Defaults = known.describe()
	for _, topic := range topics {
		for i := range settings {
			if settings[i].Topic == topic {
				r.add(f, &settings[i], known)
			}
		}
	}
	settle(r.Entries)
	r.Notes = f.notes()
	return r, true
}

func (r *Report) add(f *Facts, s *Setting, known defaults) {
	if s.Only == "MariaDB" && !f.server.MariaDB() || s.Only == "MySQL" && f.server.MariaDB() {
		return
	}
	for _, name := range append([]string{s.Name}, s.Names...) {
		text, ok := f.server.Variable(name)
		if !ok {
			continue
		}
		e := Entry{Setting: s, Name: name, Value: text, Default: known.of(name)}
		e.Differs = s.Auto == "" && e.Default.differs(text)
		if s.Advise != nil {
			e.Advice = s.Advise(f, Value(text))
		}
		r.Entries = append(r.Entries, e)
		return
	}
}

// Applies says what a change of an entry needs.
func (e *Entry) Applies(f *Facts) string {
	switch e.Setting.Apply {
	case Dynamic:
		return "dynamic"
	case Mixed:
		if f.dynamic(e.Name) {
			return "dynamic"
		}
	}
	return "restart"
}

// settle drops recommendations that contradict surer ones: of two that pull a
// setting, or one coupled to it, in opposite directions, the less sure one goes;
// of two equally sure ones, both, since nothing says which is right.
func settle(list []Entry) {
	for {
		a, b := conflict(list)
		if a < 0 {
			return
		}
		drop := func(i, winner int) {
			list[i].Withheld = rule.T("withheld: it would work against %s", list[winner].Name)
			list[i].Advice = nil
		}
		switch sure := cmp.Compare(list[a].Advice.Sure, list[b].Advice.Sure); {
		case sure > 0:
			drop(b, a)
		case sure < 0:
			drop(a, b)
		default:
			drop(a, b)
			list[b].Withheld, list[b].Advice = rule.T("withheld: it would work against %s", list[a].Name), nil
		}
	}
}

// conflict finds two recommendations that contradict each other, those with the
// surest first, so that what a sure one removes does no harm; -1 if none do.
func conflict(list []Entry) (a, b int) {
	a, b = -1, -1
	var surest rule.Confidence
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			if list[i].Advice == nil || list[j].Advice == nil || !contradict(&list[i], &list[j]) {
				continue
			}
			if sure := max(list[i].Advice.Sure, list[j].Advice.Sure); sure > surest {
				a, b, surest = i, j, sure
			}
		}
	}
	return a, b
}

// contradict says that two recommendations want something to go up and down.
func contradict(a, b *Entry) bool {
	pulls := func(e *Entry) map[string]Direction {
		all := map[string]Direction{e.Setting.Name: e.Advice.Direction}
		for name, d := range e.Advice.Pushes {
			all[name] = d
		}
		return all
	}
	theirs := pulls(b)
	for name, d := range pulls(a) {
		if other, ok := theirs[name]; ok && other != d {
			return true
		}
	}
	return false
}

// sameVersion compares the first n numbers of two versions.
func sameVersion(a, b string, n int) bool {
	cut := func(s string) string {
		parts := strings.SplitN(s, ".", n+1)
		return strings.Join(parts[:min(n, len(parts))], ".")
	}
	return cut(a) == cut(b)
}
