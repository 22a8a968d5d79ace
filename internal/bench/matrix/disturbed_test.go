package matrix

import (
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/load"
	"rtrail/internal/document"
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
	limited := func(h *ruletest.Host) *ruletest.Host { // and 32 more threads of the server wait for the next period
		h.Cgroup(ruletest.Cgroup{Path: "/docker/web", Quota: 20 * time.Millisecond, Periods: 10, Throttled: 9, ThrottledTime: 0.8})
		return h.Process(ruletest.Process{PID: 14, PPID: 10, Comm: "nginx", CPU: 0.2, RunDelay: 20, Cgroup: "/docker/web"})
	}
	full, half := ruletest.CPU{User: 0.98}, ruletest.CPU{User: 0.5}
	busy := func(h *ruletest.Host, cpu float64, nice int32) *ruletest.Host {
		return h.Process(ruletest.Process{PID: 99, PPID: 1, Comm: "compile", CPU: cpu, Nice: nice})
	}
	for name, tt := range map[string]struct {
		host    *ruletest.Host
		remote  bool
		after   map[string]float64 // CPUs after the load, by name
		fewest  int                // CPUs that one of the load may use
		change  func(r *bench.Run)
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
		"on the same CPU":  {host: busy(loaded(half, 0.3, 0.9), 0.5, 0), after: map[string]float64{"compile": 0.5}, note: "is not known"},
		"of a child":       {host: loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 12, PPID: 11, Comm: "cgi", CPU: 1}), after: map[string]float64{"cgi": 1}},
		"of the kernel":    {host: loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 13, PPID: 2, Comm: "ksoftirqd/0", Kernel: true, CPU: 1}), after: map[string]float64{"ksoftirqd/0": 1}},
		"of the generator": {host: loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 51, PPID: 50, Comm: "helper", CPU: 1}), after: map[string]float64{"helper": 1}},
		"of the unit": {host: loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 20, PPID: 1, Comm: "app", CPU: 1, Cgroup: "/system.slice/web.service"}).
			Process(ruletest.Process{PID: 11, PPID: 10, Comm: "nginx", Cgroup: "/system.slice/web.service"}), after: map[string]float64{"app": 1}},
		"of a server that it asks": {host: ruletest.Every(listens(loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 30, PPID: 1, Comm: "mysqld", CPU: 1}), 3306, 78, 30), func(at time.Time, _ float64) recording.TCPSample {
			return recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.2", LocalPort: 40_000, Remote: "10.0.0.2", RemotePort: 3306, State: recording.TCPEstablished, Inode: 79}
		}), after: map[string]float64{"mysqld": 1}},
		"bound to a CPU":         {host: busy(loaded(full, 0.6, 0.5), 1, 0), after: map[string]float64{"compile": 1}, fewest: 1, note: "off by that is not known"},
		"stopped for its quota":  {host: limited(busy(loaded(half, 0.1, 0.001), 0.5, 0)), after: map[string]float64{"compile": 0.5}},
		"quota, on a full host":  {host: limited(busy(loaded(full, 0.6, 0.5), 1, 0)), after: map[string]float64{"compile": 1}, note: "off by that is not known"},
		"nobody waits":           {host: busy(loaded(full, 0.1, 0.005), 1.7, 0), after: map[string]float64{"compile": 1.7}},
		"waits a little":         {host: busy(loaded(full, 0.1, 0.1), 1.7, 0), after: map[string]float64{"compile": 1.7}, note: "off by up to 5"},
		"a rate that it had":     {host: busy(loaded(full, 0.6, 0.1), 1, 0), after: map[string]float64{"compile": 1}, change: func(r *bench.Run) { r.Rate = 1000 }},
		"one idle, another busy": {host: busy(loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 97, PPID: 1, Comm: "compile"}), 1, 0), after: map[string]float64{"compile": 1}, invalid: "compile (99) used"},
		"a command without a mean": {host: busy(loaded(half, 0.3, 0.9), 0.5, 0), after: map[string]float64{"compile": 0.5}, change: func(r *bench.Run) {
			r.Threads, r.Load.Mean = 1, document.Number(math.NaN())
		}},
		"one without a mean, on a full host": {host: busy(loaded(full, 0.6, 0.5), 1, 0), after: map[string]float64{"compile": 1}, note: "is not known", change: func(r *bench.Run) {
			r.Threads, r.Load.Mean = 1, document.Number(math.NaN())
		}},
		"ended by itself": {host: loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 99, PPID: 1, Comm: "compile", CPU: 1, To: 6}), invalid: "compile (99) used"},
		"one of a pool":   {host: loaded(full, 0.6, 0.5).Process(ruletest.Process{PID: 99, PPID: 1, Comm: "compile", CPU: 1, To: 6}).Process(ruletest.Process{PID: 98, PPID: 1, Comm: "compile"}), note: "stopped with the load"},
		"the server is elsewhere, and the generator waits":        {host: busy(loaded(full, 0, 0.9), 1.6, 0), remote: true, after: map[string]float64{"compile": 1.6}, invalid: "each transaction waited"},
		"the server is elsewhere, and the generator waits little": {host: busy(loaded(full, 0, 0.01), 1.6, 0), remote: true, after: map[string]float64{"compile": 1.6}},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "of a server") {
				ruletest.Add(tt.host, recording.SocketOwner{At: ruletest.Start, Inode: 79, PID: 11})
			}
			r := bench.NewRun()
			r.Threads, r.Load.TPS, r.Load.Mean = 4, 1000, 4
			r.Ended = ruletest.Start.Add(10 * time.Second)
			if tt.change != nil {
				tt.change(&r)
			}
			v := tt.host.View()
			found := &verdict.Verdict{Findings: []verdict.Finding{{Finding: rule.Finding{Rule: "cpu/saturated", Confidence: rule.Certain}}}}
			servers := []netip.AddrPort{target}
			if tt.remote {
				servers = []netip.AddrPort{netip.MustParseAddrPort("10.0.0.9:80")}
			}
			disturbed(&r, v, found, sidesOf(v, servers), !tt.remote, "10.0.0.2:80", func([]int32, map[int32]bool) load.Going { return load.Going{CPUs: tt.after, Fewest: tt.fewest} })
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
		to      float64 // second in which dd ends
	}{
		"a backup, and the server waits":    {culprit: 99, victim: 11, after: 50 << 20, invalid: "disturbed by dd (99), no part of the server or the generator: vda is saturated"},
		"a backup, and nobody of them does": {culprit: 99, victim: 98, after: 50 << 20, note: "beside the load"},
		"it stops with the load":            {culprit: 99, victim: 11, note: "stopped with the load", kept: true},
		"it had ended long before":          {culprit: 99, victim: 11, to: 6, invalid: "disturbed by dd (99)"},
		"it ended with the load":            {culprit: 99, victim: 11, to: 9, note: "stopped with the load", kept: true},
		"the server itself":                 {culprit: 11, victim: 98, kept: true},
		"nobody is blamed":                  {victim: 11, kept: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := loaded(ruletest.CPU{User: 0.3}, 0.1, 0)
			h.Process(ruletest.Process{PID: 99, PPID: 1, Comm: "dd", CPU: 0.001, WriteBytes: 60 << 20, To: tt.to})
			v := h.View()
			f := rule.Finding{Rule: "disk/saturated", Confidence: rule.Certain, Subject: view.DeviceEntity("vda"), Headline: rule.T("vda is saturated"), Victims: []rule.Victim{{Who: v.ProcessEntity(tt.victim, "x")}}}
			if tt.culprit != 0 {
				e := v.ProcessEntity(tt.culprit, "")
				f.Culprit = &e
			}
			found := &verdict.Verdict{Findings: []verdict.Finding{{Finding: f}}}
			r := bench.NewRun()
			r.Threads, r.Load.TPS, r.Load.Mean = 4, 1000, 4
			r.Ended = ruletest.Start.Add(10 * time.Second)
			disturbed(&r, v, found, sidesOf(v, []netip.AddrPort{target}), true, "10.0.0.2:80", func([]int32, map[int32]bool) load.Going {
				return load.Going{CPUs: map[string]float64{"dd": 1}, Bytes: map[int32]float64{99: tt.after}}
			})
			invalid, notes := strings.Join(r.Invalid, "; "), strings.Join(r.Notes, "; ")
			if (invalid == "") != (tt.invalid == "") || !strings.Contains(invalid, tt.invalid) || !strings.Contains(notes, tt.note) || (len(found.Findings) == 1) != tt.kept {
				t.Errorf("invalid %q, notes %q, %d findings kept", invalid, notes, len(found.Findings))
			}
		})
	}
}

// Where it is not known who serves the target, nobody is said to disturb it.
func TestWhoServes(t *testing.T) {
	owned := func(h *ruletest.Host, inode uint64, pid int32) {
		ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: inode, PID: pid})
	}
	listener := func(h *ruletest.Host, ns uint64, local string, port uint16, inode uint64) {
		ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
			return recording.ListenerSample{At: at, NetNS: ns, Local: local, Port: port, Inode: inode, Backlog: 128}
		})
	}
	proxy := func(h *ruletest.Host) {
		listener(h, 1, "10.0.0.2", 80, 77)
		owned(h, 77, 40)
		h.Process(ruletest.Process{PID: 40, PPID: 1, Comm: "docker-proxy", Cgroup: "/system.slice/docker.service",
			Cmdline: "/usr/bin/docker-proxy -proto tcp -host-ip 0.0.0.0 -host-port 80 -container-ip 172.17.0.2 -container-port 8080 -use-listen-fd"})
		h.Process(ruletest.Process{PID: 41, PPID: 1, Comm: "dockerd", Cgroup: "/system.slice/docker.service"})
	}
	for name, tt := range map[string]struct {
		host   func(h *ruletest.Host)
		of     []int32 // they serve it
		not    []int32
		served bool
	}{
		"owners are not readable": {host: func(h *ruletest.Host) { listener(h, 1, "10.0.0.2", 80, 77) }, not: []int32{99}},
		"nobody listens":          {host: func(*ruletest.Host) {}, not: []int32{99}},
		"as PID 1": {host: func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 1, Comm: "mysqld"})
			listener(h, 1, "10.0.0.2", 80, 77)
			owned(h, 77, 1)
		}, of: []int32{1}, served: true},
		"a socket of a user's systemd": {host: func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 60, PPID: 1, Comm: "systemd"}).Process(ruletest.Process{PID: 61, PPID: 60, Comm: "app"}).Process(ruletest.Process{PID: 62, PPID: 60, Comm: "editor"})
			listener(h, 1, "10.0.0.2", 80, 77)
			owned(h, 77, 60)
			owned(h, 77, 61)
		}, of: []int32{61}, not: []int32{60, 62, 99}, served: true},
		"only the proxy of docker is seen": {host: proxy, of: []int32{40}, not: []int32{41, 99}},
		"a published port": {host: func(h *ruletest.Host) {
			proxy(h)
			listener(h, 2, "0.0.0.0", 8080, 78)
			owned(h, 78, 99)
			ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample {
				return recording.TCPSample{At: at, NetNS: 2, Local: "172.17.0.2", LocalPort: 8080, Remote: "172.17.0.1", RemotePort: 40_000, State: recording.TCPEstablished}
			})
		}, of: []int32{40, 99}, not: []int32{41}, served: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.98})
			h.Process(ruletest.Process{PID: 4242, Comm: "rtrail", CPU: 0.2, RunDelay: 1}).Process(ruletest.Process{PID: 99, PPID: 70, Comm: "mysqld", CPU: 1.6, WriteBytes: 60 << 20})
			tt.host(h)
			v := h.View()
			s := sidesOf(v, []netip.AddrPort{target})
			if s.served != tt.served {
				t.Errorf("served: %v", s.served)
			}
			for _, pid := range tt.of {
				if !s.of[pid] {
					t.Errorf("%d is not of the load", pid)
				}
			}
			for _, pid := range tt.not {
				if s.of[pid] {
					t.Errorf("%d is of the load", pid)
				}
			}
			culprit := v.ProcessEntity(99, "")
			found := &verdict.Verdict{Findings: []verdict.Finding{{Finding: rule.Finding{Rule: "disk/saturated", Confidence: rule.Certain, AffectsAll: true, Headline: rule.T("vda is saturated"), Culprit: &culprit}}, {Finding: rule.Finding{Rule: "cpu/saturated", Confidence: rule.Certain}}}}
			r := bench.NewRun()
			r.Threads, r.Load.TPS, r.Load.Mean = 4, 1000, 4
			disturbed(&r, v, found, s, true, "10.0.0.2:80", func([]int32, map[int32]bool) load.Going {
				return load.Going{CPUs: map[string]float64{"mysqld": 1.6}, Bytes: map[int32]float64{99: 60 << 20}}
			})
			if notes := strings.Join(r.Notes, "; "); !tt.served && (len(r.Invalid) > 0 || len(found.Findings) != 2 || !strings.Contains(notes, "which process serves 10.0.0.2:80 is not known: ")) {
				t.Errorf("invalid %q, notes %q, %d findings", r.Invalid, notes, len(found.Findings))
			}
			if tt.served {
				return
			}
			h.Manifest(func(m *recording.Manifest) { m.Host.Root = false })
			r = bench.NewRun()
			r.Threads, r.Load.TPS, r.Load.Mean = 4, 1000, 4
			disturbed(&r, h.View(), found, s, true, "10.0.0.2:80", func([]int32, map[int32]bool) load.Going { return load.Going{} })
			if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, "is not known (root sees it): ") {
				t.Errorf("without root: notes %q", notes)
			}
		})
	}
}
