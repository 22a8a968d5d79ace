package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// BlockIO is the requests for one operation of one block device that one process made.
type BlockIO struct {
	Device    string // kernel name
	Operation string // read, write, flush and others
	PID       int32
	Started   time.Time
	Process   string

	Requests  int64
	PerSecond float64
	Bytes     int64

	Queue          time.Duration // of all requests, until the device got them
	QueueLongest   time.Duration
	QueueSteps     Steps
	Service        time.Duration // in the device
	ServiceLongest time.Duration
	ServiceSteps   Steps
}

// BlockIO sums up the requests of the window, the most time first, as far as they
// were traced.
func (v *View) BlockIO() []BlockIO {
	return Memo(v, "block-io", func() []BlockIO { return SumBlockIO(Rows[recording.BlockSum](v), v.watched("block")) })
}

// SumBlockIO sums up rows of one or more readings, of a source that counted
// for so long; 0: that is not known.
func SumBlockIO(rows []recording.BlockSum, watched time.Duration) []BlockIO {
	all := traced(rows, watched, func(r *recording.BlockSum) (span, traced time.Duration) { return r.Span, r.Traced })
	type same struct {
		device, operation string
		pid               int32
		started           time.Time
	}
	at := map[same]int{}
	var list []BlockIO
	for i := range rows {
		r := &rows[i]
		factor := all.factor(r.Span, r.Traced)
		k := same{r.Device, r.Operation, r.PID, r.Started}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k] = n
			list = append(list, BlockIO{Device: r.Device, Operation: r.Operation, PID: r.PID, Started: r.Started, Process: r.Process})
		}
		b := &list[n]
		b.Requests += scaled(r.Requests, factor)
		b.Bytes += scaled(r.Bytes, factor)
		b.Queue += scaled(r.Queue, factor)
		b.Service += scaled(r.Service, factor)
		b.QueueLongest = max(b.QueueLongest, r.QueueLongest)
		b.ServiceLongest = max(b.ServiceLongest, r.ServiceLongest)
		b.QueueSteps.add(r.QueueHistogram, factor)
		b.ServiceSteps.add(r.Histogram, factor)
	}
	span := all.span.Seconds()
	for i := range list {
		if span > 0 {
			list[i].PerSecond = float64(list[i].Requests) / span
		}
	}
	slices.SortStableFunc(list, func(a, b BlockIO) int {
		return cmp.Or(cmp.Compare(b.Queue+b.Service, a.Queue+a.Service), cmp.Compare(a.Device, b.Device), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Operation, b.Operation))
	})
	return list
}
