package privilege

import (
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// system are the files that the runtime and the libraries read: time zones,
// users, what this process and machine are.
var system = []string{
	"/etc/localtime", "/usr/share/zoneinfo", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/dev/null",
	"/proc/self", "/proc/meminfo", "/proc/sys", "/sys/fs/cgroup", "/sys/devices", "/sys/class", "/sys/kernel/mm",
}

const (
	readAccess  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeAccess = readAccess | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_DIR
	fileAccess = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// handled is what is forbidden unless a rule allows it, by the version of the
// kernel's interface (Documentation/userspace-api/landlock.rst).
func handled(version uintptr) unix.LandlockRulesetAttr {
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
	return h
}

// landlock leaves the files of n and of the system; nil also where the kernel has
// no Landlock.
func landlock(n Needs) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return nil
	}
	h := handled(version)
	size := unsafe.Sizeof(h.Handled_access_fs)
	if version >= 4 {
		size += unsafe.Sizeof(h.Handled_access_net)
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&h)), size, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(set))
	for _, path := range system {
		allow(int(set), path, readAccess, h.Handled_access_fs)
	}
	for _, path := range []string{"/dev/tty", "/dev/null"} {
		allow(int(set), path, fileAccess, h.Handled_access_fs)
	}
	for _, path := range n.Read {
		allow(int(set), path, readAccess, h.Handled_access_fs)
	}
	for _, path := range n.Write {
		path = filepath.Clean(path) // "dir/" is to be made in its parent
		allow(int(set), path, fileAccess|readAccess, h.Handled_access_fs)
		// A new file takes the place of the old one when it is complete.
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		allow(int(set), filepath.Dir(path), writeAccess|unix.LANDLOCK_ACCESS_FS_REFER|unix.LANDLOCK_ACCESS_FS_TRUNCATE, h.Handled_access_fs)
	}
	return all(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0)
}

// allow adds a rule for a path. One that is not there stays forbidden.
func allow(set int, path string, access, handled uint64) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		access &= fileAccess
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access & handled, Parent_fd: int32(fd)}
	// What cannot be allowed is not: opening it says so.
	_, _, _ = unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
}
