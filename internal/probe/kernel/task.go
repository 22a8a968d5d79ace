package kernel

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"time"
)

//go:generate ./build task

//go:embed task.o
var taskObject []byte

// Tasks reads all tasks of rtrail's PID namespace. It is not for concurrent use.
type Tasks struct{ all *Iterator }

// OpenTasks loads the program.
func OpenTasks(l *Loader) (*Tasks, error) {
	iterators, err := l.Iterators(taskObject)
	if err != nil {
		return nil, err
	}
	return &Tasks{all: iterators["tasks"]}, nil
}

// Close removes the program from the kernel.
func (t *Tasks) Close() error { return t.all.Close() }

// Task is one thread as the kernel keeps it (include/linux/sched.h).
type Task struct {
	TID, TGID, PPID int32 // in rtrail's PID namespace; PPID 0: outside of it
	State           byte  // the letter of /proc/TID/stat
	Kernel          bool  // a kernel thread
	Nice            int32
	Threads         int32     // of its process
	Processor       int32     // the one it runs or ran on; -1: not known
	Start           uint64    // ns since boot, suspend included; with TID its identity
	At              time.Time // when it was read, with the others of its batch
	Comm            Comm      // of kernel threads /proc has a longer one
	Counters
	// Group is what ended threads of the process left behind, and what its
	// reaped children used; only in the row of a main thread, as is
	// all that follows.
	Group       Counters
	ChildUser   time.Duration
	ChildSystem time.Duration
	// CgroupSet is the same for processes that are in the same control groups,
	// 0 if not known. It means nothing beyond the life of the last of them.
	CgroupSet uint64
	NetNS     uint64 // inode of the network namespace; 0 of processes that ended
	UID       int64  // real; -1 when rtrail runs in a user namespace
}

// Counters are what the kernel adds up for every thread. RunDelay and Slices
// of ended threads are not kept by the kernel.
type Counters struct {
	RunTime     time.Duration // on a CPU (se.sum_exec_runtime)
	RunDelay    time.Duration // runnable, waiting for a CPU (sched_info.run_delay)
	Slices      int64         // times put on a CPU (sched_info.pcount)
	Voluntary   int64         // context switches (nvcsw)
	Involuntary int64         // context switches (nivcsw)
	MinorFaults int64
	MajorFaults int64
	IO          IO
}

// IO is what /proc/PID/io shows (struct task_io_accounting).
type IO struct {
	ReadChars, WriteChars, ReadCalls, WriteCalls int64
	ReadBytes, WriteBytes, Cancelled             int64
}

// Add adds what another thread did.
func (c *Counters) Add(o *Counters) {
	c.RunTime += o.RunTime
	c.RunDelay += o.RunDelay
	c.Slices += o.Slices
	c.Voluntary += o.Voluntary
	c.Involuntary += o.Involuntary
	c.MinorFaults += o.MinorFaults
	c.MajorFaults += o.MajorFaults
	c.IO.ReadChars += o.IO.ReadChars
	c.IO.WriteChars += o.IO.WriteChars
	c.IO.ReadCalls += o.IO.ReadCalls
	c.IO.WriteCalls += o.IO.WriteCalls
	c.IO.ReadBytes += o.IO.ReadBytes
	c.IO.WriteBytes += o.IO.WriteBytes
	c.IO.Cancelled += o.IO.Cancelled
}

// Little says that next to nothing was done since an earlier reading: less than
// half a tick of time on a CPU or waiting for one, no memory touched, no I/O. What
// /proc tells in ticks and of memory is then what it was: also a leak of a page a
// second has its row in each sample.
func (c *Counters) Little(before *Counters) bool {
	const halfTick = 5 * time.Millisecond
	return c.RunTime-before.RunTime < halfTick && c.RunDelay-before.RunDelay < halfTick &&
		c.MinorFaults == before.MinorFaults && c.MajorFaults == before.MajorFaults &&
		c.IO.ReadBytes == before.IO.ReadBytes && c.IO.WriteBytes == before.IO.WriteBytes
}

// AtLeast raises every counter that is below the same one of an earlier reading.
func (c *Counters) AtLeast(o *Counters) {
	c.RunTime = max(c.RunTime, o.RunTime)
	c.RunDelay = max(c.RunDelay, o.RunDelay)
	c.Slices = max(c.Slices, o.Slices)
	c.Voluntary = max(c.Voluntary, o.Voluntary)
	c.Involuntary = max(c.Involuntary, o.Involuntary)
	c.MinorFaults = max(c.MinorFaults, o.MinorFaults)
	c.MajorFaults = max(c.MajorFaults, o.MajorFaults)
	c.IO.ReadChars = max(c.IO.ReadChars, o.IO.ReadChars)
	c.IO.WriteChars = max(c.IO.WriteChars, o.IO.WriteChars)
	c.IO.ReadCalls = max(c.IO.ReadCalls, o.IO.ReadCalls)
	c.IO.WriteCalls = max(c.IO.WriteCalls, o.IO.WriteCalls)
	c.IO.ReadBytes = max(c.IO.ReadBytes, o.IO.ReadBytes)
	c.IO.WriteBytes = max(c.IO.WriteBytes, o.IO.WriteBytes)
	c.IO.Cancelled = max(c.IO.Cancelled, o.IO.Cancelled)
}

// Main says whether this is the first thread of its process, which gives the
// process its PID.
func (t *Task) Main() bool { return t.TID == t.TGID }

// Comm is the name of a thread, with zeros behind it (TASK_COMM_LEN of
// include/linux/sched.h).
type Comm [16]byte

// Bytes is the name without the zeros.
func (c *Comm) Bytes() []byte {
	if end := bytes.IndexByte(c[:], 0); end >= 0 {
		return c[:end]
	}
	return c[:]
}

// Each visits every task once, in ascending order of TID. The task is valid
// during the call. Before the row of a main thread is parsed, same is asked
// whether it is already known, byte by byte: then it is not visited. Most of
// them sleep, and comparing costs a tenth of parsing.
func (t *Tasks) Each(same func(pid int32, row []byte, at time.Time) bool, visit func(*Task)) error {
	var task Task
	var wrong error
	err := t.all.Each(func(b []byte) (used int) {
		at := time.Now()
		for wrong == nil {
			if row := b[used:]; len(row) >= groupRow && binary.NativeEndian.Uint32(row) == groupRow {
				if same(int32(binary.NativeEndian.Uint32(row[4:])), row[:groupRow], at) {
					used += groupRow
					continue
				}
			}
			var n int
			if n, wrong = task.parse(b[used:]); n == 0 {
				break
			}
			used += n
			task.At = at
			if task.TID != 0 { // 0: it left the namespace while it was read
				visit(&task)
			}
		}
		if wrong != nil {
			return len(b)
		}
		return used
	})
	if err == nil {
		err = wrong
	}
	return err
}

// Sizes of struct task_row and struct group_row of bpf/task.c.
const (
	taskRow  = 40 + 8 + 3*8 + 4*8 + 7*8 + 16
	groupRow = MainRow

	// MainRow is the size of the row of a main thread.
	MainRow = taskRow + 3*8 + 4*8 + 7*8 + 8 + 2*4
)

// parse reads the first row of b and returns its size; 0 if b does not hold all
// of it.
func (t *Task) parse(b []byte) (int, error) {
	if len(b) < 4 {
		return 0, nil
	}
	size := int(binary.NativeEndian.Uint32(b))
	if size != taskRow && size != groupRow {
		return 0, fmt.Errorf("parse a task: a row of %d bytes, not %d or %d", size, taskRow, groupRow)
	}
	if len(b) < size {
		return 0, nil
	}
	w := words{b[:size]}
	w.u32()
	*t = Task{TID: w.s32(), TGID: w.s32(), PPID: w.s32()}
	state, exit := w.u32(), w.u32()
	t.Kernel = w.u32()&kernelThread != 0
	t.State = stateLetter(state, exit)
	t.Threads = w.s32()
	t.Nice = w.s32() - defaultPriority
	t.Processor = w.s32()
	t.Start = w.u64()
	t.RunTime, t.RunDelay, t.Slices = time.Duration(w.s64()), time.Duration(w.s64()), w.s64()
	w.counters(&t.Counters)
	copy(t.Comm[:], w.b)
	w.b = w.b[len(t.Comm):]
	if size == groupRow {
		t.Group.RunTime = time.Duration(w.s64())
		t.ChildUser, t.ChildSystem = time.Duration(w.s64()), time.Duration(w.s64())
		w.counters(&t.Group)
		t.CgroupSet, t.NetNS = w.u64(), uint64(w.u32())
		t.UID = int64(w.s32()) // no user has the largest number
	}
	return size, nil
}

// words takes numbers off the front of a row whose size was checked.
type words struct{ b []byte }

func (w *words) u32() uint32 {
	n := binary.NativeEndian.Uint32(w.b)
	w.b = w.b[4:]
	return n
}

func (w *words) u64() uint64 {
	n := binary.NativeEndian.Uint64(w.b)
	w.b = w.b[8:]
	return n
}

func (w *words) s32() int32 { return int32(w.u32()) }

// s64 reads a counter. None gets so large that it would become negative.
func (w *words) s64() int64 { return max(int64(w.u64()), 0) }

// counters reads the members that a task and its group have in common.
func (w *words) counters(c *Counters) {
	c.Voluntary, c.Involuntary, c.MinorFaults, c.MajorFaults = w.s64(), w.s64(), w.s64(), w.s64()
	i := &c.IO
	i.ReadChars, i.WriteChars, i.ReadCalls, i.WriteCalls = w.s64(), w.s64(), w.s64(), w.s64()
	i.ReadBytes, i.WriteBytes, i.Cancelled = w.s64(), w.s64(), w.s64()
}

// Of include/linux/sched.h and include/linux/sched/prio.h.
const (
	kernelThread    = 0x00200000 // PF_KTHREAD
	defaultPriority = 120        // DEFAULT_PRIO: nice 0

	taskUninterruptible = 0x02
	taskReport          = 0x7f   // TASK_REPORT: the states with a letter
	taskIdle            = 0x0402 // TASK_UNINTERRUPTIBLE | TASK_NOLOAD
	taskLockWait        = 0x1000 // TASK_RTLOCK_WAIT
	taskFrozen          = 0x8000 // TASK_FROZEN, since Linux 6.1
)

// stateLetter does what task_state_index and task_index_to_char do in
// include/linux/sched.h.
func stateLetter(state, exit uint32) byte {
	const letters = "RSDTtXZP"
	if state&taskIdle == taskIdle {
		return 'I'
	}
	shown := (state | exit) & taskReport
	if state&(taskLockWait|taskFrozen) != 0 {
		shown = taskUninterruptible
	}
	index := 0
	for ; shown != 0; shown >>= 1 {
		index++
	}
	return letters[index]
}
