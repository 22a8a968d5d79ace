package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/rule/ruletest"
)

// compared runs diff and wants an answer.
func compared(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(append([]string{"diff", "--for", "6s"}, args...), &out, &errs); code != exitOK {
		t.Fatalf("diff %q exits with %d: %s", args, code, errs.String())
	}
	return out.String()
}

// kept is a recording on disk of a host.
func kept(t *testing.T, h *ruletest.Host) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "rec")
	if !writeChanged(t, dir, h, 0, nil) {
		t.Fatal("it is not written")
	}
	return dir
}

func TestDiff(t *testing.T) {
	good := kept(t, busyHost().System(ruletest.System{ContextSwitches: 1000}))
	bad := kept(t, busyHost().System(ruletest.System{ContextSwitches: 9000}).Process(ruletest.Process{PID: 77, Comm: "batch", CPU: 0.5}))
	text := compared(t, bad, good)
	for _, want := range []string{"PER second, first against second", "9× more  context switches  this host  9,000   1,000", "batch: only in the first, 1 process, 0.5 cores", "no setting that both recordings hold differs", "\nFIRST        ", "\nSECOND       "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if same := compared(t, good, kept(t, busyHost().System(ruletest.System{ContextSwitches: 1100}))); !strings.Contains(same, "SAME") {
		t.Errorf("a tenth more is told:\n%s", same)
	}
	var c report.Comparison
	if err := json.Unmarshal([]byte(compared(t, "--json", good, bad)), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Changes) != 1 || c.Changes[0].ID != "sched.switches" || c.Changes[0].First != 1000 || c.Changes[0].Second != 9000 || len(c.Processes) != 1 || c.Processes[0].SecondCount != 1 {
		t.Errorf("%+v", c)
	}
}

// The first finding of each side stands above what differs.
func TestDiffTellsFindings(t *testing.T) {
	full := func() string {
		h := ruletest.New(2, 10).Memory(8<<30, 1<<30, 0).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 48 << 20, MemoryMax: 48 << 20, OOMKills: 0.1})
		h.Manifest(func(m *recording.Manifest) {
			m.Probes = []recording.ProbeInfo{{Name: "klog", Fills: []recording.Table{recording.KernelLog}}}
		})
		return kept(t, h.Log(9, "Memory cgroup out of memory: Killed process 10 (busy) total-vm:129432kB, anon-rss:47744kB, file-rss:1892kB, shmem-rss:0kB, UID:0 pgtables:220kB oom_score_adj:0"))
	}
	first, second := full(), full()
	text := compared(t, first, second)
	var c report.Comparison
	if err := json.Unmarshal([]byte(compared(t, "--json", first, second)), &c); err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(text), " ") // lines are broken
	for _, side := range []report.ComparisonSide{c.First, c.Second} {
		if side.Finding == nil || side.Findings == 0 || side.Finding.Rank != 1 || !strings.Contains(words, side.Finding.Confidence+", "+side.Finding.Rule+": "+side.Finding.Headline) {
			t.Errorf("%d findings, the first is %+v in\n%s", side.Findings, side.Finding, text)
		}
	}
}

// Of MySQL, response times of statements are compared, which are read around the windows.
func TestDiffMySQL(t *testing.T) {
	server := func(took time.Duration, syncs float64) string {
		return kept(t, busyHost().MySQL(ruletest.MySQL{Rates: map[string]float64{"Questions": 2000, "Com_insert": 100, "Innodb_data_fsyncs": syncs},
			Digests: []recording.MySQLStatement{{Text: "SELECT a", Count: 1000, Took: took}}}))
	}
	bad, good := server(500*time.Millisecond, 1500), server(100*time.Millisecond, 100)
	text := compared(t, bad, good)
	for _, want := range []string{"PER MySQL transaction, first against second", "15× more  fsyncs by InnoDB", "5× more  response time of the statement, mean  SELECT a", "100 MySQL transactions a second"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if words := strings.Join(strings.Fields(text), " "); !strings.Contains(words, "time waited for row locks, requests in packets") {
		t.Errorf("what was not compared is missing in\n%s", text)
	}
	var c report.Comparison
	if err := json.Unmarshal([]byte(compared(t, "--json", bad, good)), &c); err != nil {
		t.Fatal(err)
	}
	per := map[string]string{}
	for _, x := range c.Changes {
		per[x.ID] = x.Per
	}
	if per["mysql.fsyncs"] != "MySQL transaction" || per["statement.response-time"] != "execution" {
		t.Errorf("%v", per)
	}
}

// A file may have an @ in its name.
func TestSplitMoment(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ arg, path, at string }{
		{"night.rtr@03:00", "night.rtr", "03:00"}, {"a@b.rtr@-5m", "a@b.rtr", "-5m"}, {"night.rtr", "night.rtr", ""}, {"@03:00", "@03:00", ""}, {dir, dir, ""},
	} {
		if path, at := splitMoment(c.arg); path != c.path || at != c.at {
			t.Errorf("%s is %s at %s", c.arg, path, at)
		}
	}
}
