package catalogue

import (
	"fmt"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// A CPU, a disk and a network card that go and come back are no fault, and what they counted
// before is of no window: the CPU goes on counting where it was, but for idle time on kernels
// before 6.8, the devices from 0.
func TestHotplug(t *testing.T) {
	const gone, back, end = 6, 12, 20 // seconds
	h := ruletest.New(4, end).System(ruletest.System{Running: 1, Load1: 0.5, ContextSwitches: 2000, Interrupts: 1500, Tasks: 200})
	there := func(s float64) bool { return s <= gone || s >= back }
	// again is a counter of a device: base is what it counted before the window.
	again := func(base, perSecond, s float64) uint64 {
		if s >= back {
			return uint64(perSecond * (s - back))
		}
		return uint64(base + perSecond*s)
	}
	spent := func(base, share, s float64) time.Duration { return time.Duration(again(base*1e9, share*1e9, s)) }
	h.Readings(func(at time.Time, s float64) {
		for c := range int32(4) {
			booted := 1e5 * float64(c+1) // seconds
			idle := time.Duration((booted + 0.85*s) * 1e9)
			if c == 3 && s >= back {
				idle = time.Duration(0.85 * (s - back) * 1e9)
			}
			if c == 3 && !there(s) {
				continue
			}
			ran := time.Duration((booted + s) * 1e9)
			if c == 3 && s >= back {
				ran -= (back - gone) * time.Second
			}
			ruletest.Add(h, recording.CPUSample{At: at, CPU: c, User: ran / 10, System: ran / 20, Idle: idle})
			ruletest.Add(h, recording.SoftnetSample{At: at, CPU: c, Processed: uint64(1e9*float64(c+1) + 1000*s), Dropped: uint64(booted), Squeezed: uint64(2 * booted)})
			ruletest.Add(h, recording.InterruptSample{At: at, IRQ: "24", Device: "PCI-MSI 1-edge eth1", CPU: c, Count: uint64(1000*booted + 100*s)})
		}
		for c := range int32(4) { // of all possible CPUs
			ruletest.Add(h, recording.SoftIRQSample{At: at, Kind: "NET_RX", CPU: c, Count: uint64(1e8*float64(c+1) + 100*s)})
		}
		if !there(s) {
			return
		}
		ruletest.Add(h, recording.DiskSample{At: at, Device: "sdb", Major: 8, Minor: 16, Errors: 0, Timeouts: 0,
			Reads: again(1e9, 50, s), ReadBytes: again(1e13, 50*4096, s), ReadTime: spent(1e6, 0.02, s),
			Writes: again(1e9, 50, s), WrittenBytes: again(1e13, 50*4096, s), WriteTime: spent(1e6, 0.02, s),
			Busy: spent(1e6, 0.04, s), WeightedQueue: spent(1e6, 0.04, s)})
		ruletest.Add(h, recording.NetDeviceSample{At: at, NetNS: 1, Interface: "eth1", RxBytes: again(1e13, 1e5, s), RxPackets: again(1e10, 100, s),
			TxBytes: again(1e13, 1e5, s), TxPackets: again(1e10, 100, s), RxDropped: again(1e6, 0, s), RxErrors: again(1e6, 0, s), TxDropped: again(1e6, 0, s),
			RxFIFO: again(1e6, 0, s), MTU: 1500, SpeedMbps: 1000, Up: true, Physical: true})
	})
	v := h.View()
	judged := verdict.Judge(v, Rules)
	for _, f := range judged.Findings {
		t.Errorf("%s: %v", f.Rule, f.Headline)
	}
	for _, r := range judged.Unjudged {
		t.Errorf("%s rose by %v", r.Name, r.Count)
	}
	for _, c := range v.CPUs() {
		atMost(t, fmt.Sprintf("CPU %d busy", c.CPU), c.Busy(), 0.3)
	}
	if n := v.CPUCount(); n != 4 {
		t.Errorf("%d CPUs", n)
	}
	for _, s := range v.SoftIRQs() {
		atMost(t, fmt.Sprintf("softirqs on CPU %d", s.CPU), s.PerSecond, 110)
	}
	if len(v.BlockDevices()) != 1 || len(v.Interfaces()) != 1 {
		t.Fatalf("%d disks, %d interfaces", len(v.BlockDevices()), len(v.Interfaces()))
	}
	d, n := v.BlockDevices()[0], v.Interfaces()[0]
	atMost(t, "requests", d.Requests(), 110)
	atMost(t, "bytes of the disk", d.Bytes(), 110*4096)
	atMost(t, "time of a request", d.Await, 0.001)
	atMost(t, "queue of the disk", d.Queue, 0.1)
	atMost(t, "use of the disk", d.Utilisation, 0.1)
	for _, r := range d.Intervals {
		if r.Requests() > 110 {
			t.Errorf("%v requests a second between two readings", r.Requests())
		}
	}
	atMost(t, "packets", n.RxPackets+n.TxPackets, 220)
	atMost(t, "bytes of the card", n.RxBytes+n.TxBytes, 2.2e5)
	if n.Dropped != 0 || n.Errors != 0 {
		t.Errorf("%v packets were dropped, %v were damaged", n.Dropped, n.Errors)
	}
}

// atMost fails unless a number is known, more than nothing and not above a limit.
func atMost(t *testing.T, what string, got, limit float64) {
	t.Helper()
	if got > 0 && got <= limit {
		return
	}
	t.Errorf("%s: %v, want more than 0 and at most %v", what, got, limit)
}
