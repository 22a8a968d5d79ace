package privilege

import "golang.org/x/sys/unix"

// watching is what probes of a live host need of root's capabilities.
const watching = readers |
	1<<unix.CAP_SYS_PTRACE | // files, memory and descriptors of processes in /proc
	1<<unix.CAP_SYS_ADMIN | // other network namespaces, /proc/PID/stack, BPF and perf before Linux 5.8
	1<<unix.CAP_BPF | 1<<unix.CAP_PERFMON | // the same since
	1<<unix.CAP_SYS_RESOURCE | // limits of processes (prlimit), memory of BPF maps before Linux 5.11
	1<<unix.CAP_IPC_LOCK | // buffers of perf on hosts with many CPUs
	1<<unix.CAP_SYS_NICE | // probes that go before a busy host's programs
	1<<unix.CAP_NET_ADMIN | // taskstats, nftables, memory of sockets
	1<<unix.CAP_NET_RAW | // packets
	1<<unix.CAP_SYSLOG | // the kernel's log and symbols
	1<<unix.CAP_DAC_OVERRIDE // sockets of MySQL servers that are for their own user

// Watch gives up what watching this host does not need: to load modules, reboot,
// set the clock, make devices, change users, and whatever programs that are
// started could gain. writes says that files are written for the user who called
// sudo. What stays is still enough to take over the host.
func Watch(writes bool) error {
	if err := noNewPrivileges(); err != nil {
		return err
	}
	kept := uint64(watching)
	if writes {
		kept |= givers
	}
	if err := emptyBounds(kept); err != nil {
		return err
	}
	return keep(kept)
}
