package recording

import "time"

// Unknown marks a number that could not be read: no permission, no such file
// in this kernel, accounting switched off. It is never a measured value.
const Unknown = -1

// ProcessSample is one process, from /proc/PID. Counters run since the process
// began; with threads they hold the sum over all of them, ended ones included.
// Numbers that could not be read are Unknown (-1), never 0.
type ProcessSample struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`
	PID         int32         `parquet:"pid"`
	PPID        int32         `parquet:"ppid"`
	Started     time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of a process
	Comm        string        `parquet:"comm,dict"`                     // at most 15 bytes
	Cmdline     string        `parquet:"cmdline,dict"`                  // arguments joined by blanks, cut at 256 bytes, secrets masked
	Kernel      bool          `parquet:"kernel"`                        // a kernel thread
	State       string        `parquet:"state,dict"`                    // R S D Z T t I X, of the main thread
	UID         int64         `parquet:"uid"`                           // real user; in older recordings the effective one
	Threads     int32         `parquet:"threads"`
	Nice        int32         `parquet:"nice"`
	Cgroup      string        `parquet:"cgroup,dict"`     // path in the hierarchy that limits it; v1: of the cpu controller
	MemCgroup   string        `parquet:"mem_cgroup,dict"` // v1: of the memory controller; v2: same as Cgroup
	IOCgroup    string        `parquet:"io_cgroup,dict"`  // v1: of the blkio controller; v2: same as Cgroup
	NetNS       uint64        `parquet:"netns"`           // 0: not readable
	Full        bool          `parquet:"full"`            // all fields were read, or the process did not run since they were; a light row holds those of /proc/PID/stat and, with BPF iterators, the counters of scheduling and I/O; the rest is Unknown or empty
	User        time.Duration `parquet:"user_ns"`
	System      time.Duration `parquet:"system_ns"`
	ChildUser   time.Duration `parquet:"child_user_ns"` // of children that ended and were waited for
	ChildSystem time.Duration `parquet:"child_system_ns"`
	RunTime     time.Duration `parquet:"run_time_ns"`    // on CPU, all live threads; with BPF iterators also those that ended
	RunDelay    time.Duration `parquet:"run_delay_ns"`   // runnable but waiting for a CPU, all live threads
	BlockDelay  time.Duration `parquet:"block_delay_ns"` // waiting for block I/O; taskstats with delay accounting, else Unknown
	SwapDelay   time.Duration `parquet:"swap_delay_ns"`  // waiting for swap-in; same
	Voluntary   int64         `parquet:"voluntary"`      // context switches, all live threads
	Involuntary int64         `parquet:"involuntary"`
	MinorFaults int64         `parquet:"minor_faults"`
	MajorFaults int64         `parquet:"major_faults"`
	VirtualSize int64         `parquet:"virtual_size_bytes"` // bytes, as the rest
	RSS         int64         `parquet:"rss_bytes"`
	Anon        int64         `parquet:"anon_bytes"`  // RssAnon
	File        int64         `parquet:"file_bytes"`  // RssFile
	Shmem       int64         `parquet:"shmem_bytes"` // RssShmem
	Swap        int64         `parquet:"swap_bytes"`  // VmSwap
	ReadChars   int64         `parquet:"rchar_bytes"` // bytes asked for by read(2) and friends
	WriteChars  int64         `parquet:"wchar_bytes"`
	ReadCalls   int64         `parquet:"syscr"`
	WriteCalls  int64         `parquet:"syscw"`
	ReadBytes   int64         `parquet:"read_bytes"`  // fetched from storage
	WriteBytes  int64         `parquet:"write_bytes"` // dirtied, to go to storage
	Cancelled   int64         `parquet:"cancelled_write_bytes"`
	WaitChannel string        `parquet:"wchan,dict"`   // kernel function the main thread sleeps in
	NoHugePages bool          `parquet:"thp_disabled"` // it asked the kernel for no transparent huge pages; since Linux 5.0
}

// ThreadSample is what one thread was doing at one instant. Only threads of
// processes that did something lately are sampled. Of a process that does next
// to nothing, what a sleeping thread waits in may be up to two samples older than
// the rest of the row.
type ThreadSample struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`
	PID         int32         `parquet:"pid"`
	TID         int32         `parquet:"tid"`
	Comm        string        `parquet:"comm,dict"`
	State       string        `parquet:"state,dict"`
	CPUTime     time.Duration `parquet:"cpu_time_ns"`  // on CPU since the thread began; Unknown if not readable
	RunDelay    time.Duration `parquet:"run_delay_ns"` // waiting for a CPU since the thread began
	Slices      int64         `parquet:"slices"`       // times it was put on a CPU
	Syscall     int32         `parquet:"syscall"`      // number; -1: not in one or not readable
	FD          int32         `parquet:"fd"`           // descriptor of the file that it reads, writes or syncs in state D; -1: none
	SyscallName string        `parquet:"syscall_name,dict"`
	WaitChannel string        `parquet:"wchan,dict"`
	Stack       string        `parquet:"stack,dict"` // kernel stack, innermost first, joined by ';'; "" when not readable
	Processor   int32         `parquet:"processor"`  // the CPU that it runs or ran on; -1: not known
	Input       bool          `parquet:"input"`      // waits for its standard input in read(2)
}

// LockWait is one thread that waited, at one instant, for a lock of its program that
// another thread of the process held: a mutex of glibc, or one with priority
// inheritance. The memory of the process tells who. Locks that are made of conditions,
// and waits for conditions, have no rows. At is that of the thread's row in threads.
type LockWait struct {
	At     time.Time `parquet:"at,timestamp(nanosecond)"`
	PID    int32     `parquet:"pid"`
	TID    int32     `parquet:"tid"` // that waits
	Thread string    `parquet:"thread,dict"`
	Lock   uint64    `parquet:"lock"`   // its address in the process
	Holder int32     `parquet:"holder"` // TID of the thread that held it; the same as tid: it waits for itself
	Timed  bool      `parquet:"timed"`  // the wait ends by itself after some time
	Slices int64     `parquet:"slices"` // times the waiting thread was put on a CPU: the same in two rows means that it never ran between them; Unknown if not readable
}

// LimitSample holds the resource limits of one process that rules ask for, and
// how much of them is used, from /proc/PID/limits and /proc/PID/fd.
// Unlimited is math.MaxInt64, not readable is Unknown.
type LimitSample struct {
	At        time.Time `parquet:"at,timestamp(nanosecond)"`
	PID       int32     `parquet:"pid"`
	Files     int64     `parquet:"files"` // descriptors open right now
	FilesSoft int64     `parquet:"files_soft"`
	FilesHard int64     `parquet:"files_hard"`
	ProcsSoft int64     `parquet:"procs_soft"`
}

// CgroupSample is one control group. On v2 one row holds everything; on v1 the
// probe merges the controllers that share a path, and a hybrid host gives both.
// Limits that are not set are math.MaxInt64, values not readable or belonging
// to controllers that are not enabled are Unknown. Counters run since the
// group was made.
type CgroupSample struct {
	At            time.Time     `parquet:"at,timestamp(nanosecond)"`
	Path          string        `parquet:"path,dict"`
	Version       int32         `parquet:"version"`   // 1 or 2
	Processes     int32         `parquet:"processes"` // in the group itself; counted in the first and last sample and now and then between, else Unknown, as for the root group
	CPUTime       time.Duration `parquet:"cpu_time_ns"`
	Quota         time.Duration `parquet:"quota_ns"` // CPU time allowed per Period
	Period        time.Duration `parquet:"period_ns"`
	Periods       int64         `parquet:"nr_periods"` // in which the group was runnable
	Throttled     int64         `parquet:"nr_throttled"`
	ThrottledTime time.Duration `parquet:"throttled_time_ns"` // summed over CPUs
	CPUSet        string        `parquet:"cpuset,dict"`       // effective CPUs, as 0-1
	Memory        int64         `parquet:"memory_bytes"`
	MemoryMax     int64         `parquet:"memory_max_bytes"`
	MemoryHigh    int64         `parquet:"memory_high_bytes"`
	SwapUsed      int64         `parquet:"swap_bytes"`
	SwapMax       int64         `parquet:"swap_max_bytes"`
	Anon          int64         `parquet:"anon_bytes"`
	File          int64         `parquet:"file_bytes"`
	Shmem         int64         `parquet:"shmem_bytes"` // of File: tmpfs and shared memory, that only swap can free; 0 in older recordings
	InactiveFile  int64         `parquet:"inactive_file_bytes"`
	ActiveFile    int64         `parquet:"active_file_bytes"`      // 0 in older recordings, as the next one
	Reclaimable   int64         `parquet:"slab_reclaimable_bytes"` // kernel memory that it can take back, as of names and inodes; v2
	EventsHigh    int64         `parquet:"events_high"`            // throttled at the high limit, as the next two without groups below
	EventsMax     int64         `parquet:"events_max"`             // hit the hard limit; v1: failcnt
	EventsOOM     int64         `parquet:"events_oom"`
	OOMKills      int64         `parquet:"oom_kill"`
	MajorFaults   int64         `parquet:"major_faults"`
	RefaultFile   int64         `parquet:"refault_file"`
	CPUStall      time.Duration `parquet:"cpu_stall_ns"` // pressure, "some" total
	MemoryStall   time.Duration `parquet:"memory_stall_ns"`
	ReadBytes     int64         `parquet:"read_bytes"` // block I/O, all devices
	WriteBytes    int64         `parquet:"write_bytes"`
	Reads         int64         `parquet:"reads"`
	Writes        int64         `parquet:"writes"`
	IOLimits      string        `parquet:"io_limits"` // "MAJ:MIN rbps=N wbps=N riops=N wiops=N" joined by ';', unset ones left out
	IODone        string        `parquet:"io_done"`   // what the group did on the devices with limits: "MAJ:MIN rbytes=N wbytes=N rios=N wios=N" joined by ';'; "" without limits, and in older recordings. v1: without the groups below, which a limit does not bind
	Pids          int64         `parquet:"pids"`
	PidsMax       int64         `parquet:"pids_max"`
	PidsEvents    int64         `parquet:"pids_events"` // forks refused
	// The following are read where there is such a limit; those but the first now
	// and then only.
	MemswFailures  int64 `parquet:"memsw_failures"`     // v1: memory and swap together hit their limit; Linux 6.18 and others that count only failures of memory and huge pages show 0
	KmemFailures   int64 `parquet:"kmem_failures"`      // v1, older kernels: kernel memory refused at its limit
	SocketFailures int64 `parquet:"kmem_tcp_failures"`  // v1, older kernels: memory refused to TCP sockets at its limit
	HugeFailures   int64 `parquet:"huge_page_failures"` // huge pages of all sizes refused at the limit
}

func (ProcessSample) Table() Table { return Processes }
func (ThreadSample) Table() Table  { return Threads }
func (LockWait) Table() Table      { return Locks }
func (LimitSample) Table() Table   { return Limits }
func (CgroupSample) Table() Table  { return Cgroups }
