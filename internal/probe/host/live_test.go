package host

import (
	"os"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// TestLive reads the machine the test runs on.
func TestLive(t *testing.T) {
	if _, err := os.Stat("/proc/diskstats"); err != nil {
		t.Skip("needs /proc of Linux")
	}
	p := New(FS{})
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	r := recording.New(recording.Manifest{})
	for range 2 {
		w := recording.NewWriter(time.Now())
		if err := p.Sample(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		if err := r.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range r.Tables() {
		t.Logf("%s: %d rows", table, r.Count(table))
	}
	for _, note := range recording.Rows[recording.UnseenNote](r) {
		t.Logf("unseen: %+v", note)
	}
	cpus := recording.Rows[recording.CPUSample](r)
	if len(cpus) < 4 {
		t.Fatalf("%d CPU rows in two samples", len(cpus))
	}
	if first, last := cpus[0], cpus[len(cpus)/2]; last.Idle < first.Idle || first.Idle == 0 {
		t.Errorf("idle time of all CPUs went from %v to %v", first.Idle, last.Idle)
	}
	if memory := recording.Rows[recording.MemorySample](r); len(memory) != 2 || memory[0].Total <= memory[0].Free {
		t.Errorf("memory %+v", memory)
	}
	if h := Identify(FS{}); h.CPUs < 1 || h.Kernel == "" || h.MemoryBytes <= 0 || h.NetNS == 0 || time.Since(h.Boot) <= 0 {
		t.Errorf("identity %+v", h)
	} else {
		t.Logf("%+v", h)
	}
}
