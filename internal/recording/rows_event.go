package recording

import "time"

// Kinds of ProcessEvent.
const (
	ProcessForked = "fork" // a process was made; threads have no rows
	ProcessExec   = "exec" // it began another program
	ProcessExited = "exit" // its last thread ended
)

// ProcessEvent is one thing that happened to a process, told by the kernel as it
// happened.
type ProcessEvent struct {
	At       time.Time     `parquet:"at,timestamp(nanosecond)"` // when it happened
	Kind     string        `parquet:"kind,dict"`                // fork, exec, exit
	PID      int32         `parquet:"pid"`
	PPID     int32         `parquet:"ppid"`                          // of a fork: who made it; else who would be told of its end; 0: outside of the PID namespace
	Started  time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of a process
	Comm     string        `parquet:"comm,dict"`                     // of a fork: the parent's name
	Cmdline  string        `parquet:"cmdline,dict"`                  // of exec, and of an exit after one that was seen: arguments joined by blanks, cut at 256 bytes, secrets masked
	Lifetime time.Duration `parquet:"lifetime_ns"`                   // of an exit: since the process was made; else Unknown
	CPUTime  time.Duration `parquet:"cpu_time_ns"`                   // of an exit: all threads, at least; else Unknown
	Status   int32         `parquet:"exit_status"`                   // of an exit by itself: 0 to 255; else Unknown
	Signal   int32         `parquet:"signal"`                        // that ended it; 0: none
}

// OffCPUWait is how long one thread did not run for one reason in a stretch of
// time that ends with the row. Blocked time is sampled, once for every step of it of a
// thread, so that sums of a few steps are rough; runnable time is exact.
type OffCPUWait struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	PID        int32         `parquet:"pid"`
	TID        int32         `parquet:"tid"`                           // 0: several threads
	Started    time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process    string        `parquet:"process,dict"`
	Thread     string        `parquet:"thread,dict"`
	State      string        `parquet:"state,dict"` // R: runnable, without a CPU; S D T t and others: blocked, as in threads
	Span       time.Duration `parquet:"span_ns"`    // how long the stretch is
	Step       time.Duration `parquet:"step_ns"`    // blocked time that one sample stands for
	Waited     time.Duration `parquet:"waited_ns"`
	Waits      float64       `parquet:"waits"`            // how many, estimated; 0 of runnable time
	Longest    time.Duration `parquet:"longest_ns"`       // of those that were sampled
	Stack      string        `parquet:"stack,dict"`       // in the kernel, innermost first, joined by ';'; "" if not known
	Waker      string        `parquet:"waker,dict"`       // name of the thread that ended it; "": it has not ended, or an interrupt ended it
	WakerPID   int32         `parquet:"waker_pid"`        // 0: none, or out of sight
	WakerTID   int32         `parquet:"waker_tid"`        // of the longest wait
	Interrupt  string        `parquet:"interrupt,dict"`   // kind of interrupt that ended it: timer, network, block; "": none
	WakerStack string        `parquet:"waker_stack,dict"` // in the kernel, as stack
}

// PacketDrop is how many packets the kernel dropped for one reason in one function
// in a stretch of time that ends with the row.
type PacketDrop struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`
	Span        time.Duration `parquet:"span_ns"`       // how long the stretch is
	NetNS       uint64        `parquet:"netns"`         // 0: not known
	Device      string        `parquet:"device,dict"`   // interface; "": none, as of what this host sends
	Reason      string        `parquet:"reason,dict"`   // word of the running kernel without SKB_DROP_REASON_
	Function    string        `parquet:"function,dict"` // of the kernel, that dropped them
	Protocol    string        `parquet:"protocol,dict"` // tcp, udp, icmp, icmpv6, arp and others; ip-N: by number
	Port        uint16        `parquet:"port"`          // to which they went; 0: none, or of several
	Packets     int64         `parquet:"packets"`
	Bytes       int64         `parquet:"bytes"`       // without headers that were taken off before
	Source      string        `parquet:"source,dict"` // address of one of them; "" if not known
	Destination string        `parquet:"destination,dict"`
}

// EventProgram is what one BPF program did at a tracepoint in a stretch of time
// that ends with the row, and what it cost.
type EventProgram struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	Probe      string        `parquet:"probe,dict"`
	Program    string        `parquet:"program,dict"`
	Tracepoint string        `parquet:"tracepoint,dict"`
	Attached   time.Duration `parquet:"attached_ns"` // in the stretch
	Runs       int64         `parquet:"runs"`
	RunTime    time.Duration `parquet:"run_time_ns"` // of all CPUs
	Missed     int64         `parquet:"missed"`      // runs that the kernel left out
	Stopped    bool          `parquet:"stopped"`     // it was detached because of its cost
}

func (ProcessEvent) Table() Table { return ProcessEvents }
func (OffCPUWait) Table() Table   { return OffCPU }
func (PacketDrop) Table() Table   { return PacketDrops }
func (EventProgram) Table() Table { return EventPrograms }
