package traffic

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/unit"
)

// Views are what the sums can be told apart by.
var Views = []string{"second", "connection", "statement", "client", "server"}

// By is the sums of one view; those by second come from Seconds and OverTime.
func (o Overview) By(view string) []document.Block {
	out := o.capture()
	shown, all := 0, 0
	var below document.Block // what stands below the line of how many are shown
	switch view {
	case "connection":
		rows := [][]string{}
		list := slices.Concat(worst(o.Summary.Connections))
		for _, c := range list[:min(len(list), o.Top)] {
			rows = append(rows, connectionRow(c))
		}
		out = append(out, document.Table{Title: worstConnections, Columns: connectionColumns, Rows: rows})
		shown, all = len(rows), int(o.Summary.Seen)
	case "statement":
		out, below = append(out, o.statements()), o.asked()
		all = len(Statements(o.Summary))
		shown = min(all, o.Top)
	case "client":
		list := Ranked(o.Summary.Clients, func(a, b flow.Addr) int { return slices.Compare(a[:], b[:]) })
		out = append(out, totals(o, "CLIENTS by time spent waiting", "client", list, flow.Addr.String, o.Summary.Clients))
		shown, all = min(len(list), o.Top), len(list)
	case "server":
		list := Ranked(o.Summary.Servers, func(a, b flow.Endpoint) int {
			return cmp.Or(slices.Compare(a.Addr[:], b.Addr[:]), cmp.Compare(a.Port, b.Port))
		})
		out = append(out, totals(o, "SERVERS by time their clients waited", "server", list, flow.Endpoint.String, o.Summary.Servers))
		shown, all = min(len(list), o.Top), len(list)
	}
	if all > shown {
		out = append(out, remarks(fmt.Sprintf("%s of %s; more with --top", unit.Count(shown), unit.Count(all))))
	}
	if below != nil {
		out = append(out, below)
	}
	return Filled(out...)
}

// totals is sums of clients or servers.
func totals[K comparable](o Overview, title, name string, list []K, word func(K) string, of map[K]*summary.Total) document.Table {
	var rows [][]string
	for _, k := range list[:min(len(list), o.Top)] {
		t := of[k]
		rows = append(rows, []string{word(k), unit.Count(t.Count).String(), times(&t.Stats, t.RTSum), times(&t.Stats, t.Mean()), times(&t.Stats, t.Quantile(0.5)), times(&t.Stats, t.Quantile(0.95)),
			times(&t.Stats, t.Quantile(0.99)), times(&t.Stats, t.RTMax), share(t.Serve, t), share(t.Download, t), orDash(t.Failed), orDash(t.Excluded()),
			orDash(t.Connections), orDash(t.Refused), orDash(t.Resets), orDash(t.Retransmissions), handshake(&t.Path), unit.Bytes(t.Bytes).String()})
	}
	columns := []document.Column{
		{Name: name}, {Name: "count", Right: true}, {Name: "waited", Right: true, Drop: 1}, {Name: "mean", Right: true}, {Name: "p50", Right: true, Drop: 7},
		{Name: "p95", Right: true, Drop: 6}, {Name: "p99", Right: true}, {Name: "max", Right: true}, {Name: "server", Right: true, Drop: 4},
		{Name: "download", Right: true, Drop: 10}, {Name: "err", Right: true}, {Name: "excluded", Right: true, Drop: 3}, {Name: "conns", Right: true, Drop: 5},
		{Name: "refused", Right: true, Drop: 9}, {Name: "reset", Right: true, Drop: 8}, {Name: "resent", Right: true, Drop: 11}, {Name: "handshake", Right: true, Drop: 12},
		{Name: "bytes", Right: true, Drop: 13},
	}
	return document.Table{Title: title, Columns: columns, Rows: without(columns, rows)}
}

// without empties columns of counts that say nothing of any row, so that they go first.
func without(columns []document.Column, rows [][]string) [][]string {
	for i, c := range columns {
		if c.Drop > 0 && !slices.ContainsFunc(rows, func(r []string) bool { return r[i] != "-" }) {
			columns[i].Drop += 100
		}
	}
	return rows
}

// Lines prints transactions as they come, with columns of fixed widths.
type Lines struct {
	Out   io.Writer
	Zone  *time.Location
	Width int // columns of the terminal; 0: as many as are needed

	calendar calendar
	begun    bool
	second   int64 // of the line before
	head     []byte
}

// Encode makes the lines of a worker.
func (l *Lines) Encode(int) func([]byte, *rt.Transaction) []byte {
	lines, words := document.FixedLines(transactionColumns, l.Width), &wording{zone: l.Zone, clock: clockLayout}
	return func(b []byte, t *rt.Transaction) []byte {
		cells := words.cells(t)
		return lines.Append(b, cells[:])
	}
}

// Text prints one.
func (l *Lines) Text(p *Place, line []byte) error {
	b := l.head[:0]
	second := floorSecond(p.Start)
	var names []byte
	if !l.begun {
		l.begun, l.second = true, second-1
		names = document.FixedLines(transactionColumns, l.Width).AppendNames(nil)
	}
	if second != l.second {
		day := bytes.NewBuffer(b)
		l.calendar.turn(day, local(p.Start, l.Zone))
		b, l.second = day.Bytes(), second
	}
	b = append(b, names...)
	l.head = b
	if len(b) > 0 {
		if _, err := l.Out.Write(b); err != nil {
			return err
		}
	}
	_, err := l.Out.Write(line)
	return err
}
