package diff

import (
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// minWait is how long the larger side must wait, in seconds per second: a twentieth of what one
// thread has. With less nobody notices, as rules say, too (cpu/throttled, disk/saturated,
// mem/swapping), and each busy process of a healthy host has some hundredths of run delay, which
// are many times more in one minute than in the next.
const minWait = 0.05

// waitQuantities are of time in which somebody waits, and of what makes them wait. Equal work that
// takes longer differs in nothing else.
var waitQuantities = []*Quantity{diskReadTime, diskWriteTime, diskAwait, runDelay, blockDelay, swapDelay, stolen, throttled,
	cpuPressure, memoryPressure, ioPressure, swappedIn, swappedOut}

var (
	diskReadTime   = &Quantity{ID: "disk.read-time", Name: "time of disk reads in flight", Unit: "s", floor: minWait, waits: true}
	diskWriteTime  = &Quantity{ID: "disk.write-time", Name: "time of disk writes in flight", Unit: "s", floor: minWait, waits: true}
	diskAwait      = &Quantity{ID: "disk.await", Name: "time per disk request, mean of reads and writes", Unit: "s", Per: "disk request", floor: minWait, waits: true, least: "twenty requests to one disk"}
	runDelay       = &Quantity{ID: "sched.run-delay", Name: "time waited for a CPU (run delay)", Unit: "s", floor: minWait, waits: true}
	blockDelay     = &Quantity{ID: "proc.block-delay", Name: "time waited for block I/O", Unit: "s", floor: minWait, waits: true}
	swapDelay      = &Quantity{ID: "proc.swap-delay", Name: "time waited for pages from swap", Unit: "s", floor: minWait, waits: true}
	stolen         = &Quantity{ID: "cpu.steal", Name: "CPU time taken by the hypervisor (steal)", Unit: "s", floor: minWait, waits: true}
	throttled      = &Quantity{ID: "cgroup.throttled", Name: "time stopped at the CPU quota", Unit: "s", floor: minWait, waits: true}
	cpuPressure    = &Quantity{ID: "pressure.cpu", Name: "time in which tasks waited for a CPU (PSI some)", Unit: "s", floor: minWait, waits: true}
	memoryPressure = &Quantity{ID: "pressure.memory", Name: "time in which tasks waited for memory (PSI some)", Unit: "s", floor: minWait, waits: true}
	ioPressure     = &Quantity{ID: "pressure.io", Name: "time in which tasks waited for I/O (PSI some)", Unit: "s", floor: minWait, waits: true}
	// A task waits for each page that comes back, 10 ms on a spinning disk. A tenth of what
	// mem/swapping asks for are cold ones. Pages that go are bytes written: 64 are 256 KiB.
	swappedIn  = &Quantity{ID: "mem.swapped-in", Name: "pages swapped in", floor: 10}
	swappedOut = &Quantity{ID: "mem.swapped-out", Name: "pages swapped out", floor: 64}
)

// waits adds what was waited for in a part. How long each process waited stands with what it did.
func (m *measured) waits(i int, v *view.View) {
	seconds := v.Seconds()
	m.waitsForDisks(i, v)
	m.waitsForCPUs(i, v)
	m.stops(i, v)
	for q, resource := range map[*Quantity]string{cpuPressure: "cpu", memoryPressure: "memory", ioPressure: "io"} {
		if s, ok := v.Stall(resource); ok && tells(v, recording.Pressure, "some_ns") {
			m.add(i, q, "", s.Some*seconds)
		}
	}
	if p, ok := v.Paging(); ok && tells(v, recording.VMStat, "pswpin") && tells(v, recording.VMStat, "pswpout") {
		m.add(i, swappedIn, "", p.SwapInPages*seconds)
		m.add(i, swappedOut, "", p.SwapOut/float64(v.PageSize())*seconds)
	}
}

// waitsForDisks adds how long requests were in flight.
func (m *measured) waitsForDisks(i int, v *view.View) {
	for _, column := range []string{"reads", "writes", "read_time_ns", "write_time_ns"} {
		if !tells(v, recording.Disks, column) {
			return
		}
	}
	seconds := v.Seconds()
	for _, d := range v.BlockDevices() {
		if d.Seconds <= 0 {
			continue
		}
		for _, who := range []string{d.Device, ""} {
			if who == "" && virtual(v, d.Device) {
				continue
			}
			m.add(i, diskReadTime, who, inFlight(d.Reads, d.ReadAwait)*seconds)
			m.add(i, diskWriteTime, who, inFlight(d.Writes, d.WriteAwait)*seconds)
		}
		if n := d.Requests() * seconds; n >= minRequests {
			m.addTo(i, name{quantity: diskAwait, who: d.Device}, d.Await*n, n)
		}
	}
}

// inFlight is how many requests of a kind are in flight at a time.
func inFlight(perSecond, await float64) float64 {
	if perSecond == 0 {
		return 0 // there is no mean of none
	}
	return perSecond * await
}

// waitsForCPUs adds how long all processes waited for a CPU, and what the hypervisor took.
func (m *measured) waitsForCPUs(i int, v *view.View) {
	if !v.Partly(recording.Processes) { // reports list some of them: their sum is not that of the host
		list, delay, known := v.Processes(), 0.0, false
		for j := range list {
			if p := &list[j]; !p.Own && view.Known(p.RunDelay) {
				delay, known = delay+p.RunDelay*p.Seconds, true
			}
		}
		if known {
			m.add(i, runDelay, "", delay)
		}
	}
	if total, ok := v.CPUTotal(); ok && tells(v, recording.CPUs, "steal_ns") {
		m.add(i, stolen, "", total.Steal*v.Seconds()*float64(v.CPUCount()))
	}
}

// stops adds how long control groups were stopped at their CPU quotas.
func (m *measured) stops(i int, v *view.View) {
	if !tells(v, recording.Cgroups, "throttled_time_ns") {
		return
	}
	unified, list := v.Manifest().Host.CgroupVersion == "v2", v.Cgroups()
	for j := range list {
		g := &list[j]
		stopped := g.Throttling * g.Seconds
		if !view.Known(stopped) && view.Known(g.CPU) && unified {
			stopped = 0 // cpu.stat could be read and tells of no quota: the group can have none
		}
		if view.Known(stopped) {
			m.grouped |= 1 << i
			m.addTo(i, name{throttled, g.Path, ofGroup}, stopped, 0)
		}
	}
}
