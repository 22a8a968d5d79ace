package cgroup

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

func rowsOf(t *testing.T, p *Probe, at time.Time) map[string]recording.CgroupSample {
	t.Helper()
	w := recording.NewWriter(at)
	if err := p.Sample(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	r := recording.New(recording.Manifest{})
	if err := r.Commit(w); err != nil {
		t.Fatal(err)
	}
	rows := map[string]recording.CgroupSample{}
	for _, row := range recording.Rows[recording.CgroupSample](r) {
		row.At = time.Time{}
		rows[row.Path] = row
	}
	return rows
}

func TestVersion2(t *testing.T) {
	p := newAt("testdata/v2")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, p, time.Unix(100, 0))
	want := recording.CgroupSample{
		Path: "/system.slice/nginx.service", Version: 2, Processes: 3,
		CPUTime: 7500 * time.Millisecond, Quota: 20 * time.Millisecond, Period: 100 * time.Millisecond,
		Periods: 300, Throttled: 250, ThrottledTime: 18500 * time.Millisecond, CPUSet: "0-3",
		Memory: 130023424, MemoryMax: 128 << 20, MemoryHigh: 120 << 20, SwapUsed: 8192, SwapMax: 0,
		Anon: 100000000, File: 20000000, Shmem: 300000, InactiveFile: 9000000, ActiveFile: 8000000, Reclaimable: 70000,
		EventsHigh: 41, EventsMax: 12, EventsOOM: 3, OOMKills: 2, MajorFaults: 55, RefaultFile: 88,
		CPUStall: 18 * time.Second, MemoryStall: 250 * time.Millisecond,
		ReadBytes: 5096, WriteBytes: 8192, Reads: 4, Writes: 2, IOLimits: "8:0 wbps=1048576 wiops=120", IODone: "8:0 rbytes=4096 wbytes=8192 rios=1 wios=2",
		Pids: 3, PidsMax: 512, PidsEvents: 4,
		MemswFailures: recording.Unknown, KmemFailures: recording.Unknown, SocketFailures: recording.Unknown, HugeFailures: 12,
	}
	if diff := cmp.Diff(want, rows[want.Path]); diff != "" {
		t.Errorf("nginx.service (-want +got):\n%s", diff)
	}
	if _, there := rows["/system.slice/idle.service"]; there {
		t.Error("an empty group without limits and events has a row")
	}
	root := rows["/"]
	if root.CPUTime != 9*time.Second || root.Memory != recording.Unknown || root.Quota != recording.Unknown || root.Processes != recording.Unknown {
		t.Errorf("root %+v", root)
	}
	if slice := rows["/system.slice"]; slice.MemoryMax != math.MaxInt64 || int64(slice.Quota) != math.MaxInt64 || slice.ReadBytes != 0 || slice.CPUStall != recording.Unknown {
		t.Errorf("system.slice %+v", slice)
	} else if slice.EventsMax != 0 || slice.EventsOOM != 0 || slice.OOMKills != 2 { // its own, and kills below, too
		t.Errorf("system.slice: %d times at its limit, %d without memory, %d killed", slice.EventsMax, slice.EventsOOM, slice.OOMKills)
	}
	if len(rows) != 7 {
		t.Errorf("%d rows", len(rows))
	}

	if again := rowsOf(t, p, time.Unix(101, 0)); len(again) != 0 {
		t.Errorf("groups that used no CPU have %d rows", len(again))
	}
	p.Closing()
	if last := rowsOf(t, p, time.Unix(102, 0)); len(last) != 7 {
		t.Errorf("the closing sample has %d rows", len(last))
	}
}

func TestVersion1(t *testing.T) {
	const u = recording.Unknown
	for _, tree := range []string{"v1", "hybrid"} {
		rows := rowsOf(t, newAt(filepath.Join("testdata", tree)), time.Unix(100, 0))
		path := "/docker/" + strings.Repeat("3f2a91c04b7d", 5) + "abcd"
		want := recording.CgroupSample{
			Path: path, Version: 1, Processes: 2,
			CPUTime: 7000000001, Quota: 50 * time.Millisecond, Period: 100 * time.Millisecond,
			Periods: 90, Throttled: 80, ThrottledTime: 4000000123, CPUSet: "0-1",
			Memory: 60000000, MemoryMax: 64 << 20, MemoryHigh: u, SwapUsed: 600, SwapMax: 64 << 20,
			Anon: 5000, File: 4000, Shmem: u, InactiveFile: 700, ActiveFile: 900, Reclaimable: u, EventsHigh: u, EventsMax: 99, EventsOOM: u, OOMKills: 5,
			MajorFaults: 8, RefaultFile: 9, CPUStall: u, MemoryStall: u,
			ReadBytes: 4097, WriteBytes: 8192, Reads: 10, Writes: 20, IOLimits: "7:0 wiops=5;8:0 wbps=1048576 wiops=50", IODone: "7:0 rbytes=0 wbytes=0 rios=0 wios=0;8:0 rbytes=1024 wbytes=2048 rios=10 wios=20",
			Pids: 2, PidsMax: math.MaxInt64, PidsEvents: 0,
			MemswFailures: 17, KmemFailures: 4, SocketFailures: 3, HugeFailures: u,
		}
		if diff := cmp.Diff(want, rows[path]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tree, diff)
		}
		for _, row := range rows {
			if row.Version != 1 {
				t.Errorf("%s: row of version %d at %s", tree, row.Version, row.Path)
			}
		}
	}
}

func TestNothingMounted(t *testing.T) {
	if err := newAt(t.TempDir()).Start(); probe.Remedy(err) == "" {
		t.Errorf("error %v has no remedy", err)
	}
}

// Some kernels do not end the line of a device without numbers.
func TestIOStat(t *testing.T) {
	for _, tt := range []struct {
		text string
		want ioTotals // of 8:0
	}{
		{"8:16 rbytes=9 wbytes=9 rios=9 wios=9\n8:0 rbytes=4096 wbytes=5 rios=1 wios=2 dbytes=7\n", ioTotals{4096, 5, 1, 2}},
		{"8:16 8:0 rbytes=4096 wbytes=5 rios=1 wios=2\n", ioTotals{4096, 5, 1, 2}},
		{"7:0 7:1 8:0 \n8:16 rbytes=4096 wbytes=5 rios=1 wios=2\n", ioTotals{}},
		{"8:0 8:16 rbytes=4096 wbytes=5 rios=1 wios=2\n", ioTotals{}},
	} {
		kept := map[string]*ioTotals{"8:0": {}}
		parseIOStat([]byte(tt.text), kept)
		if got := *kept["8:0"]; got != tt.want {
			t.Errorf("%q: %+v, want %+v", tt.text, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("8:0 rbps=max wbps=1048576 riops=max wiops=120\n8:0 Read 10\n"))
	f.Add([]byte("some avg10=1 total=99999999999999999999\n30 23 0:27 /../x /m rw - cgroup rw,cpu"))
	f.Fuzz(func(t *testing.T, b []byte) {
		parseIOMax(b)
		devices := limitedDevices(parseIOMax(b))
		parseIOStat(b, devices)
		parseBlkio(b, devices, func(t *ioTotals) (read, written *int64) { return &t.reads, &t.writes })
		ioDone(devices)
		throttleLimits(map[string][]byte{"rbps": b})
		parseMount(b)
		if q, period := parseCPUMax(b); q < -1 || period < -1 || parseStall(b) < -1 {
			t.Errorf("negative time out of %q: %d %d", b, q, period)
		}
	})
}
