package report

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBreakCommand(t *testing.T) {
	for _, c := range []struct {
		name, command string
		width         int
		want          []string
	}{
		{"it fits", "printf %s one", 20, []string{"printf %s one"}},
		{"between words", "printf %s one two three four", 16, []string{`printf %s one \`, `two three four`}},
		{"options beside their values", "printf %s -a -b two -c three", 16, []string{`printf %s -a \`, `-b two \`, "-c three"}},
		{"not in quotes", "printf %s 'one  two three' four", 16, []string{`printf %s \`, `'one  two three' \`, `four`}},
		{"not in double quotes", `printf %s "one \"two  three" four`, 16, []string{`printf %s \`, `"one \"two  three" \`, `four`}},
		{"not behind a backslash", `printf %s one\ two\ three four`, 16, []string{`printf %s \`, `one\ two\ three \`, `four`}},
		{"not before a comment", "printf %s one   # or two, or three", 16, []string{`printf %s \`, `one   # or two, or three`}},
	} {
		got := breakCommand(c.command, c.width)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		if whole, broken := shell(t, c.command), shell(t, strings.Join(got, "\n            ")); whole != broken {
			t.Errorf("%s: a shell makes %q of it, of the whole %q", c.name, broken, whole)
		}
	}
}

func shell(t *testing.T, command string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", strings.Replace(command, "%s", "'%s|'", 1)).Output()
	if err != nil {
		t.Fatal(command, err)
	}
	return string(out)
}
