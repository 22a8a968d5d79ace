package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

func TestHasLooksAtTheWindow(t *testing.T) {
	start := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(start)
	recording.Append(w, recording.SystemSample{At: start}, recording.SystemSample{At: start.Add(10 * time.Second)})
	recording.Append(w, recording.SysctlSample{At: start, Name: "kernel.pid_max"})
	recording.Append(w, recording.PacketCapture{At: start, Last: start.Add(4 * time.Second), Interval: start})
	recording.Append(w, recording.PacketStatement{At: start, Interval: start, Fingerprint: "SELECT ?"})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to time.Duration
		table    recording.Table
		want     bool
	}{
		{0, 5 * time.Second, recording.System, true},
		{time.Second, 9 * time.Second, recording.System, false},
		{time.Second, 10 * time.Second, recording.System, true},
		{time.Second, 9 * time.Second, recording.Swaps, false},
		{time.Second, 9 * time.Second, recording.Sysctls, true},
		{time.Second, 9 * time.Second, recording.PacketCaptures, true},
		{5 * time.Second, 9 * time.Second, recording.PacketCaptures, false},
		{4 * time.Second, 9 * time.Second, recording.PacketStatements, true},
		{5 * time.Second, 9 * time.Second, recording.PacketStatements, false},
	} {
		if got := New(rec, start.Add(c.from), start.Add(c.to)).Has(c.table); got != c.want {
			t.Errorf("%s from %v to %v: %v", c.table, c.from, c.to, got)
		}
	}
}
