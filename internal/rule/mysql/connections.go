package mysql

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var connectionsExhausted = rule.Rule{
	ID:         "mysql/connections-exhausted",
	Title:      "the server refuses connections: max_connections is reached",
	Plural:     "servers refuse connections: max_connections is reached",
	Resource:   "connections of MySQL",
	Needs:      []recording.Table{recording.MySQLServers},
	Explains:   []string{"rt/errors", "rt/connect-slow", "mysql/not-answering"},
	Thresholds: []*rule.Threshold{&nearlyAll, &sleepingMost},
	Detect:     detectConnectionsExhausted,
}

var (
	nearlyAll = rule.Threshold{Name: "nearly-all", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the connections in use. The next burst is refused."}
	sleepingMost = rule.Threshold{Name: "sleeping-most", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the connections that sleep. From here on most connections are unused."}
)

const (
	// errTooMany and errTooManyOfUser are the error numbers of servers whose
	// connections are used up, in all or for one account (ER_CON_COUNT_ERROR,
	// ER_TOO_MANY_USER_CONNECTIONS, ER_USER_LIMIT_REACHED).
	errTooMany       = 1040
	errTooManyOfUser = 1203
	errUserLimit     = 1226
	// maxClients is how many holders evidence names.
	maxClients = 4
)

// crowd is a server whose connections are used up, or nearly.
type crowd struct {
	v       *view.View
	s       *view.MySQLServer
	limit   float64 // max_connections; 0: unknown
	most    float64 // connected at once; 0: unknown
	refused float64 // connections, in the window, by the server's counters
	opened  float64 // connections that were let in
	counted bool    // refused is known
	turned  int     // looks at which rtrail itself was turned away
	code    int32   // the error it got
	seconds float64 // of the window
	clients []holder
}

// holder is who holds connections.
type holder struct {
	user, address string
	total, sleeps int64 // sleeps: Unknown when only sockets were seen
	idlest        time.Duration
}

func detectConnectionsExhausted(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.MySQLServers() {
		c := crowdOf(v, s)
		if confidence := c.confidence(); confidence > 0 {
			found = append(found, c.finding(confidence))
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	_, err := answering(v)
	return nil, err
}

func crowdOf(v *view.View, s *view.MySQLServer) *crowd {
	c := &crowd{v: v, s: s, seconds: max(v.Seconds(), 1)}
	if limit, ok := s.IntVariable("max_connections"); ok {
		c.limit = float64(limit)
	}
	if _, most, _, ok := s.Gauge("Threads_connected"); ok {
		c.most = most
	}
	c.refused, c.counted = s.Delta("Connection_errors_max_connections")
	if !c.counted {
		for _, e := range v.ErrorsOf(s.Server) {
			if e.Code == errTooMany || e.Code == errTooManyOfUser || e.Code == errUserLimit {
				c.refused, c.counted = c.refused+e.Raised, true
			}
		}
	}
	c.opened, _ = s.Delta("Connections")
	for _, l := range s.Looks {
		if l.State == recording.ServerFull {
			c.turned, c.code = c.turned+1, l.Code
		}
	}
	c.clients = holders(v, s)
	return c
}

// holders are the clients with most connections: as the server says, else by
// the sockets of this host.
func holders(v *view.View, s *view.MySQLServer) (list []holder) {
	for _, r := range v.ClientsOf(s.Server) {
		list = append(list, holder{user: r.User, address: r.Client, total: r.Total, sleeps: r.Sleeping, idlest: r.Idlest})
	}
	if len(list) > 0 || s.Port <= 0 {
		return list
	}
	p, known := process(v, s)
	var here []view.Connection
	readings := 0
	for _, x := range v.Connections() {
		if int32(x.LocalPort) == s.Port && x.State == recording.TCPEstablished && (!known || x.NetNS == p.NetNS) {
			here = append(here, x)
			readings = max(readings, len(x.Samples))
		}
	}
	n := map[string]int64{}
	for _, x := range here {
		// Who is being refused has a connection, too, until he is told: no reading
		// sees it twice.
		if len(x.Samples) >= min(readings, 2) {
			n[x.Remote]++
		}
	}
	for a, total := range n {
		list = append(list, holder{address: a, total: total, sleeps: recording.Unknown})
	}
	slices.SortFunc(list, func(a, b holder) int { return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.address, b.address)) })
	return list
}

func (c *crowd) confidence() rule.Confidence {
	full := c.limit > 0 && c.most >= c.limit
	switch {
	case c.turned > 0, c.refused > 0 && full:
		return rule.Certain
	case c.refused > 0:
		return rule.Likely // the counter moved; the looks were made at other moments
	case c.limit > 0 && c.most >= nearlyAll.Value*c.limit:
		return rule.Possible
	}
	return 0
}

// sleeping is how many of the connections do nothing; ok is false if unknown.
func (c *crowd) sleeping() (n, all float64, ok bool) {
	for _, h := range c.clients {
		if h.sleeps < 0 {
			return 0, 0, false
		}
		n += float64(h.sleeps)
		all += float64(h.total)
	}
	return n, all, all > 0
}

func (c *crowd) finding(confidence rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: listenerOf(c.v, c.s), Confidence: confidence, Affects: []view.Entity{c.s.Entity()}}
	taken := rule.T("all its connections are taken").String()
	if c.limit > 0 {
		taken = fmt.Sprintf("all %s connections are taken", unit.Count(c.limit))
	}
	if c.code == errTooManyOfUser || c.code == errUserLimit {
		taken = "the account of rtrail has all connections it may have"
	}
	by := ""
	if len(c.clients) > 0 {
		h := c.clients[0]
		by = fmt.Sprintf(", %s by %s", unit.Count(h.total), account(h.user, h.address))
	}
	switch n, all, known := c.sleeping(); {
	case confidence == rule.Possible:
		f.Headline = rule.T("%s of %s connections of %s are taken%s", unit.Count(min(c.most, c.limit)), unit.Count(c.limit), c.s.Name(), by)
	case known && n >= sleepingMost.Value*all:
		f.Headline = rule.T("%s refuses connections: %s%s, and %s of %s do nothing", c.s.Name(), taken, by, unit.Count(n), unit.Count(all))
	case known:
		f.Headline = rule.T("%s refuses connections: %s%s, and %s of %s are at work or wait", c.s.Name(), taken, by, unit.Count(all-n), unit.Count(all))
	default:
		f.Headline = rule.T("%s refuses connections: %s%s", c.s.Name(), taken, by)
	}
	f.Impact = c.impact(confidence)
	f.Evidence = c.evidence()
	f.Fixes = c.fixes()
	return f
}

func (c *crowd) impact(confidence rule.Confidence) rule.Impact {
	switch {
	case confidence == rule.Possible:
		return rule.Impact{Share: 0.01, Text: rule.T("no client is refused yet")}
	case c.refused > 0:
		share := c.refused / (c.refused + max(c.opened, 0))
		return rule.Impact{Share: share, Text: rule.T("%s refused, %s of all attempts", unit.PerSecond(c.refused/c.seconds), unit.Share(share))}
	}
	share := float64(c.turned) / float64(len(c.s.Looks))
	return rule.Impact{Share: share, Text: rule.T("rtrail was refused %d of %d times", c.turned, len(c.s.Looks))}
}

func (c *crowd) evidence() (list []rule.Evidence) {
	if c.turned > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.MySQLRefused, Value: float64(c.turned), Limit: rule.Limit(0),
			What:  rule.T("rtrail was refused %d times: %s", c.turned, c.lastRefusal()),
			Check: ask(c.s, shell.SQL("select 1")),
		})
	}
	if c.refused > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.MySQLRefused, Value: c.refused, Limit: rule.Limit(0), Counters: true,
			What:  rule.T("%s connections refused in %s, %s accepted", unit.Count(c.refused), unit.Seconds(c.seconds), unit.Count(max(c.opened, 0))),
			Check: status(c.s, "Connection_errors_max_connections"),
		})
	}
	if c.limit > 0 && c.most > 0 {
		spare := ""
		if c.most > c.limit {
			spare = ", and one more is reserved for administrators"
		}
		list = append(list, rule.Evidence{
			Metric: metric.MySQLConnections, Value: c.most, Limit: rule.Limit(c.limit),
			What:  rule.T("%s connected at most, max_connections is %s%s", unit.Count(c.most), unit.Count(c.limit), spare),
			Check: ask(c.s, shell.SQL("show global status like 'Threads_connected'; show variables like 'max_connections'")),
		})
	}
	for _, h := range c.clients[:min(len(c.clients), maxClients)] {
		what := rule.T("%s holds %s", account(h.user, h.address), connections(int(h.total)))
		if h.sleeps >= 0 {
			what = rule.T("%s holds %s, %s of them asleep, for up to %s", account(h.user, h.address), connections(int(h.total)), unit.Count(h.sleeps), lasted(h.idlest))
		}
		e := rule.Evidence{Metric: metric.MySQLConnections, Value: float64(h.total), What: what,
			Check: ask(c.s, shell.SQL("select user, substring_index(host, ':', 1) client, command, count(*), max(time) from information_schema.processlist group by 1, 2, 3"))}
		if h.sleeps < 0 {
			e.Check = shell.Line("ss -tn state established 'sport = :%d'", c.s.Port)
		}
		list = append(list, e)
	}
	return list
}

func (c *crowd) lastRefusal() string {
	for _, l := range slices.Backward(c.s.Looks) {
		if l.State == recording.ServerFull {
			return cmp.Or(l.Error, fmt.Sprintf("error %d", l.Code))
		}
	}
	return ""
}

func (c *crowd) fixes() (fixes []rule.Fix) {
	n, all, known := c.sleeping()
	if known && n >= sleepingMost.Value*all {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("make the clients hold fewer connections: all pools together need only as many as the server works on at a time; close leaked ones"),
			Command:  ask(c.s, shell.SQL("select id, user, host, time from information_schema.processlist where command = 'Sleep' order by time desc limit 20")),
			Tradeoff: "a pool that is too small makes its own users wait",
		}, rule.Fix{
			Text:     rule.T("let the server close connections that sleep for long"),
			Command:  ask(c.s, shell.SQL("set global wait_timeout = 600")),
			Tradeoff: "applies to new connections; clients must be able to reconnect",
		})
	} else if known {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("find out what the connections do or wait for; with a higher limit only more of them would wait"),
			Command:  ask(c.s, shell.SQL("select command, state, count(*), max(time) from information_schema.processlist group by 1, 2 order by 3 desc")),
			Tradeoff: "none",
		})
	}
	if c.limit > 0 {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("raise max_connections, to what memory allows; keep open_files_limit above it"),
			Command:  ask(c.s, shell.SQL("set global max_connections = %.0f", c.limit+max(c.limit/2, 50))),
			Tradeoff: "memory per connection, and more statements at the same time",
		})
	} else {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("connect as administrator: one connection is reserved for users with SUPER or CONNECTION_ADMIN; extra_port (MariaDB) and admin_port (MySQL) have their own limit"),
			Command:  ask(c.s, shell.SQL("show processlist")),
			Tradeoff: "none",
		})
	}
	return fixes
}
