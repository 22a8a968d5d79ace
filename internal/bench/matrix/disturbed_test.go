package matrix

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/load"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// target is where the server of made hosts listens.
var target = netip.MustParseAddrPort("10.0.0.2:80")

// listens has processes share a listening socket.
func listens(h *ruletest.Host, port uint16, inode uint64, pids ...int32) *ruletest.Host {
	ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
		return recording.ListenerSample{At: at, NetNS: 1, Local: "10.0.0.2", Port: port, Inode: inode, Backlog: 128}
	})
	for _, pid := range pids {
		ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: inode, PID: pid})
	}
	return h
}

// loaded is a host of two CPUs with rtrail (4242), its generator wrk (50), and the server nginx: a
// master (10) with a worker (11).
func loaded(c ruletest.CPU, server, delay float64) *ruletest.Host {
	h := ruletest.New(2, 10).AllCPUs(c)
	h.Process(ruletest.Process{PID: 4242, Comm: "rtrail", CPU: 0.05})
	h.Process(ruletest.Process{PID: 50, PPID: 4242, Comm: "wrk", CPU: 0.3, RunDelay: delay})
	h.Process(ruletest.Process{PID: 10, PPID: 1, Comm: "nginx", CPU: 0})
	h.Process(ruletest.Process{PID: 11, PPID: 10, Comm: "nginx", CPU: server, RunDelay: delay})
	return listens(h, 80, 77, 10, 11)
}

func TestDisturbed(t *testing.T) {
	full, half := ruletest.CPU{User: 0.98}, ruletest.CPU{User: 0.5}
	busy := func(h *ruletest.Host, cpu float64, nice int32) *ruletest.Host {
		return h.Process(ruletest.Process{PID: 99, PPID: 1, Comm: "compile", CPU: cpu, Nice: nice})
	}
	for name, tt := range map[string]struct {
		host    *ruletest.Host
		remote  bool
		after   map[string]float64 // CPUs after the load, by name
		invalid string
		note    string
	}{
		"alone":            {host: loaded(full, 1.6, 0.1)},
		"a busy loop":      {host: busy(loaded(full, 0.6, 0.5), 1, 0), after: map[string]float64{"compile": 1}, invalid: "disturbed: compile (99) used 1.00 of 2 CPUs"},
		"several of one":   {host: busy(busy(loaded(full, 0.6, 0.5), 0.5, 0), 0.5, 0).Process(ruletest.Process{PID: 98, PPID: 1, Comm: "compile", CPU: 0.5}), after: map[string]float64{"compile": 1}, invalid: "compile ×2 used"},
		"a trifle":         {host: busy(loaded(full, 1.6, 0.1), 0.03, 0), after: map[string]float64{"compile": 0.03}},
		"worth a note":     {host: busy(loaded(full, 1.5, 0.1), 0.1, 0), after: map[string]float64{"compile": 0.1}, note: "off by up to 5"},
		"that yields":      {host: busy(loaded(full, 0.6, 0.5), 1, 19), after: map[string]float64{"compile": 1}},
		"stops with it":    {host: busy(loaded(full, 0.6, 0.5), 1, 0), note: "stopped with the load"},
		"CPUs left":        {host: busy(loaded(half, 0.1, 0.001), 0.5, 0), after: map[string]float64{"compile": 0.5}},
		"on the same CPU":  {host: busy(loaded(half, 0.3, 0.9), 0.5, 0), after: map[string]float64{"compile": 0.5}, invalid: "each transaction waited"},
		"of a child":       {host: loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 12, PPID: 11, Comm: "cgi", CPU: 1}), after: map[string]float64{"cgi": 1}},
		"of the kernel":    {host: loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 13, PPID: 2, Comm: "ksoftirqd/0", Kernel: true, CPU: 1}), after: map[string]float64{"ksoftirqd/0": 1}},
		"of the generator": {host: loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 51, PPID: 50, Comm: "helper", CPU: 1}), after: map[string]float64{"helper": 1}},
		"of the unit": {host: loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 20, PPID: 1, Comm: "app", CPU: 1, Cgroup: "/system.slice/web.service"}).
			Process(ruletest.Process{PID: 11, PPID: 10, Comm: "nginx", Cgroup: "/system.slice/web.service"}), after: map[string]float64{"app": 1}},
		"of a server that it asks": {host: ruletest.Every(listens(loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 30, PPID: 1, Comm: "mysqld", CPU: 1}), 3306, 78, 30), func(at time.Time, _ float64) recording.TCPSample {
			return recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.2", LocalPort: 40_000, Remote: "10.0.0.2", RemotePort: 3306, State: recording.TCPEstablished, Inode: 79}
		}), after: map[string]float64{"mysqld": 1}},
		"the server is elsewhere, and the generator waits":        {host: busy(loaded(full, 0, 0.9), 1.6, 0), remote: true, after: map[string]float64{"compile": 1.6}, invalid: "each transaction waited"},
		"the server is elsewhere, and the generator waits little": {host: busy(loaded(full, 0, 0.01), 1.6, 0), remote: true, after: map[string]float64{"compile": 1.6}},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "of a server") {
				ruletest.Add(tt.host, recording.SocketOwner{At: ruletest.Start, Inode: 79, PID: 11})
			}
			r := bench.NewRun()
			r.Threads, r.Load.TPS, r.Load.Mean = 4, 1000, 4
			v := tt.host.View()
			found := &verdict.Verdict{Findings: []verdict.Finding{{Finding: rule.Finding{Rule: "cpu/saturated", Confidence: rule.Certain}}}}
			servers := []netip.AddrPort{target}
			if tt.remote {
				servers = []netip.AddrPort{netip.MustParseAddrPort("10.0.0.9:80")}
			}
			disturbed(&r, v, found, sidesOf(v, servers), !tt.remote, func([]int32) load.Going { return load.Going{CPUs: tt.after} })
			invalid, notes := strings.Join(r.Invalid, "; "), strings.Join(r.Notes, "; ")
			if (invalid == "") != (tt.invalid == "") || !strings.Contains(invalid, tt.invalid) || (notes == "") != (tt.note == "") || !strings.Contains(notes, tt.note) {
				t.Errorf("invalid %q, want %q; notes %q, want %q", invalid, tt.invalid, notes, tt.note)
			}
			if (len(found.Findings) == 0) != (tt.invalid != "") {
				t.Errorf("cpu/saturated is still there: %v", len(found.Findings) > 0)
			}
		})
	}
}

// A finding whose culprit has no part in the load is not what limits it: where the server waits,
// the step is disturbed.
func TestDisturbedByCulprits(t *testing.T) {
	for name, tt := range map[string]struct {
		culprit int32
		victim  int32
		after   float64 // bytes per second
		invalid string
		note    string
		kept    bool
	}{
		"a backup, and the server waits":    {culprit: 99, victim: 11, after: 50 << 20, invalid: "disturbed by dd (99), which is neither the server nor the generator: vda is saturated"},
		"a backup, and nobody of them does": {culprit: 99, victim: 98, after: 50 << 20, note: "beside the load"},
		"it stops with the load":            {culprit: 99, victim: 11, note: "stopped with the load", kept: true},
		"the server itself":                 {culprit: 11, victim: 98, kept: true},
		"nobody is blamed":                  {victim: 11, kept: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := loaded(ruletest.CPU{User: 0.3}, 0.1, 0)
			h.Process(ruletest.Process{PID: 99, PPID: 1, Comm: "dd", CPU: 0.001, WriteBytes: 60 << 20})
			v := h.View()
			f := rule.Finding{Rule: "disk/saturated", Confidence: rule.Certain, Subject: view.DeviceEntity("vda"), Headline: rule.T("vda is saturated"), Victims: []rule.Victim{{Who: v.ProcessEntity(tt.victim, "x")}}}
			if tt.culprit != 0 {
				e := v.ProcessEntity(tt.culprit, "")
				f.Culprit = &e
			}
			found := &verdict.Verdict{Findings: []verdict.Finding{{Finding: f}}}
			r := bench.NewRun()
			r.Threads, r.Load.TPS, r.Load.Mean = 4, 1000, 4
			disturbed(&r, v, found, sidesOf(v, []netip.AddrPort{target}), true, func(movers []int32) load.Going {
				return load.Going{CPUs: map[string]float64{"dd": 1}, Bytes: map[int32]float64{99: tt.after}}
			})
			invalid, notes := strings.Join(r.Invalid, "; "), strings.Join(r.Notes, "; ")
			if (invalid == "") != (tt.invalid == "") || !strings.Contains(invalid, tt.invalid) || !strings.Contains(notes, tt.note) || (len(found.Findings) == 1) != tt.kept {
				t.Errorf("invalid %q, notes %q, %d findings kept", invalid, notes, len(found.Findings))
			}
		})
	}
}
