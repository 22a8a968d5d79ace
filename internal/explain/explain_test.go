package explain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rtrail/internal/explain"
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
		if !strings.HasPrefix(r.Page, "# ") {
			t.Errorf("%s: the page does not begin with a heading", r.ID)
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

func TestMetricsAreComplete(t *testing.T) {
	id := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+$`)
	seen := map[string]bool{}
	for _, m := range explain.Metrics() {
		if !id.MatchString(m.ID) {
			t.Errorf("%q is no ID of the form domain.name", m.ID)
		}
		if seen[m.ID] {
			t.Errorf("%s is there twice", m.ID)
		}
		seen[m.ID] = true
		for field, value := range map[string]string{"Name": m.Name, "Meaning": m.Meaning, "Unit": m.Unit, "Source": m.Source,
			"Tools": strings.Join(m.Tools, "")} {
			if strings.TrimSpace(value) == "" {
				t.Errorf("%s: %s is empty", m.ID, field)
			}
		}
	}
}

// TestRulesUseKnownMetrics reads the sources of the rules: a number that a
// verdict can show must be in the dictionary.
func TestRulesUseKnownMetrics(t *testing.T) {
	files, err := filepath.Glob("../rule/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if key, ok := pair.Key.(*ast.Ident); !ok || key.Name != "Metric" {
				return true
			}
			literal, ok := pair.Value.(*ast.BasicLit)
			if !ok {
				// A helper that several pieces of evidence share takes the
				// metric as its argument; its callers hold the literals.
				if _, parameter := pair.Value.(*ast.Ident); parameter {
					return true
				}
				t.Errorf("%s: Metric is not a literal, so that nobody can search for it", set.Position(pair.Pos()))
				return true
			}
			id, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			used++
			if _, known := explain.MetricByID(id); !known {
				t.Errorf("%s: the dictionary has no metric %q", set.Position(pair.Pos()), id)
			}
			return true
		})
	}
	if used == 0 {
		t.Error("no rule uses any metric: the test looks in the wrong place")
	}
}

func TestSearch(t *testing.T) {
	entries := explain.Entries(catalogue.Rules)
	for _, c := range []struct{ query, title string }{
		{"load", "load average"}, {"load average", "load average"}, {"confidence", "confidence"}, {"LOST probe", "rows lost by a probe"},
	} {
		hits := explain.Search(entries, c.query)
		if len(hits) == 0 || hits[0].Title != c.title {
			t.Errorf("Search(%q) does not begin with an entry named %q but with %v", c.query, c.title, ids(hits))
		}
	}
	for _, e := range entries[:len(catalogue.Rules)] {
		_, name, _ := strings.Cut(e.ID, "/")
		if hits := explain.Search(entries, name); len(hits) == 0 || !strings.HasSuffix(hits[0].ID, "/"+name) {
			t.Errorf("Search(%q) does not begin with the rule but with %v", name, ids(hits))
		}
	}
	for _, query := range []string{"", "  ", "xyzzyplugh", "load xyzzyplugh"} {
		if hits := explain.Search(entries, query); len(hits) != 0 {
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
	if e, ok := explain.Find(entries, "Sched.Load"); !ok || e.ID != "sched.load" || e.Rule {
		t.Errorf("got %+v, %v", e, ok)
	}
	if _, ok := explain.Find(entries, "sched"); ok {
		t.Error("a part of an ID is not the ID")
	}
}

func TestMetricPage(t *testing.T) {
	m, _ := explain.MetricByID("sched.load")
	for _, want := range []string{"# sched.load: " + m.Name, m.Meaning, "## Unit\n" + m.Unit, "    uptime", "- " + m.Traps[0], "## Source"} {
		if !strings.Contains(m.Page(), want) {
			t.Errorf("the page lacks %q:\n%s", want, m.Page())
		}
	}
}
