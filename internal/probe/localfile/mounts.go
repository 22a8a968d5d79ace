package localfile

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// mounts are those of one mount namespace.
type mounts struct {
	byID  map[string]string // the number of a mount, and that of its device: "8:1"
	local map[string]bool   // devices whose files this kernel has
}

// maxMountinfo bounds what is read of a list of mounts: some 50,000.
const maxMountinfo = 8 << 20

func readMounts(path string) (mounts, error) {
	f, err := os.Open(path)
	if err != nil {
		return mounts{}, err
	}
	defer f.Close()
	return parseMounts(f)
}

// parseMounts reads lines of /proc/PID/mountinfo (proc_pid_mountinfo(5)):
//
//	36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/sda1 rw,errors=continue
func parseMounts(r io.Reader) (mounts, error) {
	m := mounts{byID: map[string]string{}, local: map[string]bool{}}
	lines := bufio.NewScanner(io.LimitReader(r, maxMountinfo))
	lines.Buffer(nil, maxMountinfo)
	for lines.Scan() {
		front, back, ok := strings.Cut(lines.Text(), " - ")
		fields, tail := strings.Fields(front), strings.Fields(back)
		if !ok || len(fields) < 6 || len(tail) == 0 {
			continue
		}
		m.byID[fields[0]] = fields[2]
		// What the root directory lies on answers, or this program would not run.
		if root := fields[4] == "/" && !byProgram(tail[0]); root || !AsksServer(tail[0]) {
			m.local[fields[2]] = true
		}
	}
	return m, lines.Err()
}

// AsksServer says whether files of a type of filesystem are another machine's or a
// program's, which may never answer.
func AsksServer(fsType string) bool {
	switch fsType {
	case "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "glusterfs", "gfs2",
		"lustre", "ncpfs", "ocfs2", "orangefs", "pvfs2", "virtiofs", "beegfs", "gpfs", "autofs":
		return true
	}
	return byProgram(fsType)
}

// byProgram says whether a program answers for a type of filesystem: any user may mount one.
func byProgram(fsType string) bool {
	return fsType == "fuse" || fsType == "fuseblk" || strings.HasPrefix(fsType, "fuse.") || strings.HasPrefix(fsType, "fuseblk.")
}
