package screen

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"rtrail/internal/fullscreen"
	"rtrail/internal/golden"
	"rtrail/internal/mysqlview"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func moment(i int) Moment {
	nan := math.NaN()
	row := mysqlview.Row{
		At: noon.Add(time.Duration(i) * time.Second), Seconds: 1, Server: "db1:3306", State: recording.ServerAnswers,
		Commands: 1000 * float64(i), Writes: 200, Running: float64(i % 5), Connected: 963, Idle: 40, IOWait: 5, RowLocksWaiting: 3, History: 123456,
		Load1: 12.5, Hit: 99.998, RTMean: 0.0002, RT99: 0.0123,
	}
	if i%7 == 3 {
		row.Commands, row.History = nan, nan
	}
	return Moment{row, mysqlview.Frame{
		At: row.At, Server: "db1:3306", Flavor: "MariaDB", Version: "10.11.19-MariaDB", Uptime: 3 * time.Hour, Window: 10, Own: 0.0021, OwnKnown: true,
		Statements: mysqlview.Statements{Seconds: 10, List: []mysqlview.Statement{
			{Schema: "shop", Text: "SELECT * FROM orders WHERE customer = ?", Running: 3.1, Count: 500, Took: 31, Examined: 5e6, Sent: 500, Errors: 0, NoIndex: 500},
			{Schema: "shop", Text: "UPDATE stock SET n = n - ? WHERE item = ?", Running: 1.2, Count: 2000, Took: 12, Examined: 2000, Sent: 0, Errors: 20, NoIndex: 0},
			{Text: "COMMIT", Running: 0.4, Count: 9000, Took: 4, Examined: nan, Sent: nan},
		}},
		Blockers: []view.MySQLBlocker{
			{Session: 17, Kind: "row", Object: "shop.stock", Index: "PRIMARY", User: "app", Client: "10.0.0.7", Command: "Sleep", Statement: "UPDATE stock SET n = ?",
				For: 41 * time.Second, Looks: 3, Mean: 3, Waited: 3, Victims: []view.MySQLVictim{
					{Session: 21, Kind: "row", Object: "shop.stock", Statement: "UPDATE stock SET n = n - ?", Waited: 12 * time.Second, Behind: 17},
					{Session: 22, Kind: "metadata", Object: "shop.stock", Statement: "ALTER TABLE stock", Waited: 11500 * time.Millisecond, Behind: 21},
					{Session: 23, Kind: "row", Object: "shop.stock", Statement: "UPDATE stock SET n = n - ?", Waited: recording.Unknown, Behind: 17},
				}},
			{Kind: "metadata", Object: "shop.orders", For: recording.Unknown, Waited: 0.4, Victims: []view.MySQLVictim{{Session: 40, Kind: "metadata", Object: "shop.orders", Statement: "SELECT ?", Waited: 2 * time.Second}}},
			{Kind: "table", For: recording.Unknown, Waited: 0.1, Victims: []view.MySQLVictim{{Session: 41, Kind: "table", Statement: "SELECT ?", Waited: time.Second}}},
		},
		Sessions: []recording.MySQLSession{
			{ID: 17, User: "app", Client: "10.0.0.7", DB: "shop", Command: "Sleep", For: 41 * time.Second},
			{ID: 21, User: "app", Client: "10.0.0.8", DB: "shop", Command: "Query", State: "updating\x1b[31m", For: 12 * time.Second, Statement: "UPDATE stock SET n = n - ?"},
		},
		Pool: []view.MySQLPoolGroup{
			{MySQLPoolGroup: recording.MySQLPoolGroup{Group: 0, Connections: 60, Threads: 3, Active: 1, Standby: 1, Queued: 0}, MeanQueued: 0},
			{MySQLPoolGroup: recording.MySQLPoolGroup{Group: 1, Connections: 61, Threads: 11, Active: 10, Standby: 0, Queued: 41}, MeanQueued: 38.5, MostQueued: 44, Stalls: 12, LongestWait: 1200 * time.Millisecond},
		},
		States: []view.MySQLState{{Command: "Query", State: "Opening tables", Mean: 192, Most: 240, Looks: 10, Longest: 3 * time.Second}},
	}}
}

func screenOf(width, height, rows int, packets bool) *Model {
	m := New(packets)
	m.Zone = time.UTC
	send(m, tea.WindowSizeMsg{Width: width, Height: height})
	for i := range rows {
		send(m, moment(i))
	}
	return m
}

func send(m *Model, msgs ...tea.Msg) (last tea.Cmd) {
	for _, msg := range msgs {
		_, last = m.Update(msg)
	}
	return last
}

func press(keys ...string) []tea.Msg {
	var list []tea.Msg
	for _, k := range keys {
		switch k {
		case "tab":
			list = append(list, tea.KeyPressMsg{Code: tea.KeyTab})
		case "down":
			list = append(list, tea.KeyPressMsg{Code: tea.KeyDown})
		case "space":
			list = append(list, tea.KeyPressMsg{Code: tea.KeySpace, Text: " "})
		case "ctrl+c":
			list = append(list, tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
		default:
			list = append(list, tea.KeyPressMsg{Code: []rune(k)[0], Text: k})
		}
	}
	return list
}

// plain is the screen without colours; it must be as large as the terminal.
func plain(t *testing.T, m *Model) string {
	t.Helper()
	text := ansi.Strip(m.Text())
	lines := strings.Split(text, "\n")
	if len(lines) != m.height {
		t.Errorf("%d lines on a screen of %d", len(lines), m.height)
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > m.width {
			t.Errorf("%d columns on a screen of %d: %s", n, m.width, line)
		}
	}
	return text
}

func TestScreens(t *testing.T) {
	for name, test := range map[string]struct {
		width, height int
		packets       bool
		keys          []string
	}{
		"statements-80x24":  {80, 24, false, nil},
		"statements-132x30": {132, 30, true, nil},
		"locks-80x24":       {80, 24, false, []string{"2"}},
		"sessions-80x24":    {80, 24, false, []string{"tab", "tab"}},
		"pool-80x24":        {80, 24, false, []string{"4"}},
		"states-80x24":      {80, 24, false, []string{"5"}},
		"help-80x24":        {80, 24, false, []string{"?"}},
		"tiny-40x8":         {40, 8, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := screenOf(test.width, test.height, 40, test.packets)
			send(m, press(test.keys...)...)
			got := plain(t, m) + "\n"
			if strings.Contains(got, "\x1b") {
				t.Error("a control character of the server is on the screen")
			}
			golden.Text(t, filepath.Join("testdata", name+".txt"), got)
		})
	}
}

// first is the first column of the rows of a list.
func first(m *Model, t *testing.T) []string {
	var list []string
	seen := false
	for line := range strings.SplitSeq(plain(t, m), "\n") {
		f := strings.Fields(line)
		if seen && len(f) > 1 && f[0] != "q" {
			list = append(list, f[0])
		}
		seen = seen || strings.ContainsAny(line, "▼▲")
	}
	return list
}

func TestSorting(t *testing.T) {
	m := screenOf(80, 24, 3, false)
	for _, step := range []struct {
		keys []string
		want []string
	}{
		{nil, []string{"3.10", "1.20", "0.40"}},
		{[]string{"r"}, []string{"0.40", "1.20", "3.10"}},
		{[]string{"r", "s"}, []string{"0.40", "1.20", "3.10"}}, // by count/s
		{[]string{"<", "<"}, []string{"0.40", "3.10", "1.20"}}, // by statement, as words
		{[]string{">", ">"}, []string{"0.40", "1.20", "3.10"}}, // by count/s again
		{[]string{">"}, []string{"3.10", "1.20", "0.40"}},      // by mean
	} {
		send(m, press(step.keys...)...)
		if diff := cmp.Diff(step.want, first(m, t)); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", step.keys, diff)
		}
	}
	// What is not known comes last, whatever the others are.
	send(m, press("s")...)
	if got := first(m, t); got[0] != "3.10" {
		t.Errorf("by rows examined per row sent: %v", got)
	}
}

func TestScrolling(t *testing.T) {
	m := screenOf(80, 16, 1, false)
	x := moment(1)
	x.Frame.Sessions = nil
	for i := range 30 {
		x.Frame.Sessions = append(x.Frame.Sessions, recording.MySQLSession{ID: int64(i), For: time.Duration(100-i) * time.Second, Command: "Query"})
	}
	send(m, x)
	send(m, press("3")...)
	top := func() string { return strings.Fields(strings.Split(plain(t, m), "\n")[len(m.numbers())+4])[2] }
	if top() != "0" {
		t.Fatalf("the first session is %s", top())
	}
	send(m, press("down", "down")...)
	if top() != "2" {
		t.Errorf("two lines down comes session %s", top())
	}
	for range 100 {
		send(m, press("down")...)
	}
	if text := plain(t, m); !strings.Contains(text, " 29 ") {
		t.Errorf("the last session is not on the screen:\n%s", text)
	}
	send(m, press("g")...)
	if top() != "0" {
		t.Errorf("after home comes session %s", top())
	}
}

func TestQuitAndHelp(t *testing.T) {
	for _, key := range []string{"q", "ctrl+c"} {
		m := screenOf(80, 24, 1, false)
		cmd := send(m, press(key)...)
		if cmd == nil {
			t.Fatalf("%s does nothing", key)
		}
		if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Errorf("%s does not quit", key)
		}
	}
	m := screenOf(80, 24, 1, false)
	before := plain(t, m)
	send(m, press("?")...)
	if plain(t, m) == before {
		t.Error("? shows nothing")
	}
	send(m, press("x")...)
	if plain(t, m) != before {
		t.Error("the help does not go away")
	}
}

// Whatever the size, all of the help can be read.
func TestHelpIsReadToItsEnd(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 14}, {40, 8}} {
		m := screenOf(size[0], size[1], 1, false)
		send(m, press("?")...)
		var read string
		for range 60 {
			page, _, _ := strings.Cut(plain(t, m), "q quit  ? help") // the keys have no room on a narrow screen
			read += page
			send(m, press("down")...)
		}
		if strings.Contains(read, "…") {
			t.Errorf("%v: a line is cut:\n%s", size, read)
		}
		for _, words := range []string{"rtrail mysql, full screen", "without", "although others idle", "leaves this page."} {
			if !strings.Contains(strings.Join(strings.Fields(read), " "), words) {
				t.Errorf("%v: %q cannot be read:\n%s", size, words, read)
			}
		}
		send(m, press("x", "?")...)
		if top := plain(t, m); !strings.HasPrefix(top, "rtrail mysql, full screen") {
			t.Errorf("%v: opened again it begins\n%s", size, top)
		}
	}
}

// Sentences are read to their end on a usual screen: why a list is empty, where
// its numbers come from, what is wrong.
func TestSentencesAreWrapped(t *testing.T) {
	m := screenOf(80, 24, 2, false)
	x := moment(9)
	x.Frame.Statements = mysqlview.Statements{Seconds: 10, Sampled: true, Awaited: true}
	x.Row.State, x.Row.Since = recording.ServerUnreachable, noon
	x.Row.Error = "connect to the server at /run/mysqld/mysqld.sock: connect: no such file or directory; is it started, and is this its socket?"
	send(m, x)
	read := func() string { return strings.Join(strings.Fields(plain(t, m)), " ") }
	for _, want := range []string{"no statement was at work when the process list was read; the server's digests have not been read twice yet",
		"UNREACHABLE: " + x.Row.Error + "; since 9 s"} {
		if text := read(); !strings.Contains(text, want) {
			t.Errorf("%q cannot be read:\n%s", want, m.Text())
		}
	}
	x.Frame.Statements.List = []mysqlview.Statement{{Schema: "shop", Text: "COMMIT", Running: 0.4}}
	send(m, x)
	if text := read(); !strings.Contains(text, "by the process list: the server's digests have not been read twice yet") || !strings.Contains(text, "COMMIT") {
		t.Errorf("where the list comes from cannot be read:\n%s", m.Text())
	}
	x.Row.Error = strings.Repeat("a long story ", 100)
	send(m, x)
	if text := read(); !strings.Contains(text, "COMMIT") {
		t.Errorf("a long error leaves no room for the list:\n%s", m.Text())
	}
}

// A pause holds the lists, not the numbers; trouble is said at once.
func TestPauseAndTrouble(t *testing.T) {
	m := screenOf(80, 24, 2, false)
	send(m, press("space")...)
	x := moment(9)
	x.Frame.Statements.List = nil
	send(m, x)
	text := plain(t, m)
	if !strings.Contains(text, "PAUSED") || !strings.Contains(text, "COMMIT") || !strings.Contains(text, "12:00:09") {
		t.Errorf("paused:\n%s", text)
	}
	x.Row.State, x.Row.Error, x.Row.Since = recording.ServerStalled, "no answer to SHOW GLOBAL STATUS", noon
	send(m, x)
	if text := plain(t, m); !strings.Contains(text, "STALLED: no answer to SHOW GLOBAL STATUS; since 9 s") {
		t.Errorf("stalled:\n%s", text)
	}
	send(m, Ended{})
	if text := plain(t, m); !strings.Contains(text, "ENDED") || !strings.Contains(text, "STALLED: no answer") {
		t.Errorf("ended while stalled:\n%s", text)
	}
	send(m, moment(10))
	if text := plain(t, m); !strings.Contains(text, "ENDED") {
		t.Errorf("ended:\n%s", text)
	}
}

// Whatever the size and the keys, the screen fits and nothing panics.
func FuzzScreen(f *testing.F) {
	f.Add(uint8(80), uint8(24), "12345s<r?j")
	f.Add(uint8(1), uint8(1), "sss")
	f.Add(uint8(200), uint8(9), "4>>>>>>>>>>>>r")
	f.Fuzz(func(t *testing.T, width, height uint8, keys string) {
		m := screenOf(int(width), int(height), 3, len(keys)%2 == 0)
		for _, k := range keys {
			if k == 0 {
				continue
			}
			send(m, press(string(k))...)
			if text := m.Text(); width >= fullscreen.MinWidth && height >= fullscreen.MinHeight && strings.Count(text, "\n") != int(height)-1 {
				t.Fatalf("%d lines on a screen of %d", strings.Count(text, "\n")+1, height)
			}
		}
	})
}
