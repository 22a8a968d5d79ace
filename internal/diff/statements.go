package diff

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

var (
	serverTime    = &Quantity{ID: "mysql.response-time", Name: "response time of MySQL, mean", Unit: "s", Per: "statement", floor: 0.02, least: leastStatements, of: ofStatements}
	statementTime = &Quantity{ID: "statement.response-time", Name: "response time of the statement, mean", Unit: "s", Per: "execution", floor: 0.02, least: leastStatements, of: ofStatements}
	examined      = &Quantity{ID: "statement.rows-examined", Name: "rows examined by the statement", Per: "execution", floor: 1000, least: leastStatements, of: ofStatements}
	executions    = &Quantity{ID: "statement.executions", Name: "executions of the statement", floor: 20, of: ofStatements}
)

var statementQuantities = []*Quantity{serverTime, statementTime, examined, executions}

const leastStatements = "twenty executions between two readings"

// ran is what statements of one text did in a part.
type ran struct{ count, took, examined, seconds float64 }

// add adds what a statement grew by in some seconds.
func (r *ran) add(s *recording.MySQLStatement) {
	r.count += float64(s.Count)
	r.took += s.Took.Seconds()
	r.examined += float64(max(s.Examined, 0))
}

// readTwice is how much statements of a server grew between two readings that follow each other.
type readTwice struct {
	from, to time.Time
	grown    []recording.MySQLStatement
	all      bool // no other statement ran
}

// digests adds what statements took, as their servers tell. They are read each ten seconds or
// so: what was counted between two readings belongs to the part that has the middle of that time.
func (m *measured) digests() {
	rows := slices.Clone(recording.Rows[recording.MySQLStatement](cmp.Or(m.side.Around, m.side.Recording)))
	slices.SortStableFunc(rows, func(a, b recording.MySQLStatement) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), a.At.Compare(b.At))
	})
	unknown := partSet(0) // parts in which other statements ran
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r recording.MySQLStatement) bool { return r.Server != rows[0].Server })
		if n < 0 {
			n = len(rows)
		}
		var parts [Parts][]readTwice
		for _, r := range growth(rows[:n]) {
			if i, ok := m.partOf(r.from.Add(r.to.Sub(r.from) / 2)); ok {
				parts[i] = append(parts[i], r)
			}
		}
		for i, list := range parts {
			if unknown |= m.statementsOf(i, m.servers[m.addresses()[rows[0].Server]], list); len(list) > 0 {
				m.statements |= 1 << i
			}
		}
		rows = rows[n:]
	}
	m.statements &^= unknown
}

// statementsOf adds what a server's statements did in a part; unknown is the part if others ran.
func (m *measured) statementsOf(i int, server string, list []readTwice) (unknown partSet) {
	var all ran
	texts := map[string]*ran{}
	for _, r := range list {
		all.seconds += r.to.Sub(r.from).Seconds()
		if !r.all {
			unknown = 1 << i
		}
		for j := range r.grown {
			s := &r.grown[j]
			if texts[s.Text] == nil {
				texts[s.Text] = &ran{}
			}
			texts[s.Text].add(s)
			all.add(s)
		}
	}
	if all.seconds <= 0 {
		return unknown
	}
	m.sources[ofStatements] = true
	if server != "" && all.count >= minRequests {
		m.addTo(i, name{serverTime, server, ofHost}, all.took, all.count)
	}
	for text, r := range texts {
		if text == "" {
			continue
		}
		m.addTo(i, name{executions, text, ofStatement}, r.count*m.parts[i].Seconds()/all.seconds, 0)
		if r.count >= minRequests {
			m.addTo(i, name{statementTime, text, ofStatement}, r.took, r.count)
			m.addTo(i, name{examined, text, ofStatement}, r.examined, r.count)
		}
	}
	return unknown
}

// growth is what statements of one server, whose rows are in the order of time, grew by between
// readings. Of what was truncated in between, nothing is told.
func growth(rows []recording.MySQLStatement) (list []readTwice) {
	type key struct{ schema, digest string }
	var before map[key]recording.MySQLStatement
	var last time.Time
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r recording.MySQLStatement) bool { return !r.At.Equal(rows[0].At) })
		if n < 0 {
			n = len(rows)
		}
		r := readTwice{from: last, to: rows[0].At}
		// A reading has a row that ends the time before it, and one that begins the time after.
		now := make(map[key]recording.MySQLStatement, n)
		for _, s := range rows[:n] {
			k := key{s.Schema, s.Digest}
			b, known := before[k]
			if _, again := now[k]; known && !again && s.Count > b.Count && s.Took >= b.Took {
				grown := recording.MySQLStatement{Text: s.Text}
				grown.Grow(b, s)
				r.grown = append(r.grown, grown)
			}
			now[k] = s
		}
		if before != nil {
			r.all = len(r.grown) < recording.MaxStatements
			list = append(list, r)
		}
		before, last, rows = now, rows[0].At, rows[n:]
	}
	return list
}
