package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
)

// git runs git in the current directory and returns what it printed, trimmed.
func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("git %s: %s", strings.Join(args, " "), strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// provenBy finds the commit in the line above the table of docs/labs.md.
var provenBy = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\d, .*commit ([0-9a-f]{7,40})$`)

// baseRevision is the commit to compare with.
func baseRevision(named string) (string, error) {
	if named == "" {
		doc, err := os.ReadFile("docs/labs.md")
		if err != nil {
			return "", err
		}
		m := provenBy.FindSubmatch(doc)
		if m == nil {
			return "", errors.New("docs/labs.md names no commit with which all labs passed")
		}
		named = string(m[1])
	}
	if _, err := git("merge-base", "--is-ancestor", named, "HEAD"); err != nil {
		return "", fmt.Errorf("commit %s is not in this history", named)
	}
	return named, nil
}

// change is what differs from the base: declarations, by package and name, and
// packages of which a file of data changed.
type change struct {
	decls map[declKey]bool
	data  map[string]bool // folders
}

// declKey names a declaration: the folder of its package and its name, methods
// with their type: "(T).M".
type declKey struct{ dir, name string }

// changedSince compares the working tree with a commit.
func changedSince(base string) (change, error) {
	c := change{decls: map[declKey]bool{}, data: map[string]bool{}}
	list, err := git("diff", "--name-only", "--no-renames", base)
	if err != nil {
		return c, err
	}
	for file := range strings.FieldsSeq(list) {
		dir := path.Dir(file)
		switch {
		case strings.Contains(file, "testdata/"), strings.HasSuffix(file, "_test.go"), strings.HasSuffix(file, ".md"):
		case strings.HasPrefix(file, "internal/") && strings.HasSuffix(file, ".go"):
			before, _ := git("show", base+":"+file) // a new file has none
			after, _ := os.ReadFile(file)           // nor has one that is gone
			for name := range differing(before, string(after)) {
				c.decls[declKey{dir, name}] = true
			}
		case strings.HasPrefix(file, "internal/"):
			c.data[dir] = true
		}
	}
	return c, nil
}

// differing lists the declarations of two versions of a file that are not the
// same in both. Comments do not count. Where a struct has got fields and is the same
// besides, these differ, "T.field", and not the struct: who does not name them does what it did.
func differing(before, after string) map[string]bool {
	old, now := declTexts(before), declTexts(after)
	names := map[string]bool{}
	for name, text := range now {
		if old[name] == text {
			continue
		}
		if added, ok := addedFields(before, after, name); ok {
			for _, field := range added {
				names[field] = true
			}
			continue
		}
		names[name] = true
	}
	for name := range old {
		if _, ok := now[name]; !ok {
			names[name] = true
		}
	}
	return names
}

// addedFields are the fields that a struct has got, if that is all that changed.
func addedFields(before, after, name string) (added []string, ok bool) {
	old, before, was := structOf(before, name)
	now, after, is := structOf(after, name)
	if !was || !is || before != after {
		return nil, false
	}
	for field, text := range now {
		if _, there := old[field]; !there {
			added = append(added, field)
		} else if old[field] != text {
			return nil, false
		}
	}
	for field := range old {
		if _, there := now[field]; !there {
			return nil, false
		}
	}
	return added, true
}

// structOf gives the text of each named field of a struct, and of the rest of it: its
// embedded ones.
func structOf(source, name string) (fields map[string]string, rest string, ok bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", false
	}
	for _, d := range file.Decls {
		eachDecl(d, func(declared string, node ast.Node) {
			spec, isType := node.(*ast.TypeSpec)
			if !isType || declared != name || spec.TypeParams != nil {
				return
			}
			struc, isStruct := spec.Type.(*ast.StructType)
			if !isStruct {
				return
			}
			fields, ok = map[string]string{}, true
			for _, f := range struc.Fields.List {
				if len(f.Names) == 0 {
					rest += text(fset, f.Type) + "\n"
				}
			}
			eachField(node, func(field string, _ *ast.Ident, f *ast.Field) {
				fields[field] = text(fset, f.Type)
				if f.Tag != nil {
					fields[field] += f.Tag.Value
				}
			})
		})
	}
	return fields, rest, ok
}

// declTexts gives the text of every declaration of a file, by name.
func declTexts(source string) map[string]string {
	texts := map[string]string{}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return texts
	}
	for _, d := range file.Decls {
		eachDecl(d, func(name string, node ast.Node) {
			texts[name] += text(fset, node)
		})
	}
	return texts
}

// text prints a node that was just parsed.
func text(fset *token.FileSet, node ast.Node) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, fset, node)
	return b.String()
}

// eachField calls f for every field of a struct that a declaration declares, embedded ones
// by their type.
func eachField(node ast.Node, f func(name string, id *ast.Ident, field *ast.Field)) {
	spec, ok := node.(*ast.TypeSpec)
	if !ok || spec.TypeParams != nil {
		return
	}
	struc, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range struc.Fields.List {
		for _, id := range field.Names {
			f(spec.Name.Name+"."+id.Name, id, field)
		}
	}
}

// eachDecl calls f for everything a declaration of a file declares: functions,
// methods, types, constants and variables, but not imports.
func eachDecl(d ast.Decl, f func(name string, node ast.Node)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) == 1 {
			name = "(" + receiver(d.Recv.List[0].Type) + ")." + name
		}
		f(name, d)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				f(s.Name.Name, s)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					f(n.Name, s)
				}
			}
		}
	}
}

// receiver is the name of a method's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
