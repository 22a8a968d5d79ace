package recording

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/golden"
)

const (
	schemaFile  = "SCHEMA.md"
	tablesBegin = "<!-- tables: written by go test ./internal/recording -run Schema -update -->\n"
)

// SCHEMA.md says what the row types say.
func TestSchema(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	intro, have, ok := strings.Cut(string(data), tablesBegin)
	if !ok {
		t.Fatalf("%s has no line %q", schemaFile, tablesBegin)
	}
	want := describeTables(t)
	if golden.Updating() {
		if err := os.WriteFile(schemaFile, []byte(intro+tablesBegin+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("%s differs from the row types; run: go test ./internal/recording -run Schema -update\n%s", schemaFile, diff)
	}
}

// Every type that is a Row is in the catalogue, once, and names its columns, durations with
// their unit.
func TestCatalogueIsComplete(t *testing.T) {
	var inCatalogue []string
	seen := map[Table]bool{}
	for _, k := range catalogue {
		row := rowType(k)
		inCatalogue = append(inCatalogue, row.Name())
		if seen[k.name] {
			t.Errorf("table %s is there twice", k.name)
		}
		seen[k.name] = true
		for _, f := range reflect.VisibleFields(row) {
			if f.Anonymous {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
			if name == "" {
				t.Errorf("%s.%s has no column", row.Name(), f.Name)
			}
			if f.Type == reflect.TypeFor[time.Duration]() && !strings.HasSuffix(name, "_ns") {
				t.Errorf("%s.%s: column %q does not name its unit", row.Name(), f.Name, name)
			}
		}
	}
	var rowTypes []string
	for name, s := range structs(t) {
		if s.isRow {
			rowTypes = append(rowTypes, name)
		}
	}
	slices.Sort(inCatalogue)
	slices.Sort(rowTypes)
	if diff := cmp.Diff(rowTypes, inCatalogue); diff != "" {
		t.Errorf("types with a Table method and catalogue (-types +catalogue):\n%s", diff)
	}
}

func rowType(k *kind) reflect.Type { return reflect.TypeOf(getList(k.empty())).Elem() }

// structDoc is what the source says about a type.
type structDoc struct {
	doc    string
	fields map[string]string
	isRow  bool
}

// structs reads the comments of all struct types of this package, and of those
// that its rows embed.
func structs(t *testing.T) map[string]*structDoc {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "../packet/sums/sums.go")
	all := map[string]*structDoc{}
	get := func(name string) *structDoc {
		if all[name] == nil {
			all[name] = &structDoc{fields: map[string]string{}}
		}
		return all[name]
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "Table" && d.Recv != nil {
					if of, ok := d.Recv.List[0].Type.(*ast.Ident); ok {
						get(of.Name).isRow = true
					}
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						describeStruct(get(s.Name.Name), d, s)
					}
				}
			}
		}
	}
	return all
}

func describeStruct(into *structDoc, d *ast.GenDecl, s *ast.TypeSpec) {
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	into.doc = d.Doc.Text()
	for _, f := range st.Fields.List {
		text := strings.TrimSpace(f.Comment.Text())
		if doc := strings.TrimSpace(f.Doc.Text()); doc != "" {
			text = doc
		}
		for _, n := range f.Names {
			into.fields[n.Name] = strings.ReplaceAll(text, "\n", " ")
		}
	}
}

func describeTables(t *testing.T) string {
	t.Helper()
	docs := structs(t)
	var out strings.Builder
	for _, k := range catalogue {
		row := rowType(k)
		doc := docs[row.Name()]
		if doc == nil || doc.doc == "" {
			t.Errorf("%s has no comment", row.Name())
			continue
		}
		fmt.Fprintf(&out, "\n## %s\n\n", k.name)
		text := strings.ReplaceAll(strings.TrimSpace(doc.doc), "\n", " ")
		fmt.Fprintf(&out, "Each row %s\n\n", strings.TrimPrefix(text, row.Name()+" "))
		var keys []string
		for _, c := range k.key {
			keys = append(keys, "`"+k.columns[c].name+"`")
		}
		if len(keys) > 0 {
			fmt.Fprintf(&out, "One series per %s.\n\n", strings.Join(keys, ", "))
		}
		out.WriteString("| column | type | unit | meaning |\n|---|---|---|---|\n")
		for _, c := range k.columns {
			f, _ := row.FieldByName(c.field)
			of := doc
			if len(f.Index) > 1 {
				of = docs[row.Field(f.Index[0]).Name]
			}
			fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", c.name, parquetType(f.Type), unitOf(f), meaning(f, of.fields[f.Name]))
		}
	}
	return out.String()
}

func parquetType(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "timestamp"
	case t.Kind() == reflect.Float64:
		return "double"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.Uint8, t.Kind() == reflect.Uint16:
		return "uint32"
	}
	return t.Kind().String()
}

// unitOf tells a column's unit, which its name does.
func unitOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
	if f.Type == reflect.TypeFor[time.Time]() {
		return "UTC"
	}
	if strings.Contains(name, "bytes") && f.Type.Kind() != reflect.String {
		return "bytes"
	}
	for _, unit := range []string{"ns", "pages", "percent"} {
		if strings.HasSuffix(name, "_"+unit) && (unit != "ns" || f.Type == reflect.TypeFor[time.Duration]()) {
			return unit
		}
	}
	return ""
}

// meaning is the field's comment, after its name in words where the comment
// does not already begin like it.
func meaning(f reflect.StructField, comment string) string {
	if f.Name == "At" && comment == "" {
		return "when the row was read"
	}
	words := inWords(f.Name)
	comment = strings.ReplaceAll(comment, "|", "\\|")
	switch {
	case comment == "":
		return words
	case strings.HasPrefix(strings.ToLower(comment), words):
		return comment
	}
	return words + ": " + comment
}

// inWords splits a Go name: "RxBytes" is "rx bytes", "NetNS" stays "netns".
func inWords(name string) string {
	if name == "NetNS" || name == "MountNS" {
		return strings.ToLower(name)
	}
	var out strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		upper := unicode.IsUpper(r)
		if i > 0 && upper && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			out.WriteByte(' ')
		}
		if upper && (i+1 == len(runes) || unicode.IsLower(runes[i+1]) || !unicode.IsLetter(runes[i+1])) && (i == 0 || unicode.IsLower(runes[i-1])) {
			r = unicode.ToLower(r)
		}
		out.WriteRune(r)
	}
	return out.String()
}
