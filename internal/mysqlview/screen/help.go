package screen

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tabs are the names of the panes, with what is in them.
func (m *Model) tabs() string {
	names := []string{"statements", "locks", "sessions", "thread pool", "states"}
	counts := []int{len(m.frame.Statements.List), len(m.frame.Blockers), len(m.frame.Sessions), len(m.frame.Pool), len(m.frame.States)}
	var b strings.Builder
	used := 0
	for i, name := range names {
		text := fmt.Sprintf(" %d %s %d ", i+1, name, counts[i])
		if used+utf8.RuneCountInString(text) > m.width {
			break
		}
		used += utf8.RuneCountInString(text)
		if pane(i) == m.pane {
			text = chosen.Render(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

func (m *Model) keys() string {
	return faint.Render(clip("q quit  ? help  tab pane  s sort  r reverse  ↑↓ scroll  space pause", m.width))
}

func (m *Model) helpLines() []string {
	text := []string{
		"rtrail mysql, full screen",
		"",
		"tab, 1 to 5    statements, locks, sessions, thread pool, states",
		"s or >, <      sort by the next or the previous column",
		"r              reverse the order",
		"up, down, pgup, pgdown, home   scroll",
		"space          let the lists stand still; the numbers go on",
		"q              quit, with a summary",
		"",
		"statements     running: executions at a time. From the server's digests, which are",
		"               read every ten seconds; without them from the process list",
		"ex/sent        rows examined for each row sent;  noidx/s: executions without index",
		"locks          who blocks stands above those that wait for it",
		"sessions       those that do something, or sleep with a transaction open",
		"thread pool    statements wait in the queue of their group although others idle",
		"",
		"What the numbers mean: docs/mysql.md. Any key leaves this page.",
	}
	for i, line := range text {
		text[i] = clip(line, m.width)
	}
	text[0] = bold.Render(text[0])
	return text
}
