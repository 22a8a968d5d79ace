package metric

// These are the words of a verdict that belong to no single domain.
var (
	TimeOnCPU = add(Metric{
		ID:   "time.on-cpu",
		Name: "on CPU (where the time went)",
		Help: "Share of the samples of a process's threads in which the thread was running on a CPU. Threads that slept " +
			"through the whole window are left out.",
		Unit:   "share",
		Source: "/proc/PID/task/TID/schedstat, first field, between two samples",
		Tools:  []string{"pidstat -t -u 1", "perf top -p PID"},
		Traps:  []string{"A thread that spins on a lock is on CPU as well."},
	})
	TimeRunnable = add(Metric{
		ID:      "time.runnable",
		Name:    "runnable (where the time went)",
		Help:    "Share of time in which threads were ready to run and waited for a CPU, because others used it or because the group's quota was used up.",
		Unit:    "share",
		Source:  "/proc/PID/task/TID/schedstat, second field (run delay), between two samples",
		Tools:   []string{"pidstat -u 1     # %wait", "perf sched timehist"},
		Traps:   []string{"%wait of pidstat is this number; it has nothing to do with iowait."},
		Healthy: "A few percent.",
	})
	TimeDisk = add(Metric{
		ID:     "time.disk",
		Name:   "disk (where the time went)",
		Help:   "Share of samples in which threads waited for a block device, a filesystem or a swapped-out page.",
		Unit:   "share",
		Source: "/proc/PID/task/TID/{stat,syscall,wchan,stack}",
		Tools:  []string{"ps -eLo pid,tid,stat,wchan:30,comm", "pidstat -d 1"},
		Traps:  []string{"State D alone is no proof: some drivers and locks sleep in it too."},
	})
	TimeLock = add(Metric{
		ID:     "time.lock",
		Name:   "futex (where the time went)",
		Help:   "Share of samples in which threads slept on a futex: a mutex, a condition variable, a semaphore or a timer of the program; or on a lock of the kernel.",
		Unit:   "share",
		Source: "/proc/PID/task/TID/{syscall,wchan,stack}: futex",
		Tools:  []string{"strace -c -f -e futex -p PID", "gdb -p PID -batch -ex 'thread apply all bt'"},
		Traps:  []string{"Threads that wait for work or for their next turn do so on a condition variable; that looks the same as contention: a MySQL server without load shows 99 %. Findings and stacks (rtrail stacks PID) tell locks."},
	})
	TimeNetwork = add(Metric{
		ID:     "time.network",
		Name:   "network (where the time went)",
		Help:   "Share of samples in which threads waited for a socket: for data, for room to send, for a connection, or in poll and epoll.",
		Unit:   "share",
		Source: "/proc/PID/task/TID/{syscall,wchan,stack}",
		Tools:  []string{"strace -f -p PID", "ss -tnpi"},
		Traps:  []string{"A server without work waits here too: the state says for what, not whether anything suffers."},
	})
	TimeSleeping = add(Metric{
		ID:     "time.sleeping",
		Name:   "sleeping (where the time went)",
		Help:   "Share of samples in which threads slept for another reason: timers, pipes, children, signals, or one that could not be told.",
		Unit:   "share",
		Source: "/proc/PID/task/TID/{stat,syscall,wchan}",
		Tools:  []string{"ps -eLo pid,tid,stat,wchan:30,comm"},
		Traps:  []string{"Without root the reason of a sleep is often not readable; such samples count here."},
	})
	VerdictConfidence = add(Metric{
		ID:   "verdict.confidence",
		Name: "confidence",
		Help: "How a cause is known. certain: the mechanism itself was observed in the window. likely: its fingerprint is there. " +
			"possible: a limit is near, or two things move together; such findings never rank before the others.",
		Unit:   "certain, likely or possible",
		Source: "the rule; its page says where the borders are",
		Tools:  []string{"rtrail diagnose --json | jq '.findings[] | [.confidence, .headline]'"},
		Traps:  []string{"It is lowered by one step when the evidence lost rows."},
	})
	VerdictImpact = add(Metric{
		ID:   "verdict.impact",
		Name: "impact",
		Help: "What a fault costs, by which findings are ranked: seconds waited per second of the window where " +
			"that can be measured, otherwise the share of requests or of capacity that was lost. Where the evidence tells neither, " +
			"both are null and words say what is lost; such findings rank behind others that are as sure.",
		Unit:   "seconds per second, or a share",
		Source: "the rule's evidence",
		Tools:  []string{"rtrail diagnose --json | jq '.findings[].impact'"},
		Traps:  []string{"More than 1 second per second is normal: many tasks can wait at once."},
	})
	ProbeLost = add(Metric{
		ID:   "probe.lost",
		Name: "rows lost by a probe",
		Help: "Rows that a probe should have read and did not: entries beyond its limit, answers the kernel dropped, processes " +
			"it had no time for. Processes that end between listing and reading are not lost.",
		Unit:    "rows",
		Source:  "the probe itself, table probe_runs",
		Tools:   []string{"rtrail doctor", "rtrail diagnose -v"},
		Traps:   []string{"Findings built on such evidence say so and are one step less sure. Where it is known which tables lack rows (table_losses), findings on others are not."},
		Healthy: "0",
	})
	ProbeLate = add(Metric{
		ID:      "probe.late",
		Name:    "runs of a probe over its deadline",
		Help:    "Samples that were given up because the probe took too long. The last good rows are kept.",
		Unit:    "runs",
		Source:  "the probe runner, table probe_runs",
		Tools:   []string{"rtrail diagnose -v"},
		Traps:   []string{"On a host without free CPU this is to be expected; the verdict counts them."},
		Healthy: "0",
	})
)
