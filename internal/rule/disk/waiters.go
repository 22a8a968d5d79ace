package disk

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	bulkRequest = rule.Threshold{Name: "bulk-request", Value: 64 << 10, Unit: "bytes", Source: rule.Judgement,
		Reason: "Request size of a stream. Readahead and writeback use 128 KiB and more; databases and random readers use 4 to 16 KiB."}
	ownStream = rule.Threshold{Name: "own-stream", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the device's bytes. A program that moves this much determines the request size."}
	feltWait = rule.Threshold{Name: "felt-wait", Value: 0.05, Unit: "seconds", Source: rule.Judgement,
		Reason: "Waited per second. Below it a program hardly loses by the disk, and sampled waits are a few samples."}
	oneStream = rule.Threshold{Name: "one-stream", Value: 1.5, Unit: "threads", Source: rule.Judgement,
		Reason: "Mean number of waiting threads of programs with large requests. Up to this one of them copies sequentially. More threads compete for the disk."}
	syncedShare = rule.Threshold{Name: "synced-share", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the device's bytes that a program writes which syncs. Journal and checkpoints of many small synced files are about ten times the data, and kernel threads write them."}
	sameDisk = rule.Threshold{Name: "same-disk", Value: 1.2, Unit: "ratio", Source: rule.Judgement,
		Reason: "Bytes that programs move over those of the disk. Counters are read at slightly different times; if programs move more, some of them work on another disk."}
)

// waiter is a program some threads of which waited for block I/O.
type waiter struct {
	view.Process
	waiting float64 // threads, mean; without those throttled as writers of dirty pages
	here    float64 // of these, threads that waited while no other disk had a request in flight, at least
	dirty   float64 // threads the kernel made wait because too much is dirty, mean
	where   string
	bulk    bool // alone it would be a copy
}

// waiters are all programs that waited for disks in the window.
type waiters struct {
	list      []waiter
	issuers   []view.Process // by bytes moved, programs only
	told      bool           // it is known that the first of them uses this disk
	moved     float64        // bytes per second by all issuers, without what other disks may have moved
	limited   bool           // these are the members of a group at its limit: what others move at the disk says nothing about them
	container bool           // programs outside of this container are not seen
	other     otherDisks
	disk      float64 // bytes per second of the disk
	written   float64 // of these
	blind     bool    // neither threads nor delays could be read, or only too few of them
	pressure  float64 // share of the time tasks were stalled on I/O, from PSI; Unknown without
	blocked   float64 // tasks that waited for I/O, mean, where nothing tells of single ones; Unknown if that is not told either
}

// diskWaiters are all that waited for whatever disk.
func diskWaiters(v *view.View, d view.BlockDevice) waiters {
	return waitersAt(v, d, otherDisks{}, nil)
}

// waitersAt are those that waited for a disk, or for others that work meanwhile, at certain
// moments; nil: in all of the window. Means are over all of it.
func waitersAt(v *view.View, d view.BlockDevice, other otherDisks, moment func(time.Time) bool) waiters {
	blocked := v.Blocked()
	if moment != nil {
		blocked = v.BlockedAt(moment)
	}
	w := waiters{pressure: ioPressure(v), disk: d.Bytes(), written: d.WrittenBytes, other: other, container: v.Manifest().Host.Container}
	byPID := map[int32]*waiter{}
	at := func(p view.Process) *waiter {
		if byPID[p.PID] == nil {
			byPID[p.PID] = &waiter{Process: p}
		}
		return byPID[p.PID]
	}
	for _, b := range blocked {
		if !view.DiskWait(b.Where, b.Stack) {
			continue
		}
		p := at(b.Process)
		if strings.Contains(b.Where+b.Stack, "balance_dirty_pages") {
			p.dirty += b.Share()
		} else {
			p.waiting += b.Share()
			p.here += max(b.Share()-other.busy, 0)
			p.where = b.Where
		}
	}
	for _, t := range v.ThreadTimes() {
		// Programs with asynchronous I/O sleep where the results arrive, in an
		// ordinary sleep: neither state D nor pressure shows them.
		share := asyncShare(t, moment)
		if p, ok := v.Process(t.PID); ok && share > 0 && !p.Own && moves(p) > 0 {
			at(p).waiting += share
			at(p).here += max(share-other.busy, 0)
			at(p).where = "io_getevents"
		}
	}
	// Reports tell the delays of main threads: they show who waits, and not that nobody does.
	known, partly := len(view.Rows[recording.ThreadSample](v)) > 0, v.Partly(recording.Processes)
	for _, p := range v.Processes() {
		if p.Kernel || p.Own {
			continue
		}
		if !math.IsNaN(p.BlockDelay) {
			known = known || !partly
			if q := byPID[p.PID]; q == nil && moment == nil && p.BlockDelay > 0.01 {
				at(p).waiting = p.BlockDelay
				at(p).here = max(p.BlockDelay-other.busy*float64(max(p.Threads, 1)), 0)
			}
		}
		if moves(p) > 0 {
			w.issuers = append(w.issuers, p)
			w.moved += w.moves(p)
		}
	}
	for _, p := range byPID {
		p.bulk = p.waiting <= oneStream.Value && streams(p.Process, d)
		w.list = append(w.list, *p)
	}
	slices.SortFunc(w.list, func(a, b waiter) int {
		return cmp.Or(cmp.Compare(b.waiting, a.waiting), cmp.Compare(a.PID, b.PID))
	})
	w.blind, w.blocked = !known && w.lost(d) < minWaiting.Value, view.Unknown
	if w.blind {
		w.blocked = blockedTasks(v)
		w.issuers, w.told = onlyIssuer(w.issuers, d, v.Seconds()), true
	}
	slices.SortStableFunc(w.issuers, func(a, b view.Process) int {
		return cmp.Or(cmp.Compare(w.moves(b), w.moves(a)), cmp.Compare(moves(b), moves(a)))
	})
	return w
}

// onlyIssuer is the one program that moved as much as the device did, where nothing but bytes
// tells on which device each works: none if others did, too, or part of the time only.
func onlyIssuer(list []view.Process, d view.BlockDevice, seconds float64) []view.Process {
	var match []view.Process
	for _, p := range list {
		if moved := moves(p) * p.Seconds; moved >= ownStream.Value*d.Bytes()*seconds && moved*ownStream.Value <= d.Bytes()*seconds {
			match = append(match, p)
		}
	}
	if len(match) != 1 {
		return nil
	}
	return match
}

// in leaves those that a limit binds, and those of whom the group is not known.
func (w waiters) in(l *ioLimit) waiters {
	member := func(p view.Process) bool { return p.IOCgroup == "" || l.binds(p.IOCgroup) }
	w.list = slices.DeleteFunc(slices.Clone(w.list), func(p waiter) bool { return !member(p.Process) })
	w.issuers = slices.DeleteFunc(slices.Clone(w.issuers), func(p view.Process) bool { return !member(p) })
	w.moved, w.limited = 0, true
	for _, p := range w.issuers {
		w.moved += moves(p)
	}
	return w
}

// asyncShare is the part of its samples a thread spent collecting results of
// asynchronous I/O at certain moments; nil: at any.
func asyncShare(t view.ThreadTime, moment func(time.Time) bool) float64 {
	n := 0
	for _, s := range t.Samples {
		if s.State == "S" && (moment == nil || moment(s.At)) && (s.SyscallName == "io_getevents" || s.SyscallName == "io_pgetevents" || s.WaitChannel == "read_events") {
			n++
		}
	}
	return float64(n) / float64(max(len(t.Samples), 1))
}

// moves is the bytes per second a program reads from and dirties for storage.
func moves(p view.Process) float64 {
	n := 0.0
	for _, x := range []float64{p.ReadBytes, p.WriteBytes} {
		if !math.IsNaN(x) {
			n += x
		}
	}
	return n
}

// moves is what a program moves without what other disks may have moved for it: counters of
// processes name no disks.
func (w waiters) moves(p view.Process) float64 {
	return max(view.OrZero(p.ReadBytes)-w.other.read, 0) + max(view.OrZero(p.WriteBytes)-w.other.written, 0)
}

// streams says whether a program moves data in large pieces, so that the time
// of one request matters little to it.
func streams(p view.Process, d view.BlockDevice) bool {
	calls, chars := p.ReadCalls+p.WriteCalls, p.ReadChars+p.WriteChars
	if calls > 0 && chars/calls >= bulkRequest.Value {
		return true
	}
	read, written := d.ReadBytes/d.Reads, d.WrittenBytes/d.Writes
	return p.ReadBytes >= ownStream.Value*d.ReadBytes && p.ReadBytes >= p.WriteBytes && read >= bulkRequest.Value ||
		p.WriteBytes >= ownStream.Value*d.WrittenBytes && p.WriteBytes > p.ReadBytes && written >= bulkRequest.Value
}

// compete says that programs with large requests hold each other up: more threads of them wait
// than those of a copy, and all of them may work on this disk.
func (w waiters) compete() bool {
	waiting, moved := 0.0, 0.0
	for _, p := range w.list {
		if p.bulk {
			waiting += p.waiting
			moved += moves(p.Process)
		}
	}
	return waiting > oneStream.Value && moved <= sameDisk.Value*w.disk
}

// suffer are those for which the time of a request matters.
func (w waiters) suffer() []waiter {
	if w.compete() {
		return w.list
	}
	return slices.DeleteFunc(slices.Clone(w.list), func(p waiter) bool { return p.bulk })
}

// victims is the mean number of threads that waited and for which the time of
// a request matters.
func (w waiters) victims() float64 {
	n := 0.0
	for _, p := range w.suffer() {
		n += p.waiting
	}
	return n
}

// lost is how many of the victims wait for this disk rather than for requests of others, at least,
// if each waits for a request of its own.
func (w waiters) lost(d view.BlockDevice) float64 {
	if w.other.queue == 0 {
		return w.victims()
	}
	return max(min(w.victims()-w.other.queue, max(d.Queue, float64(d.InFlight))), 0)
}

// elsewhere says whether all victims may wait for other disks: many threads can wait for one
// request, as for that of a journal.
func (w waiters) elsewhere() bool {
	here := 0.0
	for _, p := range w.suffer() {
		here += p.here
	}
	return w.other.queue > 0 && here < minWaiting.Value
}

func (w waiters) total() float64 {
	n := 0.0
	for _, p := range w.list {
		n += p.waiting + p.dirty
	}
	return n
}

// issuer is the program that moved most bytes, if it can be told: other disks cannot have moved
// most of them, and they are a fair part of what this one did. Processes of other containers and
// threads of the kernel, which serve files and virtual machines, are not seen or not counted.
func (w waiters) issuer() (view.Process, bool) {
	if len(w.issuers) == 0 {
		return view.Process{}, false
	}
	top := w.issuers[0]
	return top, w.told || w.moves(top) >= ownStream.Value*moves(top) && !w.small(top)
}

// small says that a program moves too little of what the disk does to be named as its load.
func (w waiters) small(p view.Process) bool {
	share := fileShare.Value
	switch {
	case w.limited:
		return false
	case w.container:
		share = ownStream.Value
	case w.syncs(p):
		share = syncedShare.Value
	}
	return w.moves(p) < share*w.disk
}

// syncs says that a program writes most of what programs move, at a disk that mostly writes, and
// waits most: for small files that are synced, threads of the kernel write several times their
// size, to the journal and to where it is copied from there.
func (w waiters) syncs(p view.Process) bool {
	return w.written >= ownStream.Value*w.disk && view.OrZero(p.WriteBytes) > view.OrZero(p.ReadBytes) && w.moves(p) >= ownStream.Value*w.moved &&
		len(w.list) > 0 && w.list[0].PID == p.PID && w.list[0].here >= minWaiting.Value
}

// most says that a program moves most of what the disk does.
func (w waiters) most(p view.Process) bool { return w.told || w.moves(p) >= ownStream.Value*w.disk }

// crowd says that many programs issue the requests, each a small part of them.
func (w waiters) crowd() bool {
	return len(w.issuers) > 0 && !w.told && w.small(w.issuers[0]) && w.moved >= ownStream.Value*w.disk
}

// blame names the program that moves most of the bytes, and the others of which it was seen
// how long they wait. Nobody is named if the largest part is not clear, or if nobody
// else waits.
func (w waiters) blame() (culprit *view.Entity, victims []rule.Victim) {
	top, ok := w.issuer()
	if !ok || w.moves(top) < ownStream.Value*w.moved {
		return nil, nil
	}
	for _, p := range w.suffer() {
		if p.PID == top.PID || p.here < feltWait.Value {
			continue
		}
		victims = append(victims, rule.Victim{Who: p.Process.Entity(), Seconds: p.here, Lost: rule.T("waits for the disk %v per second", unit.Seconds(p.here))})
	}
	if victims != nil {
		e := top.Entity()
		culprit = &e
	}
	return culprit, victims
}

// mentioned is how many programs evidence names.
const mentioned = 3

func (w waiters) evidence() []rule.Evidence {
	var list []rule.Evidence
	for i, p := range w.list {
		if i == mentioned || p.waiting < 0.05 {
			break
		}
		where := ""
		if p.where != "" {
			where = ", in " + p.where
		}
		list = append(list, rule.Evidence{
			Metric: metric.ProcessDiskWait, What: rule.T("%s (%d): %s threads waiting for disk on average%s", p.Comm, p.PID, unit.Number(p.waiting), where),
			Value: p.waiting, Check: shell.Line("ps -L -o tid,stat,wchan:30,comm -p %d", p.PID),
		})
	}
	for i, p := range w.issuers {
		if i == mentioned || i > 0 && w.moves(p) < 0.05*w.moved {
			break
		}
		list = append(list, rule.Evidence{
			Metric: metric.ProcessIOBytes, What: rule.T("%s (%d) reads %s/s and writes %s/s", p.Comm, p.PID, unit.Bytes(view.OrZero(p.ReadBytes)), unit.Bytes(view.OrZero(p.WriteBytes))),
			Value: moves(p), Check: shell.Line("pidstat -d -p %d 1", p.PID),
		})
	}
	if w.other.queue > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.DiskQueue, What: rule.T("other disks have %s requests in flight on average", unit.Number(w.other.queue)),
			Value: w.other.queue, Check: shell.Line("iostat -dx 1   # aqu-sz"),
		})
	}
	if w.blocked > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.SchedBlocked, What: rule.T("%s tasks of the host wait for I/O on average", unit.Number(w.blocked)),
			Value: w.blocked, Check: shell.Line("vmstat 1 5   # column b"),
		})
	}
	if w.pressure > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.PressureIO, What: rule.T("tasks were stalled on I/O %s of the time", unit.Share(w.pressure)),
			Value: w.pressure,
		})
	}
	return list
}

// blockedTasks is how many tasks of the host waited for I/O on average: as the kernel counts
// them, or at least one for each CPU that was idle because of it.
func blockedTasks(v *view.View) float64 {
	if s, ok := v.Scheduler(); ok && view.Known(s.Blocked) {
		return s.Blocked
	}
	if total, ok := v.CPUTotal(); ok {
		return total.IOWait * float64(v.CPUCount())
	}
	return view.Unknown
}

// ioPressure is the share of the window in which at least one task was stalled
// on I/O.
func ioPressure(v *view.View) float64 {
	rows := slices.DeleteFunc(slices.Clone(view.Rows[recording.PressureSample](v)), func(s recording.PressureSample) bool { return s.Resource != "io" })
	return min(view.Rate(v, rows, func(s recording.PressureSample) float64 { return s.Some.Seconds() }), 1)
}
