package failover

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/mysqlconn"
	"rtrail/internal/view"
)

// look is what a new connection sees at the beginning of a second.
type look struct {
	connects    Connects
	denied      bool
	addresses   []string
	lookupError string
	server      *Server
	uptime      int64
	// counters are those of the server, read at; nil: not known.
	counters map[string]float64
	at       time.Duration
	err      error
}

// What is asked. Variables and counters that a server lacks are not in its answer.
const (
	askWho = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_id','server_uuid','server_uid','hostname','version','read_only','super_read_only')"
	askHow = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Uptime','Questions','Com_commit','Com_begin','Com_set_option'," +
		"'Com_insert','Com_update','Com_delete','Com_replace','Com_insert_select')"
)

// look looks the name up, logs in, and asks who answers and what it has counted.
func (w *Watch) look(ctx context.Context, start time.Time) (l look) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	l = look{uptime: -1, connects: Connects{Took: document.Number(math.NaN())}}
	fail := func(err error) look {
		l.err = err
		l.connects.Failed = 1
		class, number := classOf(err)
		l.connects.Class, l.connects.Error = class, cut(mysqlconn.Text(err))
		kind, _ := mysqlconn.Classify(err)
		l.denied = kind == mysqlconn.Denied && number != 0
		return l
	}
	addresses, err := w.net.resolve(ctx, w.Target)
	if err != nil {
		l.lookupError = cut(err.Error())
		return fail(err)
	}
	l.addresses = sorted(addresses)
	began := time.Now()
	conn, err := w.net.connect(ctx, w.Target, addresses)
	if err != nil {
		return fail(err)
	}
	defer conn.Close()
	took := time.Since(began)
	who, err := pairs(ctx, conn, askWho)
	if err != nil {
		return fail(err)
	}
	how, err := pairs(ctx, conn, askHow)
	if err != nil {
		return fail(err)
	}
	l.at = time.Since(start)
	l.connects.OK, l.connects.Took = 1, document.Number(float64(took)/float64(time.Millisecond))
	l.server = &Server{ID: who.Int("server_id"), UUID: who.text("server_uuid", "server_uid"), Host: who.text("hostname"), Version: who.text("version"),
		ReadOnly: who.on("read_only") || who.on("super_read_only")}
	if n, ok := how.number("uptime"); ok {
		l.uptime = int64(n)
	}
	l.counters = map[string]float64{}
	for name := range how {
		if n, ok := how.number(name); ok {
			l.counters[name] = n
		}
	}
	return l
}

// table is an answer of names with values; names are in small letters.
type table map[string]string

func pairs(ctx context.Context, conn *mysqlconn.Conn, statement string) (table, error) {
	r, err := conn.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	t := table{}
	for row := range r.Rows() {
		t[strings.ToLower(cut(row.At(0)))] = cut(row.At(1))
	}
	return t, nil
}

// text is the first value that is there.
func (t table) text(names ...string) string {
	for _, n := range names {
		if t[n] != "" {
			return t[n]
		}
	}
	return ""
}

// row is the table as a row, whose conversions it shares.
func (t table) row(name string) (mysqlconn.Row, bool) {
	text, ok := t[name]
	r := mysqlconn.NewResult([]string{name})
	r.Add([]string{text}, nil)
	return r.Row(0), ok
}

// Int is -1 for what is no number.
func (t table) Int(name string) int64 {
	r, _ := t.row(name)
	return r.Int(name)
}

func (t table) number(name string) (float64, bool) {
	r, ok := t.row(name)
	n, is := r.Float(name)
	return n, ok && is && !math.IsInf(n, 0) && n >= 0
}

// on says whether a switch is on. MariaDB 12 has more values than ON and OFF.
func (t table) on(name string) bool {
	v, ok := t[name]
	return ok && !slices.Contains([]string{"", "OFF", "0", "NO", "FALSE"}, strings.ToUpper(v))
}

// rates are transactions and statements per second from one look to another of one server;
// NaN if it was restarted in between.
func (l *look) rates(last *look) (tps, qps document.Number, counted time.Duration) {
	nan := document.Number(math.NaN())
	if last == nil || last.counters == nil || l.counters == nil || !last.server.same(l.server) || l.uptime < last.uptime || l.counters["questions"] < last.counters["questions"] {
		return nan, nan, 0
	}
	counted = l.at - last.at
	rate := func(name string) float64 {
		name = strings.ToLower(name)
		was, before := last.counters[name]
		is, now := l.counters[name]
		if !before || !now || counted <= 0 {
			return math.NaN()
		}
		return max(0, is-was) / counted.Seconds()
	}
	return document.Number(view.Commits(rate)), document.Number(rate("Questions")), counted
}
