package metric

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// Series is a metric of one thing over the window.
type Series struct {
	Labels []string // values, in the order of Metric.Labels
	Points []Point
}

// Point is a value at a time. A reading that failed, a counter's first one and
// one after a reset have no point: what is not known is never 0.
type Point struct {
	At    time.Time
	Value float64
}

// Reader reads the series of a metric from a view; nil: it is known as a number of a
// window only.
type Reader struct {
	Table recording.Table // that it reads
	// Unit of the points; "": that of the metric. What a metric counts in a window is drawn
	// as its growth per second.
	Unit string
	Read func(*view.View) []Series
}

// of tells whose row one is: the values of its labels, and false if it is none of
// the metric's. nil: every row is one of the host.
type of[T recording.Row] func(T) (labels []string, ok bool)

// gauge reads a number that goes up and down from rows of a table.
func gauge[T recording.Row](whose of[T], value func(T) float64) *Reader {
	return series(whose, func(_ *view.View, rows []T) (points []Point) {
		for _, r := range rows {
			if v := value(r); view.Known(v) {
				points = append(points, Point{recording.TimeOf(&r), v})
			}
		}
		return points
	})
}

// rate reads a counter: its growth per second between two readings.
func rate[T recording.Row](whose of[T], value func(T) float64) *Reader {
	return series(whose, func(v *view.View, rows []T) (points []Point) {
		var row T
		var before *Point
		for _, r := range rows {
			now := Point{recording.TimeOf(&r), value(r)}
			if !view.Known(now.Value) {
				continue
			}
			if before != nil && now.Value >= before.Value {
				if seconds := v.Covered(row.Table(), before.At, now.At).Seconds(); seconds > 0 {
					points = append(points, Point{now.At, (now.Value - before.Value) / seconds})
				}
			}
			before = &now
		}
		return points
	})
}

// series makes one series of points per thing, in the order of their labels.
func series[T recording.Row](whose of[T], points func(*view.View, []T) []Point) *Reader {
	var row T
	return &Reader{Table: row.Table(), Read: func(v *view.View) (list []Series) {
		things := map[string]*Series{}
		rows := map[string][]T{}
		for _, r := range view.Rows[T](v) {
			var labels []string
			if whose != nil {
				var ok bool
				if labels, ok = whose(r); !ok {
					continue
				}
			}
			key := strings.Join(labels, "\x00")
			if things[key] == nil {
				things[key] = &Series{Labels: labels}
			}
			rows[key] = append(rows[key], r)
		}
		for _, key := range slices.Sorted(maps.Keys(things)) {
			if p := points(v, rows[key]); len(p) > 0 {
				list = append(list, Series{Labels: things[key].Labels, Points: p})
			}
		}
		return list
	}}
}

// growth is what a metric counts that is a number of a window: per second.
func growth[T recording.Row](whose of[T], value func(T) float64) *Reader {
	r := rate(whose, value)
	r.Unit = "per second"
	return r
}

// reading is a number of which a negative one means that it could not be read.
func reading[N view.Number](n N) float64 {
	if f := float64(n); f >= 0 {
		return f
	}
	return view.Unknown
}

// seconds is a time that was read, in seconds.
func seconds(d time.Duration) float64 { return reading(d) / float64(time.Second) }

// Things that series are told apart by.

func device(s recording.DiskSample) ([]string, bool)      { return []string{s.Device}, true }
func filesystem(s recording.MountSample) ([]string, bool) { return []string{s.MountPoint}, true }
func netns(s recording.ConntrackSample) ([]string, bool) {
	return []string{strconv.FormatUint(s.NetNS, 10)}, true
}
func iface(s recording.NetDeviceSample) ([]string, bool) {
	return []string{strconv.FormatUint(s.NetNS, 10), s.Interface}, true
}
func process(s recording.ProcessSample) ([]string, bool) {
	return []string{strconv.Itoa(int(s.PID)), s.Comm}, true
}

// stalled is the share of the time in which somebody waited for a resource.
func stalled(resource string) *Reader {
	return rate(func(s recording.PressureSample) ([]string, bool) { return nil, s.Resource == resource },
		func(s recording.PressureSample) float64 { return seconds(s.Some) })
}

// shareOfCPUs is the growth of a part of the CPU time, as a share of all CPUs.
func shareOfCPUs(part func(recording.CPUSample) time.Duration) *Reader {
	all := func(s recording.CPUSample) ([]string, bool) { return nil, s.CPU < 0 }
	return &Reader{Table: recording.CPUs, Read: func(v *view.View) []Series {
		cpus := max(v.CPUCount(), 1)
		list := rate(all, func(s recording.CPUSample) float64 { return seconds(part(s)) / float64(cpus) }).Read(v)
		for i := 0; i < len(list) && v.CPUsTold(); i++ {
			list[i].Points = slices.DeleteFunc(list[i].Points, func(p Point) bool { return p.Value > moreThanAll })
		}
		return slices.DeleteFunc(list, func(s Series) bool { return len(s.Points) == 0 })
	}}
}

// moreThanAll is a share of the CPUs that cannot be: the kernel counts idle time of a CPU
// otherwise while it is offline, so that the sum of all jumps.
const moreThanAll = 2

func listener(s recording.ListenerSample) ([]string, bool) {
	return []string{strconv.FormatUint(s.NetNS, 10), strconv.Itoa(int(s.Port))}, true
}
func qdisc(s recording.QdiscSample) ([]string, bool) {
	return []string{strconv.FormatUint(s.NetNS, 10), s.Interface}, s.Parent == rootQdisc
}
func group(s recording.CgroupSample) ([]string, bool)      { return []string{s.Path}, s.Path != "/" }
func mysqlServer(s recording.MySQLServer) ([]string, bool) { return []string{s.Server}, true }
func mysqlInnoDB(s recording.MySQLInnoDB) ([]string, bool) { return []string{s.Server}, true }
func perCPU(s recording.SoftnetSample) ([]string, bool) {
	return []string{strconv.Itoa(int(s.CPU))}, true
}
func swapArea(s recording.SwapSample) ([]string, bool) { return []string{s.Device}, true }
func ioOf(s recording.ProcessSample) float64           { return reading(s.ReadBytes) + reading(s.WriteBytes) }

// rootQdisc is the parent of a queue that takes all that an interface sends.
const rootQdisc = 0xffffffff

// counter is one that nstat shows, of each network namespace: "TcpExt", "ListenOverflows".
func counter(protocol, name string) (of[recording.ProtocolSample], func(recording.ProtocolSample) float64) {
	return func(s recording.ProtocolSample) ([]string, bool) {
		return []string{strconv.FormatUint(s.NetNS, 10)}, s.Protocol == protocol && s.Name == name
	}, func(s recording.ProtocolSample) float64 { return reading(s.Value) }
}

// status is a number that a MySQL server gives: "Threads_connected".
func status(name string) (of[recording.MySQLStatus], func(recording.MySQLStatus) float64) {
	return func(s recording.MySQLStatus) ([]string, bool) { return []string{s.Server}, s.Name == name },
		func(s recording.MySQLStatus) float64 { return reading(s.Value) }
}

// ratio is the growth of one counter per growth of another; what did not grow has no point.
func ratio[T recording.Row](whose of[T], counts, per func(T) float64) *Reader {
	return series(whose, func(_ *view.View, rows []T) (points []Point) {
		for i := 1; i < len(rows); i++ {
			n, d := counts(rows[i])-counts(rows[i-1]), per(rows[i])-per(rows[i-1])
			if n >= 0 && d > 0 {
				points = append(points, Point{recording.TimeOf(&rows[i]), n / d})
			}
		}
		return points
	})
}
