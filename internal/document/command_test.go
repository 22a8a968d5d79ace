package document

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	sh "rtrail/internal/shell"
	"rtrail/internal/shell/shelltest"
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

// What a command is broken into is the same command, whatever names it holds.
func TestBreakingKeepsHostileNames(t *testing.T) {
	for _, name := range []string{"$(touch x)", "`touch x`", "it's # no", `a \" b \`, "'; touch x #", "a\nb 'c'", "-rf  *", "\\ ", "# a", "a\tb\\'"} {
		for _, command := range []sh.Command{
			sh.Line("ls -l -- %s %s | grep -e %s   # names", name, name, name),
			sh.Line("watch -d %s", sh.Script(sh.Line("df -B1 -- %s; ls -- %s", name, name))),
			sh.Line("mysql -u %s -e %s", "a "+name, sh.SQL("show index from t where a = %s", name)),
		} {
			for width := 10; width < 90; width += 7 {
				if err := shelltest.Equal(command.String(), strings.Join(breakCommand(command.String(), width), "\n")); err != nil {
					t.Errorf("%s in %d cells: %v", command, width, err)
				}
			}
		}
	}
}

func TestCodeInMarkdownEndsWhereItEnds(t *testing.T) {
	for text, want := range map[string]string{
		"":           "",
		"ls a|b":     "`ls a|b`",
		"ls 'a`b'":   "`` ls 'a`b' ``",
		"ls 'a``<b'": "``` ls 'a``<b' ```",
	} {
		if got := code(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
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

func TestLinesBeginNothingInMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"# root":       `\# root`,
		"#1 of it":     "#1 of it",
		"> quoted":     `\> quoted`,
		"- item":       `\- item`,
		"-5 ms":        "-5 ms",
		"---":          `\---`,
		"12. of March": `12\. of March`,
		"1.5 s":        "1.5 s",
		"a & b &lt; c": "a &amp; b &amp;lt; c",
	} {
		if got := md(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
