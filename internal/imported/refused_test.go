package imported

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/view"
)

const vmstatHead = `procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
`

func TestRefused(t *testing.T) {
	german, err := os.ReadFile("testdata/de/top.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"no report":        {vmstatHead, "no report"},
		"one report":       {vmstatHead + " 1  1  90000 100000   1000  90000    7    9    11    12   13   14 15 16 60  9  0\n", "no report"},
		"another language": {string(german), "LC_ALL=C"},
		"damaged":          {vmstatHead + strings.Repeat("1 2 3 what is this\n", 20), `line 3: "1 2 3 what is this"`},
		"other columns": {"Linux 6.1.0 (db) \t2026-01-02 \t_x86_64_\t(2 CPU)\n\n10:00:00 Prozessor leer\n10:00:01 alle 5,00\n10:00:02 alle 5,00\n",
			`"Prozessor leer"`},
		"only since the start": {"Linux 6.1.0 (db) \t2026-01-02 \t_x86_64_\t(2 CPU)\n\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n 1.00 0.00 1.00 0.00 0.00 98.00\n", "no report"},
		"JSON of others":       {`{"sysstat": {"hosts": [{"statistics": 7}]}}`, "no list"},
		"JSON without end":     {`{"sysstat": {"hosts": [`, "JSON"},
		"JSON of nothing":      {`{"sysstat": {"hosts": []}}`, "no report"},
	} {
		_, _, err := Read(t.Context(), []string{write(t, tc.text)})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	other := write(t, "Linux 6.1.0 (db) \t2026-01-02 \t_x86_64_\t(2 CPU)\n\n10:00:00     CPU    %usr   %nice    %sys %iowait %irq %soft %steal %guest %gnice %idle\n"+
		"10:00:01 all 1.00 0.00 1.00 0.00 0.00 0.00 0.00 0.00 0.00 98.00\n10:00:02 all 1.00 0.00 1.00 0.00 0.00 0.00 0.00 0.00 0.00 98.00\n")
	if _, _, err := Read(t.Context(), []string{other, "testdata/cpu/mpstat.txt"}); err == nil || !strings.Contains(err.Error(), "of host") {
		t.Errorf("two hosts: %v", err)
	}
}

// A file that is cut off anywhere is read as far as it goes, or refused with a reason.
func TestCutOff(t *testing.T) {
	files, _ := filepath.Glob("testdata/*/*.txt")
	for _, f := range append(files, "testdata/cpu/sar.json", "testdata/csv/sadf.csv") {
		whole, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for part := 1; part < 20; part++ {
			cut := write(t, string(whole[:len(whole)*part/20]))
			rec, held, err := Read(t.Context(), []string{cut})
			if err != nil {
				continue
			}
			v := view.New(rec, held.From, held.To)
			if total, ok := v.CPUTotal(); ok && (total.Busy() < 0 || total.Busy() > 1) {
				t.Errorf("%s, %d of 20: %+v", f, part, total)
			}
		}
	}
}

// The clock was set back, and the host slept for an hour.
func TestClock(t *testing.T) {
	line := func(at, idle string) string {
		return " 1  1  90000 100000   1000  90000    0    0    11    12   13   14 " + idle + "  0  0 2026-01-02 " + at + "\n"
	}
	v := text(t, strings.ReplaceAll(vmstatHead, "-cpu-----", "-cpu----- -----timestamp-----")+
		line("10:00:00", "10 10 80")+line("10:00:01", "10 10 80")+line("10:00:02", "10 10 80")+line("11:00:02", "10 10 80")+line("11:00:03", "10 10 80")+line("10:30:00", "90 10 0"))
	total, _ := v.CPUTotal()
	if total.Idle < 0.79 || total.Idle > 0.81 {
		t.Errorf("%+v", total)
	}
	s, _ := v.Scheduler()
	if s.ContextSwitches > 14 {
		t.Errorf("%+v", s)
	}
	notes := strings.Join(v.Manifest().Notes, "\n")
	if said := holesSaid(v); !strings.Contains(notes, "set back") || len(said) != 1 {
		t.Error(notes, said)
	}
}

func FuzzReports(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.txt")
	for _, name := range append(files, "testdata/cpu/sar.json", "testdata/csv/sadf.csv") {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 3000)])
	}
	f.Add([]byte("# hostname;interval;timestamp;PID;S\nh;1;2026-01-02 00:00:00 UTC;5;\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		parse := kindOf(b)
		if parse == nil {
			return
		}
		from, err := parse("fuzz", string(b), time.Unix(1700000000, 0))
		if err != nil {
			return
		}
		rec, held, err := together([]*told{from})
		if err != nil {
			return
		}
		v := view.New(rec, held.From, held.To)
		if total, ok := v.CPUTotal(); ok && !(total.Busy() >= 0 && total.Busy() <= 1) {
			t.Errorf("busy %v", total.Busy())
		}
		for _, p := range v.Processes() {
			if p.CPU < 0 {
				t.Errorf("%+v", p)
			}
		}
		v.BlockDevices()
	})
}
