package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"rtrail/internal/lab/cases"
)

// graph holds who uses whom among the declarations of this module.
type graph struct {
	uses map[declKey]map[declKey]bool
	// fields are those of structs, by the keys of their declarations: "T.field".
	fields map[types.Object]declKey
	// fillers are the declarations of the files of probes in which rows of a type
	// are made: nothing that judges rows uses them.
	fillers map[declKey][]declKey
	// rules and labs are the declarations that hold a string: the ID of a rule, or
	// of a lab.
	rules, labs map[string][]declKey
	// packages are the declarations of those that judge in place of a diagnosis.
	packages map[string][]declKey
	// engine are the declarations of the packet engine, which hands what it finds
	// to the probe that makes rows of it.
	engine []declKey
}

const (
	module   = "rtrail/"
	rowsDir  = "internal/recording"
	probeDir = "internal/probe/"
	ruleDir  = "internal/rule/"
	casesDir = "internal/lab/cases"

	engineDir  = "internal/packet/engine"
	captureDir = "internal/probe/capture"
)

// load reads packages of the module, without their tests.
func load(patterns ...string) (*graph, error) {
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedDeps}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("reading the code: %w", err)
	}
	g := &graph{
		packages: map[string][]declKey{}, fields: map[types.Object]declKey{},
		uses: map[declKey]map[declKey]bool{}, fillers: map[declKey][]declKey{},
		rules: map[string][]declKey{}, labs: map[string][]declKey{},
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("reading the code: %w", p.Errors[0])
		}
		g.addFields(p)
	}
	for _, p := range list {
		g.add(p)
	}
	return g, nil
}

// addFields enters the fields of a package's structs.
func (g *graph) addFields(p *packages.Package) {
	dir := strings.TrimPrefix(p.PkgPath, module)
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			eachDecl(d, func(_ string, node ast.Node) {
				eachField(node, func(name string, id *ast.Ident, _ *ast.Field) {
					g.fields[p.TypesInfo.Defs[id]] = declKey{dir, name}
					g.uses[declKey{dir, name}] = map[declKey]bool{}
				})
			})
		}
	}
}

// add enters a package.
func (g *graph) add(p *packages.Package) {
	dir := strings.TrimPrefix(p.PkgPath, module)
	for _, file := range p.Syntax {
		var keys []declKey
		rows := map[declKey]bool{}
		for _, d := range file.Decls {
			eachDecl(d, func(name string, node ast.Node) {
				keys = append(keys, declKey{dir, name})
				g.decl(p, declKey{dir, name}, node, rows)
			})
		}
		if strings.HasPrefix(dir+"/", probeDir) {
			for row := range rows {
				g.fillers[row] = append(g.fillers[row], keys...)
			}
		}
	}
}

// decl enters a declaration with everything that it names, and notes the types
// of rows that it makes.
func (g *graph) decl(p *packages.Package, key declKey, node ast.Node, rows map[declKey]bool) {
	uses := g.uses[key]
	if uses == nil {
		uses = map[declKey]bool{}
		g.uses[key] = uses
	}
	if key.dir == "internal/throughput" || key.dir == "internal/tcpping" {
		g.packages[key.dir] = append(g.packages[key.dir], key)
	}
	if key.dir == engineDir {
		g.engine = append(g.engine, key)
	}
	fields := map[ast.Node]declKey{}
	eachField(node, func(name string, _ *ast.Ident, field *ast.Field) { fields[field] = declKey{key.dir, name} })
	ast.Inspect(node, func(n ast.Node) bool {
		if field, ok := fields[n]; ok {
			g.decl(p, field, n.(*ast.Field).Type, rows) // of who names the field
			return false
		}
		switch n := n.(type) {
		case *ast.Ident:
			if used, ok := declOf(p.TypesInfo.Uses[n]); ok && used != key {
				uses[used] = true
			}
			if field, ok := g.fields[p.TypesInfo.Uses[n]]; ok {
				uses[field] = true
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind != token.STRING || err != nil || !strings.Contains(text, "/") {
				break
			}
			if strings.HasPrefix(key.dir+"/", ruleDir) {
				g.rules[text] = append(g.rules[text], key)
			} else if key.dir == casesDir {
				g.labs[text] = append(g.labs[text], key)
			}
		case *ast.CompositeLit:
			if row, ok := rowType(p.TypesInfo.TypeOf(n)); ok {
				rows[row] = true
			}
		}
		return true
	})
}

// declOf names the declaration of an object, if it is one of this module's.
func declOf(o types.Object) (declKey, bool) {
	if o == nil || o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path(), module) {
		return declKey{}, false
	}
	dir := strings.TrimPrefix(o.Pkg().Path(), module)
	if f, ok := o.(*types.Func); ok {
		f = f.Origin()
		if r := f.Signature().Recv(); r != nil {
			t := r.Type()
			if ptr, ok := t.(*types.Pointer); ok {
				t = ptr.Elem()
			}
			named, ok := t.(*types.Named)
			if !ok {
				return declKey{}, false
			}
			return declKey{dir, "(" + named.Obj().Name() + ")." + f.Name()}, true
		}
	}
	if o.Parent() != o.Pkg().Scope() {
		return declKey{}, false // a field or a local variable: its type's declaration is named as well
	}
	return declKey{dir, o.Name()}, true
}

// rowType says whether a type is that of rows of a recording.
func rowType(t types.Type) (declKey, bool) {
	if s, ok := t.(*types.Slice); ok {
		t = s.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != module+rowsDir {
		return declKey{}, false
	}
	method, _, _ := types.LookupFieldOrMethod(named, false, named.Obj().Pkg(), "Table")
	return declKey{rowsDir, named.Obj().Name()}, method != nil
}

// changed are the declarations that a change touches by itself.
func (g *graph) changed(c change) map[declKey]bool {
	hit := map[declKey]bool{}
	for key := range g.uses {
		if c.decls[key] || c.data[key.dir] || c.data[filepath.Dir(key.dir)] && !strings.Contains(key.dir, "/") {
			hit[key] = true
		}
	}
	return hit
}

// touches tells which labs reach a changed declaration, and which one.
func (g *graph) touches(labs []cases.Case, hit map[declKey]bool) map[string]string {
	touched := map[string]string{}
	for _, c := range labs {
		base, _, _ := strings.Cut(c.ID, "+")
		// A control judges all rules: it runs anyway.
		starts := slices.Concat(g.labs[c.ID], g.labs[base])
		for _, fault := range c.Faults() {
			starts = append(starts, g.rules[fault.Rule]...)
		}
		if len(c.Captures) > 0 {
			starts = append(starts, g.engine...)
		}
		if c.Verb != nil {
			starts = append(starts, g.packages[c.Verb.Package]...)
		}
		for key := range g.reach(starts, len(c.Captures) > 0) {
			if name := key.dir + "." + key.name; hit[key] && (touched[c.ID] == "" || name < touched[c.ID]) {
				touched[c.ID] = name
			}
		}
	}
	return touched
}

// reach is everything that some declarations use, themselves included. A rule
// that uses rows of a type also reaches the probes that make them, that of packets only
// where some are captured.
func (g *graph) reach(starts []declKey, captured bool) map[declKey]bool {
	seen := map[declKey]bool{}
	queue := slices.Clone(starts)
	for len(queue) > 0 {
		key := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[key] {
			continue
		}
		seen[key] = true
		if key == (declKey{rowsDir, "catalogue"}) {
			delete(seen, key) // lists all tables: who asks it about one uses none of the others
			continue
		}
		for used := range g.uses[key] {
			queue = append(queue, used)
		}
		for _, filler := range g.fillers[key] {
			if captured || filler.dir != captureDir {
				queue = append(queue, filler)
			}
		}
	}
	return seen
}
