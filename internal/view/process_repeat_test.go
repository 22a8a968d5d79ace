package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rtrail/internal/recording"
)

// TestSleepingProcesses: processes whose rows repeat others are those of the
// same rows written out, whenever they slept, and in the same order.
func TestSleepingProcesses(t *testing.T) {
	const n = 12
	light := func(row *recording.ProcessSample, at time.Time) recording.ProcessSample {
		again := *row
		if !at.Equal(row.At) {
			again.At, again.Full, again.BlockDelay = at, false, recording.Unknown
		}
		return again
	}
	// Each letter is a sample: f has a full row with growing counters, l a light
	// one, r repeats the row before.
	lives := []string{"frrrrrrrrrrr", "ffrrrrrrfrrr", "frrfrrrlrrrr", "lrrrrrrrrrrf", "lrfrlrfrlrrr", "ffffffffffff", "f", "frr"}
	rows := make([][]recording.ProcessSample, len(lives))
	repeated, written := recording.New(recording.Manifest{}), recording.New(recording.Manifest{})
	for second := range n {
		a, b := recording.NewWriter(at(float64(second))), recording.NewWriter(at(float64(second)))
		var again []recording.Again[recording.ProcessSample]
		for i, life := range lives {
			if second >= len(life) {
				continue
			}
			if life[second] != 'r' {
				counted := int64((second + 1) * (i + 1))
				row := recording.ProcessSample{At: at(float64(second)), PID: int32(i), Started: t0.Add(-time.Hour), Full: life[second] == 'f',
					User: time.Duration(counted) * time.Millisecond, RunDelay: time.Duration(counted), BlockDelay: time.Duration(counted), ReadBytes: counted}
				if !row.Full {
					row.BlockDelay = recording.Unknown
				}
				rows[i] = append(rows[i], row)
			}
			last := rows[i][len(rows[i])-1]
			when := at(float64(second))
			again = append(again, recording.Again[recording.ProcessSample]{Row: &rows[i][len(rows[i])-1], At: when})
			recording.Append(b, light(&last, when))
		}
		recording.Repeat(a, again, light)
		for sink, w := range map[*recording.Recording]*recording.Writer{repeated: a, written: b} {
			if err := sink.Commit(w); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, want := New(repeated, at(0), at(60)).Processes(), New(written, at(0), at(60)).Processes()
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.IgnoreFields(Process{}, "Samples")); diff != "" {
		t.Errorf("-written out, +repeated\n%s", diff)
	}
	if got[0].PID != 5 || got[1].PID != 3 {
		t.Errorf("the busiest are %d and %d, want 5 and 3", got[0].PID, got[1].PID)
	}
}

// TestArrange: every order of four.
func TestArrange(t *testing.T) {
	for code := range 4 * 4 * 4 * 4 {
		order := []int32{int32(code & 3), int32(code >> 2 & 3), int32(code >> 4 & 3), int32(code >> 6)}
		seen := map[int32]bool{}
		for _, from := range order {
			seen[from] = true
		}
		if len(seen) < len(order) {
			continue
		}
		list, want := []string{"a", "b", "c", "d"}, make([]string, 4)
		for i, from := range order {
			want[i] = list[from]
		}
		arrange(list, order)
		if diff := cmp.Diff(want, list); diff != "" {
			t.Errorf("order %d\n%s", code, diff)
		}
	}
}

// BenchmarkProcesses: a thousand processes, fifty of which do something.
func BenchmarkProcesses(b *testing.B) {
	light := func(row *recording.ProcessSample, at time.Time) recording.ProcessSample {
		again := *row
		if !at.Equal(row.At) {
			again.At, again.Full = at, false
		}
		return again
	}
	rec := recording.New(recording.Manifest{})
	rows := make([]recording.ProcessSample, 1000)
	for second := range 21 {
		when := at(float64(second))
		w := recording.NewWriter(when)
		var again []recording.Again[recording.ProcessSample]
		for i := range rows {
			if second > 0 && i%20 != 0 {
				again = append(again, recording.Again[recording.ProcessSample]{Row: &rows[i], At: when})
				continue
			}
			rows[i] = recording.ProcessSample{At: when, PID: int32(i), Full: true, User: time.Duration(second*i) * time.Microsecond}
			recording.Append(w, rows[i])
		}
		recording.Repeat(w, again, light)
		if err := rec.Commit(w); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		New(rec, at(0), at(60)).Processes()
	}
}
