package event

import (
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/probe/procfile"
)

// Clocked is a program that a clock of each CPU runs while that CPU is not idle.
type Clocked struct {
	Program string // name of its function
	Every   time.Duration
}

// clockName is the perf event that is the clock.
const clockName = "cpu-clock"

// clocks are perf events, one for each CPU.
type clocks []int

// openClocks makes the clocks of a program. One of a CPU that goes offline runs no
// more. The error is a *probe.MissingError where something can be done about it.
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
	var c clocks
	for _, cpu := range cpus {
		fd, err := unix.PerfEventOpen(attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if errors.Is(err, unix.ENODEV) {
			continue // it went offline
		}
		if err == nil {
			c = append(c, fd)
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
	for _, fd := range c {
		if err := unix.IoctlSetInt(fd, request, 0); err != nil {
			return fmt.Errorf("start or stop the clock of a BPF program: %w", err)
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
	for _, fd := range c {
		errs = append(errs, os.NewSyscallError("close", unix.Close(fd)))
	}
	return errors.Join(errs...)
}
