package crash

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// unguarded are the places where a goroutine begins that needs no Guard, because it
// touches nothing that strangers made, or because what it calls guards itself. A panic
// in any other one would end the run.
var unguarded = map[string]string{
	"internal/budget/watch.go":                "reads /proc/self/statm",
	"internal/packet/pcap/stream.go":          "reads are guarded one by one",
	"internal/outfile/outfile.go":             "opens a file",
	"internal/packet/engine/engine.go":        "workers recover by packet",
	"internal/probe/host/mount.go":            "calls statfs",
	"internal/probe/event/eventtest/netns.go": "runs a test",
	"internal/probe/lane.go":                  "samples are guarded one by one",
	"internal/probe/thread/memory.go":         "calls process_vm_readv",
	"internal/probe/mysql/mysql.go":           "looks are guarded one by one",
	"internal/recording/directory_rotate.go":  "segments are guarded one by one",
	"internal/recording/directory.go":         "calls fsync",
	"internal/safefile/temporary.go":          "removes files",
	"cmd/rtrail/fullscreen.go":                "writes a constant",
	"cmd/rtrail/record.go":                    "prints time and size",
	"cmd/rtrail/signals.go":                   "waits for signals",
	"cmd/rtrail/terminal.go":                  "prints the time",
}

// TestGoroutinesAreGuarded reads the source: what a go statement or a WaitGroup runs calls
// Guard, or its file is in the list above.
func TestGoroutinesAreGuarded(t *testing.T) {
	root := filepath.Join("..", "..")
	used := map[string]bool{}
	check := func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if d.IsDir() && (name == "internal/lab" || name == "internal/measure" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if begins(n) && !guards(n) {
				used[name] = true
				if unguarded[name] == "" {
					t.Errorf("%s: a goroutine without crash.Guard", set.Position(n.Pos()))
				}
			}
			return true
		})
		return nil
	}
	for _, dir := range []string{"internal", "cmd"} {
		if err := filepath.WalkDir(filepath.Join(root, dir), check); err != nil {
			t.Fatal(err)
		}
	}
	for name := range unguarded {
		if !used[name] {
			t.Errorf("%s begins no unguarded goroutine: take it off the list", name)
		}
	}
}

// begins says whether a goroutine begins there: go, or the method Go of a group.
func begins(n ast.Node) bool {
	if _, ok := n.(*ast.GoStmt); ok {
		return true
	}
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Go"
}

// guards says whether crash.Guard, or a function that is one, is called within.
func guards(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Guard" {
			found = true
		}
		return !found
	})
	return found
}
