package disk

import (
	"rtrail/internal/baseline"
	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// ofBaseline says how near a disk is to what it could do when it was measured: by the sum of
// its reads and writes, as shares of what it could do of each, in requests or in bytes.
func ofBaseline(v *view.View, d view.BlockDevice) []rule.Evidence {
	limit := func(what baseline.What) float64 {
		value, _, ok := v.Baseline(baseline.Disk, d.Device, what)
		if !ok {
			return view.Unknown
		}
		return value
	}
	reads, writes := d.Reads/limit(baseline.RandomReads), d.Writes/limit(baseline.RandomWrites)
	read, written := d.ReadBytes/limit(baseline.SequentialRead), d.WrittenBytes/limit(baseline.SequentialWrite)
	requests, bytes := reads+writes, read+written
	_, measured, _ := v.Baseline(baseline.Disk, d.Device, baseline.RandomReads)
	if !view.Known(requests + bytes) {
		return nil
	}
	check := shell.Line("rtrail explain disk.of-baseline")
	if requests >= bytes {
		return []rule.Evidence{{Metric: metric.DiskOfBaseline, Value: requests, Check: check,
			What: rule.T("%v of the requests that %s could do on %v: %v reads/s and %v writes/s", unit.Share(requests), d.Device, unit.Moment(measured), unit.Count(d.Reads), unit.Count(d.Writes))}}
	}
	return []rule.Evidence{{Metric: metric.DiskOfBaseline, Value: bytes, Check: check,
		What: rule.T("%v of the bytes that %s could move on %v: it reads %v/s and writes %v/s", unit.Share(bytes), d.Device, unit.Moment(measured), unit.Bytes(int64(d.ReadBytes)), unit.Bytes(int64(d.WrittenBytes)))}}
}

// syncBaseline says what a sync took when the disk was measured.
func syncBaseline(v *view.View, disk string) []rule.Evidence {
	median, measured, ok := v.Baseline(baseline.Disk, disk, baseline.SyncMedian)
	if !ok {
		return nil
	}
	return []rule.Evidence{{Metric: metric.SyncTime, Value: median, Check: shell.Line("rtrail explain disk.of-baseline"),
		What: rule.T("a sync of 4 KiB took %v (median) when %s was measured on %v", unit.Seconds(median), disk, unit.Moment(measured))}}
}
