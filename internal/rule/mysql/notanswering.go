package mysql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var notAnswering = rule.Rule{
	ID:         "mysql/not-answering",
	Title:      "the server does not answer at all",
	Plural:     "servers do not answer at all",
	Resource:   "answers of MySQL",
	Needs:      []recording.Table{recording.MySQLServers},
	Explains:   []string{"net/accept-queue-full", "proc/uninterruptible", "rt/server-slow", "rt/slow-connections", "rt/worker-queueing", "rt/connect-slow", "rt/errors", "rt/path-slow"},
	Refutes:    []string{"answers", "response times"},
	Thresholds: []*rule.Threshold{&silentAtLeast, &silentShare},
	Detect:     detectNotAnswering,
}

func detectNotAnswering(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	var denied, doubt *rule.NotJudged
	for _, s := range v.MySQLServers() {
		if s.State == recording.ServerDenied {
			denied = &rule.NotJudged{Needs: "a login on mysql " + s.Server, Why: s.Error, How: shell.Say("give a user with access: --mysql USER@HOST:PORT, with the password in ~/.my.cnf")}
		}
		if s.State == recording.ServerMisnamed {
			denied = misnamed(s)
		}
		x := silenceOf(v, s)
		if x.proven() {
			x.explain()
			found = append(found, x.finding())
		} else if doubt == nil {
			doubt = x.doubt()
		}
	}
	if doubt != nil {
		return found, doubt
	}
	if len(found) == 0 && denied != nil {
		return nil, denied
	}
	return found, nil
}

// explain finds out which state the server is in.
func (x *silence) explain() {
	x.sure = rule.Likely
	p, here := process(x.v, x.s)
	switch {
	case x.restarted():
	case here && x.ended(p), here && x.stopped(p), here && x.frozen(p):
	case x.last.State == recording.ServerUnreachable:
		x.unreachable()
		if !x.lasted() {
			x.sure = min(x.sure, rule.Likely) // the first seconds of a restart look the same
		}
	case x.last.State == recording.ServerGone:
		x.why = "it closed the connection"
		x.fixes = append(x.fixes, rule.Fix{Text: rule.T("read its error log: it shows a crash, a shutdown or a kill"), Command: ask(x.s, shell.SQL("select @@log_error")), Tradeoff: "none"})
	default:
		x.unexplained(p, here)
	}
	if x.last.State != recording.ServerUnreachable && !x.mysql(p, here) {
		x.sure = rule.Possible
	}
}

// mysql says that it is a MySQL server that is silent: by its name, or because
// it answered before. Something else may well wait for its clients to speak.
func (x *silence) mysql(p view.Process, here bool) bool {
	return here && (p.Comm == "mariadbd" || strings.HasPrefix(p.Comm, "mysqld")) || slices.ContainsFunc(x.s.Looks, func(l recording.MySQLServer) bool { return l.Flavor != "" })
}

// restarted: a server that answers again and has not run for long.
func (x *silence) restarted() bool {
	before, after, ok := x.restart()
	if !ok || !x.back {
		return false
	}
	x.sure = rule.Certain
	x.why = "it was restarted"
	x.proof = append(x.proof, rule.Evidence{Metric: metric.MySQLUptime, Value: after.Uptime.Seconds(),
		What: rule.T("it had been up for %s at %s, and for %s at %s", unit.Duration(before.Uptime), unit.Clock(before.At), unit.Duration(after.Uptime), unit.Clock(after.At)), Check: status(x.s, "Uptime")})
	x.fixes = append(x.fixes, rule.Fix{Text: rule.T("if it was not stopped on purpose, read its error log: it shows a crash or a kill"), Command: ask(x.s, shell.SQL("select @@log_error")), Tradeoff: "none"})
	return true
}

// stopped: by a signal or by a debugger, while an answer was due.
func (x *silence) stopped(p view.Process) bool {
	state, n := x.halted(p)
	if n == 0 {
		return false
	}
	x.sure = rule.Certain
	x.long = max(x.long, x.late)
	x.why = "it is stopped (process state T)"
	by := "by SIGSTOP or SIGTSTP"
	if state == "t" {
		x.why, by = "a debugger has stopped it (process state t)", "by a debugger or strace"
	}
	fix := rule.Fix{Text: rule.T("resume it, and find out who stopped it"), Command: shell.Line("kill -CONT %d", p.PID), Tradeoff: "none; if a debugger holds it, detach that"}
	if x.back {
		x.why = strings.NewReplacer("it is stopped", "it was stopped", "has stopped", "had stopped").Replace(x.why)
		fix = rule.Fix{Text: rule.T("find out who stopped it: a person at a terminal, or a tool that takes stacks"), Command: shell.Line("ausearch -sc kill -sc ptrace"), Tradeoff: "none; it shows only what the host's audit rules record"}
	}
	x.proof = append(x.proof, rule.Evidence{Metric: metric.MySQLProcessState, Value: float64(n),
		What: rule.T("%s (%d) was in state %s at %d of %d readings: stopped %s", p.Comm, p.PID, state, n, len(p.Samples), by), Check: shell.Line("ps -o pid,stat,wchan:30,comm -p %d", p.PID)})
	x.fixes = append(x.fixes, fix)
	return true
}

// frozen: by its control group, or asleep in the kernel for good.
func (x *silence) frozen(p view.Process) bool {
	for _, b := range x.v.Blocked() {
		if b.PID != p.PID || b.Share() < silentShare.Value {
			continue
		}
		where := cmp.Or(b.Where, "an unknown place in the kernel")
		x.sure = rule.Likely
		x.why = fmt.Sprintf("thread %d hangs in uninterruptible sleep, in %s", b.TID, where)
		if b.Where == "__refrigerator" || b.Where == "do_freezer_trap" {
			x.why, x.sure = "its control group is frozen", rule.Certain
		}
		x.proof = append(x.proof, rule.Evidence{Metric: metric.MySQLStuckThread, Value: b.Share(),
			What: rule.T("thread %d of %s (%d) in state D at %d of %d readings, in %s", b.TID, p.Comm, p.PID, b.InD, b.Readings, where), Check: shell.Line("cat /proc/%d/task/%d/stack", p.PID, b.TID)})
		x.fixes = append(x.fixes, rule.Fix{Text: rule.T("fix what it waits for: a disk, a frozen filesystem, a frozen control group"), Command: shell.Line("cat /proc/%d/task/*/stack; cat /proc/%d/cgroup", p.PID, p.PID), Tradeoff: "none"})
		return true
	}
	return false
}

// ended: its process is there no more.
func (x *silence) ended(p view.Process) bool {
	if !p.Gone {
		return false
	}
	x.sure = rule.Certain
	x.why = fmt.Sprintf("its process (%d) ended in the window", p.PID)
	x.proof = append(x.proof, rule.Evidence{Metric: metric.MySQLProcessState, Value: 0,
		What: rule.T("%s (%d) was last seen at %s", p.Comm, p.PID, unit.Clock(p.Samples[len(p.Samples)-1].At())), Check: shell.Line("ps -p %d; dmesg | grep -i -e oom -e segfault", p.PID)})
	x.fixes = append(x.fixes, rule.Fix{Text: rule.T("read its error log and the kernel's: crash, shutdown or kill"), Command: logs, Tradeoff: "none"})
	if q, ok := x.successor(p); ok {
		x.why += fmt.Sprintf(", and %s (%d), started since, does not answer yet", q.Comm, q.PID)
	}
	return true
}

// logs is a command line that shows why a server of this host ended.
var logs = shell.Line("journalctl -u mariadb -u mysql -n 50; dmesg | tail")

// unreachable: no connection came about.
func (x *silence) unreachable() {
	for _, r := range refusals {
		if strings.Contains(x.last.Error, r.says) {
			x.sure = rule.Certain
			if r.absent && x.s.Answered() {
				x.why = "nothing listens there any more"
				if x.back {
					x.why = "nothing listened there meanwhile"
				}
				x.fixes = append(x.fixes, rule.Fix{Text: rule.T("read its error log and the kernel's: crash, shutdown or kill"), Command: logs, Tradeoff: "none"})
				return
			}
			x.why = r.means
			x.fixes = append(x.fixes, rule.Fix{Text: rule.T(r.fix), Command: r.look(x.s.Port), Tradeoff: "none"})
			return
		}
	}
	host, port, tcp := address(x.s)
	if !tcp {
		x.why = "no connection can be made"
		x.fixes = append(x.fixes, rule.Fix{Text: rule.T("see whether the server runs and listens"), Command: shell.Line("systemctl status mariadb mysql"), Tradeoff: "none"})
		return
	}
	x.why = "no packet comes back"
	if c, ok := x.ownSocket(host, port); ok {
		x.sure = rule.Certain
		x.why = "SYNs are not answered: they or the answers are lost on the way"
		x.proof = append(x.proof, rule.Evidence{Metric: metric.MySQLSYNUnanswered, Value: float64(c.Retransmits), Limit: rule.Limit(0),
			What:  rule.T("a socket of this host to %s is in SYN_SENT, %d SYNs sent again without an answer", x.s.Server, c.Retransmits),
			Check: shell.Line("ss -tno state syn-sent 'dport = :%d'", port)})
	}
	x.fixes = append(x.fixes, rule.Fix{
		Text:     rule.T("find where they are lost: see whether they arrive at the server's host, then firewalls and routes there and between"),
		Command:  shell.Line("tcpdump -ni any 'tcp port %d and tcp[tcpflags] & tcp-syn != 0'   # here and at the server", port),
		Tradeoff: "none",
	})
}

// refusal is an error of a connection that was refused at once.
type refusal struct {
	says, means, fix string
	look             func(port int32) shell.Command
	absent           bool // nothing listens there
}

// refusals are what kernels and resolvers say at once when no connection is
// possible (errno(3)), and what that means.
var refusals = []refusal{
	{"no such file", "its socket does not exist: it does not run, or uses another one", "start it, or give the socket it uses", look(shell.Line("ss -xl | grep -i mysql; systemctl status mariadb mysql")), true},
	{"refused", "nothing listens there: the host refuses the connection", "start it, or give the address it listens on (bind-address, port)", listener, true},
	{"reset by peer", "the connection is reset before it is established", "see what is in front of it: a proxy, or a firewall that rejects", listener, false},
	{"no such host", "its name is not known", "fix the name or the resolver, or give its address", look(shell.Line("getent hosts NAME")), false},
	{"no route to host", "its host does not answer on its own network, or a router or firewall reports it as unreachable", "see whether its host is up", look(shell.Line("ip neigh; ip route get ADDRESS")), false},
	{"network is unreachable", "this host has no route to it", "add a route", look(shell.Line("ip route get ADDRESS")), false},
}

func look(c shell.Command) func(int32) shell.Command {
	return func(int32) shell.Command { return c }
}

func listener(port int32) shell.Command { return shell.Line("ss -ltnp 'sport = :%d'", port) }

// ownSocket is a socket of this host to the server whose SYNs or data are
// repeated without an answer.
func (x *silence) ownSocket(host string, port uint16) (worst recording.TCPSample, ok bool) {
	for _, c := range x.v.Connections() {
		if c.Remote != host || c.RemotePort != port {
			continue
		}
		for _, x := range c.Samples {
			r := x.Row()
			unanswered := r.State == recording.TCPSynSent || r.State == recording.TCPEstablished && r.Backoff >= 1
			if unanswered && r.Retransmits >= max(worst.Retransmits, 1) {
				worst, ok = r, true
			}
		}
	}
	return worst, ok
}

// unexplained: it takes connections, or the kernel does for it, and says nothing.
func (x *silence) unexplained(p view.Process, here bool) {
	x.why = "it accepts connections and does not answer"
	if host, port, tcp := address(x.s); tcp {
		if c, ok := x.ownSocket(host, port); ok && c.State == recording.TCPEstablished {
			x.sure = rule.Certain
			x.why = "data sent to it is not even acknowledged: its host is down or unreachable"
			x.proof = append(x.proof, rule.Evidence{Metric: metric.MySQLSYNUnanswered, Value: float64(c.Retransmits), Limit: rule.Limit(0),
				What:  rule.T("a segment to %s was sent again %d times in a row without an acknowledgement", x.s.Server, c.Retransmits),
				Check: shell.Line("ss -tnoi 'dport = :%d'   # retrans, backoff", port)})
			x.fixes = append(x.fixes, rule.Fix{Text: rule.T("ping its host, and find where packets are lost"), Command: shell.Line("ping %s; mtr %s", shell.Address(host), shell.Address(host)), Tradeoff: "none"})
			return
		}
	}
	if here {
		doing := rule.T("%s (%d) runs (state %s) on %s CPUs", p.Comm, p.PID, p.State, unit.Number(view.OrZero(p.CPU)))
		for _, t := range x.v.ProcessTimes() {
			if t.Process.PID == p.PID {
				doing = rule.T("%s (%d) runs on %s CPUs; its %d active threads: %s on CPU, %s runnable, %s in disk waits, %s in futex waits", p.Comm, p.PID, unit.Number(view.OrZero(p.CPU)),
					t.Threads, unit.Share(t.Share[view.OnCPU]), unit.Share(t.Share[view.Runnable]), unit.Share(t.Share[view.WaitDisk]), unit.Share(t.Share[view.WaitLock]))
			}
		}
		x.proof = append(x.proof, rule.Evidence{Metric: metric.ProcessCPU, Value: view.OrZero(p.CPU), What: doing, Check: shell.Line("pidstat -t -u -d -w -p %d 1", p.PID)})
		x.fixes = append(x.fixes, rule.Fix{Text: rule.T("see what its threads wait for before it is restarted"), Command: shell.Line("gdb -p %d -batch -ex 'thread apply all bt' > stacks; rtrail stacks stacks", p.PID), Tradeoff: "gdb stops it for some seconds more"})
	}
	x.fixes = append(x.fixes, rule.Fix{
		Text:     rule.T("try a port with its own threads: extra_port (MariaDB) or admin_port (MySQL); with a thread pool all groups may be busy"),
		Command:  shell.Line("mysql -h HOST -P EXTRA_PORT %s -e 'show full processlist'", asUser(x.s)),
		Tradeoff: "none",
	})
}

func (x *silence) finding() rule.Finding {
	f := rule.Finding{Subject: x.s.Entity(), Confidence: x.sure, Affects: []view.Entity{listenerOf(x.v, x.s)}}
	if p, ok := process(x.v, x.s); ok {
		f.Subject = p.Entity()
	}
	name := f.Subject.String()
	if x.back {
		f.Headline = rule.T("%s did not answer for %s: %s", name, unit.Duration(x.long), x.why)
	} else {
		f.Headline = rule.T("%s does not answer: %s", name, x.why)
	}
	window := max(x.v.Seconds(), 1)
	share := min(x.long.Seconds()/window, 1)
	f.Impact = rule.Impact{Share: share, Text: rule.T("no answer for %s of %s", unit.Duration(min(x.long, time.Duration(window*float64(time.Second)))), unit.Seconds(window))}
	if n := x.silentLooks(); !x.back && x.long < apart {
		// Nobody looked when it fell silent: the looks tell more than the clock.
		f.Impact = rule.Impact{Share: float64(n) / float64(len(x.s.Looks)), Text: rule.T("no answer to %d of %d looks, including the last one", n, len(x.s.Looks))}
	}
	f.Evidence = append([]rule.Evidence{x.asked()}, x.proof...)
	f.Fixes = x.fixes
	return f
}

// asked is what rtrail itself met.
func (x *silence) asked() rule.Evidence {
	check := shell.Line("time %s", ask(x.s, shell.SQL("select 1")))
	n := x.silentLooks()
	if n == 0 {
		return rule.Evidence{Metric: metric.MySQLAnswerTime, Value: x.late.Seconds(), Limit: rule.Limit(apart.Seconds()),
			What: rule.T("rtrail waited %s for the answers of %s in one of %d looks", unit.Duration(x.late), x.s.Server, len(x.s.Looks)), Check: check}
	}
	waited := ""
	if i := slices.IndexFunc(x.s.Looks, func(l recording.MySQLServer) bool { return l.Waited > 0 }); i >= 0 {
		longest := time.Duration(0)
		for _, l := range x.s.Looks {
			longest = max(longest, l.Waited)
		}
		waited = fmt.Sprintf(", waited %s", unit.Duration(longest))
	}
	return rule.Evidence{Metric: metric.MySQLAnswer, Value: float64(n), Limit: rule.Limit(0),
		What: rule.T("%d of %d looks at %s without an answer%s: %s", n, len(x.s.Looks), x.s.Server, waited, cmp.Or(x.last.Error, x.last.State)), Check: check}
}
