// Package flame draws stacks as a flame graph: one HTML file that needs no
// other.
package flame

import (
	"io"
	"slices"
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/page"
	"rtrail/internal/recording"
	"rtrail/internal/stack"
	"rtrail/internal/stack/signatures"
)

// builder is a frame of a graph, with what finds its children.
type builder struct {
	page.Frame
	byName map[string]*builder
	order  []*builder
	kinds  map[string]int64
}

func (n *builder) child(name string) *builder {
	c := n.byName[name]
	if c == nil {
		c = newFrame(name)
		n.byName[name] = c
		n.order = append(n.order, c)
	}
	return c
}

// Write writes a page of the flame graphs of a profile.
func Write(out io.Writer, title string, p *stack.Profile) error {
	return page.Write(out, page.Page{Document: document.Document{Title: title}, Flames: Graphs(p, 0, 1)})
}

// maxSize bounds what the graphs of all profiles take on a page, in bytes.
const maxSize = 900_000

// Graphs draws a profile: one graph per kind of stacks, and for dumps of threads
// one of all and one of those that do not wait for work. Frames of less than a share of
// the whole stand together: a larger one where the page, which has room for so many profiles, would
// become too large.
func Graphs(p *stack.Profile, smallest float64, profiles int) (list []page.Flame) {
	var roots []*builder
	add := func(title, unit string, root *builder) {
		if root.Count > 0 {
			list, roots = append(list, page.Flame{Title: title, Unit: unit}), append(roots, root)
		}
	}
	for _, kind := range p.Kinds() {
		all, busy := newFrame("all"), newFrame("all")
		for _, s := range p.Stacks {
			if s.Kind != kind {
				continue
			}
			sig := signatures.Default().Match(s.Frames, s.State)
			all.add(s, sig)
			if sig == nil || sig.Kind != signatures.Idle {
				busy.add(s, sig)
			}
		}
		switch {
		case kind == recording.StackOnCPU:
			add("running threads", "samples", all)
		case p.Timed(kind):
			add("waiting threads", "ms", all)
		case kind == recording.StackOffCPU:
			add("sleeping threads, busy ones", "threads", busy)
			add("all sleeping threads", "threads", all)
		default:
			add("busy threads", "threads", busy)
			add("all threads", "threads", all)
		}
	}
	smallest = fitting(roots, smallest, maxSize/profiles)
	for i, root := range roots {
		list[i].Root = root.finish(root.least(smallest))
	}
	return list
}

// fitting is the share below which frames stand together so that all graphs are no more than
// so many bytes.
func fitting(roots []*builder, smallest float64, bytes int) float64 {
	for smallest < 1 {
		size := 0
		for _, root := range roots {
			size += root.size(root.least(smallest))
		}
		if size <= bytes {
			break
		}
		smallest = max(2*smallest, 1e-5)
	}
	return smallest
}

// least is the count of a share.
func (n *builder) least(share float64) int64 { return int64(share * float64(n.Count)) }

// size is about what a frame takes on a page with what is below it, in bytes.
func (n *builder) size(least int64) int {
	const each, escaped = 32, 5 // beside the names; more for what HTML knows
	size := each + len(n.Name) + escaped*strings.Count(n.Name, "<") + escaped*strings.Count(n.Name, ">") + escaped*strings.Count(n.Name, "&")
	for kind := range n.kinds {
		size += len(kind)
	}
	for _, c := range n.order {
		if c.Count >= least {
			size += c.size(least)
		}
	}
	return size
}

func newFrame(name string) *builder {
	return &builder{Frame: page.Frame{Name: name}, byName: map[string]*builder{}}
}

func (n *builder) add(s *stack.Stack, sig *signatures.Signature) {
	n.Count += s.Count
	at := n
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

// finish orders the children and names what stacks wait for. Children with counts below the
// least become one.
func (n *builder) finish(least int64) *page.Frame {
	for k, c := range n.kinds {
		if c > n.kinds[n.Kind] || n.Kind == "" {
			n.Kind = k
		}
	}
	slices.SortFunc(n.order, func(a, b *builder) int { return strings.Compare(a.Name, b.Name) })
	rest := page.Frame{}
	for _, c := range n.order {
		if c.Count < least {
			rest.Count += c.Count
			rest.Name = "smaller ones"
			continue
		}
		n.Children = append(n.Children, c.finish(least))
	}
	if rest.Count > 0 {
		n.Children = append(n.Children, &rest)
	}
	return &n.Frame
}
