// Package host reads what /proc and /sys tell about the machine as a whole:
// CPUs, scheduler, pressure, memory, block devices, mounted filesystems,
// interrupts and settings. One file per subsystem.
package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// FS says where /proc, /sys and /etc are. The zero value is the running
// system; tests give the root of a recorded tree.
type FS struct{ Root string }

// path joins a path below the root, which may be relative.
func (f FS) path(elem ...string) string {
	root := f.Root
	if root == "" {
		root = "/"
	}
	return filepath.Join(append([]string{root}, elem...)...)
}

func (f FS) file(elem ...string) procfile.File {
	return procfile.File{Path: f.path(elem...)}
}

const (
	// seldom is how often the slow-changing things are read between the first and
	// the last sample: settings, mounts, zones and interrupt lines change in
	// seconds to days and cost more than everything else together.
	seldom = 5 * time.Second

	// rarely is for what costs as much again: settings below /sys are a file for each
	// CPU and queue.
	rarely = time.Minute
)

// reader is one subsystem. full is true at the first and last sample and
// every few seconds in between.
type reader interface {
	read(w *recording.Writer, full bool) error
}

// subsystem is one source with what is needed to run and to name it.
type subsystem struct {
	what   string        // as told in notes: "block devices (/proc/diskstats)"
	every  time.Duration // apart from the first and last sample; 0: in each
	reader reader
}

// Probe reads the host's subsystems.
type Probe struct {
	fs       FS
	parts    []subsystem
	closing  atomic.Bool
	lastFull time.Time
	read     []time.Time       // when each part that is not read in every sample last was
	noted    map[string]string // what could not be seen, and why, as last told
}

var (
	_ probe.Probe     = (*Probe)(nil)
	_ probe.Bracketed = (*Probe)(nil)
)

// New makes the probe "host".
func New(fs FS) *Probe {
	p := &Probe{
		fs:    fs,
		noted: map[string]string{},
		parts: []subsystem{
			{what: "CPU times and scheduler totals (/proc/stat)", reader: newCPU(fs)},
			{what: "pressure stall information (/proc/pressure)", reader: newPressure(fs)},
			{what: "memory gauges (/proc/meminfo)", reader: newMemory(fs)},
			{what: "memory counters (/proc/vmstat)", reader: newVMStat(fs)},
			{what: "swap areas (/proc/swaps)", reader: newTable(fs.file("proc/swaps"), parseSwaps)},
			{what: "block devices (/proc/diskstats)", reader: newDisk(fs)},
			{what: "softirqs (/proc/softirqs)", reader: newTable(fs.file("proc/softirqs"), parseSoftIRQs)},
			{what: "receive backlog of the CPUs (/proc/net/softnet_stat)", reader: newSoftnet(fs)},
			{what: "mounted filesystems (/proc/self/mountinfo)", every: seldom, reader: newMount(fs)},
			{what: "memory zones (/proc/zoneinfo)", every: seldom, reader: newTable(fs.file("proc/zoneinfo"), parseZones)},
			{what: "interrupt lines (/proc/interrupts)", every: seldom, reader: newTable(fs.file("proc/interrupts"), parseInterrupts)},
			{what: "kernel settings (/proc/sys)", every: seldom, reader: newSysctl(fs)},
			{what: "settings of devices and interrupts (/sys, /proc/irq)", every: rarely, reader: newTunable(fs)},
		},
	}
	p.read = make([]time.Time, len(p.parts))
	return p
}

// probeName is also the source of rows that a table lacks.
const probeName = "host"

// Name is "host".
func (p *Probe) Name() string { return probeName }

// Brief says that samples wait for nobody.
func (p *Probe) Brief() {}

// Help says what the probe reads.
func (p *Probe) Help() string {
	return "CPUs, scheduler, pressure, memory, swap, block devices, mounts, interrupts and settings, from /proc and /sys"
}

// Fills lists the tables.
func (p *Probe) Fills() []recording.Table {
	return []recording.Table{
		recording.CPUs, recording.System, recording.Pressure, recording.Memory, recording.VMStat,
		recording.Swaps, recording.Zones, recording.Disks, recording.Mounts,
		recording.SoftIRQs, recording.Interrupts, recording.Softnet, recording.Sysctls, recording.Unseen,
	}
}

// Start asks for a mounted /proc. Everything else may be missing.
func (p *Probe) Start() error {
	stat := p.fs.file("proc/stat")
	defer stat.Close()
	if _, err := stat.Read(); err != nil {
		return &probe.MissingError{What: "a mounted /proc", How: "mount -t proc proc /proc", Err: err}
	}
	return nil
}

// Closing makes the next sample a full one.
func (p *Probe) Closing() { p.closing.Store(true) }

// Close leaves the files to the end of the program.
func (p *Probe) Close() error { return nil }

// Sample reads all subsystems that are due. A subsystem that cannot be read
// leaves a note; the others are not affected.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	edge := p.closing.Swap(false) || p.lastFull.IsZero()
	full := edge || w.Started.Sub(p.lastFull) >= seldom
	if full {
		p.lastFull = w.Started
	}
	for i, s := range p.parts {
		if s.every > 0 {
			if !edge && w.Started.Sub(p.read[i]) < s.every {
				continue
			}
			p.read[i] = w.Started
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stop before reading %s: %w", s.what, err)
		}
		p.note(w, s.what, s.reader.read(w, full), full)
	}
	return nil
}

// note tells what could not be read: when it is new, and again in every full
// sample, so that a long recording says so near every moment.
func (p *Probe) note(w *recording.Writer, what string, err error, full bool) {
	if err == nil {
		delete(p.noted, what)
		return
	}
	why := reason(err)
	if p.noted[what] == why && !full {
		return
	}
	p.noted[what] = why
	w.Unseen(p.Name(), what, 1, why, remedy(err))
}

// reason is err without the path, which is in the name of the subsystem.
func reason(err error) string {
	if missing, ok := errors.AsType[*probe.MissingError](err); ok {
		return missing.What
	}
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

func remedy(err error) string {
	if how := probe.Remedy(err); how != "" {
		return how
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "run as root"
	case errors.Is(err, syscall.EMFILE):
		return "raise the number of open files: ulimit -n"
	case errors.Is(err, fs.ErrNotExist):
		return "the running kernel does not have it"
	}
	return ""
}
