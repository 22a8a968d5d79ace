package host

import (
	"bytes"
	"path"
	"strings"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/redact"
)

// mountEntry is one line of /proc/self/mountinfo (proc_pid_mountinfo(5)).
type mountEntry struct {
	id, parent   uint64
	major, minor int32
	point        string
	fsType       string
	device       string
	readOnly     bool
}

// parseMountinfo reads lines
//
//	36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/sda1 rw,errors=continue
//
// and counts those it cannot read.
func parseMountinfo(b []byte) (entries []mountEntry, bad int) {
	for line := range procfile.Lines(b) {
		if len(line) == 0 {
			continue
		}
		if e, ok := parseMountLine(line); ok {
			entries = append(entries, e)
		} else {
			bad++
		}
	}
	return entries, bad
}

func parseMountLine(line []byte) (mountEntry, bool) {
	var e mountEntry
	front, back, ok := bytes.Cut(line, []byte(" - "))
	fields, tail := bytes.Fields(front), bytes.Fields(back)
	// The device may be empty, which leaves two fields behind the dash.
	if !ok || len(fields) < 6 || len(tail) < 2 {
		return e, false
	}
	var okID, okParent, okDevice bool
	e.id, okID = procfile.Uint(fields[0])
	e.parent, okParent = procfile.Uint(fields[1])
	e.major, e.minor, okDevice = parseDeviceNumber(fields[2])
	e.point = unescape(fields[4])
	e.fsType = string(tail[0])
	options := tail[len(tail)-1]
	if len(tail) > 2 {
		e.device = unescape(tail[1])
		e.device = mountSource(e.device)
	}
	e.readOnly = hasOption(fields[5], "ro") || hasOption(options, "ro")
	return e, okID && okParent && okDevice
}

// parseDeviceNumber reads "254:0".
func parseDeviceNumber(b []byte) (major, minor int32, ok bool) {
	left, right, ok := bytes.Cut(b, []byte{':'})
	m, ok1 := procfile.Uint(left)
	n, ok2 := procfile.Uint(right)
	if !ok || !ok1 || !ok2 || m > 1<<20 || n > 1<<20 {
		return 0, 0, false
	}
	return int32(m), int32(n), true
}

func hasOption(options []byte, want string) bool {
	for option := range bytes.SplitSeq(options, []byte{','}) {
		if string(option) == want {
			return true
		}
	}
	return false
}

// visible leaves out mounts that another one covers: their paths lead to that
// other filesystem. A mount covers its parent when it sits on the same path,
// and it covers a sibling when it sits on a directory above it: had it been
// there first, the sibling would be its child.
func visible(entries []mountEntry) []mountEntry {
	type place struct {
		parent uint64
		point  string
	}
	places := map[place]bool{}
	points := map[uint64]string{}
	for _, e := range entries {
		places[place{e.parent, e.point}] = true
		points[e.id] = e.point
	}
	hidden := map[uint64]bool{}
	for _, e := range entries {
		if places[place{e.id, e.point}] {
			hidden[e.id] = true
		}
		// Every turn makes dir shorter; a parent that is not in the list, as
		// that of the root, leaves the path of root empty.
		root := points[e.parent]
		for dir := e.point; len(dir) > len(root)+1; {
			dir = path.Dir(dir)
			if dir != root && dir != e.point && places[place{e.parent, dir}] {
				hidden[e.id] = true
			}
		}
	}
	var seen []mountEntry
	for _, e := range entries {
		if !hidden[e.id] {
			seen = append(seen, e)
		}
	}
	return seen
}

// mountSource is the source of a mount without secrets: https://user:password@host
// of davfs, //user:password@server/share of older SMB clients, and
// :s3,secret_access_key=...:bucket of rclone.
func mountSource(s string) string {
	if !strings.ContainsAny(s, "@=") {
		return s
	}
	const scheme = "smb:"
	if strings.HasPrefix(s, "//") {
		return strings.TrimPrefix(redact.Text(scheme+s), scheme)
	}
	return redact.Text(s)
}
