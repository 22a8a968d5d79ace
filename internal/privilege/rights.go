package privilege

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
)

// rights are a user, and the capabilities that stay beside.
type rights struct {
	safefile.ID
	caps uint64
}

const (
	// readers open files for reading, whoever owns them.
	readers = 1 << unix.CAP_DAC_READ_SEARCH
	// writers also write into any directory, and replace what it holds.
	writers = readers | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER
	// givers also give what they wrote to the user who called sudo.
	givers = writers | 1<<unix.CAP_CHOWN
)

// nobody owns no files: the user of that name on all systems.
var nobody = safefile.ID{UID: 65534, GID: 65534}

// choices are the rights that may do for a run, the least first. The last ones
// are taken without a trial.
func (n Needs) choices() []rights {
	self := safefile.ID{UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())}
	invoker, sudo := safefile.Invoker()
	writes := len(n.Write)+len(n.Dirs) > 0
	switch {
	case sudo && writes:
		return []rights{{invoker, 0}, {invoker, readers}, {self, givers}}
	case sudo:
		return []rights{{invoker, 0}, {invoker, readers}, {self, readers}}
	case writes: // what nobody wrote would be nobody's
		return []rights{{self, 0}, {self, readers}, {self, writers}}
	case self.UID == 0:
		return []rights{{nobody, 0}, {nobody, readers}, {self, readers}}
	default: // of a binary with capabilities of its own
		return []rights{{self, 0}, {self, readers}}
	}
}

// least are the least rights with which a run can read and write what it is to.
func (n Needs) least() (rights, error) {
	choices := n.choices()
	last := choices[len(choices)-1]
	places := n.places()
	defer closeAll(places)
	for _, r := range choices[:len(choices)-1] {
		enough := false
		err := r.try(func() {
			enough = !slices.ContainsFunc(n.Read, func(path string) bool { return !r.reads(path) }) &&
				!slices.ContainsFunc(places, func(p place) bool { return !p.writable(r.UID) })
		})
		if errors.Is(err, errThread) {
			return last, err
		}
		// A user that this namespace does not have is no choice.
		if err == nil && enough {
			return r, nil
		}
	}
	return last, nil
}

// reads says whether this thread may read an input. What lies in a directory may
// be of anybody, and what is no file is not touched before its time: both take
// the capability. Filesystems that ask a server, or let in their own user only
// (NFS, FUSE), say no in spite of it.
func (r rights) reads(path string) bool {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	kind := st.Mode & unix.S_IFMT
	if err == nil && kind != unix.S_IFREG && (r.caps == 0 || kind != unix.S_IFDIR) {
		return r.caps != 0
	}
	if err == nil {
		var fd int
		if fd, err = unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0); err == nil {
			unix.Close(fd)
		}
	}
	return !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) // other errors are for whoever reads it
}

// errThread says that a thread could not get back what it gave up for a trial.
var errThread = errors.New("the rights of a thread could not be restored")

// try does something with these rights: in this thread only, to the files, and
// not for long.
func (r rights) try(do func()) error {
	runtime.LockOSThread()
	head, caps, err := ownCapabilities()
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	groups, err := unix.Getgroups()
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	fsuid, _ := unix.SetfsuidRetUid(-1)
	fsgid, _ := unix.SetfsgidRetGid(-1)
	less := *caps
	for i := range less {
		less[i].Effective = uint32(r.caps>>(32*i)) & caps[i].Permitted
	}
	changes := false
	if uint32(fsuid) != r.UID {
		// Not permitted in many containers and user namespaces.
		if err = setGroups([]int{int(r.GID)}); err == nil {
			changes, err = true, setFileUser(int(r.UID), int(r.GID))
		}
	}
	if err == nil {
		err = unix.Capset(head, &less[0])
	}
	if err == nil {
		do()
	}
	back := unix.Capset(head, &caps[0])
	if changes {
		// The change of the user changes the effective capabilities, too.
		back = errors.Join(back, setGroups(groups), setFileUser(fsuid, fsgid), unix.Capset(head, &caps[0]))
	}
	if back != nil {
		return errors.Join(errThread, back) // and no other goroutine gets this thread
	}
	runtime.UnlockOSThread()
	return err
}

// setGroups sets the further groups of this thread.
func setGroups(groups []int) error {
	list := make([]uint32, len(groups)+1)
	for i, g := range groups {
		list[i] = uint32(g)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&list[0])), 0); errno != 0 {
		return errno
	}
	return nil
}

// setFileUser makes this thread open files as a user. The calls tell of no
// errors; a user of -1 is none, and says who it is now.
func setFileUser(uid, gid int) error {
	_, _ = unix.SetfsgidRetGid(gid)
	_, _ = unix.SetfsuidRetUid(uid)
	isUID, _ := unix.SetfsuidRetUid(-1)
	isGID, _ := unix.SetfsgidRetGid(-1)
	if isUID != uid || isGID != gid {
		return unix.EPERM
	}
	return nil
}

// access asks the kernel for this thread as it is now, and not for the user who
// started the program.
func access(path string, mode uint32) bool {
	name, err := unix.BytePtrFromString(path)
	if err != nil {
		return false
	}
	at := unix.AT_FDCWD
	_, _, errno := unix.Syscall6(unix.SYS_FACCESSAT2, uintptr(at), uintptr(unsafe.Pointer(name)), uintptr(mode), unix.AT_EACCESS, 0, 0)
	return errno == 0
}
