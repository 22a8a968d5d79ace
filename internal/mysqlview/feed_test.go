package mysqlview

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/rt"
	"rtrail/internal/recording"
)

// server makes the samples a probe would commit.
type server struct {
	t     *testing.T
	feed  *Feed
	now   time.Time
	state string
	err   string
	wait  time.Duration
}

func (s *server) look(status map[string]float64, more func(*recording.Writer, time.Time)) {
	s.t.Helper()
	s.now = s.now.Add(time.Second)
	w := recording.NewWriter(s.now)
	row := recording.MySQLServer{At: s.now, Server: "db1:3306", Flavor: "MySQL", Version: "9.7.4", State: s.state, Error: s.err, Waited: s.wait, PID: 7}
	recording.Append(w, row)
	for name, v := range status {
		recording.Append(w, recording.MySQLStatus{At: s.now, Server: "db1:3306", Name: name, Value: v})
	}
	if more != nil {
		more(w, s.now)
	}
	if err := s.feed.Commit(w); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) host(load float64, idle time.Duration) {
	s.t.Helper()
	at := s.now.Add(time.Second)
	w := recording.NewWriter(at)
	recording.Append(w, recording.SystemSample{At: at, Load1: load})
	recording.Append(w, recording.CPUSample{At: at, CPU: 0, Idle: idle, User: at.Sub(noon) - idle})
	if err := s.feed.Commit(w); err != nil {
		s.t.Fatal(err)
	}
}

func newServer(t *testing.T) *server {
	began := time.Now().Add(-time.Hour).Truncate(time.Second)
	return &server{t: t, feed: NewFeed("db1:3306", recording.Manifest{}), now: began, state: recording.ServerAnswers}
}

func (s *server) row(want bool) Row {
	s.t.Helper()
	row, ok := s.feed.Row()
	if ok != want {
		s.t.Fatalf("a row: %v, want %v", ok, want)
	}
	return row
}

func TestFeedRates(t *testing.T) {
	s := newServer(t)
	s.look(map[string]float64{"Uptime": 100, "Com_select": 1000, "Com_insert": 0, "Com_update": 5, "Com_delete": 0, "Threads_running": 2}, nil)
	s.row(false) // rates need two looks
	s.look(map[string]float64{"Uptime": 101, "Com_select": 1100, "Com_update": 8, "Threads_running": 3}, nil)
	row := s.row(true)
	got := []float64{row.Select, row.Update, row.Insert, row.Delete, row.Writes, row.Commands, row.Running}
	if diff := cmp.Diff([]float64{100, 3, 0, 0, 3, 103, 3}, got); diff != "" {
		t.Errorf("select, update, insert, delete, writes, all, running (-want +got):\n%s", diff)
	}
	s.row(false) // no look since
	// The first use of a command: its counter was 0 and left out.
	s.look(map[string]float64{"Uptime": 102, "Com_select": 1100, "Com_update": 8, "Com_insert": 4, "Threads_running": 3}, nil)
	if row := s.row(true); row.Insert != 4 || row.Writes != 4 {
		t.Errorf("inserts %v, writes %v; want 4 and 4", row.Insert, row.Writes)
	}
	if !math.IsNaN(row.Load1) || !math.IsNaN(row.RTMean) || !math.IsNaN(row.History) || row.Pool != nil {
		t.Errorf("numbers out of nowhere: %+v", row)
	}
}

// A server that hangs has rows that say since when; its first numbers after
// that are those of the looks around the gap.
func TestFeedStall(t *testing.T) {
	s := newServer(t)
	s.look(map[string]float64{"Uptime": 1, "Com_select": 0}, nil)
	s.look(map[string]float64{"Uptime": 2, "Com_select": 10}, nil)
	s.row(true)
	s.state, s.err, s.wait = recording.ServerStalled, "no answer", 1500*time.Millisecond
	s.look(nil, nil)
	hung := s.now.Add(-1500 * time.Millisecond)
	if row := s.row(true); !row.Since.Equal(hung) || row.State != recording.ServerStalled || !math.IsNaN(row.Select) {
		t.Errorf("row %+v, want one since %v", row, hung)
	}
	s.wait = 2500 * time.Millisecond
	s.look(nil, nil)
	if row := s.row(true); !row.Since.Equal(hung) {
		t.Errorf("since %v, want %v", row.Since, hung)
	}
	s.state, s.err, s.wait = recording.ServerAnswers, "", 0
	s.look(map[string]float64{"Uptime": 5, "Com_select": 10}, nil)
	if row := s.row(true); !row.Since.IsZero() || !math.IsNaN(row.Select) {
		t.Errorf("the first look after a stall: since %v, select %v", row.Since, row.Select)
	}
	s.look(map[string]float64{"Uptime": 6, "Com_select": 30}, nil)
	if row := s.row(true); row.Select != 20 {
		t.Errorf("select %v, want 20", row.Select)
	}
}

func TestFeedHostAndPackets(t *testing.T) {
	for name, local := range map[string]bool{"here": true, "elsewhere": false} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.feed.Local = func(r *recording.MySQLServer) bool { return local && r.PID == 7 }
			s.feed.Packets = func() *rt.Stats {
				st := &rt.Stats{}
				st.Count, st.RTSum, st.RTMax = 2, 6*time.Millisecond, 5*time.Millisecond
				st.RT.AddN(3*time.Millisecond, 2)
				return st
			}
			s.host(1, 0)
			s.look(map[string]float64{"Uptime": 1}, nil)
			s.host(2, 250*time.Millisecond)
			s.look(map[string]float64{"Uptime": 2}, nil)
			row := s.row(true)
			if local && (row.Load1 != 2 || math.Abs(row.Idle-25) > 0.1) || !local && !(math.IsNaN(row.Load1) && math.IsNaN(row.Idle)) {
				t.Errorf("load %v, idle %v", row.Load1, row.Idle)
			}
			if row.RTMean != 0.003 || row.RTMost != 0.005 || row.RTCount != 2 {
				t.Errorf("RT %v, most %v of %v", row.RTMean, row.RTMost, row.RTCount)
			}
			if s.feed.HostKnown() != local {
				t.Errorf("the host is known: %v", !local)
			}
		})
	}
}

// A look without a sample of the host since the one before has no numbers of
// the host: those of the line before are none of this interval.
func TestFeedHostIsNotRepeated(t *testing.T) {
	s := newServer(t)
	s.host(1, 0)
	s.look(map[string]float64{"Uptime": 1}, nil)
	s.host(2, 250*time.Millisecond)
	s.look(map[string]float64{"Uptime": 2}, nil)
	if row := s.row(true); row.Load1 != 2 {
		t.Fatalf("load %v", row.Load1)
	}
	s.look(map[string]float64{"Uptime": 3}, nil)
	if row := s.row(true); !math.IsNaN(row.Load1) || !math.IsNaN(row.User) {
		t.Errorf("load %v and user %v of the row before", row.Load1, row.User)
	}
}

// Nobody executes anything: digests that did not grow are known all the same.
func TestFrameOfIdleServerWithDigests(t *testing.T) {
	for collected, want := range map[string]bool{"status,statements": false, "status": true} {
		s := newServer(t)
		for i := range 2 {
			s.look(map[string]float64{"Uptime": float64(i)}, func(w *recording.Writer, at time.Time) {
				recording.Append(w, recording.MySQLServer{At: at, Server: "db1:3306", State: recording.ServerAnswers, Collected: collected})
			})
		}
		if got := s.feed.Frame().Statements.Sampled; got != want {
			t.Errorf("collected %s: from the process list: %v, want %v", collected, got, want)
		}
	}
}

// Digests that were read once say nothing yet, which is not that there are none.
func TestStatementsBeforeTheSecondReading(t *testing.T) {
	for collected, want := range map[string]string{"status,statements": "have not been read twice yet", "status": "no digests"} {
		s := newServer(t)
		for i := range 5 {
			if i > 0 {
				collected = "status"
			}
			s.look(map[string]float64{"Uptime": float64(i)}, func(w *recording.Writer, at time.Time) {
				recording.Append(w, recording.MySQLServer{At: at, Server: "db1:3306", State: recording.ServerAnswers, Collected: collected})
			})
		}
		frame := s.feed.Frame()
		for name, all := range map[string]Statements{"the screen": frame.Statements, "the run": s.feed.Statements()} {
			if why := all.Why(); !all.Sampled || !strings.Contains(why, want) {
				t.Errorf("%s: %s, want %s", name, why, want)
			}
		}
	}
}

// A lock that was given free is not shown as held; one that could not be looked at is.
func TestFeedBlockersAreThoseOfNow(t *testing.T) {
	s := newServer(t)
	look := func(collected string, more ...func(*recording.Writer, time.Time)) Row {
		s.look(map[string]float64{"Uptime": float64(s.now.Unix()), "Innodb_row_lock_current_waits": 0}, func(w *recording.Writer, at time.Time) {
			for _, add := range more {
				add(w, at)
			}
		})
		rows := recording.Rows[recording.MySQLServer](s.feed.rec)
		rows[len(rows)-1].Collected = collected
		row, _ := s.feed.Row()
		return row
	}
	waits := func(w *recording.Writer, at time.Time) {
		recording.Append(w, recording.MySQLLockWait{At: at, Server: "db1:3306", Kind: "row", Object: "shop.orders", Waiting: 21, Blocking: 6, Waited: time.Second})
	}
	const all = "status,transactions,sessions"
	look(all)
	if row := look(all+",row locks", waits); row.LockWaiters != 1 || len(row.Blockers) != 1 {
		t.Errorf("one waits: %v, %v", row.LockWaiters, row.Blockers)
	}
	waiting := func(w *recording.Writer, at time.Time) {
		recording.Append(w, recording.MySQLTransaction{At: at, Server: "db1:3306", Session: 21, State: "LOCK WAIT"})
	}
	if row := look(all, waiting); len(row.Blockers) != 1 {
		t.Error("a look without one at the locks ends the wait")
	}
	if row := look(all); len(row.Blockers) != 0 || row.LockWaiters != 0 {
		t.Errorf("none waits: %v, %v", row.LockWaiters, row.Blockers)
	}
}

// A feed that runs for long forgets what is old, and never a setting.
func TestFeedForgets(t *testing.T) {
	s := newServer(t)
	s.look(map[string]float64{"Uptime": 0}, func(w *recording.Writer, at time.Time) {
		recording.Append(w, recording.MySQLVariable{At: at, Server: "db1:3306", Name: "max_connections", Value: "151"})
	})
	s.feed.began = s.now
	for i := range 300 {
		s.look(map[string]float64{"Uptime": float64(i + 1), "Com_select": float64(10 * i)}, nil)
		if i > 0 {
			if row := s.row(true); row.Select != 10 {
				t.Fatalf("look %d: %v selects, want 10", i, row.Select)
			}
		} else {
			s.row(true)
		}
	}
	rows := recording.Rows[recording.MySQLStatus](s.feed.rec)
	if len(rows) > 2*3*int(kept.Seconds()) {
		t.Errorf("%d rows are kept", len(rows))
	}
	settings := recording.Rows[recording.MySQLVariable](s.feed.rec)
	if len(settings) != 1 || settings[0].Value != "151" {
		t.Errorf("settings %v", settings)
	}
}

// Looks that are minutes apart are kept long enough for rates.
func TestFeedSlowPace(t *testing.T) {
	s := newServer(t)
	s.feed.Every = 5 * time.Minute
	s.now = s.now.Add(-24 * time.Hour)
	s.feed.began = s.now
	for i := range 40 {
		s.now = s.now.Add(s.feed.Every - time.Second)
		s.look(map[string]float64{"Uptime": float64(300 * i), "Com_select": float64(3000 * i)}, nil)
		if row := s.row(i > 0); i > 0 && row.Select != 10 {
			t.Fatalf("look %d: %v selects, want 10", i, row.Select)
		}
	}
	if n := len(recording.Rows[recording.MySQLServer](s.feed.rec)); n > 8 {
		t.Errorf("%d looks are kept", n)
	}
}

// The statements of a run are the sums of all readings, though old ones are
// forgotten.
func TestFeedStatements(t *testing.T) {
	s := newServer(t)
	s.feed.began = s.now
	for i := range 201 {
		s.look(map[string]float64{"Uptime": float64(i)}, func(w *recording.Writer, at time.Time) {
			if i%10 == 0 {
				recording.Append(w, recording.MySQLStatement{At: at, Server: "db1:3306", Schema: "d", Digest: "x", Text: "SELECT  ?",
					Count: int64(1000 + 5*i), Took: time.Duration(i) * 500 * time.Millisecond, Sent: int64(i), Examined: int64(10 * i)})
			}
		})
	}
	all := s.feed.Statements()
	want := Statements{Seconds: 200, List: []Statement{{Schema: "d", Text: "SELECT ?", Running: 0.5, Count: 1000, Took: 100, Sent: 200, Examined: 2000}}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := s.feed.Frame().Statements; got.Seconds != 10 || got.List[0].Count != 50 {
		t.Errorf("the screen shows %+v, want the last ten seconds", got)
	}
}

// The probe writes each reading of digests but the first, with the one before.
// Until the second one, sessions were counted; digests tell more.
func TestFeedStatementPairs(t *testing.T) {
	s := newServer(t)
	at := func(i int) recording.MySQLStatement {
		return recording.MySQLStatement{Server: "db1:3306", Digest: "x", Text: "SELECT ?", Count: int64(1000 + 5*i), Took: time.Duration(i) * time.Second}
	}
	var before time.Time
	for i := range 31 {
		s.look(map[string]float64{"Uptime": float64(i)}, func(w *recording.Writer, now time.Time) {
			recording.Append(w, recording.MySQLState{At: now, Server: "db1:3306", Command: "Query", Count: 1})
			recording.Append(w, recording.MySQLSession{At: now, Server: "db1:3306", ID: 1, Command: "Query", Statement: "SELECT ?"})
			if i%10 != 0 {
				return
			}
			if i > 0 {
				first, last := at(i-10), at(i)
				first.At, last.At = before, now
				recording.Append(w, first, last)
			}
			before = now
		})
		if all := s.feed.Statements(); i < 10 && (!all.Sampled || all.Looks != i+1) || i >= 10 && all.Sampled {
			t.Fatalf("look %d: %+v", i, all)
		}
	}
	want := Statements{Seconds: 30, List: []Statement{{Text: "SELECT ?", Running: 1, Count: 150, Took: 30}}}
	if diff := cmp.Diff(want, s.feed.Statements()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Digests that lack what clients execute are not taken for all: MySQL 5.6 has
// none of prepared statements.
func TestFeedPrepared(t *testing.T) {
	s := newServer(t)
	var before time.Time
	for i := range 21 {
		s.look(map[string]float64{"Uptime": float64(i), "Questions": float64(1000 * i)}, func(w *recording.Writer, now time.Time) {
			recording.Append(w, recording.MySQLState{At: now, Server: "db1:3306", Command: "Execute", Count: 1})
			recording.Append(w, recording.MySQLSession{At: now, Server: "db1:3306", ID: 1, Command: "Execute", Statement: "SELECT c FROM t WHERE id = ?"})
			if i%10 != 0 {
				return
			}
			if i > 0 {
				recording.Append(w, recording.MySQLStatement{At: before, Server: "db1:3306", Digest: "x", Text: "BEGIN", Count: int64(50 * (i - 10))},
					recording.MySQLStatement{At: now, Server: "db1:3306", Digest: "x", Text: "BEGIN", Count: int64(50 * i)})
			}
			before = now
		})
	}
	for name, all := range map[string]Statements{"the run": s.feed.Statements(), "the screen": s.feed.Frame().Statements} {
		if !all.Sampled || math.Abs(all.Missed-0.95) > 0.001 || len(all.List) != 1 || all.List[0].Running != 1 {
			t.Errorf("%s: %+v", name, all)
		}
	}
}

// Without digests the process list tells how often a statement was at work.
func TestFeedSampled(t *testing.T) {
	s := newServer(t)
	for i := range 10 {
		s.look(map[string]float64{"Uptime": float64(i)}, func(w *recording.Writer, at time.Time) {
			recording.Append(w, recording.MySQLState{At: at, Server: "db1:3306", Command: "Sleep", Count: 3})
			if i%2 == 0 {
				recording.Append(w,
					recording.MySQLSession{At: at, Server: "db1:3306", ID: 1, Command: "Query", Statement: "SELECT SLEEP(?)", DB: "d"},
					recording.MySQLSession{At: at, Server: "db1:3306", ID: 2, Command: "Sleep", Statement: "UPDATE t", DB: "d"})
			}
		})
	}
	all := s.feed.Statements()
	if !all.Sampled || all.Looks != 10 || len(all.List) != 1 || all.List[0].Running != 0.5 || all.List[0].Text != "SELECT SLEEP(?)" {
		t.Errorf("%+v", all)
	}
}

func TestWorstGroup(t *testing.T) {
	s := newServer(t)
	groups := func(w *recording.Writer, at time.Time) {
		for _, g := range []recording.MySQLPoolGroup{{Group: 0, Active: 9, Threads: 9}, {Group: 1, Queued: 4, Active: 3, Threads: 4}, {Group: 2, Queued: 4, Active: 5, Threads: 6}} {
			g.At, g.Server = at, "db1:3306"
			recording.Append(w, g)
		}
	}
	s.look(map[string]float64{"Uptime": 1}, groups)
	s.look(map[string]float64{"Uptime": 2}, groups)
	row := s.row(true)
	if diff := cmp.Diff(&Pool{Group: 2, Groups: 3, Queued: 4, Active: 5, Threads: 6}, row.Pool); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOwnAddress(t *testing.T) {
	for name, want := range map[string]bool{"/run/mysqld/mysqld.sock": true, "127.0.0.1:3306": true, "[::1]:3306": true, "localhost:3306": true,
		"192.0.2.1:3306": false, "db1:3306": false, "": false} {
		if got := OwnAddress(name); got != want {
			t.Errorf("OwnAddress(%q) = %v", name, got)
		}
	}
}
