package capture

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/packet/tcp"
)

// maxFollowed bounds the connections of a worker that are followed over the ends of
// intervals, in 128 MiB. Further ones count in the interval in which they end.
const maxFollowed = 1 << 16

// following are the connections of a worker that carry data and have not ended:
// what each interval saw of them is what they count more in its end.
type following struct {
	interval int
	live     map[uint64]*followed // by tcp.Conn.ID
	flows    map[uint64]*followed // by decode.Frame.Hash
	fresh    *followed            // its flow is that of the packet that comes next
	firsts   map[uint64]uint64    // by flow that no connection has yet: its first packet in the interval
	named    map[uint64]uint64    // numbers of connections, by that packet
}

// followed is a connection. The engine has it until it ends.
type followed struct {
	*rt.Connection
	conn     *tcp.Conn
	id, flow uint64
	before   rt.Connection // as it was when the interval began; without a Conn: it began since
	path     int           // the last interval in which the path knows it
}

func newFollowing() *following {
	return &following{live: map[uint64]*followed{}, flows: map[uint64]*followed{}, firsts: map[uint64]uint64{}, named: map[uint64]uint64{}}
}

// begin follows a connection.
func (f *following) begin(c *rt.Connection) {
	if len(f.live) >= maxFollowed {
		return
	}
	k := &followed{Connection: c, conn: c.Conn, id: c.ID}
	f.live[k.id] = k
	f.fresh = k
}

// frame gives a packet the number of its connection where the path meets that for
// the first time in an interval: it knows connections by their first packet.
func (f *following) frame(p *decode.Frame) *decode.Frame {
	if k := f.fresh; k != nil {
		if k.conn.Last.Frame == p.Frame {
			k.flow = p.Hash
			f.flows[k.flow] = k
			if first := f.firsts[k.flow]; first != k.id {
				f.named[first] = k.id
			}
		}
		f.fresh = nil
	}
	k := f.flows[p.Hash]
	if k == nil {
		if f.firsts[p.Hash] == 0 && len(f.firsts) < maxFollowed {
			f.firsts[p.Hash] = p.Frame
		}
		return p
	}
	if k.path == f.interval {
		return p
	}
	k.path = f.interval
	if k.before.Conn == nil {
		return p
	}
	first := *p
	first.Frame = k.id
	return &first
}

// ended is what the interval saw of a connection that has ended, and whether
// earlier ones saw it too.
func (f *following) ended(c *rt.Connection, from int64) (seen rt.Connection, carried bool) {
	k := f.live[c.ID]
	if k == nil {
		return *c, false
	}
	f.drop(k)
	return k.since(c, from), k.before.Conn != nil
}

func (f *following) drop(k *followed) {
	delete(f.live, k.id)
	if f.flows[k.flow] == k {
		delete(f.flows, k.flow)
	}
	if f.fresh == k {
		f.fresh = nil
	}
}

// flush hands on what the interval saw of the connections that go on.
func (w *watcher) flush() {
	f := w.following
	end := w.interval.to.Load()
	w.open(end, w.waiting.before(end))
	for _, k := range f.live {
		switch {
		case k.Conn != k.conn || k.ID != k.id: // it was given up, and its place was taken
			f.drop(k)
		case k.before.Conn != nil && k.Last.Frame == k.before.Last.Frame:
			w.resting++
			w.carried++
			w.directions.rest(k.Connection)
		default:
			seen := k.since(k.Connection, w.interval.from)
			seen.Ending, seen.Closing, seen.Closer, seen.CloseState = flow.Open, false, tcp.Close{}, rt.Unknown
			for d := range seen.Sides {
				if k.Sides[d].Scale < 0 { // only the end tells whether that matters
					seen.Sides[0].WindowLimited, seen.Sides[1].WindowLimited = -1, -1
				}
			}
			w.count(&seen, k.before.Conn != nil)
			k.before = k.Clone()
		}
	}
	f.interval++
	w.named, f.named, f.firsts = f.named, map[uint64]uint64{}, map[uint64]uint64{}
}

// count counts what was seen of a connection.
func (w *watcher) count(c *rt.Connection, carried bool) {
	w.directions.add(c, carried)
	w.Collector.Connection(c)
	if carried {
		w.carried++
	}
}

// since is what was seen of a connection since an interval began. What it is, and
// extremes, are those of its life. Its handshake belongs to the interval in which
// it was seen first.
func (k *followed) since(c *rt.Connection, from int64) rt.Connection {
	seen, b := c.Clone(), &k.before
	if b.Conn == nil {
		return seen
	}
	seen.Began = max(c.Began, from)
	seen.Midway = true
	seen.SYN, seen.SYNACK, seen.Established = flow.Stamp{}, flow.Stamp{}, flow.Stamp{}
	seen.SYNs -= b.SYNs
	seen.SYNACKs -= b.SYNACKs
	seen.Requests.Count -= b.Requests.Count
	seen.Requests.Failed -= b.Requests.Failed
	seen.Requests.Excluded -= b.Requests.Excluded
	seen.Requests.Sum -= b.Requests.Sum
	seen.Requests.Download -= b.Requests.Download
	seen.Requests.Idle -= b.Requests.Idle
	for d := range seen.Sides {
		sinceSide(&seen.Sides[d], &b.Sides[d])
	}
	return seen
}

func sinceSide(s, b *tcp.Side) {
	s.Packets -= b.Packets
	s.Segments -= b.Segments
	s.Bytes -= b.Bytes
	s.WireBytes -= b.WireBytes
	s.WindowProbes -= b.WindowProbes
	s.PAWS -= b.PAWS
	s.RTTs -= b.RTTs
	s.RTTSum -= b.RTTSum
	s.AppLimited -= b.AppLimited
	s.Retransmissions -= b.Retransmissions
	s.Timeouts -= b.Timeouts
	s.Fast -= b.Fast
	s.Spurious -= b.Spurious
	s.LossProbes -= b.LossProbes
	s.OutOfOrder -= b.OutOfOrder
	s.DupACKs -= b.DupACKs
	s.Duplicates -= b.Duplicates
	s.RetransmitWait -= b.RetransmitWait
	s.LostOnWire -= b.LostOnWire
	s.Missed -= b.Missed
	s.KeepAlives -= b.KeepAlives
	s.Unseen -= b.Unseen
	s.DelayedACKs -= b.DelayedACKs
	s.ZeroWindows -= b.ZeroWindows
	s.ZeroWindowTime -= b.ZeroWindowTime
	if s.WindowLimited >= 0 {
		s.WindowLimited = max(0, s.WindowLimited-b.WindowLimited)
	}
	s.DelayedACKTime -= b.DelayedACKTime
}

// rest counts a connection without packets.
func (d *directions) rest(c *rt.Connection) {
	if !d.wanted(c.Server.Port) {
		return
	}
	both := d.at(between{c.Client.Addr, summary.Service{Server: c.Server, Proto: c.Protocol}})
	for dir := range both {
		both[dir].Connections++
		both[dir].Carried++
	}
}
