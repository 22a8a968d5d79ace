package view

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

// stacked is a recording of devices, what each is made of, and where filesystems on them are mounted.
func stacked(t *testing.T, devices map[string]string, mounts map[string]string) *View {
	t.Helper()
	at := time.Unix(1.7e9, 0)
	w := recording.NewWriter(at)
	number := map[string]int32{}
	for name, slaves := range devices {
		number[name] = int32(len(number) + 1)
		partition := strings.HasPrefix(slaves, "partition")
		if partition {
			slaves = ""
		}
		recording.Append(w, recording.DiskSample{At: at, Device: name, Major: 8, Minor: number[name], Partition: partition, Slaves: slaves})
	}
	for point, device := range mounts {
		recording.Append(w, recording.MountSample{At: at, MountPoint: point, Device: "/dev/" + device, Major: 8, Minor: number[device], FSType: "ext4", Size: 100})
	}
	rec := recording.New(recording.Manifest{})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return New(rec, at, at.Add(time.Second))
}

func TestStacks(t *testing.T) {
	v := stacked(t, map[string]string{
		"sda": "", "sda1": "partition", "sda2": "partition", "sdb": "", "sdc": "", "sdp": "", "nvme1n1": "",
		"dm-0": "sda2", "dm-1": "dm-0", // encrypted, and a volume on it
		"md0": "sdb1,sdc1", "dm-2": "md0", // an array, and a volume on it
		"dm-3": "sdp1", "dm-4": "sdp2", "dm-5": "dm-3,dm-4", "dm-6": "dm-5", // a thin pool, and a volume of it
		"dm-7": "nvme1n1p3", "md1": "sda1,sdz1",
		"nvme0n1": "", "nvme0c0n1": "", "nvme0c1n1": "",
		"dm-8": "dm-9", "dm-9": "dm-8", "dm-10": ",,dm-10", // of no kernel
	}, map[string]string{"/": "dm-1", "/boot": "sda1", "/data": "dm-2", "/thin": "dm-6", "/nvme": "nvme0n1"})
	for name, want := range map[string]struct{ below, under, mounts string }{
		"sda":       {"", "", "/ /boot"},
		"dm-0":      {"sda", "sda", "/"},
		"dm-1":      {"dm-0 sda", "dm-0 sda", "/"},
		"sdb":       {"", "", ""},
		"md0":       {"sdb sdc", "", "/data"},
		"dm-2":      {"md0 sdb sdc", "md0", "/data"},
		"sdp":       {"", "", "/thin"},
		"dm-5":      {"dm-3 dm-4 sdp", "sdp", "/thin"},
		"dm-6":      {"dm-5 dm-3 dm-4 sdp", "dm-5 sdp", "/thin"},
		"dm-7":      {"nvme1n1", "nvme1n1", ""},
		"md1":       {"sda sdz1", "", ""},
		"nvme0n1":   {"nvme0c0n1 nvme0c1n1", "", "/nvme"},
		"nvme0c1n1": {"", "", "/nvme"},
		"dm-10":     {"", "", ""},
		"none":      {"", "", ""},
	} {
		got := struct{ below, under, mounts string }{strings.Join(v.Below(name), " "), strings.Join(v.Underlying(name), " "), ""}
		if d, ok := v.BlockDevice(name); ok {
			got.mounts = strings.Join(d.Mounts, " ")
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if got := len(v.Below("dm-8")); got != 1 {
		t.Errorf("dm-8 lies on %d devices in a circle, want 1", got)
	}
	for name, want := range map[string]string{"sda2": "sda", "dm-0": "dm-0", "nvme0c1n1": "nvme0n1", "nvme2c0n1": "nvme2c0n1", "sdz": "sdz"} {
		if got := v.WholeDisk(name); got != want {
			t.Errorf("%s is on %s, want %s", name, got, want)
		}
	}
	for _, pair := range []struct {
		device, disk string
		want         bool
	}{{"dm-1", "sda", true}, {"sda", "sda", true}, {"dm-2", "sdb", false}, {"sda", "dm-1", false}, {"", "", false}, {"dm-6", "dm-3", false}} {
		if got := v.LiesOn(pair.device, pair.disk); got != pair.want {
			t.Errorf("%q lies on %q: %v", pair.device, pair.disk, got)
		}
	}
	if !v.SameStack("sdc", "dm-2") || v.SameStack("sda", "dm-2") || v.SameStack("sdb", "sdc") {
		t.Error("dm-2 is above sdc, and neither beside sda, nor sdb above sdc")
	}
}

// The file of a loop device lies on a volume, which lies on a disk.
func TestLoopOnAVolume(t *testing.T) {
	at := time.Unix(1.7e9, 0)
	w := recording.NewWriter(at)
	recording.Append(w,
		recording.DiskSample{At: at, Device: "loop0", Major: 7, Backing: "/srv/disk.img"},
		recording.DiskSample{At: at, Device: "dm-0", Major: 253, Slaves: "vda2"},
		recording.DiskSample{At: at, Device: "vda", Major: 254})
	recording.Append(w, recording.MountSample{At: at, MountPoint: "/", Major: 253, FSType: "xfs", Size: 100}, recording.MountSample{At: at, MountPoint: "/mnt", Major: 7, FSType: "xfs", Size: 100})
	rec := recording.New(recording.Manifest{})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, at, at.Add(time.Second))
	if diff := cmp.Diff([]string{"dm-0", "vda"}, v.Underlying("loop0")); diff != "" {
		t.Errorf("below loop0 (-want +got):\n%s", diff)
	}
	if d, _ := v.BlockDevice("vda"); !cmp.Equal(d.Mounts, []string{"/"}) || v.LiesOn("loop0", "vda") {
		t.Errorf("on vda: %v; a file is a part of its disk only", d.Mounts)
	}
}
