package memory

import (
	"math"
	"strings"
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
	h.Cgroup(ruletest.Cgroup{Path: "/batch.slice", Memory: 900, MemoryMax: 1000})
	h.Cgroup(ruletest.Cgroup{Path: "/system.slice/redis.service/workers", Memory: 900, MemoryMax: 900})
	h.Cgroup(ruletest.Cgroup{Path: "/system.slice/old.service", Memory: 900, MemoryMax: 1000, Change: func(_ float64, row *recording.CgroupSample) { row.Version = 1 }})
	h.Cgroup(ruletest.Cgroup{Path: "/old", Memory: 900, MemoryMax: 1000, Change: func(_ float64, row *recording.CgroupSample) { row.Version = 1 }})
	const fit = "make redis-server fit: heap and cache sizes below the limit, with room for stacks, buffers and page cache"
	for _, c := range []struct {
		comm, group string
		limit       int64
		raise, slow string
		fit         string
	}{
		{"redis-server", "/docker/aaa", 1000, "echo 1500 > /sys/fs/cgroup/docker/aaa/memory.max", "echo 900 > /sys/fs/cgroup/docker/aaa/memory.high", fit},
		{"redis-server", "/system.slice/redis.service", 1000, "systemctl set-property redis.service MemoryMax=1500", "systemctl set-property redis.service MemoryHigh=900", fit},
		{"redis-server", "/system.slice/redis.service/workers", 900, "systemctl set-property redis.service MemoryMax=1350 && echo 1350 > /sys/fs/cgroup/system.slice/redis.service/workers/memory.max", "echo 810 > /sys/fs/cgroup/system.slice/redis.service/workers/memory.high", fit},
		{"redis-server", "/batch.slice", 1000, "systemctl set-property batch.slice MemoryMax=1500", "systemctl set-property batch.slice MemoryHigh=900", fit},
		{"redis-server", "/system.slice/old.service", 1000, "systemctl set-property old.service MemoryMax=1500", "", fit},
		{"redis-server", "/docker/gone", 1000, "echo 1500 > /sys/fs/cgroup/docker/gone/memory.max", "echo 900 > /sys/fs/cgroup/docker/gone/memory.high", fit},
		{"redis-server", "/", 1000, "", "", fit},
		{"redis-server", "/old", 1000, "echo 1500 > /sys/fs/cgroup/memory/old/memory.limit_in_bytes", "", fit},
		{"redis-server", "/docker/aaa", -1, "", "", fit},
		{"redis-server", "/docker/aaa", math.MaxInt64, "", "", fit},
		{"redis-server", "its control group", 1000, "", "", fit},
		{"java", "/docker/aaa", -1, "", "", "make java fit: start it with -XX:MaxRAMPercentage=60, or with -Xmx well below the limit: stacks, buffers and page cache need room, too"},
	} {
		fixes := groupFixes(h.View(), c.comm, c.group, "", c.limit)
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

// Every group that allows less than what is wanted is raised: above the group, and below it on the way to
// the process that was killed.
func TestRaiseAround(t *testing.T) {
	const (
		pod  = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod9f3c1a52_77b1.slice"
		app  = pod + "/cri-containerd-a.scope"
		side = pod + "/cri-containerd-b.scope"
		dir  = "/sys/fs/cgroup"
	)
	high := func(bytes int64) func(float64, *recording.CgroupSample) {
		return func(_ float64, row *recording.CgroupSample) { row.MemoryHigh = bytes }
	}
	together := func(swap int64) func(float64, *recording.CgroupSample) {
		return func(_ float64, row *recording.CgroupSample) { row.Version, row.SwapMax = 1, swap }
	}
	old := func(_ float64, row *recording.CgroupSample) { row.Version = 1 }
	for _, c := range []struct {
		name         string
		groups       []ruletest.Cgroup
		group, inner string
		want         string
		text         string // part of the fix
	}{
		{"a pod of one container", []ruletest.Cgroup{{Path: app, MemoryMax: 1000}, {Path: pod, MemoryMax: 1000}, {Path: "/kubepods.slice", MemoryMax: 9000}}, app, "",
			"echo 1500 > " + dir + pod + "/memory.max && echo 1500 > " + dir + app + "/memory.max", "set resources.limits.memory of the container in the pod's spec"},
		{"the node's share for pods", []ruletest.Cgroup{{Path: app, MemoryMax: 1000}, {Path: pod, MemoryMax: 1000}, {Path: "/kubepods.slice", MemoryMax: 1200}}, app, "",
			"echo 1500 > " + dir + pod + "/memory.max && echo 1500 > " + dir + app + "/memory.max", "resources.limits.memory"},
		{"version 1 without swap", []ruletest.Cgroup{{Path: "/a", MemoryMax: 1000, Change: together(0)}}, "/a", "",
			"echo 1500 > " + dir + "/memory/a/memory.memsw.limit_in_bytes && echo 1500 > " + dir + "/memory/a/memory.limit_in_bytes", "real load"},
		{"version 1 with swap", []ruletest.Cgroup{{Path: "/a", MemoryMax: 1000, Change: together(1000)}}, "/a", "", "echo 1500 > " + dir + "/memory/a/memory.limit_in_bytes", "real load"},
		{"the log names the pod", []ruletest.Cgroup{{Path: app, MemoryMax: 1000}, {Path: side, MemoryMax: 100}, {Path: pod, MemoryMax: 1000}}, pod, app,
			"echo 1500 > " + dir + pod + "/memory.max && echo 1500 > " + dir + app + "/memory.max", "kubelet sets both the container and the pod by it, and writes the files again"},
		{"a pod of several containers", []ruletest.Cgroup{{Path: app, MemoryMax: 1000}, {Path: pod, MemoryMax: 1500}}, app, "", "echo 1500 > " + dir + app + "/memory.max", "resources.limits.memory"},
		{"a pod without a limit", []ruletest.Cgroup{{Path: app, MemoryMax: 1000}, {Path: pod}}, app, "", "echo 1500 > " + dir + app + "/memory.max", "resources.limits.memory"},
		{"memory.high of the slice", []ruletest.Cgroup{{Path: "/a.slice/b.service", MemoryMax: 1000}, {Path: "/a.slice", MemoryMax: 4000, Change: high(1200)}}, "/a.slice/b.service", "",
			"systemctl set-property a.slice MemoryMax=4300 MemoryHigh=1500 && systemctl set-property b.service MemoryMax=1500", "real load"},
		{"a group beside it, and one of the other version", []ruletest.Cgroup{{Path: "/a/b", MemoryMax: 1000}, {Path: "/a/c", MemoryMax: 10}, {Path: "/a", MemoryMax: 1000, Change: old}}, "/a/b", "",
			"echo 1500 > " + dir + "/a/b/memory.max", "real load"},
		{"in a container", []ruletest.Cgroup{{Path: "/", MemoryMax: 1000}}, "/", "", "", "on the container's host: docker update --memory"},
		{"below the limit of a container", []ruletest.Cgroup{{Path: "/", MemoryMax: 1000}, {Path: "/a", MemoryMax: 1000}}, "/a", "", "", "on the container's host: docker update --memory"},
		{"far below the limit of a container", []ruletest.Cgroup{{Path: "/", MemoryMax: 9000}, {Path: "/a", MemoryMax: 1000}}, "/a", "", "echo 1500 > " + dir + "/a/memory.max", "real load"},
	} {
		h := ruletest.New(2, 10)
		for _, g := range c.groups {
			h.Cgroup(g)
		}
		f := groupFixes(h.View(), "java", c.group, c.inner, 1000)[0]
		if got := f.Command.String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if !strings.Contains(f.Text.String(), c.text) {
			t.Errorf("%s: %q lacks %q", c.name, f.Text, c.text)
		}
		if !strings.HasPrefix(c.group, "/kubepods") && strings.Contains(f.Text.String(), "kubelet") {
			t.Errorf("%s: %q names kubelet", c.name, f.Text)
		}
	}
	h := ruletest.New(2, 10).Memory(1200, 600, 0).Cgroup(ruletest.Cgroup{Path: "/a", MemoryMax: 1000})
	if got, want := groupFixes(h.View(), "java", "/a", "", 1000)[0].Command.String(), "echo 1200 > "+dir+"/a/memory.max"; got != want {
		t.Errorf("a host with less: %q, want %q", got, want)
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
