package rt

import (
	"math"
	"time"

	"rtrail/internal/packet/proto"
)

// Stats sums up transactions. The zero value is empty; it may be merged with
// others of the same kind.
type Stats struct {
	Count       uint64 // transactions whose times count
	Failed      uint64 // of all answered ones, those answered with an error; and clients turned away
	Approximate uint64 // of Count, those whose boundaries were inferred
	Inferred    uint64 // of all, those whose boundaries were inferred, also where their times do not count

	// Seen but left out of all times, by reason.
	Ambiguous, Lossy, Unanswered, NoAnswer, Unpaired, Blocking uint64

	Blocked time.Duration // sum of RT of those of Blocking that were answered

	TurnedAway uint64 // clients that the server refused before they asked for anything: no request is missing, and none has a time

	Sum, Min, Max time.Duration // of RT; Min and Max are 0 while Count is 0
	squares       float64       // of RT in nanoseconds
	RT            Histogram

	Upload, Serve, Download, Idle      time.Duration // sums
	Retransmit, ZeroWindow, DelayedACK time.Duration // sums
	Retransmitted                      uint64        // transactions that waited for a retransmission
	RequestBytes, ResponseBytes        int64
	Rows                               int64  // of the answers of which they are known
	RowsUnknown                        uint64 // answers with rows that were not all captured
}

// Add counts a transaction.
func (s *Stats) Add(t *Transaction) {
	if t.AnsweredByError() {
		s.Failed++
	}
	if t.Doubt&proto.Approximate != 0 {
		s.Inferred++
	}
	if !t.Usable() {
		s.exclude(t)
		return
	}
	if s.Count == 0 || t.RT < s.Min {
		s.Min = t.RT
	}
	s.Max = max(s.Max, t.RT)
	s.Count++
	if t.Doubt&proto.Approximate != 0 {
		s.Approximate++
	}
	s.Sum += t.RT
	s.squares += float64(t.RT) * float64(t.RT)
	s.RT.Add(t.RT)
	s.Upload += t.Upload
	s.Serve += t.Serve
	s.Download += t.Download
	s.Idle += max(t.Idle, 0)
	s.Retransmit += t.Retransmit
	s.ZeroWindow += t.ZeroWindow
	s.DelayedACK += t.DelayedACK
	if t.Retransmit > 0 {
		s.Retransmitted++
	}
	s.RequestBytes += t.RequestBytes
	s.ResponseBytes += t.ResponseBytes
	s.Rows += max(t.Rows, 0)
	if t.Rows == proto.RowsUnknown {
		s.RowsUnknown++
	}
}

func (s *Stats) exclude(t *Transaction) {
	switch {
	case t.Status == proto.NoAnswer:
		s.NoAnswer++
	case t.Doubt&proto.Blocking != 0 && t.Status != proto.Unpaired:
		s.Blocking++
		if t.Status == proto.Answered && t.Doubt&^(proto.Approximate|proto.Blocking) == 0 {
			s.Blocked += t.RT
		}
	case t.Status == proto.Unanswered:
		s.Unanswered++
	case t.TurnedAway():
		s.TurnedAway++
	case t.Status == proto.Unpaired:
		s.Unpaired++
	case t.Doubt&(proto.Lossy|proto.Resync) != 0:
		s.Lossy++
	default:
		s.Ambiguous++
	}
}

// Merge adds what others counted.
func (s *Stats) Merge(o *Stats) {
	if o.Count > 0 && (s.Count == 0 || o.Min < s.Min) {
		s.Min = o.Min
	}
	s.Max = max(s.Max, o.Max)
	s.Count += o.Count
	s.Failed += o.Failed
	s.Approximate += o.Approximate
	s.Inferred += o.Inferred
	s.Ambiguous += o.Ambiguous
	s.Lossy += o.Lossy
	s.Unanswered += o.Unanswered
	s.NoAnswer += o.NoAnswer
	s.Unpaired += o.Unpaired
	s.Blocking += o.Blocking
	s.Blocked += o.Blocked
	s.TurnedAway += o.TurnedAway
	s.Sum += o.Sum
	s.squares += o.squares
	s.RT.Merge(&o.RT)
	s.Upload += o.Upload
	s.Serve += o.Serve
	s.Download += o.Download
	s.Idle += o.Idle
	s.Retransmit += o.Retransmit
	s.ZeroWindow += o.ZeroWindow
	s.DelayedACK += o.DelayedACK
	s.Retransmitted += o.Retransmitted
	s.RequestBytes += o.RequestBytes
	s.ResponseBytes += o.ResponseBytes
	s.Rows += o.Rows
	s.RowsUnknown += o.RowsUnknown
}

// Excluded is how many transactions were seen but left out of the times
// because of doubt.
func (s *Stats) Excluded() uint64 {
	return s.Ambiguous + s.Lossy + s.Unanswered + s.Unpaired + s.Blocking
}

// Mean is the mean RT; 0 if there is none.
func (s *Stats) Mean() time.Duration {
	if s.Count == 0 {
		return 0
	}
	return s.Sum / time.Duration(s.Count)
}

// Deviation is the standard deviation of RT over all counted transactions.
func (s *Stats) Deviation() time.Duration {
	if s.Count == 0 {
		return 0
	}
	mean := float64(s.Sum) / float64(s.Count)
	return time.Duration(math.Sqrt(max(0, s.squares/float64(s.Count)-mean*mean)))
}

// Squares is the sum of the squares of RT, in seconds squared.
func (s *Stats) Squares() float64 { return s.squares / 1e18 }

// Quantile is the RT that a share q does not exceed, to within one percent and
// never outside of what was seen.
func (s *Stats) Quantile(q float64) time.Duration {
	return min(max(s.RT.Quantile(q), s.Min), s.Max)
}
