// Package failover says what a switch, failover or upgrade of a MySQL server does to its
// clients: a watch makes a row each second, and the analysis makes of the rows when writes
// stopped, when connections failed, and when both came back.
package failover

import (
	"math"
	"time"

	"rtrail/internal/document"
)

// Second is what one second of a watch saw. Numbers that are not known are NaN, null in JSON.
type Second struct {
	// At is the time of day at which the second was to begin.
	At time.Time `json:"time"`
	// Elapsed is when it began, since the first one, by a clock that nobody sets.
	Elapsed time.Duration `json:"elapsed_ns"`
	// TPS is writing transactions per second that were committed: those of all clients by
	// the server's counters, the watch's own, or those of a log.
	TPS document.Number `json:"transactions_per_second"`
	QPS document.Number `json:"queries_per_second"`
	// Counted is how long TPS and QPS were counted, if it was longer than a second: the
	// server did not answer in between.
	Counted time.Duration `json:"counted_ns,omitempty"`
	// Errors is failed statements of the watch's own writer, or those of a log.
	Errors document.Number `json:"errors_per_second"`
	Codes  []Code          `json:"error_codes"` // of Errors; nil if they are not known
	// FirstWrite and LastWrite are when the first and the last write of the second was
	// acknowledged, as Elapsed; 0: not known, or none.
	FirstWrite time.Duration `json:"first_write_ns,omitempty"`
	LastWrite  time.Duration `json:"last_write_ns,omitempty"`

	Connects Connects `json:"connects"`
	// Lost says that a connection which had been made before ended, and how.
	Lost string `json:"connection_lost,omitempty"`

	Addresses   []string `json:"addresses"` // that the name resolves to, sorted
	LookupError string   `json:"lookup_error,omitempty"`
	Server      *Server  `json:"server"` // that new connections reach; nil: none
	// Uptime is how long that server has run, in whole seconds; -1: not known.
	Uptime int64 `json:"uptime_s"`
}

// Connects is the new connections of a second, each with a login.
type Connects struct {
	OK     int `json:"ok"`
	Failed int `json:"failed"`
	// Took is the median time of those that succeeded, in milliseconds.
	Took  document.Number `json:"ms"`
	Class string          `json:"error_class,omitempty"` // of the last one that failed: timeout
	Error string          `json:"error,omitempty"`
}

// Server is who answers.
type Server struct {
	ID       int64  `json:"server_id"`
	UUID     string `json:"server_uuid,omitempty"` // of MySQL
	Host     string `json:"hostname"`
	Version  string `json:"version"`
	ReadOnly bool   `json:"read_only"`
}

// same says whether two are one server, possibly restarted.
func (s *Server) same(t *Server) bool {
	return s.ID == t.ID && s.UUID == t.UUID && s.Host == t.Host
}

// Code is how often an error was seen.
type Code struct {
	Number int    `json:"number"` // of the server; 0: none, the connection failed
	Class  string `json:"class"`
	Count  int    `json:"count"`
}

// Source is where the transactions of a watch are counted.
type Source string

// Sources of transactions.
const (
	Counters Source = "counters" // of the server: those of all clients, if there are any
	Writer   Source = "writer"   // writes of the watch itself
	Log      Source = "log"      // of sysbench, which writes as fast as it can
)

// wanted says that somebody is known to write all the time, so that a second without writes
// is the server's.
func (s Source) wanted() bool { return s != Counters }

// Run is a watch.
type Run struct {
	Target  string
	Source  Source
	Seconds []Second
	// Relative says that times of day are not known: At begins at midnight of year 1.
	Relative bool
	// Unfinished is the number of a last line that was cut off and left out; 0: none.
	Unfinished int
}

// NewSecond is one of which nothing is known.
func NewSecond(at time.Time, elapsed time.Duration) Second {
	nan := document.Number(math.NaN())
	return Second{At: at, Elapsed: elapsed, TPS: nan, QPS: nan, Errors: nan, Connects: Connects{Took: nan}, Uptime: -1}
}

func known(n document.Number) bool { return !math.IsNaN(float64(n)) }
