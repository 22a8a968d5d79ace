// Package tcp follows TCP connections: it puts bytes into order, tells what was
// retransmitted, lost or missed by the capture, and who kept whom waiting.
// It is bounded: a connection holds at most a kilobyte while it lives.
package tcp

import (
	"time"

	"rtrail/internal/packet/flow"
)

// Consumer is told what happens in one connection, in the order of capture.
type Consumer interface {
	// Data gives the next bytes of a direction, each byte once.
	Data(c *flow.Chunk)
	// Gap says that n bytes of a direction are missing for good.
	Gap(d flow.Dir, n int64, at flow.Stamp)
	// Resent says that the bytes [from, to) of a direction came again: first is
	// the packet that carried them first, again the copy.
	Resent(d flow.Dir, from, to uint64, first, again flow.Stamp)
	// Refilled says that a segment whose bytes came for the first time was sent
	// again: the one before was lost on the way to the capture.
	Refilled(d flow.Dir, at flow.Stamp)
	// Stalled says that the connection waited: since when, until when, why, and
	// who could have sent. Retransmissions come as Resent and as Stalled.
	Stalled(s Stall)
	// Acked says that the receiver of direction d has everything before the
	// offset. It is called for packets that move the acknowledgement on.
	Acked(d flow.Dir, before uint64, at flow.Stamp)
	// End says that nothing will follow.
	End(at flow.Stamp, how flow.Ending)
}

// Stall is a stretch of time in which bytes of a direction could not go on.
type Stall struct {
	Cause    Cause
	Dir      flow.Dir // of the bytes that waited
	From, To int64    // nanoseconds since 1970
}

// Cause is why bytes waited.
type Cause uint8

// Causes.
const (
	Retransmission Cause = iota // from the first copy (or, if that was never seen, from the first sign of the hole) to the copy that arrived
	ZeroWindow                  // the receiver had closed its window
	DelayedACK                  // the sender held a small segment back until the receiver's delayed acknowledgement came (Nagle)
	causes
)

// Options is how a table works.
type Options struct {
	// NewConsumer makes the consumer of a connection when its first packet with
	// data, or its handshake, was seen. nil: their data is not consumed.
	NewConsumer func(*Conn) Consumer
	// Ended is called once for each connection, after its consumer's End. The
	// connection must not be kept: Clone what is needed.
	Ended func(*Conn)
	// Idle is after how much packet time without a packet a connection has ended;
	// 0: two hours, or two minutes after a FIN of one side.
	Idle time.Duration
	// IsServer knows ports that servers listen on, beside the well-known ones.
	IsServer func(port uint16) bool
	// Speaker tells which way the first bytes go that were seen of a connection. It
	// is asked only where neither the handshake nor a port that is known says who
	// the server is. nil: nobody knows.
	Speaker func(first []byte) (way flow.Dir, known bool)
	// Shared tells that several others talk to a port. It is asked where nothing
	// else is known. nil: nobody knows.
	Shared func(port uint16) bool
	// Crashed is called where Expire or Close met a panic, with its value; the
	// connection was abandoned. nil: the panic goes on.
	Crashed func(c *Conn, v any)
	// Held is how many bytes all connections of the table may together hold back
	// because bytes before them are missing; when more come, the hole they wait
	// for is given up as a Gap. 0: DefaultHeld.
	Held int
}

// Conn is a connection and what was counted of it. Consumers may read it.
// What each packet needs comes first, and fills two lines of the cache.
type Conn struct {
	ID             uint64 // number of its first frame; unique in a capture
	Client, Server flow.Endpoint
	Space          flow.Space
	Across         flow.Space // that of the packets of the other direction, where a network differs by direction; else Space
	Why            Reason     // how it is known which side is the server
	Midway         bool       // the capture began, or the connection was first seen, after its handshake
	Refused        bool       // the SYN was answered by RST
	Closing        bool       // Closer is set
	Ending         flow.Ending
	SYNs, SYNACKs  uint16 // how many copies of each
	scaled         scaling
	state          uint8

	Last        flow.Stamp
	Established flow.Stamp // the ACK that completes the handshake, or the first data of the client
	consumer    Consumer
	pair        uint64 // hash of the ends
	index       int32  // of this connection in the table; -1: free
	next        int32  // candidate of the same ends, index + 1; 0: none

	Closer      Close      // the first FIN or RST
	Began       int64      // time of its first packet, nanoseconds since 1970
	SYN, SYNACK flow.Stamp // first copies; Frame 0: not seen

	Sides  [2]Side // by flow.Dir: what the client sent, what the server sent
	halves [2]half // by flow.Dir, as Sides
}

// Consumer is the one that NewConsumer made; nil: there is none.
func (c *Conn) Consumer() Consumer { return c.consumer }

// Clone is a copy that may be kept. It has no consumer.
func (c *Conn) Clone() *Conn {
	k := *c
	k.consumer = nil
	return &k
}

// Retried says that the SYN repeats one that was refused: Windows tries a connect
// three times.
func (c *Conn) Retried() bool { return c.state&retry != 0 }

// Closed says that both sides have sent a FIN: nobody waits for anything more.
func (c *Conn) Closed() bool { return c.halves[0].has(sentFIN) && c.halves[1].has(sentFIN) }

// OneWay says that data was seen in one direction and nothing in the other.
func (c *Conn) OneWay() bool {
	a, b := &c.Sides[0], &c.Sides[1]
	return a.Segments > 0 && b.Packets == 0 || b.Segments > 0 && a.Packets == 0
}

// Reason is why one side is taken for the server.
type Reason uint8

// Reasons, the best first.
const (
	BySYN       Reason = iota // its SYN or SYN-ACK was seen
	ByPort                    // it has a port that servers listen on
	BySpeech                  // the first bytes are a server's, or a client's
	BySharing                 // several others talk to its port
	ByLowerPort               // its port is the lower one: a guess
)

var reasons = [...]string{"its handshake was seen", "servers listen on its port", "what was said first is a server's or a client's", "several others talk to its port", "its port is the lower one"}

// String says it in words.
func (r Reason) String() string { return reasons[r] }

// Close is the first packet that closed a direction.
type Close struct {
	flow.Stamp
	Dir   flow.Dir // who sent it
	Reset bool     // RST; else FIN
	// ThenReset is set if the side that sent this FIN answered by RST what came
	// after it: nobody was there to read it.
	ThenReset bool
	// Unread is set if the closing side had not acknowledged, or not answered,
	// bytes of the other one; Outstanding counts those not acknowledged.
	Outstanding int64
}

// Side is what was counted of the packets one side sent. Its numbers of four
// bytes stand in pairs: a connection shall stay within a kilobyte.
type Side struct {
	Packets, Segments uint64 // segments are packets with data
	Bytes             int64  // of the stream, each once
	WireBytes         int64  // of all packets

	LargestSegment uint32 // bytes of payload
	MSS            uint16 // as announced; 0: not seen
	Scale          int8   // window scale it announced; -1: not seen, cut off, or none
	TTL            uint8  // of its last packet

	WindowProbes uint16        // of this side, into the closed window of the other; 65535 is that many and more
	PAWS         uint16        // segments whose timestamp went back; the same
	RTTs         uint32        // samples of pure acknowledgements of this side's data, by Karn's rule
	RTTSum       time.Duration //
	RTTMin       time.Duration // 0: no sample
	RTTMax       time.Duration

	AppLimited time.Duration // this side had window left, nothing in flight and sent nothing

	Retransmissions uint32 // segments that came again, of which
	Timeouts        uint32 // by timeout
	Fast            uint32 // after duplicate ACKs or SACK
	Spurious        uint32 // the first copy had arrived: DSACK or acknowledged before
	LossProbes      uint32 // tail loss probes, where they can be told
	OutOfOrder      uint32 // arrived late without being sent again
	DupACKs         uint32
	Duplicates      uint32 // packets that the capture holds twice; nothing else counts them but Packets and WireBytes
	// RetransmitWait is how long the connection waited for copies of this side's
	// bytes, as Stalled tells it; times that several waits share count once.
	RetransmitWait time.Duration
	LostOnWire     int64 // bytes that had to be sent again because they did not arrive
	Missed         int64 // bytes that the receiver acknowledged but the capture lacks
	KeepAlives     uint32
	Unseen         uint32 // of the retransmissions: no earlier copy came here, it was lost between its sender and the capture

	DelayedACKs    uint32        // waits of this side's data for a delayed acknowledgement
	ZeroWindows    uint32        // episodes in which this side had closed its window
	ZeroWindowTime time.Duration //
	WindowLimited  time.Duration // this side could not send: the other's window was full, but not closed; -1: unknown, a window scale was not seen
	DelayedACKTime time.Duration
}

// HandshakeRTT is the time from the first SYN to the SYN-ACK, which is the
// round trip between capture and server, and from there to the ACK, which is
// that between capture and client. ok is false if any of the three is missing,
// if one of them was sent twice, when nobody knows which copy was answered, or if
// the clock of the capture went back in between.
func (c *Conn) HandshakeRTT() (server, client time.Duration, ok bool) {
	if c.SYN.Frame == 0 || c.SYNACK.Frame == 0 || c.Established.Frame == 0 || c.SYNs != 1 || c.SYNACKs != 1 {
		return 0, 0, false
	}
	server, client = time.Duration(c.SYNACK.At-c.SYN.At), time.Duration(c.Established.At-c.SYNACK.At)
	if server < 0 || client < 0 {
		return 0, 0, false
	}
	return server, client, true
}

// Connect is the time from the first SYN to the first SYN-ACK, lost copies
// included; ok is false if either is missing, or the clock of the capture went
// back in between.
func (c *Conn) Connect() (time.Duration, bool) {
	if c.SYN.Frame == 0 || c.SYNACK.Frame == 0 || c.SYNACK.At < c.SYN.At {
		return 0, false
	}
	return time.Duration(c.SYNACK.At - c.SYN.At), true
}
