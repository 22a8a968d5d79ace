package mysqlview

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// A wait that is not over is told again, so that a look at any moment finds it; how
// long it takes is not said before it took some time.
func TestBlockersAreToldAgain(t *testing.T) {
	l := Lines{Zone: time.UTC}
	var told []int
	for i := range 11 {
		var b bytes.Buffer
		l.Out = &b
		r := unknownRow()
		r.At, r.State = noon.Add(time.Duration(i)*time.Second), recording.ServerAnswers
		r.Blockers = []view.MySQLBlocker{{Session: 41, Kind: "row", Object: "shop.orders", Victims: []view.MySQLVictim{{Session: 1, Waited: time.Duration(i) * time.Second}}}}
		if err := l.Row(&r); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("1 session waits %d s for the row lock of shop.orders", i)
		if i == 0 {
			want = "1 session waits for the row lock of shop.orders"
		}
		if strings.Contains(b.String(), want) {
			told = append(told, i)
		}
	}
	if diff := cmp.Diff([]int{0, 5, 10}, told); diff != "" {
		t.Errorf("told in lines (-want +got):\n%s", diff)
	}
}

// Who waits for whom is told when it begins, when it changes and when it ends, and
// not in every line.
func TestBlockersAreTold(t *testing.T) {
	holder := view.MySQLBlocker{Session: 17, Kind: "row", Object: "shop.stock", User: "app\x1b[31m", Client: "10.0.0.7", Command: "Sleep", For: 41 * time.Second,
		Statement: "UPDATE stock SET n = ?", Victims: []view.MySQLVictim{{Session: 21, Waited: 12 * time.Second, Behind: 17}, {Session: 22, Waited: recording.Unknown, Behind: 21}}}
	other := view.MySQLBlocker{Detached: true, Transaction: view.PreparedTransaction, Kind: "metadata", For: recording.Unknown, Victims: []view.MySQLVictim{{Session: 30, Waited: recording.Unknown}}}
	const first = "2 sessions wait up to 12 s for the row lock of shop.stock, held by 17 app\\x1b[31m@10.0.0.7 Sleep 41 s; last: UPDATE stock SET n = ?"
	const second = "1 session waits for the metadata lock of an unknown table, held by a prepared XA transaction without a connection"
	l := Lines{Zone: time.UTC}
	for i, step := range []struct {
		blockers []view.MySQLBlocker
		want     []string
	}{
		{nil, nil},
		{[]view.MySQLBlocker{holder}, []string{first}},
		{[]view.MySQLBlocker{holder}, nil},
		{[]view.MySQLBlocker{holder, other}, []string{first, second}},
		{[]view.MySQLBlocker{other, holder}, nil},
		{nil, []string{"no session waits for a lock any more"}},
		{nil, nil},
	} {
		var b bytes.Buffer
		l.Out = &b
		r := unknownRow()
		r.At, r.State, r.Blockers = noon.Add(time.Duration(i)*time.Second), recording.ServerAnswers, step.blockers
		if err := l.Row(&r); err != nil {
			t.Fatal(err)
		}
		_, below, _ := strings.Cut(b.String(), r.At.Format(timeLayout))
		var got []string
		for line := range strings.Lines(below) {
			if strings.HasPrefix(line, "          ") && len(strings.TrimSpace(line)) > 0 {
				got = append(got, strings.TrimSpace(line))
			}
		}
		if strings.Join(got, "|") != strings.Join(step.want, "|") {
			t.Errorf("line %d: %q, want %q", i, got, step.want)
		}
	}
	many := make([]view.MySQLBlocker, 9)
	if told := Waits(many); len(told) != maxBlockers+1 || !strings.Contains(told[maxBlockers], "6 more") {
		t.Errorf("nine who hold others up are told as %q", told)
	}
}

// A server cannot forge a line by the name of a schema.
func TestStatementsAreOneLine(t *testing.T) {
	s := Statement{Schema: "db\nFORGED", Text: "SELECT 1\r\nFORGED\x1b[2J"}
	if got := s.Label(); strings.ContainsAny(got, "\n\r\x1b") || !strings.HasPrefix(got, "db FORGED: SELECT 1") {
		t.Errorf("%q", got)
	}
}
