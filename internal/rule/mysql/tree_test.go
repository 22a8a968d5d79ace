package mysql

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// The short form says who blocks, since when and after what, who waits and for how
// long, and who waits for whom, by name.
func TestTreeOfRowLocks(t *testing.T) {
	updating := recording.MySQLSession{User: "app", Client: "10.0.0.8", State: "updating", Statement: "UPDATE stock SET n = n - ?"}
	h := server(ruletest.MySQL{Sessions: []recording.MySQLSession{updating, updating, updating}}).
		LockWaits(idleBlocker(100, 2*second), idleBlocker(101, second), behindOther(102, 101))
	v := verdict.Judge(h.View(), []rule.Rule{rowLockWait})
	for _, width := range []int{80, 120} {
		var out strings.Builder
		if err := document.Terminal(&out, report.Compose(v, false), document.TerminalOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"row lock: connection 17 (app@10.0.0.5) blocks 3 connections of",
			"   waits    17 app@10.0.0.5, open 30 s, idle after UPDATE stock SET n = n - ?\n",
			"            ├─ 100 app@10.0.0.8, waits 12 s: UPDATE stock SET n = n - ?",
			"            ├─ 101 app@10.0.0.8, waits 11 s: UPDATE stock SET n = n - ?",
			"            └─ 102 app@10.0.0.8, waits 11 s for 101: UPDATE stock SET n = n - ?",
			"select * from information_schema.processlist where id in (17, 100, 101, 102)",
			"CHANGE   connection 17 must commit or roll back, or be killed\n",
			"3 connections of app@10.0.0.8: 100, 101, 102 (up to 12 s) → mariadbd (812)",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("at %d columns it lacks %q:\n%s", width, want, out.String())
			}
		}
	}
}

// A tree is never drawn as if those in it were all.
func TestTreeCountsWhomItLeavesOut(t *testing.T) {
	for waiting, want := range map[int]string{3: "102, waits", 4: "and 2 more", 12: "and 10 more"} {
		s := server(ruletest.MySQL{Collected: allRead})
		var waits []recording.MySQLLockWait
		for i := range waiting {
			waits = append(waits, idleBlocker(int64(100+i), second))
		}
		tree := s.LockWaits(waits...).Detect(t, rowLockWait)[0].Tree
		if last := tree[len(tree)-1].String(); len(tree) != 4 || !strings.HasPrefix(last, want) {
			t.Errorf("%d wait: %q", waiting, tree)
		}
	}
}

func TestTreesOfOtherHolders(t *testing.T) {
	prepared, running := idleBlocker(21, second), idleBlocker(21, second)
	prepared.Blocking, prepared.Detached, prepared.BlockingCommand, prepared.BlockingUser, prepared.BlockingStatement = 0, true, "", "", ""
	running.BlockingCommand = "Query"
	for name, x := range map[string]struct {
		waits []recording.MySQLLockWait
		list  []recording.MySQLTransaction
		want  []string
	}{
		"a chain": {[]recording.MySQLLockWait{idleBlocker(21, 2*second), behindOther(22, 21)}, nil, []string{
			"17 app@10.0.0.5, open 30 s, idle after UPDATE stock SET n = n - ?",
			"21, waits 12 s: UPDATE stock SET n = n - ? WHERE id = ?", "22, waits 11 s for 21: UPDATE stock SET n = n - ? WHERE id = ?"}},
		"a statement": {[]recording.MySQLLockWait{running}, nil, []string{
			"17 app@10.0.0.5, open 30 s, runs UPDATE stock SET n = n - ?", "21, waits 11 s: UPDATE stock SET n = n - ? WHERE id = ?"}},
		"a prepared transaction": {[]recording.MySQLLockWait{prepared}, []recording.MySQLTransaction{{Prepared: true}}, []string{
			"a prepared XA transaction without a connection, open 30 s, it waits for XA COMMIT or XA ROLLBACK",
			"21, waits 11 s: UPDATE stock SET n = n - ? WHERE id = ?"}},
	} {
		var got []string
		for _, line := range server(ruletest.MySQL{Collected: allRead}).LockWaits(x.waits...).Transactions(x.list...).Detect(t, rowLockWait)[0].Tree {
			got = append(got, line.String())
		}
		if diff := cmp.Diff(x.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	// Where each waits behind another one, there is none to draw.
	hot := changing(server(ruletest.MySQL{Gauges: map[string]float64{"Threads_running": 10}}), 4, 0)
	if list := hot.Detect(t, rowLockWait)[0].Tree; list != nil {
		t.Errorf("hot rows: %v", list)
	}
}
