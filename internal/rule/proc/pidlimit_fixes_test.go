package proc

import (
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// Commands raise the limit of the group that has it, and those above it that allow less: by its unit of
// systemd, if it is that of one.
func TestRaiseTasks(t *testing.T) {
	const pod = "/kubepods.slice/kubepods-pod1.slice"
	for _, c := range []struct {
		path    string
		version int32
		above   string // a group with the same limit
		want    string
		text    string // what the fix says further
	}{
		{"/system.slice/redis.service", 2, "", "systemctl set-property redis.service TasksMax=400", ""},
		{"/system.slice/redis.service", 1, "", "systemctl set-property redis.service TasksMax=400", ""},
		{"/system.slice/docker-3f2a91c04b7d.scope", 2, "", "systemctl set-property docker-3f2a91c04b7d.scope TasksMax=400", ""},
		{"/system.slice/redis.service/workers", 2, "", "echo 400 > /sys/fs/cgroup/system.slice/redis.service/workers/pids.max", ""},
		{"/system.slice/redis.service/workers", 2, "/system.slice/redis.service", "systemctl set-property redis.service TasksMax=400 && echo 400 > /sys/fs/cgroup/system.slice/redis.service/workers/pids.max", ""},
		{"/docker/aaa", 2, "", "echo 400 > /sys/fs/cgroup/docker/aaa/pids.max", ""},
		{"/docker/aaa", 1, "", "echo 400 > /sys/fs/cgroup/pids/docker/aaa/pids.max", ""},
		{pod, 2, "", "echo 400 > /sys/fs/cgroup" + pod + "/pids.max", "podPidsLimit of kubelet, which sets the pod"},
		{pod + "/crio-a.scope", 2, pod, "echo 400 > /sys/fs/cgroup" + pod + "/pids.max && echo 400 > /sys/fs/cgroup" + pod + "/crio-a.scope/pids.max", "podPidsLimit of kubelet, which sets the pod"},
		{"/user.slice/user-1000.slice", 2, "", "systemctl set-property user-1000.slice TasksMax=400", ""},
		{"/user.slice/user-1000.slice/session-3.scope", 2, "", "echo 400 > /sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope/pids.max", ""},
		{"/", 2, "", "", "on the container's host: docker update --pids-limit"},
	} {
		h := ruletest.New(2, 10)
		if c.above != "" {
			h.Cgroup(ruletest.Cgroup{Path: c.above, Change: func(_ float64, row *recording.CgroupSample) { row.PidsMax = 100 }})
		}
		l := taskLimit{Cgroup: view.Cgroup{CgroupSample: recording.CgroupSample{Path: c.path, Version: c.version, PidsMax: 100}}}
		f := l.raise(h.View())
		if got := f.Command.String(); got != c.want {
			t.Errorf("%s, version %d: %q, want %q", c.path, c.version, got, c.want)
		}
		if text := f.Text.String(); !strings.Contains(text, c.text) || c.text == "" && text != "if this number is intended, raise the limit" {
			t.Errorf("%s: %q, want %q", c.path, text, c.text)
		}
	}
	// Where it is not known whose limit was reached there is nothing to raise.
	unclear := taskLimit{unclear: true, Cgroup: view.Cgroup{CgroupSample: recording.CgroupSample{Path: "/docker/aaa", Version: 2, PidsMax: 100}}}
	if f := unclear.raise(ruletest.New(2, 10).View()); !f.Command.Empty() {
		t.Errorf("unclear: %q", f.Command)
	}
}
