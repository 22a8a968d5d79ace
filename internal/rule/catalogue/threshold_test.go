package catalogue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

var units = map[string]bool{}

func init() {
	for _, u := range []string{"share", "seconds", "bytes", "count", "ratio", "probability", "per second", "seconds per second", "bytes per second", "pages per second",
		"cores", "threads", "connections", "requests", "statements", "transactions", "rows", "steps", "processes per request"} {
		units[u] = true
	}
}

func TestThresholdsAreComplete(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, r := range Rules {
		seen := map[string]bool{}
		for _, x := range r.Thresholds {
			id := r.ID + "." + x.Name
			if !kebab.MatchString(x.Name) || seen[x.Name] {
				t.Errorf("%s: the name is not words with dashes, or there twice", id)
			}
			seen[x.Name] = true
			if !units[x.Unit] {
				t.Errorf("%s: unknown unit %q", id, x.Unit)
			}
			if len(x.Reason) < 20 || !strings.HasSuffix(x.Reason, ".") {
				t.Errorf("%s: no sentence says why: %q", id, x.Reason)
			}
			if x.Source == "" {
				t.Errorf("%s: no source", id)
			}
			if x.Value <= 0 || x.Unit == "share" && x.Value > 1 {
				t.Errorf("%s: %v is no %s", id, x.Value, x.Unit)
			}
		}
	}
}

// TestThresholdsAreListed reads the sources: whoever declares a threshold lists
// it at a rule of the same package, so that it can be explained and overridden.
func TestThresholdsAreListed(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	type names map[string]token.Position
	declared, listed := map[string]names{}, map[string]names{}
	put := func(in map[string]names, domain, name string, at token.Position) {
		if in[domain] == nil {
			in[domain] = names{}
		}
		in[domain][name] = at
	}
	set := token.NewFileSet()
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		domain := filepath.Base(filepath.Dir(path))
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, v := range n.Values {
					if literal, ok := v.(*ast.CompositeLit); ok && isThreshold(literal.Type) {
						put(declared, domain, n.Names[i].Name, set.Position(n.Pos()))
					}
				}
			case *ast.UnaryExpr:
				if x, ok := n.X.(*ast.Ident); ok && n.Op == token.AND {
					put(listed, domain, x.Name, set.Position(n.Pos()))
				}
			}
			return true
		})
	}
	count := 0
	for domain, all := range declared {
		for name, at := range all {
			count++
			if _, ok := listed[domain][name]; !ok {
				t.Errorf("%s: no rule lists %s", at, name)
			}
		}
	}
	if count < 300 {
		t.Errorf("%d thresholds found: the test looks in the wrong place", count)
	}
}

func isThreshold(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Threshold"
}

func TestIDsExist(t *testing.T) {
	resources := map[string]bool{}
	for _, r := range Rules {
		resources[r.Resource] = true
	}
	for _, r := range Rules {
		for _, id := range r.Explains {
			if _, ok := Find(id); !ok {
				t.Errorf("%s explains %s, which does not exist", r.ID, id)
			}
		}
		for _, resource := range r.Refutes {
			if !resources[resource] {
				t.Errorf("%s refutes %q, which is no rule's resource", r.ID, resource)
			}
		}
	}
}

func TestOverride(t *testing.T) {
	defer Reset()
	for spec, want := range map[string]string{
		"cpu/saturated.full-from=95%":         "",
		"disk/saturated.slow-flash=5ms":       "",
		"disk/saturated.bulk-request=8KiB":    "",
		"net/synflood.flood-rate=10":          "there is no threshold",
		"cpu/saturated=3":                     "is a rule",
		"cpu/saturated.full-from":             "is not RULE.NAME=VALUE",
		"cpu/saturated.full-from=high":        "is not a share",
		"cpu/saturated.full-from=150%":        "more than all",
		"cpu/throttled.throttled-periods=1.5": "whole number",
		"disk/saturated.slow-flash=-1":        "is not a time",
		"disk/saturated.slow-flash=NaN":       "is not a time",
	} {
		if err := Override(spec); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	want := map[string][2]string{"cpu/saturated.full-from": {"95 %", "90 %"}, "disk/saturated.slow-flash": {"5 ms", "10 ms"}, "disk/saturated.bulk-request": {"8 KiB", "64 KiB"}}
	list := rule.Overridden(Rules)
	if len(list) != len(want) {
		t.Errorf("%d overridden, want %d: %v", len(list), len(want), list)
	}
	for _, o := range list {
		if got := [2]string{o.Threshold.String(), o.Own()}; got != want[o.ID] {
			t.Errorf("%s: %v, want %v", o.ID, got, want[o.ID])
		}
	}
	Reset()
	if list := rule.Overridden(Rules); len(list) > 0 {
		t.Errorf("still overridden: %v", list)
	}
}

func TestOverrideIsToldAndJudgedBy(t *testing.T) {
	defer Reset()
	h := ruletest.New(2, 10)
	ruletest.Every(h, func(at time.Time, _ float64) recording.MountSample {
		return recording.MountSample{At: at, MountPoint: "/data", Device: "/dev/vdb", Major: 254, FSType: "ext4", Size: 100 << 20, Available: 3 << 20, Free: 3 << 20, Inodes: 1000, InodesFree: 900}
	})
	rules := []rule.Rule{mustFind(t, "disk/full")}
	if v := verdict.Judge(h.View(), rules); len(v.Findings) > 0 || len(v.Notes) > 0 || len(v.Thresholds) > 0 {
		t.Fatalf("97 %% used and quiet: %+v %v", v.Findings, v.Notes)
	}
	if err := Override("disk/full.almost-used=96%"); err != nil {
		t.Fatal(err)
	}
	v := verdict.Judge(h.View(), rules)
	if len(v.Findings) != 1 || len(v.Thresholds) != 1 {
		t.Errorf("with a lower threshold: %d findings, thresholds %v", len(v.Findings), v.Thresholds)
	}
	if want := []string{"threshold disk/full.almost-used is 96 % instead of 99 %"}; !slices.Equal(v.Notes, want) {
		t.Errorf("notes %q, want %q", v.Notes, want)
	}
}
