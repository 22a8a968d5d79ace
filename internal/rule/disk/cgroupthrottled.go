package disk

import (
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var cgroupThrottled = rule.Rule{
	ID:       "disk/cgroup-throttled",
	Title:    "programs wait for a disk that has time, at the I/O limit of their control group",
	Plural:   "control groups are held at their I/O limits",
	Resource: "disks",
	Needs:    []recording.Table{recording.Disks, recording.Processes, recording.Cgroups},
	Explains: []string{"disk/slow-sync", "proc/uninterruptible", "rt/server-slow", "rt/client-slow"},
	HoldsUp:  []string{"mysql/row-lock-wait", "mysql/metadata-lock", "proc/lock-contention"},
	Thresholds: []*rule.Threshold{&busyShare, &waitingQueue, &deepQueue, &slowFlash, &slowSpindle, &mostIntervals, &minWaiting, &atLimit, &bulkRequest,
		&ownStream, &oneStream, &sameDisk, &feltWait, &fileShare, &syncedShare, &cachedReads, &aboveLimit, &groupShare, &burstShare, &burstRequests},
	Detect: detectCgroupThrottled,
}

// detectCgroupThrottled judges what waits before a disk, not in its queue: the kernel holds
// requests of a group back before the disk gets to see them.
func detectCgroupThrottled(v *view.View) ([]rule.Finding, error) {
	return judged(v, func(c candidate) bool { return !c.loaded }), nil
}

// spare says that the disk itself could do more.
func (c candidate) spare(v *view.View) rule.Text {
	disk := c.BlockDevice
	if below, ok := v.BlockDevice(c.below); ok {
		disk = below
	}
	return rule.T("disk %s itself was busy %s of the time: the limit delays requests before they reach the disk", disk.Device, unit.Share(disk.Utilisation))
}
