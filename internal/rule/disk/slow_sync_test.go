package disk

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// syncs records what a process syncs for ten seconds, five at a time.
type syncs struct {
	path, call string
	perSecond  int64
	each       time.Duration
	files      int
	threads    int32
	kernel     bool
	seen       int32   // of threads; all but the first sleep
	others     float64 // cores that the second of them uses
	elsewhere  bool    // it waits for a disk, too
}

func (s syncs) host() *ruletest.Host {
	h := ruletest.New(2, 10).Process(ruletest.Process{PID: 812, Comm: "ledger", Threads: s.threads, Kernel: s.kernel})
	for i := range s.seen {
		x := ruletest.Thread{PID: 812, TID: 812 + i, Syscall: "futex"}
		switch {
		case i == 0:
			x.CPU, x.Syscall, x.State = 0.08, s.call, "D"
		case i == 1:
			x.CPU = s.others
			if s.elsewhere {
				x.Syscall, x.State = "pread64", "D"
			}
		}
		h.Thread(x)
	}
	for _, at := range []int{5, 10} {
		for i := range s.files {
			path := s.path
			if i > 0 && path != "" {
				path += string(rune('a' + i))
			}
			ruletest.Add(h, recording.SyncSum{At: ruletest.Start.Add(time.Duration(at) * time.Second), PID: 812, Process: "ledger", Call: s.call, Path: path, Device: "8:1",
				Span: 5 * time.Second, Calls: 5 * s.perSecond, Time: time.Duration(5*s.perSecond) * s.each, Longest: 2 * s.each})
		}
	}
	return h
}

// The longest of calls in slices of the time is a part of it, and not told.
func TestSlowSyncInSlices(t *testing.T) {
	h := ruletest.New(2, 10).Process(ruletest.Process{PID: 7, Comm: "redis", Threads: 1})
	ruletest.Add(h, recording.SyncSum{At: ruletest.Start.Add(9 * time.Second), PID: 7, Process: "redis", Call: "fdatasync", Path: "/srv/aof", Device: "7:3",
		Span: 8 * time.Second, Traced: 200 * time.Millisecond, Calls: 1, Time: 200 * time.Millisecond, Longest: 25 * time.Millisecond, Histogram: "32ms:1"})
	found := h.Detect(t, slowSync)
	if len(found) != 1 {
		t.Fatalf("%d findings", len(found))
	}
	for _, e := range found[0].Evidence {
		if strings.Contains(e.What.String(), "longest") {
			t.Errorf("says: %s", e.What)
		}
	}
	if s := h.View().Syncs()[0]; s.AtMost(0.99) < s.Average() {
		t.Errorf("99 %% take at most %v, all %v on average", s.AtMost(0.99), s.Average())
	}
}

func TestSlowSync(t *testing.T) {
	usual := syncs{path: "/srv/ledger/log", call: "fdatasync", perSecond: 90, each: 10 * time.Millisecond, files: 1, threads: 1}
	situation := func(name string, want rule.Confidence, low, high float64, change func(*syncs)) ruletest.Situation {
		return ruletest.Situation{Name: name, Want: want, Kind: view.KindProcess, Subject: "ledger", Low: low, High: high, Host: func() *ruletest.Host {
			s := usual
			change(&s)
			return s.host()
		}}
	}
	told := situation("a sync for each record", rule.Certain, 0.89, 0.91, func(*syncs) {})
	told.Says, told.Proof = "it syncs /srv/ledger/log", "0.9 s per second in fdatasync"
	ruletest.Check(t, slowSync, []ruletest.Situation{
		told,
		situation("one of several threads", rule.Likely, 0.89, 0.91, func(s *syncs) { s.threads = 5 }),
		situation("half of the time", rule.Likely, 0.5, 0.5, func(s *syncs) { s.perSecond = 50 }),
		situation("less than half of the time", 0, 0, 0, func(s *syncs) { s.perSecond = 49 }),
		situation("a fast device, and nothing but syncs", rule.Possible, 0.89, 0.91, func(s *syncs) { s.perSecond, s.each = 900, time.Millisecond }),
		situation("a fast device, and half of the time syncs", rule.Possible, 0.5, 0.5, func(s *syncs) { s.perSecond, s.each = 500, time.Millisecond }),
		situation("a fast device, and other work", 0, 0, 0, func(s *syncs) { s.perSecond, s.each = 490, time.Millisecond }),
		situation("mostly syncs of a slow device", rule.Likely, 0.79, 0.79, func(s *syncs) { s.perSecond = 79 }),
		situation("a fast device of a server with threads", 0, 0, 0, func(s *syncs) { s.perSecond, s.each, s.threads = 900, time.Millisecond, 30 }),
		situation("a fast device, and one of five threads works", rule.Possible, 0.89, 0.91, func(s *syncs) { s.perSecond, s.each, s.threads, s.seen, s.others = 900, time.Millisecond, 5, 5, 0.05 }),
		situation("a fast device, and two threads work", 0, 0, 0, func(s *syncs) { s.perSecond, s.each, s.threads, s.seen, s.others = 900, time.Millisecond, 5, 5, 0.06 }),
		situation("a fast device, and two threads wait for it", 0, 0, 0, func(s *syncs) {
			s.perSecond, s.each, s.threads, s.seen, s.elsewhere = 900, time.Millisecond, 5, 5, true
		}),
		situation("a fast device, and threads that nobody saw", 0, 0, 0, func(s *syncs) { s.perSecond, s.each, s.threads, s.seen = 900, time.Millisecond, 5, 4 }),
		situation("a checkpoint, each file once", 0, 0, 0, func(s *syncs) { s.perSecond, s.each, s.files = 1, 60*time.Millisecond, 15 }),
		situation("one long sync a second", 0, 0, 0, func(s *syncs) { s.perSecond, s.each = 1, 900*time.Millisecond }),
		situation("a file that is not known", 0, 0, 0, func(s *syncs) { s.path = "" }),
		situation("a thread of the kernel", 0, 0, 0, func(s *syncs) { s.kernel = true }),
		{Name: "nobody counted", Host: func() *ruletest.Host { return ruletest.New(2, 10) }, Abstains: "not counted"},
		{Name: "nobody synced", Host: func() *ruletest.Host {
			return ruletest.Add(ruletest.New(2, 10), recording.ProbeRun{At: ruletest.Start.Add(time.Second), Probe: "sync"})
		}},
	})
}
