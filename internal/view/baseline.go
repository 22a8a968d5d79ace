package view

import (
	"time"

	"rtrail/internal/baseline"
	"rtrail/internal/recording"
)

// Baseline is what a thing could do when it was measured, in the unit that what names.
func (v *View) Baseline(kind baseline.Kind, thing string, what baseline.What) (value float64, measured time.Time, ok bool) {
	return v.baseline(kind, what, func(t string) bool { return t == thing })
}

// PathBaseline is what went over a path of the network when it was measured: over the newest
// measure of those that are wanted, and the best of these.
func (v *View) PathBaseline(what baseline.What, wanted func(baseline.Path) bool) (value float64, measured time.Time, ok bool) {
	return v.baseline(baseline.Network, what, func(thing string) bool {
		p, ok := baseline.ParsePath(thing)
		return ok && wanted(p)
	})
}

func (v *View) baseline(kind baseline.Kind, what baseline.What, wanted func(thing string) bool) (value float64, measured time.Time, ok bool) {
	for _, b := range Rows[recording.BaselineValue](v) {
		if b.Kind != string(kind) || b.What != string(what) || !(b.Value > 0) || b.Measured.Before(measured) || !wanted(b.Thing) {
			continue
		}
		if b.Measured.After(measured) || b.Value > value {
			value, measured, ok = b.Value, b.Measured, true
		}
	}
	return value, measured, ok
}

// OfBaseline is how near something is to what it did when it was measured.
type OfBaseline struct {
	Share    float64 // 1: as much
	Requests bool    // of a disk: by requests, else by bytes
	Measured time.Time
}

// DiskOfBaseline says how near a disk is to what it could do when it was measured: by the sum of
// its reads and writes, as shares of what it could do of each, in requests or in bytes, whichever
// is more.
func (v *View) DiskOfBaseline(d BlockDevice) (o OfBaseline, ok bool) {
	limit := func(what baseline.What) float64 {
		value, measured, ok := v.Baseline(baseline.Disk, d.Device, what)
		if !ok {
			return Unknown
		}
		o.Measured = measured
		return value
	}
	requests := d.Reads/limit(baseline.RandomReads) + d.Writes/limit(baseline.RandomWrites)
	bytes := d.ReadBytes/limit(baseline.SequentialRead) + d.WrittenBytes/limit(baseline.SequentialWrite)
	o.Share, o.Requests = max(requests, bytes), requests >= bytes
	return o, Known(requests + bytes)
}

// headerBytes are those of a TCP segment with timestamps, Ethernet's included: a baseline counts
// what programs send, interfaces and captures count all.
const headerBytes = 66

// Payload is what programs had of a rate of bytes in packets.
func Payload(bytes, packets float64) float64 { return max(0, bytes-headerBytes*packets) }

// OnWire is what a rate of payload in packets takes of a link, about: with the headers that
// Payload leaves out.
func OnWire(payload, packets float64) float64 { return payload + headerBytes*packets }

// SentOfBaseline says how near an interface is to what it sent when it was measured, and
// ReceivedOfBaseline the same of what it received. They are those of rtrail's network namespace.
func (v *View) SentOfBaseline(i Interface) (OfBaseline, bool) {
	return v.interfaceOfBaseline(i, baseline.Sent, Payload(i.TxBytes, i.TxPackets))
}

// ReceivedOfBaseline is like SentOfBaseline.
func (v *View) ReceivedOfBaseline(i Interface) (OfBaseline, bool) {
	return v.interfaceOfBaseline(i, baseline.Received, Payload(i.RxBytes, i.RxPackets))
}

func (v *View) interfaceOfBaseline(i Interface, what baseline.What, payload float64) (OfBaseline, bool) {
	limit, measured, ok := v.PathBaseline(what, func(p baseline.Path) bool { return p.Interface == i.Interface })
	return OfBaseline{Share: payload / limit, Measured: measured}, ok && v.OwnNetNS(i.NetNS) && Known(payload)
}
