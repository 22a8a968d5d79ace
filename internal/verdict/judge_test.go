package verdict

import (
	"maps"
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

var t0 = time.Date(2026, 3, 1, 14, 2, 10, 0, time.UTC)

// evidence is a recording with a probe that fills System, and its runs.
func evidence(t *testing.T, info recording.ProbeInfo, runs ...recording.ProbeRun) *view.View {
	t.Helper()
	info.Name, info.Fills = "host", []recording.Table{recording.System, recording.Swaps}
	rec := recording.New(recording.Manifest{Probes: []recording.ProbeInfo{info}})
	w := recording.NewWriter(t0)
	for i, r := range runs {
		r.At, r.Probe = t0.Add(time.Duration(i)*time.Second), "host"
		recording.Append(w, r)
		if r.Rows > 0 {
			recording.Append(w, recording.SystemSample{At: r.At})
		}
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return view.New(rec, t0, t0.Add(10*time.Second))
}

var good = recording.ProbeRun{Rows: 100}

// finds is a rule with the findings it always has.
func finds(id string, explains []string, found ...rule.Finding) rule.Rule {
	return rule.Rule{ID: id, Title: id, Resource: id[:2], Needs: []recording.Table{recording.System}, Explains: explains,
		Detect: func(*view.View) ([]rule.Finding, error) { return found, nil }}
}

func about(name string, c rule.Confidence, share float64) rule.Finding {
	return rule.Finding{Subject: view.Entity{Kind: view.KindProcess, Name: name, PID: int32(len(name))}, Confidence: c, Impact: rule.Impact{Share: share}}
}

// outline is a verdict's findings as "rule(explained rules)".
func outline(list []Finding) []string {
	var names []string
	for _, f := range list {
		name := f.Rule
		if inner := outline(f.Explains); inner != nil {
			name += "("
			for i, n := range inner {
				if i > 0 {
					name += " "
				}
				name += n
			}
			name += ")"
		}
		names = append(names, name)
	}
	return names
}

func TestRankAndFold(t *testing.T) {
	hostWide := about("disk", rule.Certain, 0.2)
	hostWide.AffectsAll = true
	harms := about("culprit", rule.Likely, 0.1)
	harms.Affects = []view.Entity{about("victim", 0, 0).Subject}
	for name, c := range map[string]struct {
		rules []rule.Rule
		want  []string
	}{
		"by impact": {
			[]rule.Rule{finds("a/a", nil, about("x", rule.Certain, 0.2)), finds("b/b", nil, about("y", rule.Likely, 0.8))},
			[]string{"b/b", "a/a"}},
		"then by confidence": {
			[]rule.Rule{finds("a/a", nil, about("x", rule.Likely, 0.52)), finds("b/b", nil, about("y", rule.Certain, 0.5))},
			[]string{"b/b", "a/a"}},
		"what is only possible comes last": {
			[]rule.Rule{finds("a/a", nil, about("x", rule.Possible, 1)), finds("b/b", nil, about("y", rule.Likely, 0.01))},
			[]string{"b/b", "a/a"}},
		"a symptom of the same subject folds, however big": {
			[]rule.Rule{finds("a/a", []string{"b/b"}, about("x", rule.Likely, 0.1)), finds("b/b", nil, about("x", rule.Certain, 0.9))},
			[]string{"a/a(b/b)"}},
		"another subject does not fold": {
			[]rule.Rule{finds("a/a", []string{"b/b"}, about("x", rule.Likely, 0.1)), finds("b/b", nil, about("yy", rule.Certain, 0.9))},
			[]string{"b/b", "a/a"}},
		"a victim folds": {
			[]rule.Rule{finds("a/a", []string{"b/b"}, harms), finds("b/b", nil, about("victim", rule.Certain, 0.9))},
			[]string{"a/a(b/b)"}},
		"under a cause that affects everybody all fold": {
			[]rule.Rule{finds("a/a", []string{"b/b"}, hostWide), finds("b/b", nil, about("p", rule.Certain, 0.9), about("qq", rule.Certain, 0.9))},
			[]string{"a/a(b/b b/b)"}},
		"a cause weighs what it explains": {
			[]rule.Rule{finds("a/a", []string{"b/b"}, about("x", rule.Likely, 0.1)), finds("b/b", nil, about("x", rule.Certain, 0.9)), finds("c/c", nil, about("yy", rule.Certain, 0.5))},
			[]string{"a/a(b/b)", "c/c"}},
		"but not what is only possible": {
			[]rule.Rule{finds("a/a", []string{"b/b"}, about("x", rule.Likely, 0.1)), finds("b/b", nil, about("x", rule.Possible, 0.9)), finds("c/c", nil, about("yy", rule.Certain, 0.5))},
			[]string{"c/c", "a/a(b/b)"}},
		"a mere possibility explains nothing": {
			[]rule.Rule{finds("a/a", []string{"b/b"}, about("x", rule.Possible, 0.1)), finds("b/b", nil, about("x", rule.Certain, 0.9))},
			[]string{"b/b", "a/a"}},
		"of two that explain each other the first in rank is the cause": {
			[]rule.Rule{finds("a/a", []string{"b/b"}, about("x", rule.Likely, 0.1)), finds("b/b", []string{"a/a"}, about("x", rule.Certain, 0.9))},
			[]string{"b/b(a/a)"}},
		"a chain stays a chain": {
			[]rule.Rule{finds("a/a", []string{"b/b"}, about("x", rule.Likely, 0.1)), finds("b/b", []string{"c/c"}, about("x", rule.Likely, 0.5)),
				finds("c/c", nil, about("x", rule.Likely, 0.9))},
			[]string{"a/a(b/b(c/c))"}},
		"a ring of three keeps one cause": {
			[]rule.Rule{finds("a/a", []string{"b/b"}, about("x", rule.Likely, 0.1)), finds("b/b", []string{"c/c"}, about("x", rule.Likely, 0.5)),
				finds("c/c", []string{"a/a"}, about("x", rule.Likely, 0.9))},
			[]string{"c/c(a/a(b/b))"}},
		"what explains the head of a ring explains the ring": {
			[]rule.Rule{finds("o/o", []string{"c/c"}, about("x", rule.Likely, 0.1)), finds("b/b", []string{"c/c"}, about("x", rule.Likely, 0.5)),
				finds("c/c", []string{"b/b"}, about("x", rule.Likely, 0.9))},
			[]string{"o/o(c/c(b/b))"}},
	} {
		got := outline(Judge(evidence(t, recording.ProbeInfo{}, good, good), c.rules).Findings)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestHealthyAndNotJudged(t *testing.T) {
	silent := finds("ok/a", nil)
	needsCgroups := finds("cg/a", nil)
	needsCgroups.Needs = []recording.Table{recording.Cgroups}
	noSwap := finds("sw/a", nil)
	noSwap.Needs = []recording.Table{recording.Swaps} // empty, but its probe ran
	abstains := finds("ab/a", nil)
	abstains.Detect = func(*view.View) ([]rule.Finding, error) {
		return nil, &rule.NotJudged{Needs: "root", Why: "permission denied", How: shell.Say("run as root")}
	}
	broken := finds("br/a", nil)
	broken.Detect = func(*view.View) ([]rule.Finding, error) { panic("nil pointer") }
	v := Judge(evidence(t, recording.ProbeInfo{}, good, good), []rule.Rule{silent, needsCgroups, noSwap, abstains, broken,
		finds("hi/a", nil, about("x", rule.Certain, 1)), finds("po/a", nil, about("x", rule.Possible, 1))})
	if want := []string{"ok", "sw"}; !slices.Equal(v.Healthy, want) {
		t.Errorf("healthy %v, want %v: what may be sick is not healthy", v.Healthy, want)
	}
	var silenced []string
	for _, n := range v.NotJudged {
		silenced = append(silenced, n.Rule)
	}
	if want := []string{"cg/a", "ab/a", "br/a"}; !slices.Equal(silenced, want) {
		t.Errorf("not judged %v, want %v", silenced, want)
	}
	if n := v.NotJudged[1]; n.Why != "permission denied" || n.How.String() != "run as root" {
		t.Errorf("the rule's own reason is lost: %+v", n)
	}
}

// A finding, and be it a hint, refutes the health of what its rule names, in
// whatever order the rules come; a rule that is silent refutes nothing.
func TestRefutedIsNotHealthy(t *testing.T) {
	path, answers, disks := finds("pa/a", nil), finds("an/a", nil), finds("di/a", nil)
	loss, silent := finds("lo/a", nil, about("x", rule.Possible, 0.1)), finds("si/a", nil)
	loss.Refutes, silent.Refutes = []string{"pa", "an"}, []string{"di"}
	v := Judge(evidence(t, recording.ProbeInfo{}, good, good), []rule.Rule{path, loss, silent, answers, disks})
	if want := []string{"si", "di"}; !slices.Equal(v.Healthy, want) {
		t.Errorf("healthy %v, want %v", v.Healthy, want)
	}
}

func TestMissingProbeIsNotHealth(t *testing.T) {
	r := finds("ok/a", nil)
	v := Judge(evidence(t, recording.ProbeInfo{Missing: "needs CAP_SYSLOG", Remedy: "run as root"}), []rule.Rule{r})
	if len(v.Healthy) != 0 || len(v.NotJudged) != 1 || v.NotJudged[0].How.String() != "run as root" {
		t.Errorf("healthy %v, not judged %+v", v.Healthy, v.NotJudged)
	}
}

func TestLossLowersConfidence(t *testing.T) {
	r := finds("ok/a", nil, about("x", rule.Certain, 1))
	for name, c := range map[string]struct {
		runs []recording.ProbeRun
		want rule.Confidence
	}{
		"no loss":               {[]recording.ProbeRun{good, good}, rule.Certain},
		"a little":              {[]recording.ProbeRun{good, {Rows: 100, Lost: 4}}, rule.Certain},
		"every tenth row":       {[]recording.ProbeRun{good, {Rows: 100, Lost: 20}}, rule.Likely},
		"half of the runs late": {[]recording.ProbeRun{good, {Late: true, Lost: 1}, good, {Late: true, Lost: 1}}, rule.Likely},
	} {
		v := Judge(evidence(t, recording.ProbeInfo{}, c.runs...), []rule.Rule{r})
		if f := v.Findings[0]; f.Confidence != c.want || f.Lossy != (c.want != rule.Certain) {
			t.Errorf("%s: confidence %v, lossy %v; want %v", name, f.Confidence, f.Lossy, c.want)
		}
	}
}

// Rows that one table lacks leave rules of other tables of the same probe as sure as they are.
func TestLossOfOneTable(t *testing.T) {
	rec := recording.New(recording.Manifest{Probes: []recording.ProbeInfo{
		{Name: "socket", Fills: []recording.Table{recording.TCPSockets, recording.Listeners, recording.Conntrack}},
		{Name: "klog", Fills: []recording.Table{recording.KernelLog}, Missing: "operation not permitted"},
	}})
	for s := range 3 {
		w := recording.NewWriter(t0.Add(time.Duration(s) * time.Second))
		recording.Append(w, recording.TCPSample{At: w.Started}, recording.TCPSample{At: w.Started})
		recording.Append(w, recording.ListenerSample{At: w.Started})
		w.LostFrom("socket", recording.TCPSockets, 1000)
		recording.Append(w, recording.ProbeRun{At: w.Started, Probe: "socket", Rows: 3, Lost: w.LostRows()})
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	needs := func(id string, all, either []recording.Table) rule.Rule {
		r := finds(id, nil, about(id, rule.Certain, 1))
		r.Needs, r.NeedsAny = all, either
		return r
	}
	rules := []rule.Rule{
		needs("connections", []recording.Table{recording.Listeners, recording.TCPSockets}, nil),
		needs("listeners", []recording.Table{recording.Listeners, recording.Conntrack}, nil),
		needs("either", nil, []recording.Table{recording.TCPSockets, recording.Listeners}),
		needs("the log or connections", nil, []recording.Table{recording.KernelLog, recording.TCPSockets}),
	}
	v := Judge(view.New(rec, t0, t0.Add(10*time.Second)), rules)
	got := map[string]rule.Confidence{}
	for _, f := range v.Findings {
		got[f.Rule] = f.Confidence
	}
	want := map[string]rule.Confidence{"connections": rule.Likely, "listeners": rule.Certain, "either": rule.Certain, "the log or connections": rule.Likely}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if h := v.Probes[0]; h.Lost != 3000 || h.LostElsewhere != 0 || !slices.Equal(h.LostFrom, []recording.Table{recording.TCPSockets}) {
		t.Errorf("%+v, want 3,000 rows lost of tcp_sockets", h)
	}
}

func TestSilenceOfTheBlindIsNotHealth(t *testing.T) {
	v := evidence(t, recording.ProbeInfo{}, good, good)
	note := func(count int64) recording.UnseenNote {
		return recording.UnseenNote{At: t0.Add(time.Second), Probe: "host", What: "packet filter rules", Count: count, Why: "permission denied", How: "run as root"}
	}
	rec := recording.New(v.Manifest())
	w := recording.NewWriter(t0)
	recording.Append(w, recording.SystemSample{At: t0}, recording.SystemSample{At: t0.Add(time.Second)})
	recording.Append(w, recording.ProbeRun{At: t0, Probe: "host", Rows: 2})
	recording.Append(w, note(1), note(3), note(2))
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	silent, found := finds("si/a", nil), finds("fo/a", nil, about("x", rule.Certain, 1))
	silent.BlindWithout, found.BlindWithout = []recording.Sight{recording.UnseenPacketFilter}, []recording.Sight{recording.UnseenPacketFilter}
	got := Judge(view.New(rec, t0, t0.Add(10*time.Second)), []rule.Rule{silent, found})
	if len(got.Healthy) != 0 || len(got.NotJudged) != 1 || got.NotJudged[0].Rule != "si/a" || got.NotJudged[0].How.String() != "run as root" {
		t.Errorf("healthy %v, not judged %+v: a rule that cannot see and is silent was not judged", got.Healthy, got.NotJudged)
	}
	if len(got.Findings) != 1 {
		t.Errorf("what was found all the same must stay, got %d findings", len(got.Findings))
	}
	if len(got.Unseen) != 1 || got.Unseen[0].Count != 3 {
		t.Errorf("unseen %+v, want one entry with the largest count", got.Unseen)
	}
}

// A table of which rows were recorded and cannot be read is neither health nor "nothing there"; what was found in the
// rest stays, less sure. One that is whole in the window is judged as ever.
func TestUnreadIsNotHealth(t *testing.T) {
	needs := func(id string, tables ...recording.Table) rule.Rule {
		r := finds(id, nil)
		r.Needs = tables
		return r
	}
	found := needs("fo/a", recording.System)
	found.Detect = func(*view.View) ([]rule.Finding, error) {
		return []rule.Finding{about("x", rule.Certain, 1)}, nil
	}
	short := needs("sh/a", recording.System)
	short.Detect = func(*view.View) ([]rule.Finding, error) {
		return nil, &rule.NotJudged{Needs: "two readings", Why: "the window is too short"}
	}
	blind := needs("bl/a", recording.System)
	blind.BlindWithout = []recording.Sight{recording.UnseenKernelLog}
	either := finds("ei/a", nil)
	either.Needs, either.NeedsAny = nil, []recording.Table{recording.Swaps, recording.System}
	rules := []rule.Rule{needs("sy/a", recording.System), needs("sw/a", recording.Swaps), needs("se/a", recording.Sysctls), found, short, blind, either}
	before, after := t0.Add(-10*time.Minute), t0.Add(10*time.Minute)
	for name, c := range map[string]struct {
		unread    []recording.Unread
		notJudged []string
		healthy   []string
		sure      rule.Confidence
	}{
		"none": {nil, []string{"sh/a"}, []string{"sy", "sw", "se", "bl", "ei"}, rule.Certain},
		"a table with other rows": {[]recording.Unread{{Table: recording.System, From: t0.Add(5 * time.Second), To: after}},
			[]string{"sy/a", "sh/a", "bl/a", "ei/a"}, []string{"sw", "se"}, rule.Likely},
		"a table without rows": {[]recording.Unread{{Table: recording.Swaps, From: before}},
			[]string{"sw/a", "sh/a", "ei/a"}, []string{"sy", "se", "bl"}, rule.Certain},
		"before the window": {[]recording.Unread{{Table: recording.System, From: before, To: t0}},
			[]string{"sh/a"}, []string{"sy", "sw", "se", "bl", "ei"}, rule.Certain},
		"after the window": {[]recording.Unread{{Table: recording.System, From: after}},
			[]string{"sh/a"}, []string{"sy", "sw", "se", "bl", "ei"}, rule.Certain},
		"settings, before the window": {[]recording.Unread{{Table: recording.Sysctls, From: before, To: t0}},
			[]string{"se/a", "sh/a"}, []string{"sy", "sw", "bl", "ei"}, rule.Certain},
		"what was not seen": {[]recording.Unread{{Table: recording.Unseen, From: before, To: after}},
			[]string{"sh/a", "bl/a"}, []string{"sy", "sw", "se", "ei"}, rule.Certain},
	} {
		v := evidence(t, recording.ProbeInfo{}, good, good)
		m := v.Manifest()
		m.Probes[0].Fills = append(m.Probes[0].Fills, recording.Sysctls)
		m.Unread = c.unread
		for i := range m.Unread {
			m.Unread[i].Why = "its file is missing"
		}
		rec := recording.New(m)
		w := recording.NewWriter(t0)
		recording.Append(w, view.Rows[recording.SystemSample](v)...)
		recording.Append(w, view.Rows[recording.ProbeRun](v)...)
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		got := Judge(view.New(rec, v.Start(), v.End()), rules)
		var silenced []string
		for _, n := range got.NotJudged {
			silenced = append(silenced, n.Rule)
			if file := n.Why == "its file is missing"; file != (n.Rule != "sh/a" || slices.Contains(c.notJudged, "sy/a")) {
				t.Errorf("%s: %s is not judged because %q", name, n.Rule, n.Why)
			}
		}
		if !slices.Equal(silenced, c.notJudged) || !slices.Equal(got.Healthy, c.healthy) {
			t.Errorf("%s: not judged %v, want %v; healthy %v, want %v", name, silenced, c.notJudged, got.Healthy, c.healthy)
		}
		if len(got.Findings) != 1 || got.Findings[0].Confidence != c.sure || got.Findings[0].Lossy != (c.sure != rule.Certain) {
			t.Errorf("%s: found %+v, want one that is %v", name, got.Findings, c.sure)
		}
	}
}

// Where nothing tells which probes ran, a table without rows is not said to be of one that did not.
func TestUnreadRuns(t *testing.T) {
	for why, unread := range map[string][]recording.Unread{
		"it did not run in the window": nil,
		"its file is missing":          {{Table: recording.ProbeRuns, From: t0, Why: "its file is missing"}},
	} {
		m := evidence(t, recording.ProbeInfo{}).Manifest()
		m.Unread = unread
		v := Judge(view.New(recording.New(m), t0, t0.Add(10*time.Second)), []rule.Rule{finds("sy/a", nil)})
		if len(v.NotJudged) != 1 || v.NotJudged[0].Why != why {
			t.Errorf("not judged %+v, want it because %q", v.NotJudged, why)
		}
	}
}

// What asking a server cost is told in every form of the answer.
func TestOwnCostIsNoted(t *testing.T) {
	rec := recording.New(recording.Manifest{Notes: []string{"interrupted"}})
	w := recording.NewWriter(t0)
	for i, state := range []string{recording.ServerAnswers, recording.ServerAnswers, recording.ServerAnswers} {
		recording.Append(w, recording.MySQLServer{At: t0.Add(time.Duration(i) * time.Second), Server: "db1:3306", State: state, QueryTime: time.Duration(i) * 4 * time.Millisecond})
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	got := Judge(view.New(rec, t0, t0.Add(10*time.Second)), nil).Notes
	want := []string{"interrupted", "rtrail waited 4 ms a second for its own queries to mysql db1:3306"}
	if !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}
