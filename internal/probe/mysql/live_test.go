package mysql

import (
	"context"
	"os"
	"testing"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

// TestLiveServer asks the server that RTRAIL_TEST_MYSQL names for three seconds
// and looks whether the tables fill.
func TestLiveServer(t *testing.T) {
	name := os.Getenv("RTRAIL_TEST_MYSQL")
	if name == "" {
		t.Skip("set RTRAIL_TEST_MYSQL=USER@HOST:PORT or a socket's path to ask a server")
	}
	target, err := mysqlconn.Parse(name, mysqlconn.ReadOptionFiles("/", os.Getenv), mysqlconn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := New([]mysqlconn.Target{target}, nil, Options{Deep: true, Explain: true})
	rec := recording.New(recording.Manifest{})
	r := probe.Runner{Probes: []probe.Probe{p}, Sink: rec}
	if err := r.Run(context.Background(), 3*time.Second); err != nil {
		t.Fatal(err)
	}
	for _, table := range rec.Tables() {
		t.Logf("%-20s %5d rows", table, rec.Count(table))
	}
	for _, s := range recording.Rows[recording.MySQLServer](rec) {
		t.Logf("%+v", s)
	}
	for _, s := range recording.Rows[recording.UnseenNote](rec) {
		t.Logf("%+v", s)
	}
	for _, s := range recording.Rows[recording.ProbeRun](rec) {
		t.Logf("%+v", s)
	}
	show[recording.MySQLLockWait](t, rec)
	show[recording.MySQLSession](t, rec)
	show[recording.MySQLTransaction](t, rec)
	show[recording.MySQLPoolGroup](t, rec)
	show[recording.MySQLStatement](t, rec)
	show[recording.MySQLPlan](t, rec)
	servers := recording.Rows[recording.MySQLServer](rec)
	if len(servers) < 3 {
		t.Fatalf("%d rows about the server in three seconds", len(servers))
	}
	last := servers[len(servers)-1]
	if last.State != recording.ServerAnswers {
		t.Errorf("the server is %s: %s", last.State, last.Error)
	}
	if rec.Count(recording.MySQLStatuses) == 0 || rec.Count(recording.MySQLVariables) == 0 {
		t.Error("tables are empty that every server fills")
	}
}

// show prints the rows of the last look.
func show[T recording.Row](t *testing.T, rec *recording.Recording) {
	rows := recording.Rows[T](rec)
	for _, r := range rows {
		if recording.TimeOf(&r).Equal(recording.TimeOf(&rows[len(rows)-1])) {
			t.Logf("%T %+v", r, r)
		}
	}
}
