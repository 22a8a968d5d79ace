package main

import (
	"runtime"
	"testing"
	"time"
)

func TestPercentUpTo(t *testing.T) {
	for _, tc := range []struct {
		live             uint64
		toWatch, toJudge int
	}{
		{0, 1200, 1500},
		{1 << 20, 1200, 1500},
		{12 << 20, 300, 400},
		{24 << 20, 100, 150},
		{30 << 20, usualGC, 100},
		{31 << 20, usualGC, usualGC},
		{4 << 30, usualGC, usualGC},
	} {
		if watch, judge := percentToWatch(tc.live), percentToJudge(tc.live); watch != tc.toWatch || judge != tc.toJudge {
			t.Errorf("%d MB in use: %d percent to watch and %d to judge, want %d and %d", tc.live>>20, watch, judge, tc.toWatch, tc.toJudge)
		}
	}
}

func TestAfterEachGC(t *testing.T) {
	calls := make(chan struct{}, 100)
	afterEachGC(func() { calls <- struct{}{} })
	for range 2 {
		runtime.GC()
		select {
		case <-calls:
		case <-time.After(5 * time.Second):
			t.Fatal("not called after a collection")
		}
	}
	if liveHeap() == 0 {
		t.Error("the heap in use is not known")
	}
}
