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
func (EventProgram) Table() Table { return EventPrograms }

func (e ProcessEvent) Time() time.Time { return e.At }
func (e EventProgram) Time() time.Time { return e.At }
