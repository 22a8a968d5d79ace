package host

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Sysctls lists the settings of the whole host that rules refer to. The
// schedulers' own (kernel.sched_*) are added as far as they are there. The
// settings of network namespaces are in netproc.Sysctls.
var Sysctls = []string{
	"fs.file-max",
	"fs.nr_open",
	"kernel.numa_balancing",
	"kernel.pid_max",
	"kernel.task_delayacct",
	"kernel.threads-max",
	"net.core.netdev_budget",
	"net.core.netdev_budget_usecs",
	"net.core.netdev_max_backlog",
	"net.core.rmem_max",
	"net.core.wmem_max",
	"net.ipv4.tcp_mem",
	"net.ipv4.udp_mem",
	"vm.dirty_background_bytes",
	"vm.dirty_background_ratio",
	"vm.dirty_bytes",
	"vm.dirty_expire_centisecs",
	"vm.dirty_ratio",
	"vm.dirty_writeback_centisecs",
	"vm.max_map_count",
	"vm.min_free_kbytes",
	"vm.overcommit_memory",
	"vm.overcommit_ratio",
	"vm.swappiness",
	"vm.vfs_cache_pressure",
	"vm.watermark_scale_factor",
	"vm.zone_reclaim_mode",
}

// sysctl reads settings from /proc/sys.
type sysctl struct {
	fs    FS
	names []string
	buf   []byte
}

func newSysctl(fs FS) *sysctl { return &sysctl{fs: fs} }

func (s *sysctl) read(w *recording.Writer, _ bool) error {
	if s.names == nil {
		s.names = append(s.names, Sysctls...)
		found, _ := filepath.Glob(s.fs.path("proc/sys/kernel/sched_*"))
		for _, path := range found {
			s.names = append(s.names, "kernel."+filepath.Base(path))
		}
	}
	var bad error
	for _, name := range s.names {
		b, err := procfile.ReadOnce(s.fs.path("proc/sys", sysctlPath(name)), s.buf)
		if err != nil {
			// A kernel without the setting, or a network namespace that does not
			// show those of the host, is not a fault.
			if !errors.Is(err, fs.ErrNotExist) {
				bad = err
			}
			continue
		}
		s.buf = b
		recording.Append(w, recording.SysctlSample{At: time.Now(), Name: name, Value: SysctlText(b)})
	}
	return bad
}

// sysctlPath is the file of a setting below /proc/sys. None of the names used
// here has a dot inside a component.
func sysctlPath(name string) string { return strings.ReplaceAll(name, ".", "/") }

// SysctlText is the content of a file of /proc/sys as sysctl(8) shows it:
// without the newline, tabs between several numbers as single blanks.
func SysctlText(b []byte) string {
	return string(bytes.Join(bytes.Fields(b), []byte{' '}))
}
