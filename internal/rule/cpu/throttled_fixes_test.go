package cpu

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// The quota of the group that has it is raised, or taken away, and with it those above it that allow less:
// by its unit of systemd, if it is that of one.
func TestThrottledFixes(t *testing.T) {
	const (
		pod = "/kubepods.slice/kubepods-pod9f3c1a52_77b1.slice"
		app = pod + "/cri-containerd-a.scope"
		dir = "/sys/fs/cgroup"
	)
	for _, c := range []struct {
		path         string
		version      int32
		above        string        // another group
		allows       time.Duration // its quota per 100 ms
		raise, weigh string
		text, others string // what each of both says further
	}{
		{"/system.slice/redis.service", 2, "", 0, "systemctl set-property redis.service CPUQuota=25%", "systemctl set-property redis.service CPUQuota= CPUWeight=50", "", ""},
		{"/system.slice/redis.service", 1, "", 0, "systemctl set-property redis.service CPUQuota=25%", "systemctl set-property redis.service CPUQuota= CPUWeight=50", "", ""},
		{"/a.slice/b.service", 2, "/a.slice", 12500 * time.Microsecond, "systemctl set-property a.slice CPUQuota=25% && systemctl set-property b.service CPUQuota=25%",
			"systemctl set-property a.slice CPUQuota= CPUWeight=50 && systemctl set-property b.service CPUQuota= CPUWeight=50", "", ""},
		{"/batch.slice", 2, "", 0, "systemctl set-property batch.slice CPUQuota=25%", "systemctl set-property batch.slice CPUQuota= CPUWeight=50", "", ""},
		{"/system.slice/redis.service/workers", 2, "", 0, `echo "25000 100000" > ` + dir + "/system.slice/redis.service/workers/cpu.max",
			"echo max > " + dir + "/system.slice/redis.service/workers/cpu.max && echo 50 > " + dir + "/system.slice/redis.service/workers/cpu.weight", "", ""},
		{"/docker/aaa", 2, "", 0, `echo "25000 100000" > ` + dir + "/docker/aaa/cpu.max", "echo max > " + dir + "/docker/aaa/cpu.max && echo 50 > " + dir + "/docker/aaa/cpu.weight", "", ""},
		{"/docker/aaa", 1, "", 0, "echo 25000 > " + dir + "/cpu/docker/aaa/cpu.cfs_quota_us", "echo -1 > " + dir + "/cpu/docker/aaa/cpu.cfs_quota_us && echo 512 > " + dir + "/cpu/docker/aaa/cpu.shares", "", ""},
		{app, 2, pod, 12500 * time.Microsecond, `echo "25000 100000" > ` + dir + pod + `/cpu.max && echo "25000 100000" > ` + dir + app + "/cpu.max",
			"echo max > " + dir + pod + "/cpu.max && echo max > " + dir + app + "/cpu.max && echo 50 > " + dir + app + "/cpu.weight", "resources.limits.cpu of the container in the pod's spec", "requests.cpu, and no limits.cpu"},
		{app, 2, pod, 25 * time.Millisecond, `echo "25000 100000" > ` + dir + app + "/cpu.max", "echo max > " + dir + app + "/cpu.max && echo 50 > " + dir + app + "/cpu.weight", "resources.limits.cpu of the container in the pod's spec", "requests.cpu, and no limits.cpu"},
		{"/", 2, "", 0, "", "", "on the container's host: docker update --cpus", "--cpu-shares without --cpus"},
	} {
		h := ruletest.New(2, 10)
		if c.above != "" {
			h.Cgroup(ruletest.Cgroup{Path: c.above, Quota: c.allows})
		}
		fixes := throttledFixes(h.View(), view.Cgroup{CgroupSample: recording.CgroupSample{Path: c.path, Version: c.version, Quota: 12500 * time.Microsecond, Period: 100 * time.Millisecond}})
		for i, want := range []string{c.raise, c.weigh} {
			if got := fixes[i].Command.String(); got != want {
				t.Errorf("%s, version %d: %q, want %q", c.path, c.version, got, want)
			}
			says := []string{c.text, c.others}[i]
			if text := fixes[i].Text.String(); !strings.Contains(text, says) || says == "" && strings.Contains(text, ";") {
				t.Errorf("%s: %q, want %q", c.path, text, says)
			}
		}
	}
}

// A quota is raised to what the host has, at most.
func TestQuotaOfTheHost(t *testing.T) {
	quota := func(q time.Duration) string {
		c := view.Cgroup{CgroupSample: recording.CgroupSample{Path: "/a", Version: 2, Quota: q, Period: 100 * time.Millisecond}}
		return throttledFixes(ruletest.New(2, 10).View(), c)[0].Command.String()
	}
	for allowed, want := range map[time.Duration]string{
		150 * time.Millisecond: `echo "200000 100000" > /sys/fs/cgroup/a/cpu.max`,
		400 * time.Millisecond: "", // more than there is
	} {
		if got := quota(allowed); got != want {
			t.Errorf("%v: %q, want %q", allowed, got, want)
		}
	}
}
