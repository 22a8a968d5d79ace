package cases

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRooms keeps what starts and loads servers free of cases, so that others
// than labs can use it, and cases out of the program but for its lab verb.
func TestRooms(t *testing.T) {
	const lab = "internal/lab/"
	users := map[string][]string{ // who may import a room, by folder
		lab + "env":    {lab, "cmd/rtrail", "internal/measure/steps"},
		lab + "server": {lab + "cases", "internal/measure/steps"},
		lab + "load":   {lab + "cases"},
		lab + "cases":  {"internal/gate", "cmd/rtrail"},
	}
	imports := 0
	root := filepath.FromSlash("../../..")
	for _, top := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return nil // an example of bad code
			}
			from, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			for _, i := range file.Imports {
				name, _ := strconv.Unquote(i.Path.Value)
				room := strings.TrimPrefix(name, "rtrail/")
				allowed, ok := users[room]
				if !ok {
					continue
				}
				imports++
				if !slices.ContainsFunc(allowed, func(dir string) bool { return strings.HasPrefix(from, dir) }) {
					t.Errorf("%s imports %s", path, room)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if imports < 20 {
		t.Errorf("only %d imports of the lab's rooms were found: the test looks in the wrong place", imports)
	}
}
