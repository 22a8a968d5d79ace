package catalogue

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// What one fault does to a host is seen by several rules. The cause has to
// come first, and what it explains below it.
func TestSymptomsAreFoldedUnderTheirCause(t *testing.T) {
	const mib = 1 << 20
	// A redis whose group is full waits for pages of its own program; the
	// disk is busy with them, and nobody accepts its connections.
	redis := func(killed bool) *ruletest.Host {
		h := ruletest.New(2, 10).VMStat(ruletest.VMStat{Refaults: 80_000}).Memory(24<<30, 20<<30, 0).Pressure("memory", 0.4, 0.1)
		h.Process(ruletest.Process{PID: 10, Comm: "redis-server", CPU: 0.3, System: 0.3, Anon: 47 * mib, MemCgroup: "/redis", BlockDelay: 0.6, ReadBytes: 320 * mib})
		kills := 0.0
		if killed {
			kills = 0.1
			h.Log(9, "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/redis,task_memcg=/redis,task=redis-server,pid=10,uid=0")
			h.Log(9, "Memory cgroup out of memory: Killed process 10 (redis-server) total-vm:129432kB, anon-rss:47744kB, file-rss:1892kB, shmem-rss:0kB, UID:0 pgtables:220kB oom_score_adj:0")
		} else {
			h.Log(1, "eth0: link becomes ready")
		}
		h.Cgroup(ruletest.Cgroup{Path: "/redis", Memory: 48 * mib, MemoryMax: 48 * mib, EventsMax: 70_000, Refaults: 80_000, MemoryStall: 0.4, OOMKills: kills})
		ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
			return recording.DiskSample{At: at, Device: "vda", Reads: uint64(400 * s), ReadBytes: uint64(320 * mib * s),
				ReadTime: time.Duration(5 * s * 1e9), Busy: time.Duration(s * 0.99e9), WeightedQueue: time.Duration(5 * s * 1e9), InFlight: 5}
		})
		ruletest.Every(h, func(at time.Time, s float64) recording.ListenerSample {
			return recording.ListenerSample{At: at, NetNS: 1, Local: "0.0.0.0", Port: 6379, Inode: 77, Queue: 512, Backlog: 511, Drops: uint32(50 * s)}
		})
		ruletest.Every(h, func(at time.Time, s float64) recording.ProtocolSample {
			return recording.ProtocolSample{At: at, NetNS: 1, Protocol: "TcpExt", Name: "ListenOverflows", Value: int64(50 * s)}
		})
		return ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 77, PID: 10})
	}
	for name, c := range map[string]struct {
		host *ruletest.Host
		want string
	}{
		"a full group reads its program again": {redis(false), "mem/reclaim(disk/saturated mem/cgroup-near-limit net/accept-queue-full)"},
		"and is killed in the end":             {redis(true), "mem/cgroup-oom(mem/cgroup-near-limit mem/reclaim(disk/saturated) net/accept-queue-full)"},
	} {
		var got []string
		for _, f := range verdict.Judge(c.host.View(), Rules).Findings {
			if f.Confidence > rule.Possible {
				got = append(got, outline(f))
			}
		}
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: got %v, want %s alone", name, got, c.want)
		}
	}
}

// outline is a finding with what it explains: "a(b c(d))".
func outline(f verdict.Finding) string {
	var below []string
	for _, e := range f.Explains {
		below = append(below, outline(e))
	}
	slices.Sort(below)
	if len(below) == 0 {
		return f.Rule
	}
	return f.Rule + "(" + strings.Join(below, " ") + ")"
}

// Instruments run for every row that a statement reads: a scan comes first.
func TestInstrumentsAreFoldedUnderTheScan(t *testing.T) {
	r, _ := Find("mysql/full-scan")
	if !slices.Contains(r.Explains, "mysql/instrumentation-cost") {
		t.Error("mysql/full-scan does not explain mysql/instrumentation-cost")
	}
	r, _ = Find("mysql/instrumentation-cost")
	if slices.Contains(r.Explains, "mysql/full-scan") {
		t.Error("mysql/instrumentation-cost explains its own cause")
	}
}
