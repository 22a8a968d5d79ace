package stack

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/infile"
	"rtrail/internal/recording"
)

// Options say how to read.
type Options struct {
	// Top is the CPU use of threads, by thread id, in per cent of one core.
	Top map[int32]float64
	// Workers is how many cores read; 0: all.
	Workers int
}

// Read reads files ("-" is stdin), each of which may hold several dumps. A file
// that cannot be read, or whose format is not known, has its Err set; Read
// fails only if no file could be read at all.
func Read(ctx context.Context, files []string, stdin io.Reader, o Options) (*Profile, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	p := &Profile{}
	all := map[string]*aggregate{}
	vm, memory := newJava(), budget.From(ctx)
	for _, name := range files {
		src, sum := readFile(ctx, name, stdin, o, vm, memory)
		if sum == nil {
			p.Sources = append(p.Sources, src)
			continue
		}
		p.Sources = append(p.Sources, byKind(src, sum)...)
		if have := all[sum.kind]; have != nil {
			have.merge(sum)
		} else {
			all[sum.kind] = sum
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, a := range all {
		for _, s := range a.stacks {
			p.Stacks = append(p.Stacks, s)
		}
		p.Hot = append(p.Hot, a.hot...)
	}
	vm.result(p)
	finishProfile(p)
	if len(p.Stacks) > 0 {
		return p, nil
	}
	for _, s := range p.Sources {
		if s.Err != nil {
			return nil, s.Err
		}
	}
	return nil, fmt.Errorf("reading %s: there are no stacks in it%s", p.Name(), p.firstProblem())
}

func (p *Profile) firstProblem() string {
	for i := range p.Sources {
		s := &p.Sources[i]
		if left := s.LeftOut(); left != "" {
			return ": " + left
		}
		for _, b := range s.Problems {
			return fmt.Sprintf(" (line %d: %s)", b.Line, b.What)
		}
	}
	return ""
}

// byKind makes a source for each kind of stacks in a file. What was read of the
// file is told by the first one.
func byKind(src Source, sum *aggregate) []Source {
	counts := map[string]int64{}
	for _, s := range sum.stacks {
		counts[s.Kind] += s.Count
	}
	if len(counts) == 0 || len(counts) == 1 && counts[src.Kind] > 0 {
		return []Source{src}
	}
	var list []Source
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		next := Source{Name: src.Name, Format: src.Format, At: src.At}
		if list == nil {
			next = src
		}
		next.Kind, next.Samples, next.Threads = kind, counts[kind], counts[kind]
		if kind == recording.StackOffCPU && sum.looks > 0 {
			next.Samples = sum.looks
		}
		list = append(list, next)
	}
	return list
}

func finishProfile(p *Profile) {
	samples := map[string]int64{}
	for _, s := range p.Sources {
		samples[s.Kind] += s.Samples
	}
	for _, s := range p.Stacks {
		s.Samples = samples[s.Kind]
	}
	sortStacks(p.Stacks)
	slices.SortStableFunc(p.Hot, func(a, b Hot) int {
		switch {
		case a.CPU > b.CPU:
			return -1
		case a.CPU < b.CPU:
			return 1
		}
		return int(a.TID) - int(b.TID)
	})
}

// format is one way of writing stacks.
type format struct {
	name  string
	kind  string
	is    func(head []byte) bool
	start func(text []byte) int // the last place in text where a thread begins; 0: none is known
	parse func(text []byte, s *sink)
	mark  []byte // what every dump has once; nil: counts are samples
	alone bool   // threads refer to each other: one worker reads all
}

// formats in the order in which they are tried: those with unmistakable lines
// first.
var formats = []format{
	{"jstack", recording.StackDump, isJava, javaStart, parseJava, []byte("Full thread dump"), true},
	{"go", recording.StackDump, isGo, afterBlank, parseGo, []byte("goroutine 1 "), false},
	{"eu-stack", recording.StackDump, isEUStack, nativeStart, parseNative, []byte(" - process\n"), true},
	{"gdb", recording.StackDump, isGDB, nativeStart, parseNative, []byte("Thread 1 ("), false},
	{"perf script", recording.StackOnCPU, isPerf, afterBlank, parsePerf, nil, false},
	{"collapsed", recording.StackOnCPU, isCollapsed, lineStart, parseCollapsed, nil, false},
}

// maxLook bounds what IsDump reads of a file that is NUL forever, or unpacks to
// that.
const maxLook = 16 << 20

// IsDump says whether a file begins like one of the formats that Read reads,
// compressed or not.
func IsDump(path string) bool {
	return infile.Begins(path, func(in io.Reader) bool {
		head := make([]byte, 256<<10)
		text := &withoutNUL{in: io.LimitReader(in, maxLook)}
		n, _ := io.ReadFull(text, head)
		return formatOf(head[:n], text.seen) != nil
	})
}

// formatOf says in which format a text begins; nil: in none known. Of a text that
// had NUL bytes they are out of head.
func formatOf(head []byte, hadNUL bool) *format {
	if hadNUL && !beginsAsText(head) {
		return nil
	}
	for i := range formats {
		if formats[i].is(head) {
			return &formats[i]
		}
	}
	return nil
}

// readFile reads one file. The aggregate is nil if there is nothing in it.
func readFile(ctx context.Context, name string, stdin io.Reader, o Options, vm *java, memory *budget.Budget) (Source, *aggregate) {
	src := Source{Name: name, At: time.Now()}
	in := stdin
	if name == "-" {
		src.Name = "standard input"
	} else {
		f, err := infile.Open(ctx, name)
		if err != nil {
			src.Err = fmt.Errorf("reading stacks: %w", err)
			return src, nil
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			src.At = info.ModTime()
		}
		in = f
	}
	text, done, err := infile.Unpack(in)
	if err != nil {
		src.Err = fmt.Errorf("reading %s: %w", src.Name, err)
		return src, nil
	}
	defer done()
	job := newJob(&src, o, vm, memory)
	lines := bufio.NewReader(infile.Until(ctx, text))
	if at := writtenAt(lines); !at.IsZero() {
		src.At = at
	}
	err = job.run(ctx, lines)
	sum := job.wait()
	if err != nil {
		src.Err = fmt.Errorf("reading %s: %w", src.Name, err)
	}
	return src, sum
}

// ErrFormat says that text is in no format known here.
var ErrFormat = errors.New("these are no stacks of threads: want the output of gdb (thread apply all bt), pstack, eu-stack, jstack, perf script, async-profiler (collapsed), or a dump of goroutines")
