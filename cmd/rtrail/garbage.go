package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
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
	// judgeHeap is the same once the watching is over: what is allocated for the
	// verdict ends with the process.
	judgeHeap = 60 << 20
	// minHeap is up to where Go's heap grows at usualGC; it grows with GOGC
	// (heapMinimum of Go's runtime).
	minHeap = 4 << 20
)

// percentToWatch is how much garbage may pile up beside so many bytes in use
// while this host is watched.
func percentToWatch(live uint64) int { return percentUpTo(watchHeap, live) }

// percentToJudge is the same while the verdict on this host is formed.
func percentToJudge(live uint64) int { return percentUpTo(judgeHeap, live) }

// percentUpTo lets the heap grow to so many bytes, whatever is in use, and by
// usualGC beyond that.
func percentUpTo(heap, live uint64) int {
	percent := heap * usualGC / minHeap
	if live == 0 {
		return int(percent)
	}
	return int(min(max(100*(heap-min(live, heap))/live, usualGC), percent))
}

// collectBy makes percent, which is told how many bytes are in use, say when
// garbage is collected from now on, until the next call, unless the user of the
// process has said how it shall be (environ(7), GOGC or GOMEMLIMIT). It is told 0
// until that is known.
func collectBy(percent func(live uint64) int) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	first := collecting.Swap(&percent) == nil
	debug.SetGCPercent(percent(liveHeap()))
	if first {
		afterEachGC(func() { debug.SetGCPercent((*collecting.Load())(liveHeap())) })
	}
}

// collecting is what collectBy was told.
var collecting atomic.Pointer[func(live uint64) int]

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
