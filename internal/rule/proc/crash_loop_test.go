package proc

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// runs records processes of one command line that begin every so many seconds.
type runs struct {
	parent         int32  // who is told of the end
	maker, shims   int32  // if not 0, each is made by another process from this number on, and is told to another shim
	stay           bool   // these shims do not end
	asks           string // the command line of these clients; "": they run containers
	clients        int    // so many of the runs are of a container that a client makes, and ends after
	comm, cmdline  string
	times          int
	every, life    float64
	cpu            time.Duration
	status, signal int32
	lastly         int32 // status of the last run, if not 0
}

func (r runs) host(h *ruletest.Host) *ruletest.Host {
	for i := range r.times {
		begin := ruletest.Start.Add(time.Duration((0.5 + float64(i)*r.every) * 1e9))
		end := begin.Add(time.Duration(r.life * 1e9))
		pid := int32(1000 + i)
		status := r.status
		if i == r.times-1 && r.lastly != 0 {
			status = r.lastly - 1
		}
		e := recording.ProcessEvent{PID: pid, PPID: r.parent, Started: begin, Comm: r.comm, Lifetime: recording.Unknown, CPUTime: recording.Unknown, Status: recording.Unknown}
		fork, exec, exit := e, e, e
		fork.At, fork.Kind = begin, recording.ProcessForked
		exec.At, exec.Kind, exec.Cmdline = begin.Add(time.Millisecond), recording.ProcessExec, r.cmdline
		exit.At, exit.Kind, exit.Cmdline, exit.Lifetime, exit.CPUTime, exit.Status, exit.Signal = end, recording.ProcessExited, r.cmdline, end.Sub(begin), r.cpu, status, r.signal
		if r.signal != 0 {
			exit.Status = recording.Unknown
		}
		ended := func(at time.Time, pid int32, comm, cmdline string) recording.ProcessEvent {
			return recording.ProcessEvent{At: at, Kind: recording.ProcessExited, PID: pid, PPID: 1, Started: begin, Comm: comm, Cmdline: cmdline, Lifetime: at.Sub(begin)}
		}
		var others []recording.ProcessEvent
		if r.maker != 0 {
			fork.PPID = r.maker + int32(i)
			others = append(others, ended(begin.Add(time.Millisecond/2), fork.PPID, "runc:[1:CHILD]", ""))
		}
		if r.shims != 0 {
			exit.PPID = r.shims + int32(i)
			if r.stay {
				h.Process(ruletest.Process{PID: exit.PPID, Comm: "containerd-shim"})
			} else {
				others = append(others, ended(end.Add(time.Millisecond), exit.PPID, "containerd-shim", "/usr/bin/containerd-shim-runc-v2 -namespace moby"))
			}
		}
		if i < r.clients {
			client := ended(end.Add(2*time.Millisecond), 4000+int32(i), "docker", cmp.Or(r.asks, fmt.Sprintf("docker run --rm --name ci-%d shop-api", i)))
			client.PPID, client.Status = 50, status
			others = append(others, client)
		}
		ruletest.Add(h, fork, exec, exit)
		ruletest.Add(h, others...)
	}
	return h
}

func TestCrashLoop(t *testing.T) {
	usual := runs{parent: 1, comm: "shop-api", cmdline: "/usr/bin/shop-api --config /etc/shop.toml", times: 9, every: 1, life: 0.1, cpu: 40 * time.Millisecond, status: 1}
	host := func(change func(*runs)) func() *ruletest.Host {
		return func() *ruletest.Host {
			r := usual
			change(&r)
			h := ruletest.New(2, 10).Process(ruletest.Process{PID: 1, Comm: "systemd"}).Process(ruletest.Process{PID: 50, Comm: "bash"}).
				Process(ruletest.Process{PID: 60, Comm: "containerd-shim"})
			return r.host(h)
		}
	}
	situation := func(name string, want rule.Confidence, change func(*runs)) ruletest.Situation {
		return ruletest.Situation{Name: name, Host: host(change), Want: want, Kind: view.KindProcess, Subject: "shop-api", Low: 0.01, High: 1}
	}
	with := func(s ruletest.Situation, says, proof string, low, high float64) ruletest.Situation {
		s.Says, s.Proof, s.Low, s.High = says, proof, low, high
		return s
	}
	noted := func(s ruletest.Situation, note string) ruletest.Situation {
		s.Note = note
		return s
	}
	// mayBeCheck is a situation in which nobody may say how long a service was down.
	mayBeCheck := func(s ruletest.Situation) ruletest.Situation {
		return noted(with(s, "containerd-shim (60) starts shop-api again and again", "ended 9 times", 0, 0), "it may be a health check of a container")
	}
	const intended = "it may be intended"
	ruletest.Check(t, crashLoop, []ruletest.Situation{
		with(situation("a service that fails", rule.Likely, func(*runs) {}), "systemd (1) starts shop-api again and again: it ends at once with exit status 1", "ended 9 times", 0.85, 0.95),
		with(situation("a service that crashes", rule.Certain, func(r *runs) { r.signal = 11 }), "signal 11", "9 times with signal 11", 0.85, 0.95),
		situation("a shell tells of a crash", rule.Certain, func(r *runs) { r.parent, r.status = 50, 139 }),
		situation("a command that is not there", rule.Likely, func(r *runs) { r.parent, r.status, r.cpu = 50, 127, 0 }),
		situation("a loop in a shell", rule.Possible, func(r *runs) { r.parent = 50 }),
		situation("a check in a shell, whose status is the answer", 0, func(r *runs) { r.parent, r.cpu = 50, time.Millisecond }),
		situation("a service that is stopped again and again", 0, func(r *runs) { r.parent, r.signal = 50, 15 }),
		situation("what ends as it should", 0, func(r *runs) { r.status = 0 }),
		situation("a loop that ends in success", 0, func(r *runs) { r.lastly = 1 }),
		situation("three failures", 0, func(r *runs) { r.times = 3 }),
		situation("four failures", rule.Likely, func(r *runs) { r.times = 4 }),
		situation("a service that worked for a while", 0, func(r *runs) { r.times, r.every, r.life = 4, 2.3, 2.2 }),
		situation("one that takes its time to fail", rule.Likely, func(r *runs) { r.times, r.every, r.life = 4, 2.3, 1.9 }),
		with(situation("a container that is restarted, each time with a new shim", rule.Likely, func(r *runs) { r.maker, r.shims = 2000, 3000 }),
			"shop-api is started again and again in a container, under a new containerd-shim each time: it ends at once with exit status 1", "ended 9 times", 0.85, 0.95),
		noted(situation("a container that a loop runs by docker run", rule.Possible, func(r *runs) { r.maker, r.shims, r.clients = 2000, 3000, 9 }), intended),
		noted(situation("the last docker run ends after the window", rule.Possible, func(r *runs) { r.maker, r.shims, r.clients = 2000, 3000, 8 }), intended),
		situation("a container that is restarted, while somebody lists them", rule.Likely, func(r *runs) { r.maker, r.shims, r.clients, r.asks = 2000, 3000, 9, "docker ps -q" }),
		situation("a container that is restarted, while somebody runs others", rule.Likely, func(r *runs) { r.maker, r.shims, r.clients = 2000, 3000, 3 }),
		situation("a container that crashes, by docker run", rule.Certain, func(r *runs) { r.maker, r.shims, r.clients, r.signal = 2000, 3000, 9, 11 }),
		situation("a new container each time, without its program", rule.Likely, func(r *runs) { r.maker, r.shims, r.status = 2000, 3000, 127 }),
		situation("health checks of nine containers", 0, func(r *runs) { r.maker, r.shims, r.stay = 2000, 3000, true }),
		mayBeCheck(situation("a container that is restarted under one shim, or its health check", rule.Possible, func(r *runs) { r.parent, r.maker = 60, 2000 })),
		situation("a container that crashes under one shim", rule.Certain, func(r *runs) { r.parent, r.maker, r.signal = 60, 2000, 11 }),
		mayBeCheck(situation("a container without its program", rule.Likely, func(r *runs) { r.parent, r.maker, r.status = 60, 2000, 127 })),
		situation("health checks that take too long", 0, func(r *runs) { r.parent, r.maker, r.signal, r.cpu = 60, 2000, 9, time.Millisecond }),
		situation("children of brief scripts, which init takes over", 0, func(r *runs) { r.maker = 2000 }),
		situation("jobs side by side", 0, func(r *runs) { r.every, r.life = 0.1, 0.5 }),
	})
}

// What a container printed, its runtime tells, and a shim that is gone suffers from nothing.
func TestCrashLoopInContainer(t *testing.T) {
	usual := runs{parent: 1, comm: "shop-api", cmdline: "/usr/bin/shop-api", times: 9, every: 1, life: 0.1, cpu: 40 * time.Millisecond, status: 1}
	for _, tt := range []struct {
		name    string
		change  func(*runs)
		log     string // how the command that shows the log begins
		affects int
		last    string // how the last fix begins
	}{
		{"no container", func(*runs) {}, "journalctl -n 50 _COMM=shop-api", 1, "stop restarting it"},
		{"a new shim each time", func(r *runs) { r.maker, r.shims = 2000, 3000 }, "docker ps -a; docker logs --tail 50 NAME", 0, "stop restarting it"},
		{"a shim of Podman", func(r *runs) { r.parent, r.maker = 61, 2000 }, "podman ps -a; podman logs --tail 50 NAME", 1, "if it is a health check"},
		{"one shim", func(r *runs) { r.parent, r.maker = 60, 2000 }, "docker ps -a; docker logs --tail 50 NAME", 1, "if it is a health check"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := usual
			tt.change(&r)
			h := ruletest.New(2, 10).Process(ruletest.Process{PID: 1, Comm: "systemd"}).Process(ruletest.Process{PID: 60, Comm: "containerd-shim"}).
				Process(ruletest.Process{PID: 61, Comm: "conmon"})
			found := r.host(h).Detect(t, crashLoop)
			if len(found) != 1 {
				t.Fatalf("%d findings: %+v", len(found), found)
			}
			f := found[0]
			if log := f.Fixes[0].Command.String(); !strings.HasPrefix(log, tt.log) {
				t.Errorf("log: %s", log)
			}
			if len(f.Affects) != tt.affects {
				t.Errorf("affects %v", f.Affects)
			}
			if last := f.Fixes[len(f.Fixes)-1].Text.String(); !strings.HasPrefix(last, tt.last) {
				t.Errorf("last fix: %s", last)
			}
		})
	}
}

// Different jobs that fail are no loop.
func TestManyJobsFail(t *testing.T) {
	h := ruletest.New(2, 10).Process(ruletest.Process{PID: 1, Comm: "systemd"})
	for i := range 9 {
		r := runs{parent: 1, comm: "job", cmdline: fmt.Sprintf("job %d", i), times: 1, life: 0.1, status: 1}
		r.host(h)
	}
	if found := ruletest.Judge(t, h, crashLoop, 0); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}
