package screen

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"rtrail/internal/document"
	"rtrail/internal/episode"
	"rtrail/internal/escape"
	"rtrail/internal/fullscreen"
	"rtrail/internal/replayview"
	"rtrail/internal/unit"
)

// drawn are the lines of the pane that was drawn last: a document is laid out once.
type drawn struct {
	pane, width int
	place       Place
	found       *Found
	lines       []string
}

// head is how many lines stand above the pane: title, state, times, tabs.
const head = 4

// room is how many lines of a pane fit.
func (m *Model) room() int { return max(1, m.height-head-1) }

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
	lines := []string{m.title(), m.state(), m.bar(), fullscreen.Tabs(m.tabs(), nil, m.pane, m.width)}
	lines = append(lines, fullscreen.Part(m.lines(), &m.scroll[m.pane], m.room())...)
	return fullscreen.Fill(lines, m.height, m.keys())
}

func (m *Model) tabs() []string { return append(replayview.Names(), "findings") }

// title is the host and the window.
func (m *Model) title() string {
	when := fmt.Sprintf("%s + %v", unit.Moment(m.at), unit.Duration(m.source.Length))
	if len(m.source.Pieces) > 1 {
		when = fmt.Sprintf("piece %d of %d  ", m.piece+1, len(m.source.Pieces)) + when
	}
	name := clip("rtrail replay  "+escape.Line(m.source.Host), m.width-utf8.RuneCountInString(when)-1)
	gap := max(1, m.width-utf8.RuneCountInString(name)-utf8.RuneCountInString(when))
	return fullscreen.Bold.Render(name) + strings.Repeat(" ", gap) + fullscreen.Bold.Render(clip(when, m.width))
}

// state says what was asked, what is going on and what there is to say of the last key.
func (m *Model) state() string {
	switch {
	case m.asking != nil:
		return clip("go to: "+*m.asking+"_   (03:00, yesterday 03:00, -5m before the end; Enter, Esc)", m.width)
	case m.note != "":
		return fullscreen.Alarm.Render(clip(escape.Line(m.note), m.width))
	}
	var parts []string
	if !m.shown.Place.is(m.place()) {
		words := "judging"
		if !m.shown.Place.At.IsZero() {
			words += fmt.Sprintf("; below is still %v", unit.Clock(m.shown.Place.At))
		}
		parts = append(parts, words)
	}
	switch {
	case m.found == nil:
		parts = append(parts, "looking for the findings of the recording")
	case m.found.Err != nil:
		parts = append(parts, "no findings of the recording: "+escape.Line(m.found.Err.Error()))
	default:
		here := m.here()
		for _, e := range here {
			parts = append(parts, fmt.Sprintf("%v %s since %v", e.Finding.Confidence, e.Finding.Rule, unit.Clock(e.First)))
		}
		if len(here) == 0 {
			parts = append(parts, fmt.Sprintf("%s in all of it", unit.Plural(len(m.found.Episodes), "finding", "findings")))
		}
	}
	return fullscreen.Faint.Render(clip(strings.Join(parts, "; "), m.width))
}

// here are the findings of the recording that reach into the window.
func (m *Model) here() (list []episode.Episode) {
	for _, e := range m.found.Episodes {
		if e.First.Before(m.at.Add(m.source.Length)) && e.Last.After(m.at) {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b episode.Episode) int { return int(b.Finding.Confidence) - int(a.Finding.Confidence) })
	return list
}

// bar is the time of the piece in a line: where findings are, and where the window is.
func (m *Model) bar() string {
	p := m.source.Pieces[m.piece]
	from, to := p.From.Local().Format("15:04:05"), p.To.Local().Format("15:04:05")
	n := m.width - len(from) - len(to) - 2
	span := p.To.Sub(p.From)
	column := func(at time.Time) int {
		if span <= 0 {
			return 0
		}
		return min(max(int(float64(at.Sub(p.From))/float64(span)*float64(n)), 0), n-1)
	}
	marks := []rune(strings.Repeat("·", n))
	if m.found != nil {
		for _, e := range m.found.Episodes {
			if e.First.After(p.To) || e.Last.Before(p.From) {
				continue
			}
			for i := column(e.First); i <= column(e.Last); i++ {
				marks[i] = '█'
			}
		}
	}
	at := column(m.at)
	return fullscreen.Faint.Render(from) + " " + fullscreen.Drawing.Render(string(marks[:at])) + fullscreen.Chosen.Render(string(marks[at:at+1])) + fullscreen.Drawing.Render(string(marks[at+1:])) +
		" " + fullscreen.Faint.Render(to)
}

// lines are those of the pane.
func (m *Model) lines() []string {
	now := drawn{pane: m.pane, width: m.width, place: m.shown.Place, found: m.found}
	d := &m.drawn
	if d.lines == nil || d.pane != now.pane || d.width != now.width || !d.place.is(now.place) || d.found != now.found {
		now.lines = m.layOut()
		m.drawn = now
	}
	return m.drawn.lines
}

// layOut makes lines of the document of the pane.
func (m *Model) layOut() []string {
	d, err, missing := document.Document{}, m.shown.Err, ""
	switch {
	case m.pane != findings && m.shown.Place.At.IsZero():
		missing = "judging the first window"
	case m.pane != findings:
		d = m.shown.Moment.Pages[m.pane]
	case m.found == nil:
		missing, err = "looking for the findings of the recording", nil
	default:
		d, err = m.found.Document, m.found.Err
	}
	if err != nil {
		missing = err.Error()
	}
	if missing != "" {
		return fullscreen.Wrap(escape.Line(missing), m.width, 0)
	}
	var b bytes.Buffer
	if err := document.Terminal(&b, d, document.TerminalOptions{Width: m.width, Color: m.colour, Break: true}); err != nil {
		return []string{err.Error()}
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	for i, line := range lines {
		lines[i] = ansi.Truncate(strings.ReplaceAll(line, "\t", " "), m.width, "…")
	}
	return lines
}

func (m *Model) keys() string {
	return fullscreen.Faint.Render(clip("q quit  ? help  ←→ window  ,. sample  n/p finding  t time  tab pane  ↑↓ scroll", m.width))
}

func (m *Model) helpLines() []string {
	length := unit.Duration(m.source.Length)
	text := []string{
		"rtrail replay, full screen",
		"",
		fmt.Sprintf("left, right    one window back or on: %v (--for)", length),
		", and .        one sample back or on; also shift+left and shift+right",
		"n, p           to where the next or the previous finding of the recording begins",
		"t              to a time: 03:00, yesterday 03:00, -5m before the end",
		"[, ]           to the beginning or the end of the recording",
		"tab, 1 to 6    verdict, processes, disks, network, control groups; findings of all of the recording",
		"up, down, pgup, pgdown, home   scroll, this page too",
		"q              quit",
		"",
	}
	var lines []string
	for _, line := range text {
		lines = append(lines, fullscreen.Wrap(line, m.width, helpIndent)...)
	}
	lines = append(lines, fullscreen.Wrap("The line of times shows the recording, █ where findings are, and the window. Findings are those of rtrail timeline. While a window is judged, the last one stays. Any other key leaves this page.", m.width, 0)...)
	lines[0] = fullscreen.Bold.Render(lines[0])
	return fullscreen.Part(lines, &m.above, m.height-1)
}

// helpIndent is where the words behind a key begin.
const helpIndent = 15

func clip(text string, width int) string { return document.Clip(text, width) }
