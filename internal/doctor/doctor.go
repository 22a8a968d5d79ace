// Package doctor finds out what a machine lets rtrail see, and what would let
// it see the rest.
package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rtrail/internal/probe"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/probe/process"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Report is the answer; its JSON form is what `rtrail doctor --json` prints.
type Report struct {
	Kernel   string `json:"kernel"`
	Arch     string `json:"arch"`
	Cgroup   string `json:"cgroup_version"`
	Root     bool   `json:"root"`
	Probes   []Item `json:"probes"`
	Features []Item `json:"features"`
}

// Item is one probe or one feature of the kernel.
type Item struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	What    string `json:"what"`              // what it gives
	Problem string `json:"problem,omitempty"` // why it is not there
	How     string `json:"how,omitempty"`     // what would bring it, as a command where there is one
}

// Examine asks every probe whether it may run and looks for kernel features
// below root, which is "/" outside of tests.
func Examine(root string, host recording.Host, probes []probe.Probe) Report {
	r := Report{Kernel: host.Kernel, Arch: host.Arch, Cgroup: host.CgroupVersion, Root: host.Root, Probes: []Item{}}
	for _, p := range probes {
		i := Item{Name: p.Name(), OK: true, What: p.Help()}
		if err := p.Start(); err != nil {
			i.OK, i.Problem, i.How = false, err.Error(), probe.Remedy(err)
		} else {
			_ = p.Close() // it read nothing
		}
		r.Probes = append(r.Probes, i)
	}
	for _, f := range features {
		i := Item{Name: f.name, OK: true, What: f.what}
		if problem := f.test(root); problem != "" {
			i.OK, i.Problem, i.How = false, problem, f.how
		}
		r.Features = append(r.Features, i)
	}
	return r
}

// feature is something a kernel may lack or have switched off.
type feature struct {
	name, what, how string
	test            func(root string) (problem string)
}

var features = []feature{
	{
		name: "pressure", what: "stall times of CPU, memory and I/O (PSI, since Linux 4.20)",
		how:  "boot with psi=1 on the kernel command line; the kernel needs CONFIG_PSI=y",
		test: func(root string) string { return readable(root, "proc/pressure/cpu") },
	},
	{
		name: "schedstat", what: "time that tasks waited for a CPU, per process and thread",
		how:  "a kernel with CONFIG_SCHED_INFO=y (all of Debian, Ubuntu, RHEL and SUSE have it)",
		test: func(root string) string { return readable(root, "proc/self/schedstat") },
	},
	{
		name: "delay accounting", what: "time that processes waited for block I/O and swap-in (taskstats)",
		how:  "sysctl -w kernel.task_delayacct=1 and restart the processes in question (since Linux 5.14, a few ns per switch), or boot with delayacct; before 5.14 boot without nodelayacct",
		test: delayAccounting,
	},
	{
		name: "cgroup v2", what: "limits and stalls of services and containers in one hierarchy (v1 is read too)",
		how:  "boot with systemd.unified_cgroup_hierarchy=1; without it rtrail reads cgroup v1",
		test: func(root string) string { return readable(root, "sys/fs/cgroup/cgroup.controllers") },
	},
	{
		name: "kernel stacks", what: "where sleeping threads wait inside the kernel",
		how:  "run as root (CAP_SYS_ADMIN): sudo rtrail; the kernel needs CONFIG_STACKTRACE=y",
		test: func(root string) string { return readable(root, "proc/self/stack") },
	},
	{
		name: "conntrack", what: "fill level of the connection tracking table, where a firewall uses one",
		how:  "nothing to do unless the firewall keeps state: modprobe nf_conntrack",
		test: func(root string) string { return readable(root, "proc/sys/net/netfilter/nf_conntrack_max") },
	},
	{
		name: "BPF iterators", what: "all tasks and sockets with one read each; without it /proc and netlink tell the same at a higher price",
		how:  "run as root, or grant cap_bpf and cap_perfmon (below); the kernel must be 5.8 or newer with CONFIG_DEBUG_INFO_BTF=y",
		test: iterators,
	},
}

// delayAccounting says why the kernel does not tell how long tasks wait for disks, or "".
func delayAccounting(root string) string {
	const file = "proc/sys/kernel/task_delayacct"
	setting, err := os.ReadFile(filepath.Join(root, file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return reason(err)
	}
	text := func(file string) string {
		b, _ := os.ReadFile(filepath.Join(root, file)) // "" where it cannot be read
		return string(b)
	}
	switch procfile.ReadDelayAccounting(string(setting), text("proc/sys/kernel/osrelease"), text("proc/cmdline")) {
	case procfile.DelaysOff:
		return "kernel.task_delayacct is " + strings.TrimSpace(string(setting))
	case procfile.DelaysOffAtBoot:
		return "switched off at boot (nodelayacct)"
	case procfile.DelaysMissing:
		return "/" + file + " is not there: a kernel without CONFIG_TASK_DELAY_ACCT"
	}
	if filepath.Clean(root) == "/" {
		if err := process.Taskstats(); err != nil {
			return "taskstats: " + err.Error()
		}
	}
	return ""
}

// iterators says why the kernel does not take a BPF iterator, or "". Only
// loading one tells.
func iterators(root string) string {
	if filepath.Clean(root) != "/" {
		return readable(root, "sys/kernel/btf/vmlinux")
	}
	if err := kernel.Check(); err != nil {
		return err.Error()
	}
	tasks, err := kernel.OpenTasks(&kernel.Loader{})
	if err != nil {
		return err.Error()
	}
	tasks.Close()
	return ""
}

// readable says why a file cannot be read, or "".
func readable(root, file string) string {
	f, err := os.Open(filepath.Join(root, file))
	if err != nil {
		return reason(err)
	}
	defer f.Close()
	if _, err := f.Read(make([]byte, 1)); err != nil {
		// A file that opens and does not read is a feature that is compiled in
		// and switched off, as PSI is with psi=0.
		return reason(err)
	}
	return ""
}

func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Path + ": " + at.Err.Error()
	}
	return err.Error()
}
