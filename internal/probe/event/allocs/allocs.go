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
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

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

// maxMoves bounds what is noted until rows are written.
const maxMoves = 1 << 16

// Source is one run's. It is not for concurrent use.
type Source struct {
	every   time.Duration
	process stack.Process
	name    string
	started time.Duration // from boot on
	file    *os.File      // the allocator
	set     *event.Set
	code    *stack.Code
	from    time.Time
	looked  time.Time
	before  map[key]sum // what the kernel had counted then, without frames
	frames  map[key][]uint64
	moves   []move // that have no rows yet
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
	s := &Source{every: every, process: stack.Process{PID: pid, Started: clock.Started(started)}, name: name, started: started, code: stack.NewCode(), before: map[key]sum{}, frames: map[key][]uint64{}}
	if err := sandboxed(pid); err != nil {
		return nil, fmt.Errorf("follow the allocations of %s (%d): %w", name, pid, err)
	}
	if s.file, err = openAllocator(pid); err == nil && s.file == nil {
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

// allocators are libraries with malloc; those come first that take the place of others.
var allocators = []string{"libjemalloc.so", "libtcmalloc.so", "libtcmalloc_minimal.so", "libmimalloc.so", "libc.so", "libc-", "ld-musl-", "libc.musl-"}

// openAllocator opens the library whose malloc a process calls; nil: none.
func openAllocator(pid int32) (*os.File, error) {
	for _, a := range allocators {
		f, err := stack.OpenCode(pid, func(file string) bool { return strings.HasPrefix(path.Base(file), a) })
		if f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// sandboxed refuses processes that tracing would end: from Linux 6.11 on a traced
// function of x86-64 returns by a system call, which filters refuse that do not know
// it. Since 6.14 the kernel lets it pass.
func sandboxed(pid int32) error {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return err
	}
	var major, minor int
	if n, _ := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &major, &minor); runtime.GOARCH != "amd64" || n != 2 || major != 6 || minor < 11 || minor > 13 {
		return nil
	}
	status, err := procfile.ReadOnce(fmt.Sprintf("/proc/%d/status", pid), make([]byte, 4096))
	if err != nil {
		return err
	}
	for line := range procfile.Lines(status) {
		if mode, ok := bytes.CutPrefix(line, []byte("Seccomp:")); ok && string(bytes.TrimSpace(mode)) != "0" {
			return &probe.MissingError{What: "a kernel that lets traced functions return in a sandbox (seccomp): this one would end the process", How: "Linux 6.14 or later, or without the filter: docker run --security-opt seccomp=unconfined"}
		}
	}
	return nil
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
	s.looked = s.from
	if _, started, err := identity(s.process.PID); err != nil || started != s.started {
		return fmt.Errorf("follow the allocations of %s (%d): it has ended", s.name, s.process.PID)
	}
	return nil
}

// Close has nothing to give back.
func (s *Source) Close() error { return nil }

// Read notes what was allocated and freed since the last time, and writes rows when it
// is time.
func (s *Source) Read(_ context.Context, w *recording.Writer, last bool) error {
	now := time.Now()
	if err := s.look(now); err != nil {
		return err
	}
	if !last && now.Sub(s.from) < s.every-s.every/8 && len(s.moves) < maxMoves { // samples come a little early or late
		return nil
	}
	recording.Give(w, s.rows())
	s.from = now
	return s.crowd.Tell(s.set, w, s.Name(), "allocated blocks", "there were more blocks or stacks than there is room for")
}
