package document

import (
	"html"
	"strings"
	"testing"

	"rtrail/internal/golden"
)

// every is a document of all blocks, with text from outside that must do no harm.
func every() Document {
	const evil = `<script>alert("x")</script>`
	t := Table{Title: "A TABLE", Columns: []Column{{Name: "name"}, {Name: "count", Right: true, Group: "group"}, {Name: "words", Wrap: true}}, Under: 2, More: "and 2 more"}
	t.Add([]string{"a|b", "1", evil}, Row{Label: "in", Words: evil, Commands: []string{"ls | wc"}})
	t.Add([]string{"c", "12", "words that go on and on, until the line of a narrow terminal ends and the next one begins"})
	return Document{Title: "All " + evil, Blocks: []Block{
		Facts{Lead: "SLOW", Items: []string{"one", "", evil}}, Prose{Words: evil}, Prose{Label: "NOTE", Style: Warn, Words: "a\u202eb"}, Heading{Words: "A HEADING"},
		Finding{Number: 1, Mark: "CERTAIN", Style: Alarm, Headline: evil, Rows: []Row{{Label: "CHANGE", Words: evil, Commands: []string{"rm -rf <dir>"}, Price: "time", Danger: "all is lost"}}},
		t, List{Title: "A LIST", Items: []Item{{Words: evil, Command: "ls", Remedy: "more rights"}}, More: "and more"},
		Chains{Title: "CHAINS", Chains: [][]Link{{{Name: "a", Waits: evil}, {Name: "b"}}}},
	}}
}

func TestHTML(t *testing.T) {
	var b strings.Builder
	if err := HTML(&b, every(), HTMLOptions{Style: ".own { color: red; }", Licence: "free", Scripts: []string{"draw();"}, Data: []string{"</script><b>"}}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if n := strings.Count(page, "<script"); n != 2 || strings.Contains(page, "</script><b>") {
		t.Errorf("%d scripts begin in\n%s", n, page)
	}
	if policy := "; script-src" + hash("draw();") + `">`; !strings.Contains(html.UnescapeString(page), policy) || strings.Contains(page, "unsafe") {
		t.Errorf("the page does not let its script alone run: %s", page[:600])
	}
	_, body, _ := strings.Cut(page, "</style>")
	golden.Text(t, "testdata/every.html", body)
}

func TestEveryBlock(t *testing.T) {
	var b strings.Builder
	if err := Terminal(&b, every(), TerminalOptions{Width: 60, Break: true}); err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "testdata/every.txt", b.String())
	b.Reset()
	if err := Markdown(&b, every()); err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "testdata/every.md", b.String())
}
