package stack

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// javaThreadOf words a thread as jstack does, with what it says of locks behind
// its innermost frame.
func javaThreadOf(name, state string, locks, frames []string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%q #1 prio=5 tid=0x1 nid=0x2 waiting\n   java.lang.Thread.State: %s\n", name, state)
	for i, f := range frames {
		fmt.Fprintf(&out, "\tat %s(A.java:1)\n", f)
		if i == 0 {
			for _, l := range locks {
				fmt.Fprintf(&out, "\t- %s\n", l)
			}
		}
	}
	return out.String() + "\n"
}

func readJava(t *testing.T, threads ...string) *Profile {
	t.Helper()
	p, err := Read(context.Background(), []string{"-"}, strings.NewReader("Full thread dump X:\n\n"+strings.Join(threads, "")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDeadlocks(t *testing.T) {
	park := []string{"jdk.internal.misc.Unsafe.park", "A.both", "java.lang.Thread.run"}
	for name, c := range map[string]struct {
		state  string // of the second thread
		wants  string
		cycles int
	}{
		"both wait until they get it":      {"WAITING (parking)", "parking to wait for  <0x01> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)", 2},
		"one gives up after some time":     {"TIMED_WAITING (parking)", "parking to wait for  <0x01> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)", 0},
		"one waits for a third, that runs": {"BLOCKED (on object monitor)", "waiting to lock <0x03> (a java.lang.Object)", 0},
	} {
		p := readJava(t,
			javaThreadOf("one", "BLOCKED (on object monitor)", []string{"waiting to lock <0x02> (a java.lang.Object)", "locked <0x01> (a java.lang.Object)"}, park),
			javaThreadOf("two", c.state, []string{c.wants, "locked <0x02> (a java.lang.Object)"}, park))
		cycles := 0
		for _, l := range p.Locks {
			if l.Cycle > 0 {
				cycles++
			}
		}
		if cycles != c.cycles {
			t.Errorf("%s: %d locks in a deadlock, want %d", name, cycles, c.cycles)
		}
	}
}

// A pool is made of workers; threads that only have similar names are none.
func TestPools(t *testing.T) {
	for name, c := range map[string]struct {
		outer []string
		pool  bool
	}{
		"java.util.concurrent": {[]string{"java.util.concurrent.FutureTask.run", "java.util.concurrent.ThreadPoolExecutor.runWorker", "java.util.concurrent.ThreadPoolExecutor$Worker.run", "java.lang.Thread.run"}, true},
		"fork and join":        {[]string{"java.util.concurrent.ForkJoinPool.runWorker", "java.util.concurrent.ForkJoinWorkerThread.run"}, true},
		"Tomcat":               {[]string{"org.apache.tomcat.util.threads.ThreadPoolExecutor$Worker.run", "org.apache.tomcat.util.threads.TaskThread$WrappingRunnable.run", "java.lang.Thread.run"}, true},
		"Jetty":                {[]string{"org.eclipse.jetty.util.thread.QueuedThreadPool.runJob", "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.run", "java.lang.Thread.run"}, true},
		"threads of their own": {[]string{"A.lambda$main$0", "A$$Lambda$1.run", "java.lang.Thread.run"}, false},
		"who only uses a pool": {[]string{"java.util.concurrent.AbstractExecutorService.invokeAll", "A.run"}, false},
	} {
		frames := append([]string{"A.take", "A.work"}, c.outer...)
		locks := []string{"waiting to lock <0x01> (a java.lang.Object)"}
		p := readJava(t, javaThreadOf("job-1", "BLOCKED (on object monitor)", locks, frames), javaThreadOf("job-2", "BLOCKED (on object monitor)", locks, frames))
		if found := len(p.Pools) == 1 && p.Pools[0].Name == "job-#" && p.Pools[0].Threads == 2; found != c.pool {
			t.Errorf("%s: pools %+v", name, p.Pools)
		}
	}
}
