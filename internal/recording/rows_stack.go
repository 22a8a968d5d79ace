package recording

import "time"

// Kinds of stacks: what a count of 1 stands for.
const (
	StackDump   = "dump"    // one thread in a dump of all threads, running or not
	StackOnCPU  = "on-cpu"  // one sample of a thread that ran
	StackOffCPU = "off-cpu" // one sleeping thread in one look at all threads
)

// StackSample is one stack of frames of one source, and how many threads or
// samples had it. Frames are names of functions without parameters, innermost
// first, joined by ';'.
type StackSample struct {
	At      time.Time `parquet:"at,timestamp(nanosecond)"`
	Source  string    `parquet:"source,dict"`  // file name, or "pid 812"
	Kind    string    `parquet:"kind,dict"`    // dump, on-cpu, off-cpu
	PID     int32     `parquet:"pid"`          // -1: the source does not say
	Process string    `parquet:"process,dict"` // "" when the source does not say
	TID     int32     `parquet:"tid"`          // of one of the threads; -1: the source does not say
	Thread  string    `parquet:"thread,dict"`  // name of that thread
	State   string    `parquet:"state,dict"`   // as the source words it: RUNNABLE, S, chan receive
	Frames  string    `parquet:"frames"`
	Object  string    `parquet:"object,dict"` // what the threads wait for, where arguments or locations of the frames tell: "table_cache_manager+64, table_cache.h:115"
	Count   int64     `parquet:"count"`       // threads or samples, over all dumps or looks of the source
	Samples int64     `parquet:"samples"`     // dumps or looks the source holds; of on-cpu: all samples of the process
}

// StackLock is one lock in a dump that names locks, as those of a Java VM do.
type StackLock struct {
	At        time.Time `parquet:"at,timestamp(nanosecond)"`
	Source    string    `parquet:"source,dict"`
	PID       int32     `parquet:"pid"`  // -1: the source does not say
	Lock      string    `parquet:"lock"` // its address
	Class     string    `parquet:"class,dict"`
	Holder    string    `parquet:"holder,dict"` // name of the thread that has it; "" when no thread of the dump does
	HolderTID int32     `parquet:"holder_tid"`
	Held      string    `parquet:"held"`    // the holder's stack, as in stacks
	Waiter    string    `parquet:"waiter"`  // name of one thread that wants it
	Waiters   int64     `parquet:"waiters"` // threads that want it
	Cycle     int32     `parquet:"cycle"`   // number of the deadlock it is part of, from 1; 0: of none
}

func (StackSample) Table() Table { return Stacks }
func (StackLock) Table() Table   { return StackLocks }
