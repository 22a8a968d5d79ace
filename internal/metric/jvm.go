package metric

var (
	JVMDeadlockedThreads = add(Metric{ID: "jvm.deadlocked-threads", Name: "threads in a deadlock",
		Help: "threads of a Java VM in a lock cycle: each waits, without a timeout, for a lock that the next one holds",
		Unit: "threads", Source: "holders and waiters of locks, in dumps of jstack, jcmd Thread.print or kill -QUIT",
		Tools: []string{"jstack -l PID | grep -A 30 'Java-level deadlock'", "rtrail stacks DUMP"},
		Traps: []string{"without -l jstack does not print the holders of java.util.concurrent locks", "threads that wait for tasks of their own pool hang too, but hold no lock"}, Healthy: "0"})
	JVMBehindDeadlock = add(Metric{ID: "jvm.behind-deadlock", Name: "threads behind a deadlock",
		Help: "threads outside the deadlock that wait for a lock held by a thread in it", Unit: "threads",
		Source: "holders and waiters of locks, in dumps of jstack, jcmd Thread.print or kill -QUIT; with several dumps, the highest count",
		Tools:  []string{"rtrail stacks DUMP"}, Traps: []string{"threads that wait for these are not counted: a lower bound"}, Healthy: "0"})
)
