package offcpu

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unsafe"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/procmem"
	"rtrail/internal/probe/stack"
	"rtrail/internal/recording"
)

// copied is struct copied of bpf/copied.h, without the stack that follows.
type copied struct {
	Started                uint64
	Number, PID, TID       uint32
	Bytes                  uint32
	PC, SP, Frame, Link    uint64
	BX, R12, R13, R14, R15 uint64
}

const copiedSize = int(unsafe.Sizeof(copied{}))

const (
	// maxCopies bounds the copies between two samples, which take 10 MB at most: there are
	// 100 a second, and visitedCopies more without a stack.
	maxCopies = 512
	// visitedCopies is how many waits that go on a reading takes the stacks of: those for
	// locks and in state D, and up to 50 (all but COPY_URGENT) others.
	visitedCopies = 150
	// maxPrograms bounds the waits whose stack is remembered.
	maxPrograms = 1 << 13
	// namingTime is how long a reading may name functions: one percent of the usual time
	// between two.
	namingTime = 100 * time.Millisecond
)

// callers are the stacks of waits in programs.
type callers struct {
	own    uint32 // PID, whose functions are of no interest
	code   *stack.Code
	memory procmem.Reader
	copies event.Bounded[copyOf]
	wrong  error
	known  map[uint32]*program // by the number of the copy
	same   map[string]*program // by process and addresses
	fresh  uint32              // copies from this number on were made since the last reading
	last   uint32
}

// copyOf is a copy as it came.
type copyOf struct {
	copied
	stack []byte
}

// program is a stack in a program.
type program struct {
	process stack.Process
	stack.Callers
	named        bool
	text, caller string
}

func newCallers() *callers {
	return &callers{own: uint32(os.Getpid()), code: stack.NewCode(), copies: event.Bounded[copyOf]{Max: maxCopies}, known: map[uint32]*program{}, same: map[string]*program{}}
}

// take keeps a copy that the ring buffer gives.
func (c *callers) take(b []byte) {
	var of copyOf
	if n, err := binary.Decode(b, binary.NativeEndian, &of.copied); err != nil || int(of.Bytes) > len(b)-n {
		c.wrong = fmt.Errorf("parse a copy of a stack: %d bytes", len(b))
		return
	}
	if of.Bytes > 0 {
		of.stack = slices.Clone(b[copiedSize:][:of.Bytes])
	}
	c.copies.Add(of)
}

// follow finds the callers in the copies that came, and says for how many there was no room.
func (c *callers) follow(clock event.Clock) (lost int) {
	list, lost := c.copies.Take()
	asleep := make([]stack.Asleep, len(list))
	for i := range list {
		l := &list[i]
		asleep[i] = stack.Asleep{
			Process: stack.Process{PID: int32(l.PID), Started: clock.Started(time.Duration(l.Started))}, TID: int32(l.TID), PC: l.PC, SP: l.SP, Frame: l.Frame,
			Preserved: [5]uint64{l.BX, l.R12, l.R13, l.R14, l.R15}, Stack: l.stack,
		}
	}
	for i, of := range c.code.Follow(asleep, &c.memory) {
		if len(of.Frames) == 0 {
			continue
		}
		if len(c.known) >= maxPrograms {
			lost++
			continue
		}
		p := &program{process: asleep[i].Process, Callers: of}
		k := p.key()
		if c.same[k] == nil {
			c.same[k] = p
		}
		c.known[list[i].Number] = c.same[k]
		c.last = max(c.last, list[i].Number)
	}
	return lost
}

func (p *program) key() string {
	b := binary.NativeEndian.AppendUint64(nil, uint64(p.process.PID))
	b = binary.NativeEndian.AppendUint64(b, uint64(p.process.Started.UnixNano()))
	for _, f := range p.Frames {
		b = binary.NativeEndian.AppendUint64(b, f)
	}
	return string(b)
}

// name names the functions in the stacks of waits, of processes that waited longest first
// for as long as there is time, and forgets stacks of waits that are over.
func (c *callers) name(keys []key, sums []sum) {
	waited := map[stack.Process]uint64{}
	wanted := map[stack.Process][]*program{}
	seen := map[*program]bool{}
	used := map[uint32]bool{}
	for i := range keys {
		p := c.known[keys[i].Copied]
		if p == nil {
			continue
		}
		used[keys[i].Copied] = true
		if p.named {
			continue
		}
		waited[p.process] += sums[i].NS
		if !seen[p] {
			seen[p] = true
			wanted[p.process] = append(wanted[p.process], p)
		}
	}
	order := make([]stack.Process, 0, len(wanted))
	for p := range wanted {
		order = append(order, p)
	}
	slices.SortFunc(order, func(a, b stack.Process) int {
		return cmp.Or(cmp.Compare(waited[b], waited[a]), cmp.Compare(a.PID, b.PID))
	})
	for began := time.Now(); len(order) > 0 && time.Since(began) < namingTime; order = order[1:] {
		c.nameOf(order[0], wanted[order[0]])
	}
	c.forget(used)
}

func (c *callers) nameOf(p stack.Process, list []*program) {
	var addresses []uint64
	for _, of := range list {
		addresses = append(addresses, of.Frames...)
	}
	slices.Sort(addresses)
	places := c.code.Places(map[stack.Process][]uint64{p: slices.Compact(addresses)}, nil)[p]
	for _, of := range list {
		of.named = true
		of.text, of.caller = written(of.Callers, places)
	}
}

// forget leaves only the stacks of waits that may go on.
func (c *callers) forget(used map[uint32]bool) {
	for number := range c.known {
		if !used[number] && number < c.fresh {
			delete(c.known, number)
		}
	}
	c.fresh = c.last + 1
	clear(c.same)
	processes := map[stack.Process]bool{}
	for _, p := range c.known {
		c.same[p.key()] = p
		processes[p.process] = true
	}
	c.code.Forget(func(p stack.Process) bool { return processes[p] })
}

// maxStackText bounds a stack as text; outer functions are left out.
const maxStackText = 4096

// more stands for callers that are not seen.
const more = "..."

// written is a stack as rows have it, and the function in it that waits.
func written(c stack.Callers, places map[uint64]stack.Place) (text, caller string) {
	names := make([]string, 0, len(c.Frames)+1)
	cut, size := c.Cut, 0
	for _, a := range c.Frames {
		place := places[a]
		name := strings.ReplaceAll(place.Name(), ";", ":")
		if size += len(name) + 1; size > maxStackText-len(more) {
			cut = true
			break
		}
		names = append(names, name)
		if caller == "" && place.Function != "" && !ofRuntime(place) {
			caller = name
		}
	}
	if cut {
		names = append(names, more)
	}
	return strings.Join(names, ";"), caller
}

// Files of code by which programs call the kernel, and functions of Go's runtime that do.
var (
	runtimeFiles     = []string{"libc.", "libc-", "libpthread", "ld-", "libstdc++", "libgcc_s", "[vdso]", "[vsyscall]"}
	runtimeFunctions = []string{"runtime.", "internal/runtime/", "runtime/internal/", "syscall.", "internal/poll.", "internal/syscall/"}
)

// ofRuntime says that waiting there is waiting for whoever called it.
func ofRuntime(p stack.Place) bool {
	return begins(p.Module, runtimeFiles) || begins(p.Function, runtimeFunctions)
}

// write fills in the stack in the program of a row.
func (c *callers) write(row *recording.OffCPUWait, number uint32) {
	if p := c.known[number]; p != nil {
		row.UserStack, row.Caller = p.text, p.caller
	}
}
