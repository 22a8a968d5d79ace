package screen

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rtrail/internal/document"
	"rtrail/internal/episode"
	"rtrail/internal/golden"
	"rtrail/internal/recording"
	"rtrail/internal/replayview"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	m.Run()
}

// pieces are an hour, and half an hour that begins before its end: the clock was set back.
func pieces() []recording.Piece {
	return []recording.Piece{
		{Number: 0, Window: recording.Window{From: noon, To: noon.Add(time.Hour)}},
		{Number: 3, Window: recording.Window{From: noon.Add(50 * time.Minute), To: noon.Add(80 * time.Minute)}},
	}
}

// judge is a verdict that says of which window it is, with text that a stranger chose.
func judge(p Place) (m replayview.Moment, err error) {
	if p.At.Equal(noon.Add(10 * time.Second)) {
		return m, errors.New("segment 7 is damaged")
	}
	for i := range m.Pages {
		name := replayview.Names()[i]
		m.Pages[i].Blocks = []document.Block{document.Facts{Lead: "SLOW", Items: []string{fmt.Sprintf("%s of piece %d at %s", name, p.Piece, p.At.Format("15:04:05"))}}}
		t := document.Table{Title: "ROWS", Columns: []document.Column{{Name: "name", Cut: true}, {Name: "n", Right: true}}}
		for n := range 50 {
			t.Rows = append(t.Rows, []string{"evil\x1b[31m\x1b]52;c;AAAA\x07\u202e", fmt.Sprint(n)})
		}
		m.Pages[i].Blocks = append(m.Pages[i].Blocks, t)
	}
	for i := range 6 {
		m.Samples = append(m.Samples, p.At.Add(time.Duration(i)*2*time.Second))
	}
	return m, nil
}

func screenOf(width, height int) *Model {
	m := New(Source{Host: "db1", Pieces: pieces(), Length: 10 * time.Second, Judge: judge, When: func(text string) (time.Time, string, error) {
		if text == "-5m" {
			return noon.Add(75 * time.Minute), "", nil
		}
		return time.Time{}, "", fmt.Errorf("%q: want 03:00", text)
	}}, noon, false)
	run(m, m.Init())
	send(m, tea.WindowSizeMsg{Width: width, Height: height})
	return m
}

// run takes what a command tells, and what that has to be told.
func run(m *Model, cmd tea.Cmd) {
	for cmd != nil {
		_, cmd = m.Update(cmd())
	}
}

func send(m *Model, msgs ...tea.Msg) {
	for _, msg := range msgs {
		_, cmd := m.Update(msg)
		run(m, cmd)
	}
}

func keys(names ...string) (list []tea.Msg) {
	special := map[string]rune{"left": tea.KeyLeft, "right": tea.KeyRight, "down": tea.KeyDown, "pgdown": tea.KeyPgDown, "tab": tea.KeyTab, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace}
	for _, k := range names {
		if code, ok := special[k]; ok {
			list = append(list, tea.KeyPressMsg{Code: code})
			continue
		}
		for _, r := range k {
			list = append(list, tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return list
}

func found() Found {
	at := func(name string, from, to int) episode.Episode {
		e := episode.Episode{First: noon.Add(time.Duration(from) * time.Minute), Last: noon.Add(time.Duration(to) * time.Minute)}
		e.Finding = verdict.Finding{Finding: rule.Finding{Confidence: rule.Certain, Rule: name}}
		return e
	}
	return Found{Episodes: []episode.Episode{at("cpu/saturated", 5, 9), at("disk/full", 7, 30), at("mem/leak", 70, 75)},
		Document: document.Document{Blocks: []document.Block{document.Prose{Words: "three findings"}}}}
}

// plain is the screen without colours; it must be as large as the terminal.
func plain(t *testing.T, m *Model) string {
	t.Helper()
	shown := m.View().Content
	text := ansi.Strip(shown)
	lines := strings.Split(text, "\n")
	if len(lines) != m.height {
		t.Errorf("%d lines on a screen of %d", len(lines), m.height)
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > m.width {
			t.Errorf("%d columns on a screen of %d: %s", n, m.width, line)
		}
	}
	for _, bad := range []string{"\x1b[31m", "\x1b]", "\x07", "\u202e"} {
		if strings.Contains(shown, bad) {
			t.Errorf("the terminal gets %q", bad)
		}
	}
	return text
}

func TestScreens(t *testing.T) {
	for name, test := range map[string]struct {
		width, height int
		found         bool
		keys          []string
	}{
		"verdict-80x14":   {80, 14, false, nil},
		"scrolled-60x12":  {60, 12, true, []string{"2", "pgdown", "down"}},
		"findings-100x10": {100, 10, true, []string{"6", "n"}},
		"piece-100x10":    {100, 10, true, []string{"]"}},
		"asking-80x10":    {80, 10, true, []string{"t", "03:0"}},
		"help-60x30":      {60, 30, true, []string{"?"}},
		"error-80x10":     {80, 10, true, []string{"right"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := screenOf(test.width, test.height)
			if test.found {
				send(m, found())
			}
			send(m, keys(test.keys...)...)
			golden.Text(t, filepath.Join("testdata", name+".txt"), plain(t, m))
		})
	}
}

// Each key goes where its help says.
func TestMoves(t *testing.T) {
	for name, test := range map[string]struct {
		keys  []string
		piece int
		at    string
		note  string
	}{
		"a window on":                {[]string{"right", "right"}, 0, "12:00:20", ""},
		"and back":                   {[]string{"right", "right", "left"}, 0, "12:00:10", ""},
		"not before the beginning":   {[]string{"left"}, 0, "12:00:00", "the recording begins here"},
		"a sample on":                {[]string{"."}, 0, "12:00:02", ""},
		"and back to the beginning":  {[]string{".", "left"}, 0, "12:00:00", ""},
		"a sample back":              {[]string{"right", "right", ","}, 0, "12:00:18", ""},
		"the next finding":           {[]string{"n", "n"}, 0, "12:07:00", ""},
		"of another piece":           {[]string{"n", "n", "n"}, 1, "13:10:00", ""},
		"behind the last finding":    {[]string{"n", "n", "n", "n"}, 1, "13:10:00", "no finding begins later"},
		"the one before":             {[]string{"n", "n", "p"}, 0, "12:05:00", ""},
		"before the first":           {[]string{"n", "p"}, 0, "12:05:00", "no finding begins earlier"},
		"the end":                    {[]string{"]"}, 1, "13:19:50", ""},
		"not behind it":              {[]string{"]", "right"}, 1, "13:19:50", "the recording ends here"},
		"the beginning":              {[]string{"]", "["}, 0, "12:00:00", ""},
		"a time":                     {[]string{"t", "-5m", "enter"}, 1, "13:15:00", ""},
		"a time that is none":        {[]string{"t", "9x", "enter"}, 0, "12:00:00", `"9x": want 03:00`},
		"a time that is not wanted":  {[]string{"t", "-5m", "esc"}, 0, "12:00:00", ""},
		"a time that is typed again": {[]string{"t", "-59", "backspace", "m", "enter"}, 1, "13:15:00", ""},
		"no time":                    {[]string{"t", "enter"}, 0, "12:00:00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := screenOf(100, 20)
			send(m, found())
			send(m, keys(test.keys...)...)
			if at := m.at.Format("15:04:05"); at != test.at || m.piece != test.piece || m.note != test.note {
				t.Errorf("at %s of piece %d, %q; want %s of %d, %q", at, m.piece, m.note, test.at, test.piece, test.note)
			}
		})
	}
}

// From the beginning of a piece the way back leads to the end of the one before.
func TestPiecesMeet(t *testing.T) {
	m := screenOf(100, 20)
	m.piece, m.at = 1, pieces()[1].From
	send(m, keys("left")...)
	if m.piece != 0 || !m.at.Equal(noon.Add(time.Hour-10*time.Second)) {
		t.Errorf("at %v of piece %d", m.at, m.piece)
	}
	send(m, keys("right", "right")...)
	if m.piece != 1 || !m.at.Equal(noon.Add(50*time.Minute+10*time.Second)) {
		t.Errorf("at %v of piece %d", m.at, m.piece)
	}
}

// While a window is judged the screen goes on: the last one stays, and of the places that
// were passed only the last is judged.
func TestJudgesBehindTheScreen(t *testing.T) {
	m := screenOf(100, 20)
	_, first := m.Update(keys("]")[0])
	if first == nil {
		t.Fatal("a new place is not judged")
	}
	for _, k := range keys("[", "n", "right", "right", "right") {
		if _, cmd := m.Update(k); cmd != nil {
			t.Fatal("two are judged at a time")
		}
	}
	if text := plain(t, m); !strings.Contains(text, "judging; below is still 12:00:00") || !strings.Contains(text, "verdict of piece 0 at 12:00:00") || !strings.Contains(text, "12:00:30 UTC + 10 s") {
		t.Errorf("the screen is\n%s", text)
	}
	_, second := m.Update(first())
	if second == nil {
		t.Fatal("the last place is not judged")
	}
	run(m, second)
	if text := plain(t, m); strings.Contains(text, "judging") || !strings.Contains(text, "verdict of piece 0 at 12:00:30") {
		t.Errorf("the screen is\n%s", text)
	}
	if _, cmd := m.Update(keys("]")[0]); cmd != nil {
		t.Error("a window is judged again")
	}
	for range 3 * kept {
		send(m, keys("left")...)
	}
	if len(m.kept) != kept {
		t.Errorf("%d windows are kept", len(m.kept))
	}
}

func TestQuits(t *testing.T) {
	for name, before := range map[string][]string{"at once": nil, "while asking": {"t"}, "from help": {"?"}} {
		m := screenOf(80, 20)
		send(m, keys(before...)...)
		_, cmd := m.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
		if cmd == nil {
			t.Fatalf("%s: it goes on", name)
		}
		if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Errorf("%s: %v", name, cmd())
		}
	}
}

// A panic is told, and the screen goes on.
func TestPanics(t *testing.T) {
	m := screenOf(80, 20)
	m.source.When = func(string) (time.Time, string, error) { panic("no clock\x1b[31m") }
	send(m, keys("t", "1", "enter")...)
	if text := plain(t, m); !strings.Contains(text, "crashed (bug): no clock") {
		t.Errorf("the screen is\n%s", text)
	}
	m.shown.Moment.Pages[0].Blocks = []document.Block{nil}
	send(m, tea.WindowSizeMsg{Width: 70, Height: 20})
	if text := plain(t, m); !strings.Contains(text, "crashed (bug)") || !strings.Contains(text, "q quit") {
		t.Errorf("the screen is\n%s", text)
	}
	send(m, keys("2")...)
	if text := plain(t, m); !strings.Contains(text, "processes of piece 0") {
		t.Errorf("the screen is\n%s", text)
	}
}

// No size and no keys break it, and what is drawn takes no time that anybody feels.
func FuzzScreen(f *testing.F) {
	f.Add(uint8(80), uint8(24), "n]p[t12:00\r6?jk")
	f.Add(uint8(40), uint8(8), "\t\t\t....,,,,")
	f.Fuzz(func(t *testing.T, width, height uint8, typed string) {
		m := screenOf(int(width), int(height))
		send(m, found())
		for _, r := range typed[:min(len(typed), 100)] {
			send(m, tea.KeyPressMsg{Code: r, Text: string(r)})
			_ = m.View()
		}
	})
}

func BenchmarkKey(b *testing.B) {
	m := screenOf(200, 50)
	send(m, found())
	for b.Loop() {
		send(m, keys("right")...)
		_ = m.View()
	}
}
