package page

import (
	"cmp"
	"fmt"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/summary"
	"rtrail/internal/traffic"
	"rtrail/internal/unit"
)

func newTable(title string, columns ...document.Column) document.Table {
	return document.Table{Title: title, Columns: columns}
}

// w is a column of words, n of numbers, s of statements.
func w(name string) document.Column { return document.Column{Name: name} }
func n(name string) document.Column { return document.Column{Name: name, Right: true} }
func s(name string) document.Column { return document.Column{Name: name, Cut: true} }

func services(sum *summary.Summary) []summary.Service {
	return traffic.Ranked(sum.Services, func(a, b summary.Service) int {
		return cmp.Or(cmp.Compare(a.Server.Port, b.Server.Port), cmp.Compare(a.Proto, b.Proto))
	})
}

func (p *Page) tables(r *engine.Report, sum *summary.Summary) []document.Block {
	return []document.Block{p.serviceTable(sum), p.statementTable(sum), p.askedTable(sum), p.connectionTable(sum), p.slowestTable(r, sum)}
}

func count(c uint64) string { return unit.Count(c).String() }

func (p *Page) serviceTable(sum *summary.Summary) document.Table {
	t := newTable("Services", w("port"), w("protocol"), n("requests"), n("mean"), n("p50"), n("p95"), n("p99"), n("max"), n("errors"), n("left out"), n("connections"), n("resent"), n("handshake"))
	for _, k := range services(sum) {
		if len(t.Rows) == p.Top {
			break
		}
		x := sum.Services[k]
		handshake := "–"
		if x.Handshakes > 0 {
			handshake = unit.Duration((x.ServerRTT + x.ClientRTT) / time.Duration(x.Handshakes)).String()
		}
		st := &x.Stats
		t.Add([]string{fmt.Sprint(k.Server.Port), traffic.Proto(k.Proto, st), count(x.Count), usable(st, x.Mean()), usable(st, x.Quantile(0.5)), usable(st, x.Quantile(0.95)),
			usable(st, x.Quantile(0.99)), usable(st, x.Max), count(x.Failed), count(x.Excluded()), count(x.Connections), count(x.Retransmissions), handshake})
	}
	return t
}

func (p *Page) statementTable(sum *summary.Summary) document.Table {
	t := newTable("Statements by total time", n("total"), n("requests"), n("mean"), n("p95"), n("p99"), n("max"), n("errors"), n("rows"), s("statement"))
	for _, k := range traffic.Statements(sum) {
		if len(t.Rows) == p.Top {
			break
		}
		x := sum.Statements[k]
		st := &x.Stats
		t.Add([]string{usable(st, x.Sum), count(x.Count), usable(st, x.Mean()), usable(st, x.Quantile(0.95)), usable(st, x.Quantile(0.99)), usable(st, x.Max),
			count(x.Failed), traffic.RowsOf(st), traffic.Statement(k.Command, k.Fingerprint)})
	}
	return t
}

func (p *Page) askedTable(sum *summary.Summary) document.Table {
	t := newTable("Asked to wait, left out of all times", n("waited"), n("requests"), s("statement"))
	list := traffic.AskedToWait(sum)
	for _, k := range list[:min(len(list), p.Top)] {
		x := sum.Statements[k]
		t.Add([]string{unit.Duration(x.Blocked).String(), count(x.Blocking), traffic.Statement(k.Command, k.Fingerprint)})
	}
	return t
}

func (p *Page) connectionTable(sum *summary.Summary) document.Table {
	t := newTable("Connections, the worst", w("id"), w("client"), w("server"), n("requests"), n("errors"), n("waited"), n("max"), n("resent"), n("connect"), w("ended"))
	for _, c := range sum.Connections[:min(len(sum.Connections), p.Top)] {
		connect := "–"
		if d, ok := c.Connect(); ok {
			connect = unit.Duration(d).String()
		}
		t.Add([]string{fmt.Sprint(c.ID), c.Client.String(), c.Server.String(), count(uint64(c.Requests.Count)), count(uint64(c.Requests.Failed)), unit.Duration(c.Requests.Sum).String(),
			unit.Duration(c.Requests.Max).String(), count(uint64(c.Sides[0].Retransmissions) + uint64(c.Sides[1].Retransmissions)), connect, c.Ending.String()})
	}
	return t
}

func (p *Page) slowestTable(r *engine.Report, sum *summary.Summary) document.Table {
	t := newTable("Slowest requests", n("RT"), n("upload"), n("server"), n("download"), n("resent"), w("at"), w("client"), w("server"), w("frames"), s("statement"))
	for i := range sum.Slowest[:min(len(sum.Slowest), p.Top)] {
		x := &sum.Slowest[i]
		t.Add([]string{unit.Duration(x.RT).String(), unit.Duration(x.Upload).String(), unit.Duration(x.Serve).String(), unit.Duration(x.Download).String(),
			unit.Duration(x.Retransmit).String(), p.time(x.Start, traffic.Clock(r.First, r.Last)), x.Client.String(), x.Server.String(),
			fmt.Sprintf("%d–%d", x.Frames[0], x.Frames[3]), traffic.Statement(x.Command, x.Fingerprint)})
	}
	return t
}
