// Package screen is the full screen of `rtrail replay`: one window of a recording after the
// other, each with its verdict and tables, and the findings of all of it as places to go to.
// It is a model of Bubble Tea: messages go in, text comes out, so that it can be tested
// without a terminal.
package screen

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"rtrail/internal/crash"
	"rtrail/internal/document"
	"rtrail/internal/episode"
	"rtrail/internal/escape"
	"rtrail/internal/fullscreen"
	"rtrail/internal/recording"
	"rtrail/internal/replayview"
)

// Place is where a window begins: a time in a piece of the recording.
type Place struct {
	Piece int // its number
	At    time.Time
}

func (p Place) is(q Place) bool { return p.Piece == q.Piece && p.At.Equal(q.At) }

// Source is the recording.
type Source struct {
	Host   string
	Pieces []recording.Piece // oldest first, at least one
	Length time.Duration     // of a window
	// Judge reads and judges the window that begins at a place; it may take its time.
	Judge func(Place) (replayview.Moment, error)
	// When finds the time that a user means; note says that it is another one.
	When func(text string) (at time.Time, note string, err error)
}

// Judged is a message: a window was judged.
type Judged struct {
	Place  Place
	Moment replayview.Moment
	Err    error
}

// Found is a message: the findings of the whole recording.
type Found struct {
	Episodes []episode.Episode
	Document document.Document
	Err      error
}

// findings is the pane behind those of the moment.
const (
	findings = int(replayview.Pages)
	panes    = findings + 1
)

// kept is how many windows are remembered, to go back to without reading them again.
const kept = 16

// Model is the screen. Without a size it shows nothing.
type Model struct {
	source Source
	colour bool

	width, height int
	piece         int // index in source.Pieces
	at            time.Time
	shown         Judged   // what is on the screen, maybe still of another place
	kept          []Judged // the oldest first
	judging       *Place   // nil: nothing is
	found         *Found   // nil: still looking

	pane   int
	scroll [panes]int
	help   bool
	above  int     // first line of the help that is shown
	asking *string // what was typed of a time; nil: nothing is asked
	note   string  // what is said until the next key

	drawn drawn
}

// New makes a screen that begins at a time.
func New(s Source, at time.Time, colour bool) *Model {
	m := &Model{source: s, colour: colour}
	m.goTo(at)
	return m
}

// Init implements tea.Model: it judges the first window.
func (m *Model) Init() tea.Cmd { return m.judge() }

// Update implements tea.Model. A panic costs what the message wants.
func (m *Model) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	err := crash.Guard(func() error {
		cmd = m.update(msg)
		return nil
	})
	if err != nil {
		m.note = err.Error()
	}
	return m, cmd
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case Judged:
		m.judging = nil
		m.keep(msg)
		// Also of a place that was left meanwhile: it is nearer than what was shown.
		m.shown = msg
		return m.judge()
	case Found:
		m.found = &msg
	case tea.PasteMsg:
		if m.asking != nil {
			m.typed(msg.Content)
		}
	case tea.KeyPressMsg:
		m.note = ""
		if m.asking != nil {
			return m.answer(msg)
		}
		return m.key(msg.String())
	}
	return nil
}

// place is that of the window that is wanted.
func (m *Model) place() Place { return Place{m.source.Pieces[m.piece].Number, m.at} }

// judge has the wanted window judged, if it is not known; one at a time, so that a key that
// is held asks for the last one only.
func (m *Model) judge() tea.Cmd {
	want := m.place()
	if m.judging != nil || m.shown.Place.is(want) {
		return nil
	}
	if i := slices.IndexFunc(m.kept, func(j Judged) bool { return j.Place.is(want) }); i >= 0 {
		m.shown = m.kept[i]
		return nil
	}
	m.judging = &want
	read := m.source.Judge
	return func() tea.Msg {
		j := Judged{Place: want}
		j.Moment, j.Err = read(want)
		return j
	}
}

func (m *Model) keep(j Judged) {
	if len(m.kept) == kept {
		m.kept = slices.Delete(m.kept, 0, 1)
	}
	m.kept = append(m.kept, j)
}

// View implements tea.Model.
func (m *Model) View() tea.View {
	var text string
	if err := crash.Guard(func() error { text = m.Text(); return nil }); err != nil {
		text = fullscreen.Fill(fullscreen.Wrap(escape.Line(err.Error()), m.width, 0), max(m.height, 1), m.keys())
	}
	v := tea.NewView(escape.Screen(text))
	v.AltScreen = true
	v.WindowTitle = "rtrail replay"
	return v
}

// key does what a key means.
func (m *Model) key(key string) tea.Cmd {
	if m.help {
		if fullscreen.Scrolled(&m.above, key, m.height-1) {
			return nil
		}
		m.help, m.above = false, 0
		if key == "q" || key == "ctrl+c" {
			return tea.Quit
		}
		return nil
	}
	switch key {
	case "q", "ctrl+c":
		return tea.Quit
	case "?", "h":
		m.help = true
	case "tab":
		m.pane = (m.pane + 1) % panes
	case "shift+tab":
		m.pane = (m.pane + panes - 1) % panes
	case "1", "2", "3", "4", "5", "6":
		m.pane = int(key[0] - '1')
	case "right":
		m.step(m.source.Length)
	case "left":
		m.step(-m.source.Length)
	case ".", "shift+right":
		m.step(m.sample())
	case ",", "shift+left":
		m.step(-m.sample())
	case "n":
		m.next()
	case "p", "shift+n", "N":
		m.previous()
	case "[":
		m.piece = 0
		m.at = m.source.Pieces[0].From
	case "]":
		m.piece = len(m.source.Pieces) - 1
		m.at = m.last()
	case "t":
		m.asking = new(string)
	default:
		fullscreen.Scrolled(&m.scroll[m.pane], key, m.room())
	}
	return m.judge()
}

// maxTyped bounds what is typed of a time.
const maxTyped = 40

func (m *Model) typed(text string) {
	for _, r := range text {
		if !escape.Hidden(r) && len([]rune(*m.asking)) < maxTyped {
			*m.asking += string(r)
		}
	}
}

// answer takes a key of the time that is asked for.
func (m *Model) answer(msg tea.KeyPressMsg) tea.Cmd {
	switch key := msg.String(); key {
	case "ctrl+c":
		return tea.Quit
	case "esc":
		m.asking = nil
	case "enter":
		text := *m.asking
		m.asking = nil
		if text == "" {
			break
		}
		at, note, err := m.source.When(text)
		if err != nil {
			m.note = err.Error()
			break
		}
		m.note = note
		m.goTo(at)
	case "backspace":
		if r := []rune(*m.asking); len(r) > 0 {
			*m.asking = string(r[:len(r)-1])
		}
	default:
		m.typed(msg.Text)
	}
	return m.judge()
}
