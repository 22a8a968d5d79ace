package cpu

import (
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// The quota is taken from the group that has it: by its unit of systemd, if it is that of one.
func TestWeigh(t *testing.T) {
	for _, c := range []struct {
		path    string
		version int32
		want    string
	}{
		{"/system.slice/redis.service", 2, "systemctl set-property redis.service CPUQuota= CPUWeight=50"},
		{"/system.slice/redis.service", 1, "systemctl set-property redis.service CPUQuota= CPUWeight=50"},
		{"/system.slice/redis.service/workers", 2, "echo max > /sys/fs/cgroup/system.slice/redis.service/workers/cpu.max && echo 50 > /sys/fs/cgroup/system.slice/redis.service/workers/cpu.weight"},
		{"/docker/aaa", 2, "echo max > /sys/fs/cgroup/docker/aaa/cpu.max && echo 50 > /sys/fs/cgroup/docker/aaa/cpu.weight"},
		{"/docker/aaa", 1, "echo -1 > /sys/fs/cgroup/cpu/docker/aaa/cpu.cfs_quota_us && echo 512 > /sys/fs/cgroup/cpu/docker/aaa/cpu.shares"},
	} {
		if got := weigh(view.Cgroup{CgroupSample: recording.CgroupSample{Path: c.path, Version: c.version}}).String(); got != c.want {
			t.Errorf("%s, version %d: %q, want %q", c.path, c.version, got, c.want)
		}
	}
}
