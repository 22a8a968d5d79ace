package imported

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

const (
	sysstatBanner = "Linux 6.1.0 (db) \t2026-01-02 \t_x86_64_\t(2 CPU)\n\n"
	iostatHead    = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n"
	mpstatHead    = "10:00:00     CPU    %usr   %nice    %sys %iowait %irq %soft %steal %guest %gnice %idle\n"
)

// What is recognized and not read is refused with what to give in its place.
func TestOthers(t *testing.T) {
	for text, want := range map[string]string{
		"\n\nATOP - vm   2026/11/26  18:12:20   ----------------   1h elapsed\n": "sar -o FILE",
		"RESET\nCPU vm 1795716739 2026/11/26 18:12:19 1000 100 2\n":              "report of atop",
		"AAA,progname,nmon\n": "nmon",
		"Mem: 3020000K used, 21663000K free, 8000K shrd, 100K buff, 3000000K cached\nCPU:  40% usr\n":                                      "busybox",
		"disk- ------------reads------------ ------------writes----------- -----IO------\n":                                                "vmstat -t 1",
		"USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n":                                                     "top -b -d 1",
		"               total        used        free      shared  buff/cache   available\n":                                               "vmstat -t 1",
		"vm\t1\t2026-11-26 18:12:19 UTC\tall\t%user\t87.62\n":                                                                              "sadf -j",
		"<?xml version=\"1.0\"?>\n<!DOCTYPE sysstat PUBLIC \"DTD v3.11 sysstat\">\n<sysstat>\n":                                            "sadf -j",
		sysstatBanner + "18:12:30      UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n":                   "without -t",
		"{\"sysstat\": {\n\t\"hosts\": [\n{\n\"nodename\": \"vm\",\n\"statistics\": [\n{\n\"timestamp\": \"18:12:30\",\n\"cpu-load\": [\n": "-o JSON",
	} {
		path := write(t, text)
		if !Is(path) {
			t.Errorf("%.20q is not recognized", text)
		}
		if _, _, err := Read(t.Context(), []string{path}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
}

// Numbers that no tool measures are those of counters that went back.
func TestImplausible(t *testing.T) {
	line := "sda  20.00 80.00 0.00 0.00 %s 4.00 0.00 0.00 0.00 0.00 0.00 0.00 %s %s\n\n"
	for _, values := range [][]any{
		{"18446744073709551.62", "1.00", "5.00"}, {"1.00", "1844674407370955.25", "5.00"}, {"1.00", "1.00", "184467440737095.25"},
		{"-1.62", "1.00", "5.00"}, {"nan", "1.00", "5.00"}, {"1e308", "1.00", "5.00"}, {"inf", "1.00", "5.00"}, {"0x10", "1.00", "5.00"},
	} {
		_, _, err := Read(t.Context(), []string{write(t, sysstatBanner+strings.Repeat(iostatHead+fmt.Sprintf(line, values...), 5))})
		if err == nil || !strings.Contains(err.Error(), "line 4:") {
			t.Errorf("%v: %v", values, err)
		}
	}
	good := sysstatBanner + strings.Repeat(iostatHead+fmt.Sprintf(line, "1.00", "1.00", "5.00"), 15)
	v := text(t, good+iostatHead+fmt.Sprintf(line, "1.00", "1.00", "184467440737095.25"))
	if d, ok := v.BlockDevice("sda"); !ok || d.Queue > 1.1 {
		t.Errorf("%+v", d)
	}
}

// One header stands for all reports of a day.
func TestSpacing(t *testing.T) {
	var b strings.Builder
	b.WriteString(sysstatBanner + "12:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n")
	for i := 1; i < 144; i++ {
		at := time.Date(2026, 1, 2, 0, 0, 1, 0, time.UTC).Add(time.Duration(i) * 10 * time.Minute)
		if i == 100 {
			at = at.Add(9 * time.Minute) // nobody recorded from 97 on
		}
		if i > 96 && i < 100 {
			continue
		}
		fmt.Fprintf(&b, "%s     all     90.00      0.00      9.00      0.00      0.00      1.00\n", at.Format("03:04:05 PM"))
	}
	v := text(t, b.String())
	about(t, "seconds", v.Seconds(), 23*3600+50*60, 600)
	notes := strings.Join(v.Manifest().Notes, "\n")
	if said := holesSaid(v); !strings.Contains(notes, "a report each 10 min") || len(said) != 1 {
		t.Error(notes, said)
	}
}

// sar -A tells the time of all CPUs twice; mpstat -A tells nodes, too.
func TestTwice(t *testing.T) {
	all := mpstatHead + "10:00:01 all 50.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 50.00\n"
	v := text(t, sysstatBanner+all+"\n"+all+"\n"+strings.ReplaceAll(all, "CPU", "NODE")+"\n"+mpstatHead+"10:00:02 all 50.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 50.00\n")
	rows := view.Rows[recording.CPUSample](v)
	about(t, "user seconds", rows[len(rows)-1].User.Seconds(), 2, 0.01)
}

// Threads are no processes.
func TestTopOfThreads(t *testing.T) {
	b, err := os.ReadFile("testdata/cpu/top.txt")
	if err != nil {
		t.Fatal(err)
	}
	v := text(t, strings.ReplaceAll(string(b), "\nTasks:", "\nThreads:"))
	if len(v.Processes()) > 0 || !strings.Contains(strings.Join(v.Manifest().Notes, "\n"), "without -H") {
		t.Errorf("%d processes, %q", len(v.Processes()), v.Manifest().Notes)
	}
}

func TestSadfCSV(t *testing.T) {
	v := read(t, "csv/sadf.csv")
	if total, ok := v.CPUTotal(); !ok || total.Busy() < 0.8 || len(v.CPUs()) != 2 {
		t.Errorf("%+v", total)
	}
	if s, ok := v.Scheduler(); !ok || s.Running < 2 || s.Load1 <= 0 || s.ContextSwitches <= 0 {
		t.Errorf("%+v", s)
	}
	if _, ok := v.BlockDevice("vda"); !ok {
		t.Errorf("%+v", v.BlockDevices())
	}
	about(t, "seconds", v.Seconds(), 4, 0)
	csv := sadfCSV + ";CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
	v = text(t, csv+"web;600;2026-01-02 00:10:01 UTC;-1;50.00;0.00;0.00;0.00;0.00;50.00\nweb;-1;2026-01-02 00:15:00 UTC;LINUX-RESTART\t(4 CPU)\n"+
		"web;600;2026-01-02 00:20:01 UTC;-1;50.00;0.00;0.00;0.00;0.00;50.00\nweb;-1;2026-01-02 00:21:00 UTC;COM a note\n")
	if h := v.Manifest().Host; h.Name != "web" || h.CPUs != 4 {
		t.Errorf("%+v", h)
	}
	for _, bad := range []string{csv + "web;600;yesterday;-1;1;2;3;4;5;6\n", csv + "web;600;2026-01-02 00:10:01 UTC;-1;1\n", csv} {
		if _, _, err := Read(t.Context(), []string{write(t, bad)}); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// A line that is longer than any report's is left out before it is looked at.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("1 ", maxLine)
	for name, text := range map[string]string{
		"mpstat": sysstatBanner + mpstatHead + "10:00:01 all " + long, "header": sysstatBanner + "10:00:00 CPU " + long,
		"vmstat": vmstatHead + long, "top": "top - 10:00:00 up 1 day, load average: 0.1, 0.2, 0.3\n" + long,
	} {
		if _, _, err := Read(t.Context(), []string{write(t, text)}); err == nil || !strings.Contains(err.Error(), "is not understood") {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

func TestSadfBounds(t *testing.T) {
	report := `{"timestamp": {"date": "2026-01-02", "time": "10:00:0%d", "utc": 1, "interval": 1}, "queue": {"runq-sz": 1, "ldavg-1": 1.5}%s}`
	whole := func(name, more string) string {
		return `{"sysstat": {"hosts": [{"nodename": "` + name + `", "statistics": [` + fmt.Sprintf(report, 1, "") + "," + fmt.Sprintf(report, 2, more) + `]}]}}`
	}
	if h := text(t, whole(strings.Repeat("x", 1<<20), "")).Manifest().Host; len(h.Name) > maxKey {
		t.Errorf("a name of %d bytes", len(h.Name))
	}
	_, _, err := Read(t.Context(), []string{write(t, whole("x", `, "cpu-load": [{}`+strings.Repeat(",{}", maxSadfReport/3)+"]"))})
	if err == nil || !strings.Contains(err.Error(), "report 2 has more than") {
		t.Error(err)
	}
}

// A collection holds plain files: nobody is waited for, and no link is followed.
func TestCollectionOfStranger(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "2026_11_26_14_50_00-vmstat")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"iostat", "mpstat"} {
		if err := os.Symlink("/etc/passwd", filepath.Join(dir, "2026_11_26_14_50_00-"+k)); err != nil {
			t.Fatal(err)
		}
	}
	plain := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(plain, 0o600); err != nil {
		t.Fatal(err)
	}
	if IsCollection(dir) || IsCollection(plain) || Is(fifo) {
		t.Error("taken for a collection")
	}
	if _, _, err := Read(t.Context(), []string{dir}); err == nil {
		t.Error("read")
	}
}

// Each line of a copy of /proc/diskstats is a row.
func TestManyLines(t *testing.T) {
	lines := strings.Repeat("8 0 sda 1 1 1 1 1 1 1 1 1 1 1\n", maxLines/10)
	var all []entry
	for i := range 11 {
		at := time.Unix(1767322800+int64(i), 0)
		all = append(all, entry{fmt.Sprintf("%d/proc/stat", i), "cpu 1 2 3 4\n", at}, entry{fmt.Sprintf("%d/proc/diskstats", i), lines, at})
	}
	_, _, err := Read(t.Context(), []string{write(t, string(archive(t, all...)))})
	if err == nil || !strings.Contains(err.Error(), "fewer copies") {
		t.Error(err)
	}
}
