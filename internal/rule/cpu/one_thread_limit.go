package cpu

import (
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

var oneThreadLimit = rule.Rule{
	ID:       "cpu/one-thread-limit",
	Title:    "a program can use one CPU only, and that one is full",
	Plural:   "programs can use one CPU only, and that one is full",
	Resource: "CPU",
	Needs:    []recording.Table{recording.CPUs, recording.Processes},
	// Whoever accepts connections with the thread that is full accepts late.
	Explains: []string{"net/accept-queue-full", "net/udp-buffer", "rt/server-slow"},
	Thresholds: []*rule.Threshold{&threadFull, &threadRan, &idleElsewhere, &waitersFrom, &waitedShare, &othersWork,
		&worthNaming, &mostOfIt, &burnsFrom, &stormBurns, &stormShare, &stormCalls, &tinyBytes, &failedShare, &shortCall, &messageShare},
	Detect: detectOneThreadLimit,
}

var (
	threadFull = rule.Threshold{Name: "thread-full", Value: 0.90, Unit: "share", Source: rule.Judgement,
		Reason: "The thread is running or runnable nearly all the time. Interrupts and coarse counters hide a few percent in a window of five seconds."}
	threadRan = rule.Threshold{Name: "thread-ran", Value: 0.75, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the window in which the thread is on a CPU. A thread that mostly waits for a CPU is a victim of a full host."}
	idleElsewhere = rule.Threshold{Name: "idle-elsewhere", Value: 0.25, Unit: "cores", Source: rule.Judgement,
		Reason: "Idle cores. With less, a second thread could not use anything."}
	waitersFrom = rule.Threshold{Name: "waiters-from", Value: 0.5, Unit: "requests", Source: rule.Judgement,
		Reason: "Mean number of unread requests. 0.5 means that in every second sample a client waits; a server that keeps up empties its queues between samples."}
	waitedShare = rule.Threshold{Name: "waited-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the samples with an unread request, so that a single burst does not decide."}
	othersWork = rule.Threshold{Name: "others-work", Value: 0.25, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU use of the process's other threads, in cores. Above this the process does use a second CPU."}
)

// fullThread is a thread that had no time left.
type fullThread struct {
	process view.Process
	comm    string
	tid     int32
	cpu     float64 // share of one CPU
	delay   float64
}

func detectOneThreadLimit(v *view.View) ([]rule.Finding, error) {
	idle := v.IdleCores()
	if _, ok := v.CPUTotal(); !ok {
		return nil, &rule.NotJudged{Needs: "two readings of /proc/stat", Why: "it is not known whether other CPUs were idle", How: shell.Say("watch longer: --for 10s")}
	}
	if v.CPUCount() < 2 || idle < idleElsewhere.Value {
		return nil, nil
	}
	var found []rule.Finding
	for _, t := range fullThreads(v) {
		c := clientsOf(v, t.process.PID)
		if t.process.Threads > 1 && threadEach(v, t, len(c.connections)) {
			continue
		}
		f := oneThreadFinding(v, t, c.waiting(t.process.Threads > 1), idle)
		_, hot := hotProcess(v, &t.process)
		_, storm := stormOf(v, &t.process)
		if (hot || storm) && f.Confidence == rule.Possible {
			continue // cpu/hot-function or cpu/syscall-storm says more of it
		}
		found = append(found, f)
	}
	return found, nil
}

// threadEach says whether a process has a thread for each of its connections.
// A full one is that of a client that keeps it busy: nobody else waits for it,
// and more threads would not help that client.
func threadEach(v *view.View, full fullThread, connections int) bool {
	p := full.process
	if slices.ContainsFunc(v.MySQLServers(), func(s *view.MySQLServer) bool { return s.PID == p.PID }) || slices.Contains(mysqlServers, p.Comm) {
		return true
	}
	// Threads that wait in a call for one socket or a few, where event loops wait
	// for many: as many as there are connections.
	readers := 0
	for _, t := range v.ThreadTimes() {
		if t.PID == p.PID && t.TID != full.tid && slices.ContainsFunc(t.Samples, readsOneSocket) {
			readers++
		}
	}
	return readers > 0 && readers+1 >= connections
}

// mysqlServers are the names of server processes that nobody may have asked.
// With a thread pool, too, any of its threads serves a connection.
var mysqlServers = []string{"mysqld", "mariadbd", "mysqld-debug"}

func readsOneSocket(s recording.ThreadSample) bool {
	switch s.SyscallName {
	case "recvfrom", "recvmsg", "poll", "ppoll":
		return true
	case "read":
		return view.Classify(recording.ThreadSample{State: s.State, WaitChannel: s.WaitChannel}) == view.WaitNetwork
	}
	return false
}

// fullThreads lists the busiest thread of each process in which one thread was
// busy all the time.
func fullThreads(v *view.View) []fullThread {
	best := map[int32]view.ThreadTime{}
	for _, t := range v.ThreadTimes() {
		if have, ok := best[t.PID]; t.Seconds > 0 && (!ok || t.CPU > have.CPU) {
			best[t.PID] = t
		}
	}
	var list []fullThread
	for _, p := range v.Processes() {
		if p.Own || p.Kernel || p.Seconds <= 0 || p.CPU < threadRan.Value || v.Throttled(&p) {
			continue
		}
		t, sampled := best[p.PID]
		full := fullThread{process: p, comm: p.Comm, tid: p.PID, cpu: min(p.CPU, 1), delay: view.OrZero(p.RunDelay)}
		switch {
		case p.Threads == 1: // the process's own counters miss nothing
		case sampled:
			full.comm, full.tid, full.cpu, full.delay = t.Comm, t.TID, t.CPU, t.RunDelay
		default:
			continue
		}
		if full.cpu >= threadRan.Value && full.cpu+full.delay >= threadFull.Value {
			list = append(list, full)
		}
	}
	return list
}

// waiting is how many requests lay in the queues of a process's sockets.
type waiting struct {
	mean     float64 // requests at any time
	share    float64 // of the readings with at least one
	readings int
	accept   float64 // of mean: connections not accepted yet
	ports    []uint16
}

// clients are the connections to the ports that a process listens on.
type clients struct {
	connections map[uint64]bool // by inode
	unread      instants        // of which hold data it has not read
	accept      instants        // not accepted yet
	ports       []uint16
}

// clientsOf lists who may wait for a server: connections to a port it listens
// on, and connections it has not accepted. Its own connections to others are
// left out: a client that reads late makes nobody wait but itself. So are
// those of rtrail, whose questions are on their way whenever it looks.
func clientsOf(v *view.View, pid int32) clients {
	mine, own := map[uint64]bool{}, map[uint64]bool{}
	for _, o := range view.Rows[recording.SocketOwner](v) {
		if o.PID == pid {
			mine[o.Inode] = true
		}
		if p, ok := v.Process(o.PID); ok && p.Own {
			own[o.Inode] = true
		}
	}
	c := clients{connections: map[uint64]bool{}}
	ports := map[uint16]bool{}
	for _, l := range view.Rows[recording.ListenerSample](v) {
		if !mine[l.Inode] {
			continue
		}
		if !ports[l.Port] {
			ports[l.Port] = true
			c.ports = append(c.ports, l.Port)
		}
		*c.accept.at(l.At) += float64(l.Queue)
		c.unread.at(l.At) // a reading, whatever it says
	}
	sockets := view.Readings[recording.TCPSample](v)
	type end struct {
		address string
		port    uint16
	}
	asks := map[end]bool{} // rtrail's ends of its connections
	for _, r := range sockets {
		if s := r.Of(); own[s.Inode] {
			asks[end{s.Local, s.LocalPort}] = true
		}
	}
	for _, r := range sockets {
		s := r.Of()
		if !mine[s.Inode] || !ports[s.LocalPort] || s.State != recording.TCPEstablished || asks[end{s.Remote, s.RemotePort}] {
			continue
		}
		c.connections[s.Inode] = true
		if s.RecvQueue > 0 && len(c.unread) > 0 {
			*c.unread.at(r.At())++
		}
	}
	return c
}

// waiting counts who waited. Of several threads only one is full: one of the
// connections with unread data may be the one that it serves, or one that
// another thread is about to read.
func (c clients) waiting(threads bool) waiting {
	w := waiting{readings: len(c.unread), ports: c.ports}
	if w.readings == 0 {
		return waiting{}
	}
	for _, r := range c.unread {
		n := r.n
		if threads {
			n = max(n-1, 0)
		}
		accept := *c.accept.at(r.at)
		w.accept += accept
		w.mean += n + accept
		if n+accept > 0 {
			w.share++
		}
	}
	w.mean /= float64(w.readings)
	w.accept /= float64(w.readings)
	w.share /= float64(w.readings)
	return w
}

// instants sums what was read at about the same time: the rows of one sample
// carry times some milliseconds apart.
type instants []instant

type instant struct {
	at time.Time
	n  float64
}

func (list *instants) at(t time.Time) *float64 {
	const apart = 100 * time.Millisecond
	for i := len(*list) - 1; i >= 0; i-- {
		if t.Sub((*list)[i].at).Abs() < apart {
			return &(*list)[i].n
		}
	}
	*list = append(*list, instant{at: t})
	return &(*list)[len(*list)-1].n
}

func oneThreadFinding(v *view.View, t fullThread, w waiting, idle float64) rule.Finding {
	p := t.process
	part, lived := life(v, &p)
	f := rule.Finding{Subject: p.Entity(), Confidence: rule.Possible}
	who := fmt.Sprintf("%s (%d)", p.Comm, p.PID)
	thread := "its only thread"
	if p.Threads > 1 {
		thread = fmt.Sprintf("its thread %s (%d)", t.comm, t.tid)
	}
	idling := rule.T("%v of %d CPUs idle", unit.Number(round(idle)), v.CPUCount())
	// Counters of the process and of its thread are read at moments a little apart.
	alone := p.Threads == 1 || p.CPU-t.cpu < othersWork.Value
	if alone && w.mean >= waitersFrom.Value && w.share >= waitedShare.Value {
		f.Confidence = rule.Certain
		f.Headline = rule.T("%s can use one CPU only: %s is busy %v of the time while %s, and %v requests wait for it",
			who, thread, unit.Share(t.cpu), idling, unit.Number(round(w.mean)))
		f.Impact = rule.Impact{TimeLost: w.mean, Text: rule.T("%v requests waiting at any time", unit.Number(round(w.mean)))}
	} else if !alone {
		f.Headline = rule.T("%s keeps one CPU full with %s while %s; its other threads use %v", who, thread, idling, rule.T("%v of a CPU", unit.Share(p.CPU-t.cpu)))
		f.Impact = rule.Impact{Share: t.cpu * part / float64(v.CPUCount()), Text: rule.T("%v of one CPU", unit.Share(t.cpu))}
	} else {
		f.Headline = rule.T("%s keeps one CPU full with %s while %s; no process was seen waiting for it", who, thread, idling)
		f.Impact = rule.Impact{Share: t.cpu * part / float64(v.CPUCount()), Text: rule.T("%v of one CPU", unit.Share(t.cpu))}
	}
	f.Evidence = []rule.Evidence{
		{Metric: metric.ThreadCPU, Value: t.cpu, Limit: rule.Limit(threadFull.Value),
			What:  rule.T("%s on a CPU %v of the time, ready but waiting for one %v%s", thread, unit.Share(t.cpu), unit.Share(t.delay), lived),
			Check: shell.Line("pidstat -t -u -p %d 1 5", p.PID)},
		{Metric: metric.CPUIdleCores, Value: idle, Limit: rule.Limit(idleElsewhere.Value), Counters: true,
			What: rule.T("%v of %d CPUs idle meanwhile", unit.Number(round(idle)), v.CPUCount())},
	}
	if w.readings > 0 {
		check := shell.Line("ss -tnp   # column Recv-Q")
		if len(w.ports) > 0 {
			check = shell.Line("ss -tna 'sport = :%d'   # column Recv-Q", w.ports[0])
		}
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.TCPUnreadRequests, Value: w.mean, Limit: rule.Limit(waitersFrom.Value),
			What: rule.T("%v connections with unread requests (%v of them not accepted yet), some in %v of %d readings",
				unit.Number(round(w.mean)), unit.Number(round(w.accept)), unit.Share(w.share), w.readings), Check: check})
	}
	hot := hottest(v, p)
	f.Evidence = append(f.Evidence, hot.evidence()...)
	f.Fixes = []rule.Fix{
		{Text: rule.T("start more workers or instances: SO_REUSEPORT, several processes behind one port, a pool"), Tradeoff: "state kept in the process must be shared or split; a lock around the work would move the limit, not lift it"},
		{Text: hot.advice(rule.T("make the thread do less for each request: see which function it spends its time in")),
			Command: shell.Line("perf top -t %d", t.tid), Tradeoff: "takes a developer; only shifts the limit"},
		{Text: rule.T("move slow work (TLS, compression, logging, backups) to other threads"), Tradeoff: "more threads to understand; results may come back in another order"},
	}
	return f
}
