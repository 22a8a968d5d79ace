package view

import (
	"cmp"
	"slices"

	"rtrail/internal/recording"
)

// Interface is one network interface over the window; the embedded sample is its last
// reading. Rates are NaN where there was one reading only.
type Interface struct {
	recording.NetDeviceSample
	RxBytes   float64 // per second
	TxBytes   float64
	RxPackets float64 // per second
	TxPackets float64
	Dropped   float64 // packets in the window, both directions, also for lack of room in rings
	Errors    float64 // packets in the window, both directions
}

// Interfaces lists the interfaces of all network namespaces, the busiest first.
func (v *View) Interfaces() []Interface {
	return Memo(v, "interfaces", func() []Interface {
		type sample = recording.NetDeviceSample
		type key struct {
			ns   uint64
			name string
		}
		keys, series := Group(Rows[sample](v), func(s sample) key { return key{s.NetNS, s.Interface} })
		list := make([]Interface, 0, len(keys))
		for _, k := range keys {
			samples := series[k]
			grown := func(value func(sample) uint64) float64 {
				d, ok := Delta(samples, value)
				if !ok {
					return Unknown
				}
				return d
			}
			seconds := Covered(v, samples).Seconds()
			list = append(list, Interface{NetDeviceSample: samples[len(samples)-1],
				RxBytes:   grown(func(s sample) uint64 { return s.RxBytes }) / seconds,
				TxBytes:   grown(func(s sample) uint64 { return s.TxBytes }) / seconds,
				RxPackets: grown(func(s sample) uint64 { return s.RxPackets }) / seconds,
				TxPackets: grown(func(s sample) uint64 { return s.TxPackets }) / seconds,
				Dropped:   grown(func(s sample) uint64 { return s.RxDropped + s.TxDropped + s.RxFIFO + s.TxFIFO }),
				Errors:    grown(func(s sample) uint64 { return s.RxErrors + s.TxErrors }),
			})
		}
		slices.SortStableFunc(list, func(a, b Interface) int {
			return cmp.Compare(OrZero(b.RxBytes)+OrZero(b.TxBytes), OrZero(a.RxBytes)+OrZero(a.TxBytes))
		})
		return list
	})
}
