package metric

var (
	JVMDeadlockedThreads = add(Metric{ID: "jvm.deadlocked-threads", Name: "threads in a deadlock",
		Help: "threads of a Java VM each of which waits, without an end, for a lock that the next one holds, back to the first",
		Unit: "threads", Source: "who holds and who wants which lock, in dumps of jstack, jcmd Thread.print or kill -QUIT",
		Tools: []string{"jstack -l PID | grep -A 30 'Java-level deadlock'", "rtrail stacks DUMP"},
		Traps: []string{"without -l the holders of java.util.concurrent locks are not told", "threads that wait for tasks of their own pool hang as well, but hold no lock"}, Healthy: "0"})
	JVMBehindDeadlock = add(Metric{ID: "jvm.behind-deadlock", Name: "threads behind a deadlock",
		Help: "threads that are in no deadlock, and wait for a lock which a thread in one holds", Unit: "threads",
		Source: "who holds and who wants which lock, in dumps of jstack, jcmd Thread.print or kill -QUIT; of several dumps the one in which most did",
		Tools:  []string{"rtrail stacks DUMP"}, Traps: []string{"who waits for one of these is not counted: it is a lower bound"}, Healthy: "0"})
)
