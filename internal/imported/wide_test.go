package imported

import (
	"math"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// pidstat prints a line with everything (-h), or a table for each kind of numbers: the sums are
// those of the lines, added up by hand.
func TestPidstatOfAllKinds(t *testing.T) {
	type sums struct{ minor, major, read, written, cancelled, voluntary, involuntary float64 }
	for name, c := range map[string]struct {
		seconds float64
		want    sums
		builder float64 // KiB that the process 9972 wrote
	}{
		"wide/pidstat-rdwh.txt": {6, sums{187756.46, 49.34, 113826.77, 803924.68, 81508.81, 2025.21, 3889.68}, 16574.54},
		"wide/pidstat-rdw.txt":  {3, sums{77859.30, 0.97, 175.65, 18916.34, 0, 1048.03, 2627.19}, 3096},
	} {
		v := read(t, name)
		about(t, name+": seconds", v.Seconds(), c.seconds, 0)
		type key struct {
			pid  int32
			comm string
		}
		last := map[key]recording.ProcessSample{}
		for _, r := range view.Rows[recording.ProcessSample](v) {
			last[key{r.PID, r.Comm}] = r
		}
		var got sums
		for k, r := range last {
			got.minor += float64(r.MinorFaults)
			got.major += float64(r.MajorFaults)
			got.read += float64(r.ReadBytes) / 1024
			got.written += float64(r.WriteBytes) / 1024
			got.cancelled += float64(r.Cancelled) / 1024
			got.voluntary += float64(r.Voluntary)
			got.involuntary += float64(r.Involuntary)
			if r.RSS != recording.Unknown || r.RunDelay != recording.Unknown || r.BlockDelay != recording.Unknown {
				t.Errorf("%s: %s: %d resident, waited %v and %v: nobody told", name, k.comm, r.RSS, r.RunDelay, r.BlockDelay)
			}
			if (k.comm == "rcu_preempt") != (r.PID == 15) || r.PID == 15 && !r.Kernel || r.PID == 9972 && r.Kernel {
				t.Errorf("%s: %s (%d), a thread of the kernel: %v", name, k.comm, r.PID, r.Kernel)
			}
		}
		// What is less than one of each process is not counted.
		slack := float64(len(last))
		for what, pair := range map[string][2]float64{"minor faults": {got.minor, c.want.minor}, "major faults": {got.major, c.want.major}, "KiB read": {got.read, c.want.read},
			"KiB written": {got.written, c.want.written}, "KiB cancelled": {got.cancelled, c.want.cancelled},
			"voluntary switches": {got.voluntary, c.want.voluntary}, "involuntary switches": {got.involuntary, c.want.involuntary}} {
			about(t, name+": "+what, pair[0], pair[1], slack)
		}
		p, ok := v.Process(9972)
		if !ok || p.Comm != "go" {
			t.Fatalf("%s: %+v", name, p)
		}
		about(t, name+": KiB written by go", p.WriteBytes*p.Seconds/1024, c.builder, 1)
		if !math.IsNaN(p.RunDelay) {
			t.Errorf("%s: waited %v for a CPU: nobody told", name, p.RunDelay)
		}
	}
}

// Names of programs are those of the kernel, without the folders that a command line tells; those of its own
// threads have slashes.
func TestNames(t *testing.T) {
	for command, want := range map[string]string{"/usr/sbin/mysqld": "mysqld", "sh": "sh", "/opt/kworker/a-rather-long-name": "a-rather-long-n", "ksoftirqd/0": "ksoftirqd/0",
		"jbd2/vda1-8": "jbd2/vda1-8", "kworker/u8:2-ext4-rsv-conversion": "kworker/u8:2-ext4-rsv-co"} {
		if got := comm(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	kernel := 0
	for _, p := range read(t, "calm/pidstat-u.txt").Processes() {
		if strings.HasPrefix(p.Comm, "ksoftirqd/") && p.Kernel {
			kernel++
		}
	}
	if kernel == 0 {
		t.Error("ksoftirqd is no thread of the kernel")
	}
}

// vmstat -w -a -t has wide columns, and inact and active in place of buff and cache.
func TestVMStatWide(t *testing.T) {
	v := read(t, "wide/vmstat-wat.txt")
	about(t, "seconds", v.Seconds(), 6, 0)
	if got := v.End().Format(time.DateTime); got != "2026-11-27 07:49:00" {
		t.Error(got)
	}
	total, ok := v.CPUTotal()
	if !ok {
		t.Fatal("no CPU time")
	}
	about(t, "user", total.User, (86+88+87+89+92+88)/601.0, 0.001)
	about(t, "system", total.System, (14+13+12+11+9+12)/601.0, 0.001)
	about(t, "idle", total.Idle+total.IOWait, 0, 0)
	s, _ := v.Scheduler()
	about(t, "context switches", s.ContextSwitches, (3365+3696+3024+2933+3289+4313)/6.0, 0.5)
	about(t, "interrupts", s.Interrupts, (1704+1808+1558+1576+1777+2109)/6.0, 0.5)
	p, ok := v.Paging()
	if !ok || p.SwapIn != 0 || p.SwapOut != 0 {
		t.Errorf("%+v", p)
	}
	rows := view.Rows[recording.VMStatSample](v)
	read, _ := view.Delta(rows, func(s recording.VMStatSample) uint64 { return s.PageIn })
	written, _ := view.Delta(rows, func(s recording.VMStatSample) uint64 { return s.PageOut })
	about(t, "KiB read", read, 360+1216+8520+548+2812+124, 6)
	about(t, "KiB written", written, 8212+8196+34076+8196+104, 6)
}
