package traffic

import (
	"rtrail/internal/escape"
	"rtrail/internal/packet/doubt"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/summary"
)

// Doubts says what is missing in a capture and what was left out of all times,
// a line each; none if all is well.
func Doubts(r *engine.Report, s *summary.Summary) []string {
	var lines []string
	for _, d := range doubt.Of(r, s) {
		if d.Kind == doubt.Note {
			d.Text = "note: " + escape.Text(d.Text)
		}
		lines = append(lines, d.Text)
	}
	return lines
}
