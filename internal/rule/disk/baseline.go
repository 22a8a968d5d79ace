package disk

import (
	"rtrail/internal/baseline"
	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// ofBaseline says how near a disk is to what it could do when it was measured.
func ofBaseline(v *view.View, d view.BlockDevice) []rule.Evidence {
	o, ok := v.DiskOfBaseline(d)
	for _, b := range v.BlockDevices() { // a volume on it may have been measured
		if !ok && v.LiesOn(b.Device, d.Device) {
			if o, ok = v.DiskOfBaseline(b); ok {
				d = b
			}
		}
	}
	if !ok {
		return nil
	}
	e := rule.Evidence{Metric: metric.DiskOfBaseline, Value: o.Share, Check: shell.Line("rtrail explain disk.of-baseline")}
	if o.Requests {
		e.What = rule.T("%v of the requests that %s could do on %v: %v reads/s and %v writes/s", unit.Share(o.Share), d.Device, unit.Moment(o.Measured), unit.Count(d.Reads), unit.Count(d.Writes))
	} else {
		e.What = rule.T("%v of the bytes that %s could move on %v: it reads %v/s and writes %v/s", unit.Share(o.Share), d.Device, unit.Moment(o.Measured), unit.Bytes(int64(d.ReadBytes)), unit.Bytes(int64(d.WrittenBytes)))
	}
	return []rule.Evidence{e}
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
