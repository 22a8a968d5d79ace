package mysqlview

import "rtrail/internal/recording"

// NotSeen words what the probe could not read of a server, why, and what helps.
func NotSeen(u *recording.UnseenNote) string {
	text := "not seen: " + Plain(u.What) + ": " + Plain(u.Why)
	if u.How != "" {
		text += "; " + Plain(u.How)
	}
	return text
}
