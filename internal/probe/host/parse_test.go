package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"

	"golang.org/x/sys/unix"
)

var at = time.Unix(1700000000, 0)

func TestParseStat(t *testing.T) {
	ms10 := func(n int64) time.Duration { return time.Duration(n) * 10 * time.Millisecond }
	tests := []struct {
		name, in string
		want     []recording.CPUSample
		wantErr  bool
	}{
		{name: "today", in: "cpu  1 2 3 4 5 6 7 8 9 10\ncpu3 1 2 3 4 5 6 7 8 9 10\nintr 99 1 2\nctxt 7\nprocesses 5\nprocs_running 2\nprocs_blocked 1\n",
			want: []recording.CPUSample{
				{At: at, CPU: -1, User: ms10(1), Nice: ms10(2), System: ms10(3), Idle: ms10(4), IOWait: ms10(5), IRQ: ms10(6), SoftIRQ: ms10(7), Steal: ms10(8)},
				{At: at, CPU: 3, User: ms10(1), Nice: ms10(2), System: ms10(3), Idle: ms10(4), IOWait: ms10(5), IRQ: ms10(6), SoftIRQ: ms10(7), Steal: ms10(8)},
			}},
		{name: "without steal and guest", in: "cpu  1 2 3 4 5 6 7\n", want: []recording.CPUSample{
			{At: at, CPU: -1, User: ms10(1), Nice: ms10(2), System: ms10(3), Idle: ms10(4), IOWait: ms10(5), IRQ: ms10(6), SoftIRQ: ms10(7)}}},
		{name: "torn", in: "cpu  1 2", wantErr: true},
		{name: "empty", wantErr: true},
	}
	for _, tt := range tests {
		got, totals, err := parseStat(nil, at, []byte(tt.in))
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.wantErr {
			t.Errorf("%s: error %v, rows (-want +got):\n%s", tt.name, err, diff)
		}
		if tt.name == "today" && (totals.Interrupts != 99 || totals.ContextSwitches != 7 || totals.Forks != 5 || totals.Running != 2 || totals.Blocked != 1 || totals.FilesOpen != -1) {
			t.Errorf("totals %+v", totals)
		}
	}
}

func TestDiskstatsOfKernels(t *testing.T) {
	in := "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n" + // before 4.18
		"8 16 sdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n" +
		"259 0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n" +
		"8 1 sda1 1 2 3 4\n" + // partition of 2.6.24
		"8 2 torn 1 2\n"
	d := newDisk(FS{Root: t.TempDir()})
	if err := d.parse(at, []byte(in)); err == nil {
		t.Error("no error for the torn line")
	}
	base := recording.DiskSample{At: at, Device: "sda", Major: 8, Reads: 1, ReadBytes: 3 * 512, ReadTime: 4 * time.Millisecond,
		Writes: 5, WrittenBytes: 7 * 512, WriteTime: 8 * time.Millisecond, InFlight: 9, Busy: 10 * time.Millisecond, WeightedQueue: 11 * time.Millisecond}
	discards := base
	discards.Device, discards.Minor = "sdb", 16
	flushes := discards
	flushes.Device, flushes.Major, flushes.Minor, flushes.Flushes, flushes.FlushTime = "nvme0n1", 259, 0, 16, 17*time.Millisecond
	if diff := cmp.Diff([]recording.DiskSample{base, discards, flushes}, d.rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestMeminfoOfOldKernel(t *testing.T) {
	row, err := parseMeminfo([]byte("MemTotal: 1024 kB\nMemFree: 512 kB\nHugePages_Total: 3\nHugepagesize: 2048 kB\n"))
	if err != nil || row.Total != 1<<20 || row.Available != -1 || row.HugeTotal != 6<<20 {
		t.Errorf("row %+v, error %v", row, err)
	}
	if _, err := parseMeminfo([]byte("MemFree: 1 kB")); err == nil {
		t.Error("no error without MemTotal")
	}
}

func TestVMStatOfKernels(t *testing.T) {
	row, missing, err := parseVMStat([]byte("allocstall_dma 1\nallocstall_movable 2\npgscan_direct 5\npgscan_direct_throttle 100\npgscan_kswapd_normal 3\npgscan_kswapd_dma 4\nworkingset_refault 9\npgmajfault 1\npswpin 0\n"))
	if err != nil || row.AllocStalls != 3 || row.ScanKswapd != 7 || row.RefaultFile != 9 {
		t.Errorf("row %+v, error %v", row, err)
	}
	if diff := cmp.Diff([]string{"oom_kill"}, missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

func TestZonesOfNodes(t *testing.T) {
	in := `Node 0, zone      DMA
  per-node stats
      nr_active_anon 392
  pages free     10
        min      1
        low      2
        high     3
        managed  100
      nr_zone_active_anon 7
  pagesets
    cpu: 0
              high:  77
Node 0, zone  Movable
  pages free     0
        managed  0
Node 1, zone   Normal
  pages free     20
        min      4
        present  200
    nr_inactive_file 8
`
	got, err := parseZones(nil, at, []byte(in), new(procfile.Names))
	if err != nil {
		t.Fatal(err)
	}
	want := []recording.ZoneSample{
		{At: at, Zone: "DMA", Free: 10, High: 3, Managed: 100},
		{At: at, Node: 1, Zone: "Normal", Free: 20, Managed: 200},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestPressure(t *testing.T) {
	row, err := parsePressure([]byte("full avg10=1.50 avg60=0 avg300=0 total=42\n")) // irq
	if err != nil || row.Full != 42*time.Microsecond {
		t.Errorf("row %+v, error %v", row, err)
	}
	w := recording.NewWriter(at)
	if err := newPressure(FS{Root: t.TempDir()}).read(w, true); probe.Remedy(err) == "" || w.Rows() != 0 {
		t.Errorf("without pressure: %d rows, error %v", w.Rows(), err)
	}
}

func TestVisibleMounts(t *testing.T) {
	in := `20 1 8:1 / / rw - ext4 /dev/sda1 rw
21 20 8:2 / /data rw shared:1 - ext4 /dev/sda2 rw
22 21 8:3 / /data rw - ext4 /dev/sda3 ro
23 20 8:4 / /mnt/a\040b rw - xfs /dev/sdb rw
24 20 8:5 / /opt/x rw - ext4 /dev/sdc rw
25 20 0:9 / /opt rw - tmpfs tmpfs rw
26 20 8:1 /sub /bind rw - ext4 /dev/sda1 rw
27 20 7:0 / /snap/core ro - squashfs /dev/loop0 ro
28 20 0:5 / /proc rw - proc proc rw
bad line
`
	entries, bad := parseMountinfo([]byte(in))
	if bad != 1 {
		t.Errorf("%d bad lines", bad)
	}
	var points []string
	for _, e := range worthReading(entries) {
		points = append(points, e.point+" "+e.device)
	}
	want := []string{"/ /dev/sda1", "/data /dev/sda3", "/mnt/a b /dev/sdb", "/opt tmpfs"}
	if diff := cmp.Diff(want, points); diff != "" {
		t.Errorf("mounts (-want +got):\n%s", diff)
	}
}

// What a device is made of is told as a whole or not at all.
func TestSlaves(t *testing.T) {
	root := t.TempDir()
	add := func(path, text string) {
		path = filepath.Join(root, "sys/class/block", path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		"dm-0/size": "1000", "dm-0/dm/name": "vg-root\n", "dm-0/slaves/sdb": "", "dm-0/slaves/sda2": "", "dm-0/slaves/cciss!c0d0p2": "",
		"md0/size": "1000", "md0/slaves/sdc1": "", "md0/slaves/sdd1": "",
		"md0p1/size": "1000", "md0p1/partition": "1", "md0p1/slaves/sdc1": "",
		"dm-1/size": "1000", "dm-2/size": "1000", "dm-2/slaves/" + strings.Repeat("a", maxName+1): "",
		"dm-3/size": "1000", "dm-3/slaves/sda,sdb": "", "sda/size": "1000", "sda/slaves/sdb": "", "md9/size": "1000",
	} {
		add(path, text)
	}
	for i := range maxSlaves + 1 {
		add(fmt.Sprintf("md9/slaves/sd%d", i), "")
	}
	d := newDisk(FS{Root: root})
	for name, want := range map[string]string{"dm-0": "cciss/c0d0p2,sda2,sdb", "md0": "sdc1,sdd1", "md0p1": "", "dm-1": "", "dm-2": "", "dm-3": "", "sda": "", "md9": "", "dm-7": ""} {
		if got := d.readDevice(name).slaves; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// On a host with more mounts than are read, those of block devices are, wherever they are listed.
func TestManyMounts(t *testing.T) {
	var b strings.Builder
	line := func(id int, device, point, fsType, source string) {
		fmt.Fprintf(&b, "%d 20 %s / %s rw - %s %s rw\n", id, device, point, fsType, source)
	}
	b.WriteString("20 1 0:44 / / rw - overlay overlay rw\n")
	for i := range 600 {
		line(100+i, fmt.Sprintf("0:%d", 100+i), fmt.Sprintf("/run/pod%d", i), "tmpfs", "tmpfs")
	}
	line(800, "0:800", "/tank", "zfs", "tank")
	line(801, "0:801", "/srv/btrfs", "btrfs", "/dev/sdc")
	line(802, "8:17", "/srv/volume", "ext4", "/dev/sdb1")
	root := t.TempDir()
	path := filepath.Join(root, "proc/self/mountinfo")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(b.String()), 0o644)); err != nil {
		t.Fatal(err)
	}
	m := newMount(FS{Root: root})
	m.statfs = func(_ string, into *unix.Statfs_t) error { into.Blocks, into.Frsize = 1, 4096; return nil }
	w := recording.NewWriter(at)
	if err := m.read(w, true); err != nil {
		t.Fatal(err)
	}
	rec := recording.New(recording.Manifest{})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	var points []string
	for _, row := range recording.Rows[recording.MountSample](rec) {
		points = append(points, row.MountPoint)
	}
	if len(points) != maxMounts {
		t.Fatalf("%d rows, want %d", len(points), maxMounts)
	}
	losses := recording.Rows[recording.TableLoss](rec)
	if len(losses) != 1 || losses[0].Probe != probeName || losses[0].TableOf != string(recording.Mounts) || losses[0].Lost == 0 || losses[0].Lost != w.LostRows() {
		t.Errorf("what is lost: %+v, %d rows in all", losses, w.LostRows())
	}
	for _, want := range []string{"/", "/srv/btrfs", "/srv/volume", "/tank", "/run/pod0"} {
		if !slices.Contains(points, want) {
			t.Errorf("%s was not read", want)
		}
	}
}

// A dead server must cost one goroutine and a bounded time, once.
func TestDeadRemoteMount(t *testing.T) {
	m := newMount(FS{})
	release := make(chan bool)
	calls := 0
	m.statfs = func(string, *unix.Statfs_t) error { calls++; <-release; return nil }
	var s unix.Statfs_t
	for range 3 {
		if err := m.ask("/nfs", &s, time.Now().Add(5*time.Millisecond)); err != errSilent {
			t.Fatalf("error %v", err)
		}
	}
	close(release)
	if err := m.ask("/nfs", &s, time.Now().Add(5*time.Second)); err != nil || calls != 1 {
		t.Errorf("after it answered: error %v, %d calls", err, calls)
	}
}

func FuzzParsers(f *testing.F) {
	f.Add([]byte("cpu0 1 2 3 4\n8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n36 35 98:0 / /point rw - ext4 /dev/sda1 rw\n"))
	f.Add([]byte("CPU0 CPU1\n24: 1 0 IO-APIC 5-edge ACPI:Ged\nNode 0, zone DMA\n pages free 3\n0000000f 00000001 00000000"))
	f.Fuzz(func(t *testing.T, b []byte) {
		names := new(procfile.Names)
		rows, _, _ := parseStat(nil, at, b)
		for _, row := range rows {
			if row.User < 0 || row.Idle < 0 {
				t.Errorf("negative time in %+v", row)
			}
		}
		parseMeminfo(b)
		parseVMStat(b)
		parsePressure(b)
		parseSwaps(nil, at, b, names)
		parseSoftnet(nil, at, b, func() ([]int, error) { return procfile.CPUs(b) })
		parseLoad(&recording.SystemSample{}, b)
		parseFileNr(&recording.SystemSample{}, b)
		entries, _ := parseMountinfo(b)
		worthReading(entries)
		parseZones(nil, at, b, names)
		newDisk(FS{}).parse(at, b)
		parseSoftIRQs(nil, at, b, names)
		parseInterrupts(nil, at, b, names)
	})
}

// Counters of disks and memory controllers that only some hosts have; what is not
// there is Unknown and never 0.
func TestErrorCounters(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"sys/class/block/sda/size": "1000", "sys/class/block/sda/device/ioerr_cnt": "0x1f\n", "sys/class/block/sda/device/iotmo_cnt": "0x2\n",
		"sys/class/block/sdb/size": "1000", "sys/class/block/sdb/device/ioerr_cnt": "31\n", "sys/class/block/sdb/device/iotmo_cnt": "0xfffffffffff\n",
		"sys/devices/system/edac/mc/mc0/ce_count": "7\n", "sys/devices/system/edac/mc/mc0/ue_count": "0\n",
		"sys/devices/system/edac/mc/mc1/ce_count": "5\n", "sys/devices/system/edac/mc/power/ce_count": "100\n",
	} {
		path = filepath.Join(root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	d := newDisk(FS{Root: root})
	const u = recording.Unknown
	for name, want := range map[string][2]int64{"sda": {31, 2}, "sdb": {u, u}, "vda": {u, u}} {
		if got := d.readDevice(name); got.errors != want[0] || got.timeouts != want[1] {
			t.Errorf("%s: %d errors, %d timeouts, want %v", name, got.errors, got.timeouts, want)
		}
	}
	if corrected, uncorrected := newMemory(FS{Root: root}).errors(); corrected != 12 || uncorrected != u {
		t.Errorf("%d corrected, %d uncorrected, want 12, and nothing for a sum that lacks a part", corrected, uncorrected)
	}
	if corrected, uncorrected := newMemory(FS{Root: t.TempDir()}).errors(); corrected != u || uncorrected != u {
		t.Errorf("without a driver: %d corrected, %d uncorrected", corrected, uncorrected)
	}
}
