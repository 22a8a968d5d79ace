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

// connect logs in, once. false: the server's state says why not.
func (s *server) connect(ctx context.Context) (took time.Duration, ok bool) {
	s.locate(ctx)
	otherDoor := s.target.AdminPort > 0 && s.target.Network == "tcp"
	patience := s.limits.patience
	if otherDoor {
		patience = s.limits.deadline
	}
	took, err := s.login(ctx, s.target, patience)
	if otherDoor && barred(err) {
		through := s.target
		through.Address = net.JoinHostPort(s.target.Host(), strconv.Itoa(s.target.AdminPort))
		var adminErr error
		took, adminErr = s.login(ctx, through, s.limits.patience)
		if adminErr == nil {
			err = nil
		} else {
			err = fmt.Errorf("%w; the administrators' port %d: %s", err, s.target.AdminPort, mysqlconn.Text(adminErr))
		}
	}
	if err != nil {
		s.failed(err)
		return took, false
	}
	return took, true
}

// barred says that a server is there and cannot take one more: all connections
// are taken, or all threads that would answer a login, as in a thread pool that
// is stuck. Another port of it may have both to spare.
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

// failed notes why the connection is lost or was not made, and when to try again.
func (s *server) failed(err error) {
	if s.link != nil {
		s.link.Abort()
		s.link = nil
	}
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
	}
	text := mysqlconn.Text(err)
	if unreached {
		text = timedOut.Error()
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
			s.since = now.Add(-s.limits.patience)
		}
	default:
		s.since = time.Time{}
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
