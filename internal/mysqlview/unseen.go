package mysqlview

import (
	"rtrail/internal/escape"
	"rtrail/internal/recording"
)

// NotSeen words what the probe could not read of a server, why, and what helps.
func NotSeen(u *recording.UnseenNote) string {
	text := "not seen: " + escape.Line(u.What) + ": " + escape.Line(u.Why)
	if u.How != "" {
		text += "; " + escape.Line(u.How)
	}
	return text
}
