package audit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/audit"
	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// Checks that found nothing because a probe failed have not found that there is nothing.
func TestBlind(t *testing.T) {
	t0 := time.Date(2026, 3, 1, 14, 2, 10, 0, time.UTC)
	socket := recording.ProbeInfo{Name: "socket", Fills: []recording.Table{recording.Listeners, recording.TCPSockets}}
	klog := recording.ProbeInfo{Name: "klog", Fills: []recording.Table{recording.KernelLog}, Missing: "operation not permitted"}
	absent := socket
	absent.Missing = "operation not permitted"
	good, given := recording.ProbeRun{Probe: "socket", Rows: 10}, recording.ProbeRun{Probe: "socket", Late: true, Error: "no answer within 1.5s: given up for this run"}
	other, partly := recording.ProbeRun{Probe: "host", Rows: 10}, recording.ProbeRun{Probe: "socket", Rows: 10, Error: "one namespace cannot be read"}
	lacks := func(t recording.Table) recording.Unread {
		return recording.Unread{Table: t, Why: string(t) + ".parquet is missing"}
	}
	for name, c := range map[string]struct {
		probe  recording.ProbeInfo
		runs   []recording.ProbeRun
		unread []recording.Unread
		want   []string
	}{
		"it ran":                        {socket, []recording.ProbeRun{other, good, good}, nil, nil},
		"it failed at last":             {socket, []recording.ProbeRun{other, good, given}, nil, nil},
		"it failed":                     {socket, []recording.ProbeRun{other, given}, nil, []string{"the probe socket failed: no answer within 1.5s: given up for this run"}},
		"it told rows beside an error":  {socket, []recording.ProbeRun{other, partly, partly}, nil, nil},
		"it had failed before":          {socket, []recording.ProbeRun{other}, nil, []string{"the probe socket did not run in this time"}},
		"it could not start":            {absent, []recording.ProbeRun{other}, nil, []string{"the probe socket did not run: operation not permitted"}},
		"it started late":               {absent, []recording.ProbeRun{other, good}, nil, nil},
		"runs are not told":             {socket, nil, nil, nil},
		"one that no check needs":       {klog, []recording.ProbeRun{other}, nil, nil},
		"a file is missing":             {socket, []recording.ProbeRun{other, good}, []recording.Unread{lacks(recording.Listeners)}, []string{"listeners.parquet is missing"}},
		"a file that no check looks at": {socket, []recording.ProbeRun{other, good}, []recording.Unread{lacks(recording.KernelLog)}, nil},
	} {
		rec := recording.New(recording.Manifest{Probes: []recording.ProbeInfo{c.probe}, Unread: c.unread})
		w := recording.NewWriter(t0)
		for i, r := range c.runs {
			r.At = t0.Add(time.Duration(i) * time.Second)
			recording.Append(w, r)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		report := audit.Of(view.New(rec, t0, t0.Add(10*time.Second)))
		if !slices.Equal(report.Blind, c.want) {
			t.Errorf("%s: %q, want %q", name, report.Blind, c.want)
		}
		d := report.Document(recording.Host{Name: "db1"}, nil, false)
		if lead := d.Blocks[0].(document.Facts).Lead; (lead == "NOTHING TO REMARK") != (c.want == nil) {
			t.Errorf("%s: %q", name, lead)
		}
		noted := slices.ContainsFunc(d.Blocks, func(b document.Block) bool {
			p, ok := b.(document.Prose)
			return ok && p.Label == "NOTE" && (c.want == nil || strings.Contains(p.Words, c.want[0]))
		})
		if noted != (c.want != nil) {
			t.Errorf("%s: noted %v", name, noted)
		}
	}
}

// What could not be read is told where its rows count, as verdicts do.
func TestBlindInTime(t *testing.T) {
	t0 := time.Date(2026, 3, 1, 14, 2, 10, 0, time.UTC)
	for name, c := range map[string]struct {
		table    recording.Table
		from, to time.Duration
		rows     bool // there are others
		told     bool
	}{
		"in this time":                 {recording.Listeners, -time.Minute, time.Minute, false, true},
		"before":                       {recording.Listeners, -2 * time.Minute, -time.Minute, false, false},
		"until it begins":              {recording.Listeners, -2 * time.Minute, 0, false, false},
		"after":                        {recording.Listeners, time.Minute, 2 * time.Minute, false, false},
		"settings, before":             {recording.Sysctls, -2 * time.Minute, -time.Minute, false, true},
		"settings, before, read since": {recording.Sysctls, -2 * time.Minute, -time.Minute, true, false},
		"settings, in this time":       {recording.Sysctls, -time.Minute, time.Minute, true, true},
	} {
		rec := recording.New(recording.Manifest{Unread: []recording.Unread{{Table: c.table, From: t0.Add(c.from), To: t0.Add(c.to), Why: "its file is missing"}}})
		if c.rows {
			w := recording.NewWriter(t0)
			recording.Append(w, recording.SysctlSample{At: t0, Name: "kernel.pid_max", Value: "32768"})
			if err := rec.Commit(w); err != nil {
				t.Fatal(err)
			}
		}
		if blind := audit.Of(view.New(rec, t0, t0.Add(10*time.Second))).Blind; (len(blind) > 0) != c.told {
			t.Errorf("%s: %q, want it told: %v", name, blind, c.told)
		}
	}
}
