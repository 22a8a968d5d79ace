package watch

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"rtrail/internal/report"
)

// Fault is a fault that is there, was told of, or may be one. Its JSON form is kept across
// restarts.
type Fault struct {
	ID    string       `json:"id"`
	Cause Key          `json:"cause"` // that was told, or would be
	About report.Brief `json:"about"` // of the window in which it cost most
	Cost  float64      `json:"cost"`  // in that window: the weight of the finding
	// Members are the cause, and what it explained when it was seen last.
	Members []Key `json:"members"`
	// Since is when the first window begins that has it, Last when the last one ends.
	Since time.Time `json:"since"`
	Last  time.Time `json:"last"`
	Times int       `json:"times"` // how often it was told that it began
	Open  bool      `json:"open"`  // its beginning was told, and not its end
	// Changes is how often it was told since then that it has another cause.
	Changes int `json:"changes"`

	seen     int       // successive windows that have it, until it is told
	missed   int       // successive judged windows that do not have it
	judged   time.Time // end of the last window in which it was seen or could have been
	next     *Seen     // another cause, that successive windows have
	nextSeen int
	under    *Seen // what explained it in the last window
}

// told says whether anybody knows of it.
func (f *Fault) told() bool { return f.Times > 0 }

// newFault is one that was seen for the first time.
func newFault(host string, s Seen, w Window) *Fault {
	sum := sha256.Sum256([]byte(host + "\x00" + s.Key.Rule + "\x00" + s.Key.Subject + "\x00" + w.From.UTC().Format(time.RFC3339Nano)))
	f := &Fault{ID: hex.EncodeToString(sum[:6]), Since: w.From, judged: w.To}
	f.becomes(s)
	return f
}

// becomes gives it a cause, as it was seen.
func (f *Fault) becomes(s Seen) {
	f.Cause, f.About, f.Cost = s.Key, s.About, s.Weight
	f.next, f.nextSeen = nil, 0
	f.Members = append([]Key{s.Key}, s.Explains...)
}

// hasMember says whether a finding was the cause or explained by it.
func (f *Fault) hasMember(k Key) bool { return slices.Contains(f.Members, k) }

// isSeen says that a window has the fault, by this finding.
func (f *Fault) isSeen(s Seen, w Window) {
	if !f.Open && f.seen == 0 {
		f.Since = w.From
	}
	f.seen++
	f.missed, f.Last, f.judged, f.under = 0, w.To, w.To, nil
	if !f.Open {
		f.becomes(s)
		return
	}
	if s.Key == f.Cause {
		if s.Weight < f.Cost {
			s.About, s.Weight = f.About, f.Cost
		}
		f.becomes(s)
		return
	}
	if f.next == nil || f.next.Key != s.Key {
		f.nextSeen = 0
	}
	f.nextSeen++
	f.next = &s
}

// isMissed says that a judged window does not have the fault on its own: not at all, or as a
// consequence of another one.
func (f *Fault) isMissed(w Window, under *Seen) {
	f.seen, f.next, f.nextSeen = 0, nil, 0
	f.missed++
	f.judged, f.under = w.To, under
}

// patience is how many windows in a row it has to be missed to be over.
func (f *Fault) patience(step time.Duration) int { return doubled(endAfter, f.Times-1, step) }

// certainty is how many windows in a row have to have another cause before that is told.
func (f *Fault) certainty(step time.Duration) int { return doubled(confirm, f.Changes, step) }

// doubled is a number of windows, doubled some times, up to as many as flapping takes.
func doubled(windows, times int, step time.Duration) int {
	longest := max(windows, int(flapping/step))
	for ; times > 0 && windows < longest; times-- {
		windows *= 2
	}
	return min(windows, longest)
}
