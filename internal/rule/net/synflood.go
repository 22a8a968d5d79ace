package net

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var synFlood = rule.Rule{
	ID:         "net/syn-flood",
	Title:      "a SYN flood: handshakes are begun and never completed",
	Plural:     "listeners are flooded with SYNs",
	Resource:   "half-open connections",
	Needs:      []recording.Table{recording.Listeners, recording.Protocol},
	Explains:   []string{"net/packet-loss", "net/softnet", "cpu/softirq", "net/conntrack-full", "rt/connect-slow"},
	Refutes:    []string{"connects"},
	Thresholds: []*rule.Threshold{&floodRate, &resetRate, &mostIncomplete, &halfOpenSome, &refusedFrom, &shortQueue, &oneSource, &queueFull},
	Detect:     detectSYNFlood,
}

var (
	floodRate = rule.Threshold{Name: "flood-rate", Value: 50.0, Unit: "per second", Source: rule.Judgement,
		Reason: "SYNs per second that are refused or answered by cookies. Slow clients and port scans stay below."}
	resetRate = rule.Threshold{Name: "reset-rate", Value: 1000.0, Unit: "per second", Source: rule.Judgement,
		Reason: "Handshakes per second that the client resets. The kernels of forged addresses do this; so do scanners, but not thousands of times a second."}
	mostIncomplete = rule.Threshold{Name: "most-incomplete", Value: 10.0, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of refused to completed handshakes. In a flood hardly any complete; in a burst of real clients nearly all do."}
	halfOpenSome = rule.Threshold{Name: "half-open-some", Value: 20, Unit: "count", Source: rule.Judgement,
		Reason: "Half-open connections. A healthy server has a handful."}
	shortQueue = rule.Threshold{Name: "short-queue", Value: 64, Unit: "count", Source: rule.Judgement,
		Reason: "Queue limit. Up to here a few clients that lose their SYN-ACKs fill it like a flood."}
	oneSource = rule.Threshold{Name: "one-source", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of half-open connections from one address, true or forged, that is named as the sender."}
)

// flood is what a listener, or several that share a port, show of half-open connections.
type flood struct {
	view.Listener
	counters view.Counters
	halfOpen int // the most seen in one sample
	typical  int // median over samples
	samples  int
	sources  map[string]int
	cookies  bool    // syncookies are on
	limit    int     // half-open connections, of all that share the port, at which the kernel refuses or sends cookies
	refused  float64 // SYNs, for another reason than a full accept queue
	full     float64 // of refused: because as many as the backlog were half open
	cookied  float64
	returned float64 // cookies that came back: real clients
	resets   float64
}

var queueFull = rule.Threshold{Name: "queue-full", Value: 0.9, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the limit in the median sample. Entries come and go between two samples."}

func detectSYNFlood(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, x := range floods(v) {
		if x.tooShort() {
			continue // net/syn-queue-full
		}
		f := rule.Finding{Subject: x.Listener.Entity(), Confidence: x.confidence()}
		f.Headline = x.headline(v)
		f.Impact = x.impact(v)
		f.Evidence = x.evidence(v)
		f.Fixes = x.fixes(v)
		f.Affects, f.Notes = suffering(v, x.Listener)
		if x.limit <= shortQueue.Int() && x.refused > 0 {
			f.Notes = append(f.Notes, rule.T("a few clients with lost handshakes also fill so short a queue; packets show who sends SYNs: %s", x.showSYNs(v)))
		}
		f.Affects = append(f.Affects, v.NetNSEntity(x.NetNS), v.HostEntity())
		f.Affects = append(f.Affects, receivers(v, x.NetNS)...)
		for i := range max(v.Manifest().Host.CPUs, 1) {
			f.Affects = append(f.Affects, view.Entity{Kind: view.KindCPU, Name: "CPU " + strconv.Itoa(i)}, view.Entity{Kind: view.KindCPU, Name: "cpu" + strconv.Itoa(i)})
		}
		found = append(found, f)
	}
	return found, nil
}

// floods lists the listeners that are flooded, with any confidence; of very many the worst.
func floods(v *view.View) []flood {
	return view.Memo(v, "net/floods", func() []flood {
		spaces, byNS := view.Group(v.Listeners(), func(l view.Listener) uint64 { return l.NetNS })
		var list []flood
		for _, ns := range spaces {
			var all []*flood
			ends, sharing := view.Group(byNS[ns], func(l view.Listener) end { return end{l.Local, l.Port} })
			space := newFloodedSpace(v, ns, sharing)
			for _, e := range ends {
				all = append(all, space.measure(e, sharing[e]))
			}
			// Counters are those of the namespace: they are put down to the listener
			// that dropped most, or else has the most half-open connections.
			slices.SortStableFunc(all, func(a, b *flood) int {
				return cmp.Or(-cmp.Compare(a.Dropped, b.Dropped), -cmp.Compare(a.halfOpen, b.halfOpen))
			})
			for i, x := range all {
				if i > 0 {
					x.refused, x.full, x.cookied, x.resets = 0, 0, 0, 0
				}
				if x.confidence() > 0 {
					list = append(list, *x)
				}
			}
		}
		if len(list) > maxFloods {
			slices.SortStableFunc(list, func(a, b flood) int {
				return cmp.Or(cmp.Compare(b.confidence(), a.confidence()), cmp.Compare(b.halfOpen, a.halfOpen))
			})
			list = list[:maxFloods]
		}
		return list
	})
}

// maxFloods is how many flooded listeners are told of: any local user can flood thousands of its own.
const maxFloods = 200

// end is where listeners wait. The kernel spreads what comes to one over its listeners (SO_REUSEPORT).
type end struct {
	local string
	port  uint16
}

// endsFor lists the ends that take what comes to a port of an address, as the kernel chooses: one of
// the address comes first, then one of all addresses of IPv4.
func endsFor(address string, port uint16, listening func(end) bool) (list []end) {
	better := []string{address, "0.0.0.0"}
	if strings.Contains(address, ":") {
		better = better[:1]
	}
	for _, local := range better {
		if e := (end{local, port}); listening(e) {
			return []end{e}
		}
	}
	for _, local := range []string{"::", "*"} {
		if e := (end{local, port}); listening(e) {
			list = append(list, e)
		}
	}
	return list
}

// sharedListener is the listeners of one end as one: that which dropped most, with the drops of all.
// Its samples are its own, since the accept queue of one may be full while those of the others are
// empty. Before Linux 4.7 listeners count no drops: there it is the one whose queue was full most often.
func sharedListener(same []view.Listener) view.Listener {
	l := slices.MaxFunc(same, func(a, b view.Listener) int {
		return cmp.Or(cmp.Compare(a.Dropped, b.Dropped), cmp.Compare(a.Full, b.Full))
	})
	l.Dropped = 0
	for _, o := range same {
		l.Dropped, l.Longest = l.Dropped+o.Dropped, max(l.Longest, o.Longest)
	}
	return l
}

// atOnce sums up something over the listeners of one end that were there at the same time, where
// this is most: one that took the place of another does not count twice.
func atOnce(same []view.Listener, of func(view.Listener) int) int {
	type edge struct {
		at     time.Time
		change int
	}
	edges := make([]edge, 0, 2*len(same))
	for _, l := range same {
		n := of(l)
		edges = append(edges, edge{l.Samples[0].At, n}, edge{l.At.Add(sameReading), -n})
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(b.change, a.change)) // begins before ends
	})
	sum, most := 0, 0
	for _, e := range edges {
		sum += e.change
		most = max(most, sum)
	}
	return most
}

// sameReading is how far apart two rows of one reading of all listeners may be.
const sameReading = 300 * time.Millisecond

// floodedSpace is what a network namespace shows of floods.
type floodedSpace struct {
	whole   flood // what counters and settings say of each of its listeners
	limit   func(view.Listener) int
	moments int // readings of connections
	pending map[end]*handshakes
}

// handshakes are the half-open connections of one end.
type handshakes struct {
	counts  []int // at each reading
	sources map[string]int
}

func newFloodedSpace(v *view.View, ns uint64, listeners map[end][]view.Listener) *floodedSpace {
	c := v.CountersOf(ns)
	x := flood{counters: c, cookies: true}
	x.refused = max(c.AtLeast("TcpExtListenDrops")-c.AtLeast("TcpExtListenOverflows"), 0)
	x.full = c.AtLeast("TcpExtTCPReqQFullDrop")
	x.cookied = max(c.AtLeast("TcpExtSyncookiesSent"), c.AtLeast("TcpExtTCPReqQFullDoCookies"))
	x.returned = c.AtLeast("TcpExtSyncookiesRecv")
	x.resets = c.AtLeast("TcpExtEmbryonicRsts")
	if text, ok := v.Sysctl(ns, "net.ipv4.tcp_syncookies"); ok && strings.TrimSpace(text) == "0" {
		x.cookies = false
	}
	limit := func(l view.Listener) int { return int(l.Backlog) }
	if text, ok := v.Sysctl(ns, "net.ipv4.tcp_max_syn_backlog"); ok && !x.cookies {
		if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
			// tcp_conn_request keeps the last quarter for peers that proved
			// themselves: the table of a listener stands at 3/4 of the limit plus one.
			limit = func(l view.Listener) int { return min(n*3/4+1, int(l.Backlog)+1) }
		}
	}
	s := &floodedSpace{whole: x, limit: limit, pending: map[end]*handshakes{}}
	s.count(v.TCPMoments(ns), func(e end) bool { return len(listeners[e]) > 0 })
	return s
}

// count puts half-open connections down to the ends that take them.
func (s *floodedSpace) count(moments [][]recording.Reading[recording.TCPSample], listening func(end) bool) {
	s.moments = len(moments)
	for i, moment := range moments {
		for _, r := range moment {
			c := r.Of()
			if c.State != recording.TCPSynRecv {
				continue
			}
			for _, e := range endsFor(c.Local, c.LocalPort, listening) {
				h := s.pending[e]
				if h == nil {
					h = &handshakes{make([]int, len(moments)), map[string]int{}}
					s.pending[e] = h
				}
				h.counts[i]++
				h.sources[c.Remote]++
			}
		}
	}
}

// measure measures the listeners of one end.
func (s *floodedSpace) measure(e end, same []view.Listener) *flood {
	x := s.whole
	x.Listener = sharedListener(same)
	x.limit = atOnce(same, s.limit)
	x.samples = s.moments
	if h := s.pending[e]; h != nil {
		x.sources = h.sources
		slices.Sort(h.counts)
		x.halfOpen, x.typical = h.counts[s.moments-1], h.counts[s.moments/2]
	}
	return &x
}

func (x flood) confidence() rule.Confidence {
	seconds := max(x.counters.Seconds, 1)
	opened := x.counters.AtLeast("TcpPassiveOpens")
	// A full accept queue leaves handshakes half open as well: there the last
	// ACK is what is refused.
	if 2*x.Full >= len(x.Samples) && x.Full > 0 {
		return 0
	}
	cookies := x.cookied/seconds >= floodRate.Value && x.cookied >= mostIncomplete.Value*x.returned
	switch {
	case x.atLimit() && (x.flooded() || cookies), x.queueFull():
		return rule.Certain
	case (x.flooded() || cookies) && x.typical >= halfOpenSome.Int(), x.flooded() && x.full/seconds >= floodRate.Value:
		return rule.Likely
	case x.resets/seconds >= resetRate.Value && x.resets >= mostIncomplete.Value*opened:
		return rule.Likely
	case cookies && x.samples == 0:
		return rule.Likely // half-open connections were not readable
	case x.atLimit() && x.typical >= halfOpenSome.Int():
		return rule.Possible
	}
	return 0
}

// atLimit says that the queue is full whenever one looks. Kernels differ by one
// in what they call full (inet_csk_reqsk_queue_is_full).
func (x flood) atLimit() bool {
	return x.limit > 0 && float64(x.typical) >= min(queueFull.Value*float64(x.limit), float64(x.limit-1)) && x.typical > 0
}

// flooded says that many SYNs are refused and hardly any handshake completes.
func (x flood) flooded() bool {
	return !x.cookies && x.refused/max(x.counters.Seconds, 1) >= floodRate.Value && x.refused >= mostIncomplete.Value*x.counters.AtLeast("TcpPassiveOpens")
}

// sender is the address that most half-open connections are from; "": there is none.
func (x flood) sender() string {
	total, top, most := 0, "", 0
	for a, n := range x.sources {
		total += n
		if n > most || n == most && a < top {
			top, most = a, n
		}
	}
	if total == 0 || float64(most) < oneSource.Value*float64(total) {
		return ""
	}
	return top
}

// from names the senders, as far as addresses tell.
func (x flood) from() string {
	sender := x.sender()
	switch {
	case len(x.sources) == 0:
		return "unknown addresses"
	case sender != "":
		return sender
	case x.tooShort():
		return unit.Plural(len(x.sources), "address", "addresses")
	}
	return fmt.Sprintf("%s addresses, likely forged", unit.Count(len(x.sources)))
}

func (x flood) headline(v *view.View) rule.Text {
	where := v.InNetNS(x.NetNS)
	switch {
	case x.tooShort():
		return rule.T("the queue of half-open connections of %s :%d%s is full: %s, and %s SYNs are refused", x.Name(), x.Port, where,
			rule.T("%s of %s from %s", unit.Count(x.typical), unit.Count(x.limit), x.from()), unit.PerSecond(x.refused/max(x.counters.Seconds, 1)))
	case x.flooded() && x.limit <= shortQueue.Int() && float64(x.Backlog) <= shortQueue.Value:
		return rule.T("SYN flood on %s :%d%s from %s: its backlog of %s is full of half-open connections, real connects are refused", x.Name(), x.Port, where, x.from(), unit.Count(x.Backlog))
	case !x.cookies && x.refused > 0:
		return rule.T("SYN flood on %s :%d%s from %s: the table of half-open connections is full, real connects are refused", x.Name(), x.Port, where, x.from())
	case x.cookied > 0:
		return rule.T("SYN flood on %s :%d%s from %s; syncookies keep the queue from filling", x.Name(), x.Port, where, x.from())
	case x.confidence() == rule.Possible:
		return rule.T("many half-open connections at %s :%d%s from %s", x.Name(), x.Port, where, x.from())
	}
	return rule.T("SYN flood on %s :%d%s from %s: handshakes are started and reset", x.Name(), x.Port, where, x.from())
}

func (x flood) impact(v *view.View) rule.Impact {
	opened := x.counters.AtLeast("TcpPassiveOpens")
	if !x.cookies && x.refused > 0 {
		s := share(x.refused, opened)
		i := rule.Impact{Share: s, Text: rule.T("%s of SYNs refused, including those of real clients", unit.Share(s))}
		if x.tooShort() {
			// Some are of senders that never complete a handshake: not more are taken for clients than came through.
			i.TimeLost = min(x.refused, opened) / max(x.counters.Seconds, 1) * firstRetry
		}
		return i
	}
	// Real connections come through, without some options. What the packets cost is CPU time.
	failed := max(x.cookied, x.resets, float64(x.halfOpen))
	rate := unit.PerSecond(failed / max(x.counters.Seconds, 1))
	received := x.counters.AtLeast("TcpInSegs")
	total, ok := v.CPUTotal()
	if !ok || total.SoftIRQ <= 0 || received <= 0 {
		return rule.Impact{Unmeasured: true, Text: rule.T("CPU time for %s useless handshakes", rate)}
	}
	spent := total.SoftIRQ * min(failed/received, 1)
	return rule.Impact{Share: spent, Text: rule.T("%s of all CPU time for %s useless handshakes, by their part of the received segments", unit.Share(spent), rate)}
}

func (x flood) evidence(v *view.View) []rule.Evidence {
	enter := v.EnterNetNS(x.NetNS)
	var list []rule.Evidence
	if x.halfOpen > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.TCPHalfOpen, What: rule.T("%s connections in SYN_RECV (up to %s), of %s allowed, from %s", unit.Count(x.typical), unit.Count(x.halfOpen), unit.Count(x.limit), x.from()),
			Value: float64(x.typical), Limit: rule.Limit(float64(x.limit)),
			Check: shell.Line("%s ss -Htn state syn-recv 'sport = :%d' | awk '{print $4}' | sed 's/:[0-9]*$//' | sort | uniq -c | sort -n | tail", enter, x.Port),
		})
	}
	count := func(m *metric.Metric, names shell.Command, value float64, what rule.Text) {
		if value > 0 {
			list = append(list, rule.Evidence{Metric: m, What: what, Value: value, Check: shell.Line("%s nstat -az %s", enter, names)})
		}
	}
	count(metric.TCPListenDrops, shell.Line("TcpExtListenDrops TcpExtListenOverflows"), x.refused, rule.T("ListenDrops without ListenOverflows +%s: SYNs refused", unit.Count(x.refused)))
	count(metric.TCPQueueFullDrops, shell.Line("TcpExtTCPReqQFullDrop"), x.full, rule.T("TCPReqQFullDrop +%s: as many connections as the backlog allows were half open, and syncookies are off", unit.Count(x.full)))
	count(metric.TCPSyncookiesSent, shell.Line("TcpExtSyncookiesSent TcpExtSyncookiesRecv"), x.cookied, rule.T("SyncookiesSent +%s, %s of them came back", unit.Count(x.cookied), unit.Count(x.returned)))
	count(metric.TCPEmbryonicResets, shell.Line("TcpExtEmbryonicRsts"), x.resets, rule.T("EmbryonicRsts +%s: handshakes ended by a reset", unit.Count(x.resets)))
	if opened := x.counters.Delta("TcpPassiveOpens"); view.Known(opened) {
		list = append(list, rule.Evidence{
			Metric: metric.TCPPassiveOpens, What: rule.T("%s handshakes completed in the namespace", unit.Count(opened)),
			Value: opened, Check: shell.Line("%s nstat -az TcpPassiveOpens", enter),
		})
	}
	if lines := v.LogLinesWith("possible SYN flooding"); len(lines) > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.KernelLog, What: rule.T("kernel log: %s", strings.TrimSpace(lines[len(lines)-1].Text)),
			Value: float64(len(lines)), Check: shell.Line("dmesg | grep 'SYN flooding'"),
		})
	}
	return list
}

func (x flood) fixes(v *view.View) []rule.Fix {
	enter := v.EnterNetNS(x.NetNS)
	var fixes []rule.Fix
	if !x.cookies {
		fixes = append(fixes, rule.Fix{
			Text: rule.T("switch on syncookies: the queue can no longer fill"), Command: shell.Line("%s sysctl -w net.ipv4.tcp_syncookies=1", enter),
			Tradeoff: "while under attack new connections lose window scaling and SACK unless they use timestamps",
		})
	}
	if !x.cookies && x.limit <= shortQueue.Int() {
		fixes = append(fixes, x.longerQueue(v))
	}
	if from := x.sender(); x.flooded() && from != "" {
		tables := shell.Line("iptables")
		if ipHeader(from) == ipv6Header {
			tables = shell.Line("ip6tables")
		}
		fixes = append(fixes, rule.Fix{
			Text: rule.T("drop SYNs from %s", from), Command: shell.Line("%s %s -t raw -I PREROUTING -s %s -p tcp --dport %d --syn -j DROP", enter, tables, shell.Address(from), x.Port),
			Tradeoff: "if the address is forged, its real owner is locked out; the sender may change it",
		})
	}
	fixes = append(fixes, rule.Fix{
		Text: rule.T("give up half-open connections sooner"), Command: shell.Line("%s sysctl -w net.ipv4.tcp_synack_retries=1", enter),
		Tradeoff: "clients on lossy paths fail to connect more often",
	})
	if x.tooShort() {
		return fixes
	}
	return append(fixes, rule.Fix{Text: rule.T("filter it upstream: provider, load balancer, SYN proxy"), Tradeoff: "the only help once the link itself is full"})
}
