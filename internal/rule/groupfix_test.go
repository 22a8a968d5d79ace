package rule

import "testing"

func TestGroupFile(t *testing.T) {
	for _, c := range []struct {
		version     int32
		group, want string
	}{
		{2, "/", "/sys/fs/cgroup/memory.max"},
		{1, "/", "/sys/fs/cgroup/memory/memory.limit_in_bytes"},
		{2, "/docker/aaa", "/sys/fs/cgroup/docker/aaa/memory.max"},
		{1, "/docker/aaa", "/sys/fs/cgroup/memory/docker/aaa/memory.limit_in_bytes"},
	} {
		if got := string(MemoryGroups.File(c.version, c.group, "memory.max", "memory.limit_in_bytes")); got != c.want {
			t.Errorf("%s, version %d: %s, want %s", c.group, c.version, got, c.want)
		}
	}
}
