package ruletest

import (
	"time"

	"rtrail/internal/recording"
)

// mysqlServer is the one that rows belong to which name none.
const mysqlServer = "10.0.0.2:3306"

// LockWaits records the same waits at every reading; those whose length is known
// grow older.
func (h *Host) LockWaits(waits ...recording.MySQLLockWait) *Host {
	h.Readings(func(at time.Time, s float64) {
		for _, w := range waits {
			w.At = at
			fill(&w.Server, mysqlServer)
			if w.Waited >= 0 {
				w.Waited += dur(s)
			}
			if w.BlockingFor > 0 {
				w.BlockingFor += dur(s)
			}
			Add(h, w)
		}
	})
	return h
}

// Transactions records open transactions at every reading; they grow older.
func (h *Host) Transactions(list ...recording.MySQLTransaction) *Host {
	h.Readings(func(at time.Time, s float64) {
		for _, t := range list {
			t.At = at
			fill(&t.Server, mysqlServer)
			fill(&t.State, "RUNNING")
			fill(&t.Isolation, "REPEATABLE READ")
			t.Age += dur(s)
			Add(h, t)
		}
	})
	return h
}

// History records the length of InnoDB's history list: when the window begins,
// and how it grows per second.
func (h *Host) History(length, perSecond float64) *Host {
	return Every(h, func(at time.Time, s float64) recording.MySQLInnoDB {
		return recording.MySQLInnoDB{At: at, Server: mysqlServer, History: int64(length + perSecond*s)}
	})
}

// PoolGroup records a group of a thread pool at every reading. Its counters are
// rates per second; change has the last word on a row and may be nil.
func (h *Host) PoolGroup(g recording.MySQLPoolGroup, change func(s float64, row *recording.MySQLPoolGroup)) *Host {
	return Every(h, func(at time.Time, s float64) recording.MySQLPoolGroup {
		row := g
		row.At = at
		fill(&row.Server, mysqlServer)
		for _, c := range []*int64{&row.Stalls, &row.Dequeued, &row.Throttles, &row.ThreadsMade} {
			if *c >= 0 {
				*c = int64(1000 + float64(*c)*s)
			}
		}
		if change != nil {
			change(s, &row)
		}
		return row
	})
}

// MySQLSilence records a server that does not answer, at every reading.
func (h *Host) MySQLSilence(row recording.MySQLServer) *Host {
	return Every(h, func(at time.Time, s float64) recording.MySQLServer {
		r := row
		r.At = at
		fill(&r.Server, mysqlServer)
		fill(&r.Port, 3306)
		fill(&r.PID, recording.Unknown)
		if r.Waited > 0 {
			r.Waited += dur(s)
		}
		return r
	})
}

// MySQLClients records who holds how many connections, at every reading.
func (h *Host) MySQLClients(list ...recording.MySQLClient) *Host {
	h.Readings(func(at time.Time, _ float64) {
		for _, c := range list {
			c.At = at
			fill(&c.Server, mysqlServer)
			Add(h, c)
		}
	})
	return h
}
