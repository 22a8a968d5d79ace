package stack

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/probe/procmem"
)

// Asleep is a thread as it went to sleep: its registers, and the upper part of its stack.
type Asleep struct {
	Process   Process
	TID       int32
	PC, SP    uint64
	Frame     uint64    // frame pointer: rbp, x29
	Preserved [5]uint64 // on x86-64 rbx, r12 to r15
	Stack     []byte    // from SP on; nil: it still sleeps, and its stack is read now
}

// Callers are the frames of a thread, innermost first: addresses in the functions that
// called, not those that calls return to.
type Callers struct {
	Frames []uint64
	Cut    bool // there are more, beyond what was copied of the stack or is followed
}

// frame is how to find the caller from an address of a file.
type frame struct {
	row   row
	ra    uint64
	known bool // else by frame pointers
	bad   bool // what is described cannot be followed
}

const (
	// maxLookedUp is how often in one call of Follow the mappings of a process are read
	// again because an address is in none of them.
	maxLookedUp = 16
	// maxFollowing is how long one call of Follow may take: a copy takes some 20 us.
	maxFollowing = 200 * time.Millisecond
	// maxStackBytes is how far above the stack pointer a frame may be: the usual limit of a
	// stack. What points beyond is no frame pointer.
	maxStackBytes = 8 << 20
)

// Follow finds the callers of threads: by call frame information where the code has it, else
// by frame pointers. Stacks of threads that still sleep are read through memory. Those for
// which there is no time are left out.
func (c *Code) Follow(list []Asleep, memory *procmem.Reader) []Callers {
	f := &follower{Code: c, indexes: map[codeAt]*frameIndex{}, again: map[Process]bool{}, until: time.Now().Add(maxFollowing)}
	defer f.close()
	all := make([]Callers, len(list))
	for i := range list {
		if f.late() {
			break
		}
		_ = crash.Guard(func() error { // what files say of frames is somebody else's
			if a := &list[i]; a.Stack != nil || a.copy(memory) {
				all[i] = f.follow(a)
			}
			return nil
		})
	}
	return all
}

// follower is one call of Follow.
type follower struct {
	*Code
	files   []*os.File
	indexes map[codeAt]*frameIndex // nil: the file has none
	again   map[Process]bool       // whose mappings were read again
	until   time.Time
}

func (f *follower) late() bool { return time.Now().After(f.until) }

func (f *follower) close() {
	for _, file := range f.files {
		file.Close()
	}
}

// copy reads the stack of a thread that sleeps; false: it woke meanwhile.
func (a *Asleep) copy(memory *procmem.Reader) bool {
	path := fmt.Sprintf("/proc/%d/task/%d/syscall", a.Process.PID, a.TID)
	there := func() bool {
		text, err := os.ReadFile(path)
		sp, pc, ok := userPlace(string(text))
		return err == nil && ok && sp == a.SP && pc == a.PC
	}
	if !there() {
		return false
	}
	a.Stack = memory.Read(a.Process.PID, a.SP, sleepStack)
	return len(a.Stack) > 0 && there()
}

// registers are those with which following begins.
func (a *Asleep) registers() (r registers) {
	r.set(regPC, a.PC)
	r.set(regSP, a.SP)
	r.set(regBP, a.Frame)
	if followsFrames {
		for i, n := range []int{3, 12, 13, 14, 15} {
			r.set(n, a.Preserved[i])
		}
	}
	return r
}

func (f *follower) follow(a *Asleep) (c Callers) {
	regs := a.registers()
	copied := stackMemory(a.Stack, a.SP)
	end, beyond := a.SP+uint64(len(a.Stack)), false
	read := func(at uint64) (uint64, bool) {
		v, ok := copied(at)
		beyond = beyond || !ok && at >= end-min(end, 7) && at-a.SP < maxStackBytes
		return v, ok
	}
	for len(c.Frames) < deepest && !f.late() {
		at := codeAddress(regs.v[regPC])
		if len(c.Frames) > 0 {
			at--
		}
		m := f.mapping(a.Process, at)
		if m == nil {
			return c
		}
		c.Frames = append(c.Frames, at)
		beyond = false
		next, ok, ended := f.step(a.Process, m, at, &regs, read)
		if !ok || next.v[regSP] <= regs.v[regSP] {
			c.Cut = !ended && beyond
			return c
		}
		regs = next
	}
	c.Cut = true
	return c
}

// codeAddress takes the signature out of a return address of arm64.
func codeAddress(pc uint64) uint64 {
	if runtime.GOARCH == "arm64" {
		return pc & (1<<48 - 1)
	}
	return pc
}

// mapping is where an address of a process lies; nil: in no code.
func (f *follower) mapping(p Process, at uint64) *mapping {
	f.See(p)
	m := mappingOf(f.processes[p], at)
	if m != nil || f.again[p] || len(f.again) >= maxLookedUp {
		return m
	}
	f.again[p] = true
	now, err := filesOf(p.PID).mappings(nil)
	if _, seen := f.processes[p]; err != nil || !seen || mappingOf(now, at) == nil {
		return nil
	}
	f.processes[p] = now
	return mappingOf(now, at)
}

// step goes to the caller.
func (f *follower) step(p Process, m *mapping, pc uint64, regs *registers, read memory) (next registers, ok, ended bool) {
	d := f.frame(p, m, pc)
	switch {
	case d.bad:
		return next, false, false
	case !d.known:
		return byFramePointer(regs, read)
	case d.row.regs[regPC].kind == undefined:
		return next, false, true // the outermost frame
	}
	next, ok = d.row.caller(regs, d.ra, read)
	return next, ok, false
}

// frame is what the file of a mapping says of an address.
func (f *follower) frame(p Process, m *mapping, pc uint64) (d frame) {
	if !followsFrames || m.isJIT() || m.path == "" || m.path[0] != '/' {
		return d
	}
	at := codeAt{m.path, m.device, m.inode, pc - m.start + m.offset}
	if d, ok := f.frames[at]; ok {
		return d
	}
	x, ok := f.index(p, m)
	if !ok {
		return d
	}
	if x != nil {
		if address, ok := x.image.address(at.offset); ok {
			if described, found := x.find(address); found {
				d.known, d.ra = true, described.cie.ra
				d.row, ok = described.run(address)
				d.bad = !ok
			}
		}
	}
	if len(f.frames) < maxFrames {
		f.frames[at] = d
	}
	return d
}

// index opens the file of a mapping, once; false: it cannot be opened.
func (f *follower) index(p Process, m *mapping) (*frameIndex, bool) {
	file := codeAt{m.path, m.device, m.inode, 0}
	if x, seen := f.indexes[file]; seen {
		return x, true
	}
	opened, err := filesOf(p.PID).open(*m)
	if err != nil {
		return nil, false
	}
	f.files = append(f.files, opened)
	f.indexes[file] = nil // also if it crashes
	if e, err := readELF(opened); err == nil {
		if x, err := openFrameIndex(opened, e); err == nil {
			f.indexes[file] = x
		}
	}
	return f.indexes[file], true
}
