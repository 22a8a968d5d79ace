package ruletest

import (
	"time"

	"rtrail/internal/recording"
)

// MySQL is what a server says about itself at every reading. What it does not
// mention is not told.
type MySQL struct {
	Server    string             // "10.0.0.2:3306" unless told otherwise
	Flavor    string             // "MariaDB" unless told otherwise
	Version   string             // "10.11.6-MariaDB" unless told otherwise
	User      string             // that rtrail logs in as; "": the one the mysql client takes
	PID       int32              // of its process; 0: it runs elsewhere
	Rates     map[string]float64 // counters of SHOW GLOBAL STATUS, per second
	Gauges    map[string]float64 // numbers of SHOW GLOBAL STATUS that stand still
	Variables map[string]string
	Sessions  []recording.MySQLSession   // connections that do the same at every reading; states are summed from them
	Digests   []recording.MySQLStatement // counters per second
	Errors    map[int32]float64          // per second, by number
	Questions float64                    // rtrail's own, per second
	Pooled    int64                      // number of rtrail's connection, if a thread pool serves it
	Login     time.Duration              // of rtrail, at the first look
	Collected string                     // what every look read, joined by ','
	// Ping is how long the first answer of a look took, that many seconds after
	// the start; nil: no time.
	Ping func(s float64) time.Duration
}

// MySQL records a server that answers.
func (h *Host) MySQL(m MySQL) *Host {
	fill(&m.Server, "10.0.0.2:3306")
	fill(&m.Flavor, "MariaDB")
	fill(&m.Version, "10.11.6-MariaDB")
	pid := m.PID
	fill(&pid, recording.Unknown)
	for name, value := range m.Variables {
		Add(h, recording.MySQLVariable{At: Start, Server: m.Server, Name: name, Value: value})
	}
	h.Readings(func(at time.Time, s float64) {
		row := recording.MySQLServer{At: at, Server: m.Server, Flavor: m.Flavor, Version: m.Version, PID: pid, Port: 3306,
			State: recording.ServerAnswers, Queries: int64(m.Questions * s), Connection: m.Pooled, Collected: m.Collected, User: m.User}
		if s == 0 {
			row.Connect = m.Login
		}
		if m.Ping != nil {
			row.Answer = m.Ping(s)
		}
		Add(h, row)
		for name, rate := range m.Rates {
			Add(h, recording.MySQLStatus{At: at, Server: m.Server, Name: name, Value: 1e6 + rate*s})
		}
		for name, value := range m.Gauges {
			Add(h, recording.MySQLStatus{At: at, Server: m.Server, Name: name, Value: value})
		}
		for code, rate := range m.Errors {
			Add(h, recording.MySQLError{At: at, Server: m.Server, Code: code, Name: "ER", Raised: int64(rate * s)})
		}
		m.doing(h, at)
		for _, d := range m.Digests {
			Add(h, m.digest(d, at, s))
		}
	})
	return h
}

// doing records the sessions of a reading and the sums of their states. A
// reading without any still is one: rtrail's own state is there.
func (m MySQL) doing(h *Host, at time.Time) {
	type state struct{ command, state string }
	sums := map[state]int64{{"Sleep", ""}: 1}
	for i, x := range m.Sessions {
		x.At, x.Server, x.ID = at, m.Server, int64(100+i)
		fill(&x.Command, "Query")
		Add(h, x)
		sums[state{x.Command, x.State}]++
	}
	for k, n := range sums {
		Add(h, recording.MySQLState{At: at, Server: m.Server, Command: k.command, State: k.state, Count: n})
	}
}

// digest is a statement's counters at a reading.
func (m MySQL) digest(d recording.MySQLStatement, at time.Time, s float64) recording.MySQLStatement {
	n := func(rate int64) int64 { return int64(float64(rate) * s) }
	row := d
	row.At, row.Server, row.First = at, m.Server, Start.Add(-time.Hour)
	fill(&row.Schema, "lab")
	fill(&row.Digest, d.Text)
	row.Took = time.Duration(float64(d.Took) * s)
	for _, c := range []*int64{&row.Count, &row.Errors, &row.Affected, &row.Sent, &row.Examined, &row.TmpTables, &row.TmpDisk, &row.FullJoins,
		&row.Scans, &row.SortMerges, &row.SortRows, &row.NoIndex} {
		*c = n(*c)
	}
	return row
}
