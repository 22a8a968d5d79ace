// Package prepared measures what a long IN list costs a MySQL server, by mode: as text, in which
// the client puts the values, and as a prepared statement, in which the server does.
package prepared

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/mysqlconn"
)

// Bounds of a plan.
const (
	maxSpaces  = 1000
	maxLengths = 8
	minRounds  = 2
	maxRounds  = 100
	maxTimeout = 10 * time.Minute
	// MaxTime is the longest that a plan may take.
	MaxTime = time.Hour
	// maxLogged bounds what statements may add to logs that are switched on.
	maxLogged = 1 << 30
)

// Table is the name of the table that is asked.
const Table = "rtrail_bench_prepared"

// Plan is what to measure.
type Plan struct {
	Database string
	Markers  int   // of the IN list
	Spaces   []int // blanks between markers, one length of SQL each
	Rounds   int   // how often each is executed
	Timeout  time.Duration
	MaxTime  time.Duration
	// ToggleLogs switches the slow and the general log on and off.
	ToggleLogs bool
}

// Check refuses what no server takes, and what would take too much.
func (p *Plan) Check() error {
	switch {
	case p.Database == "" || len(p.Database) > 64 || strings.ContainsAny(p.Database, "`\x00\n\r"):
		return errors.New("--database: want the name of a database")
	case p.Markers < 1 || p.Markers > mysqlconn.MaxMarkers:
		return fmt.Errorf("--markers %d: from 1 to %d, which is the most that a prepared statement may have", p.Markers, mysqlconn.MaxMarkers)
	case len(p.Spaces) < 1 || len(p.Spaces) > maxLengths:
		return fmt.Errorf("--spaces: from 1 to %d numbers of blanks", maxLengths)
	case p.Rounds < minRounds || p.Rounds > maxRounds:
		return fmt.Errorf("--rounds %d: from %d, which show how much rounds differ by themselves, to %d", p.Rounds, minRounds, maxRounds)
	case p.Timeout < time.Second || p.Timeout > maxTimeout:
		return fmt.Errorf("--timeout %v: from 1s to %v", p.Timeout, maxTimeout)
	case p.MaxTime < time.Second || p.MaxTime > MaxTime:
		return fmt.Errorf("--max-time %v: from 1s to %v", p.MaxTime, MaxTime)
	}
	for i, n := range p.Spaces {
		switch {
		case n < 0 || n > maxSpaces:
			return fmt.Errorf("--spaces %d: from 0 to %d", n, maxSpaces)
		case slices.Contains(p.Spaces[:i], n):
			return fmt.Errorf("--spaces %d: is given twice", n)
		case len(p.filled(n, 0)) > mysqlconn.MaxStatement:
			return fmt.Errorf("--spaces %d: with %d values the text has %d bytes, and %d go into a packet", n, p.Markers, len(p.filled(n, 0)), mysqlconn.MaxStatement)
		}
	}
	if n := p.logged(); p.ToggleLogs && n > maxLogged {
		return fmt.Errorf("--toggle-logs: up to %d MiB would be logged, and %d are the most: fewer rounds, blanks or markers", n>>20, maxLogged>>20)
	}
	return nil
}

// logged is how many bytes statements may add to logs, if each is logged wherever it may be.
func (p *Plan) logged() int {
	n := 0
	for _, spaces := range p.Spaces {
		// Prepared ones are logged by the general log when they are prepared, too.
		n += len(p.filled(spaces, 0))*p.Rounds*len(modes) + len(p.marked(spaces))
	}
	return n * 4 // each of two logs is on in two of four settings
}

// list is a query with an IN list of n members.
func (p *Plan) list(spaces int, member func([]byte, int) []byte) []byte {
	b := []byte("SELECT * FROM `" + p.Database + "`.`" + Table + "` WHERE id IN (")
	blanks := strings.Repeat(" ", spaces)
	for i := range p.Markers {
		if i > 0 {
			b = append(append(b, ','), blanks...)
		}
		b = member(b, i)
	}
	return append(b, ')')
}

// marked is the text with markers.
func (p *Plan) marked(spaces int) []byte {
	return p.list(spaces, func(b []byte, _ int) []byte { return append(b, '?') })
}

// filled is the text with the values of a round.
func (p *Plan) filled(spaces, round int) []byte {
	return p.list(spaces, func(b []byte, i int) []byte { return strconv.AppendInt(b, p.value(round, i), 10) })
}

// values are those of a round, for markers.
func (p *Plan) values(round int) []driver.NamedValue {
	list := make([]driver.NamedValue, p.Markers)
	for i := range list {
		list[i] = driver.NamedValue{Ordinal: i + 1, Value: p.value(round, i)}
	}
	return list
}

// value is an integer of 15 digits. Those of two rounds differ, so that no cache of results
// answers, and they are in no order.
func (p *Plan) value(round, i int) int64 {
	const least, span, stride = 100_000_000_000_000, 900_000_000_000_000, 618_033_988_749_895
	n := uint64(round*p.Markers + i + 1)
	return least + int64(n*stride%span)
}
