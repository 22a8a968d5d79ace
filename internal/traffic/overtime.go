package traffic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/packet/summary"
	"rtrail/internal/timeline"
	"rtrail/internal/unit"
)

const (
	// maxIntervals is how many intervals with requests a capture is told in: what
	// one screen shows.
	maxIntervals = 20
	// maxInInterval is how many services of an interval are told one by one; the
	// others are added up.
	maxInInterval = 4
	// maxParts bounds the sums of services in intervals that are kept.
	maxParts = 4096
)

// OverTime keeps what services answered in each interval, for a table that is
// printed once a capture has been read. Intervals are a second at first, and grow
// with the capture.
type OverTime struct {
	Zone  *time.Location // nil: local time
	Cover *Cover         // what the capture covers; nil: everything

	step      int // of timeline.Steps; beyond the last they double
	parts     map[sumKey]*summary.Second
	intervals map[int64]int // how many parts each has
	waits     bool          // something waited at the end of a second
}

// sumKey is a service in an interval.
type sumKey struct {
	at      int64
	service summary.Service
}

// Second takes the next one. One in which nothing was answered and nothing waits is left out.
func (o *OverTime) Second(x *summary.Second) {
	if x.Count == 0 && x.Waiting.Requests == 0 {
		return
	}
	if o.parts == nil {
		o.parts, o.intervals = map[sumKey]*summary.Second{}, map[int64]int{}
	}
	o.waits = o.waits || x.Waiting.Requests > 0
	kept := *x
	o.add(x.Service, &kept)
	for len(o.intervals) > maxIntervals || len(o.parts) > maxParts && len(o.intervals) > 1 {
		o.coarsen()
	}
	if len(o.parts) > maxParts {
		o.addUp()
	}
}

// add adds to an interval; what is new there is kept itself.
func (o *OverTime) add(service summary.Service, x *summary.Second) {
	k := sumKey{o.begin(x.At), service}
	if have := o.parts[k]; have != nil {
		have.Merge(x)
		return
	}
	o.parts[k] = x
	o.intervals[k.at]++
}

// coarsen makes intervals longer.
func (o *OverTime) coarsen() {
	o.step++
	o.rebuild(func(k sumKey) summary.Service { return k.service })
}

// addUp makes all services of one interval that has too many one without name.
func (o *OverTime) addUp() {
	o.rebuild(func(sumKey) summary.Service { return summary.Service{} })
}

func (o *OverTime) rebuild(service func(sumKey) summary.Service) {
	old := o.parts
	o.parts, o.intervals = map[sumKey]*summary.Second{}, map[int64]int{}
	for _, k := range slices.SortedFunc(maps.Keys(old), func(a, b sumKey) int { return cmp.Compare(a.at, b.at) }) {
		o.add(service(k), old[k])
	}
}

// every is how long intervals are.
func (o *OverTime) every() time.Duration {
	last := len(timeline.Steps) - 1
	if o.step <= last {
		return timeline.Steps[o.step]
	}
	return timeline.Steps[last] << min(o.step-last, 16) // 180 years
}

// begin is when the interval of a moment begins: at a multiple of its length
// since midnight where the user is.
func (o *OverTime) begin(at int64) int64 {
	_, east := local(at, o.Zone).Zone()
	shift, every := int64(east)*int64(time.Second), int64(o.every())
	since := (at + shift) % every
	if since < 0 {
		since += every
	}
	return at - since
}

// table is empty if there were no requests. Where intervals without any were left
// out, a line of dots stands for them.
func (o *OverTime) table() (t document.Table) {
	if o == nil || len(o.parts) == 0 {
		return t
	}
	every := o.every()
	at := slices.Sorted(maps.Keys(o.intervals))
	clock := o.clock(at)
	columns := slices.Clone(secondsColumns[:len(secondsColumns)-1]) // without drops of a live capture
	if every > time.Second {                                        // of a second, the count is the rate
		columns[slices.IndexFunc(columns, func(c document.Column) bool { return c.Name == "QPS" })].Drop = 0
	}
	var rows [][]string
	for i, begin := range at {
		if i > 0 && begin-at[i-1] > int64(every) {
			dots := make([]string, len(columns))
			dots[0] = "..."
			rows = append(rows, dots)
		}
		for _, x := range o.shown(begin) {
			rows = append(rows, secondsCells(local(begin, o.Zone).Format(clock), x, o.Cover.rate(x.Count, begin, every), begin+int64(every)))
		}
	}
	t = document.Table{Title: fmt.Sprintf("OVER TIME, each %v", unit.Duration(every)), Columns: columns, Rows: rows}
	if open := slices.IndexFunc(columns, func(c document.Column) bool { return c.Name == "open" }); !o.waits {
		return leaveOut(t, open, open+2) // and oldest
	}
	return t
}

// leaveOut takes some columns out of a table.
func leaveOut(t document.Table, from, to int) document.Table {
	t.Columns = slices.Delete(t.Columns, from, to)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], from, to)
	}
	return t
}

// clock is a layout that tells intervals apart.
func (o *OverTime) clock(at []int64) string {
	first, last := local(at[0], o.Zone), local(at[len(at)-1], o.Zone)
	if first.Format(dateLayout) == last.Format(dateLayout) {
		return "15:04:05"
	}
	return dateLayout + " 15:04:05"
}

// shown are the services of an interval, those first that took most of the time;
// those beyond what is told one by one are one without a name.
func (o *OverTime) shown(at int64) []*summary.Second {
	var list []*summary.Second
	for k, x := range o.parts {
		if k.at == at {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b *summary.Second) int {
		return cmp.Or(cmp.Compare(b.RTSum, a.RTSum), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Service.Server.Port, b.Service.Server.Port), cmp.Compare(a.Service.Proto, b.Service.Proto),
			slices.Compare(a.Service.Server.Addr[:], b.Service.Server.Addr[:]))
	})
	if len(list) <= maxInInterval+1 {
		return list
	}
	others := &summary.Second{At: at, Service: summary.Service{Proto: "others"}}
	for _, x := range list[maxInInterval:] {
		others.Merge(x)
	}
	return append(list[:maxInInterval], others)
}
