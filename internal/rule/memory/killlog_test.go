package memory

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// logs holds the lines of one kill as kernels print them. The formats are
// those of mm/oom_kill.c and mm/memcontrol.c of these versions.
var logs = map[string][]string{
	"3.10, host": {
		"java invoked oom-killer: gfp_mask=0x201da, order=0, oom_score_adj=0",
		"java cpuset=/ mems_allowed=0",
		"Out of memory: Kill process 9329 (java) score 321 or sacrifice child",
		"Killed process 9329 (java) total-vm:9034636kB, anon-rss:7896144kB, file-rss:0kB",
	},
	"3.10 of RHEL 7, group": {
		"java invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=0",
		"Task in /docker/8efb22 killed as a result of limit of /docker/8efb22",
		"memory: usage 524288kB, limit 524288kB, failcnt 77",
		"memory+swap: usage 524288kB, limit 9007199254740988kB, failcnt 0",
		"Memory cgroup out of memory: Kill process 24984 (palo_be) score 968 or sacrifice child",
		"Killed process 18177 (palo_be), UID 0, total-vm:70347780kB, anon-rss:520580kB, file-rss:0kB, shmem-rss:0kB",
	},
	"4.15, group": {
		"java invoked oom-killer: gfp_mask=0x14000c0(GFP_KERNEL), nodemask=(null),  order=0, oom_score_adj=0",
		"Task in /docker/aaa killed as a result of limit of /docker/aaa",
		"memory: usage 524288kB, limit 524288kB, failcnt 77",
		"Memory cgroup out of memory: Kill process 7316 (java) score 1013 or sacrifice child",
		"Killed process 7316 (java) total-vm:4613208kB, anon-rss:517316kB, file-rss:20168kB, shmem-rss:0kB",
		"oom_reaper: reaped process 7316 (java), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB",
	},
	"5.4, host": {
		"stress invoked oom-killer: gfp_mask=0x100dca(GFP_HIGHUSER_MOVABLE|__GFP_ZERO), order=0, oom_score_adj=0",
		"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice/x,task=python,pid=2953,uid=999",
		"Out of memory: Killed process 2953 (python) total-vm:8142876kB, anon-rss:6719676kB, file-rss:4kB, shmem-rss:0kB, UID:999 pgtables:13660kB oom_score_adj:0",
	},
	"6.1, group": {
		"my (odd) name invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
		"memory: usage 65536kB, limit 65536kB, failcnt 1021",
		"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/app.slice,task_memcg=/app.slice/worker,task=my (odd) name,pid=41,uid=0",
		"Memory cgroup out of memory: Killed process 41 (my (odd) name) total-vm:120000kB, anon-rss:64000kB, file-rss:1000kB, shmem-rss:0kB, UID:0 pgtables:180kB oom_score_adj:0",
	},
	"6.1, group with a strange name": {
		"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a,b=c,mems_allowed=0,oom_memcg=/a,b c$(d)/e\nf,task_memcg=/a,b c$(d)/e\nf/g,task=new\nline,pid=41,uid=0",
		"Memory cgroup out of memory: Killed process 41 (new\nline) total-vm:120000kB, anon-rss:64000kB, file-rss:1000kB, shmem-rss:0kB, UID:0 pgtables:180kB oom_score_adj:0",
	},
	"6.1, group that says it is another one": {
		"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/a,oom_memcg=/b,task_memcg=/a,oom_memcg=/b,task=x,pid=41,uid=0",
		"Memory cgroup out of memory: Killed process 41 (x) total-vm:120000kB, anon-rss:64000kB, file-rss:1000kB, shmem-rss:0kB, UID:0 pgtables:180kB oom_score_adj:0",
	},
	"4.15, group with blanks": {
		"Task in /a b/c killed as a result of limit of /a b",
		"Memory cgroup out of memory: Kill process 7316 (java) score 1013 or sacrifice child",
		"Killed process 7316 (java) total-vm:4613208kB, anon-rss:517316kB, file-rss:20168kB, shmem-rss:0kB",
	},
	"6.1, rate limited after another": {
		"Memory cgroup out of memory: Killed process 42 (app) total-vm:11892kB, anon-rss:4292kB, file-rss:3428kB, shmem-rss:0kB, UID:0 pgtables:60kB oom_score_adj:0",
	},
	"nothing": {
		"oom_reaper: reaped process 15617 (python3), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB",
		"eth0: link up",
		"Killed process  () total-vm:kB, anon-rss:kB",
	},
}

func TestKillLog(t *testing.T) {
	const u = recording.Unknown
	want := map[string][]kill{
		"3.10, host":                             {{pid: 9329, comm: "java", anon: 7896144 << 10, usage: u, limit: u, asked: "java"}},
		"3.10 of RHEL 7, group":                  {{memcg: true, pid: 18177, comm: "palo_be", anon: 520580 << 10, group: "/docker/8efb22", taskIn: "/docker/8efb22", usage: 512 * mib, limit: 512 * mib, asked: "java"}},
		"4.15, group":                            {{memcg: true, pid: 7316, comm: "java", anon: 517316 << 10, group: "/docker/aaa", taskIn: "/docker/aaa", usage: 512 * mib, limit: 512 * mib, asked: "java"}},
		"5.4, host":                              {{pid: 2953, comm: "python", anon: 6719676 << 10, taskIn: "/user.slice/x", usage: u, limit: u, asked: "stress"}},
		"6.1, group":                             {{memcg: true, pid: 41, comm: "my (odd) name", anon: 64000 << 10, group: "/app.slice", taskIn: "/app.slice/worker", usage: 64 * mib, limit: 64 * mib, asked: "my (odd) name"}},
		"6.1, group with a strange name":         {{memcg: true, pid: 41, comm: "new\nline", anon: 64000 << 10, group: "/a,b c$(d)/e\nf", taskIn: "/a,b c$(d)/e\nf/g", usage: u, limit: u}},
		"6.1, group that says it is another one": {{memcg: true, pid: 41, comm: "x", anon: 64000 << 10, usage: u, limit: u}},
		"4.15, group with blanks":                {{memcg: true, pid: 7316, comm: "java", anon: 517316 << 10, group: "/a b", taskIn: "/a b/c", usage: u, limit: u}},
		"6.1, rate limited after another":        {{memcg: true, pid: 42, comm: "app", anon: 4292 << 10, usage: u, limit: u}},
		"nothing":                                nil,
	}
	for name, text := range logs {
		t.Run(name, func(t *testing.T) {
			var lines []recording.KernelLogLine
			for i, l := range text {
				lines = append(lines, recording.KernelLogLine{Logged: ruletest.Start.Add(time.Second), Sequence: uint64(i), Text: l})
			}
			got := parseKills(lines, ruletest.Start, ruletest.Start.Add(time.Minute))
			for i := range got {
				got[i].at = time.Time{}
			}
			if d := cmp.Diff(want[name], got, cmp.AllowUnexported(kill{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzKillLog(f *testing.F) {
	for _, text := range logs {
		for _, l := range text {
			f.Add(l)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := parseKills([]recording.KernelLogLine{{Logged: ruletest.Start, Text: text}}, ruletest.Start, ruletest.Start)
		for _, k := range got {
			if k.anon < recording.Unknown || k.comm == "" && k.pid == 0 && k.anon == recording.Unknown {
				t.Errorf("%q gave %+v", text, k)
			}
		}
	})
}

// logged is a quiet host in whose log the lines of a kill stand, written s
// seconds after the window began.
func logged(s float64, name string) *ruletest.Host {
	h := ruletest.New(2, 10).VMStat(ruletest.VMStat{}).Memory(8*gib, 4*gib, 0)
	for i, l := range logs[name] {
		h.Log(s+float64(i)*0.1, l)
	}
	return h
}

// recorded is a host with 24 GiB, nearly all of them huge pages nobody uses, in
// whose log stand the lines of a real kill.
func recorded(t *testing.T) *ruletest.Host {
	t.Helper()
	text, err := os.ReadFile("testdata/oom-host-6.18.log")
	if err != nil {
		t.Fatal(err)
	}
	h := ruletest.New(2, 10).VMStat(ruletest.VMStat{OOMKills: 0.1}).Memory(24*gib, 100*mib, 0)
	for i, l := range strings.Split(string(text), "\n") {
		h.Log(3+float64(i)*0.1, l)
	}
	return h
}

func TestOOMKill(t *testing.T) {
	ruletest.Check(t, oomKill, []ruletest.Situation{
		{Name: "recorded", Host: func() *ruletest.Host { return recorded(t) },
			Want: rule.Certain, Kind: view.KindProcess, Subject: "report-job", Low: 1, High: 1, Says: "the kernel killed report-job (833): the host was out of memory"},
		{Name: "in the window", Host: func() *ruletest.Host { return logged(3, "5.4, host") },
			Want: rule.Certain, Kind: view.KindProcess, Subject: "python", Low: 1, High: 1, Says: "the kernel killed python (2953): the host was out of memory"},
		{Name: "on an old kernel", Host: func() *ruletest.Host { return logged(3, "3.10, host") },
			Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 1, High: 1},
		{Name: "a minute before the window", Host: func() *ruletest.Host { return logged(-60, "5.4, host") },
			Want: rule.Possible, Kind: view.KindProcess, Subject: "python", High: 0.00099, Says: "before the window"},
		{Name: "an hour before the window", Host: func() *ruletest.Host { return logged(-3600, "5.4, host") }},
		{Name: "a group's affair", Host: func() *ruletest.Host { return logged(3, "6.1, group") }},
		{Name: "counted, log not readable", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).VMStat(ruletest.VMStat{OOMKills: 0.2}).Memory(8*gib, gib, 0).Cgroup(ruletest.Cgroup{Path: "/app"})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 1, High: 1, Says: "killed 2 processes"},
		{Name: "counted, one of them by a group", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).VMStat(ruletest.VMStat{OOMKills: 0.2}).Cgroup(ruletest.Cgroup{Path: "/app", OOMKills: 0.1})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 1, High: 1, Says: "killed 1 process for lack of memory; the kernel log, which names what was killed, is not readable"},
		{Name: "counted, lines of the log were lost", Host: func() *ruletest.Host {
			return logged(3, "nothing").VMStat(ruletest.VMStat{OOMKills: 0.1})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 1, High: 1, Says: "no line of the kernel log names what was killed"},
		{Name: "counted, but by a group", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).VMStat(ruletest.VMStat{OOMKills: 0.2}).Cgroup(ruletest.Cgroup{Path: "/app", OOMKills: 0.2}).Cgroup(ruletest.Cgroup{Path: "/app/worker", OOMKills: 0.2})
		}},
		{Name: "counted, log not readable, a group of version 1", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).VMStat(ruletest.VMStat{OOMKills: 0.2}).Cgroup(ruletest.Cgroup{Path: "/app", OOMKills: 0.1, Change: ooms(recording.Unknown)})
		}, Abstains: "which may be gone"},
		{Name: "none counted, log not readable, a group of version 1", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).VMStat(ruletest.VMStat{}).Cgroup(ruletest.Cgroup{Path: "/app", Change: ooms(recording.Unknown)})
		}},
		{Name: "counted, log not readable, after groups were read last", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).VMStat(ruletest.VMStat{OOMKills: 0.1}).
				Cgroup(ruletest.Cgroup{Path: "/app", Change: func(s float64, r *recording.CgroupSample) {
					r.At = ruletest.Start.Add(time.Duration(s * 0.4 * float64(time.Second)))
				}})
		}},
		{Name: "quiet", Host: func() *ruletest.Host { return logged(3, "nothing") }},
	})
}

// counted is a host without a kernel log on which a process of a group that uses so much of 1 GiB
// was killed. hits and oom are how often that group was at its limit, and out of memory.
func counted(memory int64, hits float64, oom int64) *ruletest.Host {
	return ruletest.New(2, 10).VMStat(ruletest.VMStat{OOMKills: 0.1}).
		Cgroup(ruletest.Cgroup{Path: "/app", Memory: memory, MemoryMax: gib, OOMKills: 0.1, EventsMax: hits, Change: ooms(oom)})
}

// ooms has a group run out of memory so many times late in the window. Groups of version 1 do not
// count that.
func ooms(n int64) func(float64, *recording.CgroupSample) {
	return func(s float64, row *recording.CgroupSample) {
		switch {
		case n == recording.Unknown:
			row.Version, row.EventsOOM = 1, recording.Unknown
		case s < 5:
			row.EventsOOM = 0
		default:
			row.EventsOOM = n
		}
	}
}

// cached is such a host with a group of version 1 that is full, and so much of it page cache.
func cached(file int64) *ruletest.Host {
	return ruletest.New(2, 10).VMStat(ruletest.VMStat{OOMKills: 0.1}).
		Cgroup(ruletest.Cgroup{Path: "/app", Memory: 1000 * mib, MemoryMax: gib, OOMKills: 0.1, Change: func(_ float64, row *recording.CgroupSample) {
			row.Version, row.EventsOOM = 1, recording.Unknown
			row.Anon, row.File = row.Memory-file, file
		}})
}

func TestCgroupOOM(t *testing.T) {
	ruletest.Check(t, cgroupOOM, []ruletest.Situation{
		{Name: "limit in the log", Host: func() *ruletest.Host {
			return logged(3, "6.1, group").Cgroup(ruletest.Cgroup{Path: "/app.slice", Memory: 60 * mib, MemoryMax: 64 * mib, OOMKills: 0.1, EventsMax: 3})
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/app.slice", Low: 1, High: 1, Says: "/app.slice reached its limit of 64 MiB"},
		{Name: "old kernel", Host: func() *ruletest.Host { return logged(3, "4.15, group") },
			Want: rule.Certain, Kind: view.KindCgroup, Subject: "/docker/aaa", Low: 1, High: 1, Says: "java (7316) was killed"},
		{Name: "rate limited lines, the process was seen", Host: func() *ruletest.Host {
			return logged(3, "6.1, rate limited after another").Process(ruletest.Process{PID: 42, Comm: "app", MemCgroup: "/app/x", To: 3}).
				Cgroup(ruletest.Cgroup{Path: "/app", Memory: 60 * mib, MemoryMax: 64 * mib})
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1},
		{Name: "counters only", Host: func() *ruletest.Host {
			return ruletest.New(2, 5).VMStat(ruletest.VMStat{OOMKills: 0.2}).Cgroup(ruletest.Cgroup{Path: "/", OOMKills: 0.2}).
				Cgroup(ruletest.Cgroup{Path: "/app", Memory: 60 * mib, MemoryMax: 64 * mib, OOMKills: 0.2})
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1},
		{Name: "a kill far below the limit, no log", Host: func() *ruletest.Host { return counted(100*mib, 0, 0) },
			Want: rule.Likely, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1, Says: "in the group or on the whole host"},
		{Name: "a kill far below the limit, no log, the group ran out of memory between readings", Host: func() *ruletest.Host { return counted(100*mib, 0, 1) },
			Want: rule.Certain, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1, Says: "for lack of memory in the group"},
		{Name: "a kill of a group full of page cache, no log", Host: func() *ruletest.Host { return counted(1000*mib, 5, 0) },
			Want: rule.Likely, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1},
		{Name: "a kill far below the limit, no log, version 1", Host: func() *ruletest.Host { return counted(100*mib, 0, recording.Unknown) },
			Want: rule.Likely, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1},
		{Name: "a kill at the limit, no log, version 1, half of it page cache", Host: func() *ruletest.Host { return cached(500 * mib) },
			Want: rule.Likely, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1},
		{Name: "a kill of a group full of page cache, no log, version 1", Host: func() *ruletest.Host { return cached(1000 * mib) },
			Want: rule.Likely, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1, Says: "in the group or on the whole host"},
		{Name: "a kill of a group full of anonymous memory, no log, version 1", Host: func() *ruletest.Host { return cached(0) },
			Want: rule.Certain, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1, Says: "for lack of memory in the group"},
		{Name: "a kill in a group without a limit, below one that ran out of memory, no log", Host: func() *ruletest.Host {
			return counted(100*mib, 0, 1).Cgroup(ruletest.Cgroup{Path: "/app/worker", Memory: 90 * mib, OOMKills: 0.1, Change: ooms(0)})
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1, Says: "1 process of /app/worker killed: /app reached its limit of 1 GiB"},
		{Name: "kills in two groups without limits, below one that ran out of memory, no log", Host: func() *ruletest.Host {
			return counted(100*mib, 0, 1).Cgroup(ruletest.Cgroup{Path: "/app/a", Memory: 90 * mib, OOMKills: 0.1, Change: ooms(0)}).
				Cgroup(ruletest.Cgroup{Path: "/app/b", Memory: 9 * mib, OOMKills: 0.1, Change: ooms(0)})
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/app", Low: 1, High: 1, Says: "2 processes of /app/a and 1 more group killed: /app reached its limit of 1 GiB"},
		{Name: "a kill in a group with a limit of its own, below one that another one of its groups filled, no log", Host: func() *ruletest.Host {
			return counted(100*mib, 0, 0).Cgroup(ruletest.Cgroup{Path: "/app/hungry", Memory: 90 * mib, MemoryMax: 100 * mib, Change: ooms(1)}).
				Cgroup(ruletest.Cgroup{Path: "/app/worker", Memory: 90 * mib, MemoryMax: 200 * mib, OOMKills: 0.1, Change: ooms(0)})
		}, Want: rule.Likely, Kind: view.KindCgroup, Subject: "/app/worker", Low: 1, High: 1, Says: "in the group or on the whole host"},
		{Name: "a kill in a group without a limit, below one with room, no log", Host: func() *ruletest.Host {
			return counted(100*mib, 0, 0).Cgroup(ruletest.Cgroup{Path: "/app/worker", Memory: 90 * mib, OOMKills: 0.1, Change: ooms(0)})
		}, Want: rule.Likely, Kind: view.KindCgroup, Subject: "/app/worker", Low: 1, High: 1},
		{Name: "just before the window", Host: func() *ruletest.Host { return logged(-20, "6.1, group") },
			Want: rule.Possible, Kind: view.KindCgroup, Subject: "/app.slice", High: 0.00099, Says: "before the window"},
		{Name: "a kill of the host", Host: func() *ruletest.Host { return logged(3, "5.4, host") }},
		{Name: "no kill, and no log", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 60 * mib, MemoryMax: 64 * mib})
		}},
	})
	ruletest.New(2, 10).Cgroup(ruletest.Cgroup{Path: "/app", Change: func(_ float64, r *recording.CgroupSample) { r.OOMKills = recording.Unknown }}).Abstains(t, cgroupOOM)
}
