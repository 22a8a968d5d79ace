package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/packet/fingerprint"
	"rtrail/internal/probe/mysql/slowlog"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// maxLogged bounds the entries of slow query logs that are held in memory.
const maxLogged = 300_000

// SlowLogs are slow query logs of MySQL and MariaDB, of one server or several:
// each file counts as one.
type SlowLogs struct{ Files []string }

// Evidence reads all entries that tell when they were written.
func (s *SlowLogs) Evidence(ctx context.Context) (*Evidence, error) {
	began := time.Now()
	var rows []recording.MySQLSlowQuery
	var from, to time.Time
	left, undated := 0, 0
	words, once := fingerprint.New(), map[string]string{}
	same := func(text string) string {
		if known, ok := once[text]; ok {
			return known
		}
		once[text] = text
		return text
	}
	for _, file := range s.Files {
		options := slowlog.Options{Statement: func(text []byte, cut bool) string { return same(words.Of("mysql", "Query", text, cut)) }}
		err := slowlog.Read(ctx, file, options, func(e slowlog.Entry) {
			switch {
			case e.Logged.IsZero():
				undated++
				return
			case len(rows) == maxLogged:
				left++
				return
			}
			r := e.Row(began, file)
			rows = append(rows, r)
			if start := e.Logged.Add(-max(e.Took, 0)); from.IsZero() || start.Before(from) {
				from = start
			}
			if e.Logged.After(to) {
				to = e.Logged
			}
		})
		if err != nil {
			return nil, err
		}
	}
	name := strings.Join(s.Files, ", ")
	if len(rows) == 0 {
		return nil, fmt.Errorf("judging %s: there are no entries with a time in it", name)
	}
	e, err := of(recording.ProbeInfo{Name: "slow-log", Fills: []recording.Table{recording.MySQLSlowLog}}, from, to, func(w *recording.Writer) {
		recording.Give(w, rows)
	})
	if err != nil {
		return nil, err
	}
	if left > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("%s has %s more than the first %s, which were read", name, unit.Plural(left, "entry", "entries"), unit.Count(maxLogged)))
	}
	if undated > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("%s of %s do not tell their time and were left out", unit.Plural(undated, "entry", "entries"), name))
	}
	e.Notes = append(e.Notes, "judged on the slow log alone, which has only what took longer than long_query_time: shorter statements may take more time in all")
	return e, nil
}

// Close has nothing to give back: files are read at once.
func (s *SlowLogs) Close() error { return nil }
