// Package screen is the full screen of `rtrail mysql`: the numbers of a server
// with their last minutes, and one of several lists below them. It is a model
// of Bubble Tea: messages go in, text comes out, so that it can be tested
// without a terminal.
package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"rtrail/internal/escape"
	"rtrail/internal/fullscreen"
	"rtrail/internal/mysqlview"
)

// Moment is a message: what was seen at one look.
type Moment struct {
	Row   mysqlview.Row
	Frame mysqlview.Frame
}

// Ended is a message: nothing will be seen any more.
type Ended struct{}

// history is how many rows are remembered for the small charts.
const history = 240

// pane is one of the lists.
type pane int

const (
	statements pane = iota
	locks
	sessions
	pools
	states
	panes // how many there are
)

// Model is the screen. The zero value has no size and shows nothing.
type Model struct {
	Zone    *time.Location // nil: local time
	Packets bool           // response times come from packets

	width, height int
	rows          []mysqlview.Row
	frame         mysqlview.Frame
	pane          pane
	order         [panes]int // column a list is sorted by
	upward        [panes]bool
	scroll        [panes]int // lines above the first that is shown
	help          bool
	helpTop       int // first line of the help that is shown
	paused        bool
	ended         bool
}

// New makes a screen.
func New(packets bool) *Model { return &Model{Packets: packets} }

// Init implements tea.Model; there is nothing to do.
func (m *Model) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case Moment:
		m.rows = append(m.rows, msg.Row)
		if len(m.rows) > history {
			m.rows = m.rows[len(m.rows)-history:]
		}
		if !m.paused {
			m.frame = msg.Frame
		}
	case Ended:
		m.ended = true
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	}
	return m, nil
}

// key does what a key means.
func (m *Model) key(key string) tea.Cmd {
	if m.help {
		if fullscreen.Scrolled(&m.helpTop, key, m.height-1) {
			return nil
		}
		m.help, m.helpTop = false, 0
		if key == "q" || key == "ctrl+c" {
			return tea.Quit
		}
		return nil
	}
	if fullscreen.Scrolled(&m.scroll[m.pane], key, m.listHeight()) {
		return nil
	}
	switch key {
	case "q", "ctrl+c":
		return tea.Quit
	case "?", "h":
		m.help = true
	case "tab", "right", "l":
		m.pane = (m.pane + 1) % panes
	case "shift+tab", "left":
		m.pane = (m.pane + panes - 1) % panes
	case "1", "2", "3", "4", "5":
		m.pane = pane(key[0] - '1')
	case "s", ">":
		m.sortBy(m.order[m.pane] + 1)
	case "<":
		m.sortBy(m.order[m.pane] - 1)
	case "r":
		m.upward[m.pane] = !m.upward[m.pane]
	case "space", "p":
		m.paused = !m.paused
	}
	return nil
}

// sortBy chooses a column; behind the last one comes the first.
func (m *Model) sortBy(column int) {
	n := len(m.list().columns)
	if m.pane == locks {
		n = len(lockOrders)
	}
	if n == 0 {
		return
	}
	m.order[m.pane] = (column%n + n) % n
	m.scroll[m.pane] = 0
}

// View implements tea.Model.
func (m *Model) View() tea.View {
	v := tea.NewView(escape.Screen(m.Text()))
	v.AltScreen = true
	v.WindowTitle = "rtrail mysql"
	return v
}

// Text is the screen as lines.
func (m *Model) Text() string {
	switch {
	case m.width == 0:
		return ""
	case m.width < fullscreen.MinWidth || m.height < fullscreen.MinHeight:
		return clip("rtrail: the window is too small", m.width)
	case m.help:
		return fullscreen.Fill(m.helpLines(), m.height, m.keys())
	}
	lines := append([]string{m.title()}, m.state()...)
	lines = append(lines, m.numbers()...)
	lines = append(lines, m.tabs())
	lines = append(lines, m.body(m.height-len(lines)-1)...)
	return fullscreen.Fill(lines, m.height, m.keys())
}

// listHeight is how many lines of a list fit.
func (m *Model) listHeight() int {
	return max(1, m.height-len(m.state())-len(m.numbers())-4)
}
