package imported

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
)

// Tools of sysstat print their columns in English, numbers and times as the locale has them, and the
// word for the average with a space before its colon in French.
func TestLocalesOfSysstat(t *testing.T) {
	french := "Linux 6.1.0 (db) \t26/11/2026 \t_x86_64_\t(2 CPU)\n\n" +
		"10:00:00     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n" +
		"10:00:01     all   40,00    0,00   10,00    0,00    0,00    0,00    0,00    0,00    0,00   50,00\n" +
		"10:00:02     all   40,00    0,00   10,00    0,00    0,00    0,00    0,00    0,00    0,00   50,00\n" +
		"Moyenne :    all   40,00    0,00   10,00    0,00    0,00    0,00    0,00    0,00    0,00   50,00\n"
	american := "Linux 6.1.0 (db) \t11/26/2026 \t_x86_64_\t(2 CPU)\n\n" +
		"%[1]s 11:59:59 %[2]s     CPU     %%user     %%nice   %%system   %%iowait    %%steal     %%idle\n" +
		"%[1]s 12:09:59 %[3]s     all     40.00      0.00     10.00      0.00      0.00     50.00\n" +
		"%[1]s 12:19:59 %[3]s     all     40.00      0.00     10.00      0.00      0.00     50.00\n"
	of := func(am, pm string) string { return strings.ReplaceAll(fmt.Sprintf(american, "", am, pm), "\n ", "\n") }
	for name, c := range map[string]struct{ text, began, ended string }{
		"French":        {french, "2026-11-26 10:00:00", "2026-11-26 10:00:02"},
		"German":        {strings.NewReplacer("26/11/2026", "26.11.2026", "Moyenne :", "Durchschn.:").Replace(french), "2026-11-26 10:00:00", "2026-11-26 10:00:02"},
		"noon":          {of("AM", "PM"), "2026-11-26 11:59:59", "2026-11-26 12:19:59"},
		"midnight":      {of("PM", "AM"), "2026-11-26 23:59:59", "2026-11-27 00:19:59"},
		"in small ones": {of("am", "pm"), "2026-11-26 11:59:59", "2026-11-26 12:19:59"},
		"with points":   {of("a.m.", "p.m."), "2026-11-26 11:59:59", "2026-11-26 12:19:59"},
	} {
		v := text(t, c.text)
		if total, ok := v.CPUTotal(); !ok {
			t.Errorf("%s: no CPU time", name)
		} else {
			about(t, name+": idle", total.Idle, 0.5, 0.001)
		}
		if from, to := v.Start().Format(time.DateTime), v.End().Format(time.DateTime); from != c.began || to != c.ended {
			t.Errorf("%s: from %s to %s", name, from, to)
		}
		if notes := strings.Join(v.Manifest().Notes, "\n"); strings.Contains(notes, "could not be read") {
			t.Errorf("%s: %s", name, notes)
		}
	}
}

// Processes with a clock of twelve hours and decimal commas.
func TestPidstatOfTwelveHours(t *testing.T) {
	v := text(t, "Linux 6.1.0 (db) \t11/26/2026 \t_x86_64_\t(2 CPU)\n\n"+
		"01:00:00 PM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n01:00:01 PM     0       100   40,00   10,00    0,00    5,00   50,00     0  worker\n"+
		"01:00:02 PM     0       100   40,00   10,00    0,00    5,00   50,00     0  worker\n")
	p, ok := v.Process(100)
	if !ok {
		t.Fatal("no process")
	}
	about(t, "cores", p.CPU, 0.5, 0.001)
	about(t, "waited", p.RunDelay, 0.05, 0.001)
	if from := v.Start().Format(time.DateTime); from != "2026-11-26 13:00:00" {
		t.Error(from)
	}
}

// The columns of memory of vmstat are words, and stand where they do in English: swap is read.
func TestVMStatTranslated(t *testing.T) {
	german := read(t, "de/vmstat.txt")
	if _, ok := german.Paging(); !ok || notJudged(verdict.Judge(german, catalogue.For(german.Manifest())), "mem/swapping") {
		t.Error("German: swap is not read")
	}
	line := " 1  1  90000 100000   1000  90000  400  800   400   800  100  200 20 10 30 40  0\n"
	v := text(t, "procs -----------m\u00e9moire-------- ---\u00e9change-- -----io---- -syst\u00e8me- ------cpu-----\n r  b   swpd  libre tampon cache   si   so    bi    bo   in   cs us sy id wa st\n"+line+line+line)
	p, ok := v.Paging()
	if !ok {
		t.Fatal("French: swap is not read")
	}
	about(t, "swapped in", p.SwapIn, 400<<10, 0)
	about(t, "swapped out", p.SwapOut, 800<<10, 0)
	// Other columns are not guessed.
	_, _, err := Read(t.Context(), []string{write(t, strings.ReplaceAll(vmstatHead, " us sy id wa st", " ut sy in at vo")+line+line+line)})
	if err == nil {
		if v := text(t, strings.ReplaceAll(vmstatHead, " us sy id wa st", " ut sy in at vo")+line+line+line); len(v.CPUs()) > 0 {
			t.Error("CPU time of unknown columns")
		}
	}
}

var (
	decimal = regexp.MustCompile(`(\d)\.(\d)`)
	cpuTook = regexp.MustCompile(`:\d\d,\d\d`)
)

// top with decimal commas tells the same as with points; in another language it is refused by file and
// line.
func TestTopOfLocales(t *testing.T) {
	b, err := os.ReadFile("testdata/cpu/top.txt")
	if err != nil {
		t.Fatal(err)
	}
	commas := cpuTook.ReplaceAllStringFunc(decimal.ReplaceAllString(string(b), "$1,$2"), func(s string) string { return strings.Replace(s, ",", ".", 1) })
	want, got := read(t, "cpu/top.txt"), text(t, commas)
	a, _ := want.CPUTotal()
	c, ok := got.CPUTotal()
	if !ok || a.Busy() != c.Busy() || len(want.Processes()) != len(got.Processes()) {
		t.Errorf("%+v, want %+v", c, a)
	}
	m, _ := want.MemoryNow()
	if n, _ := got.MemoryNow(); n.Total != m.Total || n.Available != m.Available {
		t.Errorf("%+v, want %+v", n, m)
	}
	french := strings.NewReplacer("%Cpu(s):", "%Cpu(s):", " us,", " ut,", "USER ", "UTIL.", "TIME+ COMMAND", "TEMPS+ COM.").Replace(commas)
	path := write(t, french)
	if _, _, err := Read(t.Context(), []string{path}); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "line ") || !strings.Contains(err.Error(), "LC_ALL=C") {
		t.Error(err)
	}
}
