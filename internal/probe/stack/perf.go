package stack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/probe/procfile"
)

const (
	// ringPages is the size of a CPU's buffer in pages, a power of two: half a
	// megabyte, what the kernel lets users lock (kernel.perf_event_mlock_kb).
	ringPages = 128
	// stackBytes is how much of a stack is copied with each sample, where frames
	// are followed here. Deeper callers are not seen.
	stackBytes = 24 << 10
	// maxEvents bounds the descriptors; with more threads times CPUs all of the
	// host is sampled and the rest thrown away.
	maxEvents = 2048
)

// The kernel's numbers of the registers that following frames begins with
// (arch/x86/include/uapi/asm/perf_regs.h), in the order in which they come, and
// theirs in DWARF.
var wantedRegs = []struct{ kernel, dwarf int }{
	{1, 3}, {2, 2}, {3, 1}, {4, 4}, {5, 5}, {6, regBP}, {7, regSP}, {8, regPC}, {16, 8}, {17, 9}, {18, 10}, {19, 11}, {20, 12}, {21, 13}, {22, 14}, {23, 15},
}

// followsFrames says whether call frame information is understood here.
const followsFrames = runtime.GOARCH == "amd64"

// sampler takes samples of running threads of one process.
type sampler struct {
	pid      int32
	fds      []int
	rings    []*ring
	filter   bool // samples of other processes come too
	noKernel bool // without the right to see the kernel's part
	lost     uint64
	samples  uint64
}

// ring is a buffer that the kernel writes and we read.
type ring struct {
	mem  []byte
	meta *unix.PerfEventMmapPage
	data []byte
}

// sample is one stack of a running thread.
type sample struct {
	pid, tid int32
	kernel   []uint64 // innermost first
	user     []uint64 // by frame pointers, as the kernel followed them
	regs     registers
	stack    []byte
}

func attributes(hz int, kernel bool) *unix.PerfEventAttr {
	a := &unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample: uint64(hz), Sample_type: unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_CALLCHAIN,
		Bits: unix.PerfBitDisabled | unix.PerfBitFreq | unix.PerfBitInherit, Wakeup: 1,
	}
	if !kernel {
		a.Bits |= unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv
	}
	if followsFrames {
		a.Sample_type |= unix.PERF_SAMPLE_REGS_USER | unix.PERF_SAMPLE_STACK_USER
		for _, r := range wantedRegs {
			a.Sample_regs_user |= 1 << r.kernel
		}
		a.Sample_stack_user = stackBytes
	}
	return a
}

// newSampler opens events for all threads of a process on all CPUs. Threads
// that begin later inherit them.
func newSampler(pid int32, hz int) (*sampler, error) {
	s := &sampler{pid: pid}
	cpus, err := procfile.OnlineCPUs()
	if err != nil {
		return nil, err
	}
	tids, err := threadsOf(pid)
	if err != nil {
		return nil, err
	}
	if len(tids)*len(cpus) > maxEvents {
		s.filter = true
		tids = []int32{-1}
	}
	err = s.open(tids, cpus, attributes(hz, true))
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		s.Close()
		s.noKernel = true
		err = s.open(tids, cpus, attributes(hz, false))
	}
	if err != nil {
		s.Close()
		return nil, explain(err)
	}
	for _, fd := range s.fds {
		if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
			s.Close()
			return nil, fmt.Errorf("enabling perf events: %w", err)
		}
	}
	return s, nil
}

func (s *sampler) open(tids []int32, cpus []int, attr *unix.PerfEventAttr) error {
	for _, cpu := range cpus {
		first := -1
		for _, tid := range tids {
			fd, err := unix.PerfEventOpen(attr, int(tid), cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
			if errors.Is(err, unix.ESRCH) {
				continue // the thread ended meanwhile
			}
			if err != nil {
				return err
			}
			s.fds = append(s.fds, fd)
			if first >= 0 {
				if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_OUTPUT, first); err != nil {
					return fmt.Errorf("joining buffers: %w", err)
				}
				continue
			}
			first = fd
			r, err := newRing(fd)
			if err != nil {
				return err
			}
			s.rings = append(s.rings, r)
		}
	}
	if len(s.fds) == 0 {
		return fmt.Errorf("process %d has ended", s.pid)
	}
	return nil
}

// explain says what is missing when the kernel refuses.
func explain(err error) error {
	switch {
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		level := "unknown"
		if b, readErr := os.ReadFile("/proc/sys/kernel/perf_event_paranoid"); readErr == nil {
			level = strings.TrimSpace(string(b))
		}
		return &probe.MissingError{
			What: fmt.Sprintf("CAP_PERFMON to sample running threads (kernel.perf_event_paranoid is %s)", level),
			How:  "run as root, or grant cap_perfmon and cap_sys_ptrace: rtrail doctor says how", Err: err,
		}
	case errors.Is(err, unix.ENOSYS):
		return &probe.MissingError{What: "a kernel with perf events (CONFIG_PERF_EVENTS)", How: "read dumps of gdb or eu-stack instead", Err: err}
	case errors.Is(err, unix.EMFILE):
		return &probe.MissingError{What: "more file descriptors", How: "ulimit -n 65536", Err: err}
	}
	return fmt.Errorf("opening perf events: %w", err)
}

func newRing(fd int) (*ring, error) {
	page := os.Getpagesize()
	mem, err := unix.Mmap(fd, 0, (1+ringPages)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping the buffer of perf events: %w", err)
	}
	return &ring{mem: mem, meta: (*unix.PerfEventMmapPage)(unsafe.Pointer(&mem[0])), data: mem[page:]}, nil
}

// Close gives everything back.
func (s *sampler) Close() {
	for _, r := range s.rings {
		unix.Munmap(r.mem)
	}
	for _, fd := range s.fds {
		unix.Close(fd)
	}
	s.rings, s.fds = nil, nil
}

// drain takes all samples that are there.
func (s *sampler) drain(take func(*sample)) {
	for _, r := range s.rings {
		r.read(func(kind uint32, body []byte) {
			switch kind {
			case unix.PERF_RECORD_LOST:
				if len(body) >= 16 {
					s.lost += binary.NativeEndian.Uint64(body[8:])
				}
			case unix.PERF_RECORD_SAMPLE:
				if p, ok := parseSample(body); ok && p.pid == s.pid {
					s.samples++
					take(&p)
				}
			}
		})
	}
}

// read gives out the records between what was read and what was written
// (perf_event_open(2), "MMAP layout").
func (r *ring) read(take func(kind uint32, body []byte)) {
	head := atomic.LoadUint64(&r.meta.Data_head)
	tail := r.meta.Data_tail
	size := uint64(len(r.data))
	for tail+8 <= head {
		header := r.copy(tail, 8)
		kind, length := binary.NativeEndian.Uint32(header), uint64(binary.NativeEndian.Uint16(header[6:]))
		if length < 8 || length > size || tail+length > head {
			break
		}
		take(kind, r.copy(tail+8, length-8))
		tail += length
	}
	atomic.StoreUint64(&r.meta.Data_tail, head)
}

func (r *ring) copy(at, n uint64) []byte {
	size := uint64(len(r.data))
	from := at % size
	if from+n <= size {
		return r.data[from : from+n]
	}
	return append(append(make([]byte, 0, n), r.data[from:]...), r.data[:from+n-size]...)
}

// parseSample reads the fields in the order of perf_event_open(2).
func parseSample(b []byte) (p sample, ok bool) {
	word := func() uint64 {
		if len(b) < 8 {
			ok = false
			return 0
		}
		v := binary.NativeEndian.Uint64(b)
		b = b[8:]
		return v
	}
	ok = true
	ids := word()
	p.pid, p.tid = int32(uint32(ids)), int32(uint32(ids>>32))
	n := word()
	if !ok || n > uint64(len(b)/8) {
		return p, false
	}
	user := false
	for range n {
		ip := word()
		switch {
		case ip == perfContextKernel:
			user = false
		case ip == perfContextUser:
			user = true
		case ip >= perfContextMax: // other contexts: hypervisor, guest
		case user:
			p.user = append(p.user, ip)
		default:
			p.kernel = append(p.kernel, ip)
		}
	}
	if !followsFrames {
		return p, ok
	}
	if abi := word(); abi == unix.PERF_SAMPLE_REGS_ABI_64 {
		for _, r := range wantedRegs {
			p.regs.set(r.dwarf, word())
		}
	} else if abi != unix.PERF_SAMPLE_REGS_ABI_NONE {
		return p, ok // a 32 bit program: without its stack
	}
	if size := word(); ok && size > 0 && size <= uint64(len(b)) {
		stack := b[:size]
		b = b[size:]
		if dynamic := word(); dynamic <= size {
			p.stack = stack[:dynamic]
		}
	}
	return p, ok
}

// Marks in call chains (include/uapi/linux/perf_event.h).
const (
	perfContextKernel = ^uint64(128 - 1)
	perfContextUser   = ^uint64(512 - 1)
	perfContextMax    = ^uint64(4095 - 1)
)
