// Package klog reads the kernel log: what the kernel itself said about the
// window, and shortly before it.
package klog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

const (
	device = "/dev/kmsg"

	// history is how far back the first sample reaches. Rules judge the window;
	// what happened shortly before it helps people to understand it.
	history = 5 * time.Minute

	// mostLines bounds the rows of one sample: a kernel that logs more is
	// repeating itself. The newest are kept, the rest counts as lost.
	mostLines = 1000

	// longestRecord is more than any kernel writes: CONSOLE_EXT_LOG_MAX is
	// 8 KiB.
	longestRecord = 16 << 10
)

// Probe reads /dev/kmsg.
type Probe struct {
	path  string
	since func() (time.Duration, error) // the kernel log's clock
	fd    int
	next  uint64 // sequence number expected
	first bool
}

var _ probe.Probe = (*Probe)(nil)

// New makes the probe of this machine's kernel log.
func New() *Probe { return &Probe{path: device, since: monotonic, fd: -1, first: true} }

// Name implements probe.Probe.
func (p *Probe) Name() string { return "klog" }

// Help implements probe.Probe.
func (p *Probe) Help() string { return "the kernel log, from /dev/kmsg" }

// Fills implements probe.Probe.
func (p *Probe) Fills() []recording.Table { return []recording.Table{recording.KernelLog} }

// Check implements probe.Probe.
func (p *Probe) Check() error {
	fd, err := unix.Open(p.path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case err == nil:
		return unix.Close(fd)
	case errors.Is(err, fs.ErrPermission):
		return &probe.MissingError{What: "CAP_SYSLOG", How: "run as root, or allow everybody: sysctl kernel.dmesg_restrict=0", Err: fmt.Errorf("open %s: %w", p.path, err)}
	}
	return &probe.MissingError{What: p.path, How: "in a container, give it the host's " + device, Err: fmt.Errorf("open %s: %w", p.path, err)}
}

// Close gives the device back.
func (p *Probe) Close() error {
	if p.fd < 0 {
		return nil
	}
	err := unix.Close(p.fd)
	p.fd = -1
	return err
}

// Sample implements probe.Probe: all lines since the last sample; in the first
// one, those of the last minutes.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	if p.fd < 0 {
		fd, err := unix.Open(p.path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("open %s: %w", p.path, err)
		}
		p.fd = fd
	}
	clock, err := p.since()
	if err != nil {
		return fmt.Errorf("read the clock of the kernel log: %w", err)
	}
	now := time.Now()
	boot := now.Add(-clock)
	var lines []recording.KernelLogLine
	buf := make([]byte, longestRecord)
	for ctx.Err() == nil {
		n, err := unix.Read(p.fd, buf)
		if errors.Is(err, unix.EAGAIN) || err == nil && n == 0 {
			break
		}
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EPIPE): // the ring was overwritten; the next read goes on behind the gap
			continue
		case err != nil:
			return fmt.Errorf("read %s: %w", p.path, err)
		}
		r, err := parse(buf[:n])
		if err != nil {
			w.Lost(1)
			continue
		}
		if !p.first && r.sequence > p.next {
			w.Lost(int(min(r.sequence-p.next, 1<<30)))
		}
		p.next, p.first = r.sequence+1, false
		// Facility 0 is the kernel. Whoever may write to /dev/kmsg can put any
		// text there, but never under this facility.
		logged := boot.Add(r.since)
		if r.facility != 0 || now.Sub(logged) > history {
			continue
		}
		lines = append(lines, recording.KernelLogLine{At: now, Logged: logged, Sequence: r.sequence, Priority: r.level, Text: r.text})
	}
	if drop := len(lines) - mostLines; drop > 0 {
		w.Lost(drop)
		lines = lines[drop:]
	}
	recording.Append(w, lines...)
	return nil
}

// monotonic is the time since boot without suspend, which is what the kernel
// stamps its messages with.
func monotonic() (time.Duration, error) {
	var ts unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return time.Duration(ts.Nano()), err
}
