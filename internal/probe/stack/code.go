package stack

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Place is where an address of a process lies.
type Place struct {
	Function string // without parameters; "" if nothing names it
	Module   string // file name of the program or library, [vdso], or JITCode; "" if the process has no code there
	Source   string // "file.c:12", or the file alone; "" if not known
	offset   uint64 // in the file
	lined    bool   // Source was looked for
}

// JITCode is the module of code that no file holds.
const JITCode = "[jit]"

// Name is the function, or module and offset where nothing names it.
func (p Place) Name() string {
	switch {
	case p.Function != "":
		return p.Function
	case p.Module == "":
		return "??"
	case p.Module == JITCode || p.offset == 0:
		return "?? (" + p.Module + ")"
	}
	return fmt.Sprintf("%s+%#x", p.Module, p.offset)
}

// Of is the function without the place in it: equal of all its addresses.
func (p Place) Of() Place {
	if p.Function != "" {
		p.offset = 0
	}
	p.Source, p.lined = "", false
	return p
}

// Process is the identity of a process.
type Process struct {
	PID     int32
	Started time.Time
}

// Code names addresses of many processes. It keeps what it was asked, not the
// tables of symbols: those are read from end to end, for all addresses of a
// file at once. It is not for concurrent use.
type Code struct {
	processes map[Process][]mapping
	known     map[codeAt]Place
	frames    map[codeAt]frame // how to find callers
}

// codeAt is an address in a file, whoever maps it.
type codeAt struct {
	path   string
	device string
	inode  uint64
	offset uint64
}

// What is kept.
const (
	maxKnown     = 1 << 16
	maxFrames    = 1 << 12 // some 700 bytes each
	maxProcesses = 1 << 12
)

// NewCode knows nothing yet.
func NewCode() *Code {
	return &Code{processes: map[Process][]mapping{}, known: map[codeAt]Place{}, frames: map[codeAt]frame{}}
}

// See notes what code a process has now, so that its addresses can be named
// after it has ended.
func (c *Code) See(p Process) {
	if _, seen := c.processes[p]; seen || len(c.processes) >= maxProcesses {
		return
	}
	list, _ := filesOf(p.PID).mappings(nil) // it has ended, or is somebody else's: then there are none
	c.processes[p] = list
}

// Forget leaves only these processes.
func (c *Code) Forget(but func(Process) bool) {
	for p := range c.processes {
		if !but(p) {
			delete(c.processes, p)
		}
	}
	if len(c.known) > maxKnown {
		clear(c.known)
	}
	if len(c.frames) >= maxFrames {
		clear(c.frames)
	}
}

// Wants says of which addresses the line of the source is wanted, too: finding these is
// most of the work where there is debug information. nil: of none.
type Wants func(Process, uint64) bool

// All are the lines of all addresses.
func All(Process, uint64) bool { return true }

// Places names addresses of processes. A file that several of them map is read
// once.
func (c *Code) Places(asked map[Process][]uint64, lines Wants) map[Process]map[uint64]Place {
	places := make(map[Process]map[uint64]Place, len(asked))
	questions := map[codeAt]*fileQuestion{}
	for p, addresses := range asked {
		places[p] = c.sort(p, addresses, lines, questions)
	}
	for file, q := range questions {
		for i, place := range q.ask() {
			file.offset = q.offsets[i]
			c.known[file] = place
			q.answer[i](place)
		}
	}
	return places
}

// sort gives the places of a process that need no file, and asks for the others.
func (c *Code) sort(p Process, addresses []uint64, lines Wants, questions map[codeAt]*fileQuestion) map[uint64]Place {
	c.See(p)
	of := filesOf(p.PID)
	maps := c.processes[p]
	// It may have loaded more, or begun another program; or another process has its PID.
	if now, err := of.mappings(nil); err == nil && covered(now, addresses) >= covered(maps, addresses) {
		maps = now
	}
	places := make(map[uint64]Place, len(addresses))
	var jit []uint64
	for _, a := range addresses {
		m := mappingOf(maps, a)
		switch {
		case m == nil:
			places[a] = Place{}
			continue
		case m.isJIT():
			places[a] = Place{Module: JITCode}
			jit = append(jit, a)
			continue
		case !strings.HasPrefix(m.path, "/"):
			places[a] = Place{Function: m.path, Module: m.path} // [vdso]
			continue
		}
		at := codeAt{m.path, m.device, m.inode, a - m.start + m.offset}
		line := lines != nil && lines(p, a)
		if known, ok := c.known[at]; ok && (known.lined || !line) {
			places[a] = known
			continue
		}
		file := codeAt{m.path, m.device, m.inode, 0}
		q := questions[file]
		if q == nil {
			q = &fileQuestion{}
			questions[file] = q
		}
		q.by = append(q.by, mapped{of, *m})
		q.offsets = append(q.offsets, at.offset)
		q.lines = append(q.lines, line)
		q.answer = append(q.answer, func(known Place) { places[a] = known })
	}
	if len(jit) > 0 {
		of.nameJIT(jit, places)
	}
	return places
}

// covered is how many addresses are in mappings.
func covered(maps []mapping, addresses []uint64) (n int) {
	for _, a := range addresses {
		if mappingOf(maps, a) != nil {
			n++
		}
	}
	return n
}

func mappingOf(maps []mapping, at uint64) *mapping {
	n := around(maps, at, func(m mapping) uint64 { return m.start })
	if n < 0 || at >= maps[n].end {
		return nil
	}
	return &maps[n]
}

// isJIT says whether code was made by the process itself: in memory of no file,
// or of one that only memory has.
func (m *mapping) isJIT() bool {
	return m.path == "" || strings.HasPrefix(m.path, "[anon") || strings.HasPrefix(m.path, "//anon") || strings.HasPrefix(m.path, "/memfd:") ||
		strings.HasPrefix(m.path, "/dev/zero") || strings.HasPrefix(m.path, "/SYSV")
}

// fileQuestion is what is asked about one file.
type fileQuestion struct {
	by      []mapped
	offsets []uint64
	lines   []bool // of the source are wanted, too
	answer  []func(Place)
}

// mapped is a file as a process has it.
type mapped struct {
	files
	mapping
}

// ask names the offsets.
func (q *fileQuestion) ask() []Place {
	places := make([]Place, len(q.offsets))
	module := path.Base(strings.TrimSuffix(q.by[0].path, " (deleted)"))
	for i := range places {
		places[i] = Place{Module: module, offset: q.offsets[i], lined: q.lines[i]}
	}
	before := int32(0)
	for _, by := range q.by {
		if by.pid == before {
			continue
		}
		before = by.pid
		if f, err := by.open(by.mapping); err == nil { // else the process has ended, maybe
			nameOffsets(f, by.files, q.offsets, places)
			f.Close()
			break
		}
	}
	return places
}

// nameJIT names code that the process compiled, if it has written down what.
// Memory is used again: what was written last counts.
func (s files) nameJIT(addresses []uint64, places map[uint64]Place) {
	f, info, err := s.openPerfMap()
	if err != nil {
		return
	}
	defer f.Close()
	slices.Sort(addresses)
	eachInPerfMap(f, info.Size(), func(start, size uint64, name string) bool {
		i, _ := slices.BinarySearch(addresses, start)
		for ; i < len(addresses) && addresses[i]-start < size; i++ {
			function, source := jitName(strings.Clone(name))
			places[addresses[i]] = Place{Function: function, Module: JITCode, Source: source}
		}
		return true
	})
}

// jitName takes apart how V8 calls what it compiled: "JS:*name /app/x.js:3:15".
// Other compilers' names are functions.
func jitName(name string) (function, source string) {
	kind, rest, ok := strings.Cut(name, ":")
	if ok && (kind == "JS" || kind == "LazyCompile" || kind == "Function" || kind == "Eval" || kind == "Script" || kind == "Builtin" || kind == "BytecodeHandler") {
		rest = strings.TrimLeft(rest, "*~^+'")
		function, source, _ = strings.Cut(rest, " ")
		source = strings.TrimPrefix(strings.TrimSpace(source), "file://")
		if line, column, ok := cutLast(source, ":"); ok && strings.Contains(line, ":") && column != "" {
			source = line // the column says nothing to people
		}
		if function == "" {
			function = "(anonymous)"
		}
		return cutName(function), cutName(source)
	}
	return cutName(name), ""
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// maxFunctionName bounds what is kept of the name of a function or its file.
const maxFunctionName = 200

func cutName(name string) string {
	if len(name) > maxFunctionName {
		name = name[:maxFunctionName] + "..."
	}
	return strings.ToValidUTF8(name, "?")
}

// OpenCode opens a file of code that a process maps, the first one for whose path is
// says so, as the process has it: also one that was deleted or replaced. nil: it maps
// none.
func OpenCode(pid int32, is func(path string) bool) (*os.File, error) {
	of := filesOf(pid)
	maps, err := of.mappings(nil)
	if err != nil {
		return nil, err
	}
	for _, m := range maps {
		if !strings.HasPrefix(m.path, "/") || !is(m.path) {
			continue
		}
		f, err := of.open(m)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if st, ok := info.Sys().(*syscall.Stat_t); err != nil || !ok || st.Ino != m.inode {
			f.Close()
			return nil, fmt.Errorf("%s was replaced since the process began, and what it runs cannot be opened", m.path)
		}
		return f, nil
	}
	return nil, nil
}
