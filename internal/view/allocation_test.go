package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

func TestSumAllocations(t *testing.T) {
	row := func(at int64, stack string, bytes, freed int64) recording.Allocation {
		return recording.Allocation{At: time.Unix(at, 0), PID: 7, Process: "app", Span: 2 * time.Second, Function: "f", Module: "app", Stack: stack, Blocks: bytes / 10, Bytes: bytes, FreedBlocks: freed / 10, FreedBytes: freed}
	}
	got := SumAllocations([]recording.Allocation{row(2, "f;main", 100, 0), row(2, "g;main", 500, 500), row(4, "f;main", 300, 40), row(4, "old;main", 10, 90), row(6, "f;main", 100, 20)})
	want := []Allocated{
		{PID: 7, Process: "app", Function: "f", Module: "app", Stack: "f;main", Blocks: 50, Bytes: 500, Held: 440, HeldBlocks: 44, Growth: 40},
		{PID: 7, Process: "app", Function: "f", Module: "app", Stack: "g;main", Blocks: 50, Bytes: 500},
		{PID: 7, Process: "app", Function: "f", Module: "app", Stack: "old;main", Blocks: 1, Bytes: 10},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if got := SumAllocations([]recording.Allocation{row(2, "f;main", 100, 0), row(4, "f;main", 300, 40)}); Known(got[0].Growth) {
		t.Errorf("two readings tell no growth: %v", got[0].Growth)
	}
}
