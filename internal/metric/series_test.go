package metric

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

var start = time.Date(2026, 1, 2, 14, 2, 10, 0, time.UTC)

func at(second int) time.Time { return start.Add(time.Duration(second) * time.Second) }

func viewOf[T recording.Row](t *testing.T, rows ...T) *view.View {
	t.Helper()
	rec := recording.New(recording.Manifest{Host: recording.Host{CPUs: 2}})
	w := recording.NewWriter(start)
	recording.Append(w, rows...)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return view.New(rec, start, at(10))
}

func TestCounterHasNoPointWhereItIsNotKnown(t *testing.T) {
	v := viewOf(t,
		recording.SystemSample{At: at(0), Forks: 100},
		recording.SystemSample{At: at(1), Forks: 110},
		recording.SystemSample{At: at(3), Forks: 150},
		recording.SystemSample{At: at(4), Forks: 5}, // reset: what was counted since is not known
		recording.SystemSample{At: at(5), Forks: 9},
		recording.SystemSample{At: at(11), Forks: 99}) // behind the window
	want := []Series{{Points: []Point{{at(1), 10}, {at(3), 20}, {at(5), 4}}}}
	if diff := cmp.Diff(want, SchedForks.Series.Read(v)); diff != "" {
		t.Error(diff)
	}
	if got := SchedForks.Series.Read(viewOf(t, recording.SystemSample{At: at(0), Forks: 100})); len(got) > 0 {
		t.Errorf("a rate of one reading: %v", got)
	}
}

func TestGaugeOfProcesses(t *testing.T) {
	v := viewOf(t,
		recording.ProcessSample{At: at(0), PID: 7, Comm: "mysqld", RSS: 100, User: time.Second},
		recording.ProcessSample{At: at(0), PID: 12, Comm: "nginx", RSS: 5},
		recording.ProcessSample{At: at(1), PID: 7, Comm: "mysqld", RSS: recording.Unknown, User: 2 * time.Second, System: time.Second},
		recording.ProcessSample{At: at(2), PID: 7, Comm: "mysqld", RSS: 0, User: 2 * time.Second, System: time.Second})
	want := []Series{
		{Labels: []string{"12", "nginx"}, Points: []Point{{at(0), 5}}},
		{Labels: []string{"7", "mysqld"}, Points: []Point{{at(0), 100}, {at(2), 0}}}, // 0 is read, Unknown is not
	}
	if diff := cmp.Diff(want, ProcessRss.Series.Read(v)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Series{{Labels: []string{"7", "mysqld"}, Points: []Point{{at(1), 2}, {at(2), 0}}}}, ProcessCPU.Series.Read(v)); diff != "" {
		t.Error(diff)
	}
}

func TestSeriesOfOneResource(t *testing.T) {
	v := viewOf(t,
		recording.PressureSample{At: at(0), Resource: "cpu"},
		recording.PressureSample{At: at(0), Resource: "memory", Some: time.Hour},
		recording.PressureSample{At: at(2), Resource: "cpu", Some: time.Second},
		recording.PressureSample{At: at(2), Resource: "memory", Some: time.Hour})
	if diff := cmp.Diff([]Series{{Points: []Point{{at(2), 0.5}}}}, PressureCPUSome.Series.Read(v)); diff != "" {
		t.Error(diff)
	}
}

func TestSharesOfCPUs(t *testing.T) {
	v := viewOf(t,
		recording.CPUSample{At: at(0), CPU: -1},
		recording.CPUSample{At: at(0), CPU: 0},
		recording.CPUSample{At: at(0), CPU: 1},
		recording.CPUSample{At: at(1), CPU: -1, User: 500 * time.Millisecond, Nice: 100 * time.Millisecond, Idle: 1400 * time.Millisecond},
		recording.CPUSample{At: at(1), CPU: 0, User: 500 * time.Millisecond, Nice: 100 * time.Millisecond, Idle: 400 * time.Millisecond},
		recording.CPUSample{At: at(1), CPU: 1, Idle: time.Second},
		// CPU 1 goes offline: the sum has its idle time since boot.
		recording.CPUSample{At: at(2), CPU: -1, User: 500 * time.Millisecond, Nice: 100 * time.Millisecond, Idle: 10 * time.Hour},
		recording.CPUSample{At: at(2), CPU: 0, User: 500 * time.Millisecond, Nice: 100 * time.Millisecond, Idle: 1400 * time.Millisecond})
	for m, want := range map[*Metric]float64{CPUUser: 0.3, CPUIdle: 0.7, CPUSystem: 0} {
		points := 2
		if m == CPUIdle {
			points = 1
		}
		got := m.Series.Read(v)
		if len(got) != 1 || len(got[0].Points) != points || math.Abs(got[0].Points[0].Value-want) > 1e-9 {
			t.Errorf("%s: %v, want %d points, the first of %v", m.ID, got, points, want)
		}
	}
}

// TestSeriesFitTheirLabels: a value for each label, of evidence that has nothing, too.
func TestSeriesFitTheirLabels(t *testing.T) {
	empty := view.New(recording.New(recording.Manifest{}), start, at(10))
	full := viewOf(t, recording.DiskSample{At: at(0), Device: "vda"}, recording.DiskSample{At: at(1), Device: "vda", Busy: time.Second})
	series := 0
	for _, m := range All() {
		if m.Series == nil {
			continue
		}
		series++
		if got := m.Series.Read(empty); len(got) > 0 {
			t.Errorf("%s: %v of no evidence", m.ID, got)
		}
		for _, s := range m.Series.Read(full) {
			if len(s.Labels) != len(m.Labels) {
				t.Errorf("%s: labels %v, values %v", m.ID, m.Labels, s.Labels)
			}
		}
	}
	if series < 30 {
		t.Errorf("only %d metrics have a series", series)
	}
}
