package rt

import (
	"cmp"
	"path"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/protocol"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var clientSlow = rule.Rule{
	ID:       "rt/client-slow",
	Title:    "the client is slow, not the server it calls",
	Plural:   "clients are slow, not the servers they call",
	Resource: "clients",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketConnections, recording.PacketStatements},
	// A server that sends to a client which does not read is not slow.
	Explains: []string{"rt/server-slow"},
	Thresholds: []*rule.Threshold{&stalls, &stalledShare, &asksAtOnce, &closedFor, &busyThread, &mostPauses, &fewRequests, &worthWaiting, &minRequests,
		&mostlyInferred, &missedShare},
	Detect: detectClientSlow,
}

var (
	stalls = rule.Threshold{Name: "stalls", Value: 10, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of a pause to the client's usual pause. From here on it is a stall of a client that normally sends its next request at once."}
	stalledShare = rule.Threshold{Name: "stalled-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of its connections' lifetime that a client loses in pauses."}
	asksAtOnce = rule.Threshold{Name: "asks-at-once", Value: 0.002, Unit: "seconds", Source: rule.Judgement,
		Reason: "Usual pause of a program that has its next request ready: a wake-up and some work. A program that waits on purpose waits longer."}
	closedFor = rule.Threshold{Name: "closed-for", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a connection's lifetime with a closed receive window."}
	busyThread = rule.Threshold{Name: "busy-thread", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time in which a client thread must work, or wait for CPU or disk, to be the cause. If many threads do so now and then, none is blocked."}
	mostPauses = rule.Threshold{Name: "most-pauses", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the pauses that come before few-requests of the requests. These requests start a job, and a pause before a job is not a stall."}
	fewRequests = rule.Threshold{Name: "few-requests", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of requests that start a job; used with most-pauses."}
)

func detectClientSlow(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		for _, x := range slowClients(v, s) {
			if x.look() {
				found = append(found, x.finding())
			}
		}
	}
	return found, nil
}

// slowClient is a client of a service: an address.
type slowClient struct {
	v           *view.View
	s           *view.PacketService
	alone       bool // it is the only one
	address     string
	connections []*view.PacketConnection
	life        time.Duration // of its connections, all together
	zero        time.Duration // its windows were closed
	episodes    int64         // so many times

	// Of the connections that keepBusy kept, all together.
	idle  time.Duration
	rt    time.Duration
	count int64

	hops    *hops
	stalled time.Duration // time in pauses that are stalls
	usual   time.Duration // the usual pause
	longest time.Duration // pauses of one in a hundred and more
	process view.ProcessTime
	sure    rule.Confidence
	reads   bool // it is its reading that is slow
}

func slowClients(v *view.View, s *view.PacketService) []*slowClient {
	addresses, byAddress := view.Group(s.Connections, func(c *view.PacketConnection) string { return c.Client })
	known := map[string]*slowClient{}
	var list []*slowClient
	for _, a := range addresses {
		x := &slowClient{v: v, s: s, address: a, connections: byAddress[a], alone: len(addresses) == 1}
		known[a] = x
		list = append(list, x)
	}
	for i := range s.Directions {
		d := &s.Directions[i]
		if x := known[d.Client]; x != nil && d.Sender == "client" {
			x.life += d.Life
			x.zero += d.ZeroWindowTime
			x.episodes += d.ZeroWindows
		}
	}
	return list
}

func (x *slowClient) look() bool {
	if x.life <= 0 {
		return false
	}
	if float64(x.zero) >= closedFor.Value*float64(x.life) && x.zero >= time.Second && x.zero >= time.Duration(x.episodes)*rule.ClosedEach {
		x.reads = true
		x.sure = atMost(x.v, x.s, rule.Certain)
		return true
	}
	x.keepBusy()
	if x.count < int64(minRequests.Value) || !x.stalls() {
		return false
	}
	between, known := x.pausesBetweenJobs()
	x.findProcess()
	if between || !known && x.process.Process.PID == 0 {
		return false
	}
	x.hops = hopsOf(x.v, x.s)
	// No packet tells a client that is kept from asking from one that has nothing
	// to ask: only what its process does meanwhile does.
	x.sure = rule.Possible
	if known && x.process.Process.PID != 0 {
		x.sure = rule.Likely
	}
	return true
}

// keepBusy leaves out connections that mostly rest: a pool keeps some for more
// users than there are.
func (x *slowClient) keepBusy() {
	all := x.connections
	x.connections, x.life = nil, 0
	for _, c := range all {
		if c.Transactions == 0 || c.Idle/time.Duration(c.Transactions) > stalls.Times(asksAtOnce.Duration()) {
			continue
		}
		x.connections = append(x.connections, c)
		x.life += c.Last.Sub(c.At)
		x.idle += c.Idle
		x.rt += c.RTSum
		x.count += c.Transactions
	}
}

// pausesBetweenJobs says that pauses come before certain statements and not
// before any: a client that is held up stops anywhere. known is false where it
// cannot be told which statement most of them come before.
func (x *slowClient) pausesBetweenJobs() (between, known bool) {
	var list []recording.PacketStatement
	var idle, before, unknown time.Duration
	var count, begins int64
	for _, t := range x.v.PacketStatements() {
		if t.Server != x.s.Server || t.ServerPort != int32(x.s.Port) || t.Proto != x.s.Proto {
			continue
		}
		list = append(list, t)
		idle += t.IdleBefore
		count += t.Count
		if unread(&t) {
			unknown += t.IdleBefore
		}
	}
	if count == 0 || float64(unknown) > (1-mostPauses.Value)*float64(idle) {
		return false, false
	}
	each := func(t recording.PacketStatement) time.Duration { return t.IdleBefore / time.Duration(max(t.Count, 1)) }
	slices.SortFunc(list, func(a, b recording.PacketStatement) int { return cmp.Compare(each(b), each(a)) })
	for _, t := range list {
		if float64(before) >= mostPauses.Value*float64(idle) {
			break
		}
		before += t.IdleBefore
		begins += t.Count
	}
	return float64(begins) <= fewRequests.Value*float64(count), true
}

// unread says that it is not known what was asked: it was encrypted, of a
// protocol that is not decoded, or prepared before the capture began.
func unread(t *recording.PacketStatement) bool {
	return protocol.Of(t.Proto).Opaque || t.Fingerprint == "" || t.Fingerprint == "Execute"
}

// stalls tells a client that asks as soon as it has its answer, and now and
// then does not for long, from one that waits on purpose or has nothing to do.
func (x *slowClient) stalls() bool {
	if !x.alone || x.s.Pauses() < int64(minRequests.Value) {
		return false // pauses are kept for all clients of a service together
	}
	x.usual, x.longest = x.s.IdleQuantile(0.5), x.s.IdleQuantile(0.99)
	if x.usual > asksAtOnce.Duration() {
		return false
	}
	least := max(stalls.Times(x.usual), worthWaiting.Duration())
	for _, b := range x.s.IdleTimes {
		if b.From >= least {
			x.stalled += time.Duration(b.Count) * (b.From + (b.To-b.From)/2)
		}
	}
	x.stalled = min(x.stalled, x.idle)
	return float64(x.stalled) >= stalledShare.Value*float64(x.life) && x.rt < x.stalled
}

// findProcess looks for the client among the processes of this host, with a
// thread that is held up.
func (x *slowClient) findProcess() {
	held := map[int32]bool{}
	for _, t := range x.v.ThreadTimes() {
		held[t.PID] = held[t.PID] || t.Share[view.OnCPU]+t.Share[view.Runnable]+t.Share[view.WaitDisk] >= busyThread.Value
	}
	times := map[int32]view.ProcessTime{}
	for _, p := range x.v.ProcessTimes() {
		times[p.Process.PID] = p
	}
	ports := map[uint16]bool{}
	for _, c := range x.connections {
		ports[uint16(c.ClientPort)] = true
	}
	for _, c := range x.v.Connections() {
		// Others of this host may have connections to the same server.
		if c.Remote != x.s.Server || c.RemotePort != x.s.Port || c.Local != x.address || !ports[c.LocalPort] {
			continue
		}
		for _, owner := range x.v.SocketOwners(c.Inode) {
			if p, ok := times[owner.PID]; ok && held[owner.PID] {
				x.process = p
				return
			}
		}
	}
}

func (x *slowClient) subject() view.Entity {
	if p := x.process.Process; p.PID != 0 {
		return p.Entity()
	}
	return view.Entity{Kind: view.KindPeer, Name: x.address}
}

func (x *slowClient) finding() rule.Finding {
	lost := perSecond(x.v, x.stalled)
	if x.reads {
		lost = perSecond(x.v, x.zero)
	}
	f := rule.Finding{
		Subject: x.subject(), Confidence: x.sure,
		Impact:   rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("its connections are blocked for %s s per second", unit.Number(lost))},
		Affects:  []view.Entity{x.v.ServiceEntity(x.s)},
		Evidence: x.evidence(),
		Fixes:    x.fixes(),
	}
	switch {
	case x.reads:
		f.Headline = rule.T("client %s does not read what %s sends it: its window was closed for %s", x.address, x.s.Name(), unit.Duration(x.zero))
	case x.process.Process.PID != 0:
		f.Headline = rule.T("client %s (%d) of %s is the slow part: it usually asks again within %s, and stops for %s of the time",
			x.process.Process.Comm, x.process.Process.PID, x.s.Name(), unit.Duration(x.usual), unit.Share(float64(x.stalled)/float64(x.life)))
	default:
		f.Headline = rule.T("client %s of %s is the slow part: it usually asks again within %s, and stops for %s of the time",
			x.address, x.s.Name(), unit.Duration(x.usual), unit.Share(float64(x.stalled)/float64(x.life)))
	}
	return f
}

func (x *slowClient) evidence() []rule.Evidence {
	v, s := x.v, x.s
	if x.reads {
		return []rule.Evidence{{
			Metric: metric.RTZeroWindow, Value: x.zero.Seconds(),
			What:  rule.T("its window was closed %s times, %s in total, of %s of observed connection time", unit.Count(x.episodes), unit.Duration(x.zero), unit.Duration(x.life)),
			Check: tshark(v, s, shell.Display("tcp.analysis.zero_window"), "frame.time_relative", view.IPField("src", s.Server), "tcp.stream"),
		}}
	}
	list := []rule.Evidence{{
		Metric: metric.RTIdle, Value: x.stalled.Seconds() / x.life.Seconds(), Limit: rule.Limit(stalledShare.Value),
		What: rule.T("after an answer, the client sent its next request within %s half of the time; pauses of at least %s took %s of %s",
			unit.Duration(x.usual), unit.Duration(max(stalls.Times(x.usual), worthWaiting.Duration())), unit.Duration(x.stalled), unit.Duration(x.life)),
		Check: packets(v, s).With("--by client"),
	}, {
		Metric: metric.RTQuantiles, Value: s.RTP95.Seconds(),
		What:  rule.T("the server took %s of that time: p50 %s, p95 %s", unit.Share(x.rt.Seconds()/x.life.Seconds()), unit.Duration(s.RTP50), unit.Duration(s.RTP95)),
		Check: packets(v, s).With("--histogram"),
	}}
	if x.hops != nil {
		list = append(list, x.hops.evidence(v, s)...)
	}
	if p := x.process; p.Process.PID != 0 {
		list = append(list, rule.Evidence{
			Metric: metric.RTProcess, Value: p.Share[view.OnCPU],
			What: rule.T("%s (%d): %d threads, %s of the time on CPU, %s runnable, %s in disk waits", p.Process.Comm, p.Process.PID, p.Threads,
				unit.Share(p.Share[view.OnCPU]), unit.Share(p.Share[view.Runnable]), unit.Share(p.Share[view.WaitDisk])),
			Check: shell.Line("pidstat -t -u -d -p %d 1", p.Process.PID),
		})
	}
	return list
}

func (x *slowClient) fixes() []rule.Fix {
	if x.reads {
		return []rule.Fix{{
			Text:     rule.T("make the client read while it works: larger fetch batches, a thread that reads ahead, or fewer rows"),
			Command:  shell.Line("ss -tnmi dst %s   # on the client: Recv-Q", shell.Address(x.s.Server)),
			Tradeoff: "memory in the client",
		}}
	}
	look := shell.Line("pidstat -u -d -w 1   # on the client's host")
	if p := x.process.Process; p.PID != 0 {
		look = shell.Line("pidstat -t -u -d -w -p %d 1", p.PID)
		if p.Cgroup != "" {
			look = shell.Line("%s; cat %s", look, shell.Path("/sys/fs/cgroup"+path.Join("/", p.Cgroup, "cpu.stat")))
		}
	}
	return []rule.Fix{{
		Text:     rule.T("look inside the client in these pauses: garbage collection, a CPU quota, locks, logging; a faster server will not help"),
		Command:  look,
		Tradeoff: "if the client pauses on purpose, nothing is wrong",
	}}
}
