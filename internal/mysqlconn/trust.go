package mysqlconn

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/localfile"
)

// Trust is what the other end of a connection must be before anything is said to
// it. The zero value takes whoever answers: the user named the server.
//
// Everybody can run a program that calls itself mysqld, listens at a socket and
// keeps the passwords it is given. A server that nobody named is one of this host
// only if its process runs as root, as the user mysql or as the user of rtrail,
// in the host's own file system, of an executable that nobody else can write. The
// socket is judged once it is connected: what its path leads to may change, what
// the kernel says of its other end (SO_PEERCRED) does not.
type Trust struct {
	accounts accounts
	proc     string
	// pid is the process that must be at the other end; 0: any of these accounts.
	pid int32
}

// accounts are the users whose servers are the host's own.
type accounts []uint32

// serverUser is the user of the host's server, as packages of MySQL, MariaDB and
// Percona make it.
const serverUser = "mysql"

// ownAccounts are root, the user of rtrail and the server's.
func ownAccounts() accounts {
	list := accounts{0, uint32(os.Geteuid())}
	if u, err := user.Lookup(serverUser); err == nil {
		if id, err := strconv.ParseUint(u.Uid, 10, 32); err == nil {
			list = append(list, uint32(id))
		}
	}
	return list
}

func (a accounts) has(id uint32) bool { return slices.Contains(a, id) }

// hasAll says whether a process with these users is theirs: who calls su mysqld has
// one that runs as root for him.
func (a accounts) hasAll(ids []uint32) bool {
	return !slices.ContainsFunc(ids, func(id uint32) bool { return !a.has(id) })
}

// untrusted is why a server is given no password.
type untrusted struct{ why string }

func (e *untrusted) Error() string { return e.why }

func untrustedf(format string, args ...any) error { return &untrusted{fmt.Sprintf(format, args...)} }

// check judges a connection.
func (t Trust) check(conn net.Conn) error {
	if t.accounts == nil {
		return nil
	}
	c, ok := conn.(*net.UnixConn)
	if !ok {
		if to, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err != nil || !to.Addr().Unmap().IsLoopback() {
			return untrustedf("it is not on this host")
		} else if err := t.accounts.listener(to, t.proc); err != nil || t.pid == 0 {
			return err
		}
		return t.accounts.process(filepath.Join(t.proc, strconv.Itoa(int(t.pid))), t.proc)
	}
	peer, err := peerOf(c)
	switch {
	case err != nil:
		return untrustedf("the kernel does not tell who listens there: %v", err)
	case !t.accounts.has(peer.Uid):
		return untrustedf("it listens as user %d, who is neither root nor %s", peer.Uid, serverUser)
	case t.pid == 0:
		return nil
	case peer.Pid != t.pid:
		return untrustedf("its socket was made by another process (%d)", peer.Pid)
	}
	return t.accounts.process(filepath.Join(t.proc, strconv.Itoa(int(t.pid))), t.proc)
}

// peerOf is who listened at the other end of a Unix socket, as of then.
func peerOf(c *net.UnixConn) (*unix.Ucred, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	var cred *unix.Ucred
	var told error
	if err := raw.Control(func(fd uintptr) { cred, told = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return nil, err
	}
	return cred, told
}

// listener says why what listens at an address is not the host's own server: its
// socket belongs to another user. Two users cannot listen at one address.
func (a accounts) listener(to netip.AddrPort, proc string) error {
	ip := to.Addr().Unmap()
	listens, why := false, error(nil)
	eachListener(context.Background(), filepath.Join(proc, "self"), maxTable, func(l listening) {
		if l.at.Port() != to.Port() || l.at.Addr() != ip && !l.at.Addr().IsUnspecified() {
			return
		}
		if listens = true; !a.has(l.user) {
			why = untrustedf("user %d listens there, who is neither root nor %s", l.user, serverUser)
		}
	})
	if !listens {
		return untrustedf("no process listens there")
	}
	return why
}

// process says why a process is not the host's own server; dir is /proc/PID.
func (a accounts) process(dir, proc string) error {
	// A program of anybody may lie on a filesystem of his own that never answers: it is asked
	// only if the process is not anybody's.
	for _, id := range userIDs(dir) {
		if !a.has(id) {
			return untrustedf("it runs as user %d, who is neither root nor %s", id, serverUser)
		}
	}
	l := Local{dir: dir, proc: proc}
	if !l.shares("user") || !l.sameRoot() {
		return untrustedf("it runs in a container")
	}
	exe := filepath.Join(dir, "exe")
	path, err := os.Readlink(exe)
	if err != nil {
		return untrustedf("its executable cannot be seen")
	}
	info, err := os.Stat(exe)
	if err != nil {
		return untrustedf("its executable cannot be seen")
	}
	program := filepath.Base(strings.TrimSuffix(path, " (deleted)"))
	owner, ok := ownerOf(info)
	switch {
	case !slices.Contains(servers, program):
		return untrustedf("its executable is called %.64q", program)
	case !ok || owner != 0 && owner != uint32(os.Geteuid()) || !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0:
		return untrustedf("others than root can write its executable")
	case !l.shares("mnt") && !isHosts(strings.TrimSuffix(path, " (deleted)"), info):
		return untrustedf("it sees other mounts, and its executable is not the one that this host has at that path")
	}
	return nil
}

// isHosts says whether a file that a process sees is the one that rtrail finds at its
// path. Units of systemd often have mounts of their own (ProtectSystem=, PrivateTmp=),
// in which the host's files are the same.
func isHosts(path string, info os.FileInfo) bool {
	here, err := localfile.Stat(int32(os.Getpid()), path)
	its, ok := info.Sys().(*syscall.Stat_t)
	return err == nil && ok && here.Dev == its.Dev && here.Ino == its.Ino
}

// nobody is a user that no server runs as, for processes whose user is not told.
const nobody = ^uint32(0)

// userIDs are the real, effective, saved and file system user of a process.
func userIDs(dir string) (list []uint32) {
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return []uint32{nobody}
	}
	for line := range strings.Lines(string(status)) {
		fields, ok := strings.CutPrefix(line, "Uid:")
		if !ok {
			continue
		}
		for _, f := range strings.Fields(fields) {
			id, err := strconv.ParseUint(f, 10, 32)
			if err != nil {
				return []uint32{nobody}
			}
			list = append(list, uint32(id))
		}
		return list
	}
	return []uint32{nobody}
}

// UserOf is the effective user of a process.
func UserOf(proc string, pid int32) (id uint32, ok bool) {
	list := userIDs(filepath.Join(proc, strconv.Itoa(int(pid))))
	if len(list) < 2 {
		return 0, false
	}
	return list[1], true
}

// socket says why a socket's file is not the server's own.
func (a accounts) socket(path string) error {
	own := int32(os.Getpid())
	file, err := localfile.Stat(own, path)
	if err != nil || file.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return untrustedf("its socket is not where it was bound")
	}
	if !a.has(file.Uid) {
		return untrustedf("its socket belongs to another user")
	}
	folder, err := localfile.StatFolder(own, path)
	if err != nil {
		return untrustedf("the folder of its socket cannot be seen")
	}
	// In a folder with the sticky bit, as /tmp, nobody can replace what is another's.
	if !a.has(folder.Uid) || folder.Mode&0o002 != 0 && folder.Mode&unix.S_ISVTX == 0 {
		return untrustedf("others can replace its socket")
	}
	return nil
}
