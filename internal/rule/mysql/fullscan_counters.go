package mysql

import (
	"math"

	"rtrail/internal/sqltoken"
	"rtrail/internal/view"
)

// scanning is what a server counts of rows read one after the other, not by an
// index. NaN where it does not tell.
type scanning struct {
	rate    float64 // rows per second
	share   float64 // of all rows read
	perScan float64 // rows per scan of a table, of statements that are counted as such: SELECT
	perSent float64 // rows per row sent to clients
	// perWanted is rows per row sent or changed.
	perWanted float64
	// UPDATE and DELETE count neither as scans nor by the rows that they send.
	update, remove rowChanges
}

// rowChanges is what one kind of statement that changes rows does, if it alone
// reads rows one after the other.
type rowChanges struct {
	perRun     float64 // rows per execution; NaN if none is known to have begun
	perChanged float64 // rows per row changed
	changed    float64 // rows per second; NaN
}

func scanningOf(s *view.MySQLServer) scanning {
	x := scanning{rate: s.Rate("Handler_read_rnd_next")}
	sum := x.rate
	for _, name := range []string{"Handler_read_first", "Handler_read_key", "Handler_read_next", "Handler_read_prev", "Handler_read_rnd"} {
		sum += view.OrZero(s.Rate(name))
	}
	x.share = x.rate / max(sum, 1)
	scans := view.OrZero(s.Rate("Select_scan")) + view.OrZero(s.Rate("Select_full_join"))
	x.perScan = x.rate / max(scans, 1/max(view.Elapsed(s.Looks).Seconds(), 1))
	x.perSent = x.rate / max(s.Rate("Rows_sent"), 1)
	x.perWanted = x.rate / max(s.Rate("Rows_sent")+view.OrZero(s.Rate("Handler_update"))+view.OrZero(s.Rate("Handler_delete")), 1)
	x.update, x.remove = x.changes(s, "update"), x.changes(s, "delete")
	return x
}

// changes reads the counters of UPDATE or DELETE. Commands nobody has used are
// not told.
func (x scanning) changes(s *view.MySQLServer, kind string) (c rowChanges) {
	runs := view.OrZero(s.Rate("Com_"+kind)) + view.OrZero(s.Rate("Com_"+kind+"_multi"))
	c.perRun, c.changed = math.NaN(), s.Rate("Handler_"+kind)
	c.perChanged = x.rate / max(c.changed, 1)
	if runs > 0 {
		c.perRun = x.rate / runs
	}
	return c
}

// kind is what the server counts of statements of this one's kind; nil if it is
// not UPDATE or DELETE.
func (x *scanning) kind(text string) *rowChanges {
	t := sqltoken.Split(text)
	switch {
	case len(t) > 0 && t[0].Is("UPDATE"):
		return &x.update
	case len(t) > 0 && t[0].Is("DELETE"):
		return &x.remove
	}
	return nil
}

// of is what the server's counts say of a statement that does most of the work:
// rows per execution, and per row that it returns or changes.
func (x *scanning) of(text string) (perRun, ratio float64) {
	if c := x.kind(text); c != nil {
		return c.perRun, c.perChanged
	}
	return x.perScan, x.perSent
}
