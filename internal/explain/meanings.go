package explain

import (
	"slices"
	"strings"
)

// meanings say in a sentence or two what words mean that the pages they lead to
// do not use, and why these pages answer them.
var meanings = []struct {
	words []string // in lower case; each has synonyms
	text  string
}{
	// CPU
	{[]string{"noisy neighbour", "noisy neighbor"}, "Another VM or container on the same host takes the CPU time that this one needs. A VM sees it as steal time, the host as full CPUs."},
	{[]string{"throttling", "cfs quota"}, "A cgroup that has used up its CPU quota stops until the next period, even while CPUs are idle."},
	{[]string{"run queue latency", "runq latency", "scheduler latency", "scheduling delay"}, "The time a runnable task waits for a CPU. The kernel counts it per thread as run delay."},
	{[]string{"fork bomb"}, "Processes that start processes without end. Each is too short-lived for top; the fork rate shows them."},
	{[]string{"irq"}, "An interrupt request from hardware. The deferred part of its work, mostly for network cards, runs as a softirq."},
	{[]string{"napi"}, "How network drivers receive packets: they poll in the receive softirq, within a budget. ksoftirqd takes over when there is more work."},
	{[]string{"csw"}, "Context switches: how often a CPU switches from one task to another."},
	{[]string{"pressure stall"}, "Pressure stall information (PSI): the share of time in which tasks wait for CPU, memory or I/O."},
	{[]string{"crashloopbackoff"}, "Kubernetes restarts a container that ends again and again, with a delay that grows."},
	{[]string{"segfault"}, "A segmentation fault: a program accessed memory that it does not have, and the kernel ended it by SIGSEGV."},
	// memory, disks, files
	{[]string{"oom killer"}, "The kernel's OOM killer kills a process when the host, or a cgroup, is out of memory and nothing can be reclaimed."},
	{[]string{"thrashing", "paging"}, "The working set does not fit into memory: pages are evicted and soon read back. The time goes into disk reads and reclaim."},
	{[]string{"buff/cache"}, "Page cache and buffers in free(1): file contents in memory, which the kernel gives back when programs need it."},
	{[]string{"dirty pages"}, "File contents changed in memory but not yet on disk. When there are too many, the kernel makes writers wait."},
	{[]string{"iops"}, "I/O operations per second. Cloud volumes have an IOPS limit; at the limit even small requests queue."},
	{[]string{"ebs"}, "A cloud volume with a limit on operations and bytes per second. At the limit requests queue although the volume is healthy."},
	{[]string{"avgqu-sz"}, "The old iostat name of aqu-sz: the average number of requests in flight, queued or in service."},
	{[]string{"utilization"}, "%util of iostat: the share of time in which the disk has at least one request in flight."},
	{[]string{"ulimit"}, "The shell command for process limits. `ulimit -n` limits open files; servers usually hit it first."},
	{[]string{"hung task", "hung_task", "blocked for more than 120 seconds"}, "Kernel message: a task has been in uninterruptible sleep (state D) for two minutes, mostly for a disk, a network filesystem or a kernel lock."},
	// network
	{[]string{"close_wait"}, "The peer has closed the connection and the program here has not. Such sockets pile up in a program that is stuck or forgets them, until its file descriptors run out."},
	{[]string{"econnrefused"}, "No process listens on the port, or a firewall answers with RST: the connect fails at once."},
	{[]string{"econnreset"}, "The connection was ended by RST while the program still used it."},
	{[]string{"etimedout", "connection timed out"}, "SYNs, or data, were sent again and again, and nothing came back."},
	{[]string{"epipe", "broken pipe"}, "The program wrote to a connection that its peer had closed already."},
	{[]string{"port exhaustion", "snat"}, "Connections to one destination need a source port each. Where all of a range are in use or in TIME_WAIT, or a gateway that hides many clients behind one address has no more, connects fail."},
	{[]string{"nf_conntrack: table full, dropping packet"}, "The kernel's message when the connection tracking table is full: packets of new connections are thrown away."},
	{[]string{"jitter"}, "Times that differ from one packet or request to the next. Compare percentiles of the response time; on the path it comes from queues."},
	{[]string{"bufferbloat"}, "A queue somewhere on the path that is never empty: each packet waits behind a bulk transfer, and the round trip grows from milliseconds to a second without any loss."},
	{[]string{"shaping", "policing", "traffic control"}, "A limit of the rate. A shaper makes packets wait in a queue, a policer throws away what is too much."},
	{[]string{"40ms"}, "What Linux waits before it acknowledges a segment alone. Together with Nagle's algorithm on the other side it becomes a pause in each exchange."},
	{[]string{"rwnd"}, "The receive window: what the receiver has room for. At zero the sender must wait, for the receiving program does not read."},
	{[]string{"black hole"}, "Packets larger than a link of the path can carry vanish, and the ICMP message that would say so does too. Small exchanges work, large ones hang."},
	// response times
	{[]string{"latency"}, "The word means many times. Here the response time runs from the last packet of a request to the first of its answer, and is told apart into server and path."},
	{[]string{"p99", "percentile"}, "The time that 99 % of the requests did not exceed. A mean hides what one client in a hundred waits."},
	{[]string{"tail latency"}, "The slowest few of a hundred requests. They come from queueing, from a second kind of work, or from waiting for the slowest of many parts."},
	{[]string{"ttfb"}, "Time to first byte: what a browser waits until an answer begins. Without connect, lookup and upload it is the server's time."},
	{[]string{"499"}, "nginx logs 499 when the client closed the connection before the answer came: the client lost patience, and the server was too slow for it."},
	{[]string{"503"}, "The server says that it cannot serve now: overloaded, stopped, or no backend is left."},
	{[]string{"bad gateway"}, "HTTP 502: the proxy got no valid answer from its backend, which refused, reset or closed the connection."},
	{[]string{"gateway timeout"}, "HTTP 504: the backend had not answered when the proxy's patience ended."},
	{[]string{"bimodal"}, "Two groups of response times and few between: some requests wait for something that the others do not meet."},
	{[]string{"hol blocking", "head of line blocking", "slow log of redis"}, "One long request makes all others wait that come after it, because the server, or the connection, takes one at a time."},
	{[]string{"load balancer", "upstream"}, "One of several backends that is slower than its sisters makes a share of all requests slow."},
	{[]string{"scatter gather"}, "One request asks many servers at once and waits for the slowest of them."},
	// MySQL
	{[]string{"replication lag", "seconds_behind_master", "seconds_behind_source"}, "A replica applies changes later than the source made them. `rtrail mysql` shows the lag, and no rule judges it; long transactions and slow commits, on the source or on the replica, are its common causes."},
	{[]string{"lock wait timeout exceeded", "1205"}, "Error 1205: a statement waited longer than innodb_lock_wait_timeout for a row that another transaction holds."},
	{[]string{"mysql deadlock", "1213"}, "Error 1213: two transactions waited for each other, and InnoDB rolled one back. Deadlocks grow with the time that row locks are held."},
	{[]string{"hit ratio"}, "The share of logical reads found in the buffer pool. What counts is the number of misses a second and what each costs."},
	{[]string{"spinlock"}, "A lock whose waiters try again and again on the CPU instead of sleeping."},
	{[]string{"autocommit"}, "Without it a transaction goes on, and keeps its locks, until the client says COMMIT."},
}

// Meaning says what a word means that leads to pages which do not use it; "" for
// all others.
func Meaning(query string) string {
	word := asWord(query)
	for _, m := range meanings {
		if slices.Contains(m.words, word) {
			return m.text
		}
	}
	return ""
}

// asWord is a query as synonyms and meanings have it.
func asWord(query string) string {
	word := strings.Join(strings.Fields(strings.ToLower(query)), " ")
	if _, known := synonyms[word]; !known {
		word = strings.ReplaceAll(word, "-", "_") // close-wait
	}
	return word
}
