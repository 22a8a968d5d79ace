package view

import "strings"

// Unplaced says what a process may do with files that FileIO leaves out, as their disk is not
// known: those on overlay, btrfs, ZFS or NFS, and files that were not seen open.
type Unplaced struct{ Read, Write bool }

// Unplaced says whether a process may read or write files whose disk is not known.
func (v *View) Unplaced(p Process) Unplaced { return v.fileTable().unplaced[p.PID] }

// leaveOut notes a use of a file that has no entry, unless it is in memory.
func (t *fileTable) leaveOut(pid int32, path, device string, use Unplaced) {
	if t.view.InMemory(path, device) {
		return
	}
	u := t.unplaced[pid]
	t.unplaced[pid] = Unplaced{u.Read || use.Read, u.Write || use.Write}
}

// memoryTypes are filesystems that no disk is under.
var memoryTypes = map[string]bool{"tmpfs": true, "ramfs": true, "devtmpfs": true, "hugetlbfs": true}

// InMemory says whether a file takes no disk at all: it is made by the kernel, or held in memory.
func (v *View) InMemory(path, device string) bool {
	for _, dir := range []string{"/proc/", "/sys/", "/dev/shm/", "/memfd:"} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return memoryTypes[v.FilesystemType(device)]
}
