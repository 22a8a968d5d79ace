// Package pagetest opens pages in a browser, as a reader does, and tells what it saw: web/test has the
// program that looks.
package pagetest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// patience bounds what a browser may take for a page.
const patience = 2 * time.Minute

// Tools are what tests of pages need.
type Tools struct {
	Web      string // the folder of the page's program
	Node     string // what runs its tools
	Chromium string // "": it is not installed
}

// Find finds the tools; the test is skipped where those of the program are missing.
func Find(t *testing.T) (tools Tools) {
	t.Helper()
	var err error
	if tools.Node, err = exec.LookPath("node"); err != nil {
		t.Skip("node is not installed: what needs it is not tested")
	}
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			t.Fatal("there is no go.mod above the test")
		}
		root = filepath.Dir(root)
	}
	tools.Web = filepath.Join(root, "web")
	if _, err := os.Stat(filepath.Join(tools.Web, "node_modules")); err != nil {
		t.Skip("web/node_modules is missing: make web-tools installs what this test needs")
	}
	tools.Chromium, _ = exec.LookPath("chromium")
	return tools
}

// Contrast is which of how many texts are hard to read.
type Contrast struct {
	Texts int
	Drawn int // of them, in drawings
	Bad   []string
}

// Cell is one of a heatmap that was drawn.
type Cell struct {
	Time, Row int
	Count     int64
	Alpha     float64
}

// Drawing is what a plot draws: of a chart, with the times that are marked, the limit and the heatmap.
type Drawing struct {
	Chart int
	Name  string
	Data  [][]*float64
	Bands [][2]float64
	Limit *float64
	Cells []Cell
}

// Told is what a browser tells of a page.
type Told struct {
	Errors, Requests []string
	Drawn            []Drawing
	Curves           map[string][][]*float64
	Text             string
	Strangers        int // elements that no page has
	Light, Dark      Contrast
	Chosen           Contrast // dark, by the button
	Theme            struct {
		Papers  []string
		Button  string
		Redrawn int
	}
	// Heat are the heatmaps: what their pixels show, what the key and the pointer say, and how many
	// numbers their tables have.
	Heat []struct {
		Painted, Tested int // cells with the colour that is expected in one pixel at least
		Key             []string
		Under           string
		Numbers         int
	}
	Flame struct {
		Names  []string
		Widest []int // percent, of all but the whole
		Found  string
	}
	Usable      int
	Reached     []int
	Told        string        // by the last point of the first chart
	Sorted      [][3][]string // first cells of the first table, after its headers were pressed once, twice and three times each
	Copied      string
	Narrow, PDF int
	TooWide     []string // elements that are wider than a telephone
	Print       struct {
		Buttons, Folded int
		Paper           string
		Flames          []string // titles of flame graphs that are printed
		Frames          int      // in them
		Wide            int      // of what is printed wider than the paper
	}
}

// Open opens a page; the test is skipped where there is no browser.
func Open(t *testing.T, tools Tools, file string) (got Told) {
	t.Helper()
	if tools.Chromium == "" {
		t.Skip("chromium is not installed: pages are not opened (scripts/packages chromium)")
	}
	cmd := exec.CommandContext(t.Context(), tools.Node, filepath.Join(tools.Web, "test", "browser.mjs"), tools.Chromium, file)
	var stderr bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &stderr, time.Second
	stop := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	answer, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// Check wants what is true of every page: no errors, no requests, what came from outside as text, texts
// that can be read, all that can be used by the tab key from top to bottom, room on a telephone, and
// all of it on paper.
func (got *Told) Check(t *testing.T) {
	t.Helper()
	if len(got.Errors)+len(got.Requests)+got.Strangers > 0 {
		t.Errorf("errors %q, requests %q, %d elements that came from outside", got.Errors, got.Requests, got.Strangers)
	}
	for _, c := range []Contrast{got.Light, got.Dark, got.Chosen} {
		if c.Texts == 0 || len(c.Bad) > 0 {
			t.Errorf("of %d texts, %d in drawings, these are hard to read: %q", c.Texts, c.Drawn, c.Bad)
		}
	}
	if papers := got.Theme.Papers; len(papers) != 3 || papers[0] == papers[1] || papers[0] != papers[2] || got.Theme.Button != "Light colours" || got.Theme.Redrawn != len(got.Drawn) {
		t.Errorf("the button of colours: %+v", got.Theme)
	}
	for i, n := range got.Reached {
		if i != n {
			t.Errorf("the tab key reaches %v of %d", got.Reached, got.Usable)
			break
		}
	}
	if got.Usable == 0 || len(got.Reached) != got.Usable {
		t.Errorf("%d of %d can be reached by keys", len(got.Reached), got.Usable)
	}
	if got.Narrow > 390 {
		t.Errorf("on a telephone the page is %d wide: %q", got.Narrow, got.TooWide)
	}
	if got.PDF < 10_000 || got.Print.Buttons > 0 || got.Print.Folded > 0 || got.Print.Paper != "rgb(255, 255, 255)" || got.Print.Wide > 0 {
		t.Errorf("on paper: %d bytes, %+v", got.PDF, got.Print)
	}
	for i, h := range got.Heat {
		if h.Painted < h.Tested || len(h.Key) == 0 || h.Numbers == 0 {
			t.Errorf("heatmap %d: %+v", i, h)
		}
	}
	for _, d := range got.Drawn {
		if len(d.Data) < 2 || !slices.ContainsFunc(d.Data[1:], func(line []*float64) bool {
			return slices.ContainsFunc(line, func(y *float64) bool { return y != nil })
		}) {
			t.Errorf("%s draws nothing", d.Name)
		}
	}
}
