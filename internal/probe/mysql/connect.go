package mysql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

// connect logs in, once.
func (s *server) connect(ctx context.Context) (time.Duration, error) {
	s.locate(ctx)
	target := s.target
	if s.throughAdmin {
		target.Address = net.JoinHostPort(target.Host(), strconv.Itoa(target.AdminPort))
	}
	return s.login(ctx, target, s.patience())
}

// otherDoor says that the administrators' port is known and not yet in use. It is
// not used from the beginning: MariaDB has room for a single connection there
// (extra_max_connections), which may be the one that an administrator needs.
func (s *server) otherDoor() bool {
	return !s.throughAdmin && s.target.AdminPort > 0 && s.target.Network == "tcp"
}

// patience is how long an answer is waited for.
func (s *server) patience() time.Duration {
	if s.otherDoor() {
		return s.limits.deadline
	}
	return s.limits.patience
}

// tryAdmin looks once more, through the administrators' port, when the ordinary
// one was barred. There rtrail stays until the connection is lost: who waits for a
// thread of a pool with all others sees the pool only when it is not stuck.
func (s *server) tryAdmin(ctx context.Context, edge bool, barred error) error {
	s.hangUp()
	s.throughAdmin = true
	err := s.lookOnce(ctx, edge)
	if err == nil {
		return nil
	}
	s.throughAdmin = false
	port := s.target.AdminPort
	if kind, _ := mysqlconn.Classify(err); kind == mysqlconn.Denied {
		s.target.AdminPort = 0 // a second try would be denied as well
	}
	return fmt.Errorf("%w; the administrators' port %d: %s", barred, port, mysqlconn.Text(err))
}

// barred says that a server is there and has no room: all connections are taken,
// or all threads that would answer a login or a statement, as in a thread pool
// that is stuck. Another port of it may have both to spare.
func barred(err error) bool {
	if err == nil {
		return false
	}
	_, unreached := errors.AsType[*unreachable](err)
	kind, _ := mysqlconn.Classify(err)
	return kind == mysqlconn.Full || kind == mysqlconn.Timeout && !unreached
}

// locate finds the server's process before the first login: a server that never
// answers has one, too.
func (s *server) locate(ctx context.Context) {
	if s.located {
		return
	}
	s.located = true
	ctx, cancel := context.WithTimeout(ctx, s.limits.deadline)
	defer cancel()
	if pid := s.target.Locate(ctx, s.options.Proc); pid > 0 {
		s.mu.Lock()
		s.state.PID = pid
		s.mu.Unlock()
	}
}

func (s *server) login(ctx context.Context, t mysqlconn.Target, patience time.Duration) (time.Duration, error) {
	p := &mysqlconn.Progress{}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.do(ctx, "the login", p, func(ctx context.Context) (err error) {
		s.link, err = s.dial(ctx, t, p)
		if err != nil {
			s.link = nil
			if kind, _ := mysqlconn.Classify(err); kind == mysqlconn.Timeout && !p.Dialed() {
				err = &unreachable{err, patience}
			}
		}
		return err
	})
}

// unreachable is a timeout before the server's host took the connection.
type unreachable struct {
	err    error
	waited time.Duration
}

func (e *unreachable) Error() string { return fmt.Sprintf("no connection within %v", e.waited) }
func (e *unreachable) Unwrap() error { return e.err }

// hangUp closes the connection without a word.
func (s *server) hangUp() {
	if s.link != nil {
		s.link.Abort()
		s.link = nil
		s.own.closed()
	}
	s.mu.Lock()
	s.state.Connection = 0
	s.mu.Unlock()
}

// failed notes why the connection is lost or was not made, and when to try again.
func (s *server) failed(err error) {
	s.hangUp()
	s.throughAdmin = false
	now := time.Now()
	kind, code := mysqlconn.Classify(err)
	state := recording.ServerGone
	timedOut, unreached := errors.AsType[*unreachable](err)
	switch {
	case unreached || kind == mysqlconn.Unreachable:
		state = recording.ServerUnreachable
	case kind == mysqlconn.Timeout:
		state = recording.ServerStalled
	case kind == mysqlconn.Denied:
		state = recording.ServerDenied
	case kind == mysqlconn.Full:
		state = recording.ServerFull
	case kind == mysqlconn.NoTLS, kind == mysqlconn.NotMySQL, kind == mysqlconn.Withheld:
		// Whatever it said before: it says what no server does, or more than is read.
		state = recording.ServerMisnamed
	}
	text := mysqlconn.Text(err)
	if unreached {
		text = timedOut.Error()
	}
	if state == recording.ServerStalled && s.link == nil && s.about.version == "" {
		text += s.doubt()
	}
	pause := s.limits.pause(s.failures)
	s.failures++
	s.notBefore = now.Add(pause)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.State, s.state.Error, s.state.Code = state, text, int32(code)
	s.state.Skipped = fmt.Sprintf("everything: the next try is %v after the last one", pause)
	switch state {
	case recording.ServerStalled:
		if s.since.IsZero() {
			s.since = s.began
		}
	default:
		s.since = time.Time{}
	}
	if state == recording.ServerMisnamed {
		s.denied = true // it will be so at every try
		s.state.Skipped = "everything: a second try would end in the same way"
		how := mysqlconn.Remedy(text)
		if kind == mysqlconn.Withheld && s.target.Found {
			how = s.target.NameIt()
		}
		s.notes.add("the server at "+s.target.Name, text, how)
	}
	if state == recording.ServerDenied {
		// Trying again would count against this host, up to max_connect_errors.
		s.denied = true
		s.state.Skipped = "everything: a second try would count against this host (max_connect_errors)"
		from := "with the password of " + s.target.From
		if strings.HasPrefix(s.target.From, mysqlconn.NoPassword) {
			from = s.target.From
		}
		s.notes.add("the server at "+s.target.Name, text+", "+from, "name a user who may: --mysql USER@HOST:PORT, with the password in ~/.my.cnf")
	}
}
