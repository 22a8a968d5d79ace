package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Time of which a report tells nothing is in no rate of its tables, and in each rate of others.
func TestCovered(t *testing.T) {
	hole := func(from, to float64, counted bool) recording.Hole {
		return recording.Hole{From: at(from), To: at(to), Counted: counted}
	}
	v := New(recording.New(recording.Manifest{Probes: []recording.ProbeInfo{
		{Name: "iostat", Fills: []recording.Table{recording.Disks, recording.CPUs}, Holes: []recording.Hole{hole(10, 20, false), hole(30, 31, false), hole(40, 70, false)}},
		{Name: "archive", Fills: []recording.Table{recording.System}, Holes: []recording.Hole{hole(10, 20, true)}},
		{Name: "top", Fills: []recording.Table{recording.Processes}},
	}}), at(0), at(100))
	for _, c := range []struct {
		table          recording.Table
		from, to, want float64
	}{
		{recording.Disks, 0, 100, 59}, {recording.CPUs, 0, 100, 59}, {recording.Disks, 0, 9, 9}, {recording.Disks, 10, 20, 0}, {recording.Disks, 10, 21, 1},
		{recording.Disks, 20, 40, 19}, {recording.Disks, 20, 30, 10}, {recording.Disks, 70, 80, 10}, {recording.Disks, 31, 71, 10}, {recording.Disks, 12, 15, 3},
		{recording.System, 0, 100, 100}, {recording.Processes, 0, 100, 100}, {recording.Memory, 0, 100, 100},
	} {
		if got := v.Covered(c.table, at(c.from), at(c.to)); got.Seconds() != c.want {
			t.Errorf("%s from %v to %v: %v, want %v s", c.table, c.from, c.to, got, c.want)
		}
	}
	if got := Covered(v, []recording.DiskSample{{At: at(5)}, {At: at(25)}}); got != 10*time.Second {
		t.Errorf("two rows cover %v", got)
	}
	if got := Covered(v, []recording.DiskSample{{At: at(5)}}); got != 0 {
		t.Errorf("one row covers %v", got)
	}
}
