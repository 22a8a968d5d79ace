package tcp

import "rtrail/internal/packet/flow"

// State of a connection.
const (
	consumed  uint8 = 1 << iota // the consumer was made, or there is none to make
	firstDone                   // bytes were seen: the roles are final
	awaits                      // an acknowledgement waits for its bytes
	retry                       // the SYN repeats one that was refused
	abandoned                   // a panic came of it: its packets are counted and not looked at
	candidate                   // its other direction may come in another network
)

// scaling says whether window fields can be read.
type scaling uint8

const (
	scaleUnknown scaling = iota // the handshake, or its options, were not seen
	scaleOffered                // the SYN offered it, the SYN-ACK has not been seen
	scaleOff                    // one side did not offer it: windows are as sent
	scaleOn
)

// half is one direction: the bytes one side sends and what is known of them.
// Offsets count bytes from the first one after the SYN, or from the first one
// that was seen.
type half struct {
	nxt   uint64 // everything before was handed on, or given up
	high  uint64 // the end of the highest byte seen, or of the stream if its FIN was seen
	acked uint64 // everything before was acknowledged by the other side

	ackedAt int64 // when acked last moved, or the window opened again after that
	limited int64 // since when the window of the other side is full; 0: it is not
	closed  int64 // since when this side's own window is closed; 0: it is not
	waited  int64 // until when waits for copies of this side's bytes are counted

	base   uint32 // sequence number of offset 0
	ts     uint32 // the newest timestamp, if hasTS
	ack    uint32 // the last acknowledgement this side sent, if hasACK
	sacked uint32 // how far past acked the other side has reported bytes by SACK

	flags  uint16
	window uint16
	id     uint16 // IP ID of the newest packet
	dups   uint8  // duplicate ACKs from the other side since acked moved
	ids    uint8  // how many packets in a row had growing IP IDs

	held    int32  // first segment that waits for bytes before it; 0: none
	block   int32  // a longer log; 0: the one below
	logEnd  uint32 // how many segments were written down
	logOpen uint32 // the first of them that is not acknowledged
	log     [shortLog]entry

	// Of losses: rarely needed.
	tail    int32  // the last segment that waits for bytes before it
	copied  uint32 // low bits of where the last counted copy ended
	size    uint32 // its length
	gap     uint32 // low bits of where the last gap began
	gapSize uint32
	class   class  // of the last counted copy
	runs    uint16 // segments that wait
}

// Flags of a half.
const (
	based uint16 = 1 << iota // base is set
	soft                     // base may still move: no byte was seen
	hasTS
	hasACK
	sentFIN
	ackedFIN
	spoken     // the other side sent bytes since this side's last new ones
	pureACK    // acked was last moved by a packet without data, for one segment only
	usedWindow // window is set
	idle       // since ackedAt nothing is in flight, and it is this side's turn
	eager      // it sends small segments while others are in flight: TCP_NODELAY
	countsIDs  // its packets have had several IP IDs: equal ones tell copies by the capture
	cutOptions // the snap length cut options off, which may have held a timestamp
)

// offset is where a sequence number lies in the stream; it may be before 0.
func (h *half) offset(seq uint32) int64 {
	return int64(h.nxt) + int64(int32(seq-h.base-uint32(h.nxt)))
}

// start sets the sequence number of the first byte.
func (h *half) start(seq uint32, flags uint16) {
	h.base, h.nxt, h.high, h.acked = seq, 0, 0, 0
	h.flags = h.flags&^soft | based | flags
}

func (h *half) has(flag uint16) bool { return h.flags&flag != 0 }

// inFlight is how many bytes have not been acknowledged.
func (h *half) inFlight() int64 { return max(0, int64(h.high)-int64(h.acked)) }

// InFlight is how many bytes of a direction were sent and not acknowledged, a
// FIN left out.
func (c *Conn) InFlight(d flow.Dir) int64 { return c.halves[d].inFlight() }

// AtRest says that the connection is up, that all that was sent has arrived, in both
// directions, and that the client takes more.
func (c *Conn) AtRest() bool {
	client, server := &c.halves[flow.ToServer], &c.halves[flow.ToClient]
	return !c.Abandoned() && !c.Closing && !c.OneWay() && client.inFlight() == 0 && server.inFlight() == 0 &&
		client.held == 0 && server.held == 0 && client.closed == 0
}

// path is what the handshake says of the way between the capture and the
// receiver of a direction, and between the capture and its sender; -1: unknown.
func (c *Conn) path(d flow.Dir) (receiver, sender int64) {
	server, client, ok := c.HandshakeRTT()
	if !ok {
		return -1, -1
	}
	if d == flow.ToServer {
		return int64(server), int64(client)
	}
	return int64(client), int64(server)
}

// Base is the sequence number of offset 0 of a direction: the first byte after
// the SYN, or the first one that was seen. ok is false if nothing was seen of
// the direction.
func (c *Conn) Base(d flow.Dir) (seq uint32, ok bool) {
	return c.halves[d].base, c.halves[d].has(based)
}
