package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/chart"
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// pageCharts are what a page says of charts, as its program reads it.
type pageCharts struct {
	Bands []struct {
		From, To float64
		Words    string
		Finding  int
	}
	Times  [][]int64
	Charts []struct {
		Metric, Unit string
		Lines        []struct {
			Times  int
			Values []float64
		}
	}
	Findings map[int][]chart.Cite
}

// charts runs a verb that writes a page and gives its charts, and the rules of its findings.
func charts(t *testing.T, args ...string) (set pageCharts, rules []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	out, errs := rtrail(t, append(args, "--json", "--html", file)...)
	var verdict struct{ Findings []struct{ Rule string } }
	if err := json.Unmarshal([]byte(out), &verdict); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, errs)
	}
	for _, f := range verdict.Findings {
		rules = append(rules, f.Rule)
	}
	return chartsOf(t, file), rules
}

// chartsOf are those of a page in a file.
func chartsOf(t *testing.T, file string) (set pageCharts) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, data, _ := strings.Cut(string(text), `<script id="data" type="application/json">`)
	data, _, _ = strings.Cut(data, "</script>")
	page := struct{ Charts *pageCharts }{&set}
	if err := json.Unmarshal([]byte(data), &page); err != nil {
		t.Fatal(err)
	}
	return set
}

// suddenly is a host whose listener refuses connections in seconds 20 to 40 of 60, and one of whose
// filesystems is full all the time.
func suddenly() *ruletest.Host {
	h := ruletest.New(2, 60).Manifest(func(m *recording.Manifest) {
		m.Probes = []recording.ProbeInfo{{Name: "made up", Fills: recording.AllTables()}}
	}).Memory(8<<30, 4<<30, 0).AllCPUs(ruletest.CPU{User: 0.1})
	h.Process(ruletest.Process{PID: 10, Comm: "nginx", CPU: 0.1})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 77, PID: 10, FD: 3})
	during := func(s float64) float64 { return min(max(s-20, 0), 20) }
	ruletest.Every(h, func(at time.Time, s float64) recording.ListenerSample {
		row := recording.ListenerSample{At: at, NetNS: 1, Local: "0.0.0.0", Port: 80, Inode: 77, Backlog: 10, Drops: uint32(30 * during(s))}
		if s > 20 && s <= 40 {
			row.Queue = 11
		}
		return row
	})
	for _, name := range []string{"ListenOverflows", "ListenDrops"} {
		ruletest.Every(h, func(at time.Time, s float64) recording.ProtocolSample {
			return recording.ProtocolSample{At: at, NetNS: 1, Protocol: "TcpExt", Name: name, Value: int64(30 * during(s))}
		})
	}
	ruletest.Every(h, func(at time.Time, s float64) recording.ProtocolSample {
		return recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Tcp", Name: "PassiveOpens", Value: int64(50 * s)}
	})
	ruletest.Every(h, func(at time.Time, _ float64) recording.MountSample {
		return recording.MountSample{At: at, MountPoint: "/data", Device: "/dev/vda", FSType: "ext4", Size: 1 << 30, Inodes: 100, InodesFree: 50}
	})
	return h
}

// The page of a recording shows evidence of its findings as it was recorded, with the limits in the
// unit of each chart and with the time in which each fault was there marked.
func TestPageShowsWhenFaultsWereThere(t *testing.T) {
	h := suddenly()
	dir := onDisk(t, h.Rec.Manifest(), allRows(t, h.Rec))
	set, rules := charts(t, "diagnose", dir)
	view := h.View()
	start := float64(ruletest.Start.Unix())
	seen := map[string]bool{}
	for i, id := range rules {
		cites := set.Findings[i+1]
		if len(cites) == 0 {
			t.Errorf("%s has no chart", id)
		}
		for _, c := range cites {
			shown := set.Charts[c.Chart]
			seen[id+" "+shown.Metric] = true
			band := set.Bands[c.Band]
			if id == "disk/full" && (band.From-start != 0 || band.To-start != 60) {
				t.Errorf("%s: marked %v to %v", id, band.From-start, band.To-start)
			}
			if band.Finding != i+1 || id == "net/accept-queue-full" && (band.From-start < 19 || band.From-start > 21 || band.To-start < 39 || band.To-start > 41) {
				t.Errorf("%s: marked %v to %v of finding %d", id, band.From-start, band.To-start, band.Finding)
			}
			m, ok := metric.Find(shown.Metric)
			if !ok {
				t.Fatalf("%s: chart of %q", id, shown.Metric)
			}
			matched := 0
			for _, l := range shown.Lines {
				for _, s := range m.Series.Read(view) {
					if same(set.Times[l.Times], l.Values, s.Points) {
						matched++
						break
					}
				}
			}
			if matched != len(shown.Lines) || matched == 0 {
				t.Errorf("%s: %d of the %d lines of %s are the recording's", id, matched, len(shown.Lines), shown.Metric)
			}
			if shown.Metric == "tcp.listen-overflows" && (c.Limit == nil || *c.Limit != 0 || shown.Unit != "per second") {
				t.Errorf("limit %v in %q", c.Limit, shown.Unit)
			}
			if shown.Metric == "tcp.accept-queue" && (c.Limit == nil || *c.Limit != 10) {
				t.Errorf("limit of the accept queue: %v", c.Limit)
			}
		}
	}
	for _, want := range []string{"net/accept-queue-full tcp.accept-queue", "net/accept-queue-full tcp.listen-overflows", "disk/full filesystem.available"} {
		if !seen[want] {
			t.Errorf("no chart %q of the findings %q: %v", want, rules, seen)
		}
	}
}

// The page of a capture marks when requests failed, above all and beside the finding, but marks nothing if
// that was all the time.
func TestPageOfPacketsShowsWhenFaultsWereThere(t *testing.T) {
	for _, c := range []struct {
		from, to int
		want     [][2]float64
	}{{20, 30, [][2]float64{{19.5, 29.5}}}, {0, 60, nil}} {
		file := filepath.Join(t.TempDir(), "page.html")
		wrote(t.Context(), t, "packets", failingCapture(t, c.from, c.to), "--html", file)
		set := chartsOf(t, file)
		if len(set.Findings[1]) == 0 {
			t.Fatalf("no chart beside finding 1: %v", set.Findings)
		}
		var marked [][2]float64
		own := -1
		for i, b := range set.Bands {
			if b.Finding == 1 && strings.Contains(b.Words, "fails") {
				own, marked = i, append(marked, [2]float64{b.From - 1_700_000_000, b.To - 1_700_000_000})
			}
		}
		if diff := cmp.Diff(c.want, marked); diff != "" {
			t.Errorf("failing from second %d to %d: marked %+v: %s", c.from, c.to, set.Bands, diff)
		}
		for _, cite := range set.Findings[1] {
			if cite.Band != own {
				t.Errorf("beside the finding band %d is marked, want %d", cite.Band, own)
			}
		}
	}
}

// same says whether a line has the points of a series, to six digits.
func same(times []int64, values []float64, points []metric.Point) bool {
	if len(values) != len(points) {
		return false
	}
	for i, p := range points {
		if p.At.Sub(ruletest.Start).Milliseconds() != times[i] || math.Abs(values[i]-p.Value) > 1e-5*math.Abs(p.Value) {
			return false
		}
	}
	return true
}
