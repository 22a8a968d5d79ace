package disk

import (
	"math"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

var burstShare = rule.Threshold{Name: "burst-share", Value: 0.25, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the window in which a group is at its I/O limit, if it is not over all of it. In less time a limit smooths a short burst, as it is meant to."}

var burstRequests = rule.Threshold{Name: "burst-requests", Value: 10, Unit: "requests", Source: rule.Judgement,
	Reason: "Requests of a group between two readings. Of fewer the rate between these readings is at a limit by chance, as one more or less is a tenth of it."}

// burst is the time between two readings, or several in a row, in which a group was at its limit.
type burst struct{ from, to time.Time }

// inBursts says whether the group is at its limit for a part of the window, as a job is that reads
// now and then, and notes when. It needs what the group does on that disk.
func (l *ioLimit) inBursts(v *view.View, samples []recording.CgroupSample, disk string) bool {
	requests := "rios"
	if l.key[0] == 'w' {
		requests = "wios"
	}
	limits, counter := limitsOf(samples), counters[l.key]
	moved, seconds := 0.0, 0.0
	for i := 1; i < len(samples); i++ {
		a, b := &samples[i-1], &samples[i]
		if a.IOLimits != limits || b.IOLimits != limits {
			continue
		}
		took := view.Covered(v, samples[i-1:i+1]).Seconds()
		n, most := doneBetween(a, b, l.device, counter), l.value*took
		if n < atLimit.Value*most || n > aboveLimit.Value*most || doneBetween(a, b, l.device, requests) < burstRequests.Value {
			continue
		}
		moved, seconds = moved+n, seconds+took
		if last := len(l.bursts) - 1; last >= 0 && l.bursts[last].to.Equal(a.At) {
			l.bursts[last].to = b.At
		} else {
			l.bursts = append(l.bursts, burst{a.At, b.At})
		}
	}
	if seconds <= 0 || seconds < burstShare.Value*v.Seconds() {
		return false
	}
	l.rate, l.there, l.part = moved/seconds, true, seconds/v.Seconds()
	l.queue = queueAt(v, disk, l.during)
	return true
}

// doneBetween is what a group did on a device between two readings, by a counter of
// recording.CgroupSample.IODone; less than 0 if that is not known.
func doneBetween(a, b *recording.CgroupSample, device, counter string) float64 {
	before, ok := doneThere(a.IODone, device, counter)
	after, alsoOK := doneThere(b.IODone, device, counter)
	if !ok || !alsoOK {
		return -1
	}
	return after - before
}

// during says whether the group was at its limit at a moment.
func (l *ioLimit) during(at time.Time) bool {
	_, ok := slices.BinarySearchFunc(l.bursts, at, func(b burst, at time.Time) int {
		switch {
		case b.to.Before(at):
			return -1
		case !b.from.Before(at):
			return 1
		}
		return 0
	})
	return ok
}

// queueAt is the mean number of requests in flight at certain moments at a disk and at all others
// that threads may wait for; not known of the disk, it is as long as can be.
func queueAt(v *view.View, disk string, moment func(time.Time) bool) float64 {
	rows := diskRows(v)
	sum := 0.0
	for _, d := range v.BlockDevices() {
		if d.Device != disk && (len(v.Lower(d.Device)) > 0 || v.Stacked(d.Device)) {
			continue // its requests are those of other disks
		}
		switch queue, ok := queueWhile(rows[d.Device], moment); {
		case ok:
			sum += queue
		case d.Device == disk:
			return math.Inf(1)
		}
	}
	return sum
}

// diskRows are the readings of each disk.
func diskRows(v *view.View) map[string][]recording.DiskSample {
	return view.Memo(v, "disk/rows", func() map[string][]recording.DiskSample {
		_, rows := view.Group(view.Rows[recording.DiskSample](v), func(s recording.DiskSample) string { return s.Device })
		return rows
	})
}

// queueWhile is the mean number of requests in flight at a disk at certain moments; ok is false
// where its readings have none of these.
func queueWhile(rows []recording.DiskSample, moment func(time.Time) bool) (queue float64, ok bool) {
	waited, seconds := 0.0, 0.0
	for i := 1; i < len(rows); i++ {
		took := rows[i].At.Sub(rows[i-1].At)
		if moment(rows[i-1].At.Add(took / 2)) {
			n, _ := view.Delta(rows[i-1:i+1], func(s recording.DiskSample) time.Duration { return s.WeightedQueue })
			waited, seconds = waited+n/float64(time.Second), seconds+took.Seconds()
		}
	}
	if seconds <= 0 {
		return 0, false
	}
	return waited / seconds, true
}
