package host

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/probe/localfile"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// mount reads space and inodes of the mounted filesystems.
type mount struct {
	fs     FS
	file   procfile.File
	statfs func(path string, into *unix.Statfs_t) error
	// asked holds the remote filesystems that have not answered yet. A call
	// into a dead one never returns, so there is at most one for each.
	asked map[string]chan answer
}

type answer struct {
	stat unix.Statfs_t
	err  error
}

const (
	// maxMounts bounds the calls of one sample; a host with more of them is a
	// container host whose mounts are mostly views of the same devices.
	maxMounts = 512
	// remotePatience is what all remote filesystems together may take. A server
	// that is alive answers in about a millisecond.
	remotePatience = 20 * time.Millisecond
)

// imageTypes are read-only images: full by nature.
var imageTypes = []string{"squashfs", "erofs", "cramfs", "iso9660", "romfs"}

// pseudoTypes have no space or show that of others.
var pseudoTypes = []string{
	"autofs", "binder", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts",
	"devtmpfs", "efivarfs", "fuse.gvfsd-fuse", "fuse.lxcfs", "fuse.portal", "fusectl", "hugetlbfs",
	"mqueue", "nsfs", "overlay", "proc", "pstore", "ramfs", "resctrl", "rootfs", "rpc_pipefs",
	"securityfs", "selinuxfs", "sysfs", "tracefs",
}

// HasSpace says whether filesystems of a type have space of their own that can be used up.
func HasSpace(fsType string) bool {
	return !slices.Contains(imageTypes, fsType) && !slices.Contains(pseudoTypes, fsType)
}

func newMount(fs FS) *mount {
	return &mount{fs: fs, file: fs.file("proc/self/mountinfo"), statfs: unix.Statfs, asked: map[string]chan answer{}}
}

func (m *mount) read(w *recording.Writer, _ bool) error {
	b, err := m.file.Read()
	if err != nil {
		return err
	}
	entries, bad := parseMountinfo(b)
	w.LostFrom(probeName, recording.Mounts, bad)
	entries = worthReading(entries)
	if len(entries) > maxMounts {
		w.LostFrom(probeName, recording.Mounts, len(entries)-maxMounts)
		entries = foremost(entries, maxMounts)
	}
	var silent, refused []string
	deadline := time.Now().Add(remotePatience)
	for _, e := range entries {
		var s unix.Statfs_t
		if localfile.AsksServer(e.fsType) {
			err = m.ask(e.point, &s, deadline)
		} else {
			err = m.statfs(m.fs.path(e.point), &s)
		}
		switch {
		case errors.Is(err, errSilent):
			silent = append(silent, e.point)
		case errors.Is(err, fs.ErrNotExist): // unmounted since it was listed
		case err != nil:
			refused = append(refused, e.point)
		case s.Blocks > 0:
			recording.Append(w, mountRow(e, &s))
		}
	}
	return mountsUnseen(silent, refused)
}

func mountsUnseen(silent, refused []string) error {
	var bad []error
	if len(silent) > 0 {
		bad = append(bad, &probe.MissingError{
			What: fmt.Sprintf("no answer within %v from the filesystem at %s", remotePatience, strings.Join(silent, ", ")),
			How:  "check the server behind it (df hangs there too), or unmount it: umount -l",
		})
	}
	if len(refused) > 0 {
		bad = append(bad, &probe.MissingError{
			What: "may not look into " + strings.Join(refused, ", "),
			How:  "run as root",
		})
	}
	return errors.Join(bad...)
}

// worthReading keeps one mount per device, the one with the shortest path:
// bind mounts share their space.
func worthReading(entries []mountEntry) []mountEntry {
	type device struct{ major, minor int32 }
	var list []mountEntry
	at := map[device]int{}
	for _, e := range visible(entries) {
		// An overlay shows the space of the device below, but inside of a
		// container it is the only sight of it.
		if slices.Contains(imageTypes, e.fsType) || slices.Contains(pseudoTypes, e.fsType) && (e.fsType != "overlay" || e.point != "/") {
			continue
		}
		d := device{e.major, e.minor}
		i, have := at[d]
		switch {
		case !have:
			at[d] = len(list)
			list = append(list, e)
		case cmp.Or(cmp.Compare(len(e.point), len(list[i].point)), strings.Compare(e.point, list[i].point)) < 0:
			list[i] = e
		}
	}
	return list
}

// foremost leaves the mounts that say most of a host with more than can be read. Those of pods are
// mostly tmpfs, which are in the list before the disks that are mounted later.
func foremost(list []mountEntry, count int) []mountEntry {
	rank := func(e mountEntry) int {
		switch {
		case e.major != 0, strings.HasPrefix(e.device, "/dev/"), e.point == "/":
			return 0 // on a block device; that of Btrfs has a number of its own
		case e.fsType != "tmpfs":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b mountEntry) int { return cmp.Compare(rank(a), rank(b)) })
	return list[:min(len(list), count)]
}

func mountRow(e mountEntry, s *unix.Statfs_t) recording.MountSample {
	unit := s.Frsize
	if unit <= 0 {
		unit = s.Bsize
	}
	return recording.MountSample{
		At: time.Now(), MountPoint: e.point, Device: e.device, Major: e.major, Minor: e.minor,
		FSType: e.fsType, ReadOnly: e.readOnly,
		Size: int64(s.Blocks) * unit, Free: int64(s.Bfree) * unit, Available: int64(s.Bavail) * unit,
		Inodes: int64(s.Files), InodesFree: int64(s.Ffree),
	}
}

var errSilent = errors.New("no answer")

// ask calls statfs where it may hang: in a goroutine, which is left behind
// until the filesystem answers.
func (m *mount) ask(point string, into *unix.Statfs_t, deadline time.Time) error {
	reply, pending := m.asked[point]
	if !pending {
		reply = make(chan answer, 1)
		m.asked[point] = reply
		go func() {
			var a answer
			a.err = m.statfs(m.fs.path(point), &a.stat)
			reply <- a
		}()
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case a := <-reply:
		delete(m.asked, point)
		*into = a.stat
		return a.err
	case <-timer.C:
		return errSilent
	}
}
