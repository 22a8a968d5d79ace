package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// rareGC is how much garbage may pile up beside what is in use while files are
	// read, in percent of it (GOGC). At Go's default of 100, a capture of 400,000
	// short connections spends a tenth of its time on collecting: the heap is small
	// and stays so, hence it is collected often. Beyond 400 it is no faster.
	rareGC = 400
	// usualGC is Go's default.
	usualGC = 100
	// roomForGarbage is how far the heap may grow for the sake of rareGC, in bytes.
	// Above, collecting comes more and more often, down to usualGC: with
	// connections in the hundreds of thousands memory is scarcer than time. It is
	// half of what reading 400,000 connections may take (docs/packets.md).
	roomForGarbage = 250 << 20
)

// percentOf is how much garbage may pile up beside so many bytes in use.
func percentOf(live uint64) int {
	if live == 0 {
		return rareGC
	}
	room := 100 * (roomForGarbage - min(live, roomForGarbage)) / live
	return int(min(max(room, usualGC), rareGC))
}

// collectRarely makes garbage collection rarer for the rest of the process,
// unless its user has said how it shall be (environ(7), GOGC or GOMEMLIMIT).
func collectRarely() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(rareGC)
	afterEachGC(func() { debug.SetGCPercent(percentOf(liveHeap())) })
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
