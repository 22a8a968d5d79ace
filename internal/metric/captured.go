package metric

import (
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// served reads what a service did in each second of a capture. unit is that of the points, if it is
// not the metric's.
func served(unit string, value func(*recording.PacketService) float64) *Reader {
	return &Reader{Table: recording.PacketServices, Unit: unit, Read: func(v *view.View) (list []Series) {
		for _, s := range v.PacketServices() {
			if points := ofSeconds(v, s.Seconds, value); len(points) > 0 {
				list = append(list, Series{Labels: []string{s.Name()}, Points: points})
			}
		}
		return list
	}}
}

// sent reads what one host sent to another one, or to all others, in each second of a capture.
func sent(value func(*recording.PacketRate) float64) *Reader {
	return &Reader{Table: recording.PacketRates, Read: func(v *view.View) (list []Series) {
		for _, r := range v.PacketRates() {
			if points := ofSeconds(v, r.Seconds, value); len(points) > 0 {
				list = append(list, Series{Labels: []string{r.From, r.To}, Points: points})
			}
		}
		return list
	}}
}

// ofSeconds are the points of seconds of a capture, each in the middle of its own.
func ofSeconds[T recording.Row](v *view.View, seconds []T, value func(*T) float64) (points []Point) {
	for i := range seconds {
		at := recording.TimeOf(&seconds[i])
		if x := value(&seconds[i]); view.Known(x) && whole(v, at, len(points)) {
			points = append(points, Point{at.Add(time.Second / 2), x})
		}
	}
	return points
}

// whole says whether a second of a capture ends within the view: of others there may be more to
// come. The first one counts whatever it is.
func whole(v *view.View, second time.Time, before int) bool {
	return before == 0 || !second.Add(time.Second).After(v.End())
}

// mean is a sum of times by how many there are, in seconds; nothing of none.
func mean(sum time.Duration, n int64) float64 {
	if n <= 0 {
		return view.Unknown
	}
	return sum.Seconds() / float64(n)
}

// part is a share of all; nothing of none.
func part(n, all int64) float64 {
	if all <= 0 {
		return view.Unknown
	}
	return float64(n) / float64(all)
}

// connections counts connections of a capture by their service and when something happened to
// them: the zero time is never. Of captures with thousands of connections the worst are known.
func connections(when func(*recording.PacketConnection) time.Time) *Reader {
	return events(recording.PacketConnections, func(v *view.View, add func(time.Time, ...string)) {
		for _, c := range v.PacketConnections() {
			if at := when(&c.PacketConnection); !at.IsZero() {
				s := view.PacketService{Server: c.Server, Port: uint16(c.ServerPort), Proto: c.Proto}
				add(at, s.Name())
			}
		}
	})
}
