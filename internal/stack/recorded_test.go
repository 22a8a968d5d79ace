package stack

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Samples and waits of a recording become stacks with counts, and the time that
// counts stand for.
func TestRecorded(t *testing.T) {
	at, every := time.Unix(100, 0), time.Second/49
	p := Recorded("host",
		[]recording.OnCPUSample{
			{At: at, Span: 10 * time.Second, Every: every, PID: 1, Process: "a", Stack: "hot;main", Samples: 5},
			{At: at.Add(10 * time.Second), Span: 10 * time.Second, Every: every, PID: 1, Process: "a", Stack: "hot;main", Samples: 2},
			{At: at, Span: 10 * time.Second, Every: every, PID: 2, Process: "b", Samples: 1},
		},
		[]recording.OffCPUWait{
			{At: at, Span: 10 * time.Second, PID: 1, TID: 3, Process: "a", Thread: "w", State: "S", Stack: "futex_wait", UserStack: "lock;main", Waited: 2 * time.Second},
			{At: at, Span: 10 * time.Second, PID: 1, TID: 3, Process: "a", Thread: "w", State: "R", Waited: time.Second},
		})
	if len(p.Sources) != 2 || p.Sources[0].Samples != 8 || p.Sources[0].Every != every || p.Sources[0].Length != 20*time.Second || p.Sources[0].At != at.Add(-10*time.Second) {
		t.Fatalf("sources: %+v", p.Sources)
	}
	if p.Timed(recording.StackOnCPU) || !p.Timed(recording.StackOffCPU) {
		t.Error("waits are times, samples are not")
	}
	got := map[string]int64{}
	for _, s := range p.Stacks {
		got[s.Kind+" "+s.Process+" "+s.Frames[0]] = s.Count
		if s.Frames[0] == "futex_wait" && !slices.Equal(s.Frames, []string{"futex_wait", "lock", "main", "w"}) {
			t.Errorf("frames of a wait: %q", s.Frames)
		}
	}
	for k, want := range map[string]int64{"on-cpu a hot": 7, "on-cpu b ?? (several stacks)": 1, "off-cpu a futex_wait": 2000, "off-cpu a runnable, without a CPU": 1000} {
		if got[k] != want {
			t.Errorf("%s: %d, want %d: %v", k, got[k], want, got)
		}
	}
	if p := Recorded("host", nil, nil); len(p.Stacks)+len(p.Sources) != 0 {
		t.Errorf("of nothing: %+v", p)
	}
}
