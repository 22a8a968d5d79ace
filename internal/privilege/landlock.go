package privilege

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// system are the files that the runtime and the libraries read: time zones,
// users, what this process and machine are.
var system = []string{
	"/etc/localtime", "/usr/share/zoneinfo", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/dev/null",
	"/proc/self", "/proc/meminfo", "/proc/sys", "/sys/fs/cgroup", "/sys/devices", "/sys/class", "/sys/kernel/mm",
}

// loaders and libraries are what a program needs in order to start.
var (
	loaders   = []string{"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"}
	libraries = []string{"/etc/ld.so.cache", "/lib", "/lib64", "/usr/lib", "/usr/lib64"}
)

const (
	readAccess  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeAccess = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	// makeAccess makes a file in a directory under another name and renames it.
	makeAccess = readAccess | writeAccess | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE
	// fileAccess is what a rule for something else than a directory may hold.
	fileAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// signalsWork is the bit of the erratum with which threads of a process may
// signal each other although each has restricted itself. Without it the runtime
// could not interrupt its threads.
const signalsWork = 1 << (2 - 1)

// handled is what is forbidden unless a rule allows it, by the version of the
// kernel's interface (Documentation/userspace-api/landlock.rst).
func handled(version, errata uintptr) unix.LandlockRulesetAttr {
	h := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}
	if version >= 2 {
		h.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		h.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		h.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 5 {
		h.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		h.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		if errata&signalsWork != 0 {
			h.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
		}
	}
	return h
}

// size is how much of it a kernel of that version reads.
func size(version uintptr) uintptr {
	var h unix.LandlockRulesetAttr
	switch {
	case version >= 6:
		return unsafe.Offsetof(h.Scoped) + unsafe.Sizeof(h.Scoped)
	case version >= 4:
		return unsafe.Offsetof(h.Handled_access_net) + unsafe.Sizeof(h.Handled_access_net)
	}
	return unsafe.Sizeof(h.Handled_access_fs)
}

// landlock leaves the files of n and of the system; nil also where the kernel has
// no Landlock.
func landlock(n Needs) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return nil
	}
	errata, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	if errno != 0 {
		errata = 0 // a kernel that does not know the question
	}
	h := handled(version, errata)
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&h)), size(version), 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	set := ruleset{int(fd), h.Handled_access_fs}
	for _, path := range slices.Concat(system, n.Read) {
		set.allowPath(path, readAccess)
	}
	set.allowPath("/dev/null", readAccess|writeAccess)
	if n.Run != "" {
		for _, path := range append(slices.Clone(loaders), n.Run) {
			set.allowPath(path, unix.LANDLOCK_ACCESS_FS_EXECUTE|unix.LANDLOCK_ACCESS_FS_READ_FILE)
		}
		for _, path := range libraries {
			set.allowPath(path, readAccess)
		}
	}
	places := n.places()
	defer closeAll(places)
	for _, p := range places {
		access := uint64(makeAccess)
		if p.straight {
			access = writeAccess
		}
		set.allow(int(p.at.Fd()), access)
	}
	return all(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
}

// ruleset is one that is being made.
type ruleset struct {
	fd      int
	handled uint64
}

// allowPath adds a rule for what a path leads to now. What is not there stays
// forbidden.
func (s ruleset) allowPath(path string, access uint64) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	s.allow(fd, access)
}

// allow adds a rule for an open file, or a directory with all below it. What
// cannot be allowed is not: opening it says so. Pipes need no rule.
func (s ruleset) allow(fd int, access uint64) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= fileAccess
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access & s.handled, Parent_fd: int32(fd)}
	_, _, _ = unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(s.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
}
