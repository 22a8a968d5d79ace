// Package kernel loads BPF programs, and reads what the kernel knows through BPF
// iterators: one read gives a row for every task or socket, where /proc and netlink
// need a call for each. Programs are in bpf/, one file per family; the object of each is
// committed here, so that only who changes a program needs clang (make bpf).
//
// Everything that asks this package must get along without it: it needs Linux
// 5.8 with BTF and capabilities that only root has.
package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
)

// Loader puts programs into the kernel. The types of the running kernel, which
// take milliseconds to read, are read once for all programs and given back by
// Done. A Loader is for concurrent use.
type Loader struct {
	mu    sync.Mutex
	types *btf.Cache
}

// Done gives back what only loading needs. Programs may still be loaded, at the
// full price.
func (l *Loader) Done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.types = nil
}

// Load loads the programs and maps of an object without attaching them. adapt, if
// there is one, may change the object to suit the types of the running kernel and of
// its modules. The error is a *probe.MissingError unless it is adapt's.
func (l *Loader) Load(object []byte, adapt func(spec *ebpf.CollectionSpec, types *btf.Spec, module Module) error) (*ebpf.Collection, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.types == nil {
		l.types = btf.NewCache()
	}
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return nil, fmt.Errorf("read the object of a BPF program: %w", err)
	}
	if adapt != nil {
		types, err := l.types.Kernel()
		if err != nil {
			return nil, missing("read the types of this kernel", err)
		}
		if err := adapt(spec, types, l.module); err != nil {
			return nil, err
		}
	}
	all, err := ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{Cache: l.types})
	if err != nil {
		return nil, missing("load a BPF program", err)
	}
	return all, nil
}

// Module tells the types of a loaded module of the kernel, by its name.
type Module func(name string) (*btf.Spec, error)

func (l *Loader) module(name string) (*btf.Spec, error) {
	// Everybody may read the types, but only these may attach programs to a module.
	if !capable(capSysAdmin) {
		return nil, unix.EPERM
	}
	return l.types.Module(name)
}

// Iterators loads the programs of an object and attaches each as an iterator,
// by the name of its function. The error is a *probe.MissingError.
func (l *Loader) Iterators(object []byte) (map[string]*Iterator, error) {
	// Programs stay loaded through the links of their iterators.
	programs, err := l.Load(object, nil)
	if err != nil {
		return nil, err
	}
	defer programs.Close()
	iterators := make(map[string]*Iterator, len(programs.Programs))
	for name, program := range programs.Programs {
		it, err := NewIterator(name, program)
		if err != nil {
			for _, i := range iterators {
				i.Close()
			}
			return nil, err
		}
		iterators[name] = it
	}
	return iterators, nil
}

// NewIterator attaches a loaded program as an iterator. The program may be closed
// then. The error is a *probe.MissingError.
func NewIterator(name string, program *ebpf.Program) (*Iterator, error) {
	it, err := link.AttachIter(link.IterOptions{Program: program})
	if err != nil {
		return nil, missing("attach the BPF iterator "+name, err)
	}
	return &Iterator{name: name, link: it}, nil
}

// Missing says what an error of the kernel about BPF asks for.
func Missing(doing string, err error) error { return missing(doing, err) }

// Check says whether programs can be loaded here, without loading one: nil or
// a *probe.MissingError. Only loading tells for certain.
func Check() error {
	if _, err := os.Stat("/sys/kernel/btf/vmlinux"); err != nil {
		return missing("look for the types of this kernel", err)
	}
	if !capable(capBPF, capPerfmon) && !capable(capSysAdmin) {
		return missing("look for capabilities", unix.EPERM)
	}
	return nil
}

// Iterator is a loaded program that writes rows about all objects of a kind.
// It is not for concurrent use.
type Iterator struct {
	name string
	link *link.Iter
	buf  []byte
}

// chunk is how much is read with one call: the kernel's own buffer has eight
// pages.
const chunk = 64 << 10

// Each makes one pass. visit gets the bytes that came and returns how many of
// them it used; the rest comes again, with more behind it. The bytes are valid
// during the call.
func (i *Iterator) Each(visit func(b []byte) (used int)) error {
	pass, err := i.link.Open()
	if err != nil {
		return fmt.Errorf("start a pass of the BPF iterator %s: %w", i.name, err)
	}
	defer pass.Close()
	if i.buf == nil {
		i.buf = make([]byte, chunk)
	}
	kept := 0
	for {
		n, err := pass.Read(i.buf[kept:])
		if n > 0 {
			kept += n
			used := visit(i.buf[:kept])
			if used <= 0 && kept == len(i.buf) {
				return fmt.Errorf("read the BPF iterator %s: a row of more than %d bytes", i.name, chunk)
			}
			kept = copy(i.buf, i.buf[used:kept])
			continue
		}
		switch {
		case errors.Is(err, unix.EAGAIN): // the kernel lets others run in between
		case err == nil, errors.Is(err, io.EOF):
			if kept > 0 {
				return fmt.Errorf("read the BPF iterator %s: it ended within a row", i.name)
			}
			return nil
		default:
			return fmt.Errorf("read the BPF iterator %s: %w", i.name, err)
		}
	}
}

// Close removes the program from the kernel.
func (i *Iterator) Close() error { return i.link.Close() }

// missing says what an error of loading asks for.
func missing(doing string, err error) error {
	err = fmt.Errorf("%s: %w", doing, err)
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES) && !capable(capSysAdmin):
		return &probe.MissingError{
			What: "CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN",
			How:  "run as root, or grant cap_bpf and cap_perfmon: rtrail doctor says how; a container needs both capabilities",
			Err:  err,
		}
	case errors.Is(err, os.ErrNotExist), errors.Is(err, btf.ErrNotFound), errors.Is(err, ebpf.ErrNotSupported):
		return &probe.MissingError{
			What: "BPF with the types of the kernel: Linux 5.8 or newer with /sys/kernel/btf/vmlinux",
			How:  "a kernel with CONFIG_BPF_SYSCALL=y and CONFIG_DEBUG_INFO_BTF=y (Debian 11, Ubuntu 20.10, RHEL 9 and later have it)",
			Err:  err,
		}
	}
	return &probe.MissingError{What: "BPF", How: "see rtrail doctor", Err: err}
}

// Capabilities of include/uapi/linux/capability.h.
const (
	capSysAdmin = 21
	capPerfmon  = 38
	capBPF      = 39
)

// capable says whether this process has all of the capabilities.
func capable(want ...uint) bool {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), "\nCapEff:")
	var have uint64
	if _, err := fmt.Sscanf(strings.TrimSpace(rest), "%x", &have); err != nil {
		return false
	}
	for _, c := range want {
		if have>>c&1 == 0 {
			return false
		}
	}
	return true
}
