package view

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

// TestFormsOfTables: what the tags of columns name is there, and fits its type.
func TestFormsOfTables(t *testing.T) {
	for _, rows := range []any{
		[]recording.PacketCapture{{}, {}}, []recording.PacketConnection{{}, {}}, []recording.PacketSide{{}, {}}, []recording.PacketService{{}, {}},
		[]recording.PacketHistogram{{}, {}}, []recording.PacketStatement{{}, {}}, []recording.PacketError{{}, {}}, []recording.PacketNesting{{}, {}},
		[]recording.PacketPath{{}, {}}, []recording.PacketRate{{}, {}}, []recording.PacketDirection{{}, {}}, []recording.PacketResolver{{}, {}},
		[]recording.PacketStall{{}, {}},
	} {
		list := reflect.ValueOf(rows)
		form := formOf(list.Type().Elem())
		if len(form.keys) == 0 {
			t.Errorf("%v: nothing tells its rows apart", list.Type().Elem())
		}
		sum := reflect.New(list.Type().Elem()).Elem()
		for i := range form.columns {
			form.columns[i].addUp(sum, list)
		}
	}
}

func TestOverIntervals(t *testing.T) {
	at := func(s int) time.Time { return time.Date(2026, 1, 31, 3, 0, s, 0, time.UTC) }
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(at(0))
	for i, row := range []recording.PacketStatement{
		{Count: 10, RTP10: 1, RTP50: 5, RTP95: 9, RTP99: 10, RTMax: 11, Failed: 1, Code: "1062", Clients: 3, IdleP50: recording.Unknown, IdleP95: recording.Unknown},
		{Count: 10, RTP10: 1, RTP50: 5, RTP95: 9, RTP99: 10, RTMax: 40, Failed: 7, Code: "1205", Clients: 2, IdleP50: 6, IdleP95: 8},
		{Count: 99, RTP10: 100, RTP50: 100, RTP95: 100, RTP99: 100, RTMax: 100, Clients: 1},
	} {
		row.At, row.Interval, row.Fingerprint = at(10*i+3), at(10*i), "SELECT ?"
		recording.Append(w, row)
		recording.Append(w, recording.PacketCapture{At: at(10 * i), Last: at(10*i + 9), Interval: at(10 * i), Source: "eth0", Packets: 100,
			Dropped: int64(-i % 2), Connections: 5, Carried: int64(2 * min(i, 1)), Resting: int64(i), Note: []string{"cut", "cut; odd", "even"}[i]})
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, at(5), at(15))
	statements := []recording.PacketStatement{{At: at(3), Interval: at(10), Fingerprint: "SELECT ?", Count: 20, RTP10: 1, RTP50: 5, RTP95: 9, RTP99: 10, RTMax: 40,
		Failed: 8, Code: "1205", Clients: 3, IdleP50: 6, IdleP95: 8}}
	if diff := cmp.Diff(statements, v.PacketStatements()); diff != "" {
		t.Error(diff)
	}
	captures := []recording.PacketCapture{{At: at(0), Last: at(19), Interval: at(10), Source: "eth0", Packets: 200, Dropped: recording.Unknown,
		Connections: 8, Resting: 1, Note: "cut; odd"}}
	if diff := cmp.Diff(captures, v.PacketCaptures()); diff != "" {
		t.Error(diff)
	}
	if n := New(rec, at(25), at(60)).PacketStatements(); len(n) != 1 || n[0].Count != 99 {
		t.Errorf("%+v", n)
	}
}

// TestMixture: percentiles of several intervals, as far as theirs tell.
func TestMixture(t *testing.T) {
	of := func(count int64, curve ...point) times { return times{count, curve} }
	even := []point{{0.1, 100}, {0.5, 500}, {0.95, 950}, {0.99, 990}, {1, 1000}}
	for _, tt := range []struct {
		name string
		of   mixture
		q    float64
		want int64
	}{
		{"one", mixture{of(7, even...)}, 0.5, 500},
		{"alike", mixture{of(7, even...), of(1, even...)}, 0.95, 950},
		{"the larger one", mixture{of(1, point{0.5, 10}), of(3, point{0.5, 20})}, 0.5, 20},
		{"the smaller one", mixture{of(3, point{0.5, 10}), of(1, point{0.5, 20})}, 0.5, 10},
		{"half are fast", mixture{of(100, even...), of(100, point{0.1, 1}, point{1, 1})}, 0.75, 500},
		{"all", mixture{of(100, even...), of(100, point{1, 7})}, 1, 1000},
	} {
		if got := tt.of.quantile(tt.q); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// Notes of intervals that differ in numbers only are told as one.
func TestJoinedNotes(t *testing.T) {
	for _, c := range []struct {
		name  string
		notes []string
		want  string
	}{
		{"nothing", []string{"", ""}, ""},
		{"the same", []string{"cut", "cut; odd", ""}, "cut; odd"},
		{"other numbers", []string{"begun before the capture: 4 of 48 connections", "begun before the capture: 4 of 35 connections; odd", "", "begun before the capture: 4 of 1,100 connections"},
			"begun before the capture: 4 of 48 connections, and the like in 2 more intervals; odd"},
		{"one more", []string{"captured twice and counted once: 2 packets", "captured twice and counted once: 3 packets"}, "captured twice and counted once: 2 packets, and the like in 1 more interval"},
		{"the same numbers", []string{"4 of 48", "4 of 48"}, "4 of 48"},
		{"other words", []string{"not read: 4 packets of link types", "not read: 4 packets neither"}, "not read: 4 packets of link types; not read: 4 packets neither"},
		{"two in one interval", []string{"eth0: cut", "eth0: cut; eth1: cut"}, "eth0: cut; eth1: cut"},
		{"twice in one interval", []string{"cut 1; cut 1", "cut 1"}, "cut 1"},
	} {
		if got := joined(c.notes); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
