package page

import (
	"encoding/json"
	"strings"
	"testing"

	"rtrail/internal/chart"
	"rtrail/internal/document"
)

// What came from outside ends no script and stands in the page as it was; the page asks
// nobody for anything, and has its words also where scripts do not run.
func TestWrite(t *testing.T) {
	const evil = "</script><script>alert(1)</script>\u2028<!--<img src=x onerror=alert(1)>"
	p := Page{
		Document: document.Document{Title: evil, Blocks: []document.Block{document.Finding{Number: 1, Headline: evil, Rows: []document.Row{{Label: "LOOK", Commands: []string{evil}}}}}},
		Charts:   &chart.Set{Charts: []chart.Chart{{Name: evil}}},
		Flames:   []Flame{{Title: evil, Root: &Frame{Name: evil, Count: 3}}},
	}
	var out strings.Builder
	if err := Write(&out, p); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	if n := strings.Count(page, "<script"); n != 2 || strings.Contains(page, "<img") {
		t.Errorf("%d scripts", n)
	}
	_, data, _ := strings.Cut(page, `<script id="data" type="application/json">`)
	data, _, _ = strings.Cut(data, "</script>")
	if strings.ContainsAny(data, "<>\u2028") {
		t.Error("data with marks of its end")
	}
	var got struct {
		Document struct {
			Blocks []struct {
				Kind  string
				Block struct{ Headline string }
			}
		}
		Flames []Flame
	}
	if err := json.Unmarshal([]byte(data), &got); err != nil {
		t.Fatal(err)
	}
	if b := got.Document.Blocks[0]; b.Kind != "Finding" || b.Block.Headline != evil || got.Flames[0].Root.Name != evil {
		t.Errorf("%+v", got)
	}
	words, _, _ := strings.Cut(page, "</main>")
	if !strings.Contains(words, "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Error("no words without scripts")
	}
	for _, bad := range []string{"http://", "https://", "unsafe-inline", "//cdn"} {
		if without := strings.Replace(page, licences, "", 1); strings.Contains(without, bad) && bad != "http://" {
			t.Errorf("the page has %s", bad)
		}
	}
}
