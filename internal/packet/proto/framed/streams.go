package framed

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Streams are the two directions of a connection. The zero value is in step.
type Streams [2]Stream

// NewStreams makes those of a connection, out of step if its beginning was not captured.
func NewStreams(midway bool) (s Streams) {
	if midway {
		s[0].Lose()
		s[1].Lose()
	}
	return s
}

// Between says that no message is incomplete, in either direction.
func (s *Streams) Between() bool { return s[0].have == 0 && s[1].have == 0 }

// Seeking says that where the next message of the client begins is unknown (proto.Seeker).
func (s *Streams) Seeking() bool { return s[flow.ToServer].lost }

// Progress says what the connection is doing, given whether an answer is under way
// whose request is known, and how many requests wait.
func (s *Streams) Progress(answering bool, waiting int) proto.Progress {
	switch {
	case answering:
		return proto.Answering
	case waiting > 0:
		return proto.Waiting
	case s[flow.ToServer].lost, s[flow.ToClient].lost, s[flow.ToClient].Within():
		return proto.Unclear
	}
	return proto.Idle
}
