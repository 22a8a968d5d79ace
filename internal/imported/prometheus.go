package imported

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

const (
	// maxSeries and maxPoints bound what an answer of Prometheus may hold: a day of a host with
	// 100 CPUs, once a minute, has 1,500 series and 2 million points.
	maxSeries = 50_000
	maxPoints = 4_000_000
	// maxOneSeries bounds a series: one of 20,000 values has 500 kB.
	maxOneSeries = 2 << 20
	// maxStamps bounds the times of all series, and keptStamps those of which rows are made: a
	// day, once a minute.
	maxStamps, keptStamps = 20_000, 1500
)

// isPrometheus says that a text is what the query API of Prometheus answers (HTTP API, v1).
func isPrometheus(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	return len(head) > 0 && head[0] == '{' && bytes.Contains(head[:min(len(head), 200)], []byte(`"status"`)) &&
		(bytes.Contains(head, []byte(`"resultType"`)) || bytes.Contains(head[:min(len(head), 400)], []byte(`"errorType"`)))
}

// series is one element of "result".
type series struct {
	Metric map[string]string    `json:"metric"`
	Values [][2]json.RawMessage `json:"values"`
	Value  [2]json.RawMessage   `json:"value"`
}

// point is a value at a time.
type point struct {
	at    int64 // ms since 1970
	value float64
}

// pointOf reads [1767322800.1, "0.5"].
func pointOf(raw [2]json.RawMessage) (p point, ok bool) {
	at, err := strconv.ParseFloat(string(raw[0]), 64)
	if err != nil || !(math.Abs(at) < 9e9) {
		return p, false
	}
	p.at = int64(math.Round(at * 1000))
	p.value, err = strconv.ParseFloat(strings.Trim(string(raw[1]), `"`), 64)
	return p, err == nil && p.value >= 0 && p.value <= maxNumber
}

// parsePrometheus reads a matrix or a vector of series of node_exporter: each time becomes what
// the host answered then.
func parsePrometheus(file, text string, _ time.Time) (*told, error) {
	return parseAnswers(file, strings.NewReader(text))
}

// ReadAnswers makes a recording of what the query API of Prometheus answered about one host: each
// answer has other series of the same times. name says whom was asked.
func ReadAnswers(name string, answers [][]byte) (*recording.Recording, recording.Window, error) {
	var texts []io.Reader
	for _, a := range answers {
		texts = append(texts, bytes.NewReader(a))
	}
	t, err := parseAnswers(name, texts...)
	if err != nil {
		return nil, recording.Window{}, err
	}
	all, err := joinTrees([]*told{t})
	if err != nil {
		return nil, recording.Window{}, err
	}
	rec, held, err := together(all)
	return rec, held.Window, err
}

// Series are the names of all series that are read, in groups of which each is worth a query.
var Series = [][]string{
	{"node_cpu_seconds_total"},
	prefixed("node_disk_", "reads_completed_total", "writes_completed_total", "read_bytes_total", "written_bytes_total", "read_time_seconds_total", "write_time_seconds_total",
		"io_now", "io_time_seconds_total", "io_time_weighted_seconds_total"),
	slices.Concat(
		prefixed("node_", "uname_info", "context_switches_total", "intr_total", "forks_total", "procs_running", "procs_blocked", "load1", "load5", "load15"),
		prefixed("node_vmstat_", "pswpin", "pswpout", "pgpgin", "pgpgout", "pgfault", "pgmajfault", "oom_kill"),
		prefixed("node_memory_", "MemTotal_bytes", "MemFree_bytes", "MemAvailable_bytes", "SwapTotal_bytes", "SwapFree_bytes"),
		prefixed("node_pressure_", "cpu_waiting_seconds_total", "memory_waiting_seconds_total", "memory_stalled_seconds_total", "io_waiting_seconds_total", "io_stalled_seconds_total")),
	prefixed("node_network_", "receive_bytes_total", "receive_packets_total", "receive_errs_total", "receive_drop_total", "receive_fifo_total",
		"transmit_bytes_total", "transmit_packets_total", "transmit_errs_total", "transmit_drop_total", "transmit_fifo_total", "transmit_carrier_total"),
	slices.Concat(
		prefixed("node_netstat_", "Tcp_ActiveOpens", "Tcp_PassiveOpens", "Tcp_InSegs", "Tcp_OutSegs", "Tcp_RetransSegs", "Tcp_InErrs", "TcpExt_ListenDrops", "TcpExt_ListenOverflows",
			"TcpExt_TCPDSACKRecv", "TcpExt_TCPRcvQDrop", "TcpExt_TCPSynRetrans", "TcpExt_TCPTimeouts", "Udp_RcvbufErrors", "Udp_SndbufErrors", "Udp6_RcvbufErrors"),
		prefixed("node_nf_conntrack_", "entries", "entries_limit", "stat_drop", "stat_early_drop", "stat_insert_failed"),
		prefixed("node_softnet_", "processed_total", "dropped_total", "times_squeezed_total")),
	prefixed("node_filesystem_", "size_bytes", "free_bytes", "avail_bytes", "files", "files_free", "readonly"),
}

// comesAndGoes says that series of a name are of things that appear and vanish while a host runs:
// disks are attached, containers have interfaces, and mount filesystems.
func comesAndGoes(name string) bool {
	return strings.HasPrefix(name, "node_disk_") || strings.HasPrefix(name, "node_network_") || strings.HasPrefix(name, "node_filesystem_")
}

// perCPU are the series that each CPU has, by mode or name. A CPU may go off line and come back, so
// that at a time those of one CPU stand for those of all.
var perCPU = append(prefixed("node_softnet_", "processed_total", "dropped_total", "times_squeezed_total"),
	"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")

// perCPUKind is which of perCPU a series is; -1: none.
func perCPUKind(metric map[string]string) int {
	name := metric["__name__"]
	if name == "node_cpu_seconds_total" {
		name = metric["mode"]
	}
	return slices.Index(perCPU, name)
}

func prefixed(prefix string, names ...string) (all []string) {
	for _, n := range names {
		all = append(all, prefix+n)
	}
	return all
}

// parseAnswers reads answers that together tell of one host.
func parseAnswers(file string, texts ...io.Reader) (*told, error) {
	t := &told{tool: "node_exporter", file: file, dated: true, rates: true}
	p := &prometheus{told: t, times: map[int64]*moment{}}
	for _, text := range texts {
		if err := p.read(json.NewDecoder(text)); err != nil {
			return nil, fmt.Errorf("reading %s as an answer of Prometheus: %w", file, err)
		}
	}
	most := 0
	for _, m := range p.times {
		most = max(most, m.series)
	}
	all := slices.Sorted(maps.Keys(p.times))
	whole := slices.DeleteFunc(all, func(at int64) bool { return p.times[at].series < most || !sane(time.UnixMilli(at)) })
	left := len(p.times) - len(whole)
	step := (len(whole) + keptStamps - 1) / keptStamps
	for i, at := range whole {
		if i%step == 0 || i == len(whole)-1 {
			t.trees = append(t.trees, &tree{at: time.UnixMilli(at), scrape: p.times[at].scrape})
		}
	}
	if p.unnamed > 0 {
		t.note("%s: %s without a name left out, as rate() and sum() give them", file, unit.Plural(int64(p.unnamed), "series", "series"))
	}
	if step > 1 {
		t.note("%s: of %d times one in %d was read", file, len(whole), step)
	}
	if !p.known || len(t.trees) == 0 {
		return nil, fmt.Errorf("reading %s as an answer of Prometheus: %w", file, p.empty())
	}
	if left > 0 {
		t.note("%s: %s left out, at which not all series have a value", file, unit.Plural(int64(left), "time", "times"))
	}
	t.host.Name = cmp.Or(t.host.Name, p.instance)
	return t, nil
}

// moment is what all series say of one time.
type moment struct {
	scrape *scrape
	series int    // that are always there
	kinds  uint16 // which of perCPU are among them, a bit each
}

type prometheus struct {
	*told
	times    map[int64]*moment
	instance string
	all      int // series
	unnamed  int // series without a name
	points   int
	known    bool // a series is one that is read
}

// empty says why there is nothing to judge.
func (p *prometheus) empty() error {
	if p.unnamed > 0 {
		return fmt.Errorf("%s without a name, as rate() and sum() give them; ask for the counters themselves: %s", unit.Plural(int64(p.unnamed), "series is", "series are"), usualQuery)
	}
	return errors.New("there is no series of node_exporter in it; ask for " + usualQuery)
}

// usualQuery gives all that is read.
const usualQuery = `{__name__=~"node_.*",instance="HOST:9100"}`

// read looks for "result" and takes one series after the other.
func (p *prometheus) read(d *json.Decoder) error {
	return walk(d, func(word json.Token) (done bool, err error) {
		switch word {
		case "status", "resultType", "errorType":
			_, err = d.Token()
		case "error":
			var why string
			_ = d.Decode(&why)
			return true, fmt.Errorf("the query was refused: %.200q", why)
		case "result":
			return true, p.result(d)
		}
		return false, err
	})
}

func (p *prometheus) result(d *json.Decoder) error {
	if token, err := d.Token(); err != nil || token != json.Delim('[') {
		return errors.New("its result is no list")
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("it is cut off or damaged in series %d: %w", p.all+1, err)
		}
		if len(raw) > maxOneSeries {
			return fmt.Errorf("series %d has more than %v; ask for less time, or a longer step", p.all+1, unit.Bytes(maxOneSeries))
		}
		var s series
		if err := json.Unmarshal(raw, &s); err != nil {
			return fmt.Errorf("series %d: %w", p.all+1, err)
		}
		if p.all++; p.all > maxSeries {
			return fmt.Errorf("it has more than %d series; ask for those of one host: %s", maxSeries, usualQuery)
		}
		if err := p.take(&s); err != nil {
			return err
		}
	}
	return nil
}

func (p *prometheus) take(s *series) error {
	name := s.Metric["__name__"]
	if name == "" {
		p.unnamed++
		return nil
	}
	if !strings.HasPrefix(name, "node_") {
		return nil
	}
	if i := clip(s.Metric["instance"]); i != "" {
		if p.instance != "" && p.instance != i {
			return fmt.Errorf("it holds series of %q and %q; ask for one host: %s", p.instance, i, usualQuery)
		}
		p.instance = i
	}
	kind := perCPUKind(s.Metric)
	if s.Value[0] != nil {
		s.Values = append(s.Values, s.Value)
	}
	for _, raw := range s.Values {
		v, ok := pointOf(raw)
		if !ok {
			continue
		}
		if p.points++; p.points > maxPoints {
			return fmt.Errorf("it has more than %d values; ask for less time, or a longer step", maxPoints)
		}
		m := p.times[v.at]
		if m == nil {
			if len(p.times) == maxStamps {
				return fmt.Errorf("it has values of more than %d times; ask query_range for a longer step", maxStamps)
			}
			m = &moment{scrape: newScrape()}
			p.things += besides
			p.times[v.at] = m
		}
		read, err := m.scrape.keep(p.told, name, s.Metric, v.value)
		if err != nil {
			return err
		}
		if read {
			p.known = true
			switch {
			case comesAndGoes(name):
			case kind < 0:
				m.series++
			case m.kinds&(1<<kind) == 0:
				m.kinds |= 1 << kind
				m.series++
			}
		}
		m.scrape.at = time.UnixMilli(v.at)
	}
	return nil
}
