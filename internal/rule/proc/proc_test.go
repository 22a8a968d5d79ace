package proc

import (
	"math"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// children records n zombies of PID 50, of which the first old ones were
// there before; the others come one after the other. life is how long each
// stays; 0: forever.
func children(h *ruletest.Host, n, old int, life float64) {
	h.Process(ruletest.Process{PID: 50, Comm: "supervisor"})
	for i := range n {
		from := 0.0
		if i >= old {
			from = 1 + 6*float64(i-old)/float64(max(n-old, 1))
		}
		to := 0.0
		if life > 0 {
			to = from + life
		}
		h.Process(ruletest.Process{PID: int32(100 + i), PPID: 50, Comm: "sh", State: "Z", From: from, To: to})
	}
}

func TestZombies(t *testing.T) {
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"they pile up", func(h *ruletest.Host) { children(h, 30, 10, 0) }, rule.Certain},
		{"a hundred old ones", func(h *ruletest.Host) { children(h, 100, 100, 0) }, rule.Likely},
		{"a dozen old ones", func(h *ruletest.Host) { children(h, 12, 12, 0) }, rule.Possible},
		{"two old ones", func(h *ruletest.Host) { children(h, 2, 2, 0) }, 0},
		{"children that are collected at once", func(h *ruletest.Host) { children(h, 30, 0, 0.3) }, 0},
		{"collected after some seconds", func(h *ruletest.Host) { children(h, 30, 0, 2.5) }, 0},
		{"a dead main thread of a living process", func(h *ruletest.Host) {
			for i := range int32(30) {
				h.Process(ruletest.Process{PID: 100 + i, PPID: 50, Comm: "java", State: "Z", Threads: 4})
			}
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			found := ruletest.Judge(t, h, zombies, tt.want)
			if tt.want > 0 && (found[0].Subject.PID != 50 || found[0].Subject.Name != "supervisor") {
				t.Errorf("subject %+v, want the parent", found[0].Subject)
			}
		})
	}
}

// inD records a thread that is in D in every sample; with progress it gets a
// time slice between them.
func inD(h *ruletest.Host, pid, tid int32, where string, progress bool) {
	n := int64(0)
	ruletest.Every(h, func(at time.Time, s float64) recording.ThreadSample {
		if progress {
			n++
		}
		return recording.ThreadSample{At: at, PID: pid, TID: tid, Comm: "writer", State: "D", WaitChannel: where, Slices: 5 + n, Syscall: -1, SyscallName: "openat"}
	})
}

func TestUninterruptible(t *testing.T) {
	several := func(where string, n int32, progress bool) func(*ruletest.Host) {
		return func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 7, Comm: "writer"})
			for i := range n {
				inD(h, 7, 10+i, where, progress)
			}
			h.System(ruletest.System{Load1: 4.2})
		}
	}
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"threads at a frozen filesystem", several("percpu_rwsem_wait", 4, false), rule.Certain},
		{"one thread that never comes back", several("rpc_wait_bit_killable", 1, false), rule.Certain},
		{"again and again for a lock", several("rwsem_down_write_slowpath", 2, true), rule.Likely},
		{"many readers of one disk", several("folio_wait_bit_common", 4, true), rule.Likely},
		{"a copy", several("folio_wait_bit_common", 1, true), 0},
		{"syncs on XFS", several("xlog_wait_on_iclog", 1, true), 0},
		{"syncs on XFS of an older kernel", several("__xfs_log_force_lsn", 1, true), 0},
		{"syncs on XFS of a still older kernel", several("_xfs_log_force_lsn", 1, true), 0},
		{"syncs on Btrfs", several("wait_log_commit", 1, true), 0},
		{"syncs on Btrfs that wait for a transaction", several("wait_for_commit", 1, true), 0},
		{"creates on Btrfs", several("wait_current_trans", 1, true), 0},
		{"syncs on ZFS", several("cv_wait_common", 1, true), 0},
		{"many syncs on ZFS", several("cv_wait_common", 4, true), rule.Likely},
		{"writes to a journal of ext4", several("do_get_write_access", 1, true), 0},
		{"waits for room in the journal of ext4", several("add_transaction_credits", 1, true), 0},
		{"writes that are held back for reads", several("wbt_wait", 1, true), 0},
		{"many syncs on XFS", several("xlog_wait_on_iclog", 4, true), rule.Likely},
		{"again and again for a lock of XFS", several("rwsem_down_read_slowpath", 1, true), rule.Likely},
		{"frozen by a cgroup", several("__refrigerator", 4, false), rule.Possible},
		{"nobody may see where", several("", 2, false), rule.Likely},
		{"nobody may see where, and it gets on", several("", 1, true), rule.Possible},
		{"nobody may see where, and many get on", several("", 4, true), rule.Likely},
		{"kernel threads", func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 7, Comm: "kworker", Kernel: true, State: "D"})
			inD(h, 7, 7, "percpu_rwsem_wait", false)
		}, 0},
		{"a process that no thread sample shows", func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 7, Comm: "backup", State: "D", Change: func(_ float64, p *recording.ProcessSample) { p.WaitChannel = "request_wait_answer" }})
		}, rule.Certain},
		{"in D at the moment of one reading", func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 7, Comm: "backup", Change: func(s float64, p *recording.ProcessSample) {
				if s == 3 {
					p.State, p.WaitChannel = "D", "request_wait_answer"
				}
			}})
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			ruletest.Judge(t, h, uninterruptible, tt.want)
		})
	}
}

// Where nobody may see what a thread waits for, it hangs only if it never gets on.
func TestUninterruptibleInUnknownPlace(t *testing.T) {
	for _, tt := range []struct {
		name         string
		threads      int32
		progress     bool
		want         rule.Confidence
		says         string
		notes, fixes int
	}{
		{"a copy of another user", 1, true, rule.Possible, "a thread of writer (7) is mostly in uninterruptible sleep; where cannot be read", 1, 1},
		{"two threads that get on", 2, true, rule.Possible, "2 threads of writer (7) are mostly in uninterruptible sleep; where cannot be read", 1, 1},
		{"a thread that never comes back", 1, false, rule.Likely, "a thread of writer (7) hangs in uninterruptible sleep, in an unknown place in the kernel", 0, 2},
		{"many that get on", 4, true, rule.Likely, "4 threads of writer (7) hang in uninterruptible sleep, in an unknown place in the kernel", 0, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10).Process(ruletest.Process{PID: 7, Comm: "writer"})
			for i := range tt.threads {
				inD(h, 7, 10+i, "", tt.progress)
			}
			f := ruletest.Judge(t, h, uninterruptible, tt.want)[0]
			if f.Headline.String() != tt.says || len(f.Notes) != tt.notes || len(f.Fixes) != tt.fixes {
				t.Errorf("%q, notes %v, fixes %v", f.Headline, f.Notes, f.Fixes)
			}
			if says := strings.Contains(f.Impact.Text.String(), "hang"); says != (tt.want == rule.Likely) {
				t.Errorf("impact: %s", f.Impact.Text)
			}
		})
	}
}

func TestUninterruptibleReadsStacks(t *testing.T) {
	h := ruletest.New(2, 10)
	h.Process(ruletest.Process{PID: 7, Comm: "tar"})
	ruletest.Every(h, func(at time.Time, s float64) recording.ThreadSample {
		return recording.ThreadSample{At: at, PID: 7, TID: 7, Comm: "tar", State: "D", Stack: "schedule;io_schedule;fuse_wait_answer+0x20;fuse_simple_request", Syscall: -1}
	})
	found := ruletest.Judge(t, h, uninterruptible, rule.Certain)
	if want := "a FUSE file server"; !strings.Contains(found[0].Headline.String(), want) {
		t.Errorf("headline %q does not speak of %q", found[0].Headline, want)
	}
}

// A queue that is full because a worker has no descriptor left is its symptom, also if the
// listener belongs to the process that started the worker.
func TestFDLimitExplainsTheQueueOfItsListener(t *testing.T) {
	h := ruletest.New(2, 10)
	h.Process(ruletest.Process{PID: 5, PPID: 1, Comm: "api"})
	descriptorsOf(h, 7, 64, 64)
	listening(h, 5, 97)
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 900, PID: 7, FD: 3})
	f := ruletest.Judge(t, h, fdLimit, rule.Certain)[0]
	if l := (view.Entity{Kind: view.KindListener, Name: "api", PID: 5, Port: 8080, NetNS: 1, Started: startOf(h, 5)}); !f.Affected(l) {
		t.Errorf("%+v is not affected: %+v", l, f.Affects)
	}
}

func startOf(h *ruletest.Host, pid int32) time.Time {
	p, _ := h.View().Process(pid)
	return p.Started
}

// descriptorsOf records a process and its descriptors.
func descriptorsOf(h *ruletest.Host, pid int32, files, soft int64) {
	h.Process(ruletest.Process{PID: pid, PPID: 1, Comm: "api"})
	ruletest.Every(h, func(at time.Time, s float64) recording.LimitSample {
		return recording.LimitSample{At: at, PID: pid, Files: files, FilesSoft: soft, FilesHard: 4096}
	})
}

// countedOnce records a process whose descriptors are counted once in the window, at the limit.
func countedOnce(h *ruletest.Host, pid int32, second int) {
	h.Process(ruletest.Process{PID: pid, PPID: 1, Comm: "api"})
	ruletest.Add(h, recording.LimitSample{At: ruletest.Start.Add(time.Duration(second) * time.Second), PID: pid, Files: 64, FilesSoft: 64, FilesHard: 4096})
}

func listening(h *ruletest.Host, pid int32, queue uint32) {
	listeningWith(h, pid, func(float64) uint32 { return queue })
}

// queueFrom records a listener in the queue of which connections wait from a second on.
func queueFrom(h *ruletest.Host, pid int32, second float64) {
	listeningWith(h, pid, func(s float64) uint32 {
		if s < second {
			return 0
		}
		return 97
	})
}

func listeningWith(h *ruletest.Host, pid int32, waiting func(s float64) uint32) {
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 900, PID: pid, FD: 3})
	ruletest.Every(h, func(at time.Time, s float64) recording.ListenerSample {
		queue := waiting(s)
		return recording.ListenerSample{At: at, NetNS: 1, Local: "0.0.0.0", Port: 8080, Inode: 900, Queue: queue, Backlog: 128}
	})
}

func TestFDLimit(t *testing.T) {
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"at the limit, clients queue", func(h *ruletest.Host) { descriptorsOf(h, 7, 64, 64); listening(h, 7, 97) }, rule.Certain},
		{"at the limit", func(h *ruletest.Host) { descriptorsOf(h, 7, 64, 64) }, rule.Likely},
		{"counted once, clients queue all the time", func(h *ruletest.Host) { countedOnce(h, 7, 5); queueFrom(h, 7, 0) }, rule.Certain},
		{"counted once, clients queue since then", func(h *ruletest.Host) { countedOnce(h, 7, 7); queueFrom(h, 7, 7) }, rule.Likely},
		{"counted once, clients queue after it", func(h *ruletest.Host) { countedOnce(h, 7, 2); queueFrom(h, 7, 6) }, rule.Possible},
		{"counted once, at the end", func(h *ruletest.Host) { countedOnce(h, 7, 10); queueFrom(h, 7, 9) }, rule.Possible},
		{"counted once", func(h *ruletest.Host) { countedOnce(h, 7, 5) }, rule.Possible},
		{"near it", func(h *ruletest.Host) { descriptorsOf(h, 7, 950, 1024); listening(h, 7, 97) }, rule.Possible},
		{"far from it", func(h *ruletest.Host) { descriptorsOf(h, 7, 500, 1024); listening(h, 7, 97) }, 0},
		{"not readable", func(h *ruletest.Host) { descriptorsOf(h, 7, recording.Unknown, recording.Unknown) }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			ruletest.Judge(t, h, fdLimit, tt.want)
		})
	}
}

func TestFDLimitNamesWorkersOnceWithTheirPort(t *testing.T) {
	h := ruletest.New(2, 10)
	descriptorsOf(h, 7, 64, 64)
	descriptorsOf(h, 8, 63, 64)
	listening(h, 7, 97)
	found := ruletest.Judge(t, h, fdLimit, rule.Certain)
	if len(found) != 1 {
		t.Fatalf("%d findings for two workers of one server", len(found))
	}
	want := "api (7) on :8080 and 1 more like it cannot accept connections: it has used up its 64 file descriptors"
	if got := found[0].Headline.String(); got != want {
		t.Errorf("headline %q, want %q", got, want)
	}
}

func TestHostFileTable(t *testing.T) {
	h := ruletest.New(2, 10)
	descriptorsOf(h, 7, 5, 1024)
	ruletest.Every(h, func(at time.Time, s float64) recording.SystemSample {
		return recording.SystemSample{At: at, FilesOpen: 9990, FilesMax: 10000}
	})
	ruletest.Judge(t, h, fdLimit, rule.Likely)
}

// tasksOf records a control group with that many tasks of so many, and forks refused per second.
func tasksOf(h *ruletest.Host, path string, tasks, limit int64, refused float64) {
	h.Cgroup(ruletest.Cgroup{Path: path, Change: func(s float64, row *recording.CgroupSample) {
		row.Pids, row.PidsMax, row.PidsEvents = tasks, limit, 7+int64(refused*s)
	}})
}

func TestTaskLimits(t *testing.T) {
	const none = math.MaxInt64
	forks := ruletest.System{Forks: 10, Tasks: 300}
	tests := []struct {
		name    string
		build   func(*ruletest.Host)
		want    rule.Confidence
		subject string
	}{
		{"forks refused", func(h *ruletest.Host) { tasksOf(h, "/web", 512, 512, 20) }, rule.Certain, "/web"},
		{"refused before the window", func(h *ruletest.Host) { tasksOf(h, "/web", 40, 512, 0) }, 0, ""},
		{"near it", func(h *ruletest.Host) { tasksOf(h, "/web", 470, 512, 0) }, rule.Possible, "/web"},
		{"far from it", func(h *ruletest.Host) { tasksOf(h, "/web", 200, 512, 0) }, 0, ""},
		{"not readable", func(h *ruletest.Host) { tasksOf(h, "/web", recording.Unknown, recording.Unknown, 0) }, 0, ""},
		{"without a limit", func(h *ruletest.Host) { tasksOf(h, "/web", 5000, none, 0) }, 0, ""},
		{"counted below the limit, as before 6.11", func(h *ruletest.Host) {
			tasksOf(h, "/web", 512, 512, 0)
			tasksOf(h, "/web/worker", 500, none, 20)
		}, rule.Certain, "/web"},
		{"counted above the limit, as since 6.11", func(h *ruletest.Host) {
			tasksOf(h, "/pods", 600, 5000, 20)
			tasksOf(h, "/pods/web", 512, 512, 20)
		}, rule.Certain, "/pods/web"},
		{"counted below another limit that is far, as before 6.11", func(h *ruletest.Host) {
			tasksOf(h, "/user-1000", 200, 200, 0)
			tasksOf(h, "/user-1000/app", 50, 4915, 20)
		}, rule.Certain, "/user-1000"},
		{"counted in a group that is far from it at all readings, as since 6.11", func(h *ruletest.Host) {
			h.Cgroup(ruletest.Cgroup{Path: "/pods", Change: func(s float64, row *recording.CgroupSample) {
				row.Pids, row.PidsMax, row.PidsEvents = 4900, 5000, int64(20*s)
				if s > 7 {
					row.Pids = 3000
				}
			}})
			tasksOf(h, "/pods/web", 300, 512, 20)
		}, rule.Certain, "/pods/web"},
		{"no limit is near", func(h *ruletest.Host) {
			tasksOf(h, "/user-1000", 60, 200, 0)
			tasksOf(h, "/user-1000/app", 50, 4915, 20)
		}, rule.Certain, "/user-1000/app"},
		{"the limit was lifted in the window", func(h *ruletest.Host) {
			h.Cgroup(ruletest.Cgroup{Path: "/web", Change: func(s float64, row *recording.CgroupSample) {
				row.Pids, row.PidsMax, row.PidsEvents = 512, 512, int64(20*s)
				if s > 7 {
					row.PidsMax = none
				}
			}})
		}, rule.Certain, "/web"},
		{"the limit is out of sight", func(h *ruletest.Host) {
			tasksOf(h, "/", 512, none, 20)
			tasksOf(h, "/worker", 500, none, 20)
		}, rule.Certain, "/worker"},
		{"threads of the host used up", func(h *ruletest.Host) { host(h, 32767) }, rule.Likely, "db1"},
		{"98 % of the threads of the host", func(h *ruletest.Host) { host(h, 32200) }, rule.Possible, "db1"},
		{"numbers of the host used up, but for those given once", func(h *ruletest.Host) {
			host(h, 32480)
			h.Process(ruletest.Process{PID: 2, Comm: "kthreadd"})
		}, rule.Likely, "db1"},
		{"threads of the host nearly used up", func(h *ruletest.Host) { host(h, 30000) }, rule.Possible, "db1"},
		{"few threads", func(h *ruletest.Host) { host(h, 3000) }, 0, ""},
		{"a user at its limit", func(h *ruletest.Host) { user(h, 1000, 100, 100) }, rule.Possible, "app"},
		{"a user at its limit, and clone fails", func(h *ruletest.Host) {
			user(h, 1000, 100, 100)
			ruletest.Add(h, recording.SyscallSum{At: ruletest.Start.Add(5 * time.Second), PID: 71, Process: "app", Call: "clone3", Error: 11, Span: 5 * time.Second, Calls: 9})
		}, rule.Likely, "app"},
		{"a program that has taken the right from itself", func(h *ruletest.Host) { user(h, 110, 6, 3) }, 0, ""},
		{"the same with more threads", func(h *ruletest.Host) { user(h, 110, 80, 40) }, 0, ""},
		{"a user near its limit", func(h *ruletest.Host) { user(h, 1000, 95, 100) }, rule.Possible, "app"},
		{"a user with room", func(h *ruletest.Host) { user(h, 1000, 50, 100) }, 0, ""},
		{"root", func(h *ruletest.Host) { user(h, 0, 200, 100) }, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			if !strings.Contains(tt.name, "the host") && tt.name != "few threads" {
				h.System(forks)
			}
			tt.build(h)
			found := ruletest.Judge(t, h, taskLimits, tt.want)
			if tt.want != 0 && (len(found) != 1 || found[0].Subject.Name != tt.subject) {
				t.Errorf("found %+v, want one finding about %s", found, tt.subject)
			}
		})
	}
}

func TestRefusedForksAreAShareOfAll(t *testing.T) {
	h := ruletest.New(2, 10).System(ruletest.System{Forks: 10, Tasks: 300})
	tasksOf(h, "/web", 512, 512, 30)
	f := ruletest.Judge(t, h, taskLimits, rule.Certain)[0]
	if f.Impact.Share < 0.74 || f.Impact.Share > 0.76 {
		t.Errorf("impact %v, want 300 of 400 forks", f.Impact.Share)
	}
}

func host(h *ruletest.Host, tasks int64) {
	h.System(ruletest.System{Tasks: tasks})
	ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, Name: "kernel.pid_max", Value: "32768"},
		recording.SysctlSample{At: ruletest.Start, Name: "kernel.threads-max", Value: "190000"})
}

func user(h *ruletest.Host, uid int64, threads int32, limit int64) {
	for _, pid := range []int32{70, 71} {
		h.Process(ruletest.Process{PID: pid, Comm: "app", Threads: threads / 2, Change: func(_ float64, row *recording.ProcessSample) { row.UID = uid }})
		soft := int64(math.MaxInt64)
		if pid == 70 {
			soft = limit
		}
		ruletest.Every(h, func(at time.Time, _ float64) recording.LimitSample {
			return recording.LimitSample{At: at, PID: pid, Files: 5, FilesSoft: 1024, ProcsSoft: soft}
		})
	}
}
