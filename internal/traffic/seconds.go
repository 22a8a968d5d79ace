// Package traffic prints what `rtrail packets` found: lines per second, tables
// of services, statements and connections, single transactions, histograms and
// the ladder of one connection. It words numbers, and judges nothing.
package traffic

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"rtrail/internal/packet/summary"
	"rtrail/internal/unit"
)

// headerEvery is after how many lines the names of the columns come again, so
// that a screen always shows them.
const headerEvery = 20

// Seconds prints one line per second and service as they pass.
type Seconds struct {
	Out   io.Writer
	Zone  *time.Location                      // nil: local time
	Every time.Duration                       // 0: a second; longer intervals are sums
	Drops func() (dropped uint64, known bool) // of a live capture, since the beginning; nil: a file

	lines   int
	dropped uint64
	pending map[summary.Service]*summary.Second
	order   []summary.Service
	began   int64
	err     error
}

const secondsHeader = "time        port  proto       count       QPS      mean       p50       p95       p99       max    err resent  connect"

// Second takes the next one. Write errors are kept for Close.
func (s *Seconds) Second(x *summary.Second) {
	every := max(s.Every, time.Second)
	slot := x.At - x.At%int64(every)
	if slot != s.began {
		s.flush()
		s.began = slot
	}
	if s.pending == nil {
		s.pending = map[summary.Service]*summary.Second{}
	}
	have := s.pending[x.Service]
	if have == nil {
		kept := *x
		kept.At = slot
		s.pending[x.Service] = &kept
		s.order = append(s.order, x.Service)
		return
	}
	have.Stats.Merge(&x.Stats)
	have.Handshakes += x.Handshakes
	have.ServerRTT += x.ServerRTT
	have.ClientRTT += x.ClientRTT
	have.Retransmissions += x.Retransmissions
}

// Close prints what is left and tells the first write error.
func (s *Seconds) Close() error {
	s.flush()
	return s.err
}

func (s *Seconds) flush() {
	for _, k := range s.order {
		s.line(s.pending[k])
		delete(s.pending, k)
	}
	s.order = s.order[:0]
}

func (s *Seconds) line(x *summary.Second) {
	if s.lines%headerEvery == 0 {
		header := secondsHeader
		if s.Drops != nil {
			header += "  drops"
		}
		s.printf("%s\n", header)
	}
	s.lines++
	zone := s.Zone
	if zone == nil {
		zone = time.Local
	}
	connect := "-"
	if x.Handshakes > 0 {
		connect = unit.Duration((x.ServerRTT + x.ClientRTT) / time.Duration(x.Handshakes)).String()
	}
	qps := float64(x.Count) / max(s.Every, time.Second).Seconds()
	s.printf("%-10s %5d  %-8s %8s  %8s %9s %9s %9s %9s %9s %6s %6s %8s", time.Unix(0, x.At).In(zone).Format("15:04:05"),
		x.Service.Server.Port, Proto(x.Service.Proto, &x.Stats), unit.Count(x.Count), rate(qps), rtOf(x, x.Mean()), rtOf(x, x.Quantile(0.5)), rtOf(x, x.Quantile(0.95)),
		rtOf(x, x.Quantile(0.99)), rtOf(x, x.Max), orDash(x.Failed), orDash(x.Retransmissions), connect)
	if s.Drops != nil {
		s.printf(" %6s", s.drops())
	}
	s.printf("\n")
}

func (s *Seconds) drops() string {
	dropped, known := s.Drops()
	if !known {
		return "?"
	}
	since := dropped - s.dropped
	s.dropped = dropped
	return strconv.FormatUint(since, 10)
}

func (s *Seconds) printf(format string, args ...any) {
	if s.err != nil {
		return
	}
	_, s.err = fmt.Fprintf(s.Out, format, args...)
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

func orDash(n uint64) string {
	if n == 0 {
		return "-"
	}
	return unit.Count(n).String()
}
