package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Connects are the TCP connects of one process to one destination with one result, or
// the connections that came in at one port.
type Connects struct {
	PID        int32 // 0: of those that came in
	Started    time.Time
	Process    string
	NetNS      uint64
	Local      string // of those that came in
	LocalPort  uint16
	Remote     string // "": several destinations, or they came in
	RemotePort uint16
	Result     string // as recording.Connect has it

	Count     int64
	PerSecond float64
	Time      time.Duration // of all of them
	Longest   time.Duration
	Steps     Steps
}

// Connects sums up the connects of the window, the most time first: what the kernel told as
// far as it was traced.
func (v *View) Connects() []Connects {
	return Memo(v, "connects", func() []Connects { return SumConnects(Rows[recording.Connect](v), v.watched("connects")) })
}

// SumConnects sums up rows of one or more readings, of a source that counted
// for so long; 0: that is not known.
func SumConnects(rows []recording.Connect, watched time.Duration) []Connects {
	type same struct {
		pid     int32
		started time.Time
		ends    ConnectionKey
		result  string
	}
	all := traced(rows, watched, func(r *recording.Connect) (span, traced time.Duration) { return r.Span, r.Traced })
	at := map[same]int{}
	var list []Connects
	for i := range rows {
		r := &rows[i]
		k := same{r.PID, r.Started, ConnectionKey{r.NetNS, r.Local, r.LocalPort, r.Remote, r.RemotePort}, r.Result}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k] = n
			list = append(list, Connects{PID: r.PID, Started: r.Started, Process: r.Process, NetNS: r.NetNS, Local: r.Local, LocalPort: r.LocalPort,
				Remote: r.Remote, RemotePort: r.RemotePort, Result: r.Result})
		}
		c := &list[n]
		factor := all.factor(r.Span, r.Traced)
		c.Count += scaled(r.Connects, factor)
		c.Time += scaled(r.Time, factor)
		c.Longest = max(c.Longest, r.Longest)
		c.Steps.add(r.Histogram, factor)
	}
	span := all.span.Seconds()
	for i := range list {
		if span > 0 {
			list[i].PerSecond = float64(list[i].Count) / span
		}
	}
	slices.SortStableFunc(list, func(a, b Connects) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Count, a.Count), cmp.Compare(a.PID, b.PID))
	})
	return list
}
