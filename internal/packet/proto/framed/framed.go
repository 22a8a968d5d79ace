// Package framed cuts the bytes of a direction into messages whose header tells
// how long they are. Decoders of such protocols share it: it knows where messages
// begin and end, what of them is missing, and how to find the next one after a
// loss; it knows nothing of what they say.
//
// In step, what a handler is told does not depend on how the bytes are cut into
// chunks, but for the pieces of a body. Out of step a message is found again where
// a chunk begins with one.
package framed

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// MaxHeader is the largest header, in bytes.
const MaxHeader = 16

// Format is how the messages of a protocol begin.
type Format struct {
	// Header is how many bytes tell the length of a message, 1 to MaxHeader, at least.
	Header int
	// Extent is how many bytes it takes, Header to MaxHeader, judged by those that are
	// there; nil: always Header. It is asked until they are all there.
	Extent func(header []byte) int
	// Length is how long the message with this header is, header included, in
	// bytes. Less than Header: there is no such message.
	Length func(d flow.Dir, header []byte) int64
	// Begins says whether bytes begin with a message. After a loss the first chunk
	// that does is the one to go on with.
	Begins func(d flow.Dir, data []byte) bool
}

// extent is how long a header is that begins like this.
func (f *Format) extent(header []byte) int {
	if len(header) < f.Header || f.Extent == nil {
		return f.Header
	}
	return min(f.Extent(header), MaxHeader)
}

// Handler takes messages.
type Handler interface {
	// Begin takes the header of a message, valid during the call.
	Begin(d flow.Dir, header []byte)
	// Body takes the next bytes of its body, valid during the call.
	Body(d flow.Dir, data []byte)
	// Missing says that the next n bytes of its body were not captured.
	Missing(d flow.Dir, n int64)
	// Complete says that the message has come to its end; its Stream has its span.
	Complete(d flow.Dir)
	// Lost says that the message under way, if there is one, and others may be lost.
	Lost(d flow.Dir)
}

// Stream is a direction of a connection. The zero value is in step, at its
// beginning.
type Stream struct {
	Span  proto.Span  // of the message under way, or of the one that is complete now
	Doubt proto.Doubt // of the same message: Lossy if packets of it are missing, not if they were cut short

	left int64 // bytes of the body still to come
	head [MaxHeader]byte
	have uint8 // bytes of head
	lost bool
	body bool // the header is complete
}

// Lose puts the stream out of step, for connections of which the beginning was not
// captured, and for what follows a message after which another framing begins.
func (s *Stream) Lose() { s.lost, s.have, s.left, s.body = true, 0, 0, false }

// Lost says whether the stream is out of step.
func (s *Stream) Lost() bool { return s.lost }

// Within says whether a message has begun and is not complete.
func (s *Stream) Within() bool { return s.have > 0 }

// Headed says whether it has begun with a whole header.
func (s *Stream) Headed() bool { return s.body }

// Left is how many bytes of the body of the message under way are still to come.
func (s *Stream) Left() int64 { return s.left }

// Data takes the next bytes.
func (s *Stream) Data(f *Format, h Handler, c *flow.Chunk) {
	if s.lost {
		if !f.Begins(c.Dir, c.Data) {
			return
		}
		s.lost = false
	}
	for i := 0; i < len(c.Data) && !s.lost; {
		i += s.take(f, h, c, i)
		s.finish(h, c.Dir)
	}
	if c.Cut > 0 && !s.lost {
		s.skip(f, h, c.Dir, int64(c.Cut), c)
	}
}

// take takes bytes of one message from data[from] on, and returns how many.
func (s *Stream) take(f *Format, h Handler, c *flow.Chunk, from int) int {
	i := from
	if s.have == 0 {
		s.Span.Reset()
		s.Doubt = 0
	}
	if !s.body {
		i += s.header(f, c.Data[i:])
		if !s.body {
			s.Span.Add(c, from, i-from)
			return i - from
		}
		header := s.head[:s.have]
		length := f.Length(c.Dir, header)
		if length < int64(len(header)) {
			s.Lose()
			h.Lost(c.Dir)
			return i - from
		}
		s.left = length - int64(len(header))
		h.Begin(c.Dir, header)
	}
	if n := int(min(s.left, int64(len(c.Data)-i))); n > 0 {
		s.left -= int64(n)
		h.Body(c.Dir, c.Data[i:i+n])
		i += n
	}
	s.Span.Add(c, from, i-from)
	return i - from
}

// header takes bytes of the header and returns how many.
func (s *Stream) header(f *Format, data []byte) (taken int) {
	for !s.body && taken < len(data) {
		n := copy(s.head[s.have:f.extent(s.head[:s.have])], data[taken:])
		s.have += uint8(n)
		taken += n
		s.body = int(s.have) >= f.extent(s.head[:s.have])
	}
	return taken
}

// finish ends the message if it is all there.
func (s *Stream) finish(h Handler, d flow.Dir) {
	if s.body && s.left == 0 {
		s.have, s.body = 0, false
		h.Complete(d)
	}
}

// Gap passes over n bytes that are missing for good.
func (s *Stream) Gap(f *Format, h Handler, d flow.Dir, n int64) {
	if n > 0 {
		s.skip(f, h, d, n, nil)
	}
}

// skip passes over n bytes: with a chunk those that the snap length cut off,
// without one those that are missing.
func (s *Stream) skip(f *Format, h Handler, d flow.Dir, n int64, c *flow.Chunk) {
	if s.lost {
		h.Lost(d) // what waited until now may have been answered in there
		return
	}
	if !s.body || n > s.left {
		s.Lose()
		h.Lost(d)
		return
	}
	s.left -= n
	if c != nil {
		s.Span.Add(c, len(c.Data), int(n))
	} else {
		s.Span.End += uint64(n)
		s.Doubt |= proto.Lossy
	}
	h.Missing(d, n)
	s.finish(h, d)
}
