package host

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Identify reads what does not change while the machine runs. What cannot be
// read stays empty.
func Identify(fs FS) recording.Host {
	h := recording.Host{
		Name:     fs.text("proc/sys/kernel/hostname"),
		Kernel:   fs.text("proc/sys/kernel/osrelease"),
		Arch:     fs.text("proc/sys/kernel/arch"), // since 6.1
		OS:       osName(fs),
		PageSize: os.Getpagesize(),
		PID:      os.Getpid(),
		Comm:     fs.text("proc/self/comm"),
		Root:     os.Geteuid() == 0,
	}
	if h.Arch == "" {
		h.Arch = runtime.GOARCH
	}
	if stat, err := procfile.ReadOnce(fs.path("proc/stat"), nil); err == nil {
		h.CPUs, h.Boot = countCPUs(stat), bootTime(stat)
	}
	if info, err := procfile.ReadOnce(fs.path("proc/meminfo"), nil); err == nil {
		if row, err := parseMeminfo(info); err == nil {
			h.MemoryBytes = row.Total
		}
	}
	if mounts, err := procfile.ReadOnce(fs.path("proc/self/mountinfo"), nil); err == nil {
		entries, _ := parseMountinfo(mounts)
		h.CgroupVersion = cgroupVersion(entries)
	}
	h.NetNS, _ = namespace(fs, "net")
	if pidNS, ok := namespace(fs, "pid"); ok {
		h.Container = pidNS != firstPIDNamespace
	}
	h.DelayAcct = delayAccounting(fs, h.Kernel)
	return h
}

// firstPIDNamespace is the inode the kernel gives to the namespace of process
// 1 of the machine: PROC_PID_INIT_INO in include/linux/proc_ns.h.
const firstPIDNamespace = 0xEFFFFFFC

// text is the trimmed content of a file, "" when not readable.
func (f FS) text(elem ...string) string {
	b, err := procfile.ReadOnce(f.path(elem...), nil)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

// osName is PRETTY_NAME of os-release(5).
func osName(fs FS) string {
	for _, path := range []string{"etc/os-release", "usr/lib/os-release"} {
		for line := range strings.Lines(fs.text(path)) {
			value, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME=")
			if !ok {
				continue
			}
			if unquoted, err := strconv.Unquote(value); err == nil {
				return unquoted
			}
			return strings.Trim(value, `'"`)
		}
	}
	return ""
}

// countCPUs counts the online CPUs.
func countCPUs(stat []byte) int {
	rows, _, _ := parseStat(nil, time.Time{}, stat)
	n := 0
	for _, row := range rows {
		if row.CPU >= 0 {
			n++
		}
	}
	return n
}

func bootTime(stat []byte) time.Time {
	if seconds, ok := procfile.Number(stat, "btime"); ok {
		return time.Unix(min(seconds, 1<<40), 0)
	}
	return time.Time{}
}

// cgroupVersion is "hybrid" when both kinds of hierarchies are mounted, even
// if all controllers are in one of them.
func cgroupVersion(entries []mountEntry) string {
	var v1, v2 bool
	for _, e := range entries {
		v1 = v1 || e.fsType == "cgroup"
		v2 = v2 || e.fsType == "cgroup2"
	}
	switch {
	case v1 && v2:
		return "hybrid"
	case v1:
		return "v1"
	case v2:
		return "v2"
	}
	return "none"
}

// namespace is the inode behind a link like "net:[4026531840]".
func namespace(fs FS, kind string) (uint64, bool) {
	link, err := os.Readlink(filepath.Join(fs.path("proc/self/ns"), kind))
	if err != nil {
		return 0, false
	}
	number := strings.TrimSuffix(strings.TrimPrefix(link, kind+":["), "]")
	n, err := strconv.ParseUint(number, 10, 64)
	return n, err == nil
}

// delayAccounting tells whether the kernel measures how long tasks wait for
// block I/O and swap.
func delayAccounting(fs FS, kernel string) bool {
	return procfile.ReadDelayAccounting(fs.text("proc/sys/kernel/task_delayacct"), kernel, fs.text("proc/cmdline")) == procfile.DelaysOn
}
