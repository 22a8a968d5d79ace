package safefile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// direct are functions that follow links while they change something.
var direct = map[string]bool{
	"Create": true, "OpenFile": true, "WriteFile": true, "Rename": true, "Mkdir": true, "MkdirAll": true, "MkdirTemp": true, "CreateTemp": true,
	"Remove": true, "RemoveAll": true, "Chmod": true, "Chown": true, "Truncate": true, "Symlink": true, "Link": true, "CopyFS": true,
}

// tools are no part of what people run, or, as labs, write into a folder that
// they have made with this package and into files of the kernel.
var tools = []string{"internal/golden", "internal/lab", "internal/measure", "internal/packet/generate", "internal/packet/proto/prototest", "internal/probe/thread/gen.go"}

// allowed are other uses.
var allowed = map[string]string{
	"cmd/rtrail/mysql_flags.go": "/dev/tty",
	"cmd/rtrail/monitor.go":     "a file of its own process in /proc",
}

// TestProgramWritesThroughThisPackage finds code that would write where somebody
// else leads it.
func TestProgramWritesThroughThisPackage(t *testing.T) {
	root, err := filepath.Abs("../..")
	must(t, err)
	files := 0
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		for _, tool := range tools {
			if name == tool && d.IsDir() {
				return filepath.SkipDir
			}
			if name == tool {
				return nil
			}
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && onlyReads(call) {
				return false
			}
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "os" && direct[sel.Sel.Name] && allowed[name] == "" {
				t.Errorf("%s: os.%s follows links: use package safefile or outfile", set.Position(n.Pos()), sel.Sel.Name)
			}
			return true
		})
		return nil
	}))
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
}

// onlyReads says whether a call opens a file to read it, and neither makes nor
// cuts it.
func onlyReads(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "OpenFile" || len(call.Args) != 3 {
		return false
	}
	reads, changes := false, false
	ast.Inspect(call.Args[1], func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			reads = reads || name.Name == "O_RDONLY"
			changes = changes || name.Name == "O_CREATE" || name.Name == "O_CREAT" || name.Name == "O_TRUNC"
		}
		return true
	})
	return reads && !changes
}
