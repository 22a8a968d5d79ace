package metric

import (
	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

var (
	ProcessZombies = add(Metric{ID: "process.zombies",
		Labels: []string{"pid"}, Series: total(zombie, processID, func(recording.ProcessSample) float64 { return 1 }),
		Name: "zombies",
		Help: "children that exited more than a second ago and that their parent has not reaped",
		Unit: "count", Source: "/proc/PID/stat state Z, parent",
		Tools: []string{"ps -eo ppid,pid,stat,etime,comm | awk '$3 ~ /^Z/'", "top   # header"},
		Traps: []string{"every child is a zombie for a moment", "they use almost no memory; only PIDs run out"}, Healthy: "0, or a few that disappear"})
	ProcessZombieGrowth = add(Metric{ID: "process.zombie-growth", Course: ProcessZombies, Name: "growth in zombies",
		Help: "new zombies in the window, minus those reaped", Unit: "per second", Source: "/proc/PID/stat over the window",
		Tools: []string{"watch -n1 'ps -eo stat | grep -c ^Z'"}, Traps: []string{"a parent that reaps in batches shows growth between batches"}, Healthy: "0"})
	ProcessRuns = add(Metric{ID: "process.runs",
		Labels: []string{"program"}, Series: events(recording.ProcessEvents, ended),
		Name: "ended runs of a program", Unit: "per second",
		Help:   "processes that ran the same command line and ended in the window",
		Source: "tracepoints sched_process_exec and sched_process_exit, by BPF", Tools: []string{"rtrail trace exec", "execsnoop", "exitsnoop"}, Check: shell.Line("rtrail trace exec --for 10s"),
		Traps: []string{"secrets in arguments are masked, so that command lines that differ in them alone count as one; with cpu/short-lived-processes also those that differ in numbers and paths"}, Healthy: "any, if what ran did its work"})
	ProcessBirths = add(Metric{ID: "process.births",
		Labels: []string{"pid"}, Series: events(recording.ProcessEvents, born),
		Name: "processes that one process makes", Unit: "per second",
		Help:   "processes made in the window by a process and by its children that end at once",
		Source: "tracepoint sched_process_fork, by BPF", Tools: []string{"rtrail trace exec", "execsnoop"}, Check: shell.Line("rtrail trace exec --for 10s"),
		Traps: []string{"threads do not count, other than in /proc/stat"}, Healthy: "below 20 of a script, or what its work asks for"})
	ProcessDown = add(Metric{ID: "process.down", Course: ProcessRuns, Name: "time a restarted program did not run", Unit: "share",
		Help:   "part of the time between the first start and the last end of a program that is started again and again in which none of it ran",
		Source: "tracepoints sched_process_fork, _exec and _exit, by BPF", Tools: []string{"rtrail trace exec", "systemctl status"}, Check: shell.Line("rtrail trace exec --for 10s"),
		Traps: []string{"a program between two restarts is in no list of processes"}, Healthy: "0"})
	ProcessUninterruptible = add(Metric{ID: "process.uninterruptible",
		Labels: []string{"pid"}, Series: total(uninterruptible, threadID, func(recording.ThreadSample) float64 { return 1 }),
		Name: "threads in uninterruptible sleep",
		Help: "average number of threads in state D, of those that are in D in at least half of their samples; without kernel threads",
		Unit: "threads", Source: "/proc/PID/task/TID/stat state, several times a second",
		Tools: []string{"ps -eLo pid,tid,stat,wchan:30,comm | awk '$3 ~ /^D/'", "vmstat 1   # b"}, Check: shell.Line("ps -eLo pid,tid,stat,wchan:30,comm | awk '$3 ~ /^D/'"),
		Traps: []string{"not only disks: file servers, kernel locks, frozen filesystems and vfork too", "each adds 1 to the load average without using a CPU"}, Healthy: "under 1"})
	ThreadState = add(Metric{ID: "thread.state", Name: "state of a thread",
		Help: "share of samples in which a thread is in the named state, and where it waits",
		Unit: "share", Source: "/proc/PID/task/TID/{stat,wchan,stack,syscall}", Tools: []string{"cat /proc/PID/task/TID/stack", "ps -L -o tid,stat,wchan:30 -p PID"},
		Traps: []string{"samples miss what is shorter than their interval", "stacks need root"}})
	ProcessFiles = add(Metric{ID: "process.files",
		Labels: []string{"pid"}, Series: gauge(limits, func(s recording.LimitSample) float64 { return reading(s.Files) }),
		Name: "open file descriptors",
		Help: "open descriptors of a process, against its soft limit",
		Unit: "count", Source: "entries of /proc/PID/fd; RLIMIT_NOFILE in /proc/PID/limits",
		Tools: []string{"ls /proc/PID/fd | wc -l", "grep 'open files' /proc/PID/limits", "lsof -p PID"},
		Traps: []string{"the highest descriptor number is one below the limit", "ulimit -n shows the shell's limit, not the server's", "libraries may keep spare descriptors"}, Healthy: "under half of the limit"})
	SystemFiles = add(Metric{ID: "system.files",
		Series: gauge(nil, func(s recording.SystemSample) float64 { return reading(s.FilesOpen) }),
		Name:   "open files of the host",
		Help:   "open file objects of all processes, against the host's limit", Unit: "count", Source: "/proc/sys/fs/file-nr",
		Tools: []string{"cat /proc/sys/fs/file-nr"}, Check: shell.Line("cat /proc/sys/fs/file-nr"), Traps: []string{"duplicated and inherited descriptors share one file object"}, Healthy: "a small part of the limit"})
	SystemTasks = add(Metric{ID: "system.tasks",
		Series: gauge(nil, func(s recording.SystemSample) float64 { return reading(s.Tasks) }),
		Name:   "processes and threads of the host",
		Help:   "tasks that exist, each thread is one, against kernel.threads-max and kernel.pid_max", Unit: "count", Source: "/proc/loadavg, number behind the slash",
		Tools: []string{"cat /proc/loadavg   # running/existing", "ps -eL --no-headers | wc -l"}, Check: shell.Line("cat /proc/loadavg; sysctl kernel.threads-max kernel.pid_max"), Traps: []string{"a user may have fewer (ulimit -u), and a control group (pids.max)"}, Healthy: "a small part of the limit"})
	UserTasks = add(Metric{ID: "user.tasks", Course: SystemTasks, Name: "processes and threads of a user",
		Help: "tasks of a user, against the limit of a process on them", Unit: "count", Source: "Uid and Threads of /proc/PID/status; RLIMIT_NPROC in /proc/PID/limits",
		Tools: []string{"ps -L -u USER --no-headers | wc -l", "ulimit -u"}, Traps: []string{"root is not bound by it", "containers without a user namespace share the count of a user ID"}, Healthy: "under half of the limit"})
	CgroupPIDs = add(Metric{ID: "cgroup.pids",
		Labels: []string{"cgroup"}, Series: gauge(group, func(s recording.CgroupSample) float64 { return reading(s.Pids) }),
		Name: "processes and threads of a control group",
		Help: "tasks in the cgroup and below it, against pids.max", Unit: "count", Source: "pids.current and pids.max of the cgroup",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/pids.current", "systemctl status UNIT   # Tasks", "systemd-cgtop"}, Traps: []string{"a limit above also holds", "each thread of a Java or Go program is one"}, Healthy: "under half of the limit"})
	CgroupPIDsRefused = add(Metric{ID: "cgroup.pids-refused",
		Labels: []string{"cgroup"}, Series: growth(group, func(s recording.CgroupSample) float64 { return reading(s.PidsEvents) }),
		Counter: true, Name: "refused forks of a control group",
		Help: "processes and threads that could not be started because the cgroup had as many as it may", Unit: "count", Source: "pids.events max",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/pids.events", "journalctl -k -g 'fork rejected by pids controller'"},
		Traps: []string{"kernels before 6.10 count in the cgroup of the process that asked, newer ones in the one with the limit and in those above it", "the kernel logs only the first one of each cgroup"}, Healthy: "0"})
	KernelLog = add(Metric{ID: "kernel.log",
		Series: events(recording.KernelLog, logged),
		Name:   "kernel log",
		Help:   "lines that the kernel logged in the window", Unit: "count", Source: "/dev/kmsg", Tools: []string{"dmesg -T", "journalctl -k"},
		Traps: []string{"the kernel rate-limits repeated messages: the count is a lower bound", "old lines are about the past"}})
)
