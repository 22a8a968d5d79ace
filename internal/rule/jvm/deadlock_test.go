package jvm

import (
	"context"
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/stack"
	"rtrail/internal/view"
)

// A dump recorded of a JVM in which two threads took two locks in opposite
// orders, and a dozen others wait for locks and tasks.
func TestRecordedDeadlock(t *testing.T) {
	p, err := stack.Read(context.Background(), []string{"../../stack/testdata/java-17.jstack"}, nil, stack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := ruletest.New(2, 10)
	w := recording.NewWriter(ruletest.Start)
	p.Write(w)
	if err := h.Rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	found := ruletest.Judge(t, h, deadlock, rule.Certain)
	if len(found) != 1 || found[0].Headline.String() != "deadlock: 2 threads wait for each other's locks, and all are stuck" || found[0].Impact.TimeLost != 2 {
		t.Fatalf("found %+v", found)
	}
	const want = `"transfer-2" waits for 0x000000069ec1abc0 (java.lang.Object), which "transfer-1" holds, in Main.both <- Main.lambda$main$0`
	if got := found[0].Evidence[0].What.String(); !strings.HasPrefix(got, want) {
		t.Errorf("evidence %q, want %q", got, want)
	}
}

// lock is a lock that threads wait for.
func lock(id, waiter, holder string, cycle int32, waiters int64) recording.StackLock {
	return recording.StackLock{At: ruletest.Start, Source: "dump.txt", PID: recording.Unknown, Lock: id, Class: "java.util.concurrent.locks.ReentrantLock$NonfairSync",
		Holder: holder, Held: "jdk.internal.misc.Unsafe.park;Ledger.transfer;Ledger.run", Waiter: waiter, Waiters: waiters, Cycle: cycle}
}

func TestDeadlock(t *testing.T) {
	host := func(locks ...recording.StackLock) func() *ruletest.Host {
		return func() *ruletest.Host { return ruletest.Add(ruletest.New(2, 10), locks...) }
	}
	ruletest.Check(t, deadlock, []ruletest.Situation{
		{Name: "two threads", Host: host(lock("0x1", "a", "b", 1, 1), lock("0x2", "b", "a", 1, 1)), Want: rule.Certain, Kind: view.KindProcess, Subject: "java",
			Low: 2, High: 2, Says: "deadlock: 2 threads", Proof: `"a" waits for 0x1 (java.util.concurrent.locks.ReentrantLock$NonfairSync), which "b" holds, in Ledger.transfer <- Ledger.run`},
		{Name: "others behind them", Host: host(lock("0x1", "a", "b", 1, 4), lock("0x2", "b", "a", 1, 1), lock("0x3", "c", "a", 0, 5), lock("0x4", "d", "x", 0, 9)), Want: rule.Certain, Kind: view.KindProcess, Subject: "java",
			Low: 10, High: 10, Says: "and 8 more for theirs", Proof: "8 threads wait for a lock that one of them holds"},
		{Name: "two deadlocks", Host: host(lock("0x1", "a", "b", 1, 1), lock("0x2", "b", "a", 1, 1), lock("0x3", "c", "d", 2, 1), lock("0x4", "d", "c", 2, 1)), Want: rule.Certain, Kind: view.KindProcess, Subject: "java",
			Low: 4, High: 4, Says: "2 deadlocks: 4 threads"},
		{Name: "a queue for a lock", Host: host(lock("0x1", "a", "b", 0, 40))},
		{Name: "nobody waits", Host: host()},
		{Name: "holders are not told", Host: host(lock("0x1", "a", "", 0, 3)), Abstains: "the holder of 1 lock"},
		{Name: "a deadlock, and a holder that is not told", Host: host(lock("0x1", "a", "b", 1, 1), lock("0x2", "b", "a", 1, 1), lock("0x3", "c", "", 0, 1)), Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 2, High: 2},
	})
}

// Only where somebody waits for a lock there is something to be healthy.
func TestSeen(t *testing.T) {
	for name, c := range map[string]struct {
		v    *view.View
		want bool
	}{
		"nobody waits":   {ruletest.New(2, 10).View(), false},
		"somebody waits": {ruletest.Add(ruletest.New(2, 10), lock("0x1", "a", "b", 0, 1)).View(), true},
	} {
		if got := deadlock.Seen(c.v); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
