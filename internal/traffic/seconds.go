// Package traffic prints what `rtrail packets` found: lines per second, tables
// of services, statements and connections, single transactions, histograms and
// the ladder of one connection. It words numbers, and judges nothing.
package traffic

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/packet/sums"
	"rtrail/internal/unit"
)

// headerEvery is after how many lines the names of the columns come again, so
// that a screen always shows them.
const headerEvery = 20

// Drops tells how many packets a live capture has lost since the beginning.
type Drops func() (dropped uint64, known bool)

// Seconds prints one line per interval and service as they pass. Of a live
// capture every interval has a line, if only to say that nothing came.
type Seconds struct {
	Out   io.Writer
	Zone  *time.Location // nil: local time
	Every time.Duration  // 0: a second; longer intervals are sums
	Width int            // columns of the terminal; 0: as many as are needed
	Drops Drops          // of a live capture; nil: a file
	Start time.Time      // of a live capture
	Cover *Cover         // what the capture covers; nil: everything

	slots   slots[summary.Service, summary.Second]
	columns *document.Lines
	lines   int
	dropped uint64
	days    calendar
	err     error
}

var secondsColumns = []document.Column{
	{Name: "time", Fixed: 8}, {Name: "port", Right: true, Fixed: 5}, {Name: "proto", Fixed: 8},
	{Name: "count", Right: true, Fixed: 8}, {Name: "QPS", Right: true, Fixed: 8, Drop: 6},
	{Name: "mean", Right: true, Fixed: 7, Drop: 3}, {Name: "p50", Right: true, Fixed: 7, Drop: 4}, {Name: "p95", Right: true, Fixed: 7, Drop: 1},
	{Name: "p99", Right: true, Fixed: 7}, {Name: "max", Right: true, Fixed: 7}, {Name: "err", Right: true, Fixed: 5},
	{Name: "resent", Right: true, Fixed: 6, Drop: 2}, {Name: "handshake", Right: true, Fixed: 9, Drop: 5},
	{Name: "drops", Right: true, Fixed: 6},
}

// Second takes the next one. Write errors are kept for Close.
func (s *Seconds) Second(x *summary.Second) {
	s.begin()
	s.slots.add(x.At, x.Service, x, func(have *summary.Second) { have.Merge(x) })
}

// Passed prints the intervals that are over.
func (s *Seconds) Passed(before int64) {
	s.begin()
	s.slots.passed(before * int64(time.Second))
}

// Close prints what is left and tells the first write error.
func (s *Seconds) Close() error {
	s.begin()
	s.slots.flush()
	return s.err
}

func (s *Seconds) begin() {
	if s.slots.give != nil {
		return
	}
	s.slots.every, s.slots.give = max(s.Every, time.Second), s.interval
	if s.Drops != nil {
		s.slots.begin(s.Start.UnixNano())
	}
	columns := secondsColumns
	if s.Drops == nil {
		columns = columns[:len(columns)-1]
	}
	s.columns = document.FixedLines(columns, s.Width)
}

// interval prints the services of one interval, or that there were none.
func (s *Seconds) interval(at int64, services []*summary.Second) {
	drops := ""
	if s.Drops != nil {
		drops = s.drops()
		if len(services) == 0 {
			services = []*summary.Second{{}}
		}
	}
	for _, x := range services {
		s.line(at, x, drops)
	}
}

func (s *Seconds) line(at int64, x *summary.Second, drops string) {
	clock := local(at, s.Zone)
	var b bytes.Buffer
	s.days.turn(&b, clock)
	if s.lines%headerEvery == 0 {
		b.Write(s.columns.AppendNames(nil))
	}
	s.lines++
	cells := secondsCells(clock.Format("15:04:05"), x, s.Cover.rate(x.Count, at, s.slots.every))
	if s.Drops != nil {
		cells = append(cells, drops)
	}
	b.Write(s.columns.Append(nil, cells))
	if s.err == nil {
		_, s.err = s.Out.Write(b.Bytes())
	}
}

// secondsCells are the cells of a service in an interval, but drops.
func secondsCells(clock string, x *summary.Second, perSecond float64) []string {
	port := "-"
	if x.Service.Server.Port != 0 {
		port = fmt.Sprint(x.Service.Server.Port)
	}
	return []string{
		clock, port, Proto(x.Service.Proto, &x.Stats), unit.Count(x.Count).String(), rate(perSecond),
		rtOf(x, x.Mean()), rtOf(x, x.Quantile(0.5)), rtOf(x, x.Quantile(0.95)), rtOf(x, x.Quantile(0.99)), rtOf(x, x.RTMax),
		orDash(x.Failed), orDash(x.Retransmissions), handshake(&x.Path),
	}
}

// drops is what the kernel dropped since it was asked last.
func (s *Seconds) drops() string {
	dropped, known := s.Drops()
	if !known {
		return "?"
	}
	since := dropped - s.dropped
	s.dropped = dropped
	return strconv.FormatUint(since, 10)
}

// handshake is the mean round trip of handshakes.
func handshake(p *sums.Path) string {
	if p.Handshakes == 0 {
		return "-"
	}
	return unit.Duration(p.HandshakeRTT()).String()
}

func rtOf(x *summary.Second, d time.Duration) string {
	if x.Count == 0 {
		return "-"
	}
	return unit.Duration(d).String()
}

func rate(perSecond float64) string {
	if perSecond == 0 {
		return "-"
	}
	if perSecond < 10 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return unit.Count(perSecond).String()
}

// RowsOf is how many rows were answered: "12", "12+" if those of some answers
// were not captured, "?" if those of all, "-" if there were none.
func RowsOf(s *rt.Stats) string {
	switch known := uint64(max(s.Rows, 0)); {
	case s.RowsUnknown == 0:
		return orDash(known)
	case known == 0:
		return "?"
	default:
		return unit.Count(known).String() + "+"
	}
}

func orDash[N int64 | uint64](n N) string {
	if n == 0 {
		return "-"
	}
	return unit.Count(n).String()
}

// Printed says whether there was any line.
func (s *Seconds) Printed() bool { return s.lines > 0 }
