package screen

import (
	"strings"

	"rtrail/internal/fullscreen"
)

// tabs are the names of the panes, with what is in them.
func (m *Model) tabs() string {
	names := []string{"statements", "locks", "sessions", "thread pool", "states"}
	counts := []int{len(m.frame.Statements.List), len(m.frame.Blockers), len(m.frame.Sessions), len(m.frame.Pool), len(m.frame.States)}
	return fullscreen.Tabs(names, counts, int(m.pane), m.width)
}

func (m *Model) keys() string {
	return fullscreen.Faint.Render(clip("q quit  ? help  tab pane  s sort  r reverse  ↑↓ scroll  space pause", m.width))
}

func (m *Model) helpLines() []string {
	text := []string{
		"rtrail mysql, full screen",
		"",
		"tab, 1 to 5    statements, locks, sessions, thread pool, states",
		"s or >, <      sort by the next or the previous column",
		"r              reverse the order",
		"up, down, pgup, pgdown, home   scroll, this page too",
		"space          let the lists stand still; the numbers go on",
		"q              quit, with a summary",
		"",
		"statements     running: executions at a time. From the server's digests, which are read every ten seconds; without them from the process list",
		"ex/sent        rows examined for each row sent; noidx/s: executions without index",
		"locks          who blocks stands above those that wait for it",
		"sessions       those that do something, or sleep with a transaction open",
		"thread pool    statements wait in the queue of their group although others idle",
		"",
	}
	var lines []string
	for _, line := range text {
		lines = append(lines, m.wrap(line, helpIndent)...)
	}
	lines = append(lines, m.wrap("What the numbers mean: docs/mysql.md. Any other key leaves this page.", 0)...)
	lines[0] = fullscreen.Bold.Render(lines[0])
	return fullscreen.Part(lines, &m.helpTop, m.height-1)
}

// helpIndent is where the words behind a key or a column begin.
const helpIndent = 15

// wrap breaks a text into lines of the screen; those after the first are
// indented by hang. A word that is longer than a line is cut.
func (m *Model) wrap(text string, hang int) []string {
	return fullscreen.Wrap(text, m.width, hang)
}

// wrapTo is wrap for texts of any length; the last of the lines is cut.
func (m *Model) wrapTo(maxLines int, text string) []string {
	lines := m.wrap(text, 0)
	if len(lines) > maxLines {
		lines[maxLines-1] = clip(strings.Join(lines[maxLines-1:], " "), m.width)
		lines = lines[:maxLines]
	}
	return lines
}
