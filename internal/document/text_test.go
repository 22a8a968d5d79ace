package document

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/escape"
)

func TestCells(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int
	}{{"", 0}, {"abc", 3}, {"größe", 5}, {"数据库", 6}, {"e\u0301", 1}, {"ﾃﾞ", 2}, {"…", 1}, {"🐘", 2}} {
		if got := cells(c.in); got != c.want {
			t.Errorf("cells(%q) = %d, want %d", c.in, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 8, []string{"one two", "three"}},
		{"one two three", 80, []string{"one two three"}},
		{"数据库 数据库", 8, []string{"数据库", "数据库"}},
		{"/var/lib/mysql/ibdata1 x", 10, []string{"/var/lib/m", "ysql/ibdat", "a1 x"}},
		{"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", 8,
			[]string{strings.Repeat("e\u0301", 8), "e\u0301"}},
	} {
		if diff := cmp.Diff(c.want, wrap(c.in, c.width)); diff != "" {
			t.Errorf("wrap(%q, %d):\n%s", c.in, c.width, diff)
		}
	}
}

func FuzzCleanWrap(f *testing.F) {
	f.Add("evil\x1b]0;owned\x07 数据库 e\u0301", 12)
	f.Add("\xff\u202e", 9)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 8 + (width&0x7fffffff)%200
		safe := escape.Text(s)
		if i := strings.IndexFunc(safe, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }); i >= 0 {
			t.Fatalf("escape.Text(%q) = %q keeps a control character", s, safe)
		}
		lines := wrap(safe, width)
		for _, l := range lines {
			if n := cells(l); n > width {
				t.Fatalf("wrap(%q, %d) gives %q, %d cells", safe, width, l, n)
			}
		}
		if want, got := strings.Join(strings.Fields(safe), ""), strings.Join(strings.Fields(strings.Join(lines, "")), ""); want != got {
			t.Fatalf("wrap(%q, %d) loses or adds: %q", safe, width, lines)
		}
	})
}

// TestGoldenWidths wants every golden report to keep the width of its name;
// only commands, which are never cut, may be longer.
func TestGoldenWidths(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		files, err := filepath.Glob(fmt.Sprintf("../report/testdata/terminal-*-%d.txt", width))
		if err != nil || len(files) == 0 {
			t.Fatalf("no golden reports for %d columns: %v", width, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range strings.Split(string(text), "\n") {
				if cells(l) > width && !strings.HasPrefix(strings.TrimSpace(l), "$ ") {
					t.Errorf("%s:%d: %d cells: %s", f, i+1, cells(l), l)
				}
			}
		}
	}
}
