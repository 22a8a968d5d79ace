package main

import (
	"runtime"
	"testing"
	"time"
)

func TestPercentToWatch(t *testing.T) {
	for _, tc := range []struct {
		live uint64
		want int
	}{
		{0, 1200},
		{1 << 20, 1200},
		{12 << 20, 300},
		{24 << 20, 100},
		{25 << 20, usualGC},
		{4 << 30, usualGC},
	} {
		if got := percentToWatch(tc.live); got != tc.want {
			t.Errorf("%d MB in use: %d percent, want %d", tc.live>>20, got, tc.want)
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
