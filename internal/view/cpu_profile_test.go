package view

import (
	"math"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Functions of several processes and stacks are added up, at the line that most
// samples have.
func TestCPUProfile(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	at := time.Unix(10, 0)
	w := recording.NewWriter(at)
	for _, r := range []recording.OnCPUSample{
		{PID: 1, Function: "hot", Module: "app", Source: "a.c:1", Samples: 3}, {PID: 1, Function: "hot", Module: "app", Source: "a.c:2", Samples: 2, Stack: "hot;main"},
		{PID: 2, Function: "hot", Module: "app", Source: "a.c:2", Samples: 2}, {PID: 2, Function: "copy", Module: "kernel", Kernel: true, Samples: 2},
		{PID: 2, Module: "stripped.so", Samples: 1}, {PID: 3, Function: "other", Samples: 100},
	} {
		r.At, r.Every = at, 20*time.Millisecond
		recording.Append(w, r)
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, time.Unix(0, 0), time.Unix(20, 0))
	got := v.CPUProfile(1, 2)
	if got.Samples != 10 || got.Time != 200*time.Millisecond || len(got.Functions) != 3 {
		t.Fatalf("%+v", got)
	}
	if f := got.Functions[0]; f.Function != "hot" || f.Share != 0.7 || f.Where() != "a.c:2" {
		t.Errorf("first is %+v", f)
	}
	if f := got.Functions[1]; !f.Kernel || f.Where() != "kernel" {
		t.Errorf("second is %+v", f)
	}
	if none := v.CPUProfile(4); none.Samples != 0 || len(none.Functions) != 0 {
		t.Errorf("of nobody: %+v", none)
	}
}

func TestAtLeast(t *testing.T) {
	for _, tc := range []struct {
		samples, all int64
		want         float64
	}{{8, 10, 0.48}, {80, 100, 0.71}, {400, 500, 0.76}, {0, 10, 0}, {10, 10, 0.71}} {
		f := HotFunction{Samples: tc.samples, Share: float64(tc.samples) / float64(tc.all)}
		if got := f.AtLeast(); math.Abs(got-tc.want) > 0.005 {
			t.Errorf("%d of %d: at least %.3f, want %.2f", tc.samples, tc.all, got, tc.want)
		}
	}
}
