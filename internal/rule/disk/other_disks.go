package disk

import (
	"slices"

	"rtrail/internal/view"
)

// otherDisks is what disks do beside one: threads that wait may wait for these, and bytes that
// programs move may be theirs.
type otherDisks struct {
	queue         float64 // requests in flight, mean; without disks that are loaded, which are judged themselves
	busy          float64 // share of the time with a request in flight, at most; of the same disks
	read, written float64 // bytes per second, of all
}

// beside sums up the disks that are neither d nor above or below it, nor parts of the same array.
func beside(v *view.View, d view.BlockDevice) otherDisks {
	var o otherDisks
	judged, arrays := false, above(v, d.Device)
	for _, b := range v.BlockDevices() {
		if b.Device == d.Device || v.SameStack(b.Device, d.Device) || v.Stacked(b.Device) || mates(v, arrays, d, b) {
			continue
		}
		rates := b.DiskRates
		for _, name := range v.Lower(b.Device) { // most of its requests are those of the disks below
			if u, ok := v.BlockDevice(name); ok && !v.SameStack(name, d.Device) {
				rates.Queue, rates.Utilisation = max(rates.Queue-u.Queue, 0), max(rates.Utilisation-u.Utilisation, 0)
				rates.ReadBytes, rates.WrittenBytes = max(rates.ReadBytes-u.ReadBytes, 0), max(rates.WrittenBytes-u.WrittenBytes, 0)
			}
		}
		o.read += rates.ReadBytes
		o.written += rates.WrittenBytes
		if loaded(b) {
			judged = true
			continue
		}
		o.queue += rates.Queue
		o.busy += rates.Utilisation
	}
	if v.Stacked(d.Device) { // one of these is below it
		o.read, o.written = max(o.read-d.ReadBytes, 0), max(o.written-d.WrittenBytes, 0)
		if !judged {
			o.queue, o.busy = max(o.queue-d.Queue, 0), max(o.busy-d.Utilisation, 0)
		}
	}
	if o.queue < feltWait.Value {
		o.queue, o.busy = 0, 0
	}
	o.busy = min(o.busy, 1)
	return o
}

// above lists the devices that lie on one.
func above(v *view.View, device string) []view.BlockDevice {
	return slices.DeleteFunc(slices.Clone(v.BlockDevices()), func(b view.BlockDevice) bool { return !slices.Contains(v.Below(b.Device), device) })
}

// mates says that two disks are parts of one array, or paths of one multipath, that moves most of
// what they do: bytes and waits of programs are those of both. The arrays are those above d.
func mates(v *view.View, arrays []view.BlockDevice, d, b view.BlockDevice) bool {
	return slices.ContainsFunc(arrays, func(a view.BlockDevice) bool {
		return slices.Contains(v.Below(a.Device), b.Device) && a.Bytes() >= ownStream.Value*max(d.Bytes(), b.Bytes())
	})
}
