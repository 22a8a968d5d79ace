package stack

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/probe/localfile"
)

// mapping is a range of a process's memory that holds code.
type mapping struct {
	start, end, offset uint64
	inode              uint64
	device             string
	path               string
	image              *image // nil: code that no file holds
}

// files are those that a process sees.
type files struct {
	pid  int32
	proc string // "/proc/812"
}

// ownFiles are those that this program sees.
func ownFiles() files { return filesOf(int32(os.Getpid())) }

func filesOf(pid int32) files { return files{pid, fmt.Sprintf("/proc/%d", pid)} }

// space is the memory of a process: which code is where.
type space struct {
	files
	memory  *budget.Budget // of the symbols of all images
	maps    []mapping
	images  map[string]*image
	jit     perfMap
	read    time.Time
	kernel  []symbol
	unnamed map[string]int // files without readable symbols
	jitless int            // addresses in code compiled at run time that have no name
}

// maxSymbolMemory bounds what the symbols of all that is watched take: the
// symbols of a large server take a tenth of it.
const maxSymbolMemory = 1 << 30

// symbolMemory is a budget for symbols on this machine.
func symbolMemory() *budget.Budget {
	return budget.New(min(budget.OfEvidence(budget.Available("/")), maxSymbolMemory))
}

func newSpace(pid int32, memory *budget.Budget) (*space, error) {
	s := &space{files: filesOf(pid), memory: memory, images: map[string]*image{}, unnamed: map[string]int{}}
	if err := s.refresh(); err != nil {
		return nil, err
	}
	s.kernel = kernelSymbols(memory)
	return s, nil
}

// staleAfter is how soon the list of mappings is read again when an address is
// in none of them: programs load libraries and compile code as they run.
const staleAfter = time.Second

func (s *space) refresh() error {
	s.read = time.Now()
	var err error
	if s.maps, err = s.mappings(s.maps[:0]); err != nil {
		return err
	}
	for i := range s.maps {
		if m := &s.maps[i]; strings.HasPrefix(m.path, "/") {
			m.image = s.image(*m)
		}
	}
	s.jit.refresh(s)
	return nil
}

// maxMappings bounds the mappings of a process that hold code.
const maxMappings = 1 << 16

// mappings appends the mappings that hold code, by address.
func (s files) mappings(list []mapping) ([]mapping, error) {
	f, err := os.Open(s.proc + "/maps")
	if err != nil {
		return list, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() && len(list) < maxMappings {
		if m, ok := parseMapping(lines.Text()); ok {
			list = append(list, m)
		}
	}
	return list, lines.Err()
}

// parseMapping reads a line of /proc/PID/maps, if it is about code.
func parseMapping(line string) (mapping, bool) {
	// 55d0c000-55d0d000 r-xp 00001000 08:01 123   /usr/sbin/mysqld
	fields := strings.Fields(line)
	if len(fields) < 5 || !strings.Contains(fields[1], "x") {
		return mapping{}, false
	}
	from, to, ok := strings.Cut(fields[0], "-")
	start, err1 := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	offset, err3 := strconv.ParseUint(fields[2], 16, 64)
	if !ok || err1 != nil || err2 != nil || err3 != nil {
		return mapping{}, false
	}
	inode, _ := strconv.ParseUint(fields[4], 10, 64)
	m := mapping{start: start, end: end, offset: offset, inode: inode, device: fields[3]}
	if len(fields) > 5 {
		m.path = strings.Join(fields[5:], " ")
	}
	return m, true
}

// image opens the file of a mapping, once.
func (s *space) image(m mapping) *image {
	if have := s.images[m.path]; have != nil {
		return have
	}
	opened := &image{name: filepath.Base(strings.TrimSuffix(m.path, " (deleted)")), cfi: &cfi{}}
	var f *os.File
	if f, opened.err = s.open(m); opened.err == nil {
		opened = readImage(f, opened.name, ownFiles(), s.memory)
		f.Close()
	}
	if opened.err != nil {
		s.unnamed[m.path] = 1
	}
	s.images[m.path] = opened
	return opened
}

// ours says whether the process has the root directory and the mounts of this program.
func (s files) ours() bool {
	for _, link := range []string{"/root", "/ns/mnt"} {
		theirs, err := os.Readlink(s.proc + link)
		ours, errOurs := os.Readlink("/proc/self" + link)
		if err != nil || errOurs != nil || theirs != ours {
			return false
		}
	}
	return true
}

// open opens the file of a mapping: what the kernel has mapped, or where it may not be
// asked what the path leads to. Of a process in a container that is the path in its own
// tree, of one that has ended or only changed its root that in ours. Whose the file is
// does not matter: the process runs it.
func (s files) open(m mapping) (f *os.File, err error) {
	ways := []func() (*os.File, error){
		func() (*os.File, error) { return localfile.Mapped(s.pid, m.start, m.end, m.path) },
		func() (*os.File, error) { return localfile.Open(s.pid, m.path) },
		func() (*os.File, error) { return localfile.Open(int32(os.Getpid()), m.path) },
	}
	for _, way := range ways {
		f, err := way()
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Ino == m.inode {
				return f, nil
			}
		}
		f.Close()
	}
	// Some kernels tell another inode for a file of an overlay.
	for _, way := range ways[:2] {
		if f, err = way(); err == nil {
			break
		}
	}
	return f, err
}

// innerPID is the process's number in its own namespace, by which it names its
// files.
func (s files) innerPID() int32 {
	data, err := os.ReadFile(s.proc + "/status")
	if err != nil {
		return s.pid
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "NSpid:"); ok {
			fields := strings.Fields(rest)
			if n, err := strconv.ParseInt(fields[len(fields)-1], 10, 32); err == nil {
				return int32(n)
			}
		}
	}
	return s.pid
}

// find gives the mapping of an address.
func (s *space) find(pc uint64) *mapping {
	if m := s.lookup(pc); m != nil || time.Since(s.read) < staleAfter {
		return m
	}
	if s.refresh() != nil {
		return nil
	}
	return s.lookup(pc)
}

func (s *space) lookup(pc uint64) *mapping {
	n := around(s.maps, pc, func(m mapping) uint64 { return m.start })
	if n < 0 || pc >= s.maps[n].end {
		return nil
	}
	return &s.maps[n]
}

// name is the function at an address of the process.
func (s *space) name(pc uint64) string {
	m := s.find(pc)
	if m == nil {
		return "??"
	}
	if m.image != nil {
		if at, ok := m.image.address(pc - m.start + m.offset); ok {
			return m.image.function(at)
		}
		return fmt.Sprintf("?? (%s)", m.image.name)
	}
	if name := lookup(s.jit.symbols, pc); name != "" {
		return name
	}
	if m.path != "" {
		return m.path // [vdso]
	}
	s.jitless++
	return "?? (compiled at run time)"
}

// kernelName is the function at an address of the kernel.
func (s *space) kernelName(pc uint64) string {
	if name := lookup(s.kernel, pc); name != "" {
		return name
	}
	return "?? (kernel)"
}

// kernelSymbols reads /proc/kallsyms. Without the right to see addresses all of
// them are 0, and nothing is known.
func kernelSymbols(memory *budget.Budget) []symbol {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return nil
	}
	defer f.Close()
	var list []symbol
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		address, rest, _ := strings.Cut(line, " ")
		kind, name, ok := strings.Cut(rest, " ")
		if !ok || kind != "t" && kind != "T" && kind != "w" && kind != "W" {
			continue
		}
		start, err := strconv.ParseUint(address, 16, 64)
		if err != nil || start == 0 {
			continue
		}
		if !memory.Take(2*symbolBytes + int64(len(line))) {
			break
		}
		name, _, _ = strings.Cut(name, "\t")
		list = append(list, symbol{start: start, name: name})
	}
	m := image{symbols: list}
	m.sortSymbols()
	for i := range m.symbols {
		if i+1 < len(m.symbols) {
			m.symbols[i].end = m.symbols[i+1].start
		}
	}
	return m.symbols
}
