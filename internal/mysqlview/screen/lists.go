package screen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/fullscreen"
	"rtrail/internal/mysqlview"
	"rtrail/internal/unit"
)

// list is a table that can be sorted by each of its columns.
type list struct {
	columns []document.Column
	rows    [][]cell
	empty   string // what is said when there are no rows
	note    string // what is said above the rows; "" for nothing
}

// cell is a text and what it is sorted by: a number, or the text itself.
type cell struct {
	text string
	key  float64 // NaN: by text
}

func words(text string) cell { return cell{escape.Line(text), math.NaN()} }

// amount is a number that may be unknown; those come last.
func amount(v float64, show func(float64) string) cell {
	if math.IsNaN(v) {
		return cell{"-", math.Inf(-1)}
	}
	return cell{show(v), v}
}

func number64(n int64) cell {
	if n < 0 {
		return cell{"-", math.Inf(-1)}
	}
	return cell{fmt.Sprint(n), float64(n)}
}

func lasting(d time.Duration) cell {
	if d < 0 {
		return cell{"-", math.Inf(-1)}
	}
	return cell{unit.Duration(d.Round(time.Millisecond)).String(), float64(d)}
}

// list is that of the pane that is shown; the tree of locks is none.
func (m *Model) list() list {
	switch m.pane {
	case statements:
		return m.statementList()
	case sessions:
		return m.sessionList()
	case pools:
		return m.poolList()
	case states:
		return m.stateList()
	}
	return list{}
}

func two(v float64) string { return fmt.Sprintf("%.2f", v) }

func (m *Model) statementList() list {
	all := &m.frame.Statements
	if all.Sampled {
		l := list{columns: []document.Column{{Name: "running", Right: true}, {Name: "schema", Max: 12}, {Name: "statement", Cut: true}},
			empty: "no statement was at work when the process list was read; " + all.Why(),
			note:  "by the process list: " + all.Why()}
		for _, s := range all.List {
			l.rows = append(l.rows, []cell{amount(s.Running, two), words(s.Schema), words(s.Text)})
		}
		return l
	}
	l := list{columns: []document.Column{{Name: "running", Right: true}, {Name: "count/s", Right: true}, {Name: "mean", Right: true}, {Name: "ex/sent", Right: true}, {Name: "err/s", Right: true}, {Name: "noidx/s", Right: true}, {Name: "schema", Max: 10}, {Name: "statement", Cut: true}}, empty: "no statements"}
	for i := range all.List {
		s := &all.List[i]
		ratio := math.NaN()
		if s.Sent > 0 {
			ratio = s.Examined / s.Sent
		}
		l.rows = append(l.rows, []cell{amount(s.Running, two), amount(s.Count/all.Seconds, count), amount(s.Mean(), mysqlview.Brief), amount(ratio, count),
			amount(s.Errors/all.Seconds, count), amount(s.NoIndex/all.Seconds, count), words(s.Schema), words(s.Text)})
	}
	return l
}

func (m *Model) sessionList() list {
	l := list{columns: []document.Column{{Name: "for", Right: true}, {Name: "id", Right: true}, {Name: "user", Max: 10}, {Name: "client", Max: 15}, {Name: "db", Max: 10}, {Name: "command", Max: 8}, {Name: "state", Max: 30}, {Name: "statement", Cut: true}}, empty: "no session does anything, and none sleeps with a transaction open"}
	for _, s := range m.frame.Sessions {
		l.rows = append(l.rows, []cell{lasting(s.For), number64(s.ID), words(s.User), words(s.Client), words(s.DB), words(s.Command), words(s.State), words(s.Statement)})
	}
	return l
}

func (m *Model) poolList() list {
	l := list{columns: []document.Column{{Name: "queued", Right: true}, {Name: "group", Right: true}, {Name: "mean q", Right: true}, {Name: "most q", Right: true}, {Name: "active", Right: true}, {Name: "threads", Right: true}, {Name: "standby", Right: true}, {Name: "conns", Right: true}, {Name: "stalls", Right: true}, {Name: "longest", Cut: true}}, empty: "the server has no thread pool, or does not tell of it"}
	for _, g := range m.frame.Pool {
		wait := lasting(g.LongestWait)
		if g.LongestWait == 0 {
			wait.text = "-"
		}
		l.rows = append(l.rows, []cell{number64(g.Queued), number64(int64(g.Group)), amount(g.MeanQueued, two), number64(g.MostQueued), number64(g.Active),
			number64(g.Threads), number64(g.Standby), number64(g.Connections), amount(g.Stalls, count), wait})
	}
	return l
}

func (m *Model) stateList() list {
	l := list{columns: []document.Column{{Name: "mean", Right: true}, {Name: "most", Right: true}, {Name: "longest", Right: true}, {Name: "command", Max: 12}, {Name: "state", Cut: true}}, empty: "no session does anything"}
	for _, s := range m.frame.States {
		state := s.State
		if state == "" {
			state = "(none)"
		}
		l.rows = append(l.rows, []cell{amount(s.Mean, two), number64(s.Most), lasting(s.Longest), words(s.Command), words(state)})
	}
	return l
}

// sorted orders the rows by a column: numbers downward, texts upward, unless
// the other way is wanted.
func (l *list) sorted(by int, upward bool) {
	slices.SortStableFunc(l.rows, func(a, b []cell) int {
		x, y := a[by], b[by]
		order := cmp.Compare(y.key, x.key)
		if math.IsNaN(x.key) {
			order = cmp.Compare(strings.ToLower(x.text), strings.ToLower(y.text))
		}
		if upward {
			return -order
		}
		return order
	})
}

// body is the list of the pane.
func (m *Model) body(height int) []string {
	if m.pane == locks {
		return m.lockLines(height)
	}
	l := m.list()
	if len(l.rows) == 0 {
		return append([]string{""}, faintly(m.wrap(" "+l.empty, 1))...)
	}
	var lines []string
	if l.note != "" {
		lines = faintly(m.wrap(l.note, 0))
	}
	height -= len(lines) + 1
	by := min(m.order[m.pane], len(l.columns)-1)
	l.sorted(by, m.upward[m.pane])
	first := m.window(len(l.rows), height)
	rows := make([][]string, len(l.rows))
	for y, r := range l.rows {
		rows[y] = make([]string, len(r))
		for i, c := range r {
			rows[y][i] = c.text
		}
	}
	mark := "▼"
	if m.upward[m.pane] {
		mark = "▲"
	}
	l.columns[by].Name = mark + l.columns[by].Name
	for i := range l.columns {
		l.columns[i].Tight = true
	}
	printed := document.FitLines(l.columns, rows, m.width)
	line := func(b []byte) string { return clip(strings.TrimSuffix(string(b), "\n"), m.width) }
	lines = append(lines, fullscreen.Bold.Render(line(printed.AppendNames(nil))))
	for _, r := range rows[first:min(first+max(height, 0), len(rows))] {
		lines = append(lines, line(printed.Append(nil, r)))
	}
	return lines
}

func faintly(lines []string) []string {
	for i, line := range lines {
		lines[i] = fullscreen.Faint.Render(line)
	}
	return lines
}

// window is the first line that is shown, kept within the list.
func (m *Model) window(lines, height int) int {
	m.scroll[m.pane] = min(max(m.scroll[m.pane], 0), max(0, lines-height))
	return m.scroll[m.pane]
}
