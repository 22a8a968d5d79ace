package bothsides

import (
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
)

// leg is a transaction as one capture saw it, with the later copies of the two
// packets that matter: the last one of the request and the first one of the
// response. Times are on the client's clock.
type leg struct {
	rt.Transaction
	from, to   uint32 // sequence numbers of the request
	asked      int64  // first copy of its last packet
	answered   int64  // first copy of the first response packet
	answerEnd  int64  // last response packet
	askedAgain []int64
	saidAgain  []int64
}

// verdict is what became of two legs.
type verdict uint8

const (
	fits verdict = iota
	doubtful
	different
	contradicts
)

// split puts two legs of one transaction together. slack is how wrong a time of
// the server may be on the client's clock.
func split(a, b *leg, backend flow.Endpoint, slack time.Duration) (Split, verdict) {
	s := Split{Transaction: a.Transaction, Backend: backend, ServerFrame: b.Frames[0], Uncertainty: slack}
	if !a.Usable() || !b.Usable() {
		return s, doubtful
	}
	if a.to != b.to {
		return s, different
	}
	sent := arrived(a.asked, a.askedAgain, len(b.askedAgain), b.asked+int64(slack))
	answer := arrived(b.answered, b.saidAgain, len(a.saidAgain), a.answered+int64(slack))
	s.ResentThere = time.Duration(sent - a.asked)
	s.ServeThere = time.Duration(b.answered - b.asked)
	s.ResentBack = time.Duration(answer - b.answered)
	s.PathThere = time.Duration(b.asked - sent)
	s.PathBack = time.Duration(a.answered - answer)
	s.Sending = time.Duration(max(0, b.answerEnd-b.answered))
	// Both ways together need no clock: they are what is left of the time at the
	// client.
	way := s.PathThere + s.PathBack
	if s.ServeThere < 0 || way < -resolution || s.PathThere < -slack-resolution || s.PathBack < -slack-resolution {
		return s, contradicts
	}
	if s.PathThere < 0 || s.PathBack < 0 {
		s.Clamped = true
		s.PathThere = min(max(s.PathThere, 0), max(way, 0))
		s.PathBack = max(way, 0) - s.PathThere
	}
	if way < 0 { // times cut to microseconds
		s.ServeThere = max(0, s.ServeThere+way)
	}
	return s, fits
}

// arrived is when the copy was sent that came first at the other side, where it
// was seen once and again so many times: as many copies as are missing there
// were lost, the first ones. It was not sent after it arrived.
func arrived(first int64, copies []int64, again int, by int64) int64 {
	at := first
	for i := 0; i < len(copies)-again && copies[i] <= by; i++ {
		at = copies[i]
	}
	return at
}
