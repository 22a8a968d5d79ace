package mysqlview

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// Frame is what a full screen shows of one moment: lists over the last
// seconds, beside the rows.
type Frame struct {
	At         time.Time
	Server     string
	Flavor     string
	Version    string
	Uptime     time.Duration // Unknown
	Window     float64       // seconds the lists are about
	Statements Statements
	Blockers   []view.MySQLBlocker
	Sessions   []recording.MySQLSession // of the last look, the longest first
	States     []view.MySQLState
	Pool       []view.MySQLPoolGroup
	Errors     []view.MySQLErrorRate
	Replicas   []recording.MySQLReplica
	Own        float64 // seconds of rtrail's own queries, per second
	OwnKnown   bool
	Skipped    string // what was not read, and why
}

// locksShown is how long a wait for a lock stays on the screen: two looks or so.
const locksShown = 2500 * time.Millisecond

// lastDigests are the last two readings of the statements, which are read less
// often than the rest.
func (f *Feed) lastDigests() (from, to time.Time, ok bool) {
	rows := recording.Rows[recording.MySQLStatement](f.rec)
	if len(rows) == 0 {
		return from, to, false
	}
	to = rows[len(rows)-1].At
	for _, r := range slices.Backward(rows) {
		if r.At.Before(to) {
			return r.At, to, true
		}
	}
	return from, to, false
}

// digestsRead is how often the statements were read lately, also if there was
// nothing to write down.
func (f *Feed) digestsRead() (n int) {
	for _, r := range recording.Rows[recording.MySQLServer](f.rec) {
		if slices.Contains(strings.Split(r.Collected, ","), "statements") {
			n++
		}
	}
	return n
}

// Frame makes one of the last seconds.
func (f *Feed) Frame() Frame {
	f.mu.Lock()
	defer f.mu.Unlock()
	frame := Frame{At: f.began, Server: f.Server, Uptime: recording.Unknown}
	if len(f.looks) == 0 {
		return frame
	}
	last := f.looks[len(f.looks)-1]
	v := view.New(f.rec, last.Add(-f.recent()), time.Now())
	servers := v.MySQLServers()
	if len(servers) == 0 {
		return frame
	}
	s := servers[0]
	frame.At, frame.Flavor, frame.Version, frame.Uptime = s.At, s.Flavor, s.Version, s.Uptime
	frame.Window = view.Elapsed(s.Looks).Seconds()
	frame.Skipped = s.Skipped
	frame.Statements = StatementsOf(v, s.Server)
	if from, to, ok := f.lastDigests(); ok {
		frame.Statements = StatementsOf(view.New(f.rec, from, to), s.Server)
	}
	if frame.Statements.Sampled && frame.Statements.Missed == 0 {
		switch f.digestsRead() {
		case 0:
		case 1:
			frame.Statements.Awaited = true
		default:
			// Nothing grew between two readings: nobody executed anything.
			frame.Statements = Statements{List: []Statement{}, Seconds: frame.Window}
		}
	}
	frame.Blockers = f.blockers(s.Server, last)
	frame.States, _ = v.StatesOf(s.Server)
	frame.Pool = v.PoolGroupsOf(s.Server)
	frame.Errors = v.ErrorsOf(s.Server)
	frame.Replicas = v.ReplicasOf(s.Server)
	frame.Own, frame.OwnKnown = s.OwnQueryTime()
	if looks := v.SessionsOf(s.Server); len(looks) > 0 && s.Answered() {
		now := looks[len(looks)-1]
		if last.Sub(now[0].At) < time.Second/2 { // else the last look had none
			frame.Sessions = slices.Clone(now)
			slices.SortStableFunc(frame.Sessions, func(a, b recording.MySQLSession) int { return cmp.Compare(b.For, a.For) })
		}
	}
	if math.IsNaN(frame.Own) {
		frame.OwnKnown = false
	}
	return frame
}

// blockersNow are those who hold others up at the last look. A dear look at locks is
// left out now and then, while sessions still wait: then it is those of the look before.
func (f *Feed) blockersNow(server string, last time.Time) []view.MySQLBlocker {
	if now := view.New(f.rec, last, time.Now()).BlockersOf(server); len(now) > 0 || f.nobodyWaits(last) {
		return now
	}
	return f.blockers(server, last)
}

// nobodyWaits says whether a look saw all sessions and transactions, and none of them
// waits for a lock.
func (f *Feed) nobodyWaits(look time.Time) bool {
	if !f.collected(look, "sessions") || !f.collected(look, "transactions") {
		return false
	}
	for _, s := range recording.Rows[recording.MySQLSession](f.rec) {
		if s.At.Equal(look) && (s.State == "User lock" || strings.HasPrefix(s.State, "Waiting for") && strings.Contains(s.State, "lock")) {
			return false
		}
	}
	for _, t := range recording.Rows[recording.MySQLTransaction](f.rec) {
		if t.At.Equal(look) && t.State == "LOCK WAIT" {
			return false
		}
	}
	return true
}

// collected says whether a look read something.
func (f *Feed) collected(look time.Time, what string) bool {
	for _, r := range slices.Backward(recording.Rows[recording.MySQLServer](f.rec)) {
		if r.At.Equal(look) {
			return slices.Contains(strings.Split(r.Collected, ","), what)
		}
	}
	return false
}

// lockWaiters is how many sessions wait for a lock: by the looks at locks, or by the
// status where it counts more, for the account may not see all. NaN if neither tells.
func (f *Feed) lockWaiters(r *Row) float64 {
	n := 0
	for i := range r.Blockers {
		n += len(r.Blockers[i].Victims)
	}
	seen := float64(n)
	if n == 0 && !f.collected(r.At, "sessions") {
		seen = math.NaN()
	}
	if math.IsNaN(seen) || r.RowLocksWaiting > seen {
		return r.RowLocksWaiting
	}
	return seen
}

// blockers are those who held others up at the last looks at locks.
func (f *Feed) blockers(server string, last time.Time) []view.MySQLBlocker {
	return view.New(f.rec, last.Add(-max(locksShown, 3*f.Every/2)), time.Now()).BlockersOf(server)
}
