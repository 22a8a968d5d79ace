package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/nearest"
	"rtrail/internal/probe"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/allocs"
	"rtrail/internal/recording"
	"rtrail/internal/session"
	"rtrail/internal/unit"
)

// traceJob is what `rtrail trace WHAT` was asked to do.
type traceJob struct {
	length   time.Duration
	interval time.Duration
	pids     []int32
	names    []string
	named    map[int32]bool // processes that had one of the names
	least    time.Duration
	top      int
	json     bool
	budget   eventBudget
}

// tracer prints the rows of a source.
type tracer interface {
	source() event.Source
	// sample prints the rows of one sample.
	sample(*recording.Recording) error
	// end prints what belongs below all of them.
	end() error
}

func newTraceCommand() *cobra.Command {
	var j traceJob
	cmd := &cobra.Command{
		Use:   "trace WHAT",
		Short: "Print events of the kernel as they happen, or sums of them every second",
		Long: `Prints what BPF programs at tracepoints of the kernel see: one line per event,
or a table of sums per second. At the end it prints what was lost and what
tracing cost. It needs root, or CAP_BPF and CAP_PERFMON.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("trace: no source is given; choose one of %s", strings.Join(traced(cmd), ", "))
			}
			return usageError("trace %s: no such source%s; choose one of %s", args[0], nearest.Hint(args[0], traced(cmd)), strings.Join(traced(cmd), ", "))
		},
	}
	p := cmd.PersistentFlags()
	p.DurationVar(&j.length, "for", 0, "how long to trace (default: until Ctrl-C)")
	p.Int32SliceVarP(&j.pids, "pid", "p", nil, "only these processes: `PID,PID`")
	p.Lookup("pid").DefValue = "" // "[]" would be printed as a default
	p.StringSliceVar(&j.names, "comm", nil, "only processes of these names: `NAME,NAME`")
	p.DurationVar(&j.least, "min", 0, "only what took at least this long")
	p.BoolVar(&j.json, "json", false, "print a JSON object a line")
	j.budget = 1
	p.Var(&j.budget, "event-budget", "share of a core that one BPF program may take before it is detached")
	add := func(use, short, long, example string, interval time.Duration, make func(out io.Writer) tracer) *cobra.Command {
		sub := &cobra.Command{Use: use, Short: short, Long: long, Example: example, Args: noArgs}
		sub.RunE = func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("interval") {
				j.interval = interval
			}
			if err := j.check(cmd); err != nil {
				return err
			}
			return j.run(cmd, make(cmd.OutOrStdout()))
		}
		sub.SetFlagErrorFunc(flagError)
		cmd.AddCommand(sub)
		return sub
	}
	add("exec", "Process creation, exec and exit",
		`Prints a line for every process that begins a program or ends: arguments without
secrets, parent, how long it lived, its CPU time, and its exit status or signal.`,
		`  sudo rtrail trace exec
  sudo rtrail trace exec --comm php --for 10s
  sudo rtrail trace exec --json | jq 'select(.exit_status > 0)'`,
		200*time.Millisecond, func(out io.Writer) tracer { return newExecTrace(&j, out) })
	filter, failed := &fileFilter{}, false
	timeless := func(cmd *cobra.Command, _ []string) error {
		if j.least > 0 {
			return usageError("trace %s has no times: --min does not apply", cmd.Name())
		}
		return nil
	}
	ofFiles := func(cmd *cobra.Command) *cobra.Command {
		cmd.Flags().StringArrayVar(&filter.paths, "path", nil, "only files whose path contains this (may be given several times)")
		return cmd
	}
	opens := add("opens", "Files that are opened, and opens that fail",
		`Prints a line for every call of open, openat, openat2 and creat: time, process,
descriptor or error, and path. A path is the one that the process gave; the
directory is put before a relative one.`,
		`  sudo rtrail trace opens
  sudo rtrail trace opens --failed --comm php-fpm
  sudo rtrail trace opens --path /etc/ --json`,
		200*time.Millisecond, func(out io.Writer) tracer { return newOpensTrace(&j, filter, &failed, out) })
	ofFiles(opens).PreRunE = timeless
	opens.Flags().BoolVar(&failed, "failed", false, "only opens that fail")
	refused := false
	connect := add("connects", "TCP connects of processes, with their time and result",
		`Prints a line for every TCP connect that ends: time, process, both ends, how
long it took until there was an answer (LAT), and the result: connected, an
error, abandoned (closed by the process before there was an answer, as after a
timeout of its own), or not sent (no local port was free).`,
		`  sudo rtrail trace connects
  sudo rtrail trace connects --failed --comm php-fpm
  sudo rtrail trace connects --min 100ms --json`,
		200*time.Millisecond, func(out io.Writer) tracer { return newConnectsTrace(&j, &refused, out) })
	connect.Aliases = []string{"connect"}
	connect.Flags().BoolVar(&refused, "failed", false, "only connects that fail")
	tables := func(use, short, long, example string, make func(out io.Writer) tracer) *cobra.Command {
		sub := add(use, short, long, example, time.Second, make)
		sub.Flags().DurationVar(&j.interval, "interval", 0, "time between two tables (default 1s)")
		sub.Flags().IntVar(&j.top, "top", 20, "how many lines a table has")
		return sub
	}
	tables("offcpu", "How long threads wait, in which function, and who wakes them",
		`Prints a table a second of how long threads did not run: runnable without a CPU
(R), or blocked in a function of the kernel until a thread or an interrupt woke
them. Stacks are sampled by waiting time; the last table sums up the whole run.`,
		`  sudo rtrail trace offcpu
  sudo rtrail trace offcpu -p 4711 --for 10s
  sudo rtrail trace offcpu --comm mariadbd --min 10ms --json`,
		func(out io.Writer) tracer { return newOffCPUTrace(&j, out) })
	tables("locks", "What threads wait for in a futex: locks and conditions, and who releases them",
		`Prints a table a second of the waits for futexes, of which programs make locks
and conditions: threads that wait, for how long, who held a lock while most of
them waited, and the function of the kernel in which that thread slept then. The
kind is "lock" where waiters expect a word that is locked, and "other" for
conditions, semaphores and idle threads. Waits are sampled by their time. Locks
of Java, Go and Python do not show as such. --min is compared with the longest
wait.`,
		`  sudo rtrail trace locks
  sudo rtrail trace locks -p 4711 --for 10s
  sudo rtrail trace locks --json | jq 'select(.kind == "lock")'`,
		func(out io.Writer) tracer { return newLocksTrace(&j, out) })
	tables("syscalls", "System calls of each process: how many, how long, which errors",
		`Prints a table a second of the system calls of each process, those with most
time first: count, time (waits included) and failures, with the most frequent
error. The last table sums up the whole run.`,
		`  sudo rtrail trace syscalls
  sudo rtrail trace syscalls -p 4711 --for 10s --top 0
  sudo rtrail trace syscalls --json | jq 'select(.errors > 100)'`,
		func(out io.Writer) tracer { return newSyscallTrace(&j, out) })
	ofFiles(tables("sync", "Calls that wait until data is on the disk, with their files",
		`Prints a table a second of fsync, fdatasync, sync_file_range, msync, sync and
syncfs: which process waits for which file, how often and how long. A path is
one in the mount namespace of the process. Writes with O_SYNC or O_DSYNC, and
what io_uring does, are not seen. --min is compared with the longest call.`,
		`  sudo rtrail trace sync
  sudo rtrail trace sync --comm redis-server --for 10s
  sudo rtrail trace sync --min 100ms --json`,
		func(out io.Writer) tracer { return newSyncTrace(&j, filter, out) }))
	ofFiles(tables("files", "Files that processes read and write, with bytes and calls",
		`Prints a table a second of what processes did with files, most bytes first:
calls and bytes, writes of less than 4 KiB (small), bytes past the page cache
(direct), opens, new files and deletions. T is R for files, B for block devices,
D for directories and S for the rest. Files that are mapped into memory, and
io_uring, are not seen.`,
		`  sudo rtrail trace files
  sudo rtrail trace files -p 4711 --for 10s --top 0
  sudo rtrail trace files --path /var/log --json`,
		func(out io.Writer) tracer { return newFilesTrace(&j, filter, out) })).PreRunE = timeless
	tables("block", "Requests of disks: time in the queue and in the device",
		`Prints a table a second of the requests that ended, by device, operation and
the process that made them: how many, and how long they waited in the queue and
took in the device. Buffered writes are often made by threads of the kernel.
--min is compared with the longest request.`,
		`  sudo rtrail trace block
  sudo rtrail trace block --comm mariadbd --for 10s
  sudo rtrail trace block --min 100ms --json`,
		func(out io.Writer) tracer { return newBlockTrace(&j, out) })
	caches := tables("cache", "The page cache: hits, misses, writes and removals of each process",
		`Prints a table a second of what processes did to the page cache, in pages: those
asked for that were there (hits) and those that had to be read (misses); of the
misses those that the read itself waited for, where the rest was read ahead
(waited); pages that were added by writing to them (new), clean pages that were
written to (dirtied), and pages that left the cache (removed): by reclaim, by
deletion, or because somebody dropped them.`,
		`  sudo rtrail trace cache
  sudo rtrail trace cache --comm mariadbd --for 10s
  sudo rtrail trace cache --json | jq 'select(.removed_pages > 1000)'`,
		func(out io.Writer) tracer { return newCacheTrace(&j, out) })
	caches.PreRunE = timeless
	var allocator event.Source
	alloc := tables("alloc", "Memory that one process allocates and does not free, by stack",
		`Prints a table a second of the memory that a process asked malloc for since
tracing began: how much, how much of it was not freed yet, and by which code. Of
blocks about one for each 64 KiB is followed until it is freed; larger ones all
are. Go and Java have allocators and profiles of their own. While it runs, a
malloc and its free take some 7 microseconds longer.`,
		`  sudo rtrail trace alloc -p 4711 --for 30s
  sudo rtrail trace alloc -p 4711 --json`,
		func(out io.Writer) tracer { return newAllocTrace(&j, allocator, out) })
	alloc.PreRunE = func(cmd *cobra.Command, _ []string) (err error) {
		if len(j.pids) != 1 || len(j.names) > 0 || j.least > 0 {
			return usageError("trace alloc: it watches one process: rtrail trace alloc -p PID, without --comm and --min")
		}
		if err := j.checkPIDs(cmd); err != nil {
			return err
		}
		allocator, err = allocs.New(j.pids[0], max(j.interval, time.Second))
		return err
	}
	drops := tables("drops", "Packets that the kernel drops, with reason and function",
		`Prints a table a second of packets that the kernel dropped: reason, function,
protocol and port, interface and network namespace, and the addresses of one of
them. Packets belong to no process, so --pid, --comm and --min do not apply.`,
		`  sudo rtrail trace drops
  sudo rtrail trace drops --for 10s --json | jq 'select(.reason == "NETFILTER_DROP")'`,
		func(out io.Writer) tracer { return newDropsTrace(&j, out) })
	ofPackets := func(cmd *cobra.Command, _ []string) error {
		if len(j.pids)+len(j.names) > 0 || j.least > 0 {
			return usageError("trace %s: packets belong to no process and take no time: --pid, --comm and --min do not apply", cmd.Name())
		}
		return nil
	}
	drops.PreRunE = ofPackets
	retransmits := tables("retransmits", "TCP segments that are sent again, and resets, by connection",
		`Prints a table a second of the segments that TCP connections sent again
(segment: data or FIN; SYN, SYN-ACK), and of resets that were sent and received:
local and remote end, state of the connection, and why this host sent a reset.
Refused connects are summed up by their service, and of many connections at a
time those without room of their own by the lower port. Packets belong to no
process, so --pid, --comm and --min do not apply.`,
		`  sudo rtrail trace retransmits
  sudo rtrail trace resets --for 10s --json | jq 'select(.reason == "NO_SOCKET")'`,
		func(out io.Writer) tracer { return newRetransmitsTrace(&j, out) })
	retransmits.Aliases, retransmits.PreRunE = []string{"retransmit", "resets"}, ofPackets
	full := tables("buffers", "Receive buffers of sockets that are full, grow, or cannot",
		`Prints a table a second of receive buffers: those that had no room (full), TCP
that closed its window or threw away what was out of order (zero window,
pruned), sockets for which the protocol had no memory left (no memory); and
connections whose reader took more in a round trip than before: their buffer
grows (grew), is as large as tcp_rmem allows (at limit), or stays as the program
set it (fixed). Sizes count the kernel's own headers, as ss -m does.`,
		`  sudo rtrail trace buffers
  sudo rtrail trace buffers --comm rsyslogd --for 10s
  sudo rtrail trace buffers --json | jq 'select(.kind == "full")'`,
		func(out io.Writer) tracer { return newBuffersTrace(&j, out) })
	full.Aliases, full.PreRunE = []string{"buffer"}, timeless
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

// traced lists what can be traced.
func traced(cmd *cobra.Command) (names []string) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			names = append(names, sub.Name())
		}
	}
	return names
}

// check refuses what cannot be meant.
func (j *traceJob) check(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("for") && j.length <= 0:
		return usageError("--for %v: the time must be positive", j.length)
	case j.interval < 100*time.Millisecond:
		return usageError("--interval %v: the shortest is 100ms", j.interval)
	case j.top < 0:
		return usageError("--top %d: a table cannot have fewer lines than none; 0 is all of them", j.top)
	}
	return j.checkPIDs(cmd)
}

// checkPIDs refuses processes that there are not: nothing would ever be printed.
func (j *traceJob) checkPIDs(cmd *cobra.Command) error {
	for _, pid := range j.pids {
		if pid <= 0 {
			return usageError("--pid %d: PIDs are positive", pid)
		}
		if _, err := os.Lstat(fmt.Sprintf("/proc/%d", pid)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("trace %s: there is no process %d; see: ps -e", cmd.Name(), pid)
		}
	}
	return nil
}

func (j *traceJob) run(cmd *cobra.Command, t tracer) error {
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	finishes(ctx)
	watches(stderr, false)
	p := event.New(t.source(), event.Options{Budget: float64(j.budget)})
	watched := session.Start(session.Options{What: "this host", Probes: []probe.Probe{p}, Interval: j.interval, Slowest: j.interval, About: manifest()})
	defer watched.Close()
	if err := watched.Missing(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	sink := &traceSink{print: t.sample, costs: map[string]*recording.EventProgram{}}
	watched.Into(sink)
	length := j.length
	if length == 0 {
		length = forever
	}
	if err := watched.Run(ctx, length); err != nil {
		return err
	}
	if err := t.end(); err != nil {
		return err
	}
	sink.summary(stderr)
	return nil
}

// wants says whether a process is among those asked for. One that had the name once stays
// among them: programs rename themselves.
func (j *traceJob) wants(pid int32, names ...string) bool {
	if len(j.pids) > 0 && !slices.Contains(j.pids, pid) {
		return false
	}
	if len(j.names) == 0 || j.named[pid] {
		return true
	}
	if !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(j.names, n) }) {
		return false
	}
	if j.named == nil || len(j.named) >= maxNamed {
		j.named = map[int32]bool{}
	}
	j.named[pid] = true
	return true
}

// wantsWaits leaves out the waits of rtrail's own threads, unless they are asked for.
func (j *traceJob) wantsWaits(r *recording.OffCPUWait) bool {
	own := int(r.PID) == os.Getpid()
	return (!own || len(j.pids)+len(j.names) > 0) && j.wants(r.PID, r.Process, r.Thread)
}

// maxNamed bounds how many processes are remembered by name.
const maxNamed = 100_000

// traceSink prints samples as they come.
type traceSink struct {
	print  func(*recording.Recording) error
	costs  map[string]*recording.EventProgram
	unseen []recording.UnseenNote
	errors []string
	lost   int64
	length time.Duration
}

// Commit prints a sample.
func (s *traceSink) Commit(w *recording.Writer) error {
	rec := recording.New(recording.Manifest{})
	if err := rec.Commit(w); err != nil {
		return err
	}
	for _, c := range recording.Rows[recording.EventProgram](rec) {
		if sum := s.costs[c.Program]; sum != nil {
			sum.Runs += c.Runs
			sum.RunTime += c.RunTime
			sum.Attached += c.Attached
			continue
		}
		s.costs[c.Program] = &c
	}
	s.length += countedFor(rec)
	s.unseen = append(s.unseen, recording.Rows[recording.UnseenNote](rec)...)
	for _, run := range recording.Rows[recording.ProbeRun](rec) {
		s.lost += run.Lost
		if run.Error != "" {
			s.errors = append(s.errors, run.Error)
		}
	}
	return s.print(rec)
}

// summary says what was lost, and what tracing cost.
func (s *traceSink) summary(stderr io.Writer) {
	if s.lost > 0 {
		fmt.Fprintf(stderr, "rtrail: %s lost\n", unit.Plural(s.lost, "event", "events"))
	}
	for _, e := range slices.Compact(s.errors) {
		fmt.Fprintf(stderr, "rtrail: %s\n", e)
	}
	var unseen []string
	for _, u := range s.unseen {
		unseen = append(unseen, fmt.Sprintf("%s: %s", u.What, u.Why))
	}
	slices.Sort(unseen)
	for _, u := range slices.Compact(unseen) {
		fmt.Fprintf(stderr, "rtrail: not seen: %s\n", u)
	}
	var names []string
	for name := range s.costs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c := s.costs[name]
		share := 0.0
		if s.length > 0 {
			share = c.RunTime.Seconds() / s.length.Seconds()
		}
		sampled := ""
		if part := c.Attached.Seconds() / s.length.Seconds(); part < 0.95 {
			sampled = fmt.Sprintf("; sampled for %v of the time and scaled up", unit.Share(part))
		}
		fmt.Fprintf(stderr, "%s: %s runs, %v each, %.2g %% of a core%s\n", c.Program, unit.Count(c.Runs), unit.Duration(int64(c.RunTime)/max(c.Runs, 1)), 100*share, sampled)
	}
}
