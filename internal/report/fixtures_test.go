package report_test

import (
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/refusal"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// Times are shown in the zone of the machine; tests have one.
func init() { time.Local = time.UTC }

var (
	start = time.Date(2026, 3, 1, 14, 2, 10, 0, time.UTC)
	db1   = recording.Host{Name: "db1", Kernel: "6.1.0", Arch: "amd64", OS: "Debian GNU/Linux 12", CPUs: 2,
		MemoryBytes: 23 << 30, Boot: start.Add(-240 * time.Hour), CgroupVersion: "v2", Root: true}
	busy = verdict.Vitals{CPU: 0.07, Load: 0.9, MemoryFree: 0.62, Disk: 0.35, NetworkBytes: 1.2e6, MySQL: []verdict.MySQLVitals{
		{Server: "mysqld", Connected: 963, Statements: 4211.5}, {Server: "mysql 10.0.0.9:3306", Connected: 12, Statements: view.Unknown}}}
	unread = verdict.Vitals{CPU: view.Unknown, Load: view.Unknown, MemoryFree: view.Unknown, Disk: view.Unknown, NetworkBytes: view.Unknown}
	window = verdict.Window{Start: start, End: start.Add(10 * time.Second)}
)

type testCase struct {
	name    string
	verdict verdict.Verdict
}

// cited is a metric that keeps its ID and unit here, whatever the registry says.
func cited(id, unit string) *metric.Metric {
	m := metric.Metric{ID: id, Unit: unit}
	if have, ok := metric.Find(id); ok {
		m.Source = have.Source
	}
	return &m
}

// cases are the kinds of answers there are.
func cases() []testCase {
	accept := rule.Finding{
		Rule:       "net/accept-queue-full",
		Subject:    view.Entity{Kind: view.KindListener, Name: "nginx", PID: 812, Port: 80, Detail: "nginx: master process /usr/sbin/nginx"},
		Confidence: rule.Certain,
		Impact:     rule.Impact{Share: 0.31, Text: rule.T("%v of connects", unit.Share(0.31))},
		Headline:   rule.T("%s on :%d turns connections away: its accept queue is full", "nginx", 80),
		Evidence: []rule.Evidence{
			{Metric: cited("tcp.accept-queue", "connections"), What: rule.T("queue %v of %v in %d of %d samples", unit.Count(11), unit.Count(10), 9, 10),
				Value: 11, Limit: rule.Limit(10), Check: shell.Line("ss -ltn 'sport = :80'")},
			{Metric: cited("tcp.listen-overflows", "events"), What: rule.T("ListenOverflows +%v in %v", unit.Count(5379), unit.Seconds(10)),
				Value: 5379, Check: shell.Line("nstat -az TcpExtListenOverflows"), Counters: true},
			{Metric: cited("sysctl.somaxconn", "connections"), What: rule.T("limit %v = min(backlog %v asked by %s, somaxconn %v)", unit.Count(10), unit.Count(10), "nginx", unit.Count(4096)),
				Value: 10, Limit: rule.Limit(10), Check: shell.Line("sysctl net.core.somaxconn")},
		},
		Fixes: []rule.Fix{{Text: rule.T("listen 80 backlog=4096;  then reload nginx"), Command: shell.Line("nginx -s reload"), Tradeoff: "memory per queued connection"}},
		Notes: []rule.Text{rule.T("connects of %v (SYN retransmissions, %v)", unit.Seconds(1), unit.Count(214))},
	}
	evil := rule.Finding{
		Rule:       "cpu/saturated",
		Subject:    view.Entity{Kind: view.KindProcess, Name: "evil\x1b]0;owned\x07", PID: 4711, Detail: "evil --title \x1b[2J\u202e 数据库服务器", Cgroup: "/system.slice/evil.service"},
		Confidence: rule.Likely,
		Impact:     rule.Impact{TimeLost: 2.1, Text: rule.T("%v waited per second", unit.Seconds(2.1))},
		Culprit:    &view.Entity{Kind: view.KindProcess, Name: "evil-child", PID: 4712},
		Victims: []rule.Victim{
			{Who: view.Entity{Kind: view.KindProcess, Name: "mysqld", PID: 812}, Seconds: 1.4, Lost: rule.T("waits for a CPU %v per second", unit.Seconds(1.4))},
			{Who: view.Entity{Kind: view.KindProcess, Name: "vi\x1b[2Jctim", PID: 813}, Lost: rule.T("answers late")},
			{Who: view.Entity{Kind: view.KindProcess, Name: "a", PID: 1}, Lost: rule.T("waits")}, {Who: view.Entity{Kind: view.KindProcess, Name: "b", PID: 2}, Lost: rule.T("waits")},
		},
		Headline: rule.T("the CPUs are full: %s takes %v of them and everybody queues for the rest, which is the longest headline of this test", "evil\x1b]0;owned\x07", unit.Share(0.94)),
		Evidence: []rule.Evidence{
			{Metric: cited("cpu.run-delay", "seconds per second"), What: rule.T("数据库服务器 waited %v for a CPU in every second of the window", unit.Seconds(1.4)),
				Value: 1.4, Check: shell.Line("awk '{print $2}' /proc/4711/schedstat"), Lossy: true, Counters: true},
		},
		Fixes: []rule.Fix{{Text: rule.T("give it less: lower its priority"), Command: shell.Line("renice -n 10 -p 4711\nionice -c 3 -p 4711"), Tradeoff: "it runs longer"}},
	}
	near := rule.Finding{
		Rule: "disk/full", Subject: view.Entity{Kind: view.KindFilesystem, Name: "/var/lib"}, Confidence: rule.Possible,
		Impact: rule.Impact{Text: rule.T("%v free", unit.Share(0.04))}, Headline: rule.T("%s is nearly full", "/var/lib"),
		Evidence: []rule.Evidence{{Metric: cited("disk.space-free", "bytes"), What: rule.T("%v of %v free", unit.Bytes(2<<30), unit.Bytes(50<<30)),
			Value: 2 << 30, Limit: rule.Limit(5 << 29), Check: shell.Line("df -h /var/lib")}},
	}
	retries := rule.Finding{Rule: "net/packet-loss", Subject: view.Entity{Kind: view.KindPeer, Name: "10.0.0.7"}, Confidence: rule.Likely,
		Headline: rule.T("packets to %s are lost: %v of segments sent again", "10.0.0.7", unit.Share(0.021))}
	probes := []verdict.ProbeHealth{
		{Name: "host", OK: true, Runs: 11, Seconds: 0.041, CPU: 0.033, Rows: 1320},
		{Name: "thread", OK: true, Runs: 50, Seconds: 0.4, CPU: 0.2, Rows: 5100, Lost: 12, Late: 1},
		{Name: "offcpu", OK: true, Runs: 10, Seconds: 0.03, CPU: 0.02, Rows: 900, Programs: []verdict.ProgramCost{
			{Name: "switch_state", Tracepoint: "sched_switch", Runs: 500_000, Seconds: 0.0625, Share: 0.00625, Traced: 1},
			{Name: "waking", Tracepoint: "sched_waking", Runs: 300_000, Seconds: 0.12, Share: 0.012, Traced: 1, Stopped: true},
		}},
		{Name: "klog", Error: "needs CAP_SYSLOG: open /dev/kmsg: operation not permitted", Remedy: shell.Say("run as root")},
	}
	times := []verdict.ProcessTime{
		{Name: "mysqld", PID: 812, Threads: 38, Samples: 400, OnCPU: .41, Runnable: .03, Disk: .02, Lock: .09, Network: .45},
		{Name: "a-process-with-a-long-name-数据库", PID: 4194303, Threads: 1, Samples: 50, OnCPU: 1},
	}
	waits := []view.OffCPU{
		{PID: 812, Process: "mysqld", Thread: "connection", State: "S", Stack: "futex_do_wait;do_futex;__x64_sys_futex", Waker: "connection", WakerPID: 812, WakerIn: "futex", Caller: "lock_rec_lock", UserStack: "__lll_lock_wait;lock_rec_lock;do_command",
			Threads: 30, Waited: 21 * time.Second, Mean: 2.1, Waits: 9000, Longest: 310 * time.Millisecond},
		{PID: 812, Process: "mysqld", Thread: "connection", State: "D", Stack: "io_schedule;folio_wait_bit", Interrupt: "block", WakerIn: "bio_endio", Threads: 12, Waited: 4 * time.Second, Mean: 0.4, Longest: 25 * time.Millisecond},
		{PID: 812, Process: "mysqld", Thread: "connection", State: "R", Threads: 38, Waited: time.Second, Mean: 0.1},
	}
	notJudged := []verdict.NotJudged{
		{Rule: "mem/oom-kill", Title: "the kernel killed a process", Needs: "table kernel_log", Why: "open /dev/kmsg: operation not permitted", How: shell.Say("run as root")},
		{Rule: "mem/cgroup-oom", Title: "a group ran out of memory", Needs: "table kernel_log", Why: "open /dev/kmsg: operation not permitted", How: shell.Say("run as root")},
	}
	unseen := []verdict.Unseen{
		{Probe: "process", What: "I/O of processes of other users", Count: 1195, Why: "permission denied", How: shell.Say("run as root")},
		{Probe: "thread", What: "system calls of threads of other users", Count: 1, Why: "permission denied", How: shell.Say("run as root")},
		{Probe: "socket", What: "I/O of processes of other users", Count: 7, Why: "permission denied", How: shell.Say("run as root")},
		{Probe: "process", What: "time processes waited for block I/O", Count: 1, Why: "delay accounting is switched off", How: shell.Say("sysctl -w kernel.task_delayacct=1")},
	}
	return []testCase{
		{"sick", verdict.Verdict{
			Tool: "rtrail 0.1.0", Host: db1, Window: window, Vitals: busy,
			Findings: []verdict.Finding{
				{Rank: 1, Finding: accept, Title: "accept queue full", Explains: []verdict.Finding{{Finding: retries, Title: "packets are lost"}}},
				{Rank: 2, Finding: evil, Title: "CPUs saturated", Lossy: true},
				{Rank: 3, Finding: near, Title: "filesystem full"},
			},
			Healthy: []string{"memory", "disks", "file descriptors", "conntrack", "processes"}, NotJudged: notJudged, Unseen: unseen, Probes: probes, Time: times, OffCPU: waits,
			Notes: []string{"interrupted after 3.2 s of 10s: judged on what was seen so far"},
		}},
		{"captured", verdict.Verdict{
			Tool: "rtrail 0.1.0", Window: window, Vitals: unread, Healthy: []string{"response times", "connects"},
			Captures: []verdict.Capture{
				{Source: "a.pcap", Point: "client", First: window.Start, Last: window.End, Packets: 322954, Bytes: 66 << 20, Connections: 171, Dropped: -1},
				{Source: "b.pcap", Point: "server", First: window.Start, Last: window.End, Packets: 1, Bytes: 60, Connections: 1, Dropped: 12, Missed: 4096, Note: "left out of all times: 3 requests (3 without answer); b.pcap: the capture breaks off within a packet: its last 859 bytes are left out"},
			},
		}},
		{"healthy", verdict.Verdict{
			Tool: "rtrail 0.1.0", Host: db1, Window: window, Vitals: busy, Healthy: []string{"CPU", "memory", "disks", "network"}, Probes: probes[:1], Time: times[:1],
		}},
		{"possible", verdict.Verdict{
			Tool: "rtrail 0.1.0", Host: db1, Window: window, Vitals: busy, Healthy: []string{"CPU"}, NotJudged: notJudged[:1],
			Findings: []verdict.Finding{{Rank: 1, Finding: near, Title: "filesystem full"}},
		}},
		{"unjudged", verdict.Verdict{
			Tool: "rtrail 0.1.0", Host: db1, Window: window, Vitals: busy, Healthy: []string{"CPU"},
			Unjudged: []refusal.Risen{
				{Name: "TcpExtTCPReqQFullDrop", File: "/proc/net/netstat", Count: 20113, Rate: 2011.3,
					Counter: refusal.Counter{Unit: "SYNs", Means: "a SYN that was dropped", Resource: "half-open connections", Rules: []string{"net/syn-flood"}},
					Scope: refusal.Scope{Subject: view.Entity{Kind: view.KindNetNS, Name: "web", NetNS: 4026531999}, Where: "web",
						Check: func(name string) shell.Command { return shell.Line("ip netns exec web nstat -az %s", name) }}},
				{Name: "rx_dropped", File: "/proc/net/dev", Count: 41, Rate: 4.1, Detail: "most at evil\x1b[2J",
					Counter: refusal.Counter{Unit: "packets", Means: "a received packet that was thrown away", Resource: "packet delivery"},
					Scope: refusal.Scope{Subject: view.Entity{Kind: view.KindInterface, Name: "eth0"}, Where: "eth0",
						Check: func(string) shell.Command { return shell.Line("ip -s -s link show dev eth0") }}},
			},
		}},
		{"empty", verdict.Verdict{Tool: "rtrail 0.1.0", Vitals: unread, Window: verdict.Window{Start: start, End: start}}},
	}
}
