// Package prototest feeds decoders of application protocols in tests: from
// scripts, and from small captures.
package prototest

import (
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/golden"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Step is a packet of a script.
type Step struct {
	At   int64 // milliseconds
	From flow.Dir
	Data string
	Cut  int   // bytes cut off after Data
	Gap  int64 // bytes missing before Data
	More bool  // no PSH: the sender is in the middle of a write
}

// Client is a packet of the client.
func Client(at int64, data string) Step { return Step{At: at, From: flow.ToServer, Data: data} }

// Server is a packet of the server.
func Server(at int64, data string) Step { return Step{At: at, From: flow.ToClient, Data: data} }

// Cutting says that the snap length cut n bytes off.
func (s Step) Cutting(n int) Step { s.Cut = n; return s }

// After says that n bytes are missing before the packet.
func (s Step) After(n int64) Step { s.Gap = n; return s }

// Unpushed says that the packet has no PSH.
func (s Step) Unpushed() Step { s.More = true; return s }

// Events turns a script into what the engine would tell a decoder.
func Events(steps []Step) []Event {
	var list []Event
	var offset [2]uint64
	for i, s := range steps {
		at := flow.Stamp{At: s.At * int64(time.Millisecond), Frame: uint64(i + 1)}
		if s.Gap > 0 {
			list = append(list, Event{Chunk: flow.Chunk{Stamp: at, Dir: s.From}, Gap: s.Gap})
			offset[s.From] += uint64(s.Gap)
		}
		c := flow.Chunk{Stamp: at, Dir: s.From, Offset: offset[s.From], Data: []byte(s.Data), Cut: s.Cut, Pushed: !s.More}
		offset[s.From] += uint64(c.Size())
		list = append(list, Event{Chunk: c})
	}
	return list
}

// Event is a chunk, or a gap if Gap is set.
type Event struct {
	flow.Chunk
	Gap int64
}

// Recut cuts every chunk into pieces of at most n bytes.
func Recut(list []Event, n int) []Event {
	var out []Event
	for _, e := range list {
		for e.Gap == 0 && len(e.Data) > n {
			piece := e
			piece.Data, piece.Cut, piece.Pushed = e.Data[:n], 0, false
			out = append(out, piece)
			e.Data, e.Offset = e.Data[n:], e.Offset+uint64(n)
		}
		out = append(out, e)
	}
	return out
}

// Run feeds a decoder and returns one line for each exchange.
func Run(p proto.Protocol, list []Event, midway bool, how flow.Ending) []string {
	var r Recorder
	parser := p.New(&r, midway)
	parser.End(feed(parser, list), how)
	return r.Lines
}

// Owes feeds a decoder a script from the beginning of a connection and asks
// whether the server owes an answer then.
func Owes(p proto.Protocol, steps []Step) bool {
	parser := p.New(&Recorder{}, false)
	feed(parser, Events(steps))
	return parser.(proto.Debtor).Owes()
}

// ProgressOf is what a connection is doing after some steps.
func ProgressOf(p proto.Protocol, steps []Step) proto.Progress {
	parser := p.New(&Recorder{}, false)
	feed(parser, Events(steps))
	return parser.Progress()
}

func feed(parser proto.Parser, list []Event) (last flow.Stamp) {
	for i := range list {
		e := &list[i]
		last = e.Stamp
		if e.Gap > 0 {
			parser.Gap(e.Dir, e.Gap, e.Stamp)
			continue
		}
		// The decoder must not keep the data.
		c := e.Chunk
		c.Data = append([]byte(nil), e.Data...)
		parser.Data(&c)
		for j := range c.Data {
			c.Data[j] = '~'
		}
	}
	return last
}

// Recorder is a sink that words exchanges.
type Recorder struct{ Lines []string }

// Exchange words an exchange.
func (r *Recorder) Exchange(e *proto.Exchange) { r.Lines = append(r.Lines, Line(e)) }

// Line words an exchange: command and text, request, response, outcome.
func Line(e *proto.Exchange) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q", e.Command, e.Text)
	if e.TextCut {
		b.WriteString("...")
	}
	fmt.Fprintf(&b, " q%s r%s %s", span(&e.Request), span(&e.Response), e.Status)
	if e.Code != "" {
		b.WriteString(" " + e.Code)
	}
	if e.Failed {
		fmt.Fprintf(&b, " failed %q", e.Error)
	}
	if e.Challenges > 0 {
		fmt.Fprintf(&b, " challenges=%dx%s", e.Challenges, e.Challenge)
	}
	switch e.Rows {
	case proto.RowsNone:
	case proto.RowsUnknown:
		b.WriteString(" rows=?")
	default:
		fmt.Fprintf(&b, " rows=%d", e.Rows)
	}
	if e.Depth > 1 {
		fmt.Fprintf(&b, " depth=%d", e.Depth)
	}
	for _, name := range e.Doubt.Words() {
		b.WriteString(" " + name)
	}
	return b.String()
}

func span(s *proto.Span) string {
	if s.Empty() {
		return "[]"
	}
	return fmt.Sprintf("[%d-%d #%d-%d %dp %d+%d]", s.First.At/1e6, s.Last.At/1e6, s.First.Frame, s.Last.Frame, s.Packets, s.Start, s.Bytes())
}

// Unsized leaves the places and sizes of requests and answers out of lines, for
// scripts whose messages are built: nobody counts their bytes by hand.
func Unsized(lines []string) (short []string) {
	for _, l := range lines {
		short = append(short, sizes.ReplaceAllString(l, "]"))
	}
	return short
}

var sizes = regexp.MustCompile(` \d+\+\d+\]`)

// Capture reads a classic little-endian pcap of Ethernet and IPv4 in which
// nothing was lost or reordered, and returns its connections by the order of
// their first packets. The side that sent the SYN is the client. It fails without any.
func Capture(tb testing.TB, file string) [][]Event {
	tb.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	le := binary.LittleEndian
	var unit int64
	switch le.Uint32(raw) {
	case 0xa1b2c3d4:
		unit = 1000
	case 0xa1b23c4d:
		unit = 1
	default:
		tb.Fatalf("%s: not a little-endian pcap", file)
	}
	type key [12]byte
	type conn struct{ events []Event }
	type half struct {
		conn *conn
		dir  flow.Dir
		next uint32
		from uint32
	}
	halves := map[key]*half{}
	var order []*conn
	frame := uint64(0)
	for b := raw[24:]; len(b) >= 16; {
		frame++
		stamp := flow.Stamp{At: int64(le.Uint32(b))*1e9 + int64(le.Uint32(b[4:]))*unit, Frame: frame}
		n := int(le.Uint32(b[8:]))
		p := b[16 : 16+n]
		b = b[16+n:]
		if len(p) < 54 || binary.BigEndian.Uint16(p[12:]) != 0x0800 || p[23] != 6 {
			continue
		}
		ip := p[14:]
		ip = ip[:min(len(ip), int(binary.BigEndian.Uint16(ip[2:])))]
		t := ip[int(ip[0]&15)*4:]
		seq, flags, data := binary.BigEndian.Uint32(t[4:]), t[13], t[int(t[12]>>4)*4:]
		var k, back key
		copy(k[:], ip[12:20])
		copy(k[8:], t[:4])
		copy(back[:4], ip[16:20])
		copy(back[4:8], ip[12:16])
		copy(back[8:10], t[2:4])
		copy(back[10:], t[:2])
		if flags&0x12 == 2 {
			c := &conn{}
			order = append(order, c)
			halves[k] = &half{conn: c, dir: flow.ToServer, next: seq + 1, from: seq + 1}
			halves[back] = &half{conn: c, dir: flow.ToClient}
		}
		h := halves[k]
		if h == nil {
			continue
		}
		if flags&0x12 == 0x12 {
			h.next, h.from = seq+1, seq+1
		}
		if len(data) == 0 || seq != h.next {
			continue
		}
		h.conn.events = append(h.conn.events, Event{Chunk: flow.Chunk{Stamp: stamp, Dir: h.dir, Offset: uint64(seq - h.from), Data: data, Pushed: flags&8 != 0}})
		h.next += uint32(len(data))
	}
	var list [][]Event
	for _, c := range order {
		list = append(list, c.events)
	}
	if len(order) == 0 {
		tb.Fatalf("%s: no connection with a SYN over IPv4 in it", file)
	}
	return list
}

// Conversations runs a decoder over all connections of a capture, in pieces of
// at most n bytes, and returns what it found.
func Conversations(tb testing.TB, p proto.Protocol, file string, n int) string {
	tb.Helper()
	var b strings.Builder
	for i, conn := range Capture(tb, file) {
		fmt.Fprintf(&b, "connection %d\n", i+1)
		if len(conn) == 0 { // refused, or closed without a word
			continue
		}
		start := conn[0].At
		for j := range conn {
			conn[j].At -= start
		}
		for _, l := range Run(p, Recut(conn, n), false, flow.Finished) {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// Golden compares what a decoder finds in a capture with FILE.txt beside it,
// however the bytes are cut. With -update it writes that file.
func Golden(t *testing.T, p proto.Protocol, file string) {
	t.Helper()
	got := Conversations(t, p, file, 1<<20)
	golden.Text(t, strings.TrimSuffix(file, ".pcap")+".txt", got)
	for _, n := range []int{1, 2, 3, 7, 64, 1000} {
		if diff := cmp.Diff(got, Conversations(t, p, file, n)); diff != "" {
			t.Fatalf("cut into pieces of %d: %s", n, diff)
		}
	}
}
