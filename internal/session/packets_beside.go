package session

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/imported"
	"rtrail/internal/recording"
)

const (
	// zoneStep and farthestZone are what time zones are off UTC by: all are multiples of a quarter of
	// an hour, and the farthest is 14 h (tz database).
	zoneStep     = 15 * time.Minute
	farthestZone = 14 * time.Hour
	day          = 24 * time.Hour
)

// apart is the time between reports and packets; 0: they have some time in common.
func apart(reports, packets recording.Window) time.Duration {
	return max(reports.From.Sub(packets.To), packets.From.Sub(reports.To), 0)
}

// laterBy is by how much later than a capture says its packets are by the clock of reports, which is that
// of another time zone, or of another day where they tell none: the one with which both have most
// time in common, whole hours first, the least of them. false: no zone and no day explains it.
func laterBy(reports imported.Held, packets recording.Window) (later time.Duration, known bool) {
	if reports.Clock == imported.Untold {
		later = reports.From.Sub(packets.From)
		return later, later.Abs() <= farthestZone+day
	}
	var most time.Duration
	for _, by := range offsets(reports.Clock) {
		from, to := packets.From.Add(by), packets.To.Add(by)
		if apart(reports.Window, recording.Window{From: from, To: to}) > 0 {
			continue
		}
		common := min(to.UnixNano(), reports.To.UnixNano()) - max(from.UnixNano(), reports.From.UnixNano())
		if !known || time.Duration(common) > most {
			later, most, known = by, time.Duration(common), true
		}
	}
	return later, known
}

// offsets are those that a clock of reports may be off by, the likeliest first.
func offsets(clock imported.Clock) (list []time.Duration) {
	if clock == imported.Exact {
		return nil
	}
	for by := -farthestZone; by <= farthestZone; by += zoneStep {
		list = append(list, by)
		if clock == imported.TimeOfDay {
			list = append(list, by-day, by+day)
		}
	}
	odd := func(by time.Duration) int {
		switch {
		case by%time.Hour == 0:
			return 0
		case by%(30*time.Minute) == 0:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b time.Duration) int {
		return cmp.Or(cmp.Compare(odd(a), odd(b)), cmp.Compare(a.Abs(), b.Abs()))
	})
	return list
}

// explained says why packets may be of another time than reports, and what else may be done.
func explained(clock imported.Clock) string {
	switch clock {
	case imported.Untold:
		return ", as the reports have no times: those of their file were taken. Record with times (vmstat -t, iostat -t)"
	case imported.TimeOfDay:
		return ", as a time zone or the day of the file may be off. Times of reports are taken as local, and their day is that of the file: TZ=Area/City before rtrail sets another time zone"
	}
	return ", as a time zone may be off. Times of reports are taken as local: TZ=Area/City before rtrail sets another time zone"
}

// notExplained says why they cannot be, and what to do.
func notExplained(clock imported.Clock) string {
	const give = "; give the capture that was taken with them, or judge it by itself"
	switch clock {
	case imported.Exact:
		return ", which tell their time zone" + give
	case imported.TimeOfDay, imported.Untold:
		return ", whose day is that of their file" + give + ". If a copy changed the time of the file, set it: touch -d TIME FILE"
	}
	return ", which no time zone explains" + give
}
