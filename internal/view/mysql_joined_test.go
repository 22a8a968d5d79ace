package view_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func TestMySQLJoined(t *testing.T) {
	digests := []recording.MySQLStatement{
		{Text: "SELECT `name` FROM `item` WHERE `id` = ?", Count: 50, Took: 40 * time.Millisecond},
		{Text: "select `n` from `stock`", Count: 10, Took: 10 * time.Second},
		{Text: "SELECT ?", Count: 10, Took: time.Second},
	}
	h := ruletest.New(2, 10).MySQL(ruletest.MySQL{Digests: digests}).PacketCapture(nil)
	h.Packets(ruletest.PacketService{Rate: 10, RTs: []time.Duration{time.Second}})
	h.PacketStatement(recording.PacketStatement{Fingerprint: "SELECT n FROM stock"}, time.Second, time.Second)
	h.PacketStatement(recording.PacketStatement{Fingerprint: "SELECT name FROM item WHERE id = ?"}, time.Second, 3*time.Second)
	h.PacketStatement(recording.PacketStatement{Fingerprint: "SELECT elsewhere FROM item", Server: "10.0.0.9"}, time.Second)
	h.PacketStatement(recording.PacketStatement{Fingerprint: "COMMIT"}, time.Second)
	v := h.View()
	type row struct {
		Text             string
		Requests         int64
		Executed, Before time.Duration
	}
	var got []row
	for _, j := range v.MySQLJoinedOf(v.MySQLServers()[0]) {
		got = append(got, row{j.Text, j.Requests, j.Executed, j.Before()})
	}
	want := []row{
		{"SELECT name FROM item WHERE id = ?", 2, 800 * time.Microsecond, 4*time.Second - 1600*time.Microsecond},
		{"SELECT n FROM stock", 2, time.Second, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("joined statements (-want +got):\n%s", diff)
	}
}

func TestMySQLJoinedNeedsBoth(t *testing.T) {
	v := ruletest.New(2, 10).MySQL(ruletest.MySQL{Digests: []recording.MySQLStatement{{Text: "SELECT ?", Count: 1}}}).View()
	if list := v.MySQLJoinedOf(v.MySQLServers()[0]); len(list) > 0 {
		t.Errorf("joined without a capture: %+v", list)
	}
}

func TestBlockersOfFollowsChains(t *testing.T) {
	wait := func(waiting, blocking int64, waited time.Duration) recording.MySQLLockWait {
		return recording.MySQLLockWait{Kind: "row", Object: "shop.stock", Waiting: waiting, Blocking: blocking, Waited: waited}
	}
	h := ruletest.New(2, 10).MySQL(ruletest.MySQL{}).LockWaits(wait(2, 1, 3*time.Second), wait(3, 2, time.Second), wait(3, 1, time.Second), wait(9, 8, recording.Unknown))
	h.Transactions(recording.MySQLTransaction{Session: 2, State: "LOCK WAIT"}, recording.MySQLTransaction{Session: 3, State: "LOCK WAIT"}, recording.MySQLTransaction{Session: 1})
	v := h.View()
	type row struct {
		Session int64
		Victims []view.MySQLVictim
		Waited  float64
	}
	var got []row
	for _, b := range v.BlockersOf("10.0.0.2:3306") {
		got = append(got, row{b.Session, b.Victims, b.Waited})
	}
	want := []row{
		{1, []view.MySQLVictim{{Session: 2, Waited: 13 * time.Second, Behind: 1}, {Session: 3, Waited: 11 * time.Second, Behind: 2}}, 2},
		{8, []view.MySQLVictim{{Session: 9, Waited: recording.Unknown, Behind: 8}}, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blockers (-want +got):\n%s", diff)
	}
	if n := v.RowLockWaiters("10.0.0.2:3306"); n != 2 {
		t.Errorf("%v transactions wait at a time, want 2", n)
	}
}
