package event

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Clocked is a program that a clock of each CPU runs while that CPU is not idle.
type Clocked struct {
	Program string // name of its function
	Every   time.Duration
}

// clockName is the perf event that is the clock.
const clockName = "cpu-clock"

// clocks are perf events by their CPU.
type clocks map[int]*cpuClock

// cpuClock is the clock of one CPU.
type cpuClock struct {
	fd   int
	gone bool // its CPU went offline: the kernel takes its events away, also for when it comes back
}

// openClocks makes the clocks of a program, of the CPUs that are online. The error is a
// *probe.MissingError where something can be done about it.
func openClocks(p *ebpf.Program, every time.Duration) (clocks, error) {
	// No event of the hardware: other tools may hold those, and machines without any exist.
	attr := &unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample: uint64(every.Nanoseconds()), Bits: unix.PerfBitDisabled | unix.PerfBitExcludeIdle,
	}
	cpus, err := procfile.OnlineCPUs()
	if err != nil {
		return nil, err
	}
	c := clocks{}
	for _, cpu := range cpus {
		fd, err := unix.PerfEventOpen(attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if errors.Is(err, unix.ENODEV) {
			continue // it went offline
		}
		if err == nil {
			c[cpu] = &cpuClock{fd: fd}
			err = unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_BPF, p.FD())
		}
		if err != nil {
			return nil, errors.Join(clockRefused(err), c.Close())
		}
	}
	return c, nil
}

// start begins to run the program.
func (c clocks) start() error { return c.each(unix.PERF_EVENT_IOC_ENABLE) }

// stop ends that for a while.
func (c clocks) stop() error { return c.each(unix.PERF_EVENT_IOC_DISABLE) }

func (c clocks) each(request uint) error {
	for _, k := range c {
		if err := unix.IoctlSetInt(k.fd, request, 0); err != nil {
			return fmt.Errorf("start or stop the clock of a BPF program: %w", err)
		}
	}
	return nil
}

// without is how many of the CPUs that are online have no clock that runs: they came, or
// came back, after it was made. A CPU that goes and comes back between two calls is missed.
func (c clocks) without(online []int) (n int64) {
	for cpu, k := range c {
		if _, there := slices.BinarySearch(online, cpu); !there {
			k.gone = true
		}
	}
	for _, cpu := range online {
		if k := c[cpu]; k == nil || k.gone {
			n++
		}
	}
	return n
}

// tellClocks notes on how many CPUs no clock runs.
func (s *Set) tellClocks(w *recording.Writer, probe string) error {
	for _, p := range s.programs {
		if p.clocks == nil {
			continue
		}
		online, err := procfile.OnlineCPUs()
		if err != nil {
			return err
		}
		if n := p.clocks.without(online); n > 0 {
			recording.Append(w, recording.UnseenNote{At: w.Started, Probe: probe, What: "what runs on CPUs that came online later", Count: n, Of: int64(len(online)),
				Why: "each CPU gets its clock when rtrail starts", How: "start rtrail again"})
		}
	}
	return nil
}

// clockRefused says what an error of the kernel asks for.
func clockRefused(err error) error {
	err = fmt.Errorf("open a perf event on the clock of each CPU: %w", err)
	switch {
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return &probe.MissingError{What: "CAP_PERFMON for perf events", How: "run as root, or grant cap_bpf and cap_perfmon: rtrail doctor says how; a container also needs a seccomp profile that allows perf_event_open", Err: err}
	case errors.Is(err, unix.EMFILE):
		return &probe.MissingError{What: "more file descriptors, one for each CPU", How: "ulimit -n 65536", Err: err}
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOENT):
		return &probe.MissingError{What: "perf events", How: "a kernel with CONFIG_PERF_EVENTS=y", Err: err}
	}
	return err
}

// Close gives the clocks back.
func (c clocks) Close() error {
	var errs []error
	for _, k := range c {
		errs = append(errs, os.NewSyscallError("close", unix.Close(k.fd)))
	}
	return errors.Join(errs...)
}
