package generate

import (
	"encoding/binary"
	"io"
	"net/netip"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

// scene is a known-truth capture in the making. Packets come in the order in
// which its functions are called.
type scene struct {
	name, help string
	link       pcap.LinkType
	snap       int // bytes kept of each packet; 0: all
	// wrap puts an IP packet into what surrounds it; nil: an Ethernet frame. It
	// may make several packets of it.
	wrap   func(d flow.Dir, ip []byte) [][]byte
	twice  bool // the packets that wrap makes are copies: the second comes 3 us later, the stamp is the first's
	six    bool // IPv6
	save   func(w io.Writer, s *scene) error
	frames []pcap.Packet
	talks  []*talk
	found  []*rt.Transaction
}

func newScene(name, help string) *scene {
	return &scene{name: name, help: help, link: pcap.LinkEthernet}
}

func (s *scene) truth() Truth {
	t := Truth{Name: s.name, Help: s.help}
	t.Write = func(w io.Writer) error {
		if s.save != nil {
			return s.save(w, s)
		}
		return write(w, s.link, s.snap, s.frames)
	}
	for _, x := range s.found {
		t.Transactions = append(t.Transactions, *x)
	}
	for _, k := range s.talks {
		c := k.true
		for d := range c.Sides {
			if c.Sides[d].Bytes == 0 {
				c.Sides[d].Bytes = int64(k.next[d] - k.begun[d])
			}
		}
		t.Connections = append(t.Connections, c)
	}
	return t
}

// talk is a connection in a scene.
type talk struct {
	s     *scene
	end   [2]flow.Endpoint // of who sends
	isn   [2]uint32        // sequence number of the first byte
	next  [2]uint64        // offset in the stream of the next byte to be sent
	begun [2]uint64        // where the capture begins
	has   [2]int64         // offset up to which the other side acknowledges; -1: all that was sent
	ipid  [2]uint16
	true  Connection
}

// at is a moment of a scene.
func at(d time.Duration) int64 { return epoch + int64(d) }

const ms = time.Millisecond

// talk makes a connection that nothing was captured of yet.
func (s *scene) talk(port uint16) *talk {
	client, server := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	if s.six {
		client, server = netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")
	}
	t := &talk{s: s, isn: [2]uint32{1000, 5000}, has: [2]int64{-1, -1}}
	t.end[flow.ToServer] = flow.Endpoint{Addr: client.As16(), Port: 40000}
	t.end[flow.ToClient] = flow.Endpoint{Addr: server.As16(), Port: port}
	t.true.Client, t.true.Server = t.end[0].String(), t.end[1].String()
	t.true.ToServer, t.true.ToClient = NotSaid, NotSaid
	s.talks = append(s.talks, t)
	return t
}

// handshake opens the connection: one millisecond to the server and one back.
func (t *talk) handshake(when time.Duration) {
	t.packet(when, flow.ToServer, syn, 0, nil)
	t.packet(when+1*ms, flow.ToClient, syn|ack, 0, nil)
	t.packet(when+2*ms, flow.ToServer, ack, 0, nil)
	t.true.ToServer, t.true.ToClient = 1*ms, 1*ms
}

// say sends the next bytes.
func (t *talk) say(when time.Duration, d flow.Dir, payload string) flow.Stamp {
	off := t.next[d]
	t.next[d] += uint64(len(payload))
	return t.packet(when, d, psh|ack, off, []byte(payload))
}

// again sends bytes that were sent before.
func (t *talk) again(when time.Duration, d flow.Dir, off uint64, payload string) flow.Stamp {
	return t.packet(when, d, psh|ack, off, []byte(payload))
}

// hear acknowledges what the other side sent.
func (t *talk) hear(when time.Duration, d flow.Dir) flow.Stamp {
	return t.packet(when, d, ack, t.next[d], nil)
}

// unseen is bytes that were sent but are not in the capture.
func (t *talk) unseen(d flow.Dir, n int) (off uint64) {
	off = t.next[d]
	t.next[d] += uint64(n)
	return off
}

// leave closes the connection.
func (t *talk) leave(when time.Duration) {
	for i, d := range []flow.Dir{flow.ToServer, flow.ToClient} {
		t.packet(when+time.Duration(i)*ms, d, fin|ack, t.next[d], nil)
		t.isn[d]++ // the FIN has a number of its own
	}
	t.packet(when+2*ms, flow.ToServer, ack, t.next[flow.ToServer], nil)
	t.true.Ending = flow.Finished
}

// packet captures a packet; it counts for the truth of its side.
func (t *talk) packet(when time.Duration, d flow.Dir, flags uint8, off uint64, payload []byte) flow.Stamp {
	return t.windowed(when, d, flags, off, payload, 502)
}

func (t *talk) windowed(when time.Duration, d flow.Dir, flags uint8, off uint64, payload []byte, window uint16) flow.Stamp {
	o := d.Other()
	head := tcpLength
	if flags&syn != 0 {
		head = synLength
	}
	b := make([]byte, head, head+len(payload))
	seq, acknowledged := t.isn[d]+uint32(off), t.isn[o]+uint32(t.next[o])
	if t.has[o] >= 0 {
		acknowledged = t.isn[o] + uint32(t.has[o])
	}
	if flags&syn != 0 {
		seq--
	}
	if flags&ack == 0 {
		acknowledged = 0
	}
	binary.BigEndian.PutUint16(b, t.end[d].Port)
	binary.BigEndian.PutUint16(b[2:], t.end[o].Port)
	binary.BigEndian.PutUint32(b[4:], seq)
	binary.BigEndian.PutUint32(b[8:], acknowledged)
	b[12], b[13] = byte(head/4)<<4, flags
	binary.BigEndian.PutUint16(b[14:], window)
	clock := uint32(1000 + when/ms)
	if flags&syn != 0 {
		copy(b[20:], []byte{2, 4, 5, 0xb4, 4, 2, 8, 10})
		binary.BigEndian.PutUint32(b[28:], clock)
		copy(b[36:], []byte{1, 3, 3, 7})
	} else {
		copy(b[20:], []byte{1, 1, 8, 10})
		binary.BigEndian.PutUint32(b[24:], clock)
		binary.BigEndian.PutUint32(b[28:], clock)
	}
	side := &t.true.Sides[d]
	side.Packets++
	if len(payload) > 0 {
		side.Segments++
		side.LargestSegment = max(side.LargestSegment, int64(len(payload)))
	}
	return t.s.capture(when, d, t.ip(d, append(b, payload...)))
}

// ip puts an IP header before a segment.
func (t *talk) ip(d flow.Dir, segment []byte) []byte {
	src, dst := t.end[d].Addr, t.end[d.Other()].Addr
	if t.s.six {
		b := make([]byte, 40, 40+len(segment))
		b[0], b[6], b[7] = 0x60, 6, 64
		binary.BigEndian.PutUint16(b[4:], uint16(len(segment)))
		copy(b[8:], src[:])
		copy(b[24:], dst[:])
		return append(b, segment...)
	}
	t.ipid[d]++
	b := make([]byte, ip4Length, ip4Length+len(segment))
	putIP4(b, [4]byte(src[12:]), [4]byte(dst[12:]), ip4Length+len(segment), t.ipid[d])
	return append(b, segment...)
}

// capture adds the packets that an IP packet becomes; the stamp is the last one's.
func (s *scene) capture(when time.Duration, d flow.Dir, ip []byte) flow.Stamp {
	all := [][]byte{ethernet(d, ip)}
	if s.wrap != nil {
		all = s.wrap(d, ip)
	}
	for i, b := range all {
		if s.twice {
			when += 3000 * time.Duration(i)
		}
		p := pcap.Packet{Time: at(when), Frame: uint64(len(s.frames) + 1), Data: b, Wire: uint32(len(b)), Link: s.link}
		if s.snap > 0 {
			p.Data = b[:min(len(b), s.snap)]
		}
		s.frames = append(s.frames, p)
	}
	if s.twice {
		return flow.Stamp{At: at(when) - 3000, Frame: uint64(len(s.frames) - 1)}
	}
	return flow.Stamp{At: at(when), Frame: uint64(len(s.frames))}
}

// etherType is what an IP packet is to Ethernet.
func etherType(ip []byte) []byte {
	if ip[0]>>4 == 6 {
		return []byte{0x86, 0xdd}
	}
	return []byte{8, 0}
}

func addresses(d flow.Dir) []byte {
	return []byte{2, 0, 0, 0, 0, byte(d.Other()) + 1, 2, 0, 0, 0, 0, byte(d) + 1}
}

func ethernet(d flow.Dir, ip []byte) []byte {
	return append(append(addresses(d), etherType(ip)...), ip...)
}

// exchange adds a transaction by its packets: first and last of the request,
// first and last of the response.
func (t *talk) exchange(protocol, command string, q1, q2, r1, r2 flow.Stamp) *rt.Transaction {
	x := &rt.Transaction{
		Client: t.end[0], Server: t.end[1], Proto: protocol, Command: command, Status: proto.Answered,
		Start: q1.At, Depth: 1,
		Upload: time.Duration(q2.At - q1.At), RT: time.Duration(r1.At - q2.At), Download: time.Duration(r2.At - r1.At),
		Frames: [4]uint64{q1.Frame, q2.Frame, r1.Frame, r2.Frame},
	}
	x.Serve = x.RT
	t.s.found = append(t.s.found, x)
	return x
}

// simple is an exchange of one packet each.
func (t *talk) simple(protocol, command string, q, r flow.Stamp) *rt.Transaction {
	return t.exchange(protocol, command, q, q, r, r)
}
