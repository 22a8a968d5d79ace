package rt

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var slowConnections = rule.Rule{
	ID:       "rt/slow-connections",
	Formerly: []string{"rt/slow-group"},
	Title:    "some connections to a server are always slow, others never",
	Plural:   "servers have connections that are always slow beside others that never are",
	Resource: "connections to servers",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketConnections, recording.PacketServices, recording.PacketStatements, recording.PacketTransactions},
	// The same waits, seen without telling connections apart.
	Explains:   []string{"rt/server-slow", "rt/worker-queueing"},
	Refutes:    []string{"response times"},
	Thresholds: []*rule.Threshold{&groupTimes, &someOfEach, &groupRequests, &byChance, &confirmed, &resentShare, &minRequests},
	Seen:       connectionsToCompare,
	Detect:     detectSlowConnections,
}

var (
	groupTimes = rule.Threshold{Name: "group-times", Value: 3, Unit: "ratio", Source: rule.Judgement,
		Reason: "The fastest answer of every slow connection takes at least 3 times the mean of every fast one. If the response time did not depend on the connection, some values would be in between."}
	someOfEach = rule.Threshold{Name: "some-of-each", Value: 2, Unit: "count", Source: rule.Judgement,
		Reason: "Connections in a group, and in the rest: a single one is not a group."}
	groupRequests = rule.Threshold{Name: "group-requests", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Requests per connection. With fewer a connection cannot be called slow or fast."}
	byChance = rule.Threshold{Name: "by-chance", Value: 1e-6, Unit: "probability", Source: rule.Judgement,
		Reason: "Probability that the slow answers fell on the same connections by chance."}
	confirmed = rule.Threshold{Name: "confirmed", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the slow connections whose statements are known to be fast elsewhere. Connections with slow statements of their own do not count."}
	resentShare = rule.Threshold{Name: "resent-share", Value: 0.01, Unit: "share", Source: rule.Judgement,
		Reason: "Share of retransmitted segments. Above it a connection is slow because of its path, not the server."}
)

func detectSlowConnections(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		if g := groupOf(v, s); g != nil {
			found = append(found, g.finding())
		}
	}
	return found, nil
}

// slowSet are the slow connections of a service and the others.
type slowSet struct {
	v          *view.View
	s          *view.PacketService
	slow, fast []*view.PacketConnection
	statement  string // one that is slow here and fast there
	statements int    // how many there are
	confirmed  int    // slow connections of which that is known
	mixed      int    // connections that are slow on average and fast now and then
	usual      time.Duration
}

// groupOf parts the connections of a service by their means, and asks where that
// means anything; nil if nowhere.
func groupOf(v *view.View, s *view.PacketService) *slowSet {
	var list []*view.PacketConnection
	for _, c := range s.Connections {
		if c.Transactions >= int64(groupRequests.Value) {
			list = append(list, c)
		}
	}
	if len(list) < 2*someOfEach.Int() {
		return nil
	}
	slices.SortStableFunc(list, func(a, b *view.PacketConnection) int { return cmp.Compare(a.Mean(), b.Mean()) })
	// As many as possible are taken for fast.
	for at := len(list) - someOfEach.Int(); at >= someOfEach.Int(); at-- {
		g := &slowSet{v: v, s: s, fast: list[:at], slow: list[at:]}
		if g.apart() && g.sameWork() && g.sameWay() && g.chance() <= byChance.Value {
			return g
		}
	}
	return nil
}

// apart keeps the slow ones that are always slow; the fast ones usually are fast.
func (g *slowSet) apart() bool {
	g.usual = g.fast[len(g.fast)-1].Mean() // the slowest of them
	limit := max(groupTimes.Times(g.usual), time.Millisecond)
	g.mixed = len(g.slow)
	g.slow = slices.DeleteFunc(slices.Clone(g.slow), func(c *view.PacketConnection) bool { return c.RTMin < limit })
	g.mixed -= len(g.slow)
	return len(g.slow) >= someOfEach.Int()
}

// sameWork keeps those slow connections whose statements are fast elsewhere,
// and leaves those alone that have slow statements of their own.
// Every answer of a slow connection took at least its RTMin. A statement that
// took less than a third of that half of the time was executed by others then.
func (g *slowSet) sameWork() bool {
	fast := map[string]time.Duration{}
	for _, t := range g.v.PacketStatements() {
		if t.Server == g.s.Server && t.ServerPort == int32(g.s.Port) && t.Proto == g.s.Proto && t.Count >= int64(minRequests.Value) && t.Fingerprint != "" {
			fast[t.Command+" "+t.Fingerprint] = t.RTP50
		}
	}
	least := map[int64]time.Duration{}
	for _, c := range g.slow {
		least[c.ID] = c.RTMin
	}
	known, own := map[int64]bool{}, map[int64]bool{}
	words := map[string]int{}
	for _, t := range g.v.PacketTransactions() {
		rtMin, ours := least[t.Connection]
		if !ours {
			continue
		}
		if usual, ok := fast[t.Command+" "+t.Fingerprint]; ok && groupTimes.Times(usual) <= rtMin {
			known[t.Connection] = true
			words[t.Fingerprint]++
		} else {
			own[t.Connection] = true
		}
	}
	unknown := g.mixed
	for _, c := range g.slow {
		if !known[c.ID] && !own[c.ID] {
			unknown++
		}
	}
	if len(known) < someOfEach.Int() || float64(len(known)) < confirmed.Value*float64(len(known)+unknown) {
		return false
	}
	g.slow = slices.DeleteFunc(g.slow, func(c *view.PacketConnection) bool { return !known[c.ID] })
	g.confirmed, g.statements = len(known), len(words)
	for w, n := range words {
		if n > words[g.statement] || n == words[g.statement] && w < g.statement {
			g.statement = w
		}
	}
	return true
}

// sameWay counts the network out: some paths of several may be bad.
func (g *slowSet) sameWay() bool {
	var resent, segments int64
	var rtt []time.Duration
	for _, c := range g.slow {
		resent += c.FromClient.Retransmissions + c.FromServer.Retransmissions
		segments += c.FromClient.Segments + c.FromServer.Segments
		if c.ServerRTT > 0 {
			rtt = append(rtt, c.ServerRTT)
		}
	}
	if float64(resent) > resentShare.Value*float64(max(segments, 1)) {
		return false
	}
	slices.Sort(rtt)
	return len(rtt) == 0 || groupTimes.Times(rtt[len(rtt)/2]) <= g.slow[0].RTMin
}

// chance is how likely it is that all answers of these connections were slow, if
// each answer was slow with the share of all that are, whoever asked; times the
// number of ways to choose the connections.
func (g *slowSet) chance() float64 {
	slow, all := 0.0, 0.0
	for _, c := range g.slow {
		slow += float64(c.Transactions)
	}
	for _, c := range g.fast {
		all += float64(c.Transactions)
	}
	all += slow
	n, k := float64(len(g.slow)+len(g.fast)), float64(len(g.slow))
	return math.Exp(choose(n, k) + slow*math.Log(slow/all))
}

// choose is the logarithm of the number of ways to choose k of n.
func choose(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}

// mean is the mean response time of connections, and how many requests they had.
func mean(list []*view.PacketConnection) (d time.Duration, n int64) {
	for _, c := range list {
		d += c.RTSum
		n += c.Transactions
	}
	return d / time.Duration(max(n, 1)), n
}

func (g *slowSet) finding() rule.Finding {
	slow, n := mean(g.slow)
	fast, _ := mean(g.fast)
	lost := perSecond(g.v, time.Duration(n)*(slow-fast))
	all := len(g.slow) + len(g.fast)
	return rule.Finding{
		Subject: g.v.ServiceEntity(g.s), Confidence: rule.Likely,
		Impact: rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("%s s lost per second on %d connections", unit.Number(lost), len(g.slow))},
		Headline: rule.T("%d of %s to %s are always slow (%s), the others never (%s), with the same statements", len(g.slow), g.compared(all),
			g.s.Name(), unit.Duration(slow), unit.Duration(fast)),
		Evidence: g.evidence(slow, fast), Fixes: g.fixes(),
	}
}

// compared words the connections that were looked at.
func (g *slowSet) compared(n int) string {
	if g.v.ConnectionsComplete() {
		return fmt.Sprintf("%d connections", n)
	}
	return fmt.Sprintf("the %d connections with the longest waits", n)
}

func (g *slowSet) evidence(slow, fast time.Duration) []rule.Evidence {
	v, s := g.v, g.s
	_, slowCount := mean(g.slow)
	_, fastCount := mean(g.fast)
	least := slices.MinFunc(g.slow, func(a, b *view.PacketConnection) int { return cmp.Compare(a.RTMin, b.RTMin) })
	return []rule.Evidence{{
		Metric: metric.RTConnectionSpread, Value: float64(least.RTMin) / float64(max(g.usual, 1)), Limit: rule.Limit(groupTimes.Value),
		What: rule.T("the fastest of %s answers on the slow connections took %s; on the others %s answers took %s on average, on the slowest of them %s",
			unit.Count(slowCount), unit.Duration(least.RTMin), unit.Count(fastCount), unit.Duration(fast), unit.Duration(g.usual)),
		Check: packets(v, s).With("--by connection"),
	}, {
		Metric: metric.RTConnectionProbability, Value: g.chance(), Limit: rule.Limit(byChance.Value),
		What:  rule.T("if response times did not depend on the connection, this would happen once in %s captures", oneIn(g.chance())),
		Check: packets(v, s).With("--by connection"),
	}, {
		Metric: metric.RTStatementElsewhere, Value: float64(g.confirmed),
		What:  rule.T("%d of the slow connections waited %s for a statement that is fast on others: %s", g.confirmed, unit.Duration(slow), short(g.statement)),
		Check: packets(v, s).With("--transactions"),
	}, {
		Metric: metric.RTSlowConnections, Value: float64(len(g.slow)),
		What:  rule.T("the slow connections come from %s", ports(g.slow)),
		Check: packets(v, s).With("--by connection"),
	}}
}

// oneIn words a small probability.
func oneIn(p float64) string {
	if p < 1e-12 {
		return "more than 10^12"
	}
	return unit.Count(1 / p).String()
}

// ports names the clients of connections, a few of them.
func ports(list []*view.PacketConnection) string {
	const most = 4
	text := ""
	for i, c := range list[:min(len(list), most)] {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s:%d", c.Client, c.ClientPort)
	}
	if len(list) > most {
		text += ", ..."
	}
	return text
}

func (g *slowSet) fixes() []rule.Fix {
	switch g.s.Proto {
	case "mysql":
		return []rule.Fix{{
			Text:     rule.T("see whether connections are served in groups (thread pool): compare connection ids modulo thread_pool_size, and look for long statements of the slow group"),
			Command:  shell.Line(`mysql -e "show variables like 'thread_pool%%'; show full processlist; select * from information_schema.thread_pool_groups"`),
			Tradeoff: "none",
		}, {
			Text:     rule.T("give a stalled group another thread sooner: raise thread_pool_max_threads (MariaDB) or thread_pool_oversubscribe (Percona), lower thread_pool_stall_limit; or move long statements to another port"),
			Command:  shell.Line("mysql -e 'set global thread_pool_max_threads = 65536; set global thread_pool_stall_limit = 60'"),
			Tradeoff: "more threads at the same time, more contention",
		}}
	case "http":
		return []rule.Fix{{
			Text:     rule.T("see whether one worker of the server is blocked: with reuseport each has its own connections; compare their CPU use and their waits"),
			Command:  shell.Line("ss -ltnp; pidstat -u -w -p ALL 1"),
			Tradeoff: "none",
		}}
	}
	return []rule.Fix{{
		Text:     rule.T("find out which thread or process of the server the slow connections belong to, and what it waits for"),
		Command:  shell.Line("pidstat -t -u -d -w 1"),
		Tradeoff: "none",
	}}
}

// connectionsToCompare says whether a service has enough of them for two groups.
func connectionsToCompare(v *view.View) bool {
	return slices.ContainsFunc(v.PacketServices(), func(s *view.PacketService) bool {
		n := 0
		for _, c := range s.Connections {
			if c.Transactions >= int64(groupRequests.Value) {
				n++
			}
		}
		return n >= 2*someOfEach.Int()
	})
}
