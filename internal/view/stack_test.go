package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rtrail/internal/recording"
)

func TestStackWaits(t *testing.T) {
	at := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	row := func(frames, object string, count int64) recording.StackSample {
		return recording.StackSample{
			At: at, Source: "a.txt", Kind: recording.StackDump, PID: 812, Process: "mysqld", TID: 1,
			Frames: frames, Object: object, Count: count, Samples: 2,
		}
	}
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(at)
	recording.Append(w,
		row("__lll_lock_wait;pthread_mutex_lock;open_table;do_command", "table_cache_manager", 60),
		row("__lll_lock_wait;pthread_mutex_lock;Table_cache::lock;open_table;do_command", "0x1", 20),
		row("poll;vio_io_wait;vio_read;my_net_read;do_command", "", 200),
		row("work;do_command", "", 20),
	)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, time.Time{}, time.Time{})
	type short struct {
		ID            string
		Threads, Busy int
		Share         float64
		Object        string
	}
	var got []short
	for _, w := range v.StackWaits() {
		got = append(got, short{w.ID, w.Threads, w.BusyThreads, w.Share, w.Object})
	}
	want := []short{
		{"mysql/table-cache-mutex", 40, 50, 0.8, "table_cache_manager"},
		{"", 10, 50, 0.2, ""},
		{"mysql/idle-connection", 100, 50, 0, ""},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	processes := []StackProcess{{Process: "mysqld", PID: 812, Source: "a.txt", Evidence: "dump", Dumps: 2, Threads: 150, Busy: 50, Known: 40}}
	if diff := cmp.Diff(processes, v.StackProcesses()); diff != "" {
		t.Errorf("processes (-want +got):\n%s", diff)
	}
}
