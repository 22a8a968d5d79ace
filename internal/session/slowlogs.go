package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/packet/fingerprint"
	"rtrail/internal/probe/mysql/slowlog"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

const (
	// maxLogged bounds the entries of slow query logs that are held in memory,
	// maxTexts the bytes of all their texts, and maxText those of one: statements are
	// compared by their beginnings.
	maxLogged = 200_000
	maxTexts  = 32 << 20
	maxText   = 4 << 10
	// entryBytes is about what an entry takes, without its texts.
	entryBytes = 320
	// firstYear and lastYear bound the times that a log can have: what lies without
	// was damaged.
	firstYear, lastYear = 1995, 2200
)

// SlowLogs are slow query logs of MySQL and MariaDB, of one server or several:
// each file counts as one.
type SlowLogs struct{ Files []string }

// Evidence reads all entries that tell when they were written, as far as memory
// goes.
func (s *SlowLogs) Evidence(ctx context.Context) (*Evidence, error) {
	r := &logReader{words: fingerprint.New(), texts: map[string]string{}, memory: budget.From(ctx), began: time.Now()}
	for _, file := range s.Files {
		options := slowlog.Options{Statement: r.statement}
		r.order, r.file = slowlog.Order{}, r.file[:0]
		if err := slowlog.Read(ctx, file, options, func(e slowlog.Entry) { r.take(e, file) }); err != nil {
			return nil, err
		}
		r.settle()
	}
	name := strings.Join(s.Files, ", ")
	if len(r.rows) == 0 {
		return nil, fmt.Errorf("judging %s: there are no entries with a time in it", name)
	}
	e, err := of(recording.ProbeInfo{Name: "slow-log", Fills: []recording.Table{recording.MySQLSlowLog}}, r.from, r.to, func(w *recording.Writer) {
		recording.Give(w, r.rows)
	})
	if err != nil {
		return nil, err
	}
	if r.left > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("judged on %s of %s: the others, later ones, were left out for lack of memory", unit.Plural(int64(len(r.rows)), "entry", "entries"), name))
	}
	if r.undated > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("left out: %s of %s without a time", unit.Plural(r.undated, "entry", "entries"), name))
	}
	e.Notes = append(e.Notes, "judged on the slow log alone, which has only what took longer than long_query_time: shorter statements may take more time in all")
	return e, nil
}

// logReader collects the entries of logs.
type logReader struct {
	words   *fingerprint.Maker
	texts   map[string]string // each once
	memory  *budget.Budget
	began   time.Time
	rows    []recording.MySQLSlowQuery
	order   slowlog.Order // of the entries of a file
	file    []timed       // the same, with the times that they may have
	from    time.Time
	to      time.Time
	left    int64 // entries for which there was no room
	undated int64 // entries without a time
	bytes   int   // of texts
}

// statement words a statement, unless there is no room for it anyway.
func (r *logReader) statement(text []byte, cut bool) string {
	if r.left > 0 {
		return ""
	}
	return r.words.Of("mysql", "Query", text, cut)
}

func (r *logReader) take(e slowlog.Entry, file string) {
	if year := e.Logged.Year(); year < firstYear || year > lastYear {
		r.undated++
		return
	}
	row := e.Row(r.began, file)
	if r.left > 0 || len(r.rows) == maxLogged || !r.keep(&row.User, &row.Client, &row.DB, &row.Statement) || !r.memory.Take(entryBytes) {
		r.left++
		return
	}
	r.order.Add(&e)
	r.file = append(r.file, timed{e.Maria, e.Shifted})
	r.rows = append(r.rows, row)
}

// timed is what is known of the time of an entry (slowlog.Entry).
type timed struct{ maria, shifted bool }

// settle gives the entries of a file the times that their order tells, and makes room
// for them in the window.
func (r *logReader) settle() {
	first := len(r.rows) - len(r.file)
	for i, t := range r.file {
		row := &r.rows[first+i]
		e := slowlog.Entry{Logged: row.Logged, Took: row.Took, Maria: t.maria, Shifted: t.shifted}
		r.order.Settle(&e)
		row.Logged = e.Logged
		if start := row.Logged.Add(-max(row.Took, 0)); r.from.IsZero() || start.Before(r.from) {
			r.from = start
		}
		if row.Logged.After(r.to) {
			r.to = row.Logged
		}
	}
}

// keep holds each text once; false if there is no room for one.
func (r *logReader) keep(texts ...*string) bool {
	for _, t := range texts {
		if len(*t) > maxText {
			*t = strings.ToValidUTF8((*t)[:maxText], "") + "..."
		}
		known, ok := r.texts[*t]
		if !ok {
			r.bytes += len(*t)
			if r.bytes > maxTexts || !r.memory.Take(int64(len(*t)+128)) {
				return false
			}
			known = strings.Clone(*t)
			r.texts[known] = known
		}
		*t = known
	}
	return true
}
