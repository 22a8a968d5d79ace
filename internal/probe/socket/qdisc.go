package socket

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

const (
	// queuesPerSample: a router with a queue for each customer has thousands, which
	// are read with the settings only.
	queuesPerSample = 256
	// queuesBelow bounds the rows of an interface below its roots, which include
	// what those count.
	queuesBelow = 16
)

// Layout of struct tcmsg and of the attributes behind it
// (include/uapi/linux/rtnetlink.h and gen_stats.h).
const (
	tcIndex     = 4
	tcHandle    = 8
	tcParent    = 12
	tcSize      = 20
	tcKind      = 1 // TCA_KIND
	tcStats     = 7 // TCA_STATS2, which holds the following
	tcBasic     = 1 // TCA_STATS_BASIC: bytes, packets
	tcQueue     = 3 // TCA_STATS_QUEUE: packets and bytes queued, drops, requeues, overlimits
	tcPackets64 = 8 // TCA_STATS_PKT64
)

// readQueues reads the queues of all interfaces of a namespace.
func (p *Probe) readQueues(n *namespace, w *recording.Writer) {
	at := time.Now()
	var last tree
	n.queued = 0
	err := n.queues.ask(unix.RTM_GETQDISC, make([]byte, tcSize), func(b []byte) error {
		row := recording.QdiscSample{At: at, NetNS: n.NetNS}
		index, ok := p.reader.qdisc(b, &row)
		if !ok || row.Kind == "noqueue" {
			return nil
		}
		n.queued++
		if row.Interface = n.interfaces[index]; row.Interface == "" {
			n.configured = false // it came since names were read
			return nil
		}
		if last.keeps(index, &row) {
			p.qdiscs = append(p.qdiscs, row)
		}
		return nil
	})
	if err != nil {
		// What is left of the answer would be taken for the next one.
		n.queues.close()
		n.queues = nil
		w.Lost(1)
	}
}

// tree is what was seen of the queues of one interface. The kernel lists a root
// before what is below it.
type tree struct {
	index int32
	parts uint32 // major number of the parent whose parts are left out
	sums  bool   // there is such a parent
	below int
}

// keeps says whether a queue becomes a row.
func (t *tree) keeps(index int32, row *recording.QdiscSample) bool {
	if t.index != index {
		*t = tree{index: index}
	}
	const major = 0xffff0000
	switch row.Parent {
	case recording.QdiscRoot, recording.QdiscIngress:
		switch row.Kind {
		case "mq", "mqprio", "taprio": // one part for each queue of the hardware
			t.parts, t.sums = row.Handle&major, true
		}
		return true
	}
	if t.sums && row.Parent&major == t.parts {
		return false
	}
	t.below++
	return t.below <= queuesBelow
}

// qdisc parses one queue. ok is false when the message is torn.
func (r *reader) qdisc(b []byte, row *recording.QdiscSample) (index int32, ok bool) {
	if len(b) < tcSize {
		return 0, false
	}
	index = int32(binary.NativeEndian.Uint32(b[tcIndex:]))
	row.Handle, row.Parent = binary.NativeEndian.Uint32(b[tcHandle:]), binary.NativeEndian.Uint32(b[tcParent:])
	eachAttribute(b[tcSize:], func(kind uint16, value []byte) {
		switch kind {
		case tcKind:
			row.Kind = r.name(value)
		case tcStats:
			eachAttribute(value, func(kind uint16, value []byte) { queueStatistics(row, kind, value) })
		}
	})
	return index, row.Kind != ""
}

// queueStatistics puts one attribute of TCA_STATS2 into a row.
func queueStatistics(row *recording.QdiscSample, kind uint16, v []byte) {
	word := binary.NativeEndian.Uint32
	switch {
	case kind == tcBasic && len(v) >= 12:
		row.Bytes = binary.NativeEndian.Uint64(v)
		row.Packets = max(row.Packets, uint64(word(v[8:])))
	case kind == tcPackets64 && len(v) >= 8:
		row.Packets = binary.NativeEndian.Uint64(v)
	case kind == tcQueue && len(v) >= 20:
		row.Queued, row.Backlog, row.Drops, row.Requeues, row.Overlimits = word(v), word(v[4:]), word(v[8:]), word(v[12:]), word(v[16:])
	}
}
