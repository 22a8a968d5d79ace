package traffic

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/unit"
)

// mostListed is how many transactions are listed below a ladder, unless all are
// wanted: the slowest.
const mostListed = 40

// arrowWidth is how many columns lie between client and server.
const arrowWidth = 27

// LadderText says how a ladder is printed.
type LadderText struct {
	Width int // columns; 0: any
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
	fmt.Fprintf(w, "connection %d  client %v, server %v, %s%s (which is which: %s)\n", c.ID, c.Client, c.Server, protocol, space, c.Why)
	ended := c.Ending.String()
	if c.Closer.Frame != 0 {
		what := "FIN"
		if c.Closer.Reset {
			what = "RST"
		}
		ended += fmt.Sprintf(", first %s from the %s%s", what, c.Closer.Dir, during(c.CloseState))
	}
	fmt.Fprintf(w, "%s, for %s; %s\n", time.Unix(0, c.First.At).In(zone).Format("2006-01-02 15:04:05.000000"), unit.Duration(c.Last.At-c.First.At), ended)
	if c.Midway {
		fmt.Fprintln(w, "its beginning was not captured: sequence numbers count from the first byte that was")
	}
	for d := range c.Sides {
		s := &c.Sides[d]
		fmt.Fprintf(w, "%s sent %s, %s%s\n", flow.Dir(d), unit.Plural(s.Packets, "packet", "packets"), unit.Bytes(s.Bytes), inBrackets(
			some(int(s.Retransmissions), "retransmitted"), some(int(s.OutOfOrder), "out of order"), someOf(int(s.DupACKs), "duplicate ACK", "duplicate ACKs"),
			someOf(int(s.ZeroWindows), "zero window", "zero windows"), someOf(int(s.KeepAlives), "keep-alive", "keep-alives")))
	}
	fmt.Fprintln(w)
}

// steps prints the packets.
func (o LadderText) steps(w *strings.Builder, l *Ladder) {
	remarks := l.remarks()
	client, server := "client", "server"
	wide := l.widths()
	fmt.Fprintf(w, "%*s %*s %7s  %-*s%s  %*s  %*s  %s\n", wide.frame, "frame", wide.time, "time", "delta", arrowWidth-len(server), client, server,
		wide.seq, "seq", wide.ack, "ack", "what it carries")
	before := l.Conn.First.At
	for i := range l.steps {
		s := &l.steps[i]
		delta := "-"
		if i > 0 {
			delta = unit.Duration(s.at - before).String()
		}
		before = max(s.at, s.end)
		var text []string
		var seq, ack string
		if s.run {
			text = append(text, s.summed())
		} else {
			seq, ack = l.relative(s.seq, s.dir), "-"
			if s.flags&decode.ACK != 0 {
				ack = l.relative(s.ack, s.dir.Other())
			}
			text = append(text, s.options()...)
			text = append(text, s.notes...)
		}
		last := max(s.frame, s.until)
		for len(remarks) > 0 && remarks[0].frame <= last {
			if remarks[0].frame >= s.frame {
				text = append(text, remarks[0].text)
			}
			remarks = remarks[1:]
		}
		lead := fmt.Sprintf("%*d %*s %7s  %s  %*s  %*s  ", wide.frame, s.frame, wide.time, l.moment(s), delta, s.arrow(), wide.seq, seq, wide.ack, ack)
		o.line(w, lead, text)
	}
	if l.left > 0 {
		fmt.Fprintf(w, "%s: --all shows them\n", unit.Plural(l.left, "more packet", "more packets"))
	}
}

// line prints what a packet carries after its lead, on further lines if the
// width does not hold it.
func (o LadderText) line(w *strings.Builder, lead string, text []string) {
	indent := utf8.RuneCountInString(lead)
	room := 0
	if o.Width > 0 {
		room = max(o.Width-indent, leastText)
	}
	var line string
	flush := func() {
		w.WriteString(strings.TrimRight(lead+line, " ") + "\n")
		lead, line = strings.Repeat(" ", indent), ""
	}
	for _, t := range text {
		if room > 0 {
			t = Clip(t, room)
			if line != "" && utf8.RuneCountInString(line)+2+utf8.RuneCountInString(t) > room {
				flush()
			}
		}
		if line != "" {
			line += "; "
		}
		line += t
	}
	flush()
}

// arrow draws a packet between client and server.
func (s *step) arrow() string {
	label := s.label()
	line := strings.Repeat("─", max(arrowWidth-3-utf8.RuneCountInString(label), 1))
	if s.run {
		line = strings.Repeat("┄", max(arrowWidth-3-utf8.RuneCountInString(label), 1))
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

// columnWidths are those of the numbers before what a packet carries.
type columnWidths struct{ frame, time, seq, ack int }

func (l *Ladder) widths() columnWidths {
	w := columnWidths{len("frame"), len("time"), len("seq"), len("ack")}
	for i := range l.steps {
		s := &l.steps[i]
		w.frame = max(w.frame, len(fmt.Sprint(s.frame)))
		w.time = max(w.time, len(l.moment(s)))
		w.seq = max(w.seq, len(l.relative(s.seq, s.dir)))
		if s.flags&decode.ACK != 0 {
			w.ack = max(w.ack, len(l.relative(s.ack, s.dir.Other())))
		}
	}
	return w
}

// moment is the time since the beginning of the connection.
func (l *Ladder) moment(s *step) string {
	return fmt.Sprintf("%.6f", time.Duration(s.at-l.Conn.First.At).Seconds())
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
	text  string
}

// remarks says where requests and answers begin and end.
func (l *Ladder) remarks() []remarkAt {
	var out []remarkAt
	add := func(frame uint64, format string, args ...any) {
		if frame != 0 {
			out = append(out, remarkAt{frame, fmt.Sprintf(format, args...)})
		}
	}
	for i := range l.Transactions {
		t := &l.Transactions[i]
		n := i + 1
		mark := ""
		if t.Status != proto.Answered && t.Status != proto.NoAnswer {
			mark = " (" + t.Status.String() + ")"
		}
		add(t.Frames[0], "request %d%s: %s", n, mark, Statement(t.Command, t.Fingerprint))
		if t.Frames[1] != t.Frames[0] {
			add(t.Frames[1], "request %d ends", n)
		}
		answer := fmt.Sprintf("answer %d after %s", n, unit.Duration(t.RT))
		if t.Frames[0] == 0 {
			answer = fmt.Sprintf("answer %d, whose request was not captured", n)
		}
		if t.Failed {
			answer += strings.TrimRight(", error "+plain(t.Code), " ")
		}
		add(t.Frames[2], "%s", answer)
		if t.Frames[3] != t.Frames[2] {
			add(t.Frames[3], "answer %d ends, %s later", n, unit.Duration(t.Download))
		}
	}
	slices.SortStableFunc(out, func(a, b remarkAt) int { return cmp.Compare(a.frame, b.frame) })
	return out
}

var ladderColumns = []column{
	{title: "no", right: true}, {title: "at", right: true}, {title: "idle", right: true, drop: 3}, {title: "upload", right: true, drop: 4},
	{title: "RT", right: true}, {title: "server", right: true, drop: 2}, {title: "download", right: true}, {title: "ack", right: true, drop: 5},
	{title: "resent", right: true, drop: 1}, {title: "frames", drop: 6}, {title: "statement", text: true},
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
	if !l.all && len(shown) > mostListed {
		slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(l.Transactions[b].Total(), l.Transactions[a].Total()) })
		shown = shown[:mostListed]
		slices.Sort(shown)
		title = fmt.Sprintf("REQUESTS, the slowest %d of %s (--all shows all)", mostListed, unit.Count(len(l.Transactions)+int(l.unasked)))
	}
	var rows [][]string
	for _, i := range shown {
		rows = append(rows, ladderCells(i, &l.Transactions[i], l.Conn.First.At))
	}
	table(w, title, o.Width, ladderColumns, rows)
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
