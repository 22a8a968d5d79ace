package imported

import (
	"strconv"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// ifaceCounters are the columns of sar -n DEV and EDEV, without bytes. As in /proc/net/dev, what
// is dropped holds what was missed.
var ifaceCounters = map[string]field[recording.NetDeviceSample, uint64]{
	"rxpck/s":  {"rx_packets", func(d *recording.NetDeviceSample) *uint64 { return &d.RxPackets }},
	"txpck/s":  {"tx_packets", func(d *recording.NetDeviceSample) *uint64 { return &d.TxPackets }},
	"rxerr/s":  {"rx_errors", func(d *recording.NetDeviceSample) *uint64 { return &d.RxErrors }},
	"txerr/s":  {"tx_errors", func(d *recording.NetDeviceSample) *uint64 { return &d.TxErrors }},
	"rxdrop/s": {"rx_dropped", func(d *recording.NetDeviceSample) *uint64 { return &d.RxDropped }},
	"txdrop/s": {"tx_dropped", func(d *recording.NetDeviceSample) *uint64 { return &d.TxDropped }},
	"rxfifo/s": {"rx_fifo", func(d *recording.NetDeviceSample) *uint64 { return &d.RxFIFO }},
	"txfifo/s": {"tx_fifo", func(d *recording.NetDeviceSample) *uint64 { return &d.TxFIFO }},
	"coll/s":   {"collisions", func(d *recording.NetDeviceSample) *uint64 { return &d.Collisions }},
	"txcarr/s": {"carrier", func(d *recording.NetDeviceSample) *uint64 { return &d.Carrier }},
}

// iface takes a line of sar -n DEV or EDEV, which tell of the same interfaces.
func (r *rows) iface(h *header, line row, s step) {
	if !h.has("rxkB/s", "rxbyt/s", "rxerr/s") {
		return
	}
	thing := "net" + line.key
	d := latest(&r.net, r.interfaces, line.key, s, recording.NetDeviceSample{Interface: line.key, SpeedMbps: recording.Unknown}, func(d *recording.NetDeviceSample) *time.Time { return &d.At })
	for name, f := range ifaceCounters {
		if v := h.get(line, name); view.Known(v) {
			r.knows(recording.NetDevices, f.column)
			*f.of(d) = r.grow(s, thing, f.column, v)
		}
	}
	rx, tx := h.get(line, "rxkB/s")*1024, h.get(line, "txkB/s")*1024
	if h.has("rxbyt/s") {
		rx, tx = h.get(line, "rxbyt/s"), h.get(line, "txbyt/s")
	}
	if view.Known(rx + tx) {
		r.knows(recording.NetDevices, "rx_bytes", "tx_bytes")
		d.RxBytes, d.TxBytes = r.grow(s, thing, "rx", rx), r.grow(s, thing, "tx", tx)
	}
}

// backlog takes a line of sar -n SOFT about one CPU. That of all CPUs together does not say where
// packets are dropped.
func (r *rows) backlog(h *header, line row, s step) {
	n, err := strconv.ParseInt(line.key, 10, 32)
	total, dropped, squeezed := h.get(line, "total/s"), h.get(line, "dropd/s"), h.get(line, "squeezd/s")
	if err != nil || n < 0 || !view.Known(total+dropped+squeezed) {
		return
	}
	r.knows(recording.Softnet, "processed", "dropped", "squeezed")
	thing := "backlog" + line.key
	b := latest(&r.softnet, r.backlogs, line.key, s, recording.SoftnetSample{CPU: int32(n)}, func(b *recording.SoftnetSample) *time.Time { return &b.At })
	b.Processed, b.Dropped, b.Squeezed = r.grow(s, thing, "total", total), r.grow(s, thing, "dropped", dropped), r.grow(s, thing, "squeezed", squeezed)
}

// latest is the row of a thing at the end of a report, with its counters as they were. The first
// one comes after a blank row at the beginning of the report.
func latest[T any](list *[]T, last map[string]int, key string, s step, blank T, at func(*T) *time.Time) *T {
	i, known := last[key]
	if known && at(&(*list)[i]).Equal(s.at) {
		return &(*list)[i]
	}
	next := blank
	if known {
		next = (*list)[i]
	} else {
		*at(&blank) = s.began
		*list = append(*list, blank)
	}
	*at(&next) = s.at
	*list = append(*list, next)
	last[key] = len(*list) - 1
	return &(*list)[len(*list)-1]
}
