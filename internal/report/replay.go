package report

import (
	"time"

	"rtrail/internal/document"
	"rtrail/internal/episode"
	"rtrail/internal/recording"
	"rtrail/internal/timeline"
)

// Replay is the JSON form of what a recording holds; docs/replay.schema.json
// describes it. It has the version of a verdict's form.
type Replay struct {
	Format       int                       `json:"format"`
	Tool         string                    `json:"tool"` // that recorded
	Host         Host                      `json:"host"`
	Recorded     Span                      `json:"recorded"`
	Window       Span                      `json:"window"`
	Segments     int                       `json:"segments"`
	SegmentBytes int64                     `json:"segment_bytes"`
	Judged       Judged                    `json:"judged"`
	Faults       []Fault                   `json:"faults"`
	Possible     int                       `json:"possible"` // findings that are no faults because they are possible at most
	TopProcesses []TopProcess              `json:"top_processes"`
	OverTime     OverTime                  `json:"over_time"`
	Rows         map[recording.Table]int64 `json:"rows"`
	Probes       []Recorder                `json:"probes"`
	Notes        []string                  `json:"notes"`
}

// Span is a stretch of time.
type Span struct {
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	Seconds float64   `json:"seconds"`
}

// NewSpan is the time from one moment to another.
func NewSpan(from, to time.Time) Span {
	return Span{from, to, to.Sub(from).Seconds()}
}

// Judged says which windows were judged: of each, the busiest part.
type Judged struct {
	EverySeconds float64    `json:"every_seconds"` // from the beginning of a window to that of the next
	Seconds      float64    `json:"seconds"`       // of each
	Until        *time.Time `json:"until"`         // what began later was not judged; null: all was
}

// NewJudged is the windows of which so much was judged; until is zero if all were.
func NewJudged(every, each time.Duration, until time.Time) Judged {
	return Judged{every.Seconds(), each.Seconds(), moment(until)}
}

// Fault is a finding that was there in one window after the other.
type Fault struct {
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	Finding Finding   `json:"finding"` // of the window in which it cost most
}

// NewFaults gives episodes their JSON form.
func NewFaults(list []episode.Episode) []Fault {
	return each(list, func(e episode.Episode) Fault {
		e.Finding.Rank = 0 // that of its window
		return Fault{e.From, e.To, newFinding(e.Finding)}
	})
}

// TopProcess is what a process used in all windows that were judged.
type TopProcess struct {
	Name       string          `json:"name"`
	PID        int32           `json:"pid"`
	Seconds    document.Number `json:"seconds"` // that were judged while it was seen
	CPUSeconds document.Number `json:"cpu_seconds"`
	MostCores  document.Number `json:"most_cores"` // in the window in which it used most
	MostRSS    int64           `json:"most_rss_bytes"`
}

// NewTopProcesses gives processes their JSON form.
func NewTopProcesses(list []episode.Process) []TopProcess {
	return each(list, func(p episode.Process) TopProcess {
		return TopProcess{p.Name, p.PID, document.Number(p.Seconds), document.Number(p.CPUSeconds), document.Number(p.MostCPU), max(p.MostRSS, 0)}
	})
}

// OverTime is the host, stretch by stretch.
type OverTime struct {
	EverySeconds float64   `json:"every_seconds"`
	Lines        []Stretch `json:"lines"`
}

// Stretch is one of them; what no row tells is null.
type Stretch struct {
	Start     time.Time       `json:"start"`
	Piece     int             `json:"piece"` // grows where the clock was set back
	Busy      document.Number `json:"cpu_busy"`
	IOWait    document.Number `json:"io_wait"`
	Load      document.Number `json:"load"`
	Blocked   document.Number `json:"blocked"`
	Available document.Number `json:"memory_available"`
	SwapUsed  document.Number `json:"swap_used_bytes"`
	Stalled   document.Number `json:"stalled"`
	StalledOn string          `json:"stalled_on"`
}

// Add appends the lines of a piece of the recording.
func (o *OverTime) Add(piece int, lines []timeline.Line) {
	for _, l := range lines {
		o.Lines = append(o.Lines, Stretch{l.At, piece, document.Number(l.Busy), document.Number(l.IOWait), document.Number(l.Load), document.Number(l.Blocked),
			document.Number(l.Available), document.Number(l.SwapUsed), document.Number(l.Stall), l.Stalled})
	}
}

// Recorder is what a probe did in the window.
type Recorder struct {
	Name       string  `json:"name"`
	Runs       int64   `json:"runs"`
	CPUSeconds float64 `json:"cpu_seconds"`
	Late       int64   `json:"late"`
	Lost       int64   `json:"lost"`
	Errors     int64   `json:"errors"`
	Error      string  `json:"error"`   // the last one
	Missing    string  `json:"missing"` // why it did not run
}

// NewReplay is the part that is true of the recording whatever is asked.
func NewReplay(c recording.Contents, window Span) Replay {
	return Replay{
		Format: FormatVersion, Tool: c.Manifest.Tool, Host: newHost(c.Manifest.Host), Recorded: NewSpan(c.Window.From, c.Window.To), Window: window,
		Segments: len(c.Segments), SegmentBytes: c.Bytes(), Rows: c.Rows, OverTime: OverTime{Lines: []Stretch{}}, Probes: []Recorder{}, Notes: []string{},
	}
}
