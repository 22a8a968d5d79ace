package metric

import "rtrail/internal/shell"

var (
	ProcessZombies = add(Metric{ID: "process.zombies", Name: "zombies",
		Help: "children that ended more than a second ago and whose parent has not asked for their exit status",
		Unit: "count", Source: "/proc/PID/stat state Z, parent",
		Tools: []string{"ps -eo ppid,pid,stat,etime,comm | awk '$3 ~ /^Z/'", "top   # header"},
		Traps: []string{"every child is a zombie for a moment", "they hold no memory; only numbers run out"}, Healthy: "0, or a few that go"})
	ProcessZombieGrowth = add(Metric{ID: "process.zombie-growth", Name: "growth in zombies",
		Help: "zombies that came in the window and stayed, less those that were collected", Unit: "per second", Source: "/proc/PID/stat over the window",
		Tools: []string{"watch -n1 'ps -eo stat | grep -c ^Z'"}, Traps: []string{"a parent that collects in batches grows between two of them"}, Healthy: "0"})
	ProcessUninterruptible = add(Metric{ID: "process.uninterruptible", Name: "threads in uninterruptible sleep",
		Help: "mean number of threads of programs in state D that stayed there for half of their samples or more",
		Unit: "threads", Source: "/proc/PID/task/TID/stat state, several times a second",
		Tools: []string{"ps -eLo pid,tid,stat,wchan:30,comm | awk '$3 ~ /^D/'", "vmstat 1   # b"}, Check: shell.Line("ps -eLo pid,tid,stat,wchan:30,comm | awk '$3 ~ /^D/'"),
		Traps: []string{"not only disks: file servers, kernel locks, frozen filesystems and vfork as well", "each adds 1 to the load average without using a CPU"}, Healthy: "under 1"})
	ThreadState = add(Metric{ID: "thread.state", Name: "state of a thread",
		Help: "share of its samples in which a thread was in the state that is named, and where it waited",
		Unit: "share", Source: "/proc/PID/task/TID/{stat,wchan,stack,syscall}", Tools: []string{"cat /proc/PID/task/TID/stack", "ps -L -o tid,stat,wchan:30 -p PID"},
		Traps: []string{"samples miss what is shorter than their distance", "stacks need root"}})
	ProcessFiles = add(Metric{ID: "process.files", Name: "open file descriptors",
		Help: "descriptors a process has open, beside its soft limit",
		Unit: "count", Source: "entries of /proc/PID/fd; RLIMIT_NOFILE in /proc/PID/limits",
		Tools: []string{"ls /proc/PID/fd | wc -l", "grep 'open files' /proc/PID/limits", "lsof -p PID"},
		Traps: []string{"the highest number allowed is one below the limit", "ulimit -n shows the shell's limit, not the server's", "libraries may keep descriptors in reserve"}, Healthy: "under half of the limit"})
	SystemFiles = add(Metric{ID: "system.files", Name: "open files of the host",
		Help: "open file objects of all processes, beside the host's limit", Unit: "count", Source: "/proc/sys/fs/file-nr",
		Tools: []string{"cat /proc/sys/fs/file-nr"}, Check: shell.Line("cat /proc/sys/fs/file-nr"), Traps: []string{"descriptors that were duplicated or inherited share one"}, Healthy: "a small part of the limit"})
	KernelLog = add(Metric{ID: "kernel.log", Name: "kernel log",
		Help: "lines the kernel wrote inside the window", Unit: "count", Source: "/dev/kmsg", Tools: []string{"dmesg -T", "journalctl -k"},
		Traps: []string{"repeated messages are rate-limited: the number of lines is a lower bound", "old lines are about the past"}})
)
