package net

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var acceptQueueFull = rule.Rule{
	ID:         "net/accept-queue-full",
	Title:      "a server turns connections away because its accept queue is full",
	Plural:     "listeners turn connections away because their accept queues are full",
	Resource:   "accept queues",
	Needs:      []recording.Table{recording.Listeners, recording.Protocol},
	Explains:   []string{"net/packet-loss", "rt/connect-slow"},
	Refutes:    []string{"connects"},
	Thresholds: []*rule.Threshold{&minOverflows, &nearlyFull, &stoppedShare, &busyFrom},
	Detect:     detectAcceptQueueFull,
}

var (
	minOverflows = rule.Threshold{Name: "min-overflows", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Refused connects. One or two in a window are a burst without lasting harm."}
	nearlyFull = rule.Threshold{Name: "nearly-full", Value: 0.8, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the queue's limit. Worth mentioning if it lasts."}
)

const (
	// firstRetry is how long a client waits before it repeats a SYN nobody
	// answered (TCP_TIMEOUT_INIT, include/net/tcp.h): the least that one
	// refused connect costs.
	firstRetry = 1.0
)

// overflow is one listener whose accept queue was full.
type overflow struct {
	view.Listener
	counters  view.Counters
	overflows float64 // of the namespace, of which this listener's are a part
	alone     bool    // no other listener of the namespace can have caused them
	only      bool    // it is the only listener of the namespace
	waiting   waiting
}

// waiting are the connections at a port of a full accept queue, as readings show them.
type waiting struct {
	known bool // all of the queue was seen among them
	moved bool // there are some that were not there at the first reading
}

var stoppedShare = rule.Threshold{Name: "stopped-share", Value: 0.02, Unit: "ratio", Source: rule.Judgement,
	Reason: "Ratio of completed to refused connections. Up to here a listener does not accept at all."}

func detectAcceptQueueFull(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, o := range overflowing(v) {
		c := o.confidence()
		if c == 0 {
			continue
		}
		f := rule.Finding{Subject: o.Listener.Entity(), Confidence: c}
		f.Headline = o.headline(v)
		f.Impact = o.impact()
		f.Evidence = append(o.evidence(v), connectsTo(v, o.Listener)...)
		f.Fixes = o.fixes(v)
		f.Affects, f.Notes = suffering(v, o.Listener)
		found = append(found, f)
	}
	return found, nil
}

// overflowing lists the listeners that refused connections in the window, or
// whose queue was nearly full.
func overflowing(v *view.View) []overflow {
	return view.Memo(v, "net/overflowing", func() []overflow {
		spaces, byNS := view.Group(v.Listeners(), func(l view.Listener) uint64 { return l.NetNS })
		var list []overflow
		for _, ns := range spaces {
			c := v.CountersOf(ns)
			overflows := c.AtLeast("TcpExtListenOverflows")
			var suspects []view.Listener
			for _, l := range byNS[ns] {
				full := l.Full > 0
				// The drops of a listener count half-open connections that
				// were refused as well; those belong to net/syn-flood.
				refused := l.Dropped > 0 && overflows > 0 && l.Dropped > 2*(c.AtLeast("TcpExtListenDrops")-overflows)
				if full || refused || nearlyFullMostly(l) {
					suspects = append(suspects, l)
				}
			}
			if len(suspects) == 0 && overflows >= minOverflows.Value && len(byNS[ns]) == 1 {
				suspects = byNS[ns] // the queue overflowed between two samples
			}
			for _, l := range suspects {
				list = append(list, overflow{Listener: l, counters: c, overflows: overflows, alone: len(suspects) == 1, only: len(byNS[ns]) == 1})
			}
		}
		if len(list) > maxOverflowing {
			slices.SortStableFunc(list, func(a, b overflow) int {
				return cmp.Or(cmp.Compare(b.Dropped, a.Dropped), cmp.Compare(b.Longest, a.Longest))
			})
			list = list[:maxOverflowing]
		}
		for i := range list {
			list[i].waiting = waitingAt(v, &list[i].Listener)
		}
		return list
	})
}

// maxOverflowing is how many listeners are judged, those that dropped most: any user can make
// thousands with full queues, and each is compared with all connections.
const maxOverflowing = 200

// waitingAt looks at the connections of a port.
func waitingAt(v *view.View, l *view.Listener) (w waiting) {
	if l.Full < len(l.Samples) {
		return w
	}
	n := 0
	all := v.Connections()
	for i := range all { // large, and a hundred thousand
		c := &all[i]
		if c.NetNS != l.NetNS || c.LocalPort != l.Port || !view.Wildcard(l.Local) && c.Local != l.Local ||
			c.State != recording.TCPEstablished && c.State != recording.TCPCloseWait {
			continue
		}
		n++
		w.moved = w.moved || c.New
	}
	w.known = n >= int(l.Queue)
	return w
}

func nearlyFullMostly(l view.Listener) bool {
	n := 0
	for _, s := range l.Samples {
		if s.Backlog > 0 && float64(s.Queue) >= nearlyFull.Value*float64(s.Backlog) {
			n++
		}
	}
	return n >= 2 && 2*n >= len(l.Samples)
}

// refused is how many connects this listener turned away.
func (o overflow) refused() float64 {
	switch {
	case o.Dropped > 0:
		return min(o.Dropped, o.overflows)
	case o.alone:
		return o.overflows
	}
	return 0
}

func (o overflow) confidence() rule.Confidence {
	moved := o.overflows >= minOverflows.Value && o.refused() >= minOverflows.Value
	switch {
	case moved && (o.Full > 0 || o.Dropped > 0):
		return rule.Certain
	case moved, o.Full >= 2 && 2*o.Full >= len(o.Samples):
		return rule.Likely
	case o.Full > 0, nearlyFullMostly(o.Listener):
		return rule.Possible
	}
	return 0
}

// stopped says that nothing was accepted in the window. A queue that is full at every
// reading takes a new connection only where one was accepted. Where its connections
// cannot be seen, the whole namespace must have completed next to none.
func (o overflow) stopped() bool {
	switch {
	case o.Full < 2 || o.Full < len(o.Samples):
		return false
	case o.waiting.known && !o.waiting.moved:
		return true
	case o.waiting.known && !o.alone:
		return false
	}
	return !o.alone || o.counters.AtLeast("TcpPassiveOpens") <= stoppedShare.Value*(o.refused()+1)
}

func (o overflow) headline(v *view.View) rule.Text {
	where := v.InNetNS(o.NetNS)
	switch {
	case o.stopped():
		return rule.T("%s on :%d%s has stopped accepting connections: its accept queue is full and nothing takes from it", o.Name(), o.Port, where)
	case o.confidence() == rule.Possible:
		return rule.T("%s on :%d%s accepts slowly: its accept queue is close to its limit", o.Name(), o.Port, where)
	}
	return rule.T("%s on :%d%s turns connections away: its accept queue is full", o.Name(), o.Port, where)
}

func (o overflow) impact() rule.Impact {
	if o.refused() == 0 {
		return rule.Impact{TimeLost: o.queued(), Text: rule.T("%s connections wait for accept at any time", unit.Number(o.queued()))}
	}
	share, least := o.share(), ""
	if !o.only && !o.stopped() {
		least = "at least "
	}
	return rule.Impact{Share: share, TimeLost: o.refused() / max(o.counters.Seconds, 1) * firstRetry,
		Text: rule.T("%s%s of connects", least, unit.Share(share))}
}

// queued is how many connections stood in the queue in the mean sample: each of them waits.
func (o overflow) queued() float64 {
	sum := 0.0
	for _, s := range o.Samples {
		sum += float64(s.Queue)
	}
	return sum / float64(max(len(o.Samples), 1))
}

// share is the part of connects that were refused. A connection that came
// through counts in PassiveOpens, at whatever listener of the namespace: it is a
// lower bound where there are others.
func (o overflow) share() float64 {
	if o.stopped() && o.refused() > 0 {
		return 1
	}
	opened := o.counters.AtLeast("TcpPassiveOpens")
	return o.refused() / max(o.refused()+opened, 1)
}

func (o overflow) evidence(v *view.View) []rule.Evidence {
	enter := v.EnterNetNS(o.NetNS)
	ss := shell.Line("%s ss -ltn 'sport = :%d'", enter, o.Port)
	list := []rule.Evidence{{
		Metric: metric.TCPAcceptQueue, What: rule.T("queue %d of %d, full in %d of %d samples", o.Longest, o.Backlog, o.Full, len(o.Samples)),
		Value: float64(o.Longest), Limit: rule.Limit(float64(o.Backlog)), Check: ss,
	}}
	if o.overflows > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.TCPListenOverflows, What: rule.T("ListenOverflows +%s in %s", unit.Count(o.overflows), unit.Seconds(o.counters.Seconds)),
			Value: o.overflows, Limit: rule.Limit(0), Check: shell.Line("%s nstat -az TcpExtListenOverflows", enter),
		})
	}
	if o.Dropped > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.TCPListenerDrops, What: rule.T("%s of them at this socket", unit.Count(o.Dropped)),
			Value: o.Dropped, Check: shell.Line("%s ss -ltnm 'sport = :%d'   # skmem d", enter, o.Port),
		})
	}
	if b, ok := o.insteadOfAccepting(v); ok && o.stopped() {
		list = append(list, b.evidence()...)
	}
	limit := rule.T("limit %d = min(listen backlog of %s, somaxconn)", o.Backlog, o.Name())
	if max, ok := somaxconn(v, o.NetNS); ok {
		limit = rule.T("limit %d = min(listen backlog of %s, somaxconn %s)", o.Backlog, o.Name(), unit.Count(max))
	}
	return append(list, rule.Evidence{
		Metric: metric.TCPBacklog, What: limit, Value: float64(o.Backlog), Check: shell.Line("%s sysctl net.core.somaxconn", enter),
	})
}

func somaxconn(v *view.View, ns uint64) (int64, bool) {
	text, ok := v.Sysctl(ns, "net.core.somaxconn")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, err == nil
}

// largeBacklog is somaxconn's default since Linux 5.4; as good as any, and no
// other setting has to change for it.
const largeBacklog = 4096

func (o overflow) fixes(v *view.View) []rule.Fix {
	var fixes []rule.Fix
	if o.stopped() {
		b, ok := o.insteadOfAccepting(v)
		if !ok {
			b = busyElsewhere{name: o.Name(), pid: o.PID()}
		}
		if b.pid == 0 {
			fixes = append(fixes, rule.Fix{
				Text:    rule.T("find out which process listens on :%d, as root, and what it does instead of accepting; a larger queue only makes clients wait longer", o.Port),
				Command: shell.Line("%s ss -ltnp 'sport = :%d'", v.EnterNetNS(o.NetNS), o.Port), Tradeoff: "none"})
		} else {
			fixes = append(fixes, b.fix())
		}
	}
	text, command := raiseBacklog(o.Name(), o.Port)
	fixes = append(fixes, rule.Fix{Text: text, Command: command, Tradeoff: "memory per queued connection; clients wait in the queue instead of being refused"})
	if max, ok := somaxconn(v, o.NetNS); ok && int64(o.Backlog) >= max {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("raise somaxconn first, it limits the queue now; then restart or reload the server"),
			Command:  shell.Line("%s sysctl -w net.core.somaxconn=%d", v.EnterNetNS(o.NetNS), largeBacklog),
			Tradeoff: "every server may then use longer queues",
		})
	}
	return append(fixes, rule.Fix{
		Text:     rule.T("make the server accept faster: more workers, less work in the thread that accepts, keep-alive so that fewer connections are opened"),
		Tradeoff: "CPU and memory per worker",
	})
}

// raiseBacklog says how the backlog of well-known servers is set.
func raiseBacklog(name string, port uint16) (rule.Text, shell.Command) {
	var none shell.Command
	switch {
	case strings.HasPrefix(name, "nginx"):
		return rule.T("listen %d backlog=%d; in nginx.conf, then reload", port, largeBacklog), shell.Line("nginx -s reload")
	case strings.HasPrefix(name, "redis"):
		return rule.T("tcp-backlog %d in redis.conf, then restart", largeBacklog), shell.Line("redis-cli config get tcp-backlog")
	case strings.HasPrefix(name, "mysqld"), strings.HasPrefix(name, "mariadbd"):
		return rule.T("back_log = %d in my.cnf, then restart", largeBacklog), shell.Line(`mysql -e "show variables like 'back_log'"`)
	case strings.HasPrefix(name, "php-fpm"):
		return rule.T("listen.backlog = %d in the pool's configuration, then restart", largeBacklog), none
	case strings.HasPrefix(name, "haproxy"):
		return rule.T("backlog %d in the frontend, then reload", largeBacklog), none
	case strings.HasPrefix(name, "postgres"):
		return rule.T("raise max_connections (its backlog is twice that), or put a pooler in front, then restart"), none
	}
	return rule.T("ask for a longer queue: the second argument of listen(2) in %s", name), none
}
