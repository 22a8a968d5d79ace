package prepared

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"rtrail/internal/document"
	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

// fake is a server that builds the texts of prepared statements while a log is on.
type fake struct {
	logs      Logs
	table     string // its comment; "": none
	rows      int    // in the table
	packet    int    // max_allowed_packet; 0: 64 MiB
	falls     bool   // it never prepares
	refuse    string // statements that begin so fail
	locked    bool   // another run has the lock
	lingers   int    // how often a killed session is still there
	said      []string
	sessions  int
	left      []string
	connected func() error
}

type fakeConn struct {
	f        *fake
	id       int
	prepares int
}

func (f *fake) connect(context.Context) (Conn, error) {
	if f.connected != nil {
		if err := f.connected(); err != nil {
			return nil, err
		}
	}
	f.sessions++
	return &fakeConn{f: f, id: f.sessions}, nil
}

func table(columns []string, rows ...[]string) *mysqlconn.Result {
	r := mysqlconn.NewResult(columns)
	for _, row := range rows {
		r.Add(row, nil)
	}
	return r
}

var setting = regexp.MustCompile(`^SET GLOBAL (\w+) = (ON|OFF)$`)

func (c *fakeConn) Query(ctx context.Context, s string) (*mysqlconn.Result, error) {
	f := c.f
	one := func(v string) (*mysqlconn.Result, error) { return table([]string{"v"}, []string{v}), nil }
	if !strings.Contains(s, "WHERE id IN (") {
		f.said = append(f.said, s)
	}
	if f.refuse != "" && strings.HasPrefix(s, f.refuse) {
		return nil, &mysql.MySQLError{Number: 1227, Message: "Access denied"}
	}
	switch m := setting.FindStringSubmatch(s); {
	case m != nil && m[1] == "slow_query_log":
		f.logs.Slow = m[2] == "ON"
	case m != nil:
		f.logs.General = m[2] == "ON"
	case strings.HasPrefix(s, "SHOW GLOBAL VARIABLES"):
		packet := f.packet
		if packet == 0 {
			packet = 64 << 20
		}
		return table([]string{"n", "v"}, []string{"version", "5.7.21"}, []string{"slow_query_log", onOff(f.logs.Slow)}, []string{"general_log", onOff(f.logs.General)},
			[]string{"max_allowed_packet", fmt.Sprint(packet)}), nil
	case strings.Contains(s, "information_schema.PLUGINS"):
		return table([]string{"n"}), nil
	case strings.Contains(s, "information_schema.TABLES"):
		if f.table == "" {
			return table([]string{"t", "c"}), nil
		}
		return table([]string{"t", "c"}, []string{"BASE TABLE", f.table}), nil
	case strings.HasPrefix(s, "SELECT 1 FROM"):
		r := table([]string{"1"})
		for range f.rows {
			r.Add([]string{"1"}, nil)
		}
		return r, nil
	case strings.Contains(s, "GET_LOCK"):
		if f.locked {
			return one("0")
		}
		return one("1")
	case strings.HasPrefix(s, "CREATE TABLE"):
		f.table = owner
	case strings.HasPrefix(s, "DROP TABLE"):
		f.table = ""
	case s == "SELECT CONNECTION_ID()":
		return one(fmt.Sprint(c.id))
	case strings.HasPrefix(s, "SHOW SESSION STATUS"):
		return table([]string{"n", "v"}, []string{"Com_stmt_prepare", fmt.Sprint(c.prepares)}), nil
	case strings.Contains(s, "PROCESSLIST"):
		if f.lingers > 0 {
			f.lingers--
			return one("1")
		}
		return one("0")
	case strings.Contains(s, "WHERE id IN ("):
		return table([]string{"id"}), wait(ctx, 50*time.Millisecond)
	}
	return table(nil), nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *fakeConn) Prepare(_ context.Context, s string) (Statement, error) {
	if !c.f.falls {
		c.prepares++
	}
	time.Sleep(30 * time.Millisecond)
	return &fakeStatement{c.f, len(s)}, nil
}
func (c *fakeConn) Close()     {}
func (c *fakeConn) PID() int32 { return 7 }

type fakeStatement struct {
	f      *fake
	length int
}

func (s *fakeStatement) Execute(ctx context.Context, values []driver.NamedValue) (int, error) {
	d := 40 * time.Millisecond
	if s.f.logs != (Logs{}) {
		d += time.Duration(len(values)*s.length) * 100 * time.Nanosecond
	}
	return 0, wait(ctx, d)
}

// of is a bench of the fake server, with 1,000 markers.
func of(f *fake, change func(*Bench)) *Bench {
	b := &Bench{Plan: Plan{Database: "test", Markers: 1000, Spaces: []int{0, 128}, Rounds: 2, Timeout: time.Minute, MaxTime: time.Hour, ToggleLogs: true}, Target: "db:3306", Driver: "driver 1",
		Connect: f.connect, Say: func(string, ...any) {}, Left: func(words string) { f.left = append(f.left, words) }, Unprofiled: "only root sees what the server runs",
		own: func() time.Duration { return 0 }}
	if change != nil {
		change(b)
	}
	return b
}

// untouched says that the server is as before.
func (f *fake) untouched(t *testing.T, logs Logs) {
	t.Helper()
	if f.table != "" || f.logs != logs {
		t.Errorf("the table is %q, %s", f.table, f.logs)
	}
	if n := len(f.left); n > 0 && f.left[n-1] != "" {
		t.Errorf("it still says %q", f.left[n-1])
	}
}

func words(r *Result) (list []string) {
	for _, f := range r.Verdict {
		list = append(list, fmt.Sprintf("%s %v: %s", f.About, f.Costs, f.Words))
	}
	return list
}

// TestVerdict: all cells are measured, and the verdict says that the log, the mode and the length
// cost, each with its largest factor.
func TestVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{logs: Logs{Slow: true}}
		r, err := of(f, nil).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f.untouched(t, Logs{Slow: true})
		if !slices.ContainsFunc(f.left, func(s string) bool {
			return strings.Contains(s, "SET GLOBAL slow_query_log = ON; SET GLOBAL general_log = OFF;") && strings.Contains(s, "DROP TABLE `test`.`"+Table+"`")
		}) {
			t.Errorf("how to put things back was not said: %q", f.left)
		}
		if len(r.Cells) != 16 {
			t.Errorf("%d cells", len(r.Cells))
		}
		for _, c := range r.Cells {
			if want := int64(len(modes) - 1); c.PreparedBefore != 0 || c.Mode == ServerSide && c.PreparedAfter != want || c.Mode == ClientSide && c.PreparedAfter != 0 || len(c.Rounds) != 2 || c.Failed != "" {
				t.Errorf("%+v", c)
			}
			if prepare := float64(c.Prepare); math.IsNaN(prepare) != (c.Mode == ClientSide) {
				t.Errorf("%s: prepare %v", c.Mode, prepare)
			}
			if c.Mean*2 != c.Total {
				t.Errorf("mean %v of %v", c.Mean, c.Total)
			}
		}
		want := []string{
			"mode true: server-side takes 13 s, 261 times as long as client-side (50 ms), with 127 KiB of SQL and slow log on",
			"log true: with slow log on server-side takes 13 s, with logs off 40 ms: 326 times as long, with 127 KiB of SQL",
			"length true: server-side with slow log on: 2.01 KiB of SQL take 246 ms, 127 KiB take 13 s; 63.1 times the length, 53 times the time: in proportion",
			"cause false: not known where the time of the slowest, server-side, 127 KiB of SQL, slow log on (13 s), goes: only root sees what the server runs",
		}
		if d := cmp.Diff(want, words(r)); d != "" {
			t.Error(d)
		}
		var text bytes.Buffer
		if err := document.Terminal(&text, r.Document(), document.TerminalOptions{Width: 120}); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"LOG  with slow log on", "0 -> 1", "version 5.7.21", "audit plugins none"} {
			if !strings.Contains(text.String(), line) {
				t.Errorf("%q is missing in\n%s", line, &text)
			}
		}
	})
}

// TestNothingIsClaimed where nothing differs, or was compared.
func TestNothingIsClaimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		r, err := of(f, func(b *Bench) { b.ToggleLogs = false }).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range f.said {
			if strings.HasPrefix(s, "SET GLOBAL") {
				t.Errorf("said %s", s)
			}
		}
		want := []string{
			"mode false: no mode is clearly slower than the other: at most 1.25 times as long, and rounds of one cell differ by up to 1 times",
			"length false: longer SQL is not clearly slower: at most 1 times as long, and rounds of one cell differ by up to 1 times",
			"log false: measured with logs off, as found; --toggle-logs compares",
		}
		if d := cmp.Diff(want, words(r)[:3]); d != "" {
			t.Error(d)
		}
	})
}

// TestNoise: what differs less than rounds of one cell do is nobody's fault. These are times of
// MariaDB 10.11 on a host that was busy otherwise.
func TestNoise(t *testing.T) {
	r := &Result{toggles: true}
	for _, x := range []struct {
		mode    Mode
		general bool
		rounds  [2]float64
	}{{ClientSide, false, [2]float64{118.8, 30.4}}, {ServerSide, false, [2]float64{51.4, 55.8}}, {ClientSide, true, [2]float64{174.5, 136.6}}, {ServerSide, true, [2]float64{472.1, 228.3}}} {
		c := Cell{Mode: x.mode, SQL: 100_000, Logs: Logs{General: x.general}, PreparedBefore: -1, PreparedAfter: -1}
		c.Rounds = []Round{{Took: document.Number(x.rounds[0])}, {Took: document.Number(x.rounds[1])}}
		c.sum(0)
		r.Cells = append(r.Cells, c)
	}
	r.judge()
	r.Cells = append(r.Cells, Cell{Mode: ServerSide, Spaces: 1, SQL: 150_000, Failed: "not within --timeout 1m", timedOut: true}, Cell{Mode: ClientSide, Spaces: 1, SQL: 150_000, Rounds: []Round{{Took: 50}}})
	for _, f := range r.Verdict {
		if f.Costs {
			t.Errorf("%s: %s", f.About, f.Words)
		}
	}
	r.judge()
	list := strings.Join(words(r), "\n")
	for _, says := range []string{"timeout true: server-side, 146 KiB of SQL, logs off: not within --timeout", "mode false: not judged: 1 of 3 comparisons lack a side"} {
		if !strings.Contains(list, says) {
			t.Errorf("%q is missing in\n%s", says, list)
		}
	}
}

// TestFallback: a driver or proxy that does not prepare on the server is found out.
func TestFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := of(&fake{falls: true}, func(b *Bench) { b.ToggleLogs, b.Spaces = false, []int{0} }).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if list := strings.Join(words(r), "\n"); !strings.Contains(list, "Com_stmt_prepare went from 0 to 0") {
			t.Error(list)
		}
	})
}

// TestCause names the functions in which the time of the slowest cell goes.
func TestCause(t *testing.T) {
	stack := "memmove;String::mem_realloc;String::replace;Prepared_statement::insert_params;Prepared_statement::set_parameters"
	rows := []recording.OnCPUSample{
		{PID: 7, Samples: 90, Every: 20 * time.Millisecond, Function: "memmove", Module: "libc.so.6", Stack: stack},
		{PID: 7, Samples: 10, Every: 20 * time.Millisecond, Function: "MYSQLparse", Module: "mysqld", Stack: "MYSQLparse;parse_sql"},
		{PID: 8, Samples: 900, Every: 20 * time.Millisecond, Function: "other", Module: "other", Stack: "other"},
	}
	synctest.Test(t, func(t *testing.T) {
		b := of(&fake{logs: Logs{Slow: true}}, func(b *Bench) {
			b.ToggleLogs = false
			b.Profile = func(_ context.Context, pid int32) func() (*Profile, error) {
				return func() (*Profile, error) { return Sum(rows, pid), nil }
			}
		})
		r, err := b.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		list := strings.Join(words(r), "\n")
		for _, says := range []string{"cause true", "90 % of the server's CPU time (100 samples) is below insert_params", "moves the rest of the text for each (90 %)",
			"memmove (libc.so.6) 90 %, called by String::mem_realloc < String::replace < Prepared_statement::insert_params"} {
			if !strings.Contains(list, says) {
				t.Errorf("%q is missing in\n%s", says, list)
			}
		}
	})
}

// TestPutBack: whatever happens, table and logs are as before.
func TestPutBack(t *testing.T) {
	for name, x := range map[string]struct {
		f      fake
		change func(*Bench)
		cancel time.Duration
		says   string // of the error; "": none
	}{
		"interrupted":            {fake{}, nil, time.Second, ""},
		"no time":                {fake{}, func(b *Bench) { b.MaxTime = 2 * time.Second }, 0, ""},
		"a query takes too long": {fake{lingers: 3}, func(b *Bench) { b.Timeout = time.Second }, 0, ""},
		"it does not end":        {fake{lingers: 1e9}, func(b *Bench) { b.Timeout = time.Second }, 0, "goes on"},
		"may not switch logs":    {fake{refuse: "SET GLOBAL general"}, nil, 0, "switch logs"},
		"refuses connections":    {fake{}, nil, 0, "too many"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := x.f
				if name == "refuses connections" {
					f.connected = func() error {
						if f.sessions == 5 {
							f.sessions++
							return errors.New("too many connections")
						}
						return nil
					}
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if x.cancel > 0 {
					time.AfterFunc(x.cancel, cancel)
				}
				r, err := of(&f, x.change).Run(ctx)
				if x.says == "" && err != nil || x.says != "" && (err == nil || !strings.Contains(err.Error(), x.says)) {
					t.Errorf("error %v, want %q", err, x.says)
				}
				if f.refuse != "" { // logs cannot be put back, and that is said
					if f.table != "" || !strings.Contains(f.left[len(f.left)-1], "SET GLOBAL slow_query_log = OFF") {
						t.Errorf("left %q, table %q", f.left, f.table)
					}
					return
				}
				f.untouched(t, Logs{})
				if x.says == "" && r.interrupted != (x.cancel > 0) {
					t.Errorf("interrupted: %v", r.interrupted)
				}
				if x.says == "" && len(r.LeftOut) == 0 && !slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Failed != "" }) {
					t.Error("nothing was left out")
				}
			})
		})
	}
}

// TestRefused: what is not ours is left alone.
func TestRefused(t *testing.T) {
	for name, x := range map[string]struct {
		f    fake
		says string
	}{
		"another's table":   {fake{table: "accounts"}, "rtrail did not make"},
		"rows in the table": {fake{table: owner, rows: 1}, "has rows"},
		"another run":       {fake{locked: true}, "another rtrail"},
		"may not create":    {fake{refuse: "CREATE"}, "Access denied"},
	} {
		t.Run(name, func(t *testing.T) {
			f := x.f
			_, err := of(&f, nil).Run(t.Context())
			if err == nil || !strings.Contains(err.Error(), x.says) {
				t.Errorf("error %v", err)
			}
			for _, s := range f.said {
				if strings.HasPrefix(s, "DROP") || strings.HasPrefix(s, "SET") {
					t.Errorf("said %s", s)
				}
			}
		})
	}
}

// TestLeftByAnEarlierRun is dropped and made anew.
func TestLeftByAnEarlierRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{table: owner}
		if _, err := of(f, func(b *Bench) { b.ToggleLogs = false }).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.untouched(t, Logs{})
	})
}

// TestPacket: what does not fit into max_allowed_packet is left out, and said.
func TestPacket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := of(&fake{packet: 100_000}, func(b *Bench) { b.ToggleLogs = false }).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Cells) != 2 || len(r.LeftOut) != 2 || !strings.Contains(r.LeftOut[0].Why, "above max_allowed_packet, 100000") {
			t.Errorf("%+v", r.LeftOut)
		}
	})
}

// TestText: the text has the length of the published one, and values are integers of 15 digits
// that differ.
func TestText(t *testing.T) {
	p := Plan{Database: "test", Markers: 50_000}
	for spaces, want := range map[int]int{0: 100_151, 128: 6_500_023, 168: 8_499_983} {
		if got := len(p.marked(spaces)); got < want-200 || got > want+200 {
			t.Errorf("%d blanks: %d bytes, published were %d", spaces, got, want)
		}
	}
	if n := strings.Count(string(p.marked(3)), ",   ?"); n != p.Markers-1 {
		t.Errorf("%d markers after blanks", n)
	}
	seen := map[int64]bool{}
	for round := range 2 {
		for _, v := range p.values(round) {
			n := v.Value.(int64)
			if n < 1e14 || n >= 1e15 || seen[n] {
				t.Fatalf("value %d", n)
			}
			seen[n] = true
		}
	}
}

// TestCheck refuses what no server takes.
func TestCheck(t *testing.T) {
	for name, change := range map[string]func(*Bench){
		"--markers":        func(b *Bench) { b.Markers = 65536 },
		"--spaces 1001":    func(b *Bench) { b.Spaces = []int{1001} },
		"is given twice":   func(b *Bench) { b.Spaces = []int{1, 1} },
		"go into a packet": func(b *Bench) { b.Markers, b.Spaces = 65535, []int{300} },
		"--rounds":         func(b *Bench) { b.Plan.Rounds = 0 },
		"--timeout":        func(b *Bench) { b.Timeout = 0 },
		"--max-time":       func(b *Bench) { b.MaxTime = 2 * time.Hour },
		"--database":       func(b *Bench) { b.Database = "a`b" },
		"--toggle-logs":    func(b *Bench) { b.Markers, b.Plan.Rounds = 50_000, 100 },
	} {
		if err := of(nil, change).Check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
