package screen

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/fullscreen"
	"rtrail/internal/mysqlview"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// lockOrders are what the roots of the tree may be sorted by.
var lockOrders = []struct {
	title string
	less  func(a, b view.MySQLBlocker) int
}{
	{"time waited", func(a, b view.MySQLBlocker) int { return cmp.Compare(b.Waited, a.Waited) }},
	{"victims", func(a, b view.MySQLBlocker) int { return cmp.Compare(len(b.Victims), len(a.Victims)) }},
	{"age", func(a, b view.MySQLBlocker) int { return cmp.Compare(b.For, a.For) }},
}

// lockLines is the tree of locks: who blocks, and below it who waits for whom.
func (m *Model) lockLines(height int) []string {
	roots := slices.Clone(m.frame.Blockers)
	if len(roots) == 0 {
		return []string{"", fullscreen.Faint.Render(" no session waits for another one")}
	}
	by := lockOrders[m.order[locks]%len(lockOrders)]
	slices.SortStableFunc(roots, func(a, b view.MySQLBlocker) int {
		if m.upward[locks] {
			return -by.less(a, b)
		}
		return by.less(a, b)
	})
	var lines []string
	for i := range roots {
		lines = append(lines, m.rootLines(&roots[i])...)
	}
	first := m.window(len(lines), height-1)
	shown := lines[first:min(first+max(height-1, 0), len(lines))]
	return append([]string{fullscreen.Bold.Render(clip("who blocks, by "+by.title, m.width))}, shown...)
}

func (m *Model) rootLines(b *view.MySQLBlocker) []string {
	what := mysqlview.Lock(b.Kind, b.Object)
	if b.Index != "" {
		what += " (" + escape.Line(b.Index) + ")"
	}
	lines := []string{clip(fmt.Sprintf("%s: %s, %d behind it", mysqlview.Holder(b), what, len(b.Victims)), m.width)}
	if last := mysqlview.LastWords(b); last != "" {
		lines = append(lines, fullscreen.Faint.Render(clip("  "+last, m.width)))
	}
	behind := map[int64][]view.MySQLVictim{}
	for _, v := range b.Victims {
		behind[v.Behind] = append(behind[v.Behind], v)
	}
	return m.branches(lines, b.Kind, behind, b.Session, "  ", map[int64]bool{b.Session: true})
}

// branches adds those who wait for a session, each with those behind it. What they
// wait for is said where it is not a lock of the kind that the root holds.
func (m *Model) branches(lines []string, kind string, behind map[int64][]view.MySQLVictim, session int64, indent string, seen map[int64]bool) []string {
	list := behind[session]
	for i, v := range list {
		branch, below := "├─ ", "│  "
		if i == len(list)-1 {
			branch, below = "└─ ", "   "
		}
		waited := "?"
		if v.Waited >= 0 {
			waited = unit.Duration(v.Waited.Round(time.Millisecond)).String()
		}
		if v.Kind != kind {
			waited += " for a " + mysqlview.Lock(v.Kind, v.Object)
		}
		lines = append(lines, clip(fmt.Sprintf("%s%s%d waited %s  %s", indent, branch, v.Session, waited, escape.Line(v.Statement)), m.width))
		if seen[v.Session] {
			continue // a circle
		}
		seen[v.Session] = true
		lines = m.branches(lines, kind, behind, v.Session, indent+below, seen)
	}
	return lines
}
