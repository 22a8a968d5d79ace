package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryColumnIsExplained reads the headings of tables from the source: the
// fields title of columns, Name of document.Column, and words between tabs.
func TestEveryColumnIsExplained(t *testing.T) {
	headings := headingsOf(t, "../traffic", "../mysqlview", "../report", "../timeline", "../stack", "../../cmd/rtrail")
	if len(headings) < 50 {
		t.Fatalf("%d headings found: %v", len(headings), headings)
	}
	for heading, place := range headings {
		if !slices.ContainsFunc(Columns, func(c Column) bool { return strings.EqualFold(c.Name, heading) }) {
			t.Errorf("%s: column %q is not explained: add a line to Columns in columns.go", place, heading)
		}
	}
}

// headingsOf are the headings in the Go files below directories, and where each
// stands.
func headingsOf(t *testing.T, roots ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	files := token.NewFileSet()
	read := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				for _, word := range tabbed(text.Value) {
					found[word] = files.Position(text.Pos()).String()
				}
			}
			list, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			field := headingField(list.Type)
			for _, element := range list.Elts {
				if one, ok := element.(*ast.CompositeLit); ok && field != "" && one.Type == nil { // of a list of columns
					addHeading(found, files, one, field)
				}
			}
			addHeading(found, files, list, field)
			return true
		})
		return nil
	}
	for _, root := range roots {
		if err := filepath.WalkDir(root, read); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// headingField is the field of a type of columns, or of a list of them, that
// holds the heading.
func headingField(of ast.Expr) string {
	if list, ok := of.(*ast.ArrayType); ok {
		of = list.Elt
	}
	switch x := of.(type) {
	case *ast.Ident:
		if x.Name == "column" || x.Name == "Column" {
			return "title"
		}
	case *ast.SelectorExpr:
		if pkg, ok := x.X.(*ast.Ident); ok && pkg.Name == "document" && x.Sel.Name == "Column" {
			return "Name"
		}
	}
	return ""
}

// tabbed are the headings in a literal: words in capitals with tabs between.
func tabbed(literal string) []string {
	text, err := strconv.Unquote(literal)
	if err != nil || strings.Count(text, "\t") < 2 || strings.ToUpper(text) != text {
		return nil
	}
	return slices.DeleteFunc(strings.Split(text, "\t"), func(word string) bool { return !strings.ContainsAny(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") })
}

// addHeading adds the heading of a column: its field of that name, or its first.
func addHeading(found map[string]string, files *token.FileSet, list *ast.CompositeLit, field string) {
	for i, element := range list.Elts {
		value := element
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); !ok || key.Name != field {
				continue
			}
			value = pair.Value
		} else if i > 0 || field == "" {
			continue
		}
		if text, ok := value.(*ast.BasicLit); ok && text.Kind == token.STRING {
			if heading, _ := strconv.Unquote(text.Value); heading != "" {
				found[heading] = files.Position(list.Pos()).String()
			}
		}
	}
}
