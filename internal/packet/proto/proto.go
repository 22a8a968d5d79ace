// Package proto is the contract between the packet engine and the decoders of
// application protocols.
//
// A decoder is fed the bytes of both directions of one connection, each byte
// once and in stream order, and gives out exchanges: a request, its answer, and
// which packets carried them. It knows framing, pairing and what an answer is
// (a greeting is none, "100 Continue" is none, some commands have none); it
// knows nothing of TCP. Decoders keep a few hundred bytes per connection and
// survive every input: bytes that make no sense put them out of step until the
// next message that does.
package proto

import "rtrail/internal/packet/flow"

// Parser decodes one connection. It is used by one goroutine.
type Parser interface {
	// Data takes the next bytes of a direction. Chunks of the two directions come
	// in the order in which the packets were captured.
	Data(c *flow.Chunk)
	// Gap says that n bytes of a direction are missing for good: not captured,
	// though the receiver had them. The next chunk follows the gap.
	Gap(d flow.Dir, n int64, at flow.Stamp)
	// End says that nothing will follow. Requests without answer are given out.
	End(at flow.Stamp, how flow.Ending)
	// Progress says what the connection is doing. It is asked once, when the
	// connection is closed, and before End.
	Progress() Progress
}

// Debtor is a Parser that can tell for certain whose turn it is. Those that infer
// requests, or cannot say whether one is complete, are none.
type Debtor interface {
	// Owes says that the oldest request without answer, or without a whole one, is
	// complete, and that nobody but the server can go on: not within a file that the
	// client sends, not in a command that waits for others by its nature, nor in an
	// answer that may pause as it likes.
	Owes() bool
}

// Seeker is a Parser that can tell that it lost its position.
type Seeker interface {
	// Seeking says that where the next message of the client begins is unknown: what it
	// says is read over until a message is found.
	Seeking() bool
}

// Opener is a Parser of a protocol whose connections can become tunnels, or go on in
// another protocol.
type Opener interface {
	// Opened says that what follows belongs to whatever is spoken in the tunnel, beginning
	// with the last rest bytes of the latest chunk. next is the name of that protocol
	// (Protocol.Name); "": its bytes are to tell.
	Opened() (next string, rest int, ok bool)
}

// Progress is what a connection is doing with requests.
type Progress uint8

// What a connection may be doing.
const (
	Unclear   Progress = iota // nobody can tell
	Idle                      // everything asked was answered
	Waiting                   // a request waits, and nothing of its answer has come
	Answering                 // an answer has begun and is not complete
	Dismissed                 // the server has said that it answers no more, and the client asked more all the same
)

// Sink takes exchanges as they complete. The exchange and what it points to are
// valid during the call only.
type Sink interface {
	Exchange(*Exchange)
}

// ScratchOwner is a Sink with one Scratch for all connections of a worker, instead
// of one for each.
type ScratchOwner interface {
	Sink
	// Scratch is what decoders work on while they are called.
	Scratch() *Scratch
}

// Scratch is the memory of a decoder: an exchange to fill in before each call of
// Sink.Exchange, and buffers for bytes that are kept between calls.
type Scratch struct {
	Exchange Exchange
	Buffers  Buffers
}

// ScratchOf is the one for the decoders of a sink.
func ScratchOf(s Sink) *Scratch {
	if o, ok := s.(ScratchOwner); ok {
		return o.Scratch()
	}
	return new(Scratch)
}

// Blank is an exchange to fill in for a sink.
func Blank(s Sink) *Exchange { return &ScratchOf(s).Exchange }

// Protocol is a decoder that the engine can choose.
type Protocol struct {
	Name  string   // as in internal/protocol: mysql, http, generic
	Ports []uint16 // server ports on which it is expected
	// Sniff judges the first bytes seen of a direction of a connection.
	Sniff func(d flow.Dir, data []byte) Match
	// New makes a parser. midway says that the beginning of the connection was
	// not captured.
	New func(sink Sink, midway bool) Parser
	// Trim, if any, spares live captures what New's parsers can do without.
	Trim flow.Trim
}

// Match is how well bytes fit a protocol.
type Match uint8

// How well bytes fit.
const (
	No     Match = iota // cannot be this protocol
	Maybe               // nothing against it; the port decides
	Likely              // whole messages of it, as others hardly have: with such an answer, or on its port
	Sure                // a signature that others do not have
)

// Span is the packets that carried a message.
type Span struct {
	First, Last flow.Stamp // the earliest and the latest packet, by time of their first copies
	Start, End  uint64     // offsets of its bytes in the stream: [Start, End)
	Packets     uint32     // how many chunks carried a part of it
}

// Add makes n bytes of a chunk, from skip bytes after its beginning, part of
// the message.
func (s *Span) Add(c *flow.Chunk, skip, n int) {
	from := c.Offset + uint64(skip)
	if s.Packets == 0 {
		s.First, s.Last, s.Start = c.Stamp, c.Stamp, from
		s.Packets, s.End = 1, from+uint64(n)
		return
	}
	s.End = from + uint64(n)
	if c.Frame != s.Last.Frame {
		s.Packets++
	}
	if c.At < s.First.At {
		s.First = c.Stamp
	}
	if c.At > s.Last.At || c.At == s.Last.At && c.Frame > s.Last.Frame {
		s.Last = c.Stamp
	}
}

// Empty is true before the first Add.
func (s *Span) Empty() bool { return s.Packets == 0 }

// Bytes is the length of the message in the stream.
func (s *Span) Bytes() int64 { return int64(s.End - s.Start) }

// Reset empties the span.
func (s *Span) Reset() { *s = Span{} }

// Status says what became of a request.
type Status uint8

// What became of a request.
const (
	Answered   Status = iota // there is an answer; it may be an error
	NoAnswer                 // the protocol has none for this command
	Unanswered               // the connection or the capture ended first
	Unpaired                 // an answer whose request was not captured
)

var statuses = [...]string{"answered", "no answer expected", "unanswered", "unpaired"}

// String is a word or two for it.
func (s Status) String() string { return statuses[s] }

// Doubt is why the times of an exchange must not be averaged with others.
type Doubt uint8

// Reasons to doubt.
const (
	Approximate Doubt = 1 << iota // boundaries were inferred (TLS records, change of direction); the times are right if the protocol is strict request and response
	Ambiguous                     // which bytes answer the request is not certain: several were under way, or something else was sent with the answer
	Lossy                         // a part of the request or of the answer was not captured
	Resync                        // the decoder was out of step shortly before
	Blocking                      // the server waits because it was asked to (BRPOP), or the request stands behind one for which it does
)

var doubts = [...]string{"approximate", "ambiguous", "lossy", "resync", "blocking"}

// Words names the reasons; nil: there are none.
func (d Doubt) Words() []string {
	var words []string
	for i, w := range doubts {
		if d&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return words
}

// EndedWithin is the error of an answer that the end of its connection cut short.
const EndedWithin = "connection ended within the answer"

// What stands for a number of rows.
const (
	RowsNone    = -1 // the answer has none, or its protocol does not tell
	RowsUnknown = -2 // it has, and not all of them were captured
)

// Exchange is a request and its answer.
type Exchange struct {
	Request, Response Span
	Status            Status
	Doubt             Doubt
	Command           string // what the protocol calls it: Query, Execute, GET, SET, A
	Text              []byte // the statement, request line, key or name asked for; nil if there is none
	TextCut           bool   // Text is only its beginning
	Failed            bool   // the answer is an error
	Code              string // of the error or of the answer: 1146, 42P01, 404, NXDOMAIN, WRONGTYPE
	Error             string // its text
	Rows              int64  // rows or elements of the answer, of MySQL also rows that were changed, or RowsNone or RowsUnknown
	// LastCopy is the last packet before the answer with which the client itself,
	// not TCP, sent the request again (DNS over UDP). Frame 0: it was sent once.
	LastCopy flow.Stamp
	// Challenges is how many of the answers right before this one, on the same
	// connection and to the same request, asked only for credentials, which this
	// request brought and this answer took: they are Failed, and nobody's fault.
	// Challenge is their Code.
	Challenges uint8
	Challenge  string
	// Depth is how many requests were under way when this one was sent, itself
	// included; 1 means that there was no pipelining.
	Depth uint16
}
