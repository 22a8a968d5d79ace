package imported

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// Answers of the query API, and of node_exporter one after the other in one file.
func TestPrometheus(t *testing.T) {
	for name, seconds := range map[string]float64{"prometheus/range.json": 10, "prometheus/raw.json": 9, "prometheus/three.prom": 3} {
		v := read(t, name)
		about(t, name+": seconds", v.Seconds(), seconds, 0.5)
		if total, ok := v.CPUTotal(); !ok || len(v.CPUs()) != 2 || total.Busy() < 0 || total.Busy() > 1 {
			t.Errorf("%s: %+v", name, total)
		}
		if s, ok := v.Scheduler(); !ok || s.Load1 < 1 || s.Running < 1 {
			t.Errorf("%s: %+v", name, s)
		}
		if h := v.Manifest().Host; h.Name != "vm" {
			t.Errorf("%s: %+v", name, h)
		}
	}
	found := false
	for _, f := range judge(t, "prometheus/raw.json").Findings {
		found = found || f.Rule == "cpu/saturated" && f.Confidence == rule.Possible
	}
	if !found {
		t.Error("more work than CPUs was not found")
	}
}

// matrix is an answer with a CPU that is busy, and more series.
func matrix(more string) string {
	var b strings.Builder
	b.WriteString(`{"status":"success","data":{"resultType":"matrix","result":[`)
	for i, mode := range []string{"user", "idle"} {
		fmt.Fprintf(&b, `{"metric":{"__name__":"node_cpu_seconds_total","cpu":"0","mode":%q,"instance":"db:9100"},"values":[`, mode)
		for s := range 5 {
			fmt.Fprintf(&b, `[%d,"%d"],`, 1767322800+s*15, 1000+s*15*(1-i))
		}
		b.WriteString(`[1767322875.000,"NaN"]]},`)
	}
	return b.String() + more + `]}}`
}

func TestPrometheusSeries(t *testing.T) {
	v := text(t, matrix(`{"metric":{"__name__":"node_load1","instance":"db:9100"},"values":[[1767322815,"1"],[1767322830,"1"],[1767322845,"1"],[1767322860,"1"]]}`))
	about(t, "seconds", v.Seconds(), 45, 0)
	total, _ := v.CPUTotal()
	about(t, "busy", total.Busy(), 1, 0.001)
	notes := strings.Join(v.Manifest().Notes, "\n")
	if v.Manifest().Host.Name != "db:9100" || !strings.Contains(notes, "1 time left out") {
		t.Errorf("%s: %s", v.Manifest().Host.Name, notes)
	}
	for _, p := range v.Manifest().Probes {
		for _, c := range p.Only {
			if c == "system.context_switches" || c == "cpus.steal_ns" {
				t.Errorf("%s is not told", c)
			}
		}
	}
	if _, ok := v.MemoryNow(); ok || len(view.Rows[recording.VMStatSample](v)) > 0 {
		t.Error("memory was not told")
	}
}

func TestPrometheusRefused(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"two hosts":   {matrix(`{"metric":{"__name__":"node_load1","instance":"web:9100"},"values":[[1767322800,"1"]]}`), `"db:9100" and "web:9100"`},
		"an error":    {`{"status":"error","errorType":"bad_data","error":"parse error: \u001b[31mred"}`, `\x1b[31mred`},
		"of others":   {`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"up"},"values":[[1767322800,"1"]]}]}}`, "no series of node_exporter"},
		"a vector":    {`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"node_load1"},"value":[1767322800,"1"]}]}}`, "one answer of node_exporter"},
		"a scalar":    {`{"status":"success","data":{"resultType":"scalar","result":[1767322800,"1"]}}`, "series 1"},
		"cut off":     {matrix("")[:300], "cut off"},
		"long series": {matrix(`{"metric":{"__name__":"node_load1"},"values":[` + strings.Repeat(`[1767322800,"1"],`, maxOneSeries/16) + `[1767322800,"1"]]}`), "longer step"},
		"nested":      {`{"status":"success","resultType":` + strings.Repeat("[", 100), "damaged"},
		"federated":   {"node_load1{instance=\"a:9100\"} 1 1767322800000\nnode_load1{instance=\"b:9100\"} 1 1767322800000\n", "line 2: it is of \"b:9100\""},
	} {
		_, _, err := Read(t.Context(), []string{write(t, tc.text)})
		if err == nil || !strings.Contains(err.Error(), tc.want) && name != "nested" {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	if _, _, err := Read(t.Context(), []string{"testdata/prometheus/rate.json"}); err == nil || !strings.Contains(err.Error(), "counters themselves") {
		t.Error(err)
	}
}

// A disk or a CPU that is there at some times leaves none of them out, and what it counted before it came is
// in no sum.
func TestHotPlug(t *testing.T) {
	series := func(name, labels string, from, to int, base, grows float64) string {
		var values []string
		for i := from; i <= to; i++ {
			values = append(values, fmt.Sprintf(`[%d,"%g"]`, 1767322800+i*15, base+grows*15*float64(i)))
		}
		return fmt.Sprintf(`{"metric":{"__name__":%q,%s,"instance":"db:9100"},"values":[%s]}`, name, labels, strings.Join(values, ","))
	}
	all := func(list ...string) *view.View {
		v := text(t, matrix(strings.Join(list, ",")))
		about(t, "seconds", v.Seconds(), 60, 0)
		return v
	}
	const cpu = "node_cpu_seconds_total"
	v := all(series("node_disk_io_time_seconds_total", `"device":"sdb"`, 3, 4, 700, 0.5))
	if d, ok := v.BlockDevice("sdb"); !ok {
		t.Error("no disk")
	} else {
		about(t, "utilisation", d.Utilisation, 0.5, 0.001)
		about(t, "seconds of the disk", d.Seconds, 15, 0)
	}
	for name, times := range map[string][2]int{"comes": {3, 4}, "goes": {0, 1}} {
		v := all(series(cpu, `"cpu":"1","mode":"user"`, times[0], times[1], 9000, 0), series(cpu, `"cpu":"1","mode":"idle"`, times[0], times[1], 9000, 1))
		var sums []recording.CPUSample
		for _, r := range view.Rows[recording.CPUSample](v) {
			if r.CPU < 0 {
				sums = append(sums, r)
			}
		}
		if len(sums) != 5 || len(v.CPUs()) != 2 {
			t.Errorf("%s: %d sums, %d CPUs", name, len(sums), len(v.CPUs()))
			continue
		}
		about(t, name+": user", (sums[4].User - sums[0].User).Seconds(), 60, 0.001)
		about(t, name+": idle", (sums[4].Idle - sums[0].Idle).Seconds(), 15, 0.001)
	}
	// CPU 1 goes off line, and the backlog of CPU 2 gets its number.
	const dropped = "node_softnet_dropped_total"
	v = all(series(dropped, `"cpu":"0"`, 0, 4, 0, 0), series(dropped, `"cpu":"1"`, 0, 2, 0, 0), series(dropped, `"cpu":"2"`, 0, 2, 9000, 0), series(dropped, `"cpu":"1"`, 3, 4, 9000, 0))
	rows := view.Rows[recording.SoftnetSample](v)
	for _, r := range rows {
		if r.CPU == 1 && r.Dropped > 0 {
			t.Errorf("%v: CPU 1 dropped %d", r.At, r.Dropped)
		}
	}
	if len(rows) != 9 {
		t.Errorf("%d backlogs", len(rows))
	}
}

// Every series that is asked for is read.
func TestSeries(t *testing.T) {
	for _, name := range slices.Concat(Series...) {
		if !newScrape().take(&told{}, name, map[string]string{"cpu": "0", "mode": "idle", "device": "sda"}, 1) {
			t.Errorf("%s is asked for, and not read", name)
		}
	}
	_, _, err := ReadAnswers("live", [][]byte{[]byte(matrix("{}")), []byte(`{"status":"success","data":{"resultType":"matrix","result":[]}}`)})
	if err != nil {
		t.Error(err)
	}
	hostile := `{"metric":{"__name__":"node_load1","instance":"db:9100\u001b[31m\n\"","\u0000":"x"},"values":[[1767322800,"1"]]}`
	if _, _, err := ReadAnswers("live", [][]byte{[]byte(matrix(hostile))}); err == nil || strings.ContainsAny(err.Error(), "\x1b\n") {
		t.Error(err)
	}
	many := strings.Repeat(`{"metric":{"__name__":"up"}},`, maxSeries)
	if _, _, err := ReadAnswers("live", [][]byte{[]byte(matrix(many + `{}`))}); err == nil || !strings.Contains(err.Error(), "more than 50000 series") {
		t.Error(err)
	}
}

func FuzzPrometheus(f *testing.F) {
	for _, name := range []string{"testdata/prometheus/rate.json", "testdata/prometheus/raw.json"} {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 3000)])
	}
	f.Add([]byte(matrix("")))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, _ = ReadAnswers("fuzz", [][]byte{[]byte(matrix("{}")), b})
		one, err := parsePrometheus("fuzz", string(b), time.Time{})
		if err != nil {
			return
		}
		all, err := joinTrees([]*told{one})
		if err != nil {
			return
		}
		rec, held, err := together(all)
		if err != nil {
			return
		}
		v := view.New(rec, held.From, held.To)
		if total, ok := v.CPUTotal(); ok && !(total.Busy() >= 0 && total.Busy() <= 1) {
			t.Errorf("busy %v", total.Busy())
		}
		v.BlockDevices()
	})
}
