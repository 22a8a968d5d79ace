package mysqlview

import (
	"cmp"
	"math"
	"slices"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// Statement is what one statement did over a window. Of one that was only seen
// in the process list nothing but Running is known.
type Statement struct {
	Schema   string
	Text     string  // without literals
	Running  float64 // executions at a time: seconds of execution per second
	Count    float64 // executions; NaN
	Took     float64 // seconds of execution; NaN
	Examined float64 // rows; NaN
	Sent     float64 // rows; NaN
	Errors   float64 // NaN
	NoIndex  float64 // executions without an index; NaN
}

// Mean is seconds per execution.
func (s *Statement) Mean() float64 {
	if s.Count == 0 {
		return math.NaN()
	}
	return s.Took / s.Count
}

// Statements are the statements of a window, those that took most time first.
type Statements struct {
	// Sampled says that the server keeps no digests, or not of what its clients
	// execute: the process list was looked at so many times.
	Sampled bool
	Looks   int
	// Missed is the share of executions that are not in the server's digests; 0
	// unless Sampled. MySQL 5.6 digests no prepared statements.
	Missed float64
	// Awaited says that the server's digests were read once: what they grew by is
	// known from the second reading on.
	Awaited bool
	Seconds float64 // of the window
	List    []Statement
}

const (
	// fullReading is how many statements the probe keeps of a reading: of fewer,
	// none was left out.
	fullReading = 50
	// maxMissed is the share of executions that digests may lack and still tell
	// what a server does.
	maxMissed = 0.5
)

// missed is the share of executions that digests lack: of so many statements
// that clients sent, by the server's counter. 0 where the reading was cut.
func missed(list []Statement, questions float64) float64 {
	counted := 0.0
	for _, s := range list {
		counted += s.Count
	}
	if len(list) >= fullReading || questions <= 0 || counted >= questions {
		return 0
	}
	return 1 - counted/questions
}

// StatementsOf lists the statements of a server between two readings of
// its digests, which are the window; of one that has none, of its process list.
func StatementsOf(v *view.View, server string) Statements {
	all := digests(v, server)
	if all.List == nil {
		return sampled(v, server)
	}
	for _, s := range v.MySQLServers() {
		questions, ok := s.Delta("Questions")
		if share := missed(all.List, questions); s.Server == server && ok && share > maxMissed {
			all = sampled(v, server)
			all.Missed = share
		}
	}
	return all
}

// digests are the statements as the server counts them.
func digests(v *view.View, server string) Statements {
	list, ok := v.StatementsOf(server)
	if !ok {
		return Statements{}
	}
	all := Statements{List: []Statement{}}
	for _, s := range list {
		all.Seconds = s.Seconds
		all.List = append(all.List, Statement{
			Schema: s.Schema, Text: escape.Line(cmp.Or(s.Text, s.Digest)), Running: s.Took.Seconds() / s.Seconds,
			Count: float64(s.Count), Took: s.Took.Seconds(), Examined: known(s.Examined), Sent: known(s.Sent),
			Errors: known(s.Errors), NoIndex: known(s.NoIndex),
		})
	}
	return all
}

func known(n int64) float64 {
	if n < 0 {
		return math.NaN()
	}
	return float64(n)
}

// sampled counts how often the process list showed each statement.
func sampled(v *view.View, server string) Statements {
	_, looks := v.StatesOf(server)
	all := Statements{Sampled: true, Looks: looks, Seconds: v.Seconds()}
	if looks == 0 {
		return all
	}
	type key struct{ db, text string }
	seen := map[key]int{}
	for _, look := range v.SessionsOf(server) {
		for _, s := range look {
			if runs(&s) {
				seen[key{s.DB, s.Statement}]++
			}
		}
	}
	nan := math.NaN()
	for k, n := range seen {
		all.List = append(all.List, Statement{
			Schema: k.db, Text: escape.Line(k.text), Running: float64(n) / float64(looks),
			Count: nan, Took: nan, Examined: nan, Sent: nan, Errors: nan, NoIndex: nan,
		})
	}
	all.sort()
	return all
}

// runs says that a session executes a statement of a client.
func runs(s *recording.MySQLSession) bool {
	return s.Statement != "" && (s.Command == "Query" || s.Command == "Execute")
}

func (all *Statements) sort() {
	slices.SortFunc(all.List, func(a, b Statement) int {
		return cmp.Or(cmp.Compare(b.Running, a.Running), cmp.Compare(a.Text, b.Text), cmp.Compare(a.Schema, b.Schema))
	})
}

// statementSums adds up the statements of a run, window by window.
type statementSums struct {
	digests   map[[2]string]*Statement
	read      time.Time // digests of this reading are in
	seconds   float64
	questions float64 // statements clients sent meanwhile, by the server's counter
	cut       bool    // some reading was

	seen   map[[2]string]float64 // how often the process list showed it
	looked time.Time             // the look that was counted last
	looks  int
}

func newStatementSums() *statementSums {
	return &statementSums{digests: map[[2]string]*Statement{}, seen: map[[2]string]float64{}}
}

// maxStatements bounds what is told apart in a long run; what comes later is
// left out of the summary.
const maxStatements = 10_000

// add takes what came since it was asked last. rec holds at least the last two
// readings; the last look of the process list is at its end. The probe writes a
// reading of digests together with the one before it, so that there are none
// until the second one: until then the process list is counted.
func (s *statementSums) add(rec *recording.Recording, server string) {
	s.addSessions(rec, server)
	rows := recording.Rows[recording.MySQLStatement](rec)
	if len(rows) == 0 {
		return
	}
	last := rows[len(rows)-1].At
	if s.read.IsZero() {
		s.read = rows[0].At
	}
	if !last.After(s.read) {
		return
	}
	window := view.New(rec, s.read, last)
	s.read = last
	all := digests(window, server)
	if len(all.List) == 0 {
		return
	}
	s.seconds += all.Seconds
	s.cut = s.cut || len(all.List) >= fullReading
	for _, x := range window.MySQLServers() {
		if questions, ok := x.Delta("Questions"); ok && x.Server == server {
			s.questions += questions
		}
	}
	for _, x := range all.List {
		k := [2]string{x.Schema, x.Text}
		have := s.digests[k]
		switch {
		case have != nil:
			have.Count, have.Took, have.Examined = have.Count+x.Count, have.Took+x.Took, have.Examined+x.Examined
			have.Sent, have.Errors, have.NoIndex = have.Sent+x.Sent, have.Errors+x.Errors, have.NoIndex+x.NoIndex
		case len(s.digests) < maxStatements:
			s.digests[k] = &x
		}
	}
}

func (s *statementSums) addSessions(rec *recording.Recording, server string) {
	states := recording.Rows[recording.MySQLState](rec)
	if len(states) == 0 || !states[len(states)-1].At.After(s.looked) {
		return
	}
	s.looked = states[len(states)-1].At
	s.looks++
	rows := recording.Rows[recording.MySQLSession](rec)
	for i := len(rows) - 1; i >= 0 && sameLook(rows[i].At, s.looked); i-- {
		k := [2]string{rows[i].DB, escape.Line(rows[i].Statement)}
		if _, have := s.seen[k]; runs(&rows[i]) && rows[i].Server == server && (have || len(s.seen) < maxStatements) {
			s.seen[k]++
		}
	}
}

// sameLook says that two rows of one sample may have these times.
func sameLook(a, b time.Time) bool { return a.Sub(b).Abs() < 200*time.Millisecond }

// all are the sums.
func (s *statementSums) all() Statements {
	share := 0.0
	if s.seconds > 0 {
		sum := Statements{Seconds: s.seconds}
		for _, x := range s.digests {
			x.Running = x.Took / s.seconds
			sum.List = append(sum.List, *x)
		}
		if !s.cut {
			share = missed(sum.List, s.questions)
		}
		if share <= maxMissed {
			sum.sort()
			return sum
		}
	}
	nan := math.NaN()
	sum := Statements{Sampled: true, Looks: s.looks, Missed: share}
	for k, n := range s.seen {
		sum.List = append(sum.List, Statement{
			Schema: k[0], Text: k[1], Running: n / float64(s.looks),
			Count: nan, Took: nan, Examined: nan, Sent: nan, Errors: nan, NoIndex: nan,
		})
	}
	sum.sort()
	return sum
}
