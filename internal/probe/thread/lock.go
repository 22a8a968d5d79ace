package thread

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Of linux/futex.h, and of glibc's struct __pthread_mutex_s.
const (
	futexWait       = 0
	futexLockPI     = 6
	futexWaitBitset = 9
	futexLockPI2    = 13
	futexCommand    = 0x7f       // without flags
	futexTID        = 0x3fffffff // in the word of a lock that names its owner
	futexWaiters    = 0x80000000
	contended       = 2    // the word of a mutex that is held and waited for
	mutexKind       = 0x7f // without flags
	maxNormalKind   = 3    // normal, recursive, error-checking, adaptive
	robustKind      = 16
)

// futexCall is the wait for a futex that a thread is in.
type futexCall struct {
	address  uint64 // 0: it is in no such call
	expected uint32
	pi       bool // the kernel knows the owner by the word
	timed    bool // the wait may end by itself
}

// parseFutex reads the line of /proc/PID/task/TID/syscall of a thread that may wait
// for a lock.
func parseFutex(b []byte) futexCall {
	if parseSyscall(b) != unix.SYS_FUTEX {
		return futexCall{}
	}
	var v [5]uint64
	for i := range v {
		var field []byte
		field, b = procfile.Field(b)
		if i > 0 {
			n, err := strconv.ParseUint(string(bytes.TrimPrefix(field, []byte("0x"))), 16, 64)
			if err != nil {
				return futexCall{}
			}
			v[i] = n
		}
	}
	c := futexCall{address: v[1], expected: uint32(v[3]), timed: v[4] != 0}
	if c.address == 0 {
		return futexCall{}
	}
	switch v[2] & futexCommand {
	case futexLockPI, futexLockPI2:
		c.pi = true
	case futexWait, futexWaitBitset:
		if c.expected != contended && c.expected&futexWaiters == 0 {
			return futexCall{} // a condition, a semaphore, an idle thread
		}
	default:
		return futexCall{}
	}
	return c
}

// mutex is what begins at the word of a futex if that is one of a mutex of glibc.
type mutex struct{ lock, _, owner, users, kind uint32 }

const mutexSize = int(unsafe.Sizeof(mutex{}))

// owner is the thread that holds the lock, as the process numbers it; 0: this is no
// lock, or nobody holds it.
func (c futexCall) owner(b []byte) uint32 {
	if len(b) < 4 {
		return 0
	}
	word := binary.NativeEndian.Uint32(b)
	if c.pi {
		return word & futexTID
	}
	if len(b) < mutexSize || word != c.expected {
		return 0
	}
	m := mutex{lock: word, owner: binary.NativeEndian.Uint32(b[8:]), users: binary.NativeEndian.Uint32(b[12:]), kind: binary.NativeEndian.Uint32(b[16:])}
	robust := m.kind&robustKind != 0
	switch {
	case m.users == 0 || m.kind&mutexKind&^robustKind > maxNormalKind:
		return 0
	case robust && m.lock&futexTID == m.owner, !robust && m.lock == contended:
		return m.owner
	}
	return 0
}

// lock adds a row if the wait of a thread is one for a lock of which the owner is known.
func (p *Probe) lock(w *watched, t *thread) {
	if t.futex.address == 0 || t.row.State != "S" || !p.dir.Live() {
		return
	}
	holder := p.holder(w, t.futex)
	if holder == 0 {
		return
	}
	w.locked = p.began
	p.locks = append(p.locks, recording.LockWait{At: t.row.At, PID: w.PID, TID: t.tid, Thread: t.row.Comm, Lock: t.futex.address, Holder: holder, Timed: t.futex.timed, Slices: t.row.Slices})
}

// holder reads who holds a lock: a thread of the same process, else 0.
func (p *Probe) holder(w *watched, c futexCall) int32 {
	size := mutexSize
	if c.pi {
		size = 4
	}
	owner := int32(c.owner(p.memory.Read(w.PID, c.address, size)) & futexTID)
	if owner == 0 {
		return 0
	}
	if w.nested == unknownYet {
		w.nested = p.isNested(w.PID)
	}
	if w.inside == nil {
		w.inside = make(map[int32]int32, len(w.threads))
		for i, t := range w.threads {
			switch {
			case w.nested == no:
				w.inside[t.tid] = t.tid
			case i < perSweep: // each costs reading a file
				w.inside[p.inner(w.PID, t)] = t.tid
			}
		}
	}
	return w.inside[owner]
}

// answer is yes or no, or was not asked for.
type answer int8

const (
	unknownYet answer = iota
	yes
	no
)

// isNested says whether a process has a PID namespace of its own, in which its threads
// have other numbers.
func (p *Probe) isNested(pid int32) answer {
	if _, levels := p.innermost(census.Name(pid, "status")); levels > 1 {
		return yes
	}
	return no
}

// inner is the number of a thread in its own PID namespace.
func (p *Probe) inner(pid int32, t *thread) int32 {
	if t.inner == 0 {
		t.inner, _ = p.innermost(census.TaskName(pid, t.tid, "status"))
	}
	return t.inner
}

// innermost reads the line NSpid of a status file: a number for each namespace.
func (p *Probe) innermost(name string) (number int32, levels int) {
	b, err := p.dir.Read(name)
	if err != nil {
		return 0, 0
	}
	for line := range procfile.Lines(b) {
		if rest, ok := bytes.CutPrefix(line, []byte("NSpid:")); ok {
			for _, f := range bytes.Fields(rest) {
				n, _ := procfile.Int(f)
				number, levels = int32(n), levels+1
			}
			break
		}
	}
	return number, levels
}

const (
	// sweepAgain is how long it takes until the threads of a process that rests are
	// asked again for locks that they wait for.
	sweepAgain = 30 * time.Second
	// sweepStill is the same of one none of whose threads was put on a CPU since: each is
	// in the wait in which it was.
	sweepStill = 5 * time.Minute
	// perSweep bounds how many are asked after one count.
	perSweep = 300
)

// restsUnasked says whether a process rests and is to be asked for locks: of a deadlock
// no thread does anything, so that nothing else would draw attention to it. Processes
// are asked in the order of their PIDs, those behind the ones that had a turn first.
func (p *Probe) restsUnasked(e *census.Entry) bool {
	if e.PID <= p.sweepFrom || e.Kernel || !asleep(state(e.State)) || e.State == 'Z' || !p.dir.Live() || e.PID == p.own {
		return false
	}
	was, done := p.swept[e.Key()]
	if !done {
		return true
	}
	again := sweepAgain
	if e.Counted && e.Total.Slices == was.slices {
		again = sweepStill
	}
	return p.began.Sub(was.at) >= again
}

// sweptAt is when a process was asked for locks, and how often its threads had been put on a
// CPU until the count before.
type sweptAt struct {
	at     time.Time
	slices int64
}

// sweepAll asks threads of processes that rest for locks, as many as the bound allows,
// and queues the processes that have some.
func (p *Probe) sweepAll(list []census.Entry, count int64) {
	threads := 0
	for i := range list {
		e := &list[i]
		if threads >= perSweep {
			return
		}
		k := e.Key()
		p.swept[k], p.sweepFrom = sweptAt{p.began, e.Total.Slices}, e.PID
		w := &watched{Entry: *e, round: count}
		locked, asked := p.sweep(w, perSweep-threads)
		threads += asked
		if !locked || p.foreign(e.PID) {
			continue
		}
		w.locked = p.began
		if old := p.known[k]; old != nil {
			p.drop(old)
		}
		p.known[k] = w
		p.queue = append(p.queue, w)
	}
	if len(list) < perSweep {
		p.sweepFrom = 0 // from the beginning, once they are due
	}
}

// sweep looks for locks among threads of a process, up to a number of them. It says
// whether there are any, and how many threads were asked.
func (p *Probe) sweep(w *watched, most int) (locked bool, asked int) {
	p.list(w)
	for _, t := range w.threads[:min(most, len(w.threads))] {
		asked++
		b, err := p.dir.Read(census.TaskName(w.PID, t.tid, "syscall"))
		if census.Denied(err) {
			return false, asked
		}
		if c := parseFutex(b); err == nil && c.address != 0 && p.holder(w, c) != 0 {
			return true, asked
		}
	}
	return false, asked
}
