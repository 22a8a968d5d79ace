package event

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe/kernel"
)

// Object is a compiled file of bpf/ and where its programs are attached.
type Object struct {
	ELF    []byte
	Hooks  []Hook
	Clocks []Clocked
	// Uprobes are in the code of one process, if there are any.
	Uprobes Uprobes
	// Paused makes it a source that may count in slices of the time. It is called after
	// each slice, when nothing counts any more; nil: the source counts all of the time.
	Paused func() error
	// Stays leaves programs attached between slices: they begin nothing new then, but count
	// what they began to its end.
	Stays bool
	// Visits is the program that Paused runs, if the object can do without it: it reads the
	// registers of threads, for which kernels before Linux 5.15 have no helper. "": there is
	// none such.
	Visits string
	// Unused are programs of the file that the source does without. The kernel takes
	// milliseconds to check one.
	Unused []string
	// Enums are types of the kernel whose words the source wants.
	Enums []string
}

// Set is the programs and maps of an object in the kernel. Descriptors alone hold
// them: however this process ends, they are gone. A Set is not for concurrent use.
type Set struct {
	all      *ebpf.Collection
	programs []*program
	without  []string
	words    map[string]map[uint64]string // of enums, by value
	links    []io.Closer
	uprobes  Uprobes
	since    time.Time     // it counts; zero: it does not
	counted  time.Duration // how long it did before
	sliced   bool          // it counts in slices of the time
	stays    bool          // attached between them
	paused   func() error
}

// Stateless is for a source of which no call and no request goes on when a slice ends.
func Stateless() error { return nil }

// program is one that is attached to a tracepoint, or run by a clock.
type program struct {
	name, tracepoint string
	is               *ebpf.Program
	clocks           clocks            // that run it; nil: it has a tracepoint
	elsewhere        bool              // attached by Uprobes
	counted          ebpf.ProgramStats // when last read
}

// open loads an object.
func open(l *kernel.Loader, o Object) (*Set, error) {
	s := &Set{uprobes: o.Uprobes, paused: o.Paused, stays: o.Stays}
	var attached map[string]string
	all, err := l.Load(o.ELF, func(spec *ebpf.CollectionSpec, types *btf.Spec, module kernel.Module) (err error) {
		s.words = wordsOf(o.Enums, types)
		for _, name := range o.Unused {
			if spec.Programs[name] == nil {
				return fmt.Errorf("leave a program out of a BPF object: it has no program %s", name)
			}
			delete(spec.Programs, name)
		}
		if o.Visits != "" && !hasHelper(types, taskRegisters) {
			delete(spec.Programs, o.Visits)
			s.paused = nil
		}
		attached, s.without, err = adapt(o.Hooks, spec, withModules(o.Hooks, lookFor(types), module), module)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, s.uprobes.close())
	}
	s.all = all
	for _, u := range o.Uprobes.List {
		if !slices.ContainsFunc(s.programs, func(p *program) bool { return p.name == u.Program }) {
			s.programs = append(s.programs, &program{name: u.Program, tracepoint: u.Symbol, is: all.Programs[u.Program], elsewhere: true})
		}
	}
	for name, tracepoint := range attached {
		s.programs = append(s.programs, &program{name: name, tracepoint: tracepoint, is: all.Programs[name]})
	}
	for _, c := range o.Clocks {
		p := &program{name: c.Program, tracepoint: clockName, is: all.Programs[c.Program]}
		if p.clocks, err = openClocks(p.is, c.Every); err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.programs = append(s.programs, p)
	}
	// Always in the same order: that of their names.
	slices.SortFunc(s.programs, func(a, b *program) int { return cmp.Compare(a.name, b.name) })
	return s, nil
}

// lookFor is prototypesOf; tests leave tracepoints out.
var lookFor = prototypesOf

// Map is one of the object's; nil if it has none of that name.
func (s *Set) Map(name string) *ebpf.Map { return s.all.Maps[name] }

// Program is one of the object's; nil if it has none of that name.
func (s *Set) Program(name string) *ebpf.Program { return s.all.Programs[name] }

// Word is the name that the running kernel has for a value of one of the object's
// enums; "" if it has none.
func (s *Set) Word(enum string, value uint64) string { return s.words[enum][value] }

// Get reads a global variable of the object.
func (s *Set) Get(name string, into any) error {
	v := s.all.Variables[name]
	if v == nil {
		return fmt.Errorf("read the variable %s of a BPF object: it has none", name)
	}
	return v.Get(into)
}

// Set writes a global variable of the object.
func (s *Set) Set(name string, value any) error {
	v := s.all.Variables[name]
	if v == nil {
		return fmt.Errorf("set the variable %s of a BPF object: it has none", name)
	}
	return v.Set(value)
}

// Run runs a program of the kind "syscall" once.
func (s *Set) Run(name string) error {
	p := s.all.Programs[name]
	if p == nil {
		return fmt.Errorf("run the BPF program %s: it is not in its object", name)
	}
	if _, err := p.Run(&ebpf.RunOptions{}); err != nil {
		return kernel.Missing("run the BPF program "+name, err)
	}
	return nil
}

// Variables of bpf/counting.h: programs count while the first one is 1, and find in the others
// when their slice began and ended, in ns of the monotonic clock; 0: it has not.
const (
	sliceCounts = "counting"
	sliceBegan  = "began"
	sliceEnded  = "ended"
)

// slicedSince is the variable of bpf/sliced.h: since when programs count in slices.
const slicedSince = "sliced"

// begin has programs count, which are attached. To attach them takes milliseconds: what
// passes meanwhile is of no slice.
func (s *Set) begin() (err error) {
	s.since = time.Now()
	if s.all.Variables[sliceCounts] != nil {
		var now uint64
		if now, err = monotonic(); err != nil {
			return err
		}
		err = errors.Join(s.Set(sliceBegan, now), s.Set(sliceEnded, uint64(0)), s.Set(sliceCounts, uint32(1)))
	}
	return err
}

// end has programs count no more, although they are attached.
func (s *Set) end() (err error) {
	if !s.counting() {
		return nil
	}
	s.counted, s.since = s.Traced(), time.Time{}
	if s.all.Variables[sliceCounts] != nil {
		var now uint64
		now, err = monotonic()
		err = errors.Join(err, s.Set(sliceCounts, uint32(0)), s.Set(sliceEnded, now))
	}
	return err
}

// slice has programs count in slices from now on, or all of the time.
func (s *Set) slice(on bool) (err error) {
	s.sliced = on
	if s.all.Variables[slicedSince] == nil {
		return nil
	}
	var since uint64
	if on {
		since, err = monotonic()
	}
	return errors.Join(err, s.Set(slicedSince, since))
}

func monotonic() (uint64, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0, fmt.Errorf("read the monotonic clock: %w", err)
	}
	return uint64(now.Nano()), nil
}

// counting says whether programs count.
func (s *Set) counting() bool { return !s.since.IsZero() }

// Sliced says whether programs count in slices of the time.
func (s *Set) Sliced() bool { return s.sliced }

// Traced is how long programs counted so far.
func (s *Set) Traced() time.Duration {
	if s.counting() {
		return s.counted + time.Since(s.since)
	}
	return s.counted
}

// pause ends a slice.
func (s *Set) pause() error {
	if s.stays {
		return s.end()
	}
	return s.detach()
}

// resume begins a slice.
func (s *Set) resume() error {
	if len(s.links) == 0 {
		return s.attach()
	}
	return s.begin()
}

// attach begins to count.
func (s *Set) attach() error {
	for _, p := range s.programs {
		if p.elsewhere {
			continue
		}
		l, err := p.attach()
		if err != nil {
			return errors.Join(kernel.Missing("attach a BPF program to "+p.tracepoint, err), s.detach())
		}
		s.links = append(s.links, l)
	}
	if err := s.uprobes.attach(s); err != nil {
		return errors.Join(err, s.detach())
	}
	if err := s.begin(); err != nil {
		return errors.Join(err, s.detach())
	}
	return nil
}

func (p *program) attach() (io.Closer, error) {
	if p.clocks != nil {
		return closer(p.clocks.stop), p.clocks.start()
	}
	return link.AttachTracing(link.TracingOptions{Program: p.is})
}

// closer makes a function that ends something an io.Closer.
type closer func() error

func (c closer) Close() error { return c() }

// detach ends the programs. What they counted can still be read.
func (s *Set) detach() error {
	errs := []error{s.end()}
	for _, l := range s.links {
		errs = append(errs, l.Close())
	}
	s.links = nil
	return errors.Join(errs...)
}

// close removes everything from the kernel.
func (s *Set) close() error {
	err := errors.Join(s.detach(), s.uprobes.close())
	for _, p := range s.programs {
		err = errors.Join(err, p.clocks.Close())
	}
	s.all.Close()
	return err
}
