// Package allocs is the source of which code of one process holds memory: blocks that
// it allocates are followed, as many as one for each so many bytes, until it frees
// them.
package allocs

import (
	"bytes"
	"context"
	"debug/buildinfo"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/probe/stack"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build allocs ../event/allocs

//go:embed allocs.o
var object []byte

// DefaultEvery is how often rows are written.
const DefaultEvery = 10 * time.Second

// followed is how many bytes a followed block stands for in the mean. Larger blocks
// are all followed.
const followed = 64 << 10

// Source is one run's. It is not for concurrent use.
type Source struct {
	every   time.Duration
	process stack.Process
	name    string
	file    *os.File // the allocator
	set     *event.Set
	code    *stack.Code
	from    time.Time
	before  map[key]sum // what the kernel had counted when rows were written
	crowd   event.Crowd
}

// New makes the source for a process. Rows are written at this interval, or later; 0:
// DefaultEvery. It fails for programs that do not allocate by malloc: those have
// profiles of their own, which the error names.
func New(pid int32, every time.Duration) (*Source, error) {
	if every <= 0 {
		every = DefaultEvery
	}
	clock, err := event.ReadClock()
	if err != nil {
		return nil, err
	}
	name, started, err := identity(pid)
	if err != nil {
		return nil, fmt.Errorf("follow the allocations of process %d: %w", pid, err)
	}
	s := &Source{every: every, process: stack.Process{PID: pid, Started: clock.Started(started)}, name: name, code: stack.NewCode(), before: map[key]sum{}}
	s.file, err = stack.OpenCode(pid, isAllocator)
	if err == nil && s.file == nil {
		s.file, err = openProgram(pid)
	}
	if err != nil {
		return nil, fmt.Errorf("follow the allocations of %s (%d): %w", s.name, pid, err)
	}
	s.code.See(s.process)
	return s, nil
}

// identity is the name of a process and when it began, from boot on.
func identity(pid int32) (name string, started time.Duration, err error) {
	stat, err := procfile.ReadOnce(fmt.Sprintf("/proc/%d/stat", pid), make([]byte, 4096))
	if err != nil {
		return "", 0, err
	}
	// 4711 (a name) S 1 ...: the start is field 22, in hundredths of a second.
	begin, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if begin < 0 || end < begin {
		return "", 0, errors.New("/proc tells no name of it")
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 20 {
		return "", 0, errors.New("/proc does not tell when it began")
	}
	ticks, ok := procfile.Uint(fields[19])
	if !ok {
		return "", 0, errors.New("/proc does not tell when it began")
	}
	return string(stat[begin+1 : end]), procfile.Duration(ticks, 10*time.Millisecond), nil
}

// allocators are libraries with malloc, those before others that replace them.
var allocators = []string{"libjemalloc.so", "libtcmalloc.so", "libtcmalloc_minimal.so", "libmimalloc.so", "libc.so", "libc-", "ld-musl-", "libc.musl-"}

func isAllocator(file string) bool {
	base := path.Base(file)
	for _, a := range allocators {
		if strings.HasPrefix(base, a) {
			return true
		}
	}
	return false
}

// openProgram opens a program that has its allocator within.
func openProgram(pid int32) (*os.File, error) {
	f, err := stack.OpenCode(pid, func(string) bool { return true })
	if err != nil || f == nil {
		return nil, &probe.MissingError{What: "the program of the process", How: "run as root", Err: err}
	}
	if _, err := buildinfo.Read(f); err == nil {
		f.Close()
		return nil, &probe.MissingError{What: "calls of malloc: Go has an allocator of its own", How: "import net/http/pprof, and: go tool pprof http://HOST:PORT/debug/pprof/heap"}
	}
	return f, nil
}

// Name is the word users see.
func (s *Source) Name() string { return "allocs" }

// Help says what it reads.
func (s *Source) Help() string {
	return fmt.Sprintf("which code of %s (%d) holds memory: blocks by malloc that are not freed", s.name, s.process.PID)
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.Allocations} }

// Object is bpf/allocs.c.
func (s *Source) Object() event.Object {
	list := []event.Uprobe{{Symbol: "free", Program: "freed"}}
	for _, a := range []struct{ symbol, program string }{
		{"malloc", "malloc_begins"}, {"calloc", "calloc_begins"}, {"realloc", "realloc_begins"}, {"aligned_alloc", "aligned_begins"}, {"memalign", "aligned_begins"},
	} {
		maybe := a.symbol != "malloc"
		list = append(list, event.Uprobe{Symbol: a.symbol, Program: a.program, Maybe: maybe}, event.Uprobe{Symbol: a.symbol, Program: "ended", Return: true, Maybe: maybe})
	}
	return event.Object{ELF: object, Uprobes: event.Uprobes{PID: s.process.PID, File: s.file, List: list}}
}

// Open begins with no blocks.
func (s *Source) Open(set *event.Set) error {
	s.set = set
	return set.Set("every", uint64(followed))
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.from = time.Now()
	return nil
}

// Close has nothing to give back.
func (s *Source) Close() error { return nil }

// Read writes what was allocated and freed since the last time, when it is time.
func (s *Source) Read(_ context.Context, w *recording.Writer, last bool) error {
	now := time.Now()
	if !last && now.Sub(s.from) < s.every-s.every/8 { // samples come a little early or late
		return nil
	}
	rows, err := s.rows(now)
	if err != nil {
		return err
	}
	recording.Give(w, rows)
	s.from = now
	return s.crowd.Tell(s.set, w, s.Name(), "allocated blocks", "there were more blocks or stacks than there is room for")
}
