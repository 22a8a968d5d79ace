package mysqlview

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/recording"
)

const (
	// headerEvery is after how many lines the names of the columns come again, so
	// that a screen always shows them.
	headerEvery = 20
	// waitsEvery is after how many lines it is said again who waits for whom.
	waitsEvery = 5
)

// Lines prints a line per row.
type Lines struct {
	Out     io.Writer
	Zone    *time.Location // nil: local time
	Width   int            // columns of the terminal; 0: as many as are needed
	Packets bool           // response times come from packets

	pool    bool
	list    []column
	columns *document.Lines
	lines   int
	stops   string // of the channels, as told last
	holds   string // who holds others up, as told last
	told    int    // lines since it was
}

// Row prints one. A server that does not answer has a line that says so, beside
// its host.
func (l *Lines) Row(r *Row) error {
	if l.list == nil || r.Pool != nil && !l.pool {
		l.pool = r.Pool != nil || l.pool
		l.list, l.columns = layout(l.Width, l.in(time.Now()).Format("MST"), map[kind]bool{packets: l.Packets, pool: l.pool})
		l.lines = 0
	}
	var b []byte
	if l.lines%headerEvery == 0 {
		b = l.columns.AppendNames(b)
	}
	l.lines++
	cells := make([]string, 1, 1+len(l.list))
	cells[0] = l.clock(r.At)
	for _, c := range l.list {
		cell := ""
		switch {
		case !c.host && !r.Answers():
		case c.text != nil:
			cell = c.text(r)
		default:
			cell = c.show(c.get(r))
		}
		cells = append(cells, cell)
	}
	line := strings.TrimSuffix(string(l.columns.Append(b, cells)), "\n")
	if text := l.trouble(r); text != "" {
		line = l.append(line, text, r.Answers())
	}
	if r.Answers() {
		line = l.waits(line, r)
		if now := stops(r.Replicas); now != l.stops {
			l.stops = now
			for _, text := range Replication(r.Replicas) {
				line = l.append(line, text, true)
			}
		}
	}
	_, err := io.WriteString(l.Out, line+"\n")
	return err
}

// waits adds who waits for whom, when that changes, and every few lines as long as
// somebody does.
func (l *Lines) waits(line string, r *Row) string {
	now := holders(r.Blockers)
	l.told++
	if now == l.holds && (now == "" || l.told < waitsEvery) {
		return line
	}
	if now == "" {
		line = l.append(line, "no session waits for a lock any more", true)
	}
	l.holds, l.told = now, 0
	for _, text := range Waits(r.Blockers) {
		line = l.append(line, text, true)
	}
	return line
}

// append puts words behind a line, cut to the width; below it if the line is
// full of numbers.
func (l *Lines) append(line, text string, below bool) string {
	last := line[strings.LastIndexByte(line, '\n')+1:]
	switch room := l.Width - len([]rune(last)) - 2; {
	case below:
		text = strings.Repeat(" ", timeWidth+2) + text
		if l.Width > 0 {
			text = document.Clip(text, l.Width)
		}
		return line + "\n" + text
	case l.Width > 0:
		return line + "  " + document.Clip(text, room)
	}
	return line + "  " + text
}

func (l *Lines) clock(at time.Time) string {
	return l.in(at).Format(timeLayout)
}

// in is a time in the zone of the lines.
func (l *Lines) in(at time.Time) time.Time {
	return at.In(cmp.Or(l.Zone, time.Local))
}

// trouble says what a server does that does not answer as it should.
func (l *Lines) trouble(r *Row) string {
	since := ""
	if !r.Since.IsZero() {
		since = " since " + l.clock(r.Since) + " (" + ago(r.At.Sub(r.Since)) + ")"
	}
	text := Trouble(r)
	if text == "" {
		return ""
	}
	head, rest, _ := strings.Cut(text, ":")
	return head + since + ":" + rest
}

// Trouble says in words what a server does that does not answer as it should;
// "" if it does.
func Trouble(r *Row) string {
	said := escape.Line(r.Error)
	switch r.State {
	case recording.ServerAnswers:
		return ""
	case recording.ServerSlow:
		if r.Answer > time.Second {
			return fmt.Sprintf("SLOW: a trivial query took %s", brief(r.Answer.Seconds()))
		}
		return "SLOW: " + cmp.Or(said, "answers come later than rtrail's deadline")
	case recording.ServerStalled:
		return "STALLED: " + cmp.Or(said, "it accepts connections and does not answer")
	case recording.ServerUnreachable:
		return "UNREACHABLE: " + cmp.Or(said, "no connection")
	case recording.ServerFull:
		return "FULL: " + cmp.Or(said, "no connection is left")
	case recording.ServerDenied:
		return "DENIED: " + cmp.Or(said, "it does not let rtrail in")
	case recording.ServerMisnamed:
		return "MISNAMED: " + cmp.Or(said, "it cannot be asked as it was named")
	case recording.ServerGone:
		return "GONE: " + cmp.Or(said, "it closed the connection")
	}
	return "NO LOOK: " + cmp.Or(said, "rtrail could not look at the server")
}
