package safefile

import (
	"bytes"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// ID is a user with the user's own group.
type ID struct{ UID, GID uint32 }

// Invoker is the user who called this program through sudo or pkexec; ok is
// false when nobody did, or it was root.
func Invoker() (id ID, ok bool) {
	if os.Geteuid() != 0 {
		return ID{}, false
	}
	if id, ok := numericID(os.Getenv("SUDO_UID"), os.Getenv("SUDO_GID")); ok {
		return id, true
	}
	u, err := user.LookupId(os.Getenv("PKEXEC_UID"))
	if err != nil {
		return ID{}, false
	}
	return numericID(u.Uid, u.Gid)
}

func numericID(uid, gid string) (ID, bool) {
	u, errU := strconv.ParseUint(uid, 10, 32)
	g, errG := strconv.ParseUint(gid, 10, 32)
	return ID{uint32(u), uint32(g)}, errU == nil && errG == nil && u != 0
}

// trusted says whether a user may decide where this program writes.
func trusted(uid uint32) bool {
	return uid == 0 || uid == uint32(os.Geteuid()) || unmapped(uid)
}

// invokes says whether a user is the one who called this program.
func invokes(uid uint32) bool {
	id, ok := Invoker()
	return ok && id.UID == uid
}

// unmapped says that a user ID stands for all those that the program's user
// namespace does not know. Being root in there lends nothing to them that their
// own namespace did not give.
func unmapped(uid uint32) bool {
	overflow, inside := userNamespace()
	return inside && uid == overflow
}

var userNamespace = sync.OnceValues(func() (overflow uint32, inside bool) {
	// The first namespace maps all IDs to themselves: "0 0 4294967295".
	b, err := os.ReadFile("/proc/self/uid_map")
	if f := strings.Fields(string(b)); err != nil || len(f) == 3 && f[0] == "0" && f[1] == "0" && f[2] == "4294967295" {
		return 0, false
	}
	b, err = os.ReadFile("/proc/sys/kernel/overflowuid")
	n, errN := strconv.ParseUint(string(bytes.TrimSpace(b)), 10, 32)
	return uint32(n), err == nil && errN == nil
})

// privateGroup says that a group has one member only, as the groups have that
// Debian, Ubuntu and others make for each user: what it may write, the user may.
// Groups that are not in the local files count as shared.
func privateGroup(gid, uid uint32) bool {
	owner, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if err != nil {
		return false
	}
	known := false
	for _, f := range accounts("/etc/group", 4) {
		if f[2] != strconv.FormatUint(uint64(gid), 10) {
			continue
		}
		known = true
		for _, member := range strings.Split(f[3], ",") {
			if member != "" && member != owner.Username {
				return false
			}
		}
	}
	for _, f := range accounts("/etc/passwd", 7) {
		if f[3] == strconv.FormatUint(uint64(gid), 10) && f[2] != owner.Uid {
			return false
		}
	}
	return known
}

// accounts reads a file as passwd(5) and group(5) describe it.
func accounts(path string, fields int) [][]string {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var all [][]string
	for line := range strings.Lines(string(b)) {
		if f := strings.Split(strings.TrimSpace(line), ":"); len(f) == fields {
			all = append(all, f)
		}
	}
	return all
}

// named is a user as messages tell it.
func named(uid uint32) string {
	if u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10)); err == nil {
		return u.Username
	}
	return fmt.Sprintf("user %d", uid)
}

// acl says that a directory has an access list, which may let more users in than
// its group.
func acl(fd int) bool {
	_, err := unix.Getxattr(descriptor(fd), "system.posix_acl_access", nil)
	return err == nil
}
