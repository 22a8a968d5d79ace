package traffic

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/unit"
)

// Views are what the sums can be told apart by.
var Views = []string{"second", "connection", "statement", "client", "server"}

// By prints the sums of one view; those by second come from Seconds.
func (o Overview) By(out io.Writer, view string) error {
	w := &strings.Builder{}
	o.capture(w)
	shown, all := 0, 0
	switch view {
	case "connection":
		rows := [][]string{}
		for _, c := range o.Summary.Connections[:min(len(o.Summary.Connections), o.Top)] {
			rows = append(rows, connectionRow(c))
		}
		table(w, "CONNECTIONS, the worst first", o.Width, connectionColumns, rows)
		shown, all = len(rows), int(o.Summary.Seen)
	case "statement":
		o.statements(w)
		o.asked(w)
		all = len(Statements(o.Summary))
		shown = min(all, o.Top)
	case "client":
		list := Ranked(o.Summary.Clients, func(a, b flow.Addr) int { return slices.Compare(a[:], b[:]) })
		totals(w, o, "CLIENTS by time spent waiting", "client", list, flow.Addr.String, o.Summary.Clients)
		shown, all = min(len(list), o.Top), len(list)
	case "server":
		list := Ranked(o.Summary.Servers, func(a, b flow.Endpoint) int {
			return cmp.Or(slices.Compare(a.Addr[:], b.Addr[:]), cmp.Compare(a.Port, b.Port))
		})
		totals(w, o, "SERVERS by time their clients waited", "server", list, flow.Endpoint.String, o.Summary.Servers)
		shown, all = min(len(list), o.Top), len(list)
	}
	if all > shown {
		fmt.Fprintf(w, " %s of %s; more with --top\n", unit.Count(shown), unit.Count(all))
	}
	_, err := io.WriteString(out, w.String())
	return err
}

// totals prints sums of clients or servers.
func totals[K comparable](w io.Writer, o Overview, title, name string, list []K, word func(K) string, of map[K]*summary.Total) {
	var rows [][]string
	for _, k := range list[:min(len(list), o.Top)] {
		t := of[k]
		handshake := "-"
		if t.Handshakes > 0 {
			handshake = unit.Duration((t.ServerRTT + t.ClientRTT) / time.Duration(t.Handshakes)).String()
		}
		rows = append(rows, []string{word(k), unit.Count(t.Count).String(), times(&t.Stats, t.Sum), times(&t.Stats, t.Mean()), times(&t.Stats, t.Quantile(0.5)), times(&t.Stats, t.Quantile(0.95)),
			times(&t.Stats, t.Quantile(0.99)), times(&t.Stats, t.Max), share(t.Serve, t), share(t.Download, t), orDash(t.Failed), orDash(t.Excluded()),
			orDash(t.Connections), orDash(t.Refused), orDash(t.Resets), orDash(t.Retransmissions), handshake, unit.Bytes(t.Bytes).String()})
	}
	columns := []column{
		{title: name}, {title: "count", right: true}, {title: "waited", right: true, drop: 1}, {title: "mean", right: true}, {title: "p50", right: true, drop: 7},
		{title: "p95", right: true, drop: 6}, {title: "p99", right: true}, {title: "max", right: true}, {title: "server", right: true, drop: 4},
		{title: "download", right: true, drop: 10}, {title: "err", right: true}, {title: "excluded", right: true, drop: 3}, {title: "conns", right: true, drop: 5},
		{title: "refused", right: true, drop: 9}, {title: "reset", right: true, drop: 8}, {title: "resent", right: true, drop: 11}, {title: "handshake", right: true, drop: 12},
		{title: "bytes", right: true, drop: 13},
	}
	table(w, title, o.Width, columns, without(columns, rows))
}

// without empties columns of counts that say nothing of any row, so that they go first.
func without(columns []column, rows [][]string) [][]string {
	for i, c := range columns {
		if c.drop > 0 && !slices.ContainsFunc(rows, func(r []string) bool { return r[i] != "-" }) {
			columns[i].drop += 100
		}
	}
	return rows
}

// Transactions prints a list of them.
func (o Overview) Transactions(out io.Writer, title string, list []rt.Transaction) error {
	w := &strings.Builder{}
	o.transactions(w, title, list)
	_, err := io.WriteString(out, strings.TrimPrefix(w.String(), "\n"))
	return err
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

// fixed are the widths of columns that are known before the lines are.
func (l *Lines) fixed() []int {
	natural := make([]int, len(transactionColumns))
	for i, c := range transactionColumns {
		natural[i] = c.fixed
	}
	return fit(transactionColumns, natural, l.Width, 0)
}

// Encode makes the lines of a worker.
func (l *Lines) Encode(int) func([]byte, *rt.Transaction) []byte {
	wide, words := l.fixed(), &wording{zone: l.Zone, clock: clockLayout}
	return func(b []byte, t *rt.Transaction) []byte {
		cells := words.cells(t)
		return appendRow(b, transactionColumns, wide, cells[:], 0)
	}
}

// Text prints one.
func (l *Lines) Text(p *Place, line []byte) error {
	b := l.head[:0]
	second := floorSecond(p.Start)
	if !l.begun {
		l.begun, l.second = true, second-1
		titles := make([]string, len(transactionColumns))
		for i, c := range transactionColumns {
			titles[i] = c.title
		}
		b = appendRow(b, transactionColumns, l.fixed(), titles, 0)
	}
	if second != l.second {
		day := bytes.NewBuffer(b)
		l.calendar.turn(day, local(p.Start, l.Zone))
		b, l.second = day.Bytes(), second
	}
	l.head = b
	if len(b) > 0 {
		if _, err := l.Out.Write(b); err != nil {
			return err
		}
	}
	_, err := l.Out.Write(line)
	return err
}
