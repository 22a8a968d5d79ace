package explain_test

import (
	"slices"
	"strings"
	"testing"

	"rtrail/internal/explain"
	"rtrail/internal/metric"
	"rtrail/internal/rule/catalogue"
)

// headings are what a page of a rule must tell, in this order.
var headings = []string{"What it is", "How to see it", "Why it happens", "How rtrail decides", "What to do", "Example"}

func TestEveryRuleHasAPage(t *testing.T) {
	if len(catalogue.Rules) == 0 {
		t.Fatal("there are no rules")
	}
	for _, r := range catalogue.Rules {
		if r.ID == "" || r.Title == "" || r.Resource == "" || len(r.Needs)+len(r.NeedsAny) == 0 || r.Detect == nil {
			t.Errorf("%s: a rule needs ID, title, resource, tables and Detect", r.ID)
		}
		if first, _, _ := strings.Cut(r.Page, "\n"); first != "# "+r.ID+": "+r.Title {
			t.Errorf("%s: the page begins with %q, not with the ID and the title %q", r.ID, first, r.Title)
		}
		at := 0
		for _, h := range headings {
			i := strings.Index(r.Page[at:], "\n## "+h+"\n")
			if i < 0 {
				t.Errorf("%s: the page has no heading %q after the ones before it", r.ID, h)
				continue
			}
			at += i + 1
		}
	}
}

func TestNoRuleExplainsItself(t *testing.T) {
	for _, r := range catalogue.Rules {
		for _, id := range r.Explains {
			if id == r.ID {
				t.Errorf("%s explains itself", r.ID)
			}
		}
	}
}

func TestSearch(t *testing.T) {
	entries := explain.Entries(catalogue.Rules)
	for _, c := range []struct{ query, title string }{
		{"load", "load average"}, {"load average", "load average"}, {"confidence", "confidence"}, {"LOST probe", "rows lost by a probe"},
	} {
		hits, _ := explain.Search(entries, c.query)
		if len(hits) == 0 || hits[0].Title != c.title {
			t.Errorf("Search(%q) does not begin with an entry named %q but with %v", c.query, c.title, ids(hits))
		}
	}
	for _, e := range entries[:len(catalogue.Rules)] {
		_, name, _ := strings.Cut(e.ID, "/")
		if hits, _ := explain.Search(entries, name); len(hits) == 0 || !strings.HasSuffix(hits[0].ID, "/"+name) {
			t.Errorf("Search(%q) does not begin with the rule but with %v", name, ids(hits))
		}
	}
	for _, query := range []string{"", "  ", "xyzzyplugh", "load xyzzyplugh"} {
		if hits, _ := explain.Search(entries, query); len(hits) != 0 {
			t.Errorf("Search(%q) = %v, want nothing", query, ids(hits))
		}
	}
}

func ids(entries []explain.Entry) []string {
	var list []string
	for _, e := range entries {
		list = append(list, e.ID)
	}
	return list[:min(len(list), 5)]
}

func TestFind(t *testing.T) {
	entries := explain.Entries(catalogue.Rules)
	if e, ok := explain.Find(entries, "Sched.Load"); !ok || e.ID != "sched.load" || e.Kind != explain.Metric {
		t.Errorf("got %+v, %v", e, ok)
	}
	if _, ok := explain.Find(entries, "sched"); ok {
		t.Error("a part of an ID is not the ID")
	}
}

func TestEveryMetricHasAPage(t *testing.T) {
	entries := explain.Entries(catalogue.Rules)
	for _, m := range metric.All() {
		e, ok := explain.Find(entries, m.ID)
		if !ok {
			t.Errorf("%s cannot be explained", m.ID)
			continue
		}
		for _, want := range []string{"# " + m.ID + ": " + m.Name, m.Help, "## Unit\n" + m.Unit, "## Source\n" + m.Source, "    " + strings.Join(m.Tools, "\n    ")} {
			if !strings.Contains(e.Page, want) {
				t.Errorf("%s: the page lacks %q", m.ID, want)
			}
		}
		for _, trap := range m.Traps {
			if !strings.Contains(e.Page, "- "+trap) {
				t.Errorf("%s: the page lacks the trap %q", m.ID, trap)
			}
		}
	}
}

func TestEveryThresholdIsListed(t *testing.T) {
	entries := explain.Entries(catalogue.Rules)
	for _, r := range catalogue.Rules {
		e, _ := explain.Find(entries, r.ID)
		for _, x := range r.Thresholds {
			for _, want := range []string{"`" + x.Name + "` " + x.String() + ":", x.Reason, "(" + x.Source + ")"} {
				if !strings.Contains(e.Page, want) {
					t.Errorf("%s: the page lacks %q", r.ID, want)
				}
			}
		}
	}
}

// An ID of an earlier version finds what has another one now, and is that of
// nothing else.
func TestFormerIDs(t *testing.T) {
	entries := explain.Entries(catalogue.Rules)
	for old, now := range map[string]string{"rt/two-humps": "rt/worker-queueing", "rt/slow-group": "rt/slow-connections", "rt.humps": "rt.modes"} {
		if e, ok := explain.Find(entries, old); !ok || e.ID != now {
			t.Errorf("%s finds %q, want %s", old, e.ID, now)
		}
	}
	if err := catalogue.Override("rt/two-humps.min-requests=40"); err != nil {
		t.Error(err)
	}
	catalogue.Reset()
	for _, e := range entries {
		for _, old := range e.Formerly {
			if slices.ContainsFunc(entries, func(o explain.Entry) bool { return o.ID == old }) {
				t.Errorf("%s was %s, which is another entry now", e.ID, old)
			}
		}
	}
}
