package proc

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// queue records threads 101 and on of process 100, that wait for a lock which one of
// them, 110 unless told otherwise, holds.
type queue struct {
	waiters int
	share   float64 // of the readings
	holders []int32 // in turn
	holder  ruletest.Thread
	slices  int64   // that a waiter gets between two readings
	busy    float64 // share of the CPUs, more
	syncs   float64 // of /srv/journal, seconds per second
	others  int     // threads that were seen in such a sync each time
	caller  string  // function that wants it, if that was traced
}

func (q queue) host() *ruletest.Host {
	h := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.2 + q.busy}).Process(ruletest.Process{PID: 100, Comm: "shop", Threads: 10})
	q.holder.PID, q.holder.TID, q.holder.Comm = 100, 110, "reporter"
	h.Thread(q.holder)
	for i := range q.others {
		h.Thread(ruletest.Thread{PID: 100, TID: int32(120 + i), Comm: "flusher", State: "D", Syscall: "fsync"})
	}
	if q.syncs > 0 {
		for _, at := range []int{5, 10} {
			ruletest.Add(h, recording.SyncSum{At: ruletest.Start.Add(time.Duration(at) * time.Second), PID: 100, Process: "shop", Call: "fsync", Path: "/srv/journal", Device: "8:1",
				Span: 5 * time.Second, Calls: 5000, Time: time.Duration(q.syncs * 5e9), Longest: time.Millisecond})
		}
	}
	if q.caller != "" {
		h.Readings(func(at time.Time, s float64) {
			ruletest.Add(h, recording.OffCPUWait{At: at, PID: 100, TID: 101, State: "S", Span: time.Second, Waited: time.Second, Lock: 0x1000, Mutex: true, UserStack: "lock;" + q.caller, Caller: q.caller})
		})
	}
	for i := range q.waiters {
		tid := int32(101 + i)
		h.Thread(ruletest.Thread{PID: 100, TID: tid, Comm: "worker", Syscall: "futex"})
		n := 0
		h.Readings(func(at time.Time, s float64) {
			if n++; float64(n) > q.share*11+0.5 {
				return
			}
			ruletest.Add(h, recording.LockWait{At: at, PID: 100, TID: tid, Thread: "worker", Lock: 0x1000, Holder: q.holders[n%len(q.holders)], Slices: int64(n) * q.slices})
		})
	}
	return h
}

func TestLockContention(t *testing.T) {
	usual := queue{waiters: 4, share: 1, holders: []int32{110}, holder: ruletest.Thread{Syscall: "fdatasync", State: "D"}, slices: 1}
	situation := func(name string, want rule.Confidence, says string, change func(*queue)) ruletest.Situation {
		q := usual
		change(&q)
		return ruletest.Situation{Name: name, Host: q.host, Want: want, Kind: view.KindProcess, Subject: "shop", Low: 1, High: 4, Says: says, Proof: "the lock at 0x1000"}
	}
	ruletest.Check(t, lockContention, []ruletest.Situation{
		situation("all wait for one that syncs", rule.Likely, "reporter (110) holds it while it waits for a disk in fdatasync", func(*queue) {}),
		{Name: "and it is known who wants it", Host: func() *ruletest.Host { q := usual; q.caller = "take_stock"; return q.host() },
			Want: rule.Likely, Kind: view.KindProcess, Subject: "shop", Low: 1, High: 4, Proof: "most of the waiting came from take_stock"},
		situation("none of them runs meanwhile", rule.Certain, "4 threads of shop (100)", func(q *queue) { q.slices = 0 }),
		situation("the holder sleeps", rule.Likely, "while it sleeps in clock_nanosleep", func(q *queue) { q.holder = ruletest.Thread{Syscall: "clock_nanosleep"} }),
		situation("the holder asks a server", rule.Likely, "the network in recvfrom", func(q *queue) { q.holder = ruletest.Thread{Syscall: "recvfrom"} }),
		situation("the holder computes", rule.Likely, "while it runs", func(q *queue) { q.holder = ruletest.Thread{State: "R", CPU: 0.9} }),
		situation("it syncs for microseconds at a time, and is mostly seen to run", rule.Likely, "while it waits for a disk in fsync of /srv/journal", func(q *queue) {
			q.holder, q.syncs = ruletest.Thread{State: "D", Syscall: "fsync", Runs: 0.7, CPU: 0.4}, 0.85
		}),
		situation("the same, and CPUs are short", rule.Possible, "in fsync of /srv/journal", func(q *queue) {
			q.holder, q.syncs = ruletest.Thread{State: "D", Syscall: "fsync", Runs: 0.7, CPU: 0.1, RunDelay: 0.7}, 0.85
		}),
		situation("its own counters say that it does not run as often as it is seen to", rule.Likely, "by 11 looks was in fsync, waiting for a disk for about 60 % of that time, and running or ready to run for 40 %", func(q *queue) {
			q.holder = ruletest.Thread{State: "D", Syscall: "fsync", Runs: 0.7, CPU: 0.4}
		}),
		situation("another thread syncs, while it runs", rule.Likely, "while it runs", func(q *queue) {
			q.holder, q.syncs, q.others = ruletest.Thread{State: "D", Syscall: "fsync", Runs: 0.95, CPU: 0.95}, 0.9, 1
		}),
		situation("it runs, and its counters deny it", rule.Likely, "but for 10 % of that time at most", func(q *queue) {
			q.holder = ruletest.Thread{State: "R", CPU: 0.1}
		}),
		situation("the holder lacks a CPU", rule.Possible, "while it runs", func(q *queue) { q.holder = ruletest.Thread{State: "R", CPU: 0.3, RunDelay: 0.6} }),
		situation("they hold it in turn", rule.Likely, "in turn", func(q *queue) { q.holders = []int32{101, 102, 103, 110} }),
		situation("in turn, and none of the waiters runs", rule.Likely, "in turn", func(q *queue) { q.holders, q.slices = []int32{101, 102, 103, 110}, 0 }),
		situation("they compute in turn", rule.Possible, "in turn", func(q *queue) {
			q.holders, q.holder = []int32{101, 110, 102, 103, 110, 104}, ruletest.Thread{State: "R", CPU: 0.2}
		}),
		situation("the holder waits for a lock, and CPUs are short", rule.Possible, "another lock", func(q *queue) { q.holder, q.busy = ruletest.Thread{Syscall: "futex"}, 0.8 }),
		situation("the holder waits for a lock on an idle host", rule.Likely, "another lock", func(q *queue) { q.holder = ruletest.Thread{Syscall: "futex"} }),
		situation("one waits now and then", 0, "", func(q *queue) { q.waiters, q.share = 1, 0.5 }),
		situation("one incident", 0, "", func(q *queue) { q.share = 0.3 }),
		situation("nobody waits", 0, "", func(q *queue) { q.waiters = 0 }),
	})
}

// A wait of which it is not known how long it took has no length.
func TestLockWithoutLength(t *testing.T) {
	found := queue{waiters: 4, share: 1, holders: []int32{110}, holder: ruletest.Thread{Syscall: "fdatasync", State: "D"}, slices: 1}.host().Detect(t, lockContention)
	if len(found) != 1 || strings.Contains(found[0].Evidence[0].What.String(), "for one holder") {
		t.Fatalf("%+v", found)
	}
	if b := found[0].Behind[0]; b.Mean != 4 || b.TID != 110 || b.Call != "fdatasync" {
		t.Errorf("%+v, want 4 that wait for 110 in fdatasync", b)
	}
}

// cycle records threads that wait for the lock of the next one, and one behind.
type cycle struct {
	threads int
	timed   bool
	slices  int64
	until   float64 // the first one gets its lock then
}

func (c cycle) host() *ruletest.Host {
	h := ruletest.New(2, 10).Process(ruletest.Process{PID: 100, Comm: "bank", Threads: 5})
	for i := range c.threads + 1 {
		tid, holder := int32(101+i), int32(101+(i+1)%c.threads)
		h.Thread(ruletest.Thread{PID: 100, TID: tid, Comm: "transfer", Syscall: "futex"})
		n := int64(0)
		h.Readings(func(at time.Time, s float64) {
			n++
			if i == 0 && s > c.until {
				return
			}
			ruletest.Add(h, recording.LockWait{At: at, PID: 100, TID: tid, Thread: "transfer", Lock: 0x1000 + uint64(holder), Holder: holder, Timed: c.timed, Slices: 5 + n*c.slices})
		})
	}
	return h
}

func TestDeadlock(t *testing.T) {
	situation := func(name string, want rule.Confidence, threads int, says string, change func(*cycle)) ruletest.Situation {
		c := cycle{threads: threads, until: 100}
		change(&c)
		n := float64(threads) + 1
		return ruletest.Situation{Name: name, Host: c.host, Want: want, Kind: view.KindProcess, Subject: "bank", Low: n, High: n, Says: says, Proof: "has not run for at least 10 s"}
	}
	ruletest.Check(t, deadlock, []ruletest.Situation{
		situation("two threads", rule.Certain, 2, "transfer (101) and transfer (102) wait for each other's locks", func(*cycle) {}),
		situation("three threads", rule.Certain, 3, "transfer (101), transfer (102) and transfer (103)", func(*cycle) {}),
		situation("a thread and itself", rule.Likely, 1, "transfer (101) waits for a lock that it holds itself", func(*cycle) {}),
		situation("waits with a timeout", 0, 2, "", func(c *cycle) { c.timed = true }),
		situation("they ran between", 0, 2, "", func(c *cycle) { c.slices = 1 }),
		situation("one got its lock", 0, 2, "", func(c *cycle) { c.until = 8 }),
	})
	for _, s := range []cycle{{threads: 2, until: 100}} {
		if found := ruletest.Judge(t, s.host(), lockContention, 0); len(found) > 0 {
			t.Errorf("a deadlock is no contention: %+v", found)
		}
	}
}
