// Package page writes documents as pages to be passed on: one HTML file with all that it
// shows, which asks no network for anything. Its program is made of web/ (make web) and
// draws charts and flame graphs, sorts tables and copies commands; without it, as where
// scripts are forbidden, the words of the document are there all the same.
package page

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"

	"rtrail/internal/chart"
	"rtrail/internal/document"
)

//go:embed dist/page.js
var script string

//go:embed dist/page.css
var style string

//go:embed dist/LICENSES
var licences string

// Page is a document with what only a page can show.
type Page struct {
	Document document.Document `json:"document"`
	Charts   *chart.Set        `json:"charts,omitempty"`
	Curves   []chart.Curve     `json:"curves,omitempty"`
	Steps    []Step            `json:"steps,omitempty"`
	Flames   []Flame           `json:"flames,omitempty"`
}

// Step is a time with charts of its own, as a step of a load test.
type Step struct {
	Title  string     `json:"title"`
	Charts *chart.Set `json:"charts"`
	Found  []string   `json:"found,omitempty"` // headlines of the findings that Charts cites as 1, 2, ...
}

// Flame is a flame graph.
type Flame struct {
	Title string `json:"title"`
	Unit  string `json:"unit"` // of the counts
	Root  *Frame `json:"root"`
}

// Frame is a function in the tree of callers. The names are short because there are as
// many as there are different paths.
type Frame struct {
	Name     string   `json:"n"`
	Count    int64    `json:"c"`
	Kind     string   `json:"k,omitempty"` // of the signature of stacks that end here
	Children []*Frame `json:"s,omitempty"`
}

// Write writes a page.
func Write(out io.Writer, p Page) error {
	w := bufio.NewWriter(out)
	if err := document.HTML(w, p.Document, document.HTMLOptions{Style: style, Licence: licences, Scripts: []string{script}, Data: p}); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return w.Flush()
}
