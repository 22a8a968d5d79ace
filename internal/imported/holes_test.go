package imported

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// holesSaid lists the stretches without reports that a verdict names, with why.
func holesSaid(v *view.View) (list []string) {
	for _, u := range verdict.Judge(v, catalogue.For(v.Manifest())).Unseen {
		if strings.Contains(u.Why, "no report") || strings.Contains(u.Why, "no copy") || strings.Contains(u.Why, "no sample") {
			list = append(list, u.Probe+": "+u.What+": "+u.Why)
		}
	}
	return list
}

// A disk that is busy in all reports is as busy with an hour without reports in the middle, in all of
// them and in each.
func TestHoleOfDisk(t *testing.T) {
	var b strings.Builder
	b.WriteString(sysstatBanner)
	at := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for i := range 11 {
		if i == 6 {
			at = at.Add(time.Hour)
		}
		fmt.Fprintf(&b, "%s\n%ssda 100.00 400.00 0.00 0.00 20.00 4.00 100.00 400.00 0.00 0.00 20.00 4.00 4.00 90.00\n\n", at.Add(time.Duration(i)*time.Second).Format("01/02/2006 15:04:05"), iostatHead)
	}
	v := text(t, b.String())
	d, ok := v.BlockDevice("sda")
	if !ok || len(d.Intervals) != 10 {
		t.Fatalf("%+v", d)
	}
	about(t, "seconds of the window", v.Seconds(), 3610, 0)
	about(t, "seconds that are told", d.Seconds, 10, 0)
	about(t, "reads", d.Reads, 100, 0.5)
	about(t, "utilisation", d.Utilisation, 0.9, 0.001)
	about(t, "queue", d.Queue, 4, 0.01)
	for i, r := range d.Intervals {
		about(t, fmt.Sprintf("utilisation in interval %d", i), r.Utilisation, 0.9, 0.001)
	}
	for _, s := range metric.DiskUtilisation.Series.Read(v) {
		for _, p := range s.Points {
			about(t, "drawn at "+p.At.Format(time.TimeOnly), p.Value, 0.9, 0.001)
		}
	}
	said := holesSaid(v)
	if len(said) != 1 || !strings.HasPrefix(said[0], "iostat: 1 h from 2026-01-02 10:00:05") || !strings.Contains(said[0], "No rate counts it") {
		t.Errorf("%q", said)
	}
	// A window without it says nothing of it.
	rec, held, err := Read(t.Context(), []string{write(t, b.String())})
	if err != nil {
		t.Fatal(err)
	}
	if said := holesSaid(view.New(rec, held.From, held.From.Add(4*time.Second))); len(said) > 0 {
		t.Errorf("%q", said)
	}
}

// What sar tells of a host that was off for hours is that of the hours in which it was on.
func TestHoleOfSar(t *testing.T) {
	var b strings.Builder
	b.WriteString(sysstatBanner)
	section := func(head, line string) {
		for h, times := range [][]string{{"00:00:00", "00:10:00", "00:20:00", "00:30:00"}, {"06:05:00", "06:15:00", "06:25:00", "06:35:00"}} {
			if h == 1 {
				b.WriteString("\n06:04:10     LINUX RESTART\t(2 CPU)\n\n")
			}
			b.WriteString(times[0] + " " + head + "\n")
			for _, at := range times[1:] {
				b.WriteString(at + " " + line + "\n")
			}
		}
		b.WriteString("\n")
	}
	section("CPU %user %nice %system %iowait %steal %idle", "all 40.00 0.00 10.00 0.00 0.00 50.00")
	section("proc/s cswch/s", "5.00 1000.00")
	section("pswpin/s pswpout/s", "20.00 30.00")
	section("IFACE rxpck/s txpck/s rxkB/s txkB/s rxcmp/s txcmp/s rxmcst/s", "eth0 10.00 10.00 100.00 50.00 0.00 0.00 0.00")
	section("%smem-10 %smem-60 %smem-300 %smem %fmem-10 %fmem-60 %fmem-300 %fmem", "0.00 0.00 0.00 20.00 0.00 0.00 0.00 5.00")
	v := text(t, b.String())
	if s, ok := v.Scheduler(); !ok {
		t.Error("no switches")
	} else {
		about(t, "switches", s.ContextSwitches, 1000, 1)
	}
	if p, ok := v.Paging(); !ok {
		t.Error("no paging")
	} else {
		about(t, "pages from swap", p.SwapInPages, 20, 0.1)
		about(t, "in all intervals", p.InSteady, 1, 0.001)
	}
	if all := v.Interfaces(); len(all) != 1 {
		t.Errorf("%+v", all)
	} else {
		about(t, "bytes", all[0].RxBytes, 102400, 10)
	}
	if s, ok := v.Stall("memory"); !ok {
		t.Error("no pressure")
	} else {
		about(t, "stalled", s.Some, 0.2, 0.001)
	}
	total, _ := v.CPUTotal()
	about(t, "idle", total.Idle, 0.5, 0.001)
	if said := holesSaid(v); len(said) != 1 || !strings.HasPrefix(said[0], "sar: 5 h 35 min from 2026-01-02 00:30:00") {
		t.Errorf("%q", said)
	}
}

// So it is with processes: those of pidstat, which tells rates, and of top, which tells all CPU time
// that they took.
func TestHoleOfProcesses(t *testing.T) {
	at := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	var pidstat, top strings.Builder
	pidstat.WriteString(sysstatBanner)
	for i := range 11 {
		if i == 6 {
			at = at.Add(time.Hour)
		}
		now := at.Add(time.Duration(i) * time.Second)
		if i > 0 {
			fmt.Fprintf(&pidstat, "%s      UID       PID    %%usr %%system  %%guest   %%wait    %%CPU   CPU  Command\n%s        0       100   40.00   10.00    0.00    5.00   50.00     0  worker\n\n",
				now.Add(-time.Second).Format(time.TimeOnly), now.Format(time.TimeOnly))
		}
		// It used half a CPU all the time.
		used := now.Sub(time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)).Seconds() / 2
		fmt.Fprintf(&top, "top - %s up 1 day,  1:00,  1 user,  load average: 0.50, 0.50, 0.50\nTasks:   1 total,   1 running,   0 sleeping,   0 stopped,   0 zombie\n"+
			"%%Cpu(s): 40.0 us, 10.0 sy,  0.0 ni, 50.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n\n    PID USER      PR  NI    VIRT    RES    SHR S  %%CPU  %%MEM     TIME+ COMMAND\n"+
			"    100 root      20   0  100000  10000   1000 R  50.0   1.0 %3d:%05.2f worker\n\n", now.Format(time.TimeOnly), int(used)/60, math.Mod(used, 60))
	}
	for name, content := range map[string]string{"pidstat": pidstat.String(), "top": top.String()} {
		v := text(t, content)
		p, ok := v.Process(100)
		if !ok {
			t.Errorf("%s: no process", name)
			continue
		}
		about(t, name+": cores", p.CPU, 0.5, 0.01)
		about(t, name+": seconds", p.Seconds, 10, 0)
		about(t, name+": CPU seconds", p.CPUSeconds, 5, 0.1)
		if said := holesSaid(v); len(said) != 1 || !strings.HasPrefix(said[0], name+": 1 h from ") {
			t.Errorf("%s: %q", name, said)
		}
	}
}

// Counters go on while nobody asks: rates are averages then, which is said.
func TestHoleOfCounters(t *testing.T) {
	var b strings.Builder
	for _, s := range []int{0, 15, 30, 45, 3645, 3660, 3675} {
		fmt.Fprintf(&b, "node_time_seconds %d\nnode_context_switches_total %d\nnode_procs_running 1\nnode_disk_reads_completed_total{device=\"sda\"} %d\n", 1767322800+s, 1000*s, 10*s)
	}
	v := text(t, b.String())
	s, _ := v.Scheduler()
	about(t, "switches", s.ContextSwitches, 1000, 0.1)
	if said := holesSaid(v); len(said) != 1 || !strings.HasPrefix(said[0], "node_exporter: 1 h from ") || !strings.Contains(said[0], "Rates are averages") {
		t.Errorf("%q", said)
	}
	for _, p := range v.Manifest().Probes {
		for _, h := range p.Holes {
			if !h.Counted || h.To.Sub(h.From) != time.Hour {
				t.Errorf("%+v", h)
			}
		}
	}
}

// A report or two that are missing make no hole, nor do sparse ones.
func TestNoHole(t *testing.T) {
	for name, seconds := range map[string][]int{"each second": {0, 1, 2, 3, 4}, "two are missing": {0, 1, 2, 5, 6, 7}, "each ten minutes": {0, 600, 1200, 1800}} {
		var b strings.Builder
		b.WriteString(strings.ReplaceAll(vmstatHead, "-cpu-----", "-cpu----- -----timestamp-----"))
		for _, s := range seconds {
			fmt.Fprintf(&b, " 1  1  90000 100000   1000  90000    0    0    11    12   13   14 10 10 80  0  0 %s\n", time.Date(2026, 1, 2, 10, 0, s, 0, time.UTC).Format(time.DateTime))
		}
		v := text(t, b.String())
		if said := holesSaid(v); len(said) > 0 {
			t.Errorf("%s: %q", name, said)
		}
		if rows := view.Rows[recording.SystemSample](v); len(rows) == 0 {
			t.Errorf("%s: no rows", name)
		}
	}
}
