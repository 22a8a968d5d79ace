package traffic

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/prose"
	"rtrail/internal/unit"
)

// maxListed is how many transactions are listed below a ladder, unless all are
// wanted: the slowest.
const maxListed = 40

const (
	// arrowWidth is how many columns lie between client and server if there is room.
	arrowWidth = 27
	// ladderText is how many columns of what a packet carries must be seen: an
	// answer with its response time is the most important that it says.
	ladderText = len("answer 123 after 12.3 ms")
	ladderGap  = 2 // before it
)

// LadderText says how a ladder is printed.
type LadderText struct {
	Width int // columns; 0: any
	Prose int // columns at which prose is broken; 0: nowhere
	Zone  *time.Location
}

// Print writes the ladder.
func (o LadderText) Print(out io.Writer, l *Ladder) error {
	w := &strings.Builder{}
	o.head(w, l)
	o.steps(w, l)
	o.transactions(w, l)
	_, err := io.WriteString(out, w.String())
	return err
}

func (o LadderText) head(w io.Writer, l *Ladder) {
	c := &l.Conn
	zone := o.Zone
	if zone == nil {
		zone = time.Local
	}
	protocol := c.Protocol
	if protocol == "" {
		protocol = "no data"
	}
	space := ""
	if l.Space != "" {
		space = ", " + l.Space
	}
	say(w, o.Prose, 2, "connection %d  client %v, server %v, %s%s (which is which: %s)", c.ID, c.Client, c.Server, protocol, space, c.Why)
	ended := c.Ending.String()
	if c.Closer.Frame != 0 {
		what := "FIN"
		if c.Closer.Reset {
			what = "RST"
		}
		ended += fmt.Sprintf(", first %s from the %s%s", what, c.Closer.Dir, during(c.CloseState))
	}
	say(w, o.Prose, 2, "%s, for %s; %s", time.Unix(0, c.Began).In(zone).Format("2006-01-02 15:04:05.000000 MST"), unit.Duration(c.Last.At-c.Began), ended)
	if c.Midway {
		say(w, o.Prose, 2, "its beginning was not captured: sequence numbers count from the first byte that was")
	}
	for d := range c.Sides {
		s := &c.Sides[d]
		say(w, o.Prose, 2, "%s sent %s, %s%s", flow.Dir(d), unit.Plural(s.Packets, "packet", "packets"), unit.Bytes(s.Bytes), inBrackets(
			counted(int(s.Retransmissions), "retransmitted"), counted(int(s.OutOfOrder), "out of order"), countedOf(int(s.DupACKs), "duplicate ACK", "duplicate ACKs"),
			countedOf(int(s.ZeroWindows), "zero window", "zero windows"), countedOf(int(s.KeepAlives), "keep-alive", "keep-alives")))
	}
	fmt.Fprintln(w)
}

// steps prints the packets.
func (o LadderText) steps(w *strings.Builder, l *Ladder) {
	remarks := l.remarks()
	columns := l.columns(o.Width)
	if need := columns.Width() + ladderGap + ladderText; o.Width > 0 && need > o.Width {
		say(w, o.Prose, 2, "(a ladder of this connection needs %d columns: what is beyond the edge is cut)", need)
	}
	o.line(w, columns.AppendNames(nil), columns.Width(), []carried{{text: "what it carries"}})
	before := l.Conn.Began
	for i := range l.steps {
		s := &l.steps[i]
		delta := "-"
		if i > 0 {
			delta = unit.Duration(s.at - before).String()
		}
		before = max(s.at, s.end)
		var text []carried
		var seq, ack string
		if s.run {
			text = append(text, carried{text: s.summed()})
		} else {
			seq, ack = l.relative(s.seq, s.dir), "-"
			if s.flags&decode.ACK != 0 {
				ack = l.relative(s.ack, s.dir.Other())
			}
			for _, what := range slices.Concat(s.options(), s.notes) {
				text = append(text, carried{text: what})
			}
		}
		last := max(s.frame, s.until)
		for len(remarks) > 0 && remarks[0].frame <= last {
			if remarks[0].frame >= s.frame {
				text = append(text, remarks[0].carried)
			}
			remarks = remarks[1:]
		}
		row := []string{fmt.Sprint(s.frame), l.moment(s), delta, s.arrow(columns.WidthOf(arrowColumn)), seq, ack}
		o.line(w, columns.Append(nil, row), columns.Width(), text)
	}
	if l.left > 0 {
		fmt.Fprintf(w, "%s: --all shows them\n", unit.Plural(l.left, "more packet", "more packets"))
	}
}

// carried is one thing that a packet carries or is. Statements are cut where
// the line ends; other words go on in the next line.
type carried struct {
	text string
	cut  bool
}

// line prints what a packet carries after its lead, on further lines if the
// width does not hold it.
func (o LadderText) line(w *strings.Builder, cells []byte, indent int, text []carried) {
	indent += ladderGap
	lead := strings.TrimSuffix(string(cells), "\n")
	lead += strings.Repeat(" ", max(0, indent-utf8.RuneCountInString(lead)))
	room := 0
	if o.Width > 0 {
		room = max(o.Width-indent, ladderText)
	}
	var line string
	flush := func() {
		out := strings.TrimRight(lead+line, " ")
		if o.Width > 0 {
			out = document.Clip(out, o.Width)
		}
		w.WriteString(out + "\n")
		lead, line = strings.Repeat(" ", indent), ""
	}
	for _, c := range text {
		t := c.text
		if room > 0 && c.cut {
			t = document.Clip(t, room)
		}
		if line != "" && room > 0 && utf8.RuneCountInString(line)+2+utf8.RuneCountInString(t) > room {
			flush()
		}
		if line != "" {
			line += "; "
		}
		parts := strings.Split(prose.Wrap(line+t, room, 2), "\n")
		for _, p := range parts[:len(parts)-1] {
			line = p
			flush()
		}
		line = parts[len(parts)-1]
	}
	flush()
}

// arrow draws a packet between client and server.
func (s *step) arrow(width int) string {
	label := s.label()
	line := strings.Repeat("─", max(width-3-utf8.RuneCountInString(label), 1))
	if s.run {
		line = strings.Repeat("┄", max(width-3-utf8.RuneCountInString(label), 1))
	}
	if s.dir == flow.ToServer {
		return label + " " + line + "─▶"
	}
	return "◀─" + line + " " + label
}

var flagNames = []struct {
	bit  uint8
	name string
}{{decode.SYN, "SYN"}, {decode.FIN, "FIN"}, {decode.RST, "RST"}, {decode.PSH, "PSH"}, {decode.ACK, "ACK"}, {decode.URG, "URG"}}

// label is the flags and the length.
func (s *step) label() string {
	if s.run {
		return unit.Bytes(s.size).String()
	}
	var words []string
	for _, f := range flagNames {
		if s.flags&f.bit != 0 {
			words = append(words, f.name)
		}
	}
	if s.size > 0 {
		words = append(words, fmt.Sprint(s.size))
	}
	if len(words) == 0 {
		return "no flags"
	}
	return strings.Join(words, " ")
}

// summed says what a run holds.
func (s *step) summed() string {
	if s.packets == 0 {
		return fmt.Sprintf("... %s, in %s, to frame %d", unit.Plural(s.acks, "acknowledgement", "acknowledgements"), unit.Duration(s.end-s.at), s.until)
	}
	acks := ""
	if s.acks > 0 {
		acks = " and " + unit.Plural(s.acks, "acknowledgement", "acknowledgements")
	}
	return fmt.Sprintf("... %s, %s%s, in %s, to frame %d", unit.Plural(s.packets, "segment", "segments"), unit.Bytes(s.size), acks, unit.Duration(s.end-s.at), s.until)
}

// options is what a SYN announces.
func (s *step) options() []string {
	var list []string
	if s.flags&decode.SYN != 0 {
		if s.mss > 0 {
			list = append(list, fmt.Sprintf("mss %d", s.mss))
		}
		if s.scale >= 0 {
			list = append(list, fmt.Sprintf("window scale %d", s.scale))
		}
	}
	return list
}

// arrowColumn is the one between client and server.
const arrowColumn = 3

// columns are those before what a packet carries. To make room for that, arrows become
// shorter, then columns leave, those first that others tell or that few look at.
func (l *Ladder) columns(width int) *document.Lines {
	columns := []document.Column{{Name: "frame"}, {Name: "time", Tight: true}, {Name: "delta", Tight: true, Drop: 1}, {}, {Name: "seq", Drop: 2}, {Name: "ack", Drop: 3}}
	const client, server = "client", "server"
	least := len(client + " " + server) // that holds every label
	for i := range columns {
		columns[i].Right, columns[i].Fixed = true, len(columns[i].Name)
	}
	columns[2].Fixed = len("12.3 ms")
	fits := func(i int, text string) { columns[i].Fixed = max(columns[i].Fixed, utf8.RuneCountInString(text)) }
	for i := range l.steps {
		s := &l.steps[i]
		if i > 0 {
			fits(2, unit.Duration(s.at-max(l.steps[i-1].at, l.steps[i-1].end)).String())
		}
		fits(0, fmt.Sprint(s.frame))
		fits(1, l.moment(s))
		least = min(max(least, utf8.RuneCountInString(s.label())+4), arrowWidth)
		fits(4, l.relative(s.seq, s.dir))
		if s.flags&decode.ACK != 0 {
			fits(5, l.relative(s.ack, s.dir.Other()))
		}
	}
	room := 0
	arrow := arrowWidth
	if width > 0 {
		room = max(width-ladderText-ladderGap, 1)
		columns[arrowColumn].Fixed = least
		arrow = min(max(least+room-document.FixedLines(columns, room).Width(), least), arrowWidth)
	}
	columns[arrowColumn].Fixed = arrow
	columns[arrowColumn].Name = client + strings.Repeat(" ", arrow-len(client+server)) + server
	return document.FixedLines(columns, room)
}

// moment is the time since the beginning of the connection.
func (l *Ladder) moment(s *step) string {
	return fmt.Sprintf("%.6f", time.Duration(s.at-l.Conn.Began).Seconds())
}

// relative is a sequence number as Wireshark shows it: the SYN is 0.
func (l *Ladder) relative(seq uint32, d flow.Dir) string {
	base, ok := l.Conn.Base(d)
	if !ok {
		return fmt.Sprint(seq)
	}
	return fmt.Sprint(int32(seq - base + 1))
}

// remarkAt is what happens in an application at a packet.
type remarkAt struct {
	frame uint64
	carried
}

// remarks says where requests and answers begin and end.
func (l *Ladder) remarks() []remarkAt {
	var out []remarkAt
	add := func(frame uint64, format string, args ...any) {
		if frame != 0 {
			out = append(out, remarkAt{frame, carried{text: fmt.Sprintf(format, args...)}})
		}
	}
	for i := range l.Transactions {
		t := &l.Transactions[i]
		n := i + 1
		mark := ""
		if t.Status != proto.Answered && t.Status != proto.NoAnswer {
			mark = " (" + t.Status.String() + ")"
		}
		if t.Frames[0] != 0 {
			out = append(out, remarkAt{t.Frames[0], carried{fmt.Sprintf("request %d%s: %s", n, mark, Statement(t.Command, t.Fingerprint)), true}})
		}
		if t.Frames[1] != t.Frames[0] {
			add(t.Frames[1], "request %d ends", n)
		}
		answer := fmt.Sprintf("answer %d after %s", n, unit.Duration(t.RT))
		if t.Frames[0] == 0 {
			answer = fmt.Sprintf("answer %d, whose request was not captured", n)
		}
		if t.Failed {
			answer += strings.TrimRight(", error "+escape.Text(t.Code), " ")
		}
		add(t.Frames[2], "%s", answer)
		if t.Frames[3] != t.Frames[2] {
			add(t.Frames[3], "answer %d ends, %s later", n, unit.Duration(t.Download))
		}
	}
	slices.SortStableFunc(out, func(a, b remarkAt) int { return cmp.Compare(a.frame, b.frame) })
	return out
}

var ladderColumns = []document.Column{
	{Name: "no", Right: true}, {Name: "at", Right: true, Drop: 1}, {Name: "idle", Right: true, Drop: 5}, {Name: "upload", Right: true, Drop: 6},
	{Name: "RT", Right: true}, {Name: "server", Right: true, Drop: 4}, {Name: "download", Right: true, Drop: 2}, {Name: "ack", Right: true, Drop: 7},
	{Name: "resent", Right: true, Drop: 3}, {Name: "frames", Drop: 8}, {Name: "statement", Cut: true},
}

func (o LadderText) transactions(w io.Writer, l *Ladder) {
	if len(l.Transactions) == 0 {
		fmt.Fprintln(w, "\nno requests")
		return
	}
	shown := make([]int, len(l.Transactions))
	for i := range shown {
		shown[i] = i
	}
	title := "REQUESTS"
	if !l.all && len(shown) > maxListed {
		slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(l.Transactions[b].Total(), l.Transactions[a].Total()) })
		shown = shown[:maxListed]
		slices.Sort(shown)
		title = fmt.Sprintf("REQUESTS, the slowest %d of %s (--all shows all)", maxListed, unit.Count(len(l.Transactions)+int(l.unasked)))
	}
	var rows [][]string
	for _, i := range shown {
		rows = append(rows, ladderCells(i, &l.Transactions[i], l.Conn.Began))
	}
	show(w, o.Width, document.Table{Title: title, Columns: ladderColumns, Rows: rows})
}

func ladderCells(i int, t *rt.Transaction, began int64) []string {
	k := known(t)
	resent := "-"
	if k.both && t.Retransmit > 0 {
		resent = unit.Duration(t.Retransmit).String()
	}
	return []string{
		fmt.Sprint(i + 1), fmt.Sprintf("%.6f", time.Duration(t.Start-began).Seconds()), phase(t.Idle, t.Idle >= 0), phase(t.Upload, k.request), phase(t.RT, k.both),
		phase(t.Serve, k.both), phase(t.Download, k.both), phase(t.Ack, t.Ack >= 0), resent, frames(t), remark(t) + Statement(t.Command, t.Fingerprint),
	}
}
