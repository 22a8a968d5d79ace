package verdict

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// Waits are listed that somebody ended, of processes that do something.
func TestOffCPUOf(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	at := time.Unix(10, 0)
	w := recording.NewWriter(at)
	add := func(pid int32, waited time.Duration, change func(*recording.OffCPUWait)) {
		row := recording.OffCPUWait{At: at, PID: pid, TID: pid, State: "S", Span: 10 * time.Second, Waited: waited, Stack: "futex_do_wait"}
		change(&row)
		recording.Append(w, row)
	}
	add(1, 10*time.Second, func(*recording.OffCPUWait) {})
	add(1, 9*time.Second, func(o *recording.OffCPUWait) { o.Interrupt = "timer" })
	add(2, 8*time.Second, func(o *recording.OffCPUWait) { o.Waker = "of an idle process" })
	add(1, 7*time.Second, func(o *recording.OffCPUWait) { o.Waker = "worker" })
	add(1, 6*time.Second, func(o *recording.OffCPUWait) { o.State, o.Stack = "R", "" })
	add(1, 5*time.Second, func(o *recording.OffCPUWait) { o.Interrupt = "block" })
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	list := offCPUOf(view.New(rec, time.Unix(0, 0), time.Unix(20, 0)), []ProcessTime{{PID: 1}})
	var got []time.Duration
	for _, o := range list {
		got = append(got, o.Waited/time.Second)
	}
	if len(got) != 3 || got[0] != 7 || got[1] != 6 || got[2] != 5 {
		t.Errorf("waits of %v seconds, want 7, 6, 5: %+v", got, list)
	}
}
