package traffic

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/packet/tcp"
)

// Document writes one JSON document about a capture: its seconds as they pass,
// so that none is kept, and then the sums. What is not known is null.
type Document struct {
	Out   io.Writer
	Every time.Duration
	Top   int
	// View is one of Views, or "histogram": it says which sums are written. ""
	// and "second" are all of them.
	View string
	// Cover is what the capture covers; nil: everything.
	Cover *Cover

	w       *bufio.Writer
	slots   slots[summary.Service, summary.Second]
	n       int
	err     error
	started bool
}

func (d *Document) begin() {
	if d.started {
		return
	}
	d.started = true
	d.w = bufio.NewWriterSize(d.Out, 64<<10)
	d.slots.every, d.slots.give = max(d.Every, time.Second), d.interval
	d.w.WriteString("{")
	if d.all() {
		d.w.WriteString(`"seconds":[`)
	}
}

func (d *Document) all() bool { return d.View == "" || d.View == "second" }

// Second takes the next one. Write errors are kept for Close.
func (d *Document) Second(x *summary.Second) {
	if d.begin(); d.all() {
		d.slots.add(x.At, x.Service, x, func(have *summary.Second) { have.Merge(x) })
	}
}

func (d *Document) interval(at int64, services []*summary.Second) {
	for _, x := range services {
		if d.n++; d.n > 1 {
			d.w.WriteString(",")
		}
		d.w.WriteString("\n")
		d.value(secondOf(at, d.slots.every, d.Cover, x))
	}
}

func (d *Document) value(v any) {
	b, err := document.AppendJSON(d.w.AvailableBuffer(), v)
	if err == nil {
		_, err = d.w.Write(b)
	}
	if d.err == nil {
		d.err = err
	}
}

// Close writes the sums.
func (d *Document) Close(r *engine.Report, s *summary.Summary) error {
	d.begin()
	if d.all() {
		d.slots.flush()
		d.w.WriteString("\n],\n")
	}
	d.w.WriteString(`"capture":`)
	d.value(captureOf(r, s))
	part := func(name string, v any) {
		d.w.WriteString(",\n\"" + name + "\":")
		d.value(v)
	}
	if d.all() {
		part("services", d.services(s, false))
	}
	if d.View == "histogram" {
		part("services", d.services(s, true))
	}
	if d.all() || d.View == "connection" {
		part("connections", d.connections(s))
	}
	if d.all() || d.View == "statement" {
		part("statements", d.statements(s))
		part("asked_to_wait", d.asked(s))
	}
	if d.View == "client" {
		part("clients", totalsOf(d.Top, s.Clients, func(a, b flow.Addr) int { return slices.Compare(a[:], b[:]) }, func(a flow.Addr) named { return named{Client: a.String()} }))
	}
	if d.View == "server" {
		part("servers", totalsOf(d.Top, s.Servers, func(a, b flow.Endpoint) int {
			return cmp.Or(slices.Compare(a.Addr[:], b.Addr[:]), cmp.Compare(a.Port, b.Port))
		}, func(e flow.Endpoint) named { return named{Server: e.String()} }))
	}
	if d.all() {
		part("slowest", transactionsOf(s.Slowest[:min(len(s.Slowest), d.Top)]))
		var first any
		if s.Disconnect != nil {
			first = connectionOf(s.Disconnect)
		}
		part("first_disconnect", first)
	}
	d.w.WriteString("}\n")
	if err := d.w.Flush(); err != nil && d.err == nil {
		d.err = err
	}
	return d.err
}

// LiveJSON writes one JSON object per interval and service of a live capture;
// an interval without any has one with a count of 0 and no port.
type LiveJSON struct {
	Out   io.Writer
	Every time.Duration
	Start time.Time
	Drops Drops
	Cover *Cover // what the capture covers; nil: everything

	slots   slots[summary.Service, summary.Second]
	dropped uint64
	err     error
}

func (l *LiveJSON) begin() {
	if l.slots.give == nil {
		l.slots.every, l.slots.give = max(l.Every, time.Second), l.interval
		l.slots.begin(l.Start.UnixNano())
	}
}

// Second takes the next one. Write errors are kept for Close.
func (l *LiveJSON) Second(x *summary.Second) {
	l.begin()
	l.slots.add(x.At, x.Service, x, func(have *summary.Second) { have.Merge(x) })
}

// Passed writes the intervals that are over.
func (l *LiveJSON) Passed(before int64) {
	l.begin()
	l.slots.passed(before * int64(time.Second))
}

// Close writes what is left and tells the first write error.
func (l *LiveJSON) Close() error {
	l.begin()
	l.slots.flush()
	return l.err
}

func (l *LiveJSON) interval(at int64, services []*summary.Second) {
	if len(services) == 0 {
		services = []*summary.Second{{}}
	}
	var drops *uint64
	if dropped, known := l.Drops(); known {
		since := dropped - l.dropped
		l.dropped, drops = dropped, &since
	}
	var b bytes.Buffer
	for _, x := range services {
		v := secondOf(at, l.slots.every, l.Cover, x)
		v.Dropped = drops
		if err := document.JSONLine(&b, v); err != nil && l.err == nil {
			l.err = err
		}
	}
	if l.err == nil {
		_, l.err = l.Out.Write(b.Bytes())
	}
}

func (d *Document) services(s *summary.Summary, histogram bool) []*totalJSON {
	list := totalsOf(d.Top, s.Services, func(a, b summary.Service) int {
		return cmp.Or(cmp.Compare(a.Server.Port, b.Server.Port), cmp.Compare(a.Proto, b.Proto))
	}, func(k summary.Service) named {
		n := named{Port: k.Server.Port, Proto: k.Proto}
		if k.Server.Addr != (flow.Addr{}) {
			n.Server = k.Server.String()
		}
		return n
	})
	if !histogram {
		return list
	}
	for _, v := range list {
		for _, b := range v.of.RT.Buckets(perOctave) {
			v.Buckets = append(v.Buckets, bucketJSON{int64(b.From), int64(b.To), b.Count})
		}
		modes := rt.Modes(v.of.RT.Buckets(perOctave))
		at := rt.Centers(v.of.RT.Buckets(64), modes)
		for i, m := range modes {
			v.Modes = append(v.Modes, modeJSON{int64(at[i]), int64(m.From), int64(m.To), m.Count, m.Share})
		}
	}
	return list
}

func totalsOf[K comparable](top int, m map[K]*summary.Total, ties func(a, b K) int, name func(K) named) []*totalJSON {
	list := []*totalJSON{}
	for _, k := range Ranked(m, ties) {
		if len(list) == top {
			break
		}
		t := m[k]
		v := &totalJSON{
			of: t, named: name(k), statsJSON: statsOf(&t.Stats), Connections: t.Connections, Handshakes: t.Handshakes, Retransmissions: t.Retransmissions,
			Refused: t.Refused, NoHandshake: t.NoHandshake, Resets: t.Resets,
		}
		if t.Handshakes > 0 {
			v.HandshakeRTT = number(t.HandshakeRTT())
		}
		list = append(list, v)
	}
	return list
}

func (d *Document) connections(s *summary.Summary) []connectionJSON {
	list := []connectionJSON{}
	for _, c := range s.Connections[:min(len(s.Connections), d.Top)] {
		list = append(list, connectionOf(&c.Connection))
	}
	return list
}

func (d *Document) statements(s *summary.Summary) []statementJSON {
	list := []statementJSON{}
	for _, k := range Statements(s) {
		if len(list) == d.Top {
			break
		}
		x := s.Statements[k]
		v := statementJSON{
			Command: orNull(k.Command), Fingerprint: orNull(k.Fingerprint), Proto: k.Proto, Port: k.Server.Port, statsJSON: statsOf(&x.Stats),
			First: timeOf(x.First), Clients: len(x.Clients), Codes: x.Codes(), Error: orNull(x.Error),
		}
		if x.Count > 0 {
			v.Slowest = transactionsOf([]rt.Transaction{x.Slowest})[0]
		}
		list = append(list, v)
	}
	return list
}

func transactionsOf(list []rt.Transaction) []json.RawMessage {
	out := []json.RawMessage{}
	var j JSON
	for i := range list {
		out = append(out, bytes.TrimSpace(j.Transaction(nil, &list[i])))
	}
	return out
}

func connectionOf(c *rt.Connection) connectionJSON {
	v := connectionJSON{
		ID: c.ID, Client: c.Client.String(), Server: c.Server.String(), Proto: orNull(c.Protocol), First: timeOf(c.Began), Last: timeOf(c.Last.At),
		Why: c.Why.String(), Midway: c.Midway, Refused: c.Refused, Ending: c.Ending.String(), Count: c.Requests.Count, Failed: c.Requests.Failed,
		Excluded: c.Requests.Excluded, SumNS: int64(c.Requests.Sum),
	}
	if c.Requests.Count > 0 {
		v.MinNS, v.MaxNS = number(c.Requests.Min), number(c.Requests.Max)
		v.MeanNS = number(c.Requests.Sum / time.Duration(c.Requests.Count))
	}
	if server, client, ok := c.HandshakeRTT(); ok {
		v.ServerRTT, v.ClientRTT = number(server), number(client)
	}
	if d, ok := c.Connect(); ok {
		v.ConnectNS = number(d)
	}
	if c.Closer.Frame != 0 {
		kind := "FIN"
		if c.Closer.Reset {
			kind = "RST"
		}
		v.Closed = &closeJSON{timeOf(c.Closer.At), c.Closer.Frame, c.Closer.Dir.String(), kind, orNull(c.CloseState.String()), c.Closer.Outstanding}
	}
	v.FromClient, v.FromServer = sideOf(&c.Sides[flow.ToServer]), sideOf(&c.Sides[flow.ToClient])
	return v
}

func sideOf(s *tcp.Side) sideJSON {
	v := sideJSON{
		Packets: s.Packets, Bytes: s.Bytes, Retransmissions: s.Retransmissions, Timeouts: s.Timeouts, Fast: s.Fast, Spurious: s.Spurious,
		OutOfOrder: s.OutOfOrder, DupACKs: s.DupACKs, LostOnWire: s.LostOnWire, Missed: s.Missed,
		ZeroWindows: s.ZeroWindows, ZeroWindowNS: int64(s.ZeroWindowTime), DelayedACKs: s.DelayedACKs, DelayedACKNS: int64(s.DelayedACKTime),
		LargestSegment: s.LargestSegment,
	}
	if s.WindowLimited >= 0 {
		v.WindowLimitedNS = number(s.WindowLimited)
	}
	if s.MSS > 0 {
		mss := s.MSS
		v.MSS = &mss
	}
	if s.RTTs > 0 {
		v.RTTMeanNS = number(s.RTTSum / time.Duration(s.RTTs))
	}
	return v
}
