package memory

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// Commands for a group are of that group and ready to be pasted; where nothing tells what to
// write there is none.
func TestGroupFixes(t *testing.T) {
	h := ruletest.New(2, 10)
	h.Cgroup(ruletest.Cgroup{Path: "/docker/aaa", Memory: 900, MemoryMax: 1000})
	h.Cgroup(ruletest.Cgroup{Path: "/system.slice/redis.service", Memory: 900, MemoryMax: 1000})
	h.Cgroup(ruletest.Cgroup{Path: "/old", Memory: 900, MemoryMax: 1000, Change: func(_ float64, row *recording.CgroupSample) { row.Version = 1 }})
	const fit = "make redis-server fit: heap and cache sizes below the limit, with room for stacks, buffers and page cache"
	for _, c := range []struct {
		comm, group string
		limit       int64
		raise, slow string
		fit         string
	}{
		{"redis-server", "/docker/aaa", 1000, "echo 1500 > /sys/fs/cgroup/docker/aaa/memory.max", "echo 900 > /sys/fs/cgroup/docker/aaa/memory.high", fit},
		{"redis-server", "/system.slice/redis.service", 1000, "echo 1500 > /sys/fs/cgroup/system.slice/redis.service/memory.max", "systemctl set-property redis.service MemoryHigh=900", fit},
		{"redis-server", "/old", 1000, "echo 1500 > /sys/fs/cgroup/memory/old/memory.limit_in_bytes", "", fit},
		{"redis-server", "/docker/aaa", -1, "", "", fit},
		{"redis-server", "/docker/aaa", math.MaxInt64, "", "", fit},
		{"redis-server", "its control group", 1000, "", "", fit},
		{"java", "/docker/aaa", -1, "", "", "make java fit: start it with -XX:MaxRAMPercentage=60, or with -Xmx well below the limit: stacks, buffers and page cache need room, too"},
	} {
		fixes := groupFixes(h.View(), c.comm, c.group, c.limit)
		if len(fixes) != 3 {
			t.Fatalf("%d fixes", len(fixes))
		}
		want := []string{c.raise, "", c.slow}
		var got []string
		for _, f := range fixes {
			got = append(got, f.Command.String())
		}
		if diff := cmp.Diff(want, got); diff != "" || fixes[1].Text.String() != c.fit {
			t.Errorf("%s in %s: %s; commands (-want +got):\n%s", c.comm, c.group, fixes[1].Text, diff)
		}
	}
}

// A limit of its own is for the unit that a leaking process is in, and more than the unit uses.
func TestOwnLimit(t *testing.T) {
	const mib = 1 << 20
	h := ruletest.New(2, 10)
	h.Cgroup(ruletest.Cgroup{Path: "/system.slice/app.service", Memory: 100 * mib, MemoryMax: -1})
	h.Cgroup(ruletest.Cgroup{Path: "/system.slice/app.service/workers", Memory: 40 * mib, MemoryMax: -1})
	for pid, group := range map[int32]string{10: "/system.slice/app.service/workers", 11: "/system.slice/other.service", 12: "/user.slice/user-0.slice/session-3.scope", 13: ""} {
		h.Process(ruletest.Process{PID: pid, Comm: "app", MemCgroup: group})
	}
	want := map[int32]string{10: "systemctl set-property app.service MemoryMax=151M", 11: "", 12: "", 13: ""}
	got := map[int32]string{}
	v := h.View()
	for _, p := range v.Processes() {
		got[p.PID] = ownLimit(v, p).String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// The node of the largest process is worth a look, whatever it is.
func TestNodesOfLargest(t *testing.T) {
	h := ruletest.New(2, 10)
	if c := nodesOfLargest(h.View()); !c.Empty() {
		t.Errorf("without processes: %s", c)
	}
	h.Process(ruletest.Process{PID: 10, Comm: "sshd", Anon: 1 << 20})
	h.Process(ruletest.Process{PID: 11, Comm: "postgres", Anon: 1 << 30})
	if c := nodesOfLargest(h.View()); c.String() != "numastat -p 11;" {
		t.Errorf("command %q", c)
	}
}
