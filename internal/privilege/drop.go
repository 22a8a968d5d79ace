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
	Read  []string // files and directories; "-" is left out
	Write []string // files, which need not be there
}

// ErrThreads says that this build cannot change all of its threads: it was
// compiled with cgo.
var ErrThreads = errors.New("a build with cgo cannot give up privileges")

// Confine gives up all that reading and writing some files does not need.
func Confine(n Needs) error {
	if err := all(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0); err != nil {
		if errors.Is(err, syscall.ENOTSUP) {
			return ErrThreads
		}
		return err
	}
	if os.Geteuid() == 0 {
		if err := lessenRoot(n); err != nil {
			return err
		}
	}
	return landlock(n)
}

// readers and writers are the capabilities that open files whoever owns them, and
// give them an owner and a mode.
const (
	readers = 1 << unix.CAP_DAC_READ_SEARCH
	writers = readers | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_CHOWN | 1<<unix.CAP_FOWNER
)

// lessenRoot drops capabilities, and becomes who called sudo.
func lessenRoot(n Needs) error {
	if len(n.Write) > 0 {
		return capabilities(writers)
	}
	id, ok := safefile.Invoker()
	if !ok {
		return capabilities(readers)
	}
	// The permitted capabilities outlive the change of the user, the effective
	// ones are taken again.
	if err := all(unix.SYS_PRCTL, unix.PR_SET_KEEPCAPS, 1, 0); err != nil {
		return err
	}
	uid, gid := int(id.UID), int(id.GID)
	if err := errors.Join(syscall.Setgroups([]int{gid}), syscall.Setresgid(gid, gid, gid), syscall.Setresuid(uid, uid, uid)); err != nil {
		return err
	}
	return capabilities(readers)
}

// capabilities sets those that stay.
func capabilities(set uint64) error {
	have := [2]unix.CapUserData{}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capget(&head, &have[0]); err != nil {
		return err
	}
	var want [2]unix.CapUserData
	for i := range want {
		kept := uint32(set>>(32*i)) & have[i].Permitted
		want[i] = unix.CapUserData{Effective: kept, Permitted: kept}
	}
	return all(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&want[0])), 0)
}

// all makes a system call in all threads.
func all(call, a, b, c uintptr) error {
	if _, _, errno := syscall.AllThreadsSyscall6(call, a, b, c, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
