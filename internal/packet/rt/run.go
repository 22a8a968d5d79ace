package rt

import (
	"time"

	"rtrail/internal/packet/proto"
)

// Run is a stretch of requests of one connection that differ in literals only
// and came one after the other, each after the answer to the one before.
type Run struct {
	Command, Fingerprint string
	Count                uint32
	Time                 time.Duration // from its first request packet to its last response packet
	Waited               time.Duration // of Time, for answers: RT and download
}

// stretch is the run a connection is in.
type stretch struct {
	Run
	start int64
	whole bool // its beginning was seen: something else was answered before
}

// next takes the next transaction of a connection and returns the run that it
// ended, if that was whole; Count is 0 if it ended none. A stretch that begins
// with the connection, or with the capture, is no run: a client that only ever
// asks one thing does so for as long as it likes, and has no unit of work that
// could be seen. Preparing a statement belongs to the run it is executed in.
func (r *stretch) next(t *Transaction) (ended Run) {
	if t.Status == proto.NoAnswer {
		return Run{}
	}
	took := t.RT + t.Download
	if !t.Usable() || t.Depth > 1 {
		*r = stretch{}
		return Run{}
	}
	end := t.Start + int64(t.Total())
	same := t.Fingerprint == r.Fingerprint && (t.Command == r.Command || t.Command == "Prepare" || r.Command == "Prepare")
	if r.Count > 0 && same {
		if r.Command == "Prepare" {
			r.Command = t.Command
		}
		r.Count++
		r.Time = time.Duration(end - r.start)
		r.Waited += took
		return Run{}
	}
	whole := r.Count > 0
	if r.whole {
		ended = r.Run
	}
	*r = stretch{Run: Run{Command: t.Command, Fingerprint: t.Fingerprint, Count: 1, Time: t.Total(), Waited: took}, start: t.Start, whole: whole}
	return ended
}
