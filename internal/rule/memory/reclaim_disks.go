package memory

import (
	"math"
	"slices"
	"time"

	"rtrail/internal/view"
)

// busyRereading are the disks that are busy most of all with what the members read again.
func (s squeeze) busyRereading(v *view.View) (devices []view.Entity) {
	for _, d := range v.BlockDevices() {
		if d.ReadBytes > 0 && s.rereads(v, d) >= mostReread.Value {
			devices = append(devices, view.DeviceEntity(d.Device))
		}
	}
	return devices
}

// rereads is the part of what a disk does that the members have it read again: of its time
// where requests were traced, of the bytes that are read from it else. Small reads of files
// again and again fill a disk although somebody who reads a file through has more bytes.
func (s squeeze) rereads(v *view.View, d view.BlockDevice) float64 {
	if part := s.deviceTime(v, d.Device) * s.reread(v); view.Known(part) {
		return part
	}
	return min(s.bytes(v), s.missed(v, d.Device)) / d.ReadBytes
}

// deviceTime is the members' part of the time that requests of a disk take; Unknown if
// that was not traced, or if threads of the kernel make most of them as reads for somebody else.
func (s squeeze) deviceTime(v *view.View, device string) float64 {
	kernel := map[int32]bool{}
	for _, p := range v.Processes() {
		kernel[p.PID] = p.Kernel
	}
	members := s.pids()
	var own, all, unknown time.Duration
	for _, b := range v.BlockIO() {
		read := b.Operation == "read"
		switch {
		case b.Device != device:
			continue
		case read && kernel[b.PID]:
			unknown += b.Service
			continue
		case read && members[b.PID]:
			own += b.Service
		}
		all += b.Service
	}
	if unknown >= all {
		return view.Unknown
	}
	return own.Seconds() / all.Seconds()
}

// missed is how many bytes a second the members found missing in the page cache that are
// on a disk, those included of which the disk or the process is not known; +Inf if that was
// not traced.
func (s squeeze) missed(v *view.View, device string) float64 {
	uses := v.PageCache()
	if len(uses) == 0 {
		return math.Inf(1)
	}
	members := s.pids()
	pages := 0.0
	for _, u := range uses {
		on := v.DeviceOf(u.Device)
		if (on == "" || on == device || slices.Contains(v.Below(on), device)) && (u.PID == 0 || members[u.PID]) && u.Span > 0 {
			pages += float64(u.Missed) / u.Span.Seconds()
		}
	}
	return pages * float64(v.PageSize())
}

// pids are those of the members.
func (s squeeze) pids() map[int32]bool {
	set := map[int32]bool{}
	for _, p := range s.members {
		set[p.PID] = true
	}
	return set
}
