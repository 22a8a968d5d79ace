package view_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
		{1, []view.MySQLVictim{{Session: 2, Kind: "row", Object: "shop.stock", Waited: 13 * time.Second, Behind: 1}, {Session: 3, Kind: "row", Object: "shop.stock", Waited: 11 * time.Second, Behind: 1}}, 2},
		{8, []view.MySQLVictim{{Session: 9, Kind: "row", Object: "shop.stock", Waited: recording.Unknown, Behind: 8}}, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blockers (-want +got):\n%s", diff)
	}
	if n := v.RowLockWaiters("10.0.0.2:3306"); n != 2 {
		t.Errorf("%v transactions wait at a time, want 2", n)
	}
}

// A recording sorts its rows: whom a connection waits behind must not depend on
// their order.
func TestBlockersOfNeedsNoOrder(t *testing.T) {
	waits := []recording.MySQLLockWait{
		{Kind: "row", Waiting: 3, Blocking: 2}, {Kind: "row", Waiting: 3, Blocking: 5, BlockingFor: 40 * time.Second},
		{Kind: "row", Waiting: 3, Blocking: 4, BlockingFor: time.Second}, {Kind: "row", Waiting: 2, Blocking: 5, BlockingFor: 40 * time.Second},
		{Kind: "metadata", Waiting: 4, Blocking: 1},
	}
	blockers := func() []view.MySQLBlocker {
		return ruletest.New(2, 10).MySQL(ruletest.MySQL{}).LockWaits(waits...).View().BlockersOf("10.0.0.2:3306")
	}
	want := blockers()
	if len(want) != 2 || want[0].Session != 5 || len(want[0].Victims) != 2 {
		t.Fatalf("blockers %+v", want)
	}
	slices.Reverse(waits)
	if diff := cmp.Diff(want, blockers(), cmpopts.SortSlices(func(a, b view.MySQLVictim) bool { return a.Session < b.Session })); diff != "" {
		t.Errorf("in another order (-want +got):\n%s", diff)
	}
}

// One connection holds rows that some want and the definition that others want:
// each is found behind what it waits for.
func TestBlockersOfByKind(t *testing.T) {
	wait := func(kind string, waiting, blocking int64) recording.MySQLLockWait {
		return recording.MySQLLockWait{Kind: kind, Object: "shop." + kind, Waiting: waiting, Blocking: blocking, Waited: recording.Unknown}
	}
	h := ruletest.New(2, 10).MySQL(ruletest.MySQL{}).LockWaits(
		wait("row", 171, 170),
		wait("metadata", 172, 171), wait("metadata", 172, 170), // both use the table, and 171 waits for a row itself
		wait("metadata", 173, 172),
		wait("metadata", 30, 20), wait("row", 20, 10), // the way to the root leads over another kind of lock
	)
	v := h.View()
	show := func(kinds ...string) (list []string) {
		for _, b := range v.BlockersOf("10.0.0.2:3306", kinds...) {
			text := fmt.Sprintf("%d %s", b.Session, b.Kind)
			if b.Behind != 0 {
				text += fmt.Sprintf(" (behind %d: %s)", b.Behind, b.BehindKind)
			}
			for _, x := range b.Victims {
				text += fmt.Sprintf(", %d %s of %s behind %d", x.Session, x.Kind, x.Object, x.Behind)
			}
			list = append(list, text)
		}
		slices.Sort(list)
		return list
	}
	for name, x := range map[string]struct{ got, want []string }{
		"all": {show(), []string{
			"10 row, 30 metadata of shop.metadata behind 20, 20 row of shop.row behind 10",
			"170 metadata, 172 metadata of shop.metadata behind 170, 173 metadata of shop.metadata behind 172",
			"170 row, 171 row of shop.row behind 170"}},
		"row": {show("row"), []string{"10 row, 20 row of shop.row behind 10", "170 row, 171 row of shop.row behind 170"}},
		"metadata": {show("metadata", "table"), []string{
			"170 metadata, 172 metadata of shop.metadata behind 170, 173 metadata of shop.metadata behind 172",
			"20 metadata (behind 10: row), 30 metadata of shop.metadata behind 20"}},
	} {
		if diff := cmp.Diff(x.want, x.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What is known of the transaction of a blocker comes from the same look.
func TestBlockersOfTransactions(t *testing.T) {
	const all = "status,transactions,sessions"
	open := recording.MySQLTransaction{Session: 17}
	prepared := recording.MySQLTransaction{Session: 17, Prepared: true}
	lost, young := recording.MySQLTransaction{ID: "8", Prepared: true}, recording.MySQLTransaction{ID: "9"}
	wait := recording.MySQLLockWait{Kind: "row", Waiting: 21, Blocking: 17}
	nobody := recording.MySQLLockWait{Kind: "row", Waiting: 21, Detached: true}
	for name, x := range map[string]struct {
		wait      recording.MySQLLockWait
		list      []recording.MySQLTransaction
		collected string
		want      view.MySQLTransacting
	}{
		"open":                     {wait, []recording.MySQLTransaction{open}, all, view.OpenTransaction},
		"prepared":                 {wait, []recording.MySQLTransaction{prepared}, all, view.PreparedTransaction},
		"none":                     {wait, []recording.MySQLTransaction{lost}, all, view.NoTransaction},
		"none at all":              {wait, nil, all, view.NoTransaction},
		"not read":                 {wait, nil, "status,sessions", view.TransactionUnknown},
		"too many":                 {wait, slices.Repeat([]recording.MySQLTransaction{{Session: 5}}, 200), all, view.TransactionUnknown},
		"without a connection":     {nobody, []recording.MySQLTransaction{open, lost}, all, view.PreparedTransaction},
		"several without":          {nobody, []recording.MySQLTransaction{lost, lost}, all, view.PreparedTransaction},
		"not all of them prepared": {nobody, []recording.MySQLTransaction{lost, young}, all, view.OpenTransaction},
		"the server does not tell": {recording.MySQLLockWait{Kind: "metadata", Waiting: 21}, []recording.MySQLTransaction{lost}, all, view.TransactionUnknown},
	} {
		h := ruletest.New(2, 10).MySQL(ruletest.MySQL{Collected: x.collected}).LockWaits(x.wait).Transactions(x.list...)
		if got := h.View().BlockersOf("10.0.0.2:3306")[0].Transaction; got != x.want {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
}
