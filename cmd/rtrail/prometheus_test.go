package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// scrapeEvery is how often the made-up Prometheus scrapes, in seconds, and busyFrom to busyTo when
// there is more work than CPUs on db1, in seconds since 1970.
const (
	scrapeEvery = 15
	busyFrom    = 1769828400 // 2026-01-31T03:00:00Z
	busyTo      = busyFrom + 1800
	// lastScrape is when db3 was scraped last.
	lastScrape = busyTo
)

// madeUp is a series: its labels, and its value at a time.
type madeUp struct {
	name   string
	labels map[string]string
	at     func(s float64) float64
}

// madeUpHost are the series of a host with two CPUs.
func madeUpHost(instance string) (list []madeUp) {
	busy := func(s float64) float64 { // seconds of it until then
		if instance != "db1:9100" {
			return 0
		}
		return min(max(s-busyFrom, 0), busyTo-busyFrom)
	}
	add := func(name string, at func(s float64) float64, labels ...string) {
		m := madeUp{name, map[string]string{"__name__": name, "instance": instance, "job": "node"}, at}
		for i := 0; i < len(labels); i += 2 {
			m.labels[labels[i]] = labels[i+1]
		}
		list = append(list, m)
	}
	steady := func(v float64) func(float64) float64 { return func(float64) float64 { return v } }
	rate := func(v, more float64) func(float64) float64 {
		return func(s float64) float64 { return v*s + more*busy(s) }
	}
	for _, cpu := range []string{"0", "1"} {
		add("node_cpu_seconds_total", rate(0.1, 0.89), "cpu", cpu, "mode", "user")
		add("node_cpu_seconds_total", rate(0.9, -0.89), "cpu", cpu, "mode", "idle")
		for _, mode := range []string{"nice", "system", "iowait", "irq", "softirq", "steal"} {
			add("node_cpu_seconds_total", steady(0), "cpu", cpu, "mode", mode)
		}
	}
	add("node_uname_info", steady(1), "nodename", strings.TrimSuffix(instance, ":9100"), "release", "6.1.0", "machine", "x86_64")
	add("node_context_switches_total", rate(1000, 9000))
	add("node_memory_MemTotal_bytes", steady(8<<30))
	add("node_memory_MemAvailable_bytes", steady(6<<30))
	add("node_disk_reads_completed_total", rate(10, 0), "device", "sda")
	running := func(s float64) float64 {
		if busy(s) > 0 && s < busyTo {
			return 12
		}
		return 1
	}
	add("node_procs_running", running)
	add("node_procs_blocked", steady(0))
	add("node_load1", running)
	return list
}

var (
	askedNames    = regexp.MustCompile(`__name__=~("(?:[^"\\]|\\.)*")`)
	askedInstance = regexp.MustCompile(`[{,]instance=~?("(?:[^"\\]|\\.)*")`)
	askedLength   = regexp.MustCompile(`\[(\d+)s\]$`)
)

// askedFor is what stands in quotes in a query, as a regular expression; "": all.
func askedFor(in *regexp.Regexp, query string) *regexp.Regexp {
	text := ".*"
	if m := in.FindStringSubmatch(query); m != nil {
		text, _ = strconv.Unquote(m[1])
	}
	return regexp.MustCompile("^(?:" + text + ")$")
}

// madeUpPrometheus answers for the hosts db1, db2 and db3.
func madeUpPrometheus(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	number := func(name string) float64 {
		v, _ := strconv.ParseFloat(q.Get(name), 64)
		return v
	}
	query := q.Get("query") + q.Get("match[]")
	names, instances := askedFor(askedNames, query), askedFor(askedInstance, query)
	if strings.HasPrefix(query, "node_cpu_seconds_total{") {
		names = regexp.MustCompile("^node_cpu_seconds_total$")
	}
	var from, to, step float64
	switch r.URL.Path {
	case "/api/v1/series":
	case "/api/v1/query":
		length, _ := strconv.ParseFloat(askedLength.FindStringSubmatch(query)[1], 64)
		to, step = math.Floor(number("time")/scrapeEvery)*scrapeEvery, scrapeEvery
		from = math.Ceil((number("time")-length)/scrapeEvery) * scrapeEvery
	case "/api/v1/query_range":
		from, to, step = number("start"), number("end"), number("step")
		if (to-from)/step > 11000 {
			http.Error(w, `{"status":"error","errorType":"bad_data","error":"exceeded maximum resolution"}`, http.StatusBadRequest)
			return
		}
	default:
		http.NotFound(w, r)
		return
	}
	var result, labels []any
	for _, instance := range []string{"db1:9100", "db2:9100", "db3:9100"} {
		if !instances.MatchString(instance) {
			continue
		}
		for _, s := range madeUpHost(instance) {
			if !names.MatchString(s.name) || strings.Contains(query, `mode="idle"`) && (s.labels["cpu"] != "0" || s.labels["mode"] != "idle") {
				continue
			}
			var values [][2]any
			for at := from; step > 0 && at <= to; at += step {
				if instance != "db3:9100" || at <= lastScrape {
					scraped := math.Floor(at/scrapeEvery) * scrapeEvery
					values = append(values, [2]any{at, fmt.Sprint(s.at(scraped))})
				}
			}
			labels = append(labels, s.labels)
			if len(values) > 0 {
				result = append(result, map[string]any{"metric": s.labels, "values": values})
			}
		}
	}
	data := any(map[string]any{"resultType": "matrix", "result": append([]any{}, result...)})
	if step == 0 {
		data = append([]any{}, labels...)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": data})
}

func TestSplitHost(t *testing.T) {
	for arg, want := range map[string][2]string{
		"db1:9100@03:00": {"db1:9100", "03:00"}, "db1": {"db1", ""}, "@-5m": {"", "-5m"}, "": {"", ""},
		`{instance="a@b"}`: {`{instance="a@b"}`, ""}, `{instance="a@b"}@03:00`: {`{instance="a@b"}`, "03:00"},
	} {
		if host, at := splitHost(arg); host != want[0] || at != want[1] {
			t.Errorf("%s is %q at %q", arg, host, at)
		}
	}
}

// A time that is asked for is over, and counted back from now.
func TestAskedTime(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	p := prometheusFlags{instance: "db1"}
	for at, want := range map[string]recording.Window{
		"": {From: now.Add(-time.Hour), To: now}, "-2h": {From: now.Add(-2 * time.Hour), To: now.Add(-time.Hour)}, "-5m": {From: now.Add(-5 * time.Minute), To: now},
		"2026-01-31T03:00:00Z": {From: now.Add(-9 * time.Hour), To: now.Add(-8 * time.Hour)},
	} {
		got, err := p.lasting("--at ", at, time.Hour, now)
		if err != nil || !got.From.Equal(want.From) || !got.To.Equal(want.To) || got.instance != "db1" {
			t.Errorf("%s: %v, %v", at, got, err)
		}
	}
	if _, err := p.lasting("--at ", "2026-02-01T03:00:00Z", time.Hour, now); err == nil {
		t.Error("a time that is to come was taken")
	}
}

// All verbs that ask have the same flags.
func TestPrometheusFlags(t *testing.T) {
	var verbs []string
	for _, c := range newRootCommand().Commands() {
		if c.Flags().Lookup("prometheus") != nil {
			verbs = append(verbs, c.Name())
			for _, name := range []string{"instance", "prometheus-auth"} {
				if c.Flags().Lookup(name) == nil {
					t.Errorf("%s has no --%s", c.Name(), name)
				}
			}
		}
	}
	if slices.Sort(verbs); !slices.Equal(verbs, []string{"diagnose", "diff", "replay", "timeline"}) {
		t.Error(verbs)
	}
}
