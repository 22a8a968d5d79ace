package view

import (
	"time"

	"rtrail/internal/recording"
)

// traced is how long events were counted: each reading of them counts once, however
// many rows it has.
func traced[T recording.Row](rows []T, span func(*T) time.Duration) time.Duration {
	var sum time.Duration
	seen := map[time.Time]bool{}
	for i := range rows {
		if at := recording.TimeOf(&rows[i]); !seen[at] {
			seen[at] = true
			sum += span(&rows[i])
		}
	}
	return sum
}
