package imported

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// read reads files of testdata.
func read(t *testing.T, names ...string) *view.View {
	t.Helper()
	var files []string
	for _, n := range names {
		files = append(files, filepath.Join("testdata", n))
	}
	return view.New(readAll(t, files))
}

func readAll(t *testing.T, files []string) (*recording.Recording, time.Time, time.Time) {
	t.Helper()
	for _, f := range files {
		if !Is(f) {
			t.Errorf("%s is not recognized", f)
		}
	}
	rec, held, err := Read(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return rec, held.From, held.To
}

// text reads a text as a file.
func text(t *testing.T, content string) *view.View {
	t.Helper()
	return view.New(readAll(t, []string{write(t, content)}))
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.txt")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func about(t *testing.T, what string, got, want, slack float64) {
	t.Helper()
	if math.Abs(got-want) > slack || math.IsNaN(got) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestVMStat(t *testing.T) {
	v := read(t, "cpu/vmstat-t.txt")
	total, ok := v.CPUTotal()
	if !ok || total.Busy() < 0.99 {
		t.Errorf("%+v", total)
	}
	about(t, "seconds", v.Seconds(), 11, 0)
	if got := v.Start().Format(time.DateTime); got != "2026-11-26 14:31:31" {
		t.Error(got)
	}
	s, _ := v.Scheduler()
	if s.Running < 10 || !math.IsNaN(s.Load1) || s.ContextSwitches < 1000 {
		t.Errorf("%+v", s)
	}
	p, ok := v.Paging()
	if !ok || p.SwapIn != 0 {
		t.Errorf("%+v", p)
	}
}

func TestVMStatSwaps(t *testing.T) {
	v := text(t, `procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  1  90000 100000   1000  90000    7    9    11    12   13   14 15 16 60  9  0
 1  1  90000 100000   1000  90000  400  800   400   800  100  200 20 10 30 40  0
 1  1  90000 100000   1000  90000  400  800   400   800  100  200 20 10 30 40  0
`)
	p, _ := v.Paging()
	about(t, "swapped in", p.SwapIn, 400<<10, 0)
	about(t, "swapped out", p.SwapOut, 800<<10, 0)
	total, _ := v.CPUTotal()
	about(t, "iowait", total.IOWait, 0.4, 0.001)
	s, _ := v.Scheduler()
	about(t, "switches", s.ContextSwitches, 200, 0.01)
}

// Numbers of vmstat -S stand below the same header as those in KiB.
func TestVMStatUnits(t *testing.T) {
	for name, tc := range map[string]struct {
		memory string // swpd, free, buff and cache
		told   bool
	}{
		"KiB":                           {"90000 100000 1000 90000", true},
		"KiB of a large host":           {"0 100663360 4160 20971584", true},
		"KiB, in pages of 64 KiB":       {"90048 100032 1024 90112", true},
		"KiB, and next to nothing free": {"512000 30000 1000 39000", true},
		"-S M of 128 GiB":               {"2047 903 301 70213", false},
		"-S M of a small host":          {"0 500 100 1000", false},
		"-S k":                          {"92163 102401 1022 92159", false},
		"-S B":                          {"92160000 102400000 1024000 92160000", false},
	} {
		line := " 1  1 " + tc.memory + "  400  800   400   800  100  200 20 10 30 40  0\n"
		v := text(t, vmstatHead+line+line+line)
		p, ok := v.Paging()
		if tells := v.Tells(recording.VMStat, "pswpin") && v.Tells(recording.VMStat, "pswpout"); tells != tc.told || !ok {
			t.Errorf("%s: told: %v, want %v", name, tells, tc.told)
		}
		if noted := strings.Contains(strings.Join(v.Manifest().Notes, "\n"), "swapping is left out"); noted == tc.told {
			t.Errorf("%s: a note: %v", name, noted)
		}
		swapped := 0.0
		if tc.told {
			swapped = 400 << 10
		}
		about(t, name+": swapped in", p.SwapIn, swapped, 0)
		about(t, name+": swapped out", p.SwapOut, 2*swapped, 0)
	}
}

// vmstat tells the share of CPU time that was stolen, and not of how many CPUs; a report beside it does.
func TestVMStatSteal(t *testing.T) {
	line := " 4  0      0 500000   1000  90000    0    0     0     0 1000 2000 40 10 20  0 30\n"
	vmstat := write(t, vmstatHead+strings.Repeat(line, 8))
	disks := write(t, sysstatBanner+strings.Repeat(iostatHead+"sda  1.00 4.00 0.00 0.00 1.00 4.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.10\n\n", 8))
	for _, tc := range []struct {
		files       []string
		lost, share float64
	}{
		{[]string{vmstat}, 0, 0.3},
		{[]string{vmstat, disks}, 0.6, 0},
	} {
		v := view.New(readAll(t, tc.files))
		found := verdict.Judge(v, catalogue.For(v.Manifest())).Findings
		if len(found) != 1 || found[0].Rule != "cpu/steal" || found[0].Confidence != rule.Certain {
			t.Fatalf("%d files: %+v", len(tc.files), found)
		}
		about(t, "lost", found[0].Impact.TimeLost, tc.lost, 0.01)
		about(t, "share", found[0].Impact.Share, tc.share, 0.01)
	}
}

func TestMPStat(t *testing.T) {
	for _, name := range []string{"cpu/mpstat.txt", "us/mpstat.txt", "de/mpstat.txt"} {
		v := read(t, name)
		if total, ok := v.CPUTotal(); !ok || total.Busy() < 0.9 {
			t.Errorf("%s: %+v", name, total)
		}
		if h := v.Manifest().Host; h.Name != "vm" || h.CPUs != 2 || h.Kernel == "" {
			t.Errorf("%s: %+v", name, h)
		}
	}
	if got := read(t, "us/mpstat.txt").Start().Format(time.DateTime); got != "2026-11-26 14:35:25" {
		t.Errorf("PM: %s", got)
	}
	if n := len(read(t, "cpu/mpstat.txt").CPUs()); n != 2 {
		t.Errorf("%d CPUs", n)
	}
}

func TestIOStat(t *testing.T) {
	for _, name := range []string{"disk/iostat-x.txt", "disk/iostat-xt.txt"} {
		d, ok := read(t, name).BlockDevice("loop0")
		if !ok {
			t.Fatalf("%s: no loop0", name)
		}
		about(t, "reads", d.Reads, 100, 3)
		about(t, "bytes", d.ReadBytes, 400<<10, 10000)
		about(t, "await", d.Await, 0.059, 0.001)
		about(t, "queue", d.Queue, 5.9, 0.1)
		about(t, "busy", d.Utilisation, 0.99, 0.011)
		if n := len(d.Intervals); n != 11 {
			t.Errorf("%s: %d intervals: the report since the start of the host is none", name, n)
		}
	}
	v := read(t, "de/iostat-x.txt")
	if d, ok := v.BlockDevice("vda"); !ok || len(d.Intervals) != 3 {
		t.Errorf("German: %+v", v.BlockDevices())
	}
}

// sysstat 10 and 11 have other names for the same columns.
func TestOldIOStat(t *testing.T) {
	v := text(t, `Linux 3.10.0-957.el7.x86_64 (db1) 	01/02/2026 	_x86_64_	(8 CPU)

01/02/2026 03:00:00 AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.00    0.00    1.00    0.00    0.00   98.00

Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sda               0.00     0.00    1.00    1.00     4.00     4.00     8.00     0.00    0.10    0.10    0.10   0.10   0.01

01/02/2026 03:00:10 AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          10.00    0.00    5.00   60.00    0.00   25.00

Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sda               0.00     0.00  150.00   50.00   600.00   200.00     8.00     8.00   40.00   30.00   70.00   5.00 100.00

`)
	d, _ := v.BlockDevice("sda")
	about(t, "reads", d.Reads, 150, 0.01)
	about(t, "await", d.Await, 0.040, 0.0001)
	about(t, "queue", d.Queue, 8, 0.001)
	about(t, "seconds", v.Seconds(), 10, 0)
	if !d.Rotational {
		t.Error("sda may spin")
	}
	if !strings.Contains(strings.Join(v.Manifest().Notes, "\n"), "month/day") {
		t.Error("the date 01/02 is not said to be a guess")
	}
}

func TestPidstat(t *testing.T) {
	v := read(t, "cpu/pidstat-u.txt")
	all := map[string]float64{}
	waited := 0.0
	for _, p := range v.Processes() {
		all[p.Comm] += p.CPUSeconds
		waited += view.OrZero(p.RunDelay)
		if p.Comm == "ksoftirqd/0" && !p.Kernel {
			t.Error("ksoftirqd is a thread of the kernel")
		}
		if !math.IsNaN(p.ReadBytes) || p.RSS != recording.Unknown {
			t.Errorf("%s: %v bytes read, %d resident: nobody told", p.Comm, p.ReadBytes, p.RSS)
		}
	}
	if all["sh"] < 8 || waited < 2 {
		t.Errorf("CPU seconds %v, waited %v s", all, waited)
	}
}

// A process that one report lists used nothing in the others.
func TestPidstatSometimes(t *testing.T) {
	v := text(t, `Linux 6.1.0 (web) 	2026-01-02 	_x86_64_	(4 CPU)

23:59:58      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
23:59:59        0       100   50.00   10.00    0.00    5.00   60.00     0  /usr/bin/worker --password=secret
23:59:59        0       101    1.00    0.00    0.00    0.00    1.00     0  tmux: server

23:59:59      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
00:00:00        0       101    1.00    0.00    0.00    0.00    1.00     0  tmux: server

00:00:00      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
00:00:01        0       100   70.00   20.00    0.00   15.00   90.00     0  /usr/bin/worker --password=secret
00:00:01        0       101    1.00    0.00    0.00    0.00    1.00     0  tmux: server
00:00:02        0       101    1.00    0.00    0.00    0.00    1.00     0  tmux: server
Average:        0       100   37.50    7.50    0.00    5.00   45.00     -  worker
`)
	p, ok := v.Process(100)
	if !ok || p.Comm != "worker" {
		t.Fatalf("%+v", p)
	}
	about(t, "CPU seconds", p.CPUSeconds, 1.5, 0.01)
	about(t, "seconds", p.Seconds, 4, 0)
	about(t, "waited", p.RunDelay*p.Seconds, 0.2, 0.01)
	if got := v.End().Format(time.DateTime); got != "2026-01-03 00:00:02" {
		t.Errorf("midnight: %s", got)
	}
}

// A virtual machine runs in guest time, which is part of the user time of its process, and which pidstat
// prints beside it.
func TestPidstatOfGuests(t *testing.T) {
	v := text(t, `Linux 6.1.0 (kvm1) 	2026-01-02 	_x86_64_	(4 CPU)

03:00:00      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
03:00:01      107       200    1.00    2.00   90.00    0.00   93.00     0  qemu-system-x86
03:00:01        0       101    1.00    2.00    0.00    0.00    3.00     1  sshd
03:00:02      107       200    1.00    2.00   90.00    0.00   93.00     0  qemu-system-x86
03:00:02        0       101    1.00    2.00    0.00    0.00    3.00     1  sshd
`)
	for pid, want := range map[int32]float64{200: 0.93, 101: 0.03} {
		p, ok := v.Process(pid)
		if !ok {
			t.Fatalf("no process %d", pid)
		}
		about(t, p.Comm+": cores", p.CPU, want, 0.001)
		about(t, p.Comm+": system", p.System, 0.02, 0.001)
	}
}

func TestTop(t *testing.T) {
	v := read(t, "cpu/top.txt")
	total, ok := v.CPUTotal()
	if !ok || total.Busy() < 0.95 {
		t.Errorf("%+v", total)
	}
	cpu := 0.0
	for _, p := range v.Processes() {
		if p.Comm == "sh" {
			cpu += p.CPU
		}
		if p.CPU > 1.1 {
			t.Errorf("%s used %v CPUs: what it used before is counted", p.Comm, p.CPU)
		}
	}
	if cpu < 0.5 {
		t.Errorf("sh used %v CPUs", cpu)
	}
	m, _ := v.MemoryNow()
	about(t, "total", float64(m.Total), 24105.6*(1<<20), 1<<20)
	if s, _ := v.Scheduler(); s.Running < 5 || s.Load1 < 1 {
		t.Errorf("%+v", s)
	}
}

// top leaves out digits that it has no room for, and puts a plus in their place.
func TestTopOfMuchMemory(t *testing.T) {
	whole := contentOf(t, "testdata/cpu/top.txt")
	memory, swap := regexp.MustCompile(`(?m)^MiB Mem .*$`), regexp.MustCompile(`(?m)^MiB Swap.*$`)
	for _, tc := range []struct {
		memory, swap                        string
		total, free, available, swaps, left int64 // KiB; -1: not told
	}{
		{"KiB Mem : 97531234 total,  2788284 free, 64742950 used, 30000000 buff/cache", "KiB Swap:  8388604 total,  8388604 free,        0 used. 30123456 avail Mem ", 97531234, 2788284, 30123456, 8388604, 8388604},
		{"KiB Mem : 13183766+total,  2788284 free, 99000000+used, 30000000 buff/cache", "KiB Swap:  8388604 total,  8388604 free,        0 used. 30123456 avail Mem ", -1, 2788284, 30123456, 8388604, 8388604},
		{"KiB Mem : 26367532+total, 13183766+free, 99000000 used, 30000000 buff/cache", "KiB Swap: 13421772+total,        0 free, 13421772+used. 13012345+avail Mem ", -1, -1, -1, -1, 0},
		{"MiB Mem : 1031549.+total,   2048.5 free,  64742.9 used,  30000.0 buff/cache", "MiB Swap:      0.0 total,      0.0 free,      0.0 used. 900000.5 avail Mem ", 1031549 << 10, 2048<<10 + 512, 900000<<10 + 512, 0, 0},
	} {
		v := text(t, swap.ReplaceAllString(memory.ReplaceAllString(whole, tc.memory), tc.swap))
		m, ok := v.MemoryNow()
		if !ok {
			t.Fatalf("%s: no memory", tc.memory)
		}
		kib := func(n int64) int64 { return max(n, 0)*1024 + min(n, 0) }
		got := [5]int64{m.Total, m.Free, m.Available, m.SwapTotal, m.SwapFree}
		if want := [5]int64{kib(tc.total), kib(tc.free), kib(tc.available), kib(tc.swaps), kib(tc.left)}; got != want {
			t.Errorf("%s, %s: %v, want %v", tc.memory, tc.swap, got, want)
		}
	}
}

func TestSar(t *testing.T) {
	files := []string{"cpu/sar.json", "cpu/sar.txt"}
	if Sadf() != "" {
		if _, _, err := Read(t.Context(), []string{"testdata/cpu/sar.bin"}); err != nil {
			t.Logf("sadf of this machine: %v", err) // of another release
		} else {
			files = append(files, "cpu/sar.bin")
		}
	}
	for _, name := range files {
		v := read(t, name)
		if total, ok := v.CPUTotal(); !ok || total.Busy() < 0.9 || len(v.CPUs()) != 2 {
			t.Errorf("%s: %+v", name, total)
		}
		if s, ok := v.Scheduler(); !ok || s.Running < 2 || s.Load1 <= 0 || s.ContextSwitches <= 0 {
			t.Errorf("%s: %+v", name, s)
		}
		if d, ok := v.BlockDevice("vda"); !ok || !view.Known(d.Queue) {
			t.Errorf("%s: %+v", name, v.BlockDevices())
		}
		if _, ok := v.Paging(); !ok {
			t.Errorf("%s: no paging", name)
		}
		if h := v.Manifest().Host; h.Name != "vm" || h.CPUs != 2 {
			t.Errorf("%s: %+v", name, h)
		}
	}
	if s, ok := read(t, "cpu/sar.json").Stall("cpu"); !ok || s.Some < 0.5 {
		t.Errorf("pressure %+v", s)
	}
}

// sar prints one kind of numbers for all of the time, then the next.
func TestSarText(t *testing.T) {
	v := text(t, `Linux 4.18.0 (db1) 	01/02/26 	_x86_64_	(2 CPU)

02:50:01        CPU     %user     %nice   %system   %iowait    %steal     %idle
03:00:01        all     10.00      0.00     10.00      0.00      0.00     80.00
03:10:01        all     90.00      0.00      9.00      0.00      0.00      1.00
Average:        all     50.00      0.00      9.50      0.00      0.00     40.50

02:50:01      runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked
03:00:01            1       300      0.10      0.20      0.30         0
03:10:01           11       310      9.10      4.20      2.30         0
Average:            6       305      4.60      2.20      1.30         0
`)
	about(t, "seconds", v.Seconds(), 1200, 0)
	total, _ := v.CPUTotal()
	about(t, "idle", total.Idle, 0.405, 0.001)
	rows := view.Rows[recording.SystemSample](v)
	if n := len(rows); n != 3 || rows[n-1].Running != 12 || rows[n-1].Load1 != 9.1 {
		t.Errorf("%+v", rows)
	}
	about(t, "window", view.New(readAll(t, []string{filepath.Join("testdata", "cpu/sar.txt")})).Seconds(), 6, 1)
}

// A table that begins 24 hours before the one above it ended is of the same day; a clock that
// passes midnight while tables alternate is of the next one.
func TestSarTextOfADay(t *testing.T) {
	const cpu, queue = "%s        CPU     %%user     %%nice   %%system   %%iowait    %%steal     %%idle\n", "%s      runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked\n"
	const busy, tasks = "%s        all     10.00      0.00     10.00      0.00      0.00     80.00\n", "%s            1       300      0.10      0.20      0.30         0\n"
	of := func(lines ...string) string {
		text := "Linux 4.18.0 (db1) \t01/02/26 \t_x86_64_\t(2 CPU)\n\n"
		for i := 0; i < len(lines); i += 2 {
			text += fmt.Sprintf(lines[i], lines[i+1])
		}
		return text
	}
	day := of(cpu, "00:00:01", busy, "00:10:01", busy, "12:00:01", busy, "23:50:01", queue, "00:00:01", tasks, "00:10:01", tasks, "12:00:01", tasks, "23:50:01")
	about(t, "a day", text(t, day).Seconds(), (23*60+50)*60, 1)
	night := of(cpu, "23:49:01", busy, "23:50:01", queue, "23:49:01", tasks, "23:50:01", cpu, "23:59:01", busy, "00:01:01", queue, "23:59:01", tasks, "00:01:01")
	about(t, "a night", text(t, night).Seconds(), 12*60, 1)
}

// judge is the verdict on files of testdata.
func judge(t *testing.T, names ...string) verdict.Verdict {
	t.Helper()
	v := read(t, names...)
	return verdict.Judge(v, catalogue.For(v.Manifest()))
}

func notJudged(v verdict.Verdict, id string) bool {
	for _, n := range v.NotJudged {
		if n.Rule == id {
			return true
		}
	}
	return false
}

func TestVerdicts(t *testing.T) {
	for _, tc := range []struct {
		files   []string
		rule    string // that finds something; "": none
		sure    rule.Confidence
		subject string
		unknown []string // rules that are not judged
	}{
		{[]string{"cpu/vmstat-t.txt"}, "", 0, "", []string{"cpu/saturated", "disk/saturated", "cpu/throttled"}},
		{[]string{"cpu/mpstat.txt"}, "", 0, "", []string{"cpu/saturated", "disk/saturated"}},
		{[]string{"cpu/vmstat-t.txt", "cpu/mpstat.txt"}, "cpu/saturated", rule.Likely, "vm", []string{"cpu/one-thread-limit"}},
		{[]string{"cpu/mpstat.txt", "cpu/pidstat-u.txt"}, "cpu/saturated", rule.Likely, "sh ×4", []string{"cpu/one-thread-limit", "proc/zombies"}},
		{[]string{"cpu/mpstat.txt", "cpu/top.txt"}, "cpu/saturated", rule.Likely, "sh ×4", []string{"mem/leak"}},
		{[]string{"cpu/sar.json"}, "cpu/saturated", rule.Likely, "vm", []string{"net/nic-drops", "mem/oom-kill"}},
		{[]string{"disk/iostat-x.txt"}, "disk/saturated", rule.Possible, "loop0", []string{"cpu/saturated"}},
		{[]string{"disk/iostat-xt.txt", "disk/vmstat-t.txt"}, "disk/saturated", rule.Likely, "loop0", []string{"disk/errors"}},
	} {
		v := judge(t, tc.files...)
		found := false
		for _, f := range v.Findings {
			if f.Rule != tc.rule {
				if f.Rule != "cpu/saturated" { // the machine was busy, too
					t.Errorf("%v: %s: %s", tc.files, f.Rule, f.Headline)
				}
				continue
			}
			found = true
			if f.Confidence != tc.sure || f.Subject.Name != tc.subject {
				t.Errorf("%v: %s about %q: %s", tc.files, f.Confidence, f.Subject.Name, f.Headline)
			}
		}
		if found != (tc.rule != "") {
			t.Errorf("%v: %s found: %v", tc.files, tc.rule, found)
		}
		for _, id := range tc.unknown {
			if !notJudged(v, id) {
				t.Errorf("%v: %s was judged", tc.files, id)
			}
		}
		for _, h := range v.Healthy {
			t.Errorf("%v: %s is called healthy although most of it was not judged", tc.files, h)
		}
	}
}

// Where nothing is wrong nothing is found, and what the files tell is judged.
func TestCalm(t *testing.T) {
	v := judge(t, "calm/vmstat-t.txt", "calm/iostat-xt.txt", "calm/pidstat-u.txt", "calm/mpstat.txt")
	for _, f := range v.Findings {
		t.Errorf("%s: %s", f.Rule, f.Headline)
	}
	for _, id := range []string{"cpu/saturated", "cpu/steal", "disk/saturated", "mem/swapping"} {
		if notJudged(v, id) {
			t.Errorf("%s was not judged", id)
		}
	}
	if len(v.NotJudged) < 30 {
		t.Errorf("only %d rules are listed as not judged", len(v.NotJudged))
	}
}

// A disk that is busy all the time and answers quickly is used well.
func TestBusyDiskAlone(t *testing.T) {
	line := "nvme0n1  20000.00 80000.00     0.00   0.00    0.09     4.00    0.00      0.00     0.00   0.00    0.00     0.00    1.80 100.00\n"
	head := "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n"
	v := text(t, "Linux 6.1.0 (db) \t2026-01-02 \t_x86_64_\t(2 CPU)\n\n"+strings.Repeat(head+line+"\n", 8))
	out := verdict.Judge(v, catalogue.For(v.Manifest()))
	if len(out.Findings) > 0 || notJudged(out, "disk/saturated") {
		t.Errorf("%+v", out.Findings)
	}
}

// Without the columns that say how long requests wait nothing is known of a disk.
func TestColumnsMissing(t *testing.T) {
	v := text(t, "Linux 6.1.0 (db) \t2026-01-02 \t_x86_64_\t(2 CPU)\n\n"+
		strings.Repeat("avg-cpu:  %user   %nice %system   %idle\n  10.00 0.00 5.00 85.00\n\nDevice             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\nsda 10.00 1.00 1.00 1 1\n\n", 5))
	out := verdict.Judge(v, catalogue.For(v.Manifest()))
	for _, id := range []string{"disk/saturated", "cpu/steal", "cpu/saturated"} {
		if !notJudged(out, id) {
			t.Errorf("%s was judged", id)
		}
	}
}

// Without sadf, or with one that cannot read a file, it is said what else to do.
func TestSarWithoutSadf(t *testing.T) {
	path := write(t, "\x96\xd5\x75\x21 of nobody")
	if !Is(path) {
		t.Error("not recognized")
	}
	_, _, err := Read(t.Context(), []string{path})
	if err == nil || !strings.Contains(err.Error(), "sadf -j FILE -- -A > sar.json") {
		t.Error(err)
	}
	t.Setenv("PATH", "")
	_, _, err = Read(t.Context(), []string{path})
	if err == nil || !strings.Contains(err.Error(), "install sysstat") {
		t.Error(err)
	}
}
