package disk

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var saturated = rule.Rule{
	ID:       "disk/saturated",
	Title:    "programs wait because a disk has more requests than it can serve",
	Plural:   "disks have more requests than they can serve",
	Resource: "disks",
	Needs:    []recording.Table{recording.Disks},
	Columns: []string{"disks.busy_ns", "disks.weighted_queue_ns", "disks.reads", "disks.writes", "disks.read_time_ns", "disks.write_time_ns",
		"disks.read_bytes", "disks.written_bytes"},
	Explains: []string{"disk/slow-sync", "disk/cgroup-throttled", "proc/uninterruptible", "rt/server-slow", "rt/client-slow"},
	HoldsUp:  []string{"mysql/row-lock-wait", "mysql/metadata-lock", "proc/lock-contention"},
	Thresholds: []*rule.Threshold{&busyShare, &waitingQueue, &deepQueue, &slowFlash, &slowSpindle, &mostIntervals, &minWaiting, &atLimit, &bulkRequest,
		&ownStream, &oneStream, &sameDisk, &feltWait, &fileShare, &syncedShare, &cachedReads, &aboveLimit, &groupShare, &burstShare, &burstRequests},
	Detect: detectSaturated,
}

var (
	busyShare = rule.Threshold{Name: "busy-share", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time with requests in flight. Below it the device has pauses in which a queue drains. Utilisation alone proves nothing: a device may serve many requests at once."}
	waitingQueue = rule.Threshold{Name: "waiting-queue", Value: 2.0, Unit: "requests", Source: rule.Judgement,
		Reason: "Mean number of requests in flight. From 2 on, one request waits behind another if the device serves one at a time."}
	deepQueue = rule.Threshold{Name: "deep-queue", Value: 4.0, Unit: "requests", Source: rule.Judgement,
		Reason: "Mean number of requests in flight. At 4, three of them wait, and queueing is most of the latency."}
	slowFlash = rule.Threshold{Name: "slow-flash", Value: 0.010, Unit: "seconds", Source: rule.Judgement,
		Reason: "Time per request. Idle flash and network volumes take 1 to 3 ms at any common request size."}
	slowSpindle = rule.Threshold{Name: "slow-spindle", Value: 0.020, Unit: "seconds", Source: rule.Judgement,
		Reason: "Time per request. An idle spinning disk needs one seek and one rotation, up to 15 ms."}
	mostIntervals = rule.Threshold{Name: "most-intervals", Value: 0.8, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the intervals. The load must last; a single peak does not count."}
	minWaiting = rule.Threshold{Name: "min-waiting", Value: 0.5, Unit: "threads", Source: rule.Judgement,
		Reason: "Mean number of waiting threads. Above it work is delayed. A thread that only reads now and then stays below."}
)

func detectSaturated(v *view.View) ([]rule.Finding, error) {
	return judged(v, func(c candidate) bool { return c.loaded }), nil
}

// judged judges those of the devices that may hold somebody up that are wanted.
func judged(v *view.View, wanted func(candidate) bool) (found []rule.Finding) {
	var devices []candidate
	for _, c := range candidates(v) {
		c.waiting = c.held(v)
		if c.loaded || c.limit != nil { // else they are limits that make nobody wait
			devices = append(devices, c)
		}
	}
	for _, c := range devices {
		if !wanted(c) {
			continue
		}
		w := c.waiting
		c.main, c.mainKnown = w.findMain(v, c.BlockDevice)
		if f, ok := c.judge(v, w, len(devices) > 1); ok {
			f.Evidence = append(f.Evidence, w.filesEvidence(v, c.BlockDevice)...)
			f.Evidence = append(append(f.Evidence, partsOfTime(v, c.Device)...), ofBaseline(v, c.BlockDevice)...)
			found = append(found, f)
		}
	}
	return found
}

// candidates are the devices at which requests queue, and those at which a group reaches a limit.
func candidates(v *view.View) []candidate {
	held, again := heldByCgroup(v), seenAgain(v)
	var devices []candidate
	above := map[string]bool{} // disks whose limit is told with a device on them
	for _, d := range v.BlockDevices() {
		if again[d.Device] {
			continue
		}
		c := candidate{BlockDevice: d, node: d.Device, loaded: loaded(d), limits: held[d.Device]}
		if view.NVMePath(d.Device) {
			c.node = v.WholeDisk(d.Device)
		}
		for _, under := range v.Underlying(d.Device) {
			if len(c.limits) == 0 && (c.loaded || queuesAbove(v, d, held[under])) && len(held[under]) > 0 {
				c.limits, c.below, above[under] = held[under], under, true
			}
		}
		if c.loaded || len(c.limits) > 0 {
			devices = append(devices, c)
		}
	}
	return slices.DeleteFunc(devices, func(c candidate) bool {
		return !c.loaded && (above[c.Device] || c.Requests() == 0 && c.InFlight == 0)
	})
}

// queuesAbove says whether the requests that a limit of a disk below holds back wait in the queue
// of a device.
func queuesAbove(v *view.View, d view.BlockDevice, limits []*ioLimit) bool {
	return slices.ContainsFunc(limits, func(l *ioLimit) bool {
		if l.bursts == nil {
			return d.Queue >= waitingQueue.Value
		}
		queue, ok := queueWhile(diskRows(v)[d.Device], l.during)
		return ok && queue >= waitingQueue.Value
	})
}

// seenAgain are the devices whose queue is that of another one of their stack: volumes, encrypted
// and loop devices of the disk below them, and the disks and paths of the array or multipath above
// them that moves most of what they do.
func seenAgain(v *view.View) map[string]bool {
	again := map[string]bool{}
	for _, d := range v.BlockDevices() {
		isLoaded := loaded(d)
		if !isLoaded && !strings.HasPrefix(d.Device, "loop") {
			continue
		}
		below := loadedBelow(v, d.Device)
		switch {
		case slices.ContainsFunc(v.Underlying(d.Device), func(name string) bool { u, ok := v.BlockDevice(name); return ok && loaded(u) }):
			again[d.Device] = true // a thin pool is made of two devices, of one disk
		case len(below) == 1 && !view.NVMePath(below[0]):
			again[d.Device] = true
		case len(below) > 0 && isLoaded:
			for _, name := range v.Below(d.Device) {
				if u, ok := v.BlockDevice(name); ok && loaded(u) && d.Bytes() >= ownStream.Value*u.Bytes() {
					again[name] = true
				}
			}
		}
	}
	return again
}

// loadedBelow are the nearest devices below one at which requests queue, on each way down.
func loadedBelow(v *view.View, device string) (list []string) {
	seen := map[string]bool{device: true}
	var walk func(string)
	walk = func(at string) {
		for _, name := range v.Lower(at) {
			if seen[name] {
				continue
			}
			seen[name] = true
			if u, ok := v.BlockDevice(name); ok && loaded(u) {
				list = append(list, name)
			} else {
				walk(name)
			}
		}
	}
	walk(device)
	return list
}

// candidate is a device that may hold somebody up.
type candidate struct {
	view.BlockDevice
	node    string // its name in /dev: a path of NVMe has none of its own
	loaded  bool
	limits  []*ioLimit // that groups reach on this device, or on the one below
	below   string     // the device of the limits, if they are not this one's
	limit   *ioLimit   // the one of them that holds somebody up
	waiting waiters    // for that limit, or for the device

	main      usedFile // the file that most of the load goes to
	mainKnown bool
}

// held picks the limit for which most of its group wait, and leaves these. Of a disk with
// a queue it explains that only if others do not more there than the group.
func (c *candidate) held(v *view.View) waiters {
	w, most := diskWaiters(v, c.BlockDevice), waiters{}
	for _, l := range c.limits {
		if c.loaded && (l.bursts != nil || l.value < groupShare.Value*l.of(c.BlockDevice)) {
			continue
		}
		group := w.in(l)
		if l.bursts != nil {
			group = waitersAt(v, c.BlockDevice, otherDisks{}, l.during).in(l)
			// Requests that are held back are in no queue of a disk.
			if w.blind || group.victims()-l.queue*l.part < minWaiting.Value*l.part {
				continue
			}
		}
		if w.blind || len(group.list) > 0 && (c.limit == nil || group.total() > most.total()) {
			c.limit, most = l, group
		}
	}
	switch {
	case c.limit == nil:
		return waitersAt(v, c.BlockDevice, beside(v, c.BlockDevice), nil)
	case w.blind:
		return w
	}
	return most
}

// loaded says that requests queued at a device through most of the window.
func loaded(d view.BlockDevice) bool {
	if !queues(d, d.DiskRates) {
		return false
	}
	n := 0
	for _, i := range d.Intervals {
		if queues(d, i) {
			n++
		}
	}
	return float64(n) >= mostIntervals.Value*float64(len(d.Intervals))
}

func queues(d view.BlockDevice, r view.DiskRates) bool {
	if r.Utilisation < busyShare.Value || r.Queue < waitingQueue.Value {
		return false
	}
	// A device that completes nothing while requests are in flight is as slow
	// as it gets.
	return math.IsNaN(r.Await) || r.Await >= slow(d)
}

func slow(d view.BlockDevice) float64 {
	if d.Rotational {
		return slowSpindle.Value
	}
	return slowFlash.Value
}

func (c candidate) judge(v *view.View, w waiters, ambiguous bool) (rule.Finding, bool) {
	f := rule.Finding{Subject: c.subject()}
	victims := w.lost(c.BlockDevice)
	ambiguous = ambiguous || w.elsewhere()
	part := 1.0
	if c.limit != nil {
		part = c.limit.part
	}
	switch {
	case victims < minWaiting.Value*part && !w.blind:
		// A device that works at its limit for one stream of large requests
		// does its job; writeback of buffered data makes nobody wait.
		if !c.loaded {
			return f, false
		}
		f.Confidence = rule.Possible
	case w.blind:
		// Nobody's waits could be read. Many small requests in a long queue
		// mean that whoever issues them waits; large ones may be writeback.
		if c.loaded && c.RequestSize() < bulkRequest.Value && max(view.OrZero(w.pressure), view.OrZero(w.blocked))-w.other.queue >= minWaiting.Value {
			f.Confidence = rule.Likely
		} else {
			f.Confidence = rule.Possible
		}
	case c.limit != nil || c.Queue >= deepQueue.Value && !ambiguous:
		f.Confidence = rule.Certain
	default:
		f.Confidence = rule.Likely
	}
	lost := max(victims, max(w.total(), view.OrZero(w.pressure), view.OrZero(w.blocked))-w.other.queue)
	if f.Confidence > rule.Possible && !w.blind {
		lost = victims
	}
	f.Impact = rule.Impact{TimeLost: max(lost, 0.01), Text: rule.T("%s threads wait for it at any time", unit.Number(lost))}
	f.Headline = c.headline(w, f.Confidence)
	f.Evidence = c.evidence(w)
	f.Fixes = c.fixes(v, w)
	if !c.loaded {
		f.Notes = append(f.Notes, c.spare(v))
	}
	if f.Confidence > rule.Possible && !ambiguous { // of several disks it is not known which one they wait for
		f.Culprit, f.Victims = w.blame()
	}
	for _, p := range w.list {
		if p.here+p.dirty >= feltWait.Value {
			f.Affects = append(f.Affects, p.Process.Entity())
		}
	}
	return f, true
}

func (c candidate) subject() view.Entity {
	return view.Entity{Kind: view.KindDevice, Name: c.Device, Detail: c.where()}
}

// where says what is on the device: "/var, backed by /srv/disk.img".
func (c candidate) where() string {
	var parts []string
	if len(c.Mounts) > 0 {
		parts = append(parts, c.Mounts[0])
	}
	if c.Backing != "" {
		parts = append(parts, "backed by "+c.Backing)
	}
	return strings.Join(parts, ", ")
}

func (c candidate) headline(w waiters, sure rule.Confidence) rule.Text {
	name := c.Device
	if where := c.where(); where != "" {
		name += " (" + where + ")"
	}
	issuer := "the programs that use it"
	top, known := w.issuer()
	if known {
		issuer = fmt.Sprintf("%s (%d)", top.Comm, top.PID)
	}
	switch {
	case w.blind && c.limit == nil && sure == rule.Possible:
		return rule.T("disk %s is busy all the time with %s; nothing tells whether anybody waits for it", name, issuer)
	case c.limit != nil && len(w.list) > 0 && c.mainKnown:
		return rule.T("I/O on %s is held at the limit of cgroup %s (%s); %s (%d) waits; %s does most of it%s", name, c.limit.path, c.limit, w.list[0].Comm, w.list[0].PID, issuer, c.main.means())
	case c.limit != nil && len(w.list) > 0:
		return rule.T("I/O on %s is held at the limit of cgroup %s (%s); %s (%d) waits", name, c.limit.path, c.limit, w.list[0].Comm, w.list[0].PID)
	case c.limit != nil:
		return rule.T("I/O on %s is held at the limit of cgroup %s (%s)", name, c.limit.path, c.limit)
	case sure == rule.Possible && w.victims() >= minWaiting.Value:
		return rule.T("disk %s is busy all the time with %s; programs that were seen waiting may wait for another disk", name, issuer)
	case sure == rule.Possible:
		return rule.T("disk %s is busy all the time with %s; no other process was seen waiting", name, issuer)
	case w.crowd():
		return rule.T("disk %s is saturated: requests queue; many programs issue them, each a small part", name)
	case !known:
		return rule.T("disk %s is saturated: requests queue; nothing tells which programs issue them", name)
	}
	if c.mainKnown {
		return rule.T("disk %s is saturated: requests queue, %s issues most of them%s", name, issuer, c.main.means())
	}
	part := "most"
	if !w.most(top) {
		part = "a part"
	}
	return rule.T("disk %s is saturated: requests queue, %s issues %s of them", name, issuer, part)
}

func (c candidate) evidence(w waiters) []rule.Evidence {
	check := shell.Line("iostat -dx %s 1", c.Device)
	list := []rule.Evidence{{
		Metric: metric.DiskQueue, What: rule.T("%s requests in flight on average", unit.Number(c.Queue)),
		Value: c.Queue, Limit: rule.Limit(waitingQueue.Value), Check: shell.Line("%s   # aqu-sz", check),
	}}
	if !math.IsNaN(c.Await) {
		list = append(list, rule.Evidence{
			Metric: metric.DiskAwait, What: rule.T("a request takes %s (reads %s, writes %s)", unit.Seconds(c.Await), await(c.ReadAwait), await(c.WriteAwait)),
			Value: c.Await, Limit: rule.Limit(slow(c.BlockDevice)), Check: shell.Line("%s   # r_await, w_await", check),
		})
	}
	list = append(list, rule.Evidence{
		Metric: metric.DiskUtilisation, What: rule.T("busy %s of the time with %s requests of %s, %s/s",
			unit.Share(c.Utilisation), unit.PerSecond(c.Requests()), unit.Bytes(c.RequestSize()), unit.Bytes(c.Bytes())),
		Value: c.Utilisation, Check: shell.Line("%s   # %%util", check),
	})
	if c.limit != nil {
		list = append(list, c.limit.evidence())
	}
	return append(list, w.evidence()...)
}

func await(seconds float64) unit.Seconds {
	if math.IsNaN(seconds) {
		return 0
	}
	return unit.Seconds(seconds)
}

func (c candidate) fixes(v *view.View, w waiters) []rule.Fix {
	var fixes []rule.Fix
	if c.limit != nil {
		fixes = append(fixes, c.limit.lift(v))
	}
	if top, ok := w.issuer(); ok {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("find out what %s (%d) reads and writes, and whether this can wait: a missing index, a debug log, a backup at peak time", top.Comm, top.PID),
			Command:  shell.Line("strace -f -p %d -e trace=desc -yy", top.PID),
			Tradeoff: "strace slows the process down while it is attached",
		})
		if c.limit == nil {
			fixes = append(fixes, rule.Fix{
				Text:     rule.T("slow %s (%d) down so that others get their turn", top.Comm, top.PID),
				Command:  rule.SetProperty(cmp.Or(top.IOCgroup, top.Cgroup), shell.Line("--runtime IOReadBandwidthMax=%s IOWriteBandwidthMax=%s", "/dev/"+c.node+" 20M", "/dev/"+c.node+" 20M")),
				Tradeoff: "it takes longer; on cgroup v1 buffered writes are not held back",
			})
		}
	}
	return append(fixes, rule.Fix{
		Text:     rule.T("move the busiest files to another device, or use a faster one"),
		Tradeoff: "money, and a move of data",
	})
}
