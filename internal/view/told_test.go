package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

// A report of another tool tells some columns of a table; who is not named in it tells all.
func TestTells(t *testing.T) {
	v := New(recording.New(recording.Manifest{Probes: []recording.ProbeInfo{{Name: "sar", Only: []string{"cpus.user_ns", "protocol.TcpOutSegs"}}, {Name: "host"}}}), time.Unix(1, 0), time.Unix(2, 0))
	for _, tc := range []struct {
		table  recording.Table
		column string
		want   bool
	}{
		{recording.CPUs, "user_ns", true}, {recording.CPUs, "softirq_ns", false}, {recording.Protocol, "TcpOutSegs", true}, {recording.Protocol, "TcpRetransSegs", false}, {recording.Memory, "free_bytes", true},
	} {
		if got := v.Tells(tc.table, tc.column); got != tc.want {
			t.Errorf("%s.%s: %v", tc.table, tc.column, got)
		}
	}
}

// Without numbers of devices, filesystems are told apart by what is mounted, or where, and lie
// on no disk that is known.
func TestFilesystemsWithoutNumbers(t *testing.T) {
	at := time.Unix(1767322800, 0)
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(at)
	for _, m := range []recording.MountSample{
		{MountPoint: "/", Device: "/dev/vda1", FSType: "ext4"}, {MountPoint: "/var/lib/x", Device: "/dev/vda1", FSType: "ext4"}, {MountPoint: "/srv", Device: "/dev/vdb", FSType: "xfs"},
		{MountPoint: "/run", Device: "tmpfs", FSType: "tmpfs"}, {MountPoint: "/tmp", Device: "tmpfs", FSType: "tmpfs"}, {MountPoint: "/nfs", FSType: "nfs"},
	} {
		m.At, m.Size, m.Available = at, 100, 50
		recording.Append(w, m)
	}
	recording.Append(w, recording.DiskSample{At: at, Device: "vda"}, recording.DiskSample{At: at, Device: "vdb"})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, at, at.Add(time.Second))
	points := map[string]bool{}
	for _, fs := range v.Filesystems() {
		points[fs.MountPoint] = true
		if fs.Disk != "" {
			t.Errorf("%s lies on %s", fs.MountPoint, fs.Disk)
		}
	}
	if len(points) != 5 || points["/var/lib/x"] {
		t.Errorf("%v", points)
	}
	if got := v.WholeDisk("vda"); got != "vda" {
		t.Errorf("vda is %s", got)
	}
}
