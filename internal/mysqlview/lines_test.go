package mysqlview

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/document"
	"rtrail/internal/golden"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// story is a server that works, gets slow, hangs, comes back, is full and goes.
func story() []Row {
	row := func(second int, state string, change func(*Row)) Row {
		r := unknownRow()
		r.At, r.Seconds, r.Server, r.State, r.Answer = noon.Add(time.Duration(second)*time.Second), 1, "db1:3306", state, 200*time.Microsecond
		r.Load1, r.Load5, r.Load15, r.User, r.System, r.Idle, r.IOWait = 97.25, 99.1, 101.456, 65, 25, 10, 0
		if r.Answers() {
			r.Insert, r.Update, r.Delete, r.Select = 1200, 2400.4, 0.3, 61034
			r.Writes, r.Commands = 3600.7, 64634.7
			r.LogicalReads, r.Hit, r.Running, r.Connected, r.Created, r.Cached = 1_234_567, 99.998, 331, 963, 0, 12
			r.RowLockWaits, r.RowLocksWaiting, r.LockWaiters, r.History, r.LogWaits = 17.4, 3, 4, 123_456, 0
			r.RTMean, r.RT99, r.RTMost, r.RTCount = 0.000_227, 0.012_3, 1.5, 64000
			r.Pool = &Pool{Group: 3, Groups: 32, Queued: 412, Active: 10, Threads: 11}
		}
		if change != nil {
			change(&r)
		}
		return r
	}
	bad := func(text string, since int) func(*Row) {
		return func(r *Row) {
			r.Error, r.Since, r.Answer = text, noon.Add(time.Duration(since)*time.Second), recording.Unknown
		}
	}
	return []Row{
		row(1, recording.ServerAnswers, nil),
		row(2, recording.ServerAnswers, func(r *Row) { r.Hit, r.Select, r.Commands = 100, 123456, 10_000_000; r.RTMean = math.NaN() }),
		row(3, recording.ServerSlow, func(r *Row) { r.Since, r.Answer = noon.Add(3*time.Second), 1400*time.Millisecond }),
		row(4, recording.ServerStalled, func(r *Row) {
			bad("no answer to SHOW GLOBAL STATUS for 1.2 s", 3)(r)
			r.Waited = 1200 * time.Millisecond
		}),
		row(5, recording.ServerFull, bad("Too many connections", 5)),
		row(6, recording.ServerGone, bad("unexpected EOF", 6)),
		row(7, recording.ServerUnreachable, func(r *Row) {
			bad("connect: connection refused\x1b[2J", 7)(r)
			r.Load1, r.Load5, r.Load15, r.User, r.System, r.Idle, r.IOWait = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
		}),
		row(8, "", bad("took 2 s, more than its deadline of 1 s: sample given up", 7)),
	}
}

func TestLines(t *testing.T) {
	for name, test := range map[string]struct {
		width         int
		packets, pool bool
	}{
		"lines-80.txt":       {80, false, false},
		"lines-80-rt.txt":    {80, true, true},
		"lines-132.txt":      {132, false, false},
		"lines-132-rt.txt":   {132, true, true},
		"lines-any.txt":      {0, true, true},
		"lines-unusable.txt": {20, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			l := Lines{Out: &b, Zone: time.UTC, Width: test.width, Packets: test.packets}
			for _, r := range story() {
				if !test.pool {
					r.Pool = nil
				}
				if err := l.Row(&r); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(b.String(), "\x1b") {
				t.Error("a control character of the server goes to the terminal")
			}
			if test.width >= 80 {
				for line := range strings.Lines(b.String()) {
					if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > test.width {
						t.Errorf("%d columns, at most %d: %s", n, test.width, line)
					}
				}
			}
			golden.Text(t, "testdata/"+name, b.String())
		})
	}
}

// The names of the columns come again every 20 lines, and when columns join.
func TestLinesHeader(t *testing.T) {
	var b bytes.Buffer
	l := Lines{Out: &b, Zone: time.UTC}
	r := story()[0]
	pool := r.Pool
	for i := range 45 {
		if r.Pool = nil; i >= 42 {
			r.Pool = pool
		}
		if err := l.Row(&r); err != nil {
			t.Fatal(err)
		}
	}
	var at []int
	for i, line := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(line, "UTC") {
			at = append(at, i)
		}
	}
	if diff := cmp.Diff([]int{1, 23, 45, 49}, at); diff != "" {
		t.Errorf("lines with the names of columns (-want +got):\n%s", diff)
	}
}

// Numbers never take more columns than they have, whatever they are.
func TestNumbersFit(t *testing.T) {
	values := []float64{math.NaN(), 0, 0.04, 0.3, 0.96, 9.94, 9.96, 10, 99.96, 999.96, 12_345, 99_999, 99_999.9, 100_000, 1e6, 9_999_499, 9_999_501, 1e9, 9.99e9, 1e12}
	for _, v := range values {
		for name, text := range map[string]string{"rate": rate(v), "whole": whole(v), "load": load(min(v, 99_999))} {
			if len(text) > 5 {
				t.Errorf("%s(%v) = %q takes %d columns", name, v, text, len(text))
			}
		}
	}
	for _, v := range []float64{math.NaN(), 0, 1e-9, 999.4e-6, 999.6e-6, 1e-3, 9.99e-3, 0.0123, 0.9994, 0.9996, 1, 9.99, 12.34, 99.96, 999, 5000, 1e9} {
		if text := brief(v); utf8.RuneCountInString(text) > briefWidth {
			t.Errorf("brief(%v) = %q takes %d columns", v, text, len(text))
		}
	}
	for v, want := range map[float64]string{100: "100", 99.9999: "99.99", 99.994: "99.99", 0: "0.00"} {
		if got := hit(v); got != want {
			t.Errorf("hit(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	j := JSON{Out: &b, Packets: true}
	for _, r := range story() {
		if err := j.Row(&r); err != nil {
			t.Fatal(err)
		}
	}
	golden.Text(t, "testdata/rows.json", b.String())
}

func TestTotals(t *testing.T) {
	totals := Totals{Zone: time.UTC}
	for _, r := range story() {
		totals.Add(&r)
	}
	nan := math.NaN()
	totals.version, totals.own, totals.ownKnown = "9.7.4", 0.0031, true
	totals.statements = Statements{Seconds: 20, List: []Statement{
		{Schema: "shop", Text: "SELECT * FROM orders WHERE customer = ?", Running: 3.1, Count: 5000, Took: 62, Examined: 5e6, Sent: 5000, Errors: 0, NoIndex: 5000},
		{Text: "COMMIT", Running: 0.01, Count: 400, Took: 0.2, Examined: nan, Sent: nan, Errors: 3, NoIndex: 0},
	}}
	var b bytes.Buffer
	if err := document.Terminal(&b, totals.Document(10), document.TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	totals.statements = Statements{Sampled: true, Looks: 20, List: []Statement{{Schema: "shop", Text: "SELECT * FROM orders WHERE customer = ?", Running: 0.35, Count: nan, Took: nan}}}
	if err := document.Terminal(&b, totals.Document(10), document.TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "testdata/totals.txt", b.String())
}

func TestTotalsOfOne(t *testing.T) {
	totals := Totals{Zone: time.UTC}
	totals.Add(&Row{At: time.Date(2026, 3, 1, 14, 2, 10, 0, time.UTC), Seconds: 1, Server: "db", State: recording.ServerStalled, Waited: 2 * time.Second})
	totals.statements = Statements{Sampled: true, Looks: 1, List: []Statement{{Text: "SELECT ?", Running: 1, Count: math.NaN(), Took: math.NaN()}}}
	var b bytes.Buffer
	if err := document.Terminal(&b, totals.Document(10), document.TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"14:02:10 UTC  1 line\n", "1 of 1 line is without an answer in time: ", "STATEMENTS in 1 look at the process list"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// The summary names who held others up, at its worst, whatever the counters say.
func TestTotalsOfLocks(t *testing.T) {
	totals := Totals{Zone: time.UTC}
	for i := range 6 {
		r := unknownRow()
		r.At, r.Seconds, r.Server, r.State, r.RowLockWaits = noon.Add(time.Duration(i)*time.Second), 1, "db", recording.ServerAnswers, 0
		if i < 5 {
			b := view.MySQLBlocker{Session: 6, Kind: "row", Object: "shop.orders", User: "a", Client: "localhost", Command: "Sleep", For: time.Duration(i+1) * time.Second}
			for v := range i {
				b.Victims = append(b.Victims, view.MySQLVictim{Session: int64(10 + v), Waited: time.Duration(i-v) * time.Second})
			}
			r.Blockers, r.LockWaiters = []view.MySQLBlocker{b}, float64(i)
		} else {
			r.LockWaiters = 0
		}
		totals.Add(&r)
	}
	var b bytes.Buffer
	if err := document.Terminal(&b, totals.Document(10), document.TerminalOptions{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4 sessions waited up to 4 s for the row lock of shop.orders, held by 6 a@localhost Sleep 5 s", "waiting for locks"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	many := Totals{}
	many.holds(make([]view.MySQLBlocker, 9))
	for i := range 3 * maxHolds {
		many.holds([]view.MySQLBlocker{{Session: int64(i)}})
	}
	if len(many.held) != maxHolds || len(many.locks()) != maxBlockers+1 {
		t.Errorf("%d holders are remembered, %q told", len(many.held), many.locks())
	}
}

// A run without a row has no summary.
func TestTotalsEmpty(t *testing.T) {
	var b bytes.Buffer
	if err := document.Terminal(&b, new(Totals).Document(10), document.TerminalOptions{Width: 80}); err != nil || b.Len() > 0 {
		t.Errorf("printed %q, %v", b.String(), err)
	}
}
