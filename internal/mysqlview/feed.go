package mysqlview

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"rtrail/internal/packet/rt"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

const (
	// kept is how much evidence a feed keeps: enough for the lists of a full
	// screen, and for two readings of what is read every ten seconds.
	kept = 30 * time.Second
	// recent is the window of lists: long enough to hold several looks, short
	// enough to be about now.
	recent = 10 * time.Second
)

// Feed takes the samples of a run, keeps the last ones, and makes rows of
// them. It is the sink of a probe.Runner. A run may last for days: what is
// older than half a minute is forgotten.
type Feed struct {
	// Server is what rows name before the first look. The first server of the
	// evidence is the one that is shown.
	Server string
	// Local says whether the server's host is this one.
	Local func(*recording.MySQLServer) bool
	// Every is the time between two looks; 0: a second. Of longer ones three are
	// kept, whatever their length.
	Every time.Duration
	// Packets gives the response times since it was asked last; nil without a
	// capture.
	Packets func() *rt.Stats

	mu         sync.Mutex
	rec        *recording.Recording
	began      time.Time
	looks      []time.Time // at the server, that are still kept
	hosts      []time.Time // samples of the host that are still kept
	looked     chan struct{}
	state      string
	since      time.Time
	statements *statementSums
	rowAt      time.Time // the row made last
	hostAt     time.Time // the sample of the host in it
}

// NewFeed makes one.
func NewFeed(server string, m recording.Manifest) *Feed {
	return &Feed{Server: server, rec: recording.New(m), began: time.Now(), looked: make(chan struct{}, 1), statements: newStatementSums()}
}

func (f *Feed) kept() time.Duration   { return max(kept, 3*f.Every) }
func (f *Feed) recent() time.Duration { return max(recent, 5*f.Every/2) }

// Looked receives after every look at the server.
func (f *Feed) Looked() <-chan struct{} { return f.looked }

// Commit implements recording.Sink.
func (f *Feed) Commit(w *recording.Writer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	before, cpus := f.rec.Count(recording.MySQLServers), f.rec.Count(recording.System)
	if err := f.rec.Commit(w); err != nil {
		return err
	}
	if f.rec.Count(recording.System) > cpus {
		rows := recording.Rows[recording.SystemSample](f.rec)
		f.hosts = append(f.hosts, rows[len(rows)-1].At)
	}
	rows := recording.Rows[recording.MySQLServer](f.rec)
	if len(rows) == before {
		return nil
	}
	last := rows[len(rows)-1]
	f.Server = last.Server
	f.looks = append(f.looks, last.At)
	f.follow(&last)
	f.statements.add(f.rec, f.Server)
	if last.At.Sub(f.began) > 2*f.kept() {
		f.forget(last.At.Add(-f.kept()))
	}
	select {
	case f.looked <- struct{}{}:
	default:
	}
	return nil
}

// follow keeps since when the server is in its state.
func (f *Feed) follow(last *recording.MySQLServer) {
	switch {
	case last.State == recording.ServerAnswers:
		f.since = time.Time{}
	case last.State != f.state || f.since.IsZero():
		f.since = last.At.Add(-max(last.Waited, 0))
	}
	f.state = last.State
}

// forget drops what is older.
func (f *Feed) forget(before time.Time) {
	f.rec.Forget(before)
	older := func(t time.Time) bool { return t.Before(before) }
	f.began = before
	f.looks, f.hosts = slices.DeleteFunc(f.looks, older), slices.DeleteFunc(f.hosts, older)
}

// HostSampled says whether the host was read about as often as the server; a
// reading that belongs to the last look may still be under way.
func (f *Feed) HostSampled() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.hosts) == 0 || len(f.looks) == 0 {
		return false
	}
	return f.hosts[len(f.hosts)-1].Sub(f.looks[len(f.looks)-1]) > -200*time.Millisecond
}

// Row makes the row of the last look; ok is false when there was none since it
// was asked last, or only the first one, before which no rates are.
func (f *Feed) Row() (row Row, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.row()
}

func (f *Feed) row() (row Row, ok bool) {
	row = unknownRow()
	row.Server = f.Server
	n := len(f.looks)
	if n == 0 || f.looks[n-1].Equal(f.rowAt) {
		return row, false
	}
	from := f.looks[max(n-2, 0)]
	now := time.Now()
	v := view.New(f.rec, from, now)
	servers := v.MySQLServers()
	if len(servers) == 0 {
		return row, false
	}
	s := servers[0]
	row.fillServer(s, v.PoolGroupsOf(s.Server))
	row.At, row.Since = s.Looks[len(s.Looks)-1].At, f.since
	if row.State == recording.ServerAnswers && n < 2 {
		return row, false // rates need two looks
	}
	if math.IsNaN(row.History) && row.Answers() {
		// InnoDB's status is read less often on a busy server.
		row.History = f.history(row.At.Add(-f.recent()))
	}
	if row.Answers() { // channels are read less often than the rest
		row.Blockers = f.blockersNow(s.Server, row.At)
		row.LockWaiters = f.lockWaiters(&row)
		row.Replicas = view.New(f.rec, row.At.Add(-f.recent()), now).ReplicasOf(s.Server)
	}
	f.rowAt = f.looks[n-1]
	f.beside(&row, s)
	return row, true
}

// history is the last known one.
func (f *Feed) history(since time.Time) float64 {
	for _, r := range slices.Backward(recording.Rows[recording.MySQLInnoDB](f.rec)) {
		if r.At.Before(since) {
			break
		}
		if r.Server == f.Server && r.History >= 0 {
			return float64(r.History)
		}
	}
	return math.NaN()
}

// beside adds the host and the packets.
func (f *Feed) beside(row *Row, s *view.MySQLServer) {
	// A sample that was in the row before says nothing about this interval: the
	// look at the end of a run may come without one.
	if n := len(f.hosts); n > 0 && f.hosts[n-1].After(f.hostAt) && (f.Local == nil || f.Local(&s.MySQLServer)) {
		// The CPUs are read some moments before or after the server.
		from := f.hosts[max(n-2, 0)].Add(-10 * time.Millisecond)
		row.fillHost(view.New(f.rec, from, time.Now()))
		f.hostAt = f.hosts[n-1]
	}
	if f.Packets != nil {
		row.fillPackets(f.Packets())
	}
}

// HostKnown says whether the numbers of the host belong to the server.
func (f *Feed) HostKnown() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	rows := recording.Rows[recording.MySQLServer](f.rec)
	return len(rows) > 0 && (f.Local == nil || f.Local(&rows[len(rows)-1]))
}

// Unseen are the probe's notes about what it could not read of the server.
func (f *Feed) Unseen() []recording.UnseenNote {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []recording.UnseenNote
	for _, u := range recording.Rows[recording.UnseenNote](f.rec) {
		if u.Probe == "mysql" {
			list = append(list, u)
		}
	}
	return list
}

// Unlooked says whether no look is expected although none is under way: a server
// that was slow is left alone for a while, and a sample may have failed.
func (f *Feed) Unlooked() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == recording.ServerSlow {
		return true
	}
	for _, r := range slices.Backward(recording.Rows[recording.ProbeRun](f.rec)) {
		if r.Probe == "mysql" {
			return r.Error != ""
		}
	}
	return false
}

// Silent makes a row for a look that did not come back.
func (f *Feed) Silent(at time.Time) Row {
	f.mu.Lock()
	defer f.mu.Unlock()
	row := unknownRow()
	row.At, row.Server = at, f.Server
	if n := len(f.looks); n > 0 {
		row.Since = f.looks[n-1]
	} else {
		row.Since = f.began
	}
	runs := recording.Rows[recording.ProbeRun](f.rec)
	for _, r := range slices.Backward(runs) {
		if r.Probe == "mysql" && r.Error != "" {
			row.Error = r.Error
			break
		}
	}
	return row
}

// Statements are those of the whole run.
func (f *Feed) Statements() Statements {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.statements.all()
	all.Awaited = all.Sampled && all.Missed == 0 && f.digestsRead() == 1
	return all
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
