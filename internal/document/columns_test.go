package document

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHangingColumn puts the words of a last column below their rows where the other
// columns leave them too little, and only there.
func TestHangingColumn(t *testing.T) {
	table := func(hang int, finding string) Document {
		return Document{Blocks: []Block{Table{Title: "FINDINGS", Columns: []Column{{Name: "begin"}, {Name: "end"}, {Name: "finding", Wrap: true, Hang: hang}},
			Rows: [][]string{{"2026-11-27 22:20:40", "22:21:10", finding}, {"22:30:00", "22:30:20", "mem/swapping: it swaps"}}}}}
	}
	const long = "cpu/saturated: more tasks want to run than there are CPUs"
	for _, c := range []struct {
		name string
		d    Document
		o    TerminalOptions
		want []string
	}{
		{"too little is left", table(30, long), TerminalOptions{Width: 54, Break: true}, []string{
			"FINDINGS",
			" begin                end",
			" 2026-11-27 22:20:40  22:21:10",
			"   cpu/saturated: more tasks want to run than there",
			"   are CPUs",
			" 22:30:00             22:30:20",
			"   mem/swapping: it swaps",
		}},
		{"enough is left", table(30, long), TerminalOptions{Width: 70, Break: true}, []string{
			"FINDINGS",
			" begin                end       finding",
			" 2026-11-27 22:20:40  22:21:10  cpu/saturated: more tasks want to run",
			"                                than there are CPUs",
			" 22:30:00             22:30:20  mem/swapping: it swaps",
		}},
		{"little is left, and enough for all words", table(30, "cpu/steal"), TerminalOptions{Width: 54, Break: true}, []string{
			"FINDINGS",
			" begin                end       finding",
			" 2026-11-27 22:20:40  22:21:10  cpu/steal",
			" 22:30:00             22:30:20  mem/swapping: it swaps",
		}},
		{"a column that never hangs", table(0, "cpu/saturated: more tasks want to run"), TerminalOptions{Width: 54, Break: true}, []string{
			"FINDINGS",
			" begin                end       finding",
			" 2026-11-27 22:20:40  22:21:10  cpu/saturated: more",
			"                                tasks want to run",
			" 22:30:00             22:30:20  mem/swapping: it swaps",
		}},
		{"lines for programs are not broken", table(30, long), TerminalOptions{Width: 54}, []string{
			"FINDINGS",
			" begin                end       finding",
			" 2026-11-27 22:20:40  22:21:10  " + long,
			" 22:30:00             22:30:20  mem/swapping: it swaps",
		}},
	} {
		var b strings.Builder
		if err := Terminal(&b, c.d, c.o); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}
