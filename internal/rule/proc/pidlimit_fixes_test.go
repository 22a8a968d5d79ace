package proc

import (
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// Commands raise the limit of the group that has it: by its unit of systemd, if it is that of one.
func TestRaiseTasks(t *testing.T) {
	for _, c := range []struct {
		path    string
		version int32
		want    string
	}{
		{"/system.slice/redis.service", 2, "systemctl set-property redis.service TasksMax=400"},
		{"/system.slice/docker-3f2a91c04b7d.scope", 2, "systemctl set-property docker-3f2a91c04b7d.scope TasksMax=400"},
		{"/system.slice/redis.service/workers", 2, "echo 400 > /sys/fs/cgroup/system.slice/redis.service/workers/pids.max"},
		{"/docker/aaa", 2, "echo 400 > /sys/fs/cgroup/docker/aaa/pids.max"},
		{"/kubepods.slice/kubepods-pod1.slice", 2, "echo 400 > /sys/fs/cgroup/kubepods.slice/kubepods-pod1.slice/pids.max"},
		{"/user.slice/user-1000.slice", 2, "echo 400 > /sys/fs/cgroup/user.slice/user-1000.slice/pids.max"},
		{"/system.slice/redis.service", 1, "echo 400 > /sys/fs/cgroup/pids/system.slice/redis.service/pids.max"},
	} {
		l := taskLimit{Cgroup: view.Cgroup{CgroupSample: recording.CgroupSample{Path: c.path, Version: c.version, PidsMax: 100}}}
		if got := l.raise().String(); got != c.want {
			t.Errorf("%s, version %d: %q, want %q", c.path, c.version, got, c.want)
		}
	}
}
