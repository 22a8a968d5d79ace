// Package mysql asks MySQL, MariaDB and Percona servers what they do. Every
// server is asked by one goroutine over one connection, one statement at a time,
// so that a server that does not answer delays nobody: a sample takes what was
// read since the last one, and says since when an answer is due.
package mysql

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

const (
	// shortestInterval is the least time between two looks at a server.
	shortestInterval = time.Second
	// margin is what a sample keeps of its deadline for handing over its rows.
	margin = 200 * time.Millisecond
)

// maxHidden is how many servers that are not asked are told of: anybody can start
// what calls itself one.
const maxHidden = 8

// limits is how patient rtrail is with a server.
type limits struct {
	// deadline is how long an answer may take before the server counts as
	// stalled. What is asked needs milliseconds on a healthy one.
	deadline time.Duration
	// patience is how long a statement or a login is waited for before its
	// socket is closed. Until then nothing else is sent: a second statement, or a
	// second connection in the accept queue of a frozen server, would only make
	// more work for it.
	patience time.Duration
	// firstPause and longestPause bound how long a server that failed or was slow
	// is left alone; the pause doubles from one to the other.
	firstPause, longestPause time.Duration
}

var usual = limits{deadline: time.Second, patience: 10 * time.Second, firstPause: time.Second, longestPause: 10 * time.Second}

// pause is how long a server is left alone that failed n times before.
func (l limits) pause(n int) time.Duration {
	return min(l.firstPause<<min(n, 10), l.longestPause)
}

// Options is what to ask and how to show it.
type Options struct {
	Deep     bool // also what costs the server more: tables and their sizes
	Explain  bool // also EXPLAIN statements that run or use no index
	Literals bool // keep literals in statements
	Proc     string
}

// Probe watches servers.
type Probe struct {
	servers []*server
	hidden  []mysqlconn.Hidden
	find    func() ([]mysqlconn.Target, []mysqlconn.Hidden)
	options Options
	asked   bool // whether it can start
	begin   sync.Once
	stop    context.CancelFunc
	closing bool
	told    bool
}

var (
	_ probe.Probe     = (*Probe)(nil)
	_ probe.Paced     = (*Probe)(nil)
	_ probe.Bracketed = (*Probe)(nil)
)

// New makes the probe "mysql" for some servers. hidden are those of this host
// that cannot be asked: they are noted.
func New(targets []mysqlconn.Target, hidden []mysqlconn.Hidden, o Options) *Probe {
	if o.Proc == "" {
		o.Proc = "/proc"
	}
	p := &Probe{hidden: hidden, options: o}
	p.add(targets)
	return p
}

func (p *Probe) add(targets []mysqlconn.Target) {
	for _, t := range targets {
		p.servers = append(p.servers, newServer(t, p.options, dial))
	}
}

// FindBy has the probe look for servers of this host again while it has none.
func (p *Probe) FindBy(find func() ([]mysqlconn.Target, []mysqlconn.Hidden)) { p.find = find }

// Servers is how many servers are asked.
func (p *Probe) Servers() int { return len(p.servers) }

// Names are the servers as evidence names them.
func (p *Probe) Names() (list []string) {
	for _, s := range p.servers {
		list = append(list, s.target.Name)
	}
	return list
}

// Ports are those on which servers are asked over TCP.
func (p *Probe) Ports() (ports []uint16) {
	for _, s := range p.servers {
		if n := s.target.Port(); n > 0 {
			ports = append(ports, uint16(n))
		}
	}
	return ports
}

// Hidden are the servers of this host that cannot be asked.
func (p *Probe) Hidden() []mysqlconn.Hidden { return p.hidden }

// Name is "mysql".
func (p *Probe) Name() string { return "mysql" }

// Help says what the probe reads.
func (p *Probe) Help() string {
	return "what MySQL, MariaDB and Percona servers say about themselves: status, sessions, locks, statements, thread pools"
}

// Fills lists the tables.
func (p *Probe) Fills() []recording.Table {
	return []recording.Table{recording.MySQLServers, recording.MySQLStatuses, recording.MySQLVariables, recording.MySQLSessions,
		recording.MySQLClients, recording.MySQLStates, recording.MySQLTransactions, recording.MySQLLockWaits, recording.MySQLStatements,
		recording.MySQLInnoDBs, recording.MySQLLatches, recording.MySQLPoolGroups, recording.MySQLPoolWaits, recording.MySQLReplicas,
		recording.MySQLErrors, recording.MySQLPlans, recording.MySQLConditions, recording.MySQLTables, recording.MySQLSlowLog}
}

// Asked is since when a look at a server is under way, of all servers the longest;
// the zero time says that none is.
func (p *Probe) Asked() (since time.Time) {
	for _, s := range p.servers {
		s.mu.Lock()
		if s.busy && (since.IsZero() || s.asked.Before(since)) {
			since = s.asked
		}
		s.mu.Unlock()
	}
	return since
}

// Start says whether there is a server to ask; it connects to none. Asked again,
// it looks for those that came up meanwhile.
func (p *Probe) Start() error {
	if p.asked && len(p.servers) == 0 && p.find != nil {
		var targets []mysqlconn.Target
		targets, p.hidden = p.find()
		p.add(targets)
	}
	p.asked = true
	if len(p.servers) > 0 {
		return nil
	}
	if len(p.hidden) > 0 {
		var what, how []string
		for _, h := range p.hidden[:min(len(p.hidden), maxHidden)] {
			what, how = append(what, fmt.Sprintf("a way into %s: %s", h.Describe(), h.Why)), append(how, h.How)
		}
		return &probe.MissingError{What: strings.Join(what, "; "), How: strings.Join(slices.Compact(how), "; ")}
	}
	return &probe.MissingError{What: "a MySQL, MariaDB or Percona server: none runs on this host", How: "name one: rtrail diagnose --mysql USER@HOST:PORT"}
}

// Interval keeps short intervals from the servers.
func (p *Probe) Interval(run time.Duration) time.Duration { return max(run, shortestInterval) }

// Closing has the next sample read what is read at the edges of a window only.
func (p *Probe) Closing() { p.closing = true }

// Sample has every server looked at and hands over what was read. It waits for
// the looks as long as its own deadline allows; the rest comes with the next
// sample.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	p.begin.Do(func() {
		var running context.Context
		running, p.stop = context.WithCancel(context.Background())
		for _, s := range p.servers {
			go s.run(running)
		}
	})
	if !p.told || p.closing {
		for _, h := range p.hidden[:min(len(p.hidden), maxHidden)] {
			w.Unseen("mysql", h.Describe(), 1, h.Why, h.How)
		}
		p.told = true
	}
	end := time.Now().Add(probe.Deadline)
	if d, ok := ctx.Deadline(); ok {
		end = d
	}
	limit, cancel := context.WithDeadline(ctx, end.Add(-margin))
	defer cancel()
	for _, s := range p.servers {
		s.ask(p.closing)
	}
	for _, s := range p.servers {
		s.await(limit)
		s.hand(w)
	}
	return nil
}

// Close ends the connections. A statement under way is left behind.
func (p *Probe) Close() error {
	if p.stop != nil {
		p.stop()
		for _, s := range p.servers {
			s.gone(margin)
		}
	}
	return nil
}
