package mysql

import (
	"context"
	"fmt"
	"sync"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/mysqlconn"
	"rtrail/internal/packet/fingerprint"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// link is a connection to a server.
type link interface {
	Ping(context.Context) error
	Query(context.Context, string) (*mysqlconn.Result, error)
	// QueryText is Query for an answer of one long text.
	QueryText(context.Context, string) (*mysqlconn.Result, error)
	Close()
	Abort()
	Peer(proc string) int32
	// Unacknowledged is how often the kernel has sent again what the server's
	// host has not acknowledged; 0 when everything arrived.
	Unacknowledged() int
}

type dialer func(context.Context, mysqlconn.Target, *mysqlconn.Progress) (link, error)

func dial(ctx context.Context, t mysqlconn.Target, p *mysqlconn.Progress) (link, error) {
	c, err := t.Connect(ctx, p)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// server is one server and the goroutine that asks it.
type server struct {
	target  mysqlconn.Target
	options Options
	limits  limits
	dial    dialer
	asks    chan bool // true: at an edge of the window
	ended   chan struct{}

	// Only the goroutine uses these.
	link link
	// throughAdmin says that the way in is the administrators' port.
	throughAdmin bool
	began        time.Time // of the look that is under way, or of the last one
	about        about
	words        *fingerprint.Maker
	collectors   []*schedule
	located      bool
	failures     int       // in a row
	slowLooks    int       // in a row
	notBefore    time.Time // the next look or login
	seen         memory
	slow         slowTail
	own          ownWork

	mu      sync.Mutex
	pending *recording.Writer // read and not handed over
	looked  bool              // pending tells the server's state
	busy    bool
	asked   time.Time     // when the look that is under way was wished for
	done    chan struct{} // closed when the look that is under way ends
	flight  flight
	state   recording.MySQLServer // as of the last look
	since   time.Time             // when it began not to answer
	denied  bool
	queries int64
	waited  time.Duration
	notes   notes
}

// flight is what is being waited for.
type flight struct {
	what     string
	began    time.Time
	progress *mysqlconn.Progress // of a login; nil otherwise
	link     link                // of a statement; nil otherwise
}

func newServer(t mysqlconn.Target, o Options, d dialer) *server {
	s := &server{target: t, options: o, dial: d, asks: make(chan bool, 1), ended: make(chan struct{}), words: fingerprint.New(), limits: usual,
		pending: recording.NewWriter(time.Now())}
	s.collectors = schedules(o)
	s.state = recording.MySQLServer{Server: t.Name, User: t.ClientUser, PID: recording.Unknown, Port: recording.Unknown, Uptime: recording.Unknown}
	if t.PID > 0 {
		s.state.PID = t.PID
	}
	if port := t.Port(); port > 0 {
		s.state.Port = int32(port)
	}
	return s
}

// ask wishes for a look. If one is under way, nothing happens.
func (s *server) ask(edge bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy {
		return
	}
	s.busy, s.asked, s.done = true, time.Now(), make(chan struct{})
	s.asks <- edge
}

// run looks when asked, until ctx ends.
func (s *server) run(ctx context.Context) {
	defer close(s.ended)
	for {
		select {
		case <-ctx.Done():
			if s.link != nil {
				s.link.Close()
			}
			if s.slow.tail != nil {
				_ = s.slow.tail.Close() // nothing was written to it
			}
			return
		case edge := <-s.asks:
			s.safely(func() { s.look(ctx, edge) })
			s.mu.Lock()
			s.busy, s.flight = false, flight{}
			close(s.done)
			s.mu.Unlock()
		}
	}
}

// safely turns a panic into a failed look: one strange answer must not end
// rtrail.
func (s *server) safely(look func()) {
	err := crash.Guard(func() error {
		look()
		return nil
	})
	if err != nil {
		s.failed(fmt.Errorf("reading an answer: %w", err))
	}
}

// gone waits until the goroutine has ended, but not for long.
func (s *server) gone(limit time.Duration) {
	select {
	case <-s.ended:
	case <-time.After(limit):
	}
}

// await waits for the look that is under way, unless the server has been silent
// for so long that waiting is of no use.
func (s *server) await(ctx context.Context) {
	s.mu.Lock()
	busy, done, silent := s.busy, s.done, s.silent(time.Now())
	s.mu.Unlock()
	if !busy || silent >= s.limits.deadline {
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// silent is how long an answer has been due. The caller holds mu.
func (s *server) silent(now time.Time) time.Duration {
	if s.flight.began.IsZero() {
		return 0
	}
	return now.Sub(s.flight.began)
}

// hand gives what was read to a sample, and a row about the server that does not
// answer.
func (s *server) hand(w *recording.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Take(s.pending)
	s.pending = recording.NewWriter(time.Now())
	if s.looked {
		s.looked = false
		return
	}
	if row, ok := s.silence(time.Now()); ok {
		recording.Append(w, row)
	}
}

// silence is the row about a server that has not been looked at. ok is false if
// there is nothing to say yet. The caller holds mu.
func (s *server) silence(now time.Time) (row recording.MySQLServer, ok bool) {
	row = s.state
	row.At, row.Queries, row.QueryTime = now, s.queries, s.waited
	row.Connect, row.Answer, row.Collected = recording.Unknown, recording.Unknown, ""
	if waited := s.silent(now); s.busy && waited >= s.limits.deadline {
		row.State, row.Code, row.Waited = recording.ServerStalled, 0, waited
		what := s.flight.what
		if f := s.flight.progress; f != nil && !f.Dialed() {
			row.State, what = recording.ServerUnreachable, "the request for a connection"
			if s.target.Network == "tcp" {
				what = "the SYN"
			}
		}
		row.Error = fmt.Sprintf("no answer to %s for %v", what, unit.Duration(waited.Round(100*time.Millisecond)))
		if row.State == recording.ServerStalled && s.flight.progress != nil {
			row.Error += s.doubt()
		}
		if l := s.flight.link; l != nil {
			if n := l.Unacknowledged(); n > 0 {
				row.State = recording.ServerUnreachable
				row.Error += fmt.Sprintf(": the network does not deliver, the question was sent again (%d×)", n)
			}
		}
		row.Skipped = "everything: one statement at a time, and this one is not answered"
		if !s.since.IsZero() {
			row.Waited = now.Sub(s.since)
		}
		return row, true
	}
	switch row.State {
	case recording.ServerAnswers, recording.ServerSlow, "":
		return row, false // a look is under way, or not due
	case recording.ServerDenied, recording.ServerMisnamed:
		return row, !s.target.Found
	}
	if !s.since.IsZero() {
		row.Waited = now.Sub(s.since)
	}
	return row, true
}

// doubt is a hint about a server that takes connections and has never said a
// word: it may be none of MySQL, which greets its clients before they speak.
func (s *server) doubt() string {
	if s.state.Version != "" || mysqlconn.IsServer(s.options.Proc, s.state.PID) {
		return ""
	}
	return "; a MySQL server speaks first, so another service may listen there"
}

// do sends one thing to the server and waits. It counts what that cost.
func (s *server) do(ctx context.Context, what string, p *mysqlconn.Progress, f func(context.Context) error) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	began := time.Now()
	s.mu.Lock()
	s.flight = flight{what, began, p, s.link}
	s.mu.Unlock()
	err := f(ctx)
	took := time.Since(began)
	s.mu.Lock()
	s.flight = flight{}
	if p == nil {
		s.queries++
		s.waited += took
	}
	s.mu.Unlock()
	return took, err
}

// commit hands rows over.
func (s *server) commit(w *recording.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending.Take(w)
}
