package rt

import (
	"math"
	"time"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/sums"
)

// Sums are sums over transactions.
type Sums struct {
	sums.Requests
	Inferred      int64         // of all, those whose boundaries were inferred, also where their times do not count
	NoAnswer      int64         // seen but left out of all times, beside those of Requests
	Blocked       time.Duration // sum of RT of those of Blocking that were answered
	Retransmitted int64         // transactions that waited for a retransmission
	Rows          int64         // of the answers of which they are known
	RowsUnknown   int64         // answers with rows that were not all captured

	squares float64 // of RT in nanoseconds
}

// SumsOf are those of one transaction.
func SumsOf(t *Transaction) (s Sums) {
	if t.AnsweredByError() {
		s.Failed = 1
	}
	if t.Doubt&proto.Approximate != 0 {
		s.Inferred = 1
	}
	if !t.Usable() {
		s.exclude(t)
		return s
	}
	s.Count, s.Approximate = 1, s.Inferred
	s.RTSum, s.RTMin, s.RTMax = t.RT, t.RT, t.RT
	s.squares = float64(t.RT) * float64(t.RT)
	s.Upload, s.Serve, s.Download, s.Idle = t.Upload, t.Serve, t.Download, max(t.Idle, 0)
	s.Retransmit, s.ZeroWindow, s.DelayedACK = t.Retransmit, t.ZeroWindow, t.DelayedACK
	if t.Retransmit > 0 {
		s.Retransmitted = 1
	}
	s.RequestBytes, s.ResponseBytes = t.RequestBytes, t.ResponseBytes
	s.Rows = max(t.Rows, 0)
	if t.Rows == proto.RowsUnknown {
		s.RowsUnknown = 1
	}
	return s
}

func (s *Sums) exclude(t *Transaction) {
	switch {
	case t.Status == proto.NoAnswer:
		s.NoAnswer = 1
	case t.Doubt&proto.Blocking != 0 && t.Status != proto.Unpaired:
		s.Blocking = 1
		if t.Status == proto.Answered && t.Doubt&^(proto.Approximate|proto.Blocking) == 0 {
			s.Blocked = t.RT
		}
	case t.Status == proto.Unanswered:
		s.Unanswered = 1
	case t.TurnedAway():
		s.TurnedAway = 1
	case t.Status == proto.Unpaired:
		s.Unpaired = 1
	case t.Doubt&(proto.Lossy|proto.Resync) != 0:
		s.Lossy = 1
	default:
		s.Ambiguous = 1
	}
}

func (s *Sums) add(o *Sums) {
	s.Requests.Add(&o.Requests)
	s.Inferred += o.Inferred
	s.NoAnswer += o.NoAnswer
	s.Blocked += o.Blocked
	s.Retransmitted += o.Retransmitted
	s.Rows += o.Rows
	s.RowsUnknown += o.RowsUnknown
	s.squares += o.squares
}

// Stats sums up transactions. The zero value is empty; it may be merged with
// others of the same kind.
type Stats struct {
	Sums
	RT Histogram
}

// Add counts a transaction.
func (s *Stats) Add(t *Transaction) {
	one := SumsOf(t)
	s.AddOne(&one)
}

// AddOne counts a transaction by its SumsOf.
func (s *Stats) AddOne(one *Sums) {
	s.Sums.add(one)
	if one.Count > 0 {
		s.RT.Add(one.RTSum)
	}
}

// Merge adds what others counted.
func (s *Stats) Merge(o *Stats) {
	s.Sums.add(&o.Sums)
	s.RT.Merge(&o.RT)
}

// Deviation is the standard deviation of RT over all counted transactions.
func (s *Stats) Deviation() time.Duration {
	if s.Count == 0 {
		return 0
	}
	mean := float64(s.RTSum) / float64(s.Count)
	return time.Duration(math.Sqrt(max(0, s.squares/float64(s.Count)-mean*mean)))
}

// Squares is the sum of the squares of RT, in seconds squared.
func (s *Stats) Squares() float64 { return s.squares / 1e18 }

// Quantile is the RT that a share q does not exceed, to within one percent and
// never outside of what was seen.
func (s *Stats) Quantile(q float64) time.Duration {
	return min(max(s.RT.Quantile(q), s.RTMin), s.RTMax)
}
