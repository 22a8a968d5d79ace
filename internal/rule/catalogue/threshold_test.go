package catalogue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
				t.Errorf("%s: unknown unit %q; there are %q", id, x.Unit, slices.Sorted(maps.Keys(units)))
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

// TestRulesListTheThresholdsTheyRead follows each rule's literal through the
// functions, methods and variables of its package. What comes back from another
// package is not followed.
func TestRulesListTheThresholdsTheyRead(t *testing.T) {
	folders, err := filepath.Glob("../*/rules.go")
	if err != nil || len(folders) < 5 {
		t.Fatal(folders, err)
	}
	found := map[string]bool{}
	for _, folder := range folders {
		domain := filepath.Base(filepath.Dir(folder))
		paths, err := filepath.Glob("../" + domain + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		var files []*ast.File
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
		alone := types.Config{Importer: nothing{}, Error: func(error) {}}
		alone.Check(domain, set, files, info) //nolint:errcheck // nothing is imported, so there are many errors
		uses := map[types.Object][]types.Object{}
		note := func(name *ast.Ident, n ast.Node) {
			ast.Inspect(n, func(n ast.Node) bool {
				if x, ok := n.(*ast.Ident); ok && info.Uses[x] != nil {
					uses[info.Defs[name]] = append(uses[info.Defs[name]], info.Uses[x])
				}
				return true
			})
		}
		thresholds, listed, literals := map[types.Object]bool{}, map[types.Object]map[types.Object]bool{}, map[types.Object]string{}
		ids := map[types.Object]string{}
		for _, file := range files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					note(f.Name, f)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				v, ok := n.(*ast.ValueSpec)
				if !ok || len(v.Values) != len(v.Names) {
					return true
				}
				for i, name := range v.Names {
					literal, ok := v.Values[i].(*ast.CompositeLit)
					if !ok {
						note(name, v.Values[i])
						continue
					}
					thresholds[info.Defs[name]] = isThreshold(literal.Type)
					for _, e := range literal.Elts {
						if pair, ok := e.(*ast.KeyValueExpr); ok {
							e = pair.Value
							if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Detect" {
								literals[info.Defs[name]] = name.Name
							} else if id, isText := e.(*ast.BasicLit); ok && isText && key.Name == "ID" {
								ids[info.Defs[name]], _ = strconv.Unquote(id.Value)
							} else if ok && key.Name == "Thresholds" {
								listed[info.Defs[name]] = map[types.Object]bool{}
								ast.Inspect(e, func(n ast.Node) bool {
									if x, ok := n.(*ast.Ident); ok {
										listed[info.Defs[name]][info.Uses[x]] = true
									}
									return true
								})
								continue
							}
						}
						note(name, e)
					}
				}
				return true
			})
		}
		for literal, name := range literals {
			found[ids[literal]] = true
			if _, ok := Find(ids[literal]); !ok {
				t.Errorf("%s: the rule %s (%s) is in no list: add it to Rules in rules.go, and those to Rules in catalogue.go", domain, name, ids[literal])
			}
			reached := map[types.Object]bool{}
			var follow func(types.Object)
			follow = func(o types.Object) {
				for _, used := range uses[o] {
					if !reached[used] {
						reached[used] = true
						follow(used)
					}
				}
			}
			follow(literal)
			for x, is := range thresholds {
				if is && reached[x] && !listed[literal][x] {
					t.Errorf("%s: %s reads %s and does not list it", domain, name, x.Name())
				}
			}
		}
	}
	for _, r := range Rules {
		if !found[r.ID] {
			t.Errorf("%s: no rule.Rule literal with this ID in a folder with rules.go", r.ID)
		}
	}
}

// nothing stands in for imported packages.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}
