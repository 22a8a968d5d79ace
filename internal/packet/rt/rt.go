// Package rt turns exchanges into transactions with their phases, and sums
// transactions up: per second and service, per statement, connection, client
// and server, with histograms that keep every value to within a percent.
package rt

import (
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Transaction is one request with its answer and where its time went.
//
//	idle      upload          server                download          ack
//	|---------|===============|.....................|=================|---|
//	previous  first   last    (retransmit)          first      last      acknowledged
//	response  request packets                       response packets
//
// All durations are nanoseconds and never negative; -1 means not known.
type Transaction struct {
	ID             uint64 // number of its first request frame; with Connection unique
	Connection     uint64 // tcp.Conn.ID; for UDP that of the flow's first frame
	Client, Server flow.Endpoint
	Space          flow.Space

	Proto       string
	Command     string
	Fingerprint string        // the statement without literals; "" if there is none
	Copied      time.Duration // of a datagram without an answer: how long after the first copy the last one was sent; 0: there is no other
	Question    uint64        // of a datagram: hash of what was asked, literals included; equal questions have equal ones
	Status      proto.Status
	Doubt       proto.Doubt
	Failed      bool
	Code, Error string
	// Challenges of the answers before, of code Challenge, asked only for the
	// credentials that this request brought: see proto.Exchange.
	Challenges uint8
	Challenge  string
	Rows       int64 // or proto.RowsNone or proto.RowsUnknown
	Depth      uint16
	Ahead      bool // it was sent before the answer to the one before had come

	Start int64 // first request packet, nanoseconds since 1970

	RT       time.Duration // first copy of the last request packet to the first response packet
	Upload   time.Duration // first to last request packet, first copies
	Serve    time.Duration // last copy of the last request packet to the first response packet
	Download time.Duration // first to last response packet
	Ack      time.Duration // last response packet to the acknowledgement that covers it
	Idle     time.Duration // end of the previous response on this connection to Start

	Retransmit time.Duration // between Start and the last response packet: waited for retransmissions
	ZeroWindow time.Duration // the same: waited for a closed window
	DelayedACK time.Duration // the same: waited for a delayed acknowledgement

	RequestBytes, ResponseBytes int64
	// RequestOffset and ResponseOffset are where they begin in the streams of the
	// connection: tcp.Conn.Base plus the offset is a sequence number.
	RequestOffset, ResponseOffset   uint64
	RequestPackets, ResponsePackets uint32
	// Open is since when a complete request waits for the server, nanoseconds since
	// 1970, while its connection is up: when its last packet came or, within the
	// answer, when the last of that came; all that was sent has arrived. 0: it does not. Where
	// requests are inferred (proto.Approximate), nobody knows whether it has an answer.
	Open int64
	// Unheard is what became of a request that was not acknowledged, nor answered by
	// any other packet, until its connection or the capture ended; nil: it was not so.
	Unheard *Unheard
	// After is the run of equal requests on its connection that it ended; Count is
	// 0 if it ended none.
	After Run
	// Frames are the numbers of the first and last request packet and of the
	// first and last response packet; 0 where there is none.
	Frames [4]uint64
}

// Usable says whether the times may be averaged with others: the transaction
// was answered, nothing about it is ambiguous or lost, and the server did not
// wait because it was asked to. Approximate ones are
// usable; they are marked wherever they are shown.
func (t *Transaction) Usable() bool {
	return t.Status == proto.Answered && t.Doubt&^proto.Approximate == 0
}

// Pause is how long the client had its answer and asked nothing. ok is false
// if that is not known, and for a request that was sent ahead: its client never
// was without a question, which says nothing of how soon it has the next one.
func (t *Transaction) Pause() (d time.Duration, ok bool) {
	return t.Idle, t.Idle >= 0 && !t.Ahead
}

// AnsweredByError says that an error was the answer, be it that the server
// turned the client away.
func (t *Transaction) AnsweredByError() bool {
	return t.Failed && (t.Status == proto.Answered || t.TurnedAway())
}

// TurnedAway says that the server refused a client before it could ask for
// anything: there is no request, and none is missing.
func (t *Transaction) TurnedAway() bool {
	return t.Status == proto.Unpaired && t.Failed && t.Command == "Connect"
}

// Total is from the first request packet to the last response packet.
func (t *Transaction) Total() time.Duration { return t.Upload + t.RT + t.Download }
