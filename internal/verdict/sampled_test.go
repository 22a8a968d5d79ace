package verdict

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// A source that counted in slices says so, with what all of the time would cost; one that
// counted all of the time, or was detached, does not.
func TestSampled(t *testing.T) {
	at := time.Unix(100, 0)
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(at)
	recording.Append(w,
		recording.EventProgram{At: at, Probe: "syscalls", Program: "left", Span: 10 * time.Second, Attached: time.Second, RunTime: 60 * time.Millisecond, Runs: 1},
		recording.EventProgram{At: at, Probe: "files", Program: "file_used", Span: 10 * time.Second, Attached: 10 * time.Second, RunTime: 60 * time.Millisecond, Runs: 1},
		recording.EventProgram{At: at, Probe: "exec", Program: "forked", Attached: 10 * time.Second, RunTime: 60 * time.Millisecond, Runs: 1},
		recording.EventProgram{At: at, Probe: "sync", Program: "sync_left", Span: 10 * time.Second, Attached: time.Second, RunTime: time.Second, Runs: 1, Stopped: true},
	)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	got := sampledIn(view.New(rec, at.Add(-10*time.Second), at.Add(time.Second)))
	if len(got) != 1 || got[0].Probe != "syscalls" || !strings.Contains(got[0].Why, "10 % of the window") || !strings.Contains(got[0].Why, "would cost 6.0 % of a core (BPF program left)") {
		t.Errorf("got %+v", got)
	}
}
