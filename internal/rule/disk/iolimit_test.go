package disk

import (
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// The limit is removed with those of the groups above that allow no more of the same; in version 1 these
// hold nobody below them.
func TestLift(t *testing.T) {
	for _, c := range []struct {
		path    string
		version int32
		above   string // limits of /pods
		want    string
		text    string
	}{
		{"/pods/batch", 2, "", "echo '7:3 riops=max' > /sys/fs/cgroup/pods/batch/io.max", ""},
		{"/pods/batch", 2, "7:3 riops=200", "echo '7:3 riops=max' > /sys/fs/cgroup/pods/io.max && echo '7:3 riops=max' > /sys/fs/cgroup/pods/batch/io.max", ""},
		{"/pods/batch", 2, "7:3 riops=201 wiops=100;7:4 riops=100", "echo '7:3 riops=max' > /sys/fs/cgroup/pods/batch/io.max", ""},
		{"/pods/batch", 1, "7:3 riops=200", "echo '7:3 0' > /sys/fs/cgroup/blkio/pods/batch/blkio.throttle.read_iops_device", ""},
		{"/system.slice/batch.service", 2, "", "echo '7:3 riops=max' > /sys/fs/cgroup/system.slice/batch.service/io.max", ""},
		{"/", 2, "", "", "on the container's host"},
	} {
		h := ruletest.New(2, 10)
		h.Cgroup(ruletest.Cgroup{Path: "/pods", Change: func(_ float64, row *recording.CgroupSample) { row.Version, row.IOLimits = c.version, c.above }})
		f := ioLimit{path: c.path, version: c.version, device: "7:3", key: "riops", value: 200}.lift(h.View())
		if got := f.Command.String(); got != c.want || !strings.Contains(f.Text.String(), c.text) {
			t.Errorf("%s, version %d, below %q: %q, %s; want %q", c.path, c.version, c.above, got, f.Text, c.want)
		}
	}
}
