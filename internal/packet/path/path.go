// Package path looks at what becomes of packets between their sender and the
// place of capture: how fast they come, how long they queued, which never got
// through, and what routers said about them. It keeps no bytes and no
// transactions, and is bounded whatever the length of a capture.
package path

import (
	"maps"
	"slices"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const (
	// maxFlows bounds the connections followed at a time, to 30 MiB.
	maxFlows = 1 << 16
	// maxPairs bounds the pairs of hosts told apart in one second.
	maxPairs = 256
	// maxRates bounds the rows of rates kept: an hour of sixteen busy pairs.
	maxRates = 1 << 16
	// silent is after how much packet time a connection gives way to another one
	// when there are too many: TIME_WAIT of Linux.
	silent = 60e9
)

// Side is what was seen of one direction of a connection.
type Side struct {
	// StuckSize is the payload of the segment that was repeated most often without
	// any acknowledgement in between, StuckCopies how often it was repeated.
	StuckSize, StuckCopies uint32
	// SmallUnheard counts small segments, new or sent again, that were sent while
	// that one was stuck, and before it came once more, without any packet in return:
	// who gets them answers at once (RFC 5681, 4.2).
	SmallUnheard uint32
	// LargestAcked is the payload of the largest segment that was acknowledged, as
	// far as it was told apart from others.
	LargestAcked uint32
	// FirstTS and LastTS are the first and the newest timestamp (RFC 7323) of the
	// sender; 0: none.
	FirstTS, LastTS uint32
	// Queued sums up how many microseconds packets with data were older than the
	// youngest ones, by their sender's clock; of Clocked packets.
	Queued, QueuedMax int64
	Clocked           uint32
	// TooBig counts the ICMP messages that said a packet of this side is too big,
	// and MTU is the smallest they gave.
	TooBig, MTU uint32
}

// Rate is what one host sent to another one in one second.
type Rate struct {
	At       int64 // beginning of the second
	From, To flow.Addr
	Packets  uint64
	Bytes    uint64 // on the wire
	// BusiestPackets and BusiestBytes are those of the tenth of the second with most.
	BusiestPackets, BusiestBytes uint64
	// Resent counts segments that came again, or for the first time after later ones.
	Resent uint64
	// Queued is as in Side.
	Queued, QueuedMax int64
	Clocked           uint64
}

// Result is what trackers saw.
type Result struct {
	Sides map[uint64]*[2]Side // by number of the first frame of a connection; 0: from the client, if its SYN was seen
	From  map[uint64]flow.Endpoint
	Rates []Rate
	// LargestAcked is the payload of the largest segment that one host sent and
	// another one acknowledged, on any connection, whether Sides has it or not.
	LargestAcked map[[2]flow.Addr]uint32
	// Cut is set if there was more than is kept.
	Cut bool
}

// Tracker follows the packets of one worker.
type Tracker struct {
	ports []uint16
	flows map[uint64]*talk
	done  Result
	now   int64
	swept int64
	rates rates
}

// New makes a tracker. With ports only packets of these count.
func New(ports []uint16) *Tracker {
	return &Tracker{ports: ports, flows: map[uint64]*talk{}, rates: newRates(), done: Result{
		Sides: map[uint64]*[2]Side{}, From: map[uint64]flow.Endpoint{}, LargestAcked: map[[2]flow.Addr]uint32{}}}
}

func (t *Tracker) wanted(a, b uint16) bool {
	return len(t.ports) == 0 || slices.Contains(t.ports, a) || slices.Contains(t.ports, b)
}

// Frame takes the next packet.
func (t *Tracker) Frame(f *decode.Frame) {
	t.now = max(t.now, f.At)
	switch f.Proto {
	case decode.ICMP, decode.ICMPv6:
		t.control(f)
	case decode.TCP:
		if t.wanted(f.Src.Port, f.Dst.Port) {
			t.segment(f)
		}
	case decode.UDP:
		if t.wanted(f.Src.Port, f.Dst.Port) {
			t.rates.add(f, nil)
		}
	}
}

func (t *Tracker) segment(f *decode.Frame) {
	k := t.flows[f.Hash]
	if k != nil && (k.strange(f) || f.Flags&(decode.SYN|decode.ACK) == decode.SYN && k.over(f)) {
		if k.strange(f) && t.now-k.last < silent {
			t.done.Cut = true // two connections with one hash: the first one stays
			return
		}
		t.finish(k)
		delete(t.flows, f.Hash)
		k = nil
	}
	if k == nil {
		if len(t.flows) >= maxFlows && !t.sweep() {
			t.done.Cut = true
			t.rates.add(f, nil)
			return
		}
		k = begin(f)
		t.flows[f.Hash] = k
	}
	k.last = f.At
	event := k.frame(f)
	t.rates.add(f, &event)
}

// sweep makes room by giving up connections that are silent; false if there are none.
func (t *Tracker) sweep() bool {
	if t.now-t.swept < silent/10 {
		return false
	}
	t.swept = t.now
	for hash, k := range t.flows {
		if k.closed || t.now-k.last > silent {
			t.finish(k)
			delete(t.flows, hash)
		}
	}
	return len(t.flows) < maxFlows
}

// finish keeps what was seen of a connection if there is anything to tell.
func (t *Tracker) finish(k *talk) {
	var sides [2]Side
	for d := range sides {
		sides[d] = k.sides[d].result()
	}
	t.done.acked(k.from.Addr, k.to.Addr, sides[0].LargestAcked)
	t.done.acked(k.to.Addr, k.from.Addr, sides[1].LargestAcked)
	if len(t.done.Sides) >= 4*maxFlows {
		t.done.Cut = true
		return
	}
	t.done.Sides[k.id] = &sides
	t.done.From[k.id] = k.from
}

// acked notes that a segment of a size got through.
func (r *Result) acked(from, to flow.Addr, size uint32) {
	k := [2]flow.Addr{from, to}
	known, ok := r.LargestAcked[k]
	if size > known && (ok || len(r.LargestAcked) < maxFlows) {
		r.LargestAcked[k] = size
	}
}

// control takes what routers and hosts say about packets.
func (t *Tracker) control(f *decode.Frame) {
	c := &f.ICMP
	if !c.Quoted || !t.wanted(c.QuotedSrc.Port, c.QuotedDst.Port) {
		return
	}
	big := f.Proto == decode.ICMP && c.Type == 3 && c.Code == 4 || f.Proto == decode.ICMPv6 && c.Type == 2
	if k := t.flows[f.Hash]; big && c.QuotedProto == decode.TCP && k != nil {
		k.tooBig(c)
	}
}

// Merge ends trackers and gives what they saw together.
func Merge(trackers []*Tracker) Result {
	sum := Result{Sides: map[uint64]*[2]Side{}, From: map[uint64]flow.Endpoint{}, LargestAcked: map[[2]flow.Addr]uint32{}}
	var seconds []*meter
	for _, t := range trackers {
		for _, k := range t.flows {
			t.finish(k)
		}
		clear(t.flows)
		maps.Copy(sum.Sides, t.done.Sides)
		maps.Copy(sum.From, t.done.From)
		for k, size := range t.done.LargestAcked {
			sum.acked(k[0], k[1], size)
		}
		seconds = append(seconds, t.rates.close()...)
		sum.Cut = sum.Cut || t.done.Cut || t.rates.cut
	}
	sum.Rates = merge(seconds)
	return sum
}
