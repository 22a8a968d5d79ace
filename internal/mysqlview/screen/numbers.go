package screen

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/fullscreen"
	"rtrail/internal/mysqlview"
	"rtrail/internal/unit"
)

// title names the server and the time.
func (m *Model) title() string {
	f := &m.frame
	name := f.Version
	if !strings.Contains(name, f.Flavor) {
		name = f.Flavor + " " + name
	}
	text := strings.TrimSpace(escape.Line(name) + "  " + escape.Line(f.Server))
	if f.Uptime > 0 {
		text += "  up " + unit.Duration(f.Uptime).String()
	}
	clock := ""
	if n := len(m.rows); n > 0 {
		zone := m.Zone
		if zone == nil {
			zone = time.Local
		}
		clock = m.rows[n-1].At.In(zone).Format("15:04:05 MST")
	}
	room := m.width - len(clock) - 1
	text = clip(text, room)
	return fullscreen.Bold.Render(text) + strings.Repeat(" ", max(1, m.width-len(clock)-utf8.RuneCountInString(text))) + clock
}

// state says what is wrong with the server's answers, or how it is watched, in
// as many lines as leave most of the screen to the rest.
func (m *Model) state() []string {
	text, style := m.stateText()
	lines := m.wrapTo(max(1, m.height/8), text)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	// A line each, of few: the lists want their room.
	trouble := mysqlview.Replication(m.frame.Replicas)
	for _, text := range trouble[:min(len(trouble), max(1, m.height/12))] {
		lines = append(lines, fullscreen.Alarm.Render(clip(text, m.width)))
	}
	return lines
}

func (m *Model) stateText() (string, lipgloss.Style) {
	text, style := m.stateOfServer()
	if m.ended {
		// Also where the server is in trouble: nothing will change any more.
		text = "ENDED: the time is over, q quits; " + text
	}
	return strings.TrimSuffix(text, "; "), style
}

func (m *Model) stateOfServer() (string, lipgloss.Style) {
	if n := len(m.rows); n > 0 {
		last := &m.rows[n-1]
		if text := mysqlview.Trouble(last); text != "" {
			if !last.Since.IsZero() {
				text += "; since " + unit.Duration(last.At.Sub(last.Since).Round(time.Second)).String()
			}
			return text, fullscreen.Alarm
		}
	} else if m.ended {
		return "there was no second look", fullscreen.Faint
	} else {
		return "waiting for the second look", fullscreen.Faint
	}
	var parts []string
	if m.paused {
		parts = append(parts, "PAUSED: lists stand still")
	}
	if m.frame.OwnKnown {
		parts = append(parts, "rtrail waits "+unit.Seconds(m.frame.Own).String()+" a second for its queries")
	}
	if m.frame.Skipped != "" {
		parts = append(parts, "not read: "+escape.Line(m.frame.Skipped))
	}
	return strings.Join(parts, "; "), fullscreen.Faint
}

// number is one that has a small chart.
type number struct {
	title string
	get   func(*mysqlview.Row) float64
	show  func(float64) string
	top   float64 // of the chart; 0: the largest value shown
}

func count(v float64) string { return mysqlview.Rate(v) }

var numbers = []number{
	{"QPS+TPS", func(r *mysqlview.Row) float64 { return r.Commands }, count, 0},
	{"running", func(r *mysqlview.Row) float64 { return r.Running }, count, 0},
	{"writes/s", func(r *mysqlview.Row) float64 { return r.Writes }, count, 0},
	{"connected", func(r *mysqlview.Row) float64 { return r.Connected }, count, 0},
	{"cpu busy %", func(r *mysqlview.Row) float64 { return 100 - r.Idle - r.IOWait }, percent, 100},
	{"locks wait", func(r *mysqlview.Row) float64 { return r.RowLocksWaiting }, count, 0},
	{"iowait %", func(r *mysqlview.Row) float64 { return r.IOWait }, percent, 100},
	{"history", func(r *mysqlview.Row) float64 { return r.History }, count, 0},
	{"load", func(r *mysqlview.Row) float64 { return r.Load1 }, count, 0},
	{"hit %", func(r *mysqlview.Row) float64 { return r.Hit }, hit, 100},
}

var packetNumbers = []number{
	{"RT mean", func(r *mysqlview.Row) float64 { return r.RTMean }, mysqlview.Brief, 0},
	{"RT p99", func(r *mysqlview.Row) float64 { return r.RT99 }, mysqlview.Brief, 0},
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.0f", v)
}

func hit(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.2f", math.Floor(v*100)/100)
}

const (
	titleWidth = 10
	valueWidth = 7
	minSpark   = 12
)

// numbers are lines of cells: title, value, chart.
func (m *Model) numbers() []string {
	list := numbers
	if m.Packets {
		list = append(packetNumbers[:len(packetNumbers):len(packetNumbers)], list...)
	}
	across := max(1, (m.width+2)/(titleWidth+valueWidth+minSpark+5))
	if rows := (len(list) + across - 1) / across; rows > m.height/3 {
		list = list[:max(across, m.height/3*across)]
	}
	spark := (m.width+2)/across - titleWidth - valueWidth - 4
	var lines []string
	for i := 0; i < len(list); i += across {
		var cells []string
		for _, n := range list[i:min(i+across, len(list))] {
			cells = append(cells, m.cell(n, spark))
		}
		lines = append(lines, strings.Join(cells, "  "))
	}
	return lines
}

func (m *Model) cell(n number, width int) string {
	value := "-"
	if len(m.rows) > 0 {
		value = n.show(n.get(&m.rows[len(m.rows)-1]))
	}
	return fmt.Sprintf("%-*s%*s ", titleWidth, n.title, valueWidth, value) + fullscreen.Drawing.Render(m.spark(n, width))
}

var ticks = []rune("▁▂▃▄▅▆▇█")

// spark draws the last values, the newest on the right; unknown ones are gaps.
func (m *Model) spark(n number, width int) string {
	if width <= 0 {
		return ""
	}
	rows := m.rows[max(0, len(m.rows)-width):]
	top := n.top
	if top == 0 {
		for i := range rows {
			if v := n.get(&rows[i]); v > top {
				top = v
			}
		}
	}
	out := []rune(strings.Repeat(" ", width-len(rows)))
	for i := range rows {
		v := n.get(&rows[i])
		switch {
		case math.IsNaN(v):
			out = append(out, ' ')
		case top <= 0:
			out = append(out, ticks[0])
		default:
			step := int(math.Round(v / top * float64(len(ticks)-1)))
			out = append(out, ticks[min(max(step, 0), len(ticks)-1)])
		}
	}
	return string(out)
}

func clip(text string, width int) string { return document.Clip(text, width) }
