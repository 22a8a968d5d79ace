package recording

import "time"

// QdiscSample holds the counters of one queueing discipline (tc-qdisc) of an
// interface, from rtnetlink. Each root includes what is below it; of what is
// below, only the first ones of an interface are there. Those without a queue
// (noqueue), and the parts of mq, are left out. Counters wrap at 32 bits.
type QdiscSample struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)"`
	NetNS      uint64    `parquet:"netns"`
	Interface  string    `parquet:"interface,dict"`
	Kind       string    `parquet:"kind,dict"`     // fq_codel, tbf, htb, ingress
	Handle     uint32    `parquet:"handle"`        // 0x80010000 is 8001:
	Parent     uint32    `parquet:"parent"`        // 0xffffffff: root, 0xfffffff1: of packets that come in, else a class
	Bytes      uint64    `parquet:"bytes"`         // sent
	Packets    uint64    `parquet:"packets"`       // sent
	Drops      uint32    `parquet:"drops"`         // packets thrown away
	Overlimits uint32    `parquet:"overlimits"`    // times a rate or a limit made it wait
	Requeues   uint32    `parquet:"requeues"`      // packets the driver gave back
	Backlog    uint32    `parquet:"backlog_bytes"` // bytes queued right now
	Queued     uint32    `parquet:"queued"`        // packets queued right now
}

// Parents of a QdiscSample that is the first of its interface
// (include/uapi/linux/pkt_sched.h).
const (
	QdiscRoot    uint32 = 0xffffffff // TC_H_ROOT, of packets that go out
	QdiscIngress uint32 = 0xfffffff1 // TC_H_INGRESS and TC_H_CLSACT, of those that come in
)

func (QdiscSample) Table() Table { return Qdiscs }
