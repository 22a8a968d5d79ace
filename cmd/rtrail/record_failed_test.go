package main

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// The end of a recording says which probes told nothing for long, also if they came back.
func TestFailedProbes(t *testing.T) {
	began := time.Date(2026, 3, 1, 14, 0, 0, 0, time.Local)
	const (
		gone      = "no answer within 1.5s\x1b[2J"
		otherwise = 40 // the second in which there is another reason
	)
	for name, c := range map[string]struct {
		every int // seconds
		last  int // second of the last sample
		fails func(second int) bool
		want  string // "": nothing is said
	}{
		"never":                      {1, 59, func(int) bool { return false }, ""},
		"one sample":                 {1, 59, func(s int) bool { return s == 10 }, ""},
		"now and then":               {1, 59, func(s int) bool { return s%3 == 0 }, ""},
		"the last sample":            {1, 59, func(s int) bool { return s == 59 }, ""},
		"for a while":                {1, 59, func(s int) bool { return s >= 10 && s < 30 }, `probe socket told nothing for 20 s between 2026-03-01 14:00:10 and 2026-03-01 14:00:30, and what it tells is not judged there: no answer within 1.5s\x1b[2J`},
		"from then on":               {1, 59, func(s int) bool { return s >= 30 }, `probe socket told nothing for 30 s between 2026-03-01 14:00:30 and 2026-03-01 14:01:00, and`},
		"from the first one":         {1, 59, func(int) bool { return true }, `probe socket told nothing for 60 s between 2026-03-01 14:00:00 and 2026-03-01 14:01:00, and`},
		"twice, and at times":        {1, 59, func(s int) bool { return s >= 10 && s < 20 || s == 25 || s >= 50 }, `probe socket told nothing for 20 s between 2026-03-01 14:00:10 and 2026-03-01 14:01:00, and`},
		"once for another reason":    {1, 59, func(s int) bool { return s >= 10 && s < 30 || s == otherwise }, `probe socket told nothing for 20 s between 2026-03-01 14:00:10 and 2026-03-01 14:00:30, and what it tells is not judged there: no answer within 1.5s\x1b[2J`},
		"one sample, and none after": {1, 30, func(s int) bool { return s == 30 }, `probe socket told nothing for 30 s between 2026-03-01 14:00:30 and 2026-03-01 14:01:00, and`},
		"one of a slow probe":        {5, 59, func(s int) bool { return s == 10 }, ""},
		"its last one":               {5, 59, func(s int) bool { return s == 55 }, ""},
		"two of it":                  {5, 59, func(s int) bool { return s == 10 || s == 15 }, `probe socket told nothing for 10 s between 2026-03-01 14:00:10 and 2026-03-01 14:00:20, and`},
	} {
		t.Run(name, func(t *testing.T) {
			rec := recording.New(recording.Manifest{})
			samples, n := countSamples(rec, []recording.ProbeInfo{{Name: "socket", Interval: time.Duration(c.every) * time.Second}}), 0
			for s := 0; s <= c.last; s += c.every {
				n += 2
				at := began.Add(time.Duration(s) * time.Second)
				w, other := recording.NewWriter(at), recording.NewWriter(at)
				run := recording.ProbeRun{At: at, Probe: "socket", Rows: 3}
				if c.fails(s) {
					run.Late, run.Rows, run.Error = true, 0, gone
					if s == otherwise {
						run.Error = "interrupted"
					}
				}
				// A sample of one that has rows beside an error, and one of another probe.
				recording.Append(w, recording.ProbeRun{At: at, Probe: "process", Rows: 3, Error: "one file cannot be read"})
				recording.Append(other, run)
				w.Take(other)
				if err := samples.Commit(w); err != nil {
					t.Fatal(err)
				}
			}
			got := strings.Join(samples.failed(began.Add(time.Minute)), "\n")
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if runs := rec.Count(recording.ProbeRuns); runs != n {
				t.Errorf("%d runs were recorded, want %d", runs, n)
			}
		})
	}
}

// A recorder whose probe was given up after its first sample: what was not judged is said.
func TestRecordingOfALostProbe(t *testing.T) {
	for name, c := range map[string]struct {
		lost int // the second from which on the probe is gone
		says bool
	}{
		"from the first sample on": {0, true},
		"in the middle":            {25, true},
		"never":                    {60, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := lostProbe(t, c.lost)
			for _, verb := range []string{"timeline", "replay"} {
				var out, errs strings.Builder
				if code := run([]string{verb, dir}, &out, &errs); code != exitOK {
					t.Fatalf("%s exits with %d: %s", verb, code, errs.String())
				}
				text := strings.Join(strings.Fields(out.String()), " ")
				for _, want := range []string{"not judged in", "without the probe socket: no answer within 1.5 s: given up"} {
					if strings.Contains(text, want) != c.says {
						t.Errorf("%s: %q is there: %v, want %v, in\n%s", verb, want, !c.says, c.says, out.String())
					}
				}
			}
		})
	}
}

// lostProbe is a recording of a minute, in which the probe "socket" hangs from some second on.
func lostProbe(t *testing.T, lost int) string {
	t.Helper()
	start := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	now := start
	dir := t.TempDir() + "/rec"
	d, err := recording.Create(dir, recording.Manifest{Tool: "rtrail test", Started: start,
		Probes: []recording.ProbeInfo{{Name: "host", Fills: []recording.Table{recording.CPUs, recording.System, recording.Protocol}, Interval: time.Second},
			{Name: "socket", Fills: []recording.Table{recording.TCPSockets, recording.Listeners, recording.UDPSockets}, Interval: time.Second}},
		Host: recording.Host{Name: "db", Kernel: "6.1.0", Arch: "amd64", CPUs: 2, MemoryBytes: 8 << 30, PageSize: 4096, Boot: start.Add(-time.Hour), NetNS: 7}},
		recording.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for s := range 60 {
		now = start.Add(time.Duration(s) * time.Second)
		w := recording.NewWriter(now)
		busy := time.Duration(s) * 200 * time.Millisecond
		recording.Append(w, recording.CPUSample{At: now, CPU: -1, User: busy, Idle: time.Duration(s)*2*time.Second - busy})
		recording.Append(w, recording.SystemSample{At: now, Running: 1, Tasks: 100})
		recording.Append(w, recording.ProbeRun{At: now, Probe: "host", Rows: 2})
		switch {
		case s < lost:
			recording.Append(w, recording.ListenerSample{At: now, NetNS: 7, Local: "0.0.0.0", Port: 80, Backlog: 128})
			recording.Append(w, recording.ProbeRun{At: now, Probe: "socket", Rows: 1})
		case s == lost:
			recording.Append(w, recording.ProbeRun{At: now, Probe: "socket", Late: true, Lost: 1, Error: "no answer within 1.5 s: given up"})
		}
		if err := d.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}
