package prepared

import (
	"time"

	"rtrail/internal/document"
)

// Mode is who puts the values into the statement.
type Mode string

const (
	// ClientSide sends a text with values: useServerPrepStmts=false in Connector/J,
	// interpolateParams=true in Go.
	ClientSide Mode = "client-side"
	// ServerSide prepares a text with markers on the server and sends the values apart.
	ServerSide Mode = "server-side"
)

var modes = []Mode{ClientSide, ServerSide}

// Logs are the logs of statements that are on.
type Logs struct {
	Slow    bool `json:"slow_query_log"`
	General bool `json:"general_log"`
}

func (l Logs) String() string {
	switch l {
	case Logs{true, true}:
		return "slow and general log on"
	case Logs{Slow: true}:
		return "slow log on"
	case Logs{General: true}:
		return "general log on"
	}
	return "logs off"
}

// format is the version of the JSON form.
const format = 1

// Result is what was measured. docs/bench-prepared.schema.json describes its JSON form.
type Result struct {
	Format   int       `json:"format"`
	Target   string    `json:"target"`
	Table    string    `json:"table"` // database and name
	Began    time.Time `json:"began"`
	Driver   string    `json:"driver"` // that speaks with the server
	Settings []Setting `json:"settings"`
	Markers  int       `json:"markers"`
	Rounds   int       `json:"rounds"`
	Cells    []Cell    `json:"cells"`
	LeftOut  []LeftOut `json:"left_out"`
	Notes    []string  `json:"notes"`
	Verdict  []Finding `json:"verdict"`

	now         Logs // as found
	toggles     bool
	unprofiled  string // why no profile was taken
	interrupted bool
}

// Setting is one of the server's.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Cell is one mode at one length with one setting of the logs.
type Cell struct {
	Mode   Mode `json:"mode"`
	Spaces int  `json:"spaces"` // between two markers
	Logs
	SQL  int `json:"sql_bytes"`  // of the text with markers
	Sent int `json:"sent_bytes"` // that a round sends, protocol apart
	// Prepare is how long the server took to prepare, before the rounds; NaN: client-side.
	Prepare document.Number `json:"prepare_ms"`
	Rounds  []Round         `json:"rounds"`
	Total   document.Number `json:"total_ms"` // of the rounds
	Mean    document.Number `json:"mean_ms"`
	// Own is the CPU time of rtrail per round, in milliseconds: that is not the server's.
	Own document.Number `json:"own_cpu_ms"`
	// Com_stmt_prepare of the session before and after: 0 and 1 prove that the server
	// prepared; -1: not known.
	PreparedBefore int64    `json:"com_stmt_prepare_before"`
	PreparedAfter  int64    `json:"com_stmt_prepare_after"`
	Profile        *Profile `json:"profile"` // of the server on this host; null: none
	Failed         string   `json:"failed"`  // why rounds are missing

	timedOut bool
}

// Round is one execution.
type Round struct {
	Took document.Number `json:"ms"`
	Rows int             `json:"rows"`
}

// LeftOut is a cell that was not measured.
type LeftOut struct {
	Mode   Mode `json:"mode"`
	Spaces int  `json:"spaces"`
	Logs
	Why string `json:"why"`
}

// Finding is a part of the verdict.
type Finding struct {
	About string `json:"about"` // timeout, mode, log, length, cause, prepare, fallback, client
	Costs bool   `json:"costs"` // the server is clearly slower by it
	Words string `json:"words"`
}

func ms(d time.Duration) document.Number { return document.Number(float64(d) / 1e6) }

// sum fills in what follows from the rounds.
func (c *Cell) sum(own time.Duration) {
	if len(c.Rounds) == 0 {
		return
	}
	c.Total = 0
	for _, r := range c.Rounds {
		c.Total += r.Took
	}
	c.Mean, c.Own = c.Total/document.Number(len(c.Rounds)), ms(own)/document.Number(len(c.Rounds))
}
