package diff

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// serving is a minute of a MySQL server.
func serving(m ruletest.MySQL) Side {
	h := ruletest.New(4, seconds)
	h.MySQL(m)
	return Side{Recording: h.Rec, From: ruletest.Start, To: ruletest.Start.Add(seconds * time.Second)}
}

func TestMySQL(t *testing.T) {
	type rates = map[string]float64
	// server has 2,000 statements a second, a hundred of which insert and commit.
	server := func(more rates, digests ...recording.MySQLStatement) ruletest.MySQL {
		m := ruletest.MySQL{Rates: rates{"Questions": 2000, "Com_insert": 100, "Innodb_data_fsyncs": 100, "Handler_read_key": 4000, "Handler_read_rnd_next": 1000, "Created_tmp_disk_tables": 2, "Innodb_row_lock_time": 10}, Digests: digests}
		for name, rate := range more {
			m.Rates[name] = rate
		}
		return m
	}
	elsewhere := func(m ruletest.MySQL) ruletest.MySQL { m.Server = "10.0.0.3:3306"; return m }
	quick := recording.MySQLStatement{Text: "SELECT a", Count: 1000, Took: 100 * time.Millisecond, Examined: 1000}
	slow := recording.MySQLStatement{Text: "SELECT a", Count: 1000, Took: 500 * time.Millisecond, Examined: 300_000}
	other := recording.MySQLStatement{Text: "SELECT b", Count: 100, Took: time.Millisecond}
	const who = "mysql 10.0.0.2:3306"
	for _, c := range []struct {
		name          string
		first, second ruletest.MySQL
		per, want     string
	}{
		{"the same", server(nil, quick), server(nil, quick), "MySQL transaction", ""},
		{"15 times more syncs for each transaction", server(rates{"Innodb_data_fsyncs": 1500}), server(nil), "MySQL transaction", "mysql.fsyncs of " + who + " 15"},
		{"the log's syncs are counted too where they are more", server(rates{"Innodb_os_log_fsyncs": 1500}), server(nil), "MySQL transaction", "mysql.fsyncs of " + who + " 15"},
		{"three times the load", server(rates{"Questions": 6000, "Com_insert": 300, "Innodb_data_fsyncs": 300, "Handler_read_key": 12000, "Handler_read_rnd_next": 3000, "Created_tmp_disk_tables": 6, "Innodb_row_lock_time": 30}), server(nil), "MySQL transaction", ""},
		{"rows of all ways to read", server(rates{"Handler_read_rnd_next": 11000}), server(nil), "MySQL transaction", "mysql.rows-read of " + who + " 3"},
		{"tables on disk", server(nil), server(rates{"Created_tmp_disk_tables": 20}), "MySQL transaction", "mysql.tmp-disk-tables of " + who + " 0.1"},
		{"milliseconds of locks", server(rates{"Innodb_row_lock_time": 200}), server(nil), "MySQL transaction", "mysql.row-lock-time of " + who + " 20"},
		{"too little time of locks", server(rates{"Innodb_row_lock_time": 19}), server(nil), "MySQL transaction", ""},
		{"more statements for each transaction", server(rates{"Questions": 8000}), server(nil), "MySQL transaction", "mysql.statements of " + who + " 4"},
		{"it mostly reads", server(rates{"Questions": 20_000, "Com_insert": 100}), server(nil), "MySQL statement", "mysql.commits of " + who + " 0.1; mysql.fsyncs of " + who + " 0.1; mysql.rows-read of " + who + " 0.1; mysql.tmp-disk-tables of " + who + " 0.1"},
		{"another host", elsewhere(server(rates{"Innodb_data_fsyncs": 1500})), server(nil), "MySQL transaction", "mysql.fsyncs of MySQL 15"},
		{"a slower statement", server(nil, slow), server(nil, quick), "MySQL transaction", "statement.rows-examined of SELECT a 3e+02; mysql.response-time of " + who + " 5; statement.response-time of SELECT a 5"},
		{"a new statement", server(nil, quick, other), server(nil, quick), "MySQL transaction", "statement.executions of SELECT b +Inf"},
	} {
		r, err := Compare(serving(c.first), serving(c.second))
		if err != nil {
			t.Fatal(err)
		}
		if got := told(r); got != c.want || r.Per != c.per {
			t.Errorf("%s: per %s: %q, want per %s: %q", c.name, r.Per, got, c.per, c.want)
		}
	}
	r, err := Compare(serving(server(rates{"Innodb_data_fsyncs": 1500}, slow)), serving(server(nil, quick)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]any{"mysql.fsyncs": {"MySQL transaction", 15.0}, "statement.response-time": {"execution", 500e-6}, "mysql.response-time": {"statement", 500e-6}}
	for _, c := range r.Changes {
		if w, ok := want[c.Quantity.ID]; ok && (c.Per != w[0] || !near(c.Amount[0], w[1].(float64))) {
			t.Errorf("%s: %v per %s, want %v", c.Quantity.ID, c.Amount[0], c.Per, w)
		}
		delete(want, c.Quantity.ID)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

func near(got, want float64) bool { return got > 0.99*want && got < 1.01*want }

// Of more statements than a reading keeps, one that it does not have may have run all the same.
func TestCutReadings(t *testing.T) {
	var many []recording.MySQLStatement
	for i := range recording.MaxStatements {
		many = append(many, recording.MySQLStatement{Text: "SELECT " + strings.Repeat("x", i+1), Count: 100, Took: time.Second})
	}
	other := recording.MySQLStatement{Text: "SELECT b", Count: 100, Took: time.Millisecond}
	for _, c := range []struct {
		first, second []recording.MySQLStatement
		want          string
	}{
		{append(many[:len(many)-1:len(many)-1], other), many, ""},
		{append(many[:len(many)-2:len(many)-2], other), many[:len(many)-2], "statement.executions of SELECT b +Inf"},
	} {
		r, err := Compare(serving(ruletest.MySQL{Digests: c.first, Rates: map[string]float64{"Questions": 5000}}), serving(ruletest.MySQL{Digests: c.second, Rates: map[string]float64{"Questions": 5000}}))
		if got := told(r); err != nil || got != c.want {
			t.Errorf("%d statements: %q, want %q: %v", len(c.first), got, c.want, err)
		}
	}
}

// Statements are read each ten seconds: the readings beside a window tell of its first and last part.
func TestReadingsBeside(t *testing.T) {
	side := func(took float64) Side {
		s := serving(ruletest.MySQL{Rates: map[string]float64{"Questions": 100}})
		around := recording.New(recording.Manifest{})
		w := recording.NewWriter(ruletest.Start)
		row := func(at float64) {
			recording.Append(w, recording.MySQLStatement{At: ruletest.Start.Add(time.Duration(at * 1e9)), Server: "10.0.0.2:3306", Digest: "d", Text: "SELECT a", Count: int64(100 * (at + 100)), Took: time.Duration(took * (at + 100) * 1e9)})
		}
		for at := -7.0; at <= 63; at += 10 {
			row(at) // as the end of a reading
			row(at) // as the beginning of the next one
		}
		if err := around.Commit(w); err != nil {
			t.Fatal(err)
		}
		s.Around = around
		return s
	}
	first, second := side(0.9), side(0.1)
	r, err := Compare(first, second)
	if got := told(r); err != nil || got != "mysql.response-time of mysql 10.0.0.2:3306 9; statement.response-time of SELECT a 9" {
		t.Errorf("%q, %v", got, err)
	}
	if len(r.Changes) > 0 && !near(r.Changes[0].Amount[0], 9e-3) {
		t.Errorf("%v", r.Changes[0].Amount)
	}
	// Without those the window lacks a part.
	cut := recording.New(recording.Manifest{})
	w := recording.NewWriter(ruletest.Start)
	for _, s := range recording.Rows[recording.MySQLStatement](first.Around) {
		if !s.At.Before(first.From) && !s.At.After(first.To) {
			recording.Append(w, s)
		}
	}
	if err := cut.Commit(w); err != nil {
		t.Fatal(err)
	}
	first.Around = cut
	r, err = Compare(first, second)
	if got := why(r, "statement.response-time"); err != nil || got != "fewer than twenty executions between two readings in a part of the first window" {
		t.Errorf("%q, %v", got, err)
	}
}

// A statement whose counters went back was truncated.
func TestGrowth(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(100+s), 0) }
	row := func(s int, digest string, count int64) recording.MySQLStatement {
		return recording.MySQLStatement{At: at(s), Digest: digest, Text: digest, Count: count, Took: time.Duration(count)}
	}
	got := growth([]recording.MySQLStatement{row(0, "a", 5), row(10, "a", 8), row(10, "a", 0), row(10, "b", 0), row(20, "a", 4), row(20, "b", 7), row(30, "a", 2), row(40, "b", 9)})
	var counts []string
	for _, r := range got {
		words := ""
		for _, g := range r.grown {
			words += g.Text + strings.Repeat("+", int(g.Count))
		}
		counts = append(counts, words)
	}
	if text := strings.Join(counts, " "); text != "a+++ a++++b+++++++  " {
		t.Errorf("%q", text)
	}
}
