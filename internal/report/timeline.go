package report

import (
	"slices"
	"time"

	"rtrail/internal/episode"
	"rtrail/internal/recording"
)

// Timeline is the JSON form of the findings of a recording over time;
// docs/timeline.schema.json describes it. It has the version of a verdict's form.
type Timeline struct {
	Format   int       `json:"format"`
	Tool     string    `json:"tool"` // that recorded
	Host     Host      `json:"host"`
	Recorded Span      `json:"recorded"`
	Window   Span      `json:"window"`
	Judged   Surveyed  `json:"judged"`
	Findings []Episode `json:"findings"`
	Possible int       `json:"possible"` // findings that are possible at most, and not listed
	Notes    []string  `json:"notes"`
}

// Surveyed says which windows were judged: of each, the busiest part.
type Surveyed struct {
	EverySeconds float64 `json:"every_seconds"` // from the beginning of a window to that of the next
	Seconds      float64 `json:"seconds"`       // of each
	Windows      int     `json:"windows"`       // that were judged
	Left         int     `json:"windows_left"`  // for which there was no time
}

// NewSurveyed is what a survey judged.
func NewSurveyed(s *episode.Survey) Surveyed {
	return Surveyed{s.Every.Seconds(), s.Part.Seconds(), s.Judged, s.Left}
}

// Episode is a finding that was there in one window after the other.
type Episode struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// StartAfter is when it was not there yet, EndBefore when it was not there any more;
	// null: it was there when what was judged begins or ends.
	StartAfter *time.Time `json:"start_after"`
	EndBefore  *time.Time `json:"end_before"`
	Seconds    float64    `json:"seconds"`
	Finding    Finding    `json:"finding"` // of the window in which it cost most
}

// NewTimeline is the JSON form of episodes of a recording; possible is how many findings are no more than that.
func NewTimeline(c recording.Held, window Span, judged Surveyed, list []episode.Episode, possible int, notes []string) Timeline {
	return Timeline{
		Format: FormatVersion, Tool: c.Manifest.Tool, Host: newHost(c.Manifest.Host), Recorded: NewSpan(c.Window.From, c.Window.To), Window: window, Judged: judged,
		Findings: each(list, func(e episode.Episode) Episode {
			e.Finding.Rank = 0 // that of its window
			return Episode{e.First, e.Last, moment(e.After), moment(e.Before), e.Last.Sub(e.First).Seconds(), newFinding(e.Finding)}
		}),
		Possible: possible,
		Notes:    append([]string{}, slices.Clone(notes)...),
	}
}
