package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Tunables are settings outside of /proc/sys, by their paths; a file may have
// several, as each CPU has.
var Tunables = []string{
	"/sys/kernel/mm/transparent_hugepage/enabled",
	"/sys/kernel/mm/transparent_hugepage/defrag",
	"/sys/devices/system/clocksource/clocksource0/current_clocksource",
	"/sys/devices/system/clocksource/clocksource0/available_clocksource",
	"/sys/devices/system/cpu/cpufreq/policy*/scaling_driver",
	"/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
	"/sys/class/net/*/queues/rx-*/rps_cpus",
}

const (
	// maxTunables bounds the files of one pattern: a large host has a policy for
	// each of 256 CPUs, and a card hardly more queues than that.
	maxTunables = 512
	// maxLines bounds the interrupt lines of one interface.
	maxLines = 256
)

// tunable reads settings below /sys, and where the interrupts of network
// interfaces may run.
type tunable struct {
	fs  FS
	buf []byte
}

func newTunable(fs FS) *tunable { return &tunable{fs: fs} }

func (t *tunable) read(w *recording.Writer, _ bool) error {
	var bad error
	for _, pattern := range Tunables {
		found, _ := filepath.Glob(t.fs.path(pattern)) // the patterns are well formed
		for _, path := range found[:min(len(found), maxTunables)] {
			bad = errors.Join(bad, t.setting(w, t.name(path), path))
		}
	}
	interfaces, _ := filepath.Glob(t.fs.path("/sys/class/net/*"))
	for _, path := range interfaces[:min(len(interfaces), maxTunables)] {
		lines := interruptsOf(path)
		if len(lines) == 0 {
			continue
		}
		recording.Append(w, recording.SysctlSample{At: time.Now(), Name: t.name(path) + "/device/msi_irqs", Value: strings.Join(lines, " ")})
		for _, irq := range lines {
			for _, file := range []string{"smp_affinity_list", "effective_affinity_list"} {
				name := "/proc/irq/" + irq + "/" + file
				bad = errors.Join(bad, t.setting(w, name, t.fs.path(name)))
			}
		}
	}
	return bad
}

// name is a path as it is on the machine, without the root of a recorded tree.
func (t *tunable) name(path string) string {
	return "/" + strings.TrimPrefix(strings.TrimPrefix(path, t.fs.path()), "/")
}

func (t *tunable) setting(w *recording.Writer, name, path string) error {
	b, err := procfile.ReadOnce(path, t.buf)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrInvalid):
		return nil // gone meanwhile, a kernel without it, or a container that hides it
	case err != nil:
		return err
	}
	t.buf = b
	recording.Append(w, recording.SysctlSample{At: time.Now(), Name: name, Value: SysctlText(b)})
	return nil
}

// interruptsOf lists the interrupt lines of the device behind an interface, by
// number: its own, or, of virtio, those of the PCI device that it is on.
func interruptsOf(iface string) []string {
	device, err := filepath.EvalSymlinks(filepath.Join(iface, "device"))
	if err != nil {
		return nil // a virtual interface
	}
	for _, dir := range []string{device, filepath.Dir(device)} {
		f, err := os.Open(filepath.Join(dir, "msi_irqs"))
		if err != nil {
			continue
		}
		names, _ := f.Readdirnames(maxLines) // what was read before an error is told
		f.Close()
		names = slices.DeleteFunc(names, func(s string) bool { return s == "" || strings.Trim(s, "0123456789") != "" })
		slices.SortFunc(names, func(a, b string) int {
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return strings.Compare(a, b)
		})
		return names
	}
	return nil
}
