package catalogue

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unfilled are commands with something left to fill in that the evidence can tell, or
// that no evidence of this host can: the rule fills it in, or gives no command.
var unfilled = regexp.MustCompile("shell\\.(?:Line|SQL)\\((?:\"[^\"#]*|`[^`#]*)(?:\\b(?:PID|IF|DEVICE|GROUP|STATEMENT|COMMAND)\\b|\\.\\.\\.)")

// The pattern finds what it is for, and nothing else.
func TestUnfilled(t *testing.T) {
	for code, want := range map[string]bool{
		`shell.Line("numactl --interleave=all COMMAND")`: true, `shell.Line("MemoryHigh=...")`: true, "shell.Line(`mysql -e \"set global x=...\"   # twice`)": true,
		`shell.SQL("alter table ...")`: true, `shell.Line("kill PID")`: true,
		`shell.Line("ss -tno   # timer:(keepalive,...)")`: false, `shell.Line("sh -c %s", script(list...))`: false, `rule.T("and so on ...")`: false, `shell.Line("kill %d", p.PID)`: false,
	} {
		if unfilled.MatchString(code) != want {
			t.Errorf("%s: want %v", code, want)
		}
	}
}

func TestCommandsAreFilledIn(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "oom_kill.go" { // what must stay alive, the user knows
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range unfilled.FindAllString(string(text), -1) {
			t.Errorf("%s: %s", name, found)
		}
	}
}
