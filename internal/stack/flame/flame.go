// Package flame draws stacks as a flame graph: one HTML file that needs no
// other.
package flame

import (
	_ "embed"
	"io"
	"slices"
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/stack"
	"rtrail/internal/stack/signatures"
)

//go:embed flame.css
var style string

//go:embed flame.js
var script string

// node is a function in the tree of callers. The names are short because there
// are as many as there are different paths.
type node struct {
	Name     string  `json:"n"`
	Count    int64   `json:"c"`
	Kind     string  `json:"k,omitempty"` // of the signature of stacks that end here
	Children []*node `json:"s,omitempty"`

	byName map[string]*node
	kinds  map[string]int64
}

func (n *node) child(name string) *node {
	c := n.byName[name]
	if c == nil {
		c = &node{Name: name, byName: map[string]*node{}}
		n.byName[name] = c
		n.Children = append(n.Children, c)
	}
	return c
}

// tree is one flame graph of the page.
type tree struct {
	Title string `json:"title"`
	Unit  string `json:"unit"`
	Root  *node  `json:"root"`
}

// Write draws a profile: one graph per kind of stacks, and for dumps of threads
// one of all and one of those that do not wait for work.
func Write(out io.Writer, title string, p *stack.Profile) error {
	var trees []tree
	for _, kind := range p.Kinds() {
		all, busy := newRoot(), newRoot()
		for _, s := range p.Stacks {
			if s.Kind != kind {
				continue
			}
			sig := signatures.Default().Match(s.Frames, s.State)
			add(all, s, sig)
			if sig == nil || sig.Kind != signatures.Idle {
				add(busy, s, sig)
			}
		}
		finish(all)
		finish(busy)
		switch {
		case kind == recording.StackOnCPU:
			trees = append(trees, tree{"running threads", "samples", all})
		case p.Timed(kind):
			trees = append(trees, tree{"waiting threads", "ms", all})
		case kind == recording.StackOffCPU:
			trees = append(trees, tree{"sleeping threads, busy ones", "threads", busy}, tree{"all sleeping threads", "threads", all})
		default:
			trees = append(trees, tree{"busy threads", "threads", busy}, tree{"all threads", "threads", all})
		}
	}
	trees = slices.DeleteFunc(trees, func(t tree) bool { return t.Root.Count == 0 })
	return document.HTML(out, document.Document{Title: title, Blocks: []document.Block{document.Canvas{ID: "nav"}, document.Canvas{ID: "graph"}, document.Canvas{ID: "about"}}},
		document.HTMLOptions{Style: style, Scripts: []string{script}, Data: trees})
}

func newRoot() *node { return &node{Name: "all", byName: map[string]*node{}} }

func add(root *node, s *stack.Stack, sig *signatures.Signature) {
	root.Count += s.Count
	at := root
	if s.Process != "" {
		at = at.child(s.Process)
		at.Count += s.Count
	}
	for _, f := range slices.Backward(s.Frames) {
		at = at.child(strings.ToValidUTF8(f, "?"))
		at.Count += s.Count
	}
	if sig != nil {
		if at.kinds == nil {
			at.kinds = map[string]int64{}
		}
		at.kinds[string(sig.Kind)+": "+sig.Title] += s.Count
	}
}

// finish orders the children and names what stacks wait for.
func finish(n *node) {
	for k, c := range n.kinds {
		if c > n.kinds[n.Kind] || n.Kind == "" {
			n.Kind = k
		}
	}
	slices.SortFunc(n.Children, func(a, b *node) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range n.Children {
		finish(c)
	}
}
