package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// usualGC is Go's default: how much garbage may pile up beside what is in use,
	// in percent of it (GOGC).
	usualGC = 100
	// watchHeap is up to where the heap grows without collections while this host
	// is watched, in bytes. Evidence of some MB is collected again and again
	// otherwise, for little garbage, and verdict or sealing need that much in the
	// end.
	watchHeap = 48 << 20
	// leastHeap is up to where Go's heap grows at usualGC; it grows with GOGC
	// (heapMinimum of Go's runtime).
	leastHeap = 4 << 20
)

// percentToWatch is how much garbage may pile up beside so many bytes in use
// while this host is watched.
func percentToWatch(live uint64) int {
	const most = watchHeap * usualGC / leastHeap
	if live == 0 {
		return most
	}
	return int(min(max(100*(watchHeap-min(live, watchHeap))/live, usualGC), most))
}

// collectBy makes percent, which is told how many bytes are in use, say when
// garbage is collected for the rest of the process, unless its user has said how
// it shall be (environ(7), GOGC or GOMEMLIMIT). It is told 0 until that is known.
func collectBy(percent func(live uint64) int) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(percent(0))
	afterEachGC(func() { debug.SetGCPercent(percent(liveHeap())) })
}

// afterEachGC calls f when garbage was collected: an object that nobody uses is
// found by every collection.
func afterEachGC(f func()) {
	// The object holds a pointer, as tiny objects without share their memory.
	unused := new([]*byte)
	runtime.AddCleanup(unused, func(f func()) {
		f()
		afterEachGC(f)
	}, f)
}

// liveHeap is how many bytes the last collection found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
