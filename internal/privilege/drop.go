package privilege

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
)

// Needs are the files of a run.
type Needs struct {
	Read  []string // files and directories
	Write []string // files, which need not be there
	Dirs  []string // directories to write files into, which are made if they are not there
	Run   string   // a program to start, as confined as this one; "": none
}

// dirMode is that of new directories, as of those that are recorded into.
const dirMode = 0o750

// ErrThreads says that this build cannot change all of its threads: it was
// compiled with cgo.
var ErrThreads = errors.New("a build with cgo cannot give up privileges")

// Confine gives up all that reading and writing some files does not need. What
// fails of it does not keep it from the rest.
func Confine(n Needs) error {
	if err := noNewPrivileges(); err != nil {
		return err
	}
	err := lessen(n)
	// Made now, as the user who remains: a rule for a directory that is not there
	// would have to open the one above it.
	for _, path := range n.Dirs {
		if d, err := safefile.MakeDir(path, dirMode); err == nil {
			d.Close()
		} // else whoever writes there says why
	}
	return errors.Join(err, landlock(n))
}

// Ask gives up what asking a server over the network does not need: files, which
// are read again and again or written later, are all that takes a user. Landlock is left
// out, as connecting and resolving names take what it forbids.
func Ask(n Needs) error {
	if err := noNewPrivileges(); err != nil {
		return err
	}
	return lessen(n)
}

// noNewPrivileges closes the way back through programs that are set-user-ID.
func noNewPrivileges() error {
	err := all(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0)
	if errors.Is(err, syscall.ENOTSUP) {
		return ErrThreads
	}
	return err
}

// lessen drops capabilities, and stops being root where that is not needed.
func lessen(n Needs) error {
	_, have, err := ownCapabilities()
	if err != nil {
		return err
	}
	if os.Geteuid() != 0 && have[0].Permitted|have[1].Permitted == 0 {
		return nil
	}
	r, err := n.least()
	if err != nil {
		return err
	}
	return r.become()
}

// become takes the rights for good.
func (r rights) become() error {
	bounds := emptyBounds(0)
	var user error
	if int(r.UID) != os.Geteuid() {
		uid, gid := int(r.UID), int(r.GID)
		// The permitted capabilities outlive the change of the user, the effective
		// ones are taken again. Nobody debugs a process that was root: it has
		// files and sockets open that its new user could not open.
		user = errors.Join(all(unix.SYS_PRCTL, unix.PR_SET_KEEPCAPS, 1, 0),
			syscall.Setgroups([]int{gid}), syscall.Setresgid(gid, gid, gid), syscall.Setresuid(uid, uid, uid),
			unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	}
	return errors.Join(bounds, user, keep(r.caps))
}

// emptyBounds drops what programs that are started could gain, but for the
// capabilities of a set.
func emptyBounds(kept uint64) error {
	// Kernels before Linux 4.3 have no ambient set.
	if err := all(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	for c := uintptr(0); c < 64; c++ {
		if kept&(1<<c) != 0 {
			continue
		}
		err := all(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0)
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) {
			return nil // whoever may not change the set has less to lose; the kernel knows no more
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ownCapabilities are those of this thread. Version 3 has them in two halves.
func ownCapabilities() (*unix.CapUserHeader, *[2]unix.CapUserData, error) {
	head, sets := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, new([2]unix.CapUserData)
	return head, sets, unix.Capget(head, &sets[0])
}

// keep keeps the capabilities of a set, as far as they are there, in all threads.
func keep(set uint64) error {
	head, sets, err := ownCapabilities()
	if err != nil {
		return err
	}
	var want [2]unix.CapUserData
	for i := range want {
		kept := uint32(set>>(32*i)) & sets[i].Permitted
		want[i] = unix.CapUserData{Effective: kept, Permitted: kept}
	}
	// Called here, since pointers stay valid only in the arguments of the package
	// syscall's own functions.
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(head)), uintptr(unsafe.Pointer(&want[0])), 0); errno != 0 {
		return errno
	}
	if _, sets, err = ownCapabilities(); err == nil && *sets != want {
		err = errors.New("capabilities stayed that were to go")
	}
	return err
}

// all makes a system call without pointers in all threads.
func all(call, a, b, c uintptr) error {
	if _, _, errno := syscall.AllThreadsSyscall6(call, a, b, c, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
