package rt

import (
	"time"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/tcp"
)

// Connection is a TCP connection and what its bytes say.
type Connection struct {
	*tcp.Conn
	Protocol   string // decoder that was used; "" before the first data
	CloseState State  // what the application was doing when the first FIN or RST came
	Requests   Requests
}

// Clone is a copy that may be kept.
func (c *Connection) Clone() Connection {
	k := *c
	k.Conn = c.Conn.Clone()
	return k
}

// Requests sums up the requests of a connection and their response times.
type Requests struct {
	Count, Failed  uint32 // those whose times count; those answered with an error
	Excluded       uint32 // seen, but ambiguous, lossy or without answer
	Sum, Min, Max  time.Duration
	Download, Idle time.Duration // sums
}

func (r *Requests) add(t *Transaction) {
	switch {
	case t.Usable():
		if r.Count == 0 || t.RT < r.Min {
			r.Min = t.RT
		}
		r.Count++
		r.Sum += t.RT
		r.Max = max(r.Max, t.RT)
		r.Download += t.Download
		r.Idle += max(t.Idle, 0)
	case t.Status != proto.NoAnswer && !t.TurnedAway():
		r.Excluded++
	}
	if t.Failed {
		r.Failed++
	}
}

// State is what an application is doing with a connection.
type State uint8

// States.
const (
	Unknown   State = iota // nobody can tell
	Handshake              // no data yet
	Idle                   // everything asked was answered
	Waiting                // a request is complete and its answer has not begun
	Response               // an answer has begun and is not complete
	Dismissed              // the server had said that it answers no more, and the client asked more all the same
	Crossed                // idle, as the server saw it; but a request crossed its FIN and was answered by RST
)

var stateWords = [...]string{"", "handshake", "idle", "waiting", "response", "dismissed", "crossed"}

// String is a word for it; "" if nobody can tell.
func (s State) String() string { return stateWords[s] }

// Broken says that the connection was closed while something was under way.
func (s State) Broken() bool { return s == Waiting || s == Response || s == Crossed }
