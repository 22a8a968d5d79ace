package process

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// sample reads the recorded tree once.
func sample(t *testing.T) *recording.Recording {
	t.Helper()
	c := census.New("testdata/host")
	t.Cleanup(func() { c.Close() })
	p := New(c)
	t.Cleanup(func() { p.Close() })
	p.page = 4096
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(time.Now())
	if err := p.Sample(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestRecordedProcesses(t *testing.T) {
	const ms = time.Millisecond
	boot := time.Unix(1795223995, 0)
	want := []recording.ProcessSample{
		{
			PID: 1, PPID: 26013, Started: boot.Add(270697 * 10 * ms), Comm: "nginx",
			Cmdline: "nginx: master process nginx -c /etc/nginx/nginx.conf -g daemon off;  --password=***",
			State:   "S", Threads: 1, Cgroup: "/", MemCgroup: "/system.slice/nginx.service", IOCgroup: "/", NetNS: 4026531833, Full: true,
			RunTime: 7988406, RunDelay: 1501251, BlockDelay: -1, SwapDelay: -1, Voluntary: 10, Involuntary: 1,
			MinorFaults: 402, MajorFaults: 5, VirtualSize: 10502144, RSS: 1692 << 12, Anon: 936 << 10, File: 5872 << 10, Shmem: 4 << 10,
			ReadChars: 23367, WriteChars: 6, ReadCalls: 26, WriteCalls: 1, ReadBytes: 659456, WriteBytes: 40960,
		},
		{
			PID: 2, Started: boot.Add(120 * ms), Comm: "kthreadd", Kernel: true, State: "S", Threads: 1, UID: -1,
			RunTime: -2, RunDelay: -2, BlockDelay: -1, SwapDelay: -1, Voluntary: -1, Involuntary: -1,
			Anon: -1, File: -1, Shmem: -1, Swap: -1, ReadChars: -1, WriteChars: -1, ReadCalls: -1, WriteCalls: -1,
			ReadBytes: -1, WriteBytes: -1, Cancelled: -1,
		},
		{
			PID: 3, PPID: 26013, Started: boot.Add(270697 * 10 * ms), Comm: "redis-server",
			Cmdline: "redis-server unixsocket:/run/redis.sock",
			State:   "S", Threads: 5, Cgroup: "/", MemCgroup: "/system.slice/redis.service", IOCgroup: "/", NetNS: 4026531833, Full: true,
			// Sums over the five threads.
			RunTime: 15570968 + 36312 + 12225 + 10455 + 46303, RunDelay: 2764946, BlockDelay: -1, SwapDelay: -1,
			Voluntary: 26, Involuntary: 1,
			MinorFaults: 942, MajorFaults: 5, VirtualSize: 62283776, RSS: 2886 << 12, Anon: 2712 << 10, File: 9136 << 10,
			ReadChars: 41236, WriteChars: 1001, ReadCalls: 55, WriteCalls: 8, ReadBytes: 794624,
		},
		{
			PID: 4, PPID: 26020, Started: boot.Add(270697 * 10 * ms), Comm: "sleep", State: "Z", Threads: 1, Full: true,
			Cgroup: "/", MemCgroup: "/", IOCgroup: "/",
			RunTime: -2, RunDelay: -2, BlockDelay: -1, SwapDelay: -1, Voluntary: -2, Involuntary: -2, MinorFaults: 95,
			Anon: -1, File: -1, Shmem: -1, Swap: -1, ReadChars: -1, WriteChars: -1, ReadCalls: -1, WriteCalls: -1,
			ReadBytes: -1, WriteBytes: -1, Cancelled: -1,
		},
	}
	got := recording.Rows[recording.ProcessSample](sample(t))
	ignore := cmpopts.IgnoreFields(recording.ProcessSample{}, "At")
	// -2 stands for any number that was read.
	anyNumber := func(a, b int64) bool { return a == b || a == -2 && b >= 0 || b == -2 && a >= 0 }
	duration := cmp.Comparer(func(a, b time.Duration) bool { return anyNumber(int64(a), int64(b)) })
	count := cmp.Comparer(func(a, b int64) bool { return anyNumber(a, b) })
	if diff := cmp.Diff(want, got, ignore, duration, count, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRecordedLimits(t *testing.T) {
	got := recording.Rows[recording.LimitSample](sample(t))
	limits := recording.LimitSample{
		FilesSoft: 20000, FilesHard: 20000, ProcsSoft: 96365,
	}
	nginx, redis := limits, limits
	nginx.PID, nginx.Files = 1, 9
	redis.PID, redis.Files = 3, 9
	sortByPID := cmpopts.SortSlices(func(a, b recording.LimitSample) bool { return a.PID < b.PID })
	if diff := cmp.Diff([]recording.LimitSample{nginx, redis}, got, cmpopts.IgnoreFields(recording.LimitSample{}, "At"), sortByPID); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCgroups(t *testing.T) {
	tests := []struct {
		name, text string
		want       Groups
	}{
		{"v2", "0::/system.slice/nginx.service\n", Groups{"/system.slice/nginx.service", "/system.slice/nginx.service", "/system.slice/nginx.service"}},
		{"v1", "5:blkio:/d\n4:memory:/a\n3:cpu,cpuacct:/b\n1:name=systemd:/c\n", Groups{"/b", "/a", "/d"}},
		{"hybrid", "2:memory:/a\n1:cpu:/b\n0::/c\n", Groups{"/b", "/a", "/c"}},
		{"hybrid without memory", "1:cpu:/b\n0::/c\n", Groups{"/b", "/c", "/c"}},
		{"a colon in the path", "0::/docker/a:b\n", Groups{"/docker/a:b", "/docker/a:b", "/docker/a:b"}},
		{"nothing", "", Groups{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Cgroups([]byte(test.text)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzParsers(f *testing.F) {
	f.Add([]byte("Uid:\t0\t0\t0\t0\nRssAnon:\t  936 kB\nvoluntary_ctxt_switches:\t10\n"))
	f.Add([]byte("rchar: 23367\nread_bytes: 659456\n"))
	f.Add([]byte("Max open files            20000                unlimited            files\n"))
	f.Add([]byte("4:memory:/a\n0::/\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var row recording.ProcessSample
		parseStatus(&row, b)
		parseIO(&row, b)
		if l := ParseLimits(b); l.FilesSoft < recording.Unknown {
			t.Errorf("negative limit %+v", l)
		}
		Cgroups(b)
		parseTaskstats(b)
	})
}

func TestRealUser(t *testing.T) {
	row := recording.ProcessSample{}
	parseStatus(&row, []byte("Name:\tsudo\nUid:\t1000\t0\t0\t0\nGid:\t1000\t0\t0\t0\n"))
	if row.UID != 1000 {
		t.Errorf("user %d of a setuid program, want the real one, for which tasks are counted", row.UID)
	}
}
