package cpu

import (
	_ "embed"
	"fmt"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

//go:embed one_thread_limit.md
var oneThreadLimitPage string

var oneThreadLimit = rule.Rule{
	ID:       "cpu/one-thread-limit",
	Title:    "a program can use one CPU only, and that one is full",
	Resource: "CPU",
	Needs:    []recording.Table{recording.CPUs, recording.Processes},
	// Whoever accepts connections with the thread that is full accepts late.
	Explains: []string{"net/accept-queue-full", "rt/server-slow"},
	Page:     oneThreadLimitPage,
	Detect:   detectOneThreadLimit,
}

const (
	// threadFull: the thread ran, or was ready to run, nearly all the time.
	// Even a thread that never waits loses a few percent to interrupts and
	// to the granularity of the counters in a window of five seconds.
	threadFull = 0.90
	// threadRan: of which it really had a CPU for the most part. A thread that
	// mostly queues for a CPU is a victim of a full host.
	threadRan = 0.75
	// idleElsewhere: cores that did nothing meanwhile. With less there is
	// nothing a second thread could have used.
	idleElsewhere = 0.25
	// waitersFrom: requests that lay unread at any time, on average. Half a
	// request means that in every second reading somebody waited; a server
	// that keeps up empties its queues between two readings.
	waitersFrom = 0.5
	// waitedShare: and in at least half of the readings there was one, so that
	// one burst does not make an average.
	waitedShare = 0.5
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
		return nil, &rule.NotJudged{Needs: "two readings of /proc/stat", Why: "nobody knows whether other CPUs were idle", How: "watch longer: --for 10s"}
	}
	if v.CPUCount() < 2 || idle < idleElsewhere {
		return nil, nil
	}
	var found []rule.Finding
	for _, t := range fullThreads(v) {
		found = append(found, oneThreadFinding(v, t, idle))
	}
	return found, nil
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
		if p.Own || p.Kernel || p.Seconds <= 0 || p.CPU < threadRan || v.Throttled(p) {
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
		if full.cpu >= threadRan && full.cpu+full.delay >= threadFull {
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

// waitersOf counts who waits for a server: connections to a port it listens on
// that hold data it has not read, and connections it has not accepted. Its own
// connections to others are left out: a client that reads late makes nobody
// wait but itself.
func waitersOf(v *view.View, pid int32) (w waiting) {
	mine := map[uint64]bool{}
	for _, o := range view.Rows[recording.SocketOwner](v) {
		if o.PID == pid {
			mine[o.Inode] = true
		}
	}
	var readings instants
	ports := map[uint16]bool{}
	for _, l := range view.Rows[recording.ListenerSample](v) {
		if !mine[l.Inode] {
			continue
		}
		if !ports[l.Port] {
			ports[l.Port] = true
			w.ports = append(w.ports, l.Port)
		}
		*readings.at(l.At) += float64(l.Queue)
		w.accept += float64(l.Queue)
	}
	if len(readings) == 0 {
		return waiting{}
	}
	for _, s := range view.Rows[recording.TCPSample](v) {
		if mine[s.Inode] && ports[s.LocalPort] && s.State == recording.TCPEstablished && s.RecvQueue > 0 {
			*readings.at(s.At)++
		}
	}
	for _, r := range readings {
		w.mean += r.n
		if r.n > 0 {
			w.share++
		}
	}
	w.readings = len(readings)
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

func oneThreadFinding(v *view.View, t fullThread, idle float64) rule.Finding {
	p := t.process
	w := waitersOf(v, p.PID)
	f := rule.Finding{Subject: rule.ProcessSubject(p), Confidence: rule.Possible}
	who := fmt.Sprintf("%s (%d)", p.Comm, p.PID)
	thread := "its only thread"
	if p.Threads > 1 {
		thread = fmt.Sprintf("its thread %s (%d)", t.comm, t.tid)
	}
	idling := rule.T("%v of %d CPUs idle", unit.Number(round(idle)), v.CPUCount())
	if w.mean >= waitersFrom && w.share >= waitedShare {
		f.Confidence = rule.Certain
		f.Headline = rule.T("%s can use one CPU only: %s is busy %v of the time while %s, and %v requests wait for it",
			who, thread, unit.Share(t.cpu), idling, unit.Number(round(w.mean)))
		f.Impact = rule.Impact{TimeLost: w.mean, Text: rule.T("%v requests waiting at any time", unit.Number(round(w.mean)))}
	} else {
		f.Headline = rule.T("%s keeps one CPU full with %s while %s; nobody was seen waiting for it", who, thread, idling)
		f.Impact = rule.Impact{Share: t.cpu / float64(v.CPUCount()), Text: rule.T("%v of one CPU", unit.Share(t.cpu))}
	}
	f.Evidence = []rule.Evidence{
		{Metric: "thread.cpu", Value: t.cpu, Unit: "share of one CPU", Limit: rule.Limit(threadFull), Counters: true,
			What:  rule.T("%s on a CPU %v of the time, ready but waiting for one %v", thread, unit.Share(t.cpu), unit.Share(t.delay)),
			Check: fmt.Sprintf("pidstat -t -u -p %d 1 5", p.PID)},
		{Metric: "cpu.idle", Value: idle, Unit: "cores", Limit: rule.Limit(idleElsewhere), Counters: true,
			What: rule.T("%v of %d CPUs idle meanwhile", unit.Number(round(idle)), v.CPUCount()), Check: "mpstat -P ALL 1 5"},
	}
	if w.readings > 0 {
		check := "ss -tnp   # column Recv-Q"
		if len(w.ports) > 0 {
			check = fmt.Sprintf("ss -tna 'sport = :%d'   # column Recv-Q", w.ports[0])
		}
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: "tcp.unread-requests", Value: w.mean, Unit: "connections", Limit: rule.Limit(waitersFrom),
			What: rule.T("%v connections with unread requests (%v of them not accepted yet), some in %v of %d readings",
				unit.Number(round(w.mean)), unit.Number(round(w.accept)), unit.Share(w.share), w.readings), Check: check})
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("start more workers or instances: SO_REUSEPORT, several processes behind one port, a pool"), Tradeoff: "state kept in the process must be shared or split; a lock around the work would move the limit, not lift it"},
		{Text: rule.T("make the thread do less for each request: see which function it spends its time in"),
			Command: fmt.Sprintf("perf top -t %d", t.tid), Tradeoff: "takes a developer; only shifts the limit"},
		{Text: rule.T("move slow work (TLS, compression, logging, backups) to other threads"), Tradeoff: "more threads to understand; results may come back in another order"},
	}
	return f
}
