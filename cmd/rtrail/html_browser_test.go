package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/document"
	"rtrail/internal/page/pagetest"
	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

const hostileName = `"><img src=x onerror=alert(1)></script>`

// slowCapture is a capture of requests with hostile names, of which some are slow: 12 seconds of 25 a second.
func slowCapture(t *testing.T) string {
	t.Helper()
	var h attack
	for n := range 300 {
		c := h.connect(uint16(20000+n), 80)
		c.say(">GET /" + strings.ReplaceAll(hostileName, " ", "/") + " HTTP/1.1\r\nHost: shop\r\n\r\n")
		took := uint64(3_000)
		if n%3 == 0 {
			took = 35_000
		}
		h.at += took
		c.say("<HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		c.segment(0, 0x10, 0, "")
		h.at += 40_000 - took
	}
	path := filepath.Join(t.TempDir(), "slow.pcap")
	if err := os.WriteFile(path, h.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// failingCapture is a capture of a minute, ten requests a second, which fail from one second to another one.
func failingCapture(t *testing.T, from, to int) string {
	t.Helper()
	var h attack
	for n := range 600 {
		answer := okHTTP
		if second := n / 10; second >= from && second < to {
			answer = "<HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"
		}
		c := h.connect(uint16(20000+n), 80)
		c.say(">GET /" + strings.ReplaceAll(hostileName, " ", "/") + " HTTP/1.1\r\nHost: shop\r\n\r\n")
		h.at += 3_000
		c.say(answer)
		c.segment(0, 0x10, 0, "")
		h.at = 1_700_000_000e6 + uint64(n+1)*100_000
	}
	path := filepath.Join(t.TempDir(), "failing.pcap")
	if err := os.WriteFile(path, h.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// hostileHost is a recording of a busy host with hostile names, which keeps sums of packets.
func hostileHost(t *testing.T) string {
	t.Helper()
	host := busyHost().Thread(ruletest.Thread{PID: 10, TID: 10, Comm: "busy", State: "R", CPU: 0.9})
	host.Process(ruletest.Process{PID: 66, Comm: hostileName, CPU: 0.9})
	host.OnCPU(recording.OnCPUSample{PID: 66, Process: hostileName, Samples: 900, Function: hostileName, Stack: hostileName + ";main"})
	for i := range 5 {
		interval := ruletest.Start.Add(time.Duration(2*i) * time.Second)
		w := recording.NewWriter(interval)
		recording.Append(w, recording.PacketCapture{At: interval, Interval: interval, Last: interval.Add(1900 * time.Millisecond), Source: "eth0", Packets: 100, Bytes: 1e5, Connections: 3})
		for n := range 2 {
			s := recording.PacketService{At: interval.Add(time.Duration(n) * time.Second), Interval: interval, Server: "10.0.0.2", ServerPort: 3306, Proto: "mysql",
				RTP50: 2 * time.Millisecond, RTP95: 20 * time.Millisecond, RTP99: 30 * time.Millisecond}
			s.Count, s.RTSum, s.RTMin, s.RTMax = 40, 200*time.Millisecond, time.Millisecond, 40*time.Millisecond
			recording.Append(w, s)
		}
		for _, took := range []time.Duration{2 * time.Millisecond, 30 * time.Millisecond} {
			recording.Append(w, recording.PacketHistogram{At: interval, Interval: interval, Server: "10.0.0.2", ServerPort: 3306, Proto: "mysql", Phase: "rt", From: took, To: took + took/64, Count: 40})
		}
		if err := host.Rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	return onDisk(t, host.Rec.Manifest(), allRows(t, host.Rec))
}

// loadTest is a folder of runs with a hostile name, the last of which was recorded.
func loadTest(t *testing.T) string {
	t.Helper()
	folder := filepath.Dir(hostileHost(t))
	var lines strings.Builder
	for i, tps := range []document.Number{100, 180, 190, 191} {
		r := bench.NewRun()
		r.Scenario, r.Threads, r.Load.TPS = hostileName, 1<<i, tps
		r.Began, r.Ended = ruletest.Start.Add(2*time.Second), ruletest.Start.Add(8*time.Second)
		r.Recording = "rec"
		if err := r.Append(&lines); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, bench.FileName), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// loadTests are runs of two servers at three levels, night after night; one of them gets slower.
func loadTests(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	var lines strings.Builder
	for night := range 20 {
		at := ruletest.Start.AddDate(0, 0, night)
		for i, environment := range []string{"db1", hostileName} {
			for k, tps := range []float64{100, 700, 900} {
				r := bench.NewRun()
				r.Environment, r.Scenario, r.Threads, r.Repeat = environment, "point_select", 1<<(3*k), 1
				r.Began, r.Ended = at, at.Add(30*time.Second)
				at = at.Add(time.Minute)
				if i == 1 && night >= 12 {
					tps *= 0.8
				}
				tps += float64(night % 3)
				r.Load.TPS, r.Load.P99 = document.Number(tps), document.Number(2000*float64(r.Threads)/tps)
				if err := r.Append(&lines); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := os.WriteFile(filepath.Join(folder, bench.FileName), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// dumpOf is a dump of threads, of which some have a hostile name of a function.
func dumpOf(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for n := range 6 {
		fmt.Fprintf(&b, "Thread %d (Thread 0x7f (LWP %d)):\n", n+1, 100+n)
		for depth, f := range []string{"work" + hostileName, fmt.Sprintf("step%d", n%3), "main"} {
			fmt.Fprintf(&b, "#%d  0x0000000000000001 in %s () at a.cc:%d\n", depth, strings.ReplaceAll(f, " ", "_"), depth)
		}
		b.WriteString("\n")
	}
	path := filepath.Join(t.TempDir(), "gdb.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wrote runs a verb, and gives what it said beside its answer.
func wrote(ctx context.Context, t *testing.T, args ...string) string {
	t.Helper()
	root := newRootCommand()
	var errs bytes.Buffer
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(&errs)
	if err := root.ExecuteContext(ctx); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, errs.String())
	}
	return errs.String()
}

// The pages that verbs write are opened as a reader does.
func TestPagesOfVerbsInBrowser(t *testing.T) {
	tools := pagetest.Find(t)
	capture, host, folder, nights, dump := slowCapture(t), hostileHost(t), loadTest(t), loadTests(t), dumpOf(t)
	const rates, times, cpu, utilisation = ": requests", ": response times", "CPU time", "Disk utilisation"
	for _, c := range []struct {
		name   string
		args   []string
		charts []string // that are drawn, by the ends of their names
		heat   int      // at least
		flames int
		words  []string
	}{
		{"diagnose a capture", []string{"diagnose", capture}, []string{rates, times}, 1, 0, []string{"The traffic over time", "Answers in 1 s"}},
		{"diagnose a recording", []string{"diagnose", host}, []string{cpu, utilisation, rates, times}, 1, 1, []string{"The host over time", "The traffic over time", "Answers in 2 s"}},
		{"replay", []string{"replay", host, "--at", ruletest.Start.Local().Format(clockLayout), "--for", "10s"}, []string{cpu, utilisation, rates, times}, 1, 0, []string{"The traffic over time"}},
		{"packets", []string{"packets", capture}, []string{rates, times}, 1, 0, []string{"The traffic over time", "Services"}},
		{"packets that fail", []string{"packets", failingCapture(t, 20, 30)}, []string{rates, times}, 1, 0, []string{"When", "The traffic over time"}},
		{"packets, filtered", []string{"packets", capture, "--filter", "rt_ms > 10.0"}, []string{rates, times}, 1, 0, []string{"no verdict on this page", "rtrail diagnose"}},
		{"bench report", []string{"bench", "report", folder}, []string{cpu, utilisation}, 0, 1, []string{"Curves", "The host in the step"}},
		{"bench compare", []string{"bench", "compare", nights}, nil, 0, 0, []string{"Curves", "point_select: TPS, median", "point_select: p99, median"}},
		{"bench history", []string{"bench", "history", nights}, nil, 0, 0, []string{"Curves", "point_select, 64 threads: p99", "by run"}},
		{"stacks", []string{"stacks", dump}, nil, 0, 2, []string{"Flame graphs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "page.html")
			wrote(t.Context(), t, append(c.args, "--html", path)...)
			if kept := os.Getenv("RTRAIL_KEEP_PAGES"); kept != "" { // to be looked at
				b, err := os.ReadFile(path)
				if err == nil {
					err = os.WriteFile(filepath.Join(kept, strings.ReplaceAll(c.name, " ", "-")+".html"), b, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			got := pagetest.Open(t, tools, path)
			got.Check(t)
			var names []string
			for _, d := range got.Drawn {
				names = append(names, d.Name)
			}
			for _, want := range c.charts {
				if !slices.ContainsFunc(names, func(s string) bool { return strings.HasSuffix(s, want) }) {
					t.Errorf("no chart %q among %q", want, names)
				}
			}
			if len(got.Heat) < c.heat || len(got.Print.Flames) != c.flames {
				t.Errorf("%d heatmaps, %q on paper", len(got.Heat), got.Print.Flames)
			}
			for _, want := range append(c.words, "<img") {
				if !strings.Contains(got.Text, want) {
					t.Errorf("%q is not on the page:\n%.3000s", want, got.Text)
				}
			}
		})
	}
}
