package imported

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

func TestExporter(t *testing.T) {
	v := read(t, "exporter/2.prom", "exporter/1.prom")
	if total, ok := v.CPUTotal(); !ok || total.Busy() < 0.95 || len(v.CPUs()) != 2 {
		t.Errorf("%+v", total)
	}
	about(t, "seconds", v.Seconds(), 6.04, 0.01)
	if s, ok := v.Scheduler(); !ok || s.Load1 <= 0 || s.Running < 3 || s.ContextSwitches <= 0 {
		t.Errorf("%+v", s)
	}
	if s, ok := v.Stall("cpu"); !ok || s.Some < 0.5 || s.Some > 1 {
		t.Errorf("%+v", s)
	}
	if d, ok := v.BlockDevice("vda"); !ok || !view.Known(d.Queue) || d.Utilisation > 1 {
		t.Errorf("%+v", d)
	}
	if m, ok := v.MemoryNow(); !ok || m.Available <= 0 || m.Dirty != recording.Unknown {
		t.Errorf("%+v", m)
	}
	if h := v.Manifest().Host; h.Name != "vm" || !strings.HasPrefix(h.Kernel, "6.") {
		t.Errorf("%+v", h)
	}
	out := verdict.Judge(v, catalogue.For(v.Manifest()))
	for _, id := range []string{"mem/reclaim", "mem/leak", "cpu/throttled", "cpu/one-thread-limit", "disk/log-flood"} {
		if !notJudged(out, id) {
			t.Errorf("%s was judged", id)
		}
	}
}

func TestExporterRefused(t *testing.T) {
	other, err := os.ReadFile("testdata/exporter/1.prom")
	if err != nil {
		t.Fatal(err)
	}
	later := contentOf(t, "testdata/exporter/2.prom")
	renamed := func(text string) string { return strings.Replace(text, `nodename="vm"`, `nodename="db"`, 1) }
	// An answer that begins with other samples does not end the one before.
	_, headless, _ := strings.Cut(renamed(later), "\ngo_gc_duration_seconds{quantile=\"1\"}")
	for name, tc := range map[string]struct {
		files []string
		want  string
	}{
		"in one file":   {[]string{write(t, string(other)+renamed(later))}, `it is of host "db", others are of "vm"`},
		"begin apart":   {[]string{write(t, string(other)+"# "+headless)}, `it is of host "db", others are of "vm"`},
		"one, and more": {[]string{"testdata/exporter/1.prom", "testdata/cpu/mpstat.txt"}, "one answer of node_exporter"},
		"the same":      {[]string{"testdata/exporter/1.prom", "testdata/exporter/1.prom"}, "some seconds apart"},
		"another host":  {[]string{"testdata/exporter/1.prom", write(t, renamed(string(other)))}, "judge one host"},
		"no time":       {[]string{write(t, "node_load1 0.5\nnode_load5 0.5\n")}, "node_time_seconds"},
		"other kinds":   {[]string{"testdata/exporter/1.prom", write(t, string(archive(t, copyOf("", 100)...)))}, "different kinds"},
		"not of a node": {[]string{write(t, "# HELP go_goroutines x\n# TYPE go_goroutines gauge\ngo_goroutines 8\n")}, "node_time_seconds"},
	} {
		_, _, err := Read(t.Context(), tc.files)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// Answers of one host in one file are read, and so are those that Prometheus passes on of an exporter in a
// container, whose name changes when it is started again.
func TestExporterOfOneHost(t *testing.T) {
	first, second := contentOf(t, "testdata/exporter/1.prom"), contentOf(t, "testdata/exporter/2.prom")
	about(t, "seconds", text(t, first+second).Seconds(), 6.04, 0.01)
	passed := func(text, name string) string {
		return strings.Replace(text, `nodename="vm"`, `instance="db7:9100",nodename="`+name+`"`, 1)
	}
	about(t, "seconds of a container", text(t, passed(first, "exporter-1")+passed(second, "exporter-2")).Seconds(), 6.04, 0.01)
}

// 256 CPUs that idle for two years have more time than a duration holds.
func TestExporterSums(t *testing.T) {
	answer := func(at, idle int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "node_time_seconds %d\n", at)
		for cpu := range 256 {
			fmt.Fprintf(&b, "node_cpu_seconds_total{cpu=\"%d\",mode=\"idle\"} %d\n", cpu, idle)
		}
		return b.String()
	}
	rec, _, err := Read(t.Context(), []string{write(t, answer(1767322800, 63e6)+answer(1767322810, 63e6+8))})
	if err != nil {
		t.Fatal(err)
	}
	var idle []time.Duration
	for _, c := range recording.Rows[recording.CPUSample](rec) {
		if c.CPU == -1 {
			idle = append(idle, c.Idle)
		}
	}
	if len(idle) != 2 || idle[0] < 0 || idle[1]-idle[0] != 256*8*time.Second {
		t.Errorf("%v", idle)
	}
}

// Answers each of which is one that a host may give are bounded together, in one file and in many.
func TestExporterBounds(t *testing.T) {
	var large strings.Builder
	large.WriteString("node_time_seconds 1767322800\n")
	for cpu := range maxThings + 1 {
		fmt.Fprintf(&large, "node_cpu_seconds_total{cpu=\"%d\",mode=\"idle\"} 1\n", cpu)
	}
	if _, err := parseScrape("one", large.String(), time.Time{}); err == nil || errors.Is(err, errThings) {
		t.Errorf("one answer: %.200v", err)
	}
	full := &told{things: maxAllThings}
	s := newScrape()
	if _, err := s.keep(full, "node_load1", nil, 1); err != nil {
		t.Error(err)
	}
	if _, err := s.keep(full, "node_cpu_seconds_total", map[string]string{"cpu": "0", "mode": "idle"}, 1); !errors.Is(err, errThings) {
		t.Errorf("one more: %v", err)
	}
	p := &prometheus{told: &told{things: maxAllThings}, times: map[int64]*moment{}}
	if err := p.take(&series{Metric: map[string]string{"__name__": "node_load1"}, Value: [2]json.RawMessage{[]byte("1767322800"), []byte(`"1"`)}}); !errors.Is(err, errThings) {
		t.Errorf("one more of Prometheus: %v", err)
	}
	if err := boundedThings([]*told{{things: maxAllThings / 2}, {things: maxAllThings / 2}}); err != nil {
		t.Error(err)
	}
	if err := boundedThings([]*told{{things: maxAllThings / 2}, {things: maxAllThings/2 + 1}}); !errors.Is(err, errThings) {
		t.Errorf("of several files: %v", err)
	}
	// Answers that are left out take nothing.
	var many strings.Builder
	for i := range maxTrees + 100 {
		fmt.Fprintf(&many, "node_time_seconds %d\nnode_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 1\n", 1767322800+i)
	}
	one, err := parseScrape("many", many.String(), time.Time{})
	if err != nil || len(one.trees) != maxTrees || one.things != maxTrees*(1+besides)+besides {
		t.Errorf("%d answers, %d things, %v", len(one.trees), one.things, err)
	}
}

func FuzzExporter(f *testing.F) {
	b, err := os.ReadFile("testdata/exporter/1.prom")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, b)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var all []*told
		for _, text := range [][]byte{a, b} {
			from, err := parseScrape("fuzz", string(text), time.Time{})
			if err != nil {
				return
			}
			all = append(all, from)
		}
		all, err := joinTrees(all)
		if err != nil {
			return
		}
		rec, held, err := together(all)
		if err != nil {
			return
		}
		v := view.New(rec, held.From, held.To)
		v.CPUTotal()
		v.BlockDevices()
	})
}
