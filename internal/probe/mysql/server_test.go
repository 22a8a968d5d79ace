package mysql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

// hasty is how patient tests are.
var hasty = limits{deadline: 50 * time.Millisecond, patience: 300 * time.Millisecond, firstPause: 40 * time.Millisecond, longestPause: 80 * time.Millisecond}

// watch makes a probe of one server with little patience.
func watch(t *testing.T, target mysqlconn.Target, d dialer) *Probe {
	t.Helper()
	p := New([]mysqlconn.Target{target}, nil, Options{Proc: t.TempDir()})
	p.servers[0].limits = hasty
	if d != nil {
		p.servers[0].dial = d
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// sample takes a sample with a deadline of its own, and says how long it took.
func sample(t *testing.T, p *Probe) (*recording.Recording, time.Duration) {
	t.Helper()
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(time.Now())
	ctx, cancel := context.WithTimeout(t.Context(), margin+100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := p.Sample(ctx, w); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return rec, took
}

// states takes samples, and gives what they say of the server.
func states(t *testing.T, p *Probe, n int, apart time.Duration) (list []recording.MySQLServer, notes []recording.UnseenNote) {
	t.Helper()
	for range n {
		rec, took := sample(t, p)
		if took > 400*time.Millisecond {
			t.Errorf("a sample took %v", took)
		}
		list = append(list, recording.Rows[recording.MySQLServer](rec)...)
		notes = append(notes, recording.Rows[recording.UnseenNote](rec)...)
		time.Sleep(apart)
	}
	return list, notes
}

// listener takes connections and does something with each.
func listener(t *testing.T, do func(net.Conn)) (mysqlconn.Target, *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	var taken atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			taken.Add(1)
			go do(c)
		}
	}()
	address := l.Addr().String()
	return mysqlconn.Target{Network: "tcp", Address: address, Name: address, User: "u", Password: "hunter2", TLS: mysqlconn.TLSOff, From: "the test"}, &taken
}

func TestServerThatTakesConnectionsAndNeverAnswers(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	target, taken := listener(t, func(c net.Conn) { <-hold; c.Close() })
	list, _ := states(t, watch(t, target, nil), 4, 60*time.Millisecond)
	if len(list) == 0 {
		t.Fatal("nothing is said about the server")
	}
	for i, s := range list {
		if s.State != recording.ServerStalled || s.Waited < hasty.deadline || s.Port <= 0 {
			t.Errorf("row %d: %+v", i, s)
		}
	}
	if last := list[len(list)-1]; last.Waited <= list[0].Waited {
		t.Errorf("the wait does not grow: %v, %v", list[0].Waited, last.Waited)
	}
	// Patience is six deadlines, and a pause follows: there is at most one more.
	if n := taken.Load(); n > 2 {
		t.Errorf("%d connections to a server that does not answer", n)
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	target, _ := listener(t, func(net.Conn) {})
	target.Address, target.ClientUser = "127.0.0.1:1", "lab"
	list, _ := states(t, watch(t, target, nil), 2, 0)
	if len(list) != 2 || list[0].User != "lab" || list[0].State != recording.ServerUnreachable || !strings.Contains(list[0].Error, "refused") || list[0].Waited != 0 {
		t.Errorf("%+v", list)
	}
}

// What is said of a login that is under way, before it is given up.
func TestWordsForALoginThatHangs(t *testing.T) {
	dialed := func(_ context.Context, t mysqlconn.Target, p *mysqlconn.Progress) (link, error) {
		return dial(context.Background(), t, p)
	}
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	silent, _ := listener(t, func(c net.Conn) { <-hold; c.Close() })
	for name, x := range map[string]struct {
		target mysqlconn.Target
		dial   dialer
		says   string
		not    string
	}{
		"a SYN": {mysqlconn.Target{Network: "tcp", Address: "192.0.2.1:3306", Name: "db", User: "u"},
			func(ctx context.Context, _ mysqlconn.Target, _ *mysqlconn.Progress) (link, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}, "no answer to the SYN", "login"},
		"somebody silent": {silent, dialed, "another service may listen there", "SYN"},
	} {
		list, _ := states(t, watch(t, x.target, x.dial), 2, 10*time.Millisecond)
		if len(list) == 0 || !strings.Contains(list[0].Error, x.says) || strings.Contains(list[0].Error, x.not) {
			t.Errorf("%s: %+v; want it to say %q", name, list, x.says)
		}
	}
}

func TestNetworkThatDrops(t *testing.T) { synctest.Test(t, testNetworkThatDrops) }

func testNetworkThatDrops(t *testing.T) {
	target := mysqlconn.Target{Network: "tcp", Address: "192.0.2.1:3306", Name: "db", User: "u"}
	list, _ := states(t, watch(t, target, func(ctx context.Context, _ mysqlconn.Target, _ *mysqlconn.Progress) (link, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}), 6, 60*time.Millisecond)
	if len(list) < 3 {
		t.Fatalf("%d rows", len(list))
	}
	for _, s := range list {
		if s.State != recording.ServerUnreachable {
			t.Errorf("%+v", s)
		}
	}
}

func TestSomethingElseListens(t *testing.T) {
	target, _ := listener(t, func(c net.Conn) { fmt.Fprint(c, "\x15\x00\x00\x00SSH-2.0-OpenSSH_9.2p1\r\n"); c.Close() })
	list, _ := states(t, watch(t, target, nil), 1, 0)
	if len(list) != 1 || list[0].State != recording.ServerMisnamed || !strings.Contains(list[0].Error, "SSH-2.0") {
		t.Errorf("%+v", list)
	}
}

func refuse(number uint16, message string, calls *atomic.Int32) dialer {
	return func(_ context.Context, t mysqlconn.Target, _ *mysqlconn.Progress) (link, error) {
		calls.Add(1)
		return nil, fmt.Errorf("log in at %s: %w", t.Name, &driver.MySQLError{Number: number, Message: message})
	}
}

func TestWrongPasswordIsTriedOnce(t *testing.T) { synctest.Test(t, testWrongPasswordIsTriedOnce) }

func testWrongPasswordIsTriedOnce(t *testing.T) {
	var calls atomic.Int32
	target := mysqlconn.Target{Network: "tcp", Address: "192.0.2.1:3306", Name: "db:3306", User: "u", Password: "hunter2", From: "/root/.my.cnf"}
	p := watch(t, target, refuse(1045, "Access denied for user 'u'@'h' (using password: YES)", &calls))
	list, notes := states(t, p, 4, 100*time.Millisecond)
	if len(list) != 4 || list[3].State != recording.ServerDenied || list[3].Code != 1045 {
		t.Errorf("%+v", list)
	}
	if calls.Load() != 1 {
		t.Errorf("%d logins with a wrong password", calls.Load())
	}
	if len(notes) == 0 || !strings.Contains(notes[0].Why, "/root/.my.cnf") || strings.Contains(fmt.Sprint(notes, list), "hunter2") {
		t.Errorf("notes: %+v", notes)
	}
}

// A server that nobody named and that does not let rtrail in has no fault.
func TestFoundServerThatDenies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		p := watch(t, mysqlconn.Target{Network: "unix", Address: "/m.sock", Name: "/m.sock", User: "root", Found: true}, refuse(1698, "Access denied", &calls))
		list, notes := states(t, p, 2, 0)
		if len(list) != 0 || len(notes) == 0 {
			t.Errorf("rows %+v, notes %+v", list, notes)
		}
	})
}

func TestFullServerIsAskedThroughTheAdministratorsPort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		target := mysqlconn.Target{Network: "tcp", Address: "192.0.2.1:3306", Name: "db:3306", User: "u"}
		p := watch(t, target, refuse(1040, "Too many connections", &calls))
		list, _ := states(t, p, 1, 0)
		if len(list) != 1 || list[0].State != recording.ServerFull || list[0].Code != 1040 || calls.Load() != 1 {
			t.Errorf("%d logins, %+v", calls.Load(), list)
		}
		target.AdminPort = 33062
		full := refuse(1040, "Too many connections", &calls)
		answers := readTape(t, "testdata/looks/mysql-9-locks.txt")
		p = watch(t, target, func(ctx context.Context, t mysqlconn.Target, progress *mysqlconn.Progress) (link, error) {
			if t.Address == "192.0.2.1:33062" {
				return answers, nil
			}
			return full(ctx, t, progress)
		})
		list, _ = states(t, p, 1, 0)
		if len(list) != 1 || list[0].State != recording.ServerAnswers || list[0].Server != "db:3306" {
			t.Errorf("%+v", list)
		}
	})
}

func TestStuckServerIsAskedThroughTheAdministratorsPort(t *testing.T) {
	// The kernel takes the connection, and no thread of the server greets it.
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	target, taken := listener(t, func(c net.Conn) { <-hold; c.Close() })
	target.AdminPort = 33062
	answers := readTape(t, "testdata/looks/mysql-9-locks.txt")
	p := watch(t, target, func(ctx context.Context, t mysqlconn.Target, progress *mysqlconn.Progress) (link, error) {
		if strings.HasSuffix(t.Address, ":33062") {
			return answers, nil
		}
		return dial(ctx, t, progress)
	})
	list, _ := states(t, p, 4, hasty.deadline)
	if len(list) == 0 || list[len(list)-1].State != recording.ServerAnswers || list[len(list)-1].Server != target.Name {
		t.Errorf("%+v", list)
	}
	if n := taken.Load(); n != 1 {
		t.Errorf("%d logins at the port that does not answer", n)
	}
}

// A pool that has a thread for the login may have none for the next statement.
func TestStatementThatIsStuckIsAskedThroughTheAdministratorsPort(t *testing.T) {
	synctest.Test(t, testStatementThatIsStuckIsAskedThroughTheAdministratorsPort)
}

func testStatementThatIsStuckIsAskedThroughTheAdministratorsPort(t *testing.T) {
	for _, refused := range []error{nil, &driver.MySQLError{Number: 1045, Message: "Access denied for user 'u'@'h'"}} {
		answers := readTape(t, "testdata/looks/mysql-9-locks.txt")
		var mood atomic.Value
		var aborts, ordinary, admin atomic.Int32
		p := watch(t, mysqlconn.Target{Network: "tcp", Address: "192.0.2.1:3306", Name: "db:3306", User: "u", AdminPort: 33062},
			func(_ context.Context, t mysqlconn.Target, _ *mysqlconn.Progress) (link, error) {
				if t.Address == "192.0.2.1:3306" {
					ordinary.Add(1)
					return &moody{tape: answers, mood: &mood, aborts: &aborts}, nil
				}
				admin.Add(1)
				return answers, refused
			})
		if list, _ := states(t, p, 1, 0); len(list) != 1 || list[0].State != recording.ServerAnswers || admin.Load() != 0 {
			t.Fatalf("%d logins at the administrators' port, %+v", admin.Load(), list)
		}
		mood.Store(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		list, _ := states(t, p, 6, 2*hasty.deadline)
		last := list[len(list)-1]
		if refused == nil && (last.State != recording.ServerAnswers || ordinary.Load() != 1 || aborts.Load() != 1) {
			t.Errorf("%d logins at the ordinary port, %d aborted, %+v", ordinary.Load(), aborts.Load(), last)
		}
		if refused != nil && last.State != recording.ServerStalled {
			t.Errorf("both ports are closed: %+v", last)
		}
		if admin.Load() != 1 {
			t.Errorf("%d logins at the administrators' port, %v", admin.Load(), refused)
		}
	}
}

// moody is a server that answers, until its mood changes.
type moody struct {
	*tape
	mood   *atomic.Value // of func(context.Context) error, nil: answers
	aborts *atomic.Int32
	again  atomic.Int32 // packets sent again
}

func (m *moody) Unacknowledged() int { return int(m.again.Load()) }

func (m *moody) Ping(ctx context.Context) error {
	if f, ok := m.mood.Load().(func(context.Context) error); ok && f != nil {
		return f(ctx)
	}
	return nil
}
func (m *moody) Abort() { m.aborts.Add(1) }

func TestServerThatStallsAndComesBack(t *testing.T) {
	synctest.Test(t, testServerThatStallsAndComesBack)
}

func testServerThatStallsAndComesBack(t *testing.T) {
	var mood atomic.Value
	var aborts, logins atomic.Int32
	frozen := make(chan struct{})
	answers := readTape(t, "testdata/looks/mariadb-10.11-locks.txt")
	var m *moody
	p := watch(t, mysqlconn.Target{Network: "unix", Address: "/m.sock", Name: "/m.sock", User: "u"},
		func(context.Context, mysqlconn.Target, *mysqlconn.Progress) (link, error) {
			logins.Add(1)
			m = &moody{tape: answers, mood: &mood, aborts: &aborts}
			return m, nil
		})
	list, _ := states(t, p, 1, 0)
	if len(list) != 1 || list[0].State != recording.ServerAnswers || list[0].Flavor != "MariaDB" {
		t.Fatalf("%+v", list)
	}
	mood.Store(func(ctx context.Context) error {
		select {
		case <-frozen:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	list, _ = states(t, p, 2, 10*time.Millisecond)
	if len(list) == 0 || list[len(list)-1].State != recording.ServerStalled || list[len(list)-1].Flavor != "MariaDB" || list[len(list)-1].Waited < hasty.deadline {
		t.Fatalf("stalled: %+v", list)
	}
	m.again.Store(2)
	if list, _ = states(t, p, 1, 0); len(list) != 1 || list[0].State != recording.ServerUnreachable || !strings.Contains(list[0].Error, "again (2×)") {
		t.Fatalf("a network that drops: %+v", list)
	}
	close(frozen) // within the patience: the same connection goes on, and tells that it was slow
	time.Sleep(20 * time.Millisecond)
	list, _ = states(t, p, 1, 0)
	if len(list) != 1 || list[0].State != recording.ServerSlow || list[0].Answer < hasty.deadline || !strings.Contains(list[0].Skipped, "looks for the next") {
		t.Fatalf("back again: %+v", list)
	}
	if logins.Load() != 1 || aborts.Load() != 0 {
		t.Errorf("%d logins, %d aborted", logins.Load(), aborts.Load())
	}
	mood.Store(func(context.Context) error { return syscall.ECONNRESET })
	time.Sleep(hasty.firstPause)
	list, _ = states(t, p, 1, 0)
	if len(list) != 1 || list[0].State != recording.ServerGone {
		t.Fatalf("gone: %+v", list)
	}
	mood.Store((func(context.Context) error)(nil))
	time.Sleep(hasty.longestPause)
	list, _ = states(t, p, 1, 0)
	if len(list) != 1 || list[0].State != recording.ServerAnswers || list[0].Connect < 0 || logins.Load() != 2 {
		t.Fatalf("after %d logins: %+v", logins.Load(), list)
	}
}

// What is said of the end of the window was seen then, whatever pause is due.
func TestServerThatIsGoneIsTriedAtTheEnd(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for name, x := range map[string]struct {
		before int   // samples after the connection is lost, before the last one
		dial   error // of all logins but the first one
		state  string
		logins int32
	}{
		"the connection is lost at the end, and the server as well": {0, refused, recording.ServerUnreachable, 2},
		"the connection is lost at the end, the server is there":    {0, nil, recording.ServerAnswers, 2},
		"the server is not there since":                             {1, refused, recording.ServerUnreachable, 2},
		"the server is back":                                        {1, nil, recording.ServerAnswers, 2},
	} {
		t.Run(name, func(t *testing.T) {
			answers := readTape(t, "testdata/looks/mariadb-10.11-locks.txt")
			var mood, healthy atomic.Value
			var aborts, logins atomic.Int32
			p := watch(t, mysqlconn.Target{Network: "unix", Address: "/m.sock", Name: "/m.sock", User: "u"},
				func(context.Context, mysqlconn.Target, *mysqlconn.Progress) (link, error) {
					if logins.Add(1) == 1 {
						return &moody{tape: answers, mood: &mood, aborts: &aborts}, nil
					}
					if x.dial != nil {
						return nil, x.dial
					}
					return &moody{tape: answers, mood: &healthy, aborts: &aborts}, nil
				})
			p.servers[0].limits.firstPause, p.servers[0].limits.longestPause = time.Minute, time.Minute
			for list, _ := states(t, p, 1, 0); len(list) == 0; { // a busy machine may answer late
				list, _ = states(t, p, 1, 0)
			}
			mood.Store(func(context.Context) error { return syscall.ECONNRESET })
			states(t, p, x.before, 0)
			p.Closing()
			list, _ := states(t, p, 1, 0)
			if len(list) != 1 || list[0].State != x.state || logins.Load() != x.logins {
				t.Errorf("%d logins, %+v", logins.Load(), list)
			}
		})
	}
}

func TestStatementsThatAreRefused(t *testing.T) {
	answers := readTape(t, "testdata/looks/mysql-9-locks.txt")
	for statement := range answers.answers {
		if strings.Contains(statement, "INNODB") {
			answers.answers[statement] = []tapeAnswer{{err: &driver.MySQLError{Number: 1227, Message: "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation"}}}
		}
	}
	rec := play(t, answers, Options{})
	if n := rec.Count(recording.MySQLTransactions) + rec.Count(recording.MySQLSessions) + rec.Count(recording.MySQLStates) + rec.Count(recording.MySQLInnoDBs); n != 0 {
		t.Errorf("%d rows of what may not be seen", n)
	}
	if rec.Count(recording.MySQLStatuses) == 0 {
		t.Error("the status may be seen")
	}
	how := map[string]string{}
	for _, n := range recording.Rows[recording.UnseenNote](rec) {
		how[n.What] = n.How
	}
	for _, what := range []string{"open transactions", "sessions of other users", "the inside of InnoDB"} {
		if how[what] != "GRANT PROCESS ON *.* TO 'lab'@'%'" {
			t.Errorf("%s: %q", what, how[what])
		}
	}
	asked := 0
	for _, s := range answers.asked {
		if strings.Contains(s, "INNODB_TRX") {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("what may not be seen was asked %d times", asked)
	}
}

func TestFatalErrors(t *testing.T) {
	for err, want := range map[error]bool{
		errors.New("malformed packet"):     true,
		&absence{}:                         false,
		&driver.MySQLError{Number: 1146}:   false,
		&driver.MySQLError{Number: 1053}:   true,
		context.DeadlineExceeded:           true,
		&driver.MySQLError{Number: 3024}:   false,
		driver.ErrInvalidConn:              true,
		fmt.Errorf("x: %w", syscall.EPIPE): true,
	} {
		if got := fatal(err); got != want {
			t.Errorf("%v: fatal %v", err, got)
		}
	}
}
