package mysqlconn

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/localfile"
)

// maxTable bounds what is read of one file of /proc/PID/net: 64 MB are half a
// million sockets.
const maxTable = 64 << 20

// Local is a server process on this host.
type Local struct {
	PID     int32
	Comm    string
	Sockets []string         // paths it listens at, as the server knows them
	Listens []netip.AddrPort // TCP, in its network namespace
	dir     string           // /proc/PID
	proc    string
	share   budget // of what is read of it
}

// servers are the names of the server's process.
var servers = []string{"mysqld", "mariadbd", "mysqld-debug"}

// maxLocals bounds the processes that are looked into: anybody can start as many
// as the kernel lets him, and call them mysqld.
const maxLocals = 64

// budget bounds what is read to find where servers listen. They share it evenly:
// none of them uses up what another one needs.
type budget struct {
	descriptors int   // the lowest of each process: a server listens as soon as it has started
	table       int64 // bytes of each file of /proc/PID/net
}

// A process of anybody can call itself mysqld and have half a million descriptors
// and sockets. Of those that are not of the server's own users less is read, in all
// a few tenths of a second; of the others more, but not without end.
var (
	ownBudget    = budget{descriptors: 1 << 17, table: 4 * maxTable}
	othersBudget = budget{descriptors: 1 << 14, table: 8 << 20}
)

// among is the share of each of some processes.
func (b budget) among(processes int) budget {
	n := max(processes, 1)
	return budget{b.descriptors / n, min(b.table/int64(n), maxTable)}
}

// Locals lists the servers that run on this host, by PID. proc is "/proc" outside
// of tests. Those of other users are found, but not where they listen. Of very
// many, those of the server's own users are listed before others. Once ctx ends it
// reads no more.
func Locals(ctx context.Context, proc string) []Local {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return nil
	}
	var pids []int32
	for _, e := range entries {
		if pid, err := strconv.ParseInt(e.Name(), 10, 32); err == nil {
			pids = append(pids, int32(pid))
		}
	}
	return localsAmong(ctx, proc, pids)
}

// localsAmong are the servers among some processes.
func localsAmong(ctx context.Context, proc string, pids []int32) []Local {
	var list, others []Local
	usual := ownAccounts()
	for _, pid := range pids {
		if ctx.Err() != nil {
			break
		}
		dir := filepath.Join(proc, strconv.Itoa(int(pid)))
		name := comm(dir)
		if !ServerName(name) {
			continue
		}
		l := Local{PID: pid, Comm: name, dir: dir, proc: proc}
		if usual.hasAll(userIDs(dir)) {
			list = append(list, l)
		} else if len(others) < maxLocals {
			others = append(others, l)
		}
	}
	list = list[:min(len(list), maxLocals)]
	others = others[:min(len(others), maxLocals-len(list))]
	for i := range list {
		list[i].readListeners(ctx, ownBudget.among(len(list)))
	}
	for i := range others {
		others[i].readListeners(ctx, othersBudget.among(len(others)))
	}
	list = append(list, others...)
	slices.SortFunc(list, func(a, b Local) int { return int(a.PID) - int(b.PID) })
	return list
}

// IsServer says whether a process is one, by its name.
func IsServer(proc string, pid int32) bool {
	return pid > 0 && isServer(filepath.Join(proc, strconv.Itoa(int(pid))))
}

func isServer(dir string) bool { return ServerName(comm(dir)) }

// ServerName says whether a server's process is called so.
func ServerName(comm string) bool { return slices.Contains(servers, comm) }

func comm(dir string) string {
	// It is asked of every process there is: os.ReadFile takes twice as long.
	fd, err := unix.Open(filepath.Join(dir, "comm"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	var b [64]byte // TASK_COMM_LEN is 16; names of kernel threads are longer
	n, err := unix.Read(fd, b[:])
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b[:n]))
}

func (l *Local) readListeners(ctx context.Context, share budget) {
	l.share = share
	own := l.openSockets(ctx, share.descriptors)
	if len(own) == 0 {
		return
	}
	eachLine(ctx, filepath.Join(l.dir, "net/unix"), share.table, func(line string) {
		// Num RefCount Protocol Flags Type St Inode Path; 0x10000 listens (__SO_ACCEPTCON)
		f := strings.Fields(line)
		if len(f) == 8 && f[3] == "00010000" && own[f[6]] && strings.HasPrefix(f[7], "/") {
			l.Sockets = append(l.Sockets, f[7])
		}
	})
	// The X protocol has a socket of its own, which speaks another language.
	slices.SortStableFunc(l.Sockets, func(a, b string) int { return isX(a) - isX(b) })
	eachListener(ctx, l.dir, share.table, func(s listening) {
		if own[s.inode] {
			l.Listens = append(l.Listens, s.at)
		}
	})
}

// openSockets are the inodes of the sockets among the first descriptors of a
// process, which the kernel lists from the lowest on.
func (l *Local) openSockets(ctx context.Context, most int) map[string]bool {
	const batch = 256
	folder := filepath.Join(l.dir, "fd")
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	own := map[string]bool{}
	for most > 0 && ctx.Err() == nil {
		names, err := f.Readdirnames(min(most, batch))
		for _, name := range names {
			link, err := os.Readlink(folder + "/" + name)
			if inode, ok := strings.CutPrefix(link, "socket:["); err == nil && ok {
				own[strings.TrimSuffix(inode, "]")] = true
			}
		}
		if err != nil {
			break // the end of the list, or of the process
		}
		most -= len(names)
	}
	return own
}

// listening is a TCP socket that listens.
type listening struct {
	at    netip.AddrPort
	user  uint32
	inode string
}

// eachListener goes through the TCP sockets that listen in a network namespace;
// dir is /proc/PID of a process in it. The kernel lists them before other sockets.
func eachListener(ctx context.Context, dir string, most int64, do func(listening)) {
	for _, table := range []string{"net/tcp", "net/tcp6"} {
		eachLine(ctx, filepath.Join(dir, table), most, func(line string) {
			// sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode; state 0A listens
			f := strings.Fields(line)
			if len(f) < 10 || f[3] != "0A" {
				return
			}
			at, ok := hexAddress(f[1])
			user, err := strconv.ParseUint(f[7], 10, 32)
			if ok && err == nil {
				do(listening{at, uint32(user), f[9]})
			}
		})
	}
}

func isX(path string) int {
	if strings.Contains(filepath.Base(path), "mysqlx") {
		return 1
	}
	return 0
}

// eachLine goes through the first bytes of a file, line by line, until ctx ends.
func eachLine(ctx context.Context, path string, most int64, do func(string)) {
	const batch = 256
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, most))
	lines.Split(wholeLines)
	for n := 0; lines.Scan(); n++ {
		if n%batch == 0 && ctx.Err() != nil {
			return
		}
		do(lines.Text())
	}
}

// wholeLines is bufio.ScanLines, but for an end without a line break: of a file
// that is not read to its end that is a part of a line, with a part of an inode.
func wholeLines(b []byte, end bool) (advance int, token []byte, err error) {
	if end && bytes.IndexByte(b, '\n') < 0 {
		return len(b), nil, nil
	}
	return bufio.ScanLines(b, end)
}

// hexAddress reads 0100007F:0CEA: 32-bit words in the host's byte order, which is
// little-endian on all machines rtrail is built for.
func hexAddress(s string) (netip.AddrPort, bool) {
	address, port, ok := strings.Cut(s, ":")
	b, err := hex.DecodeString(address)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || portErr != nil || len(b)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(b); i += 4 {
		b[i], b[i+1], b[i+2], b[i+3] = b[i+3], b[i+2], b[i+1], b[i]
	}
	ip, ok := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)), ok
}

// sameNetwork says whether the server is in rtrail's network namespace.
func (l *Local) sameNetwork() bool { return l.shares("net") }

// shares says whether the server is in rtrail's namespace of a kind.
func (l *Local) shares(kind string) bool {
	own, err1 := os.Readlink(filepath.Join(l.proc, "self/ns", kind))
	its, err2 := os.Readlink(filepath.Join(l.dir, "ns", kind))
	return err1 == nil && err2 == nil && own == its
}

// sameRoot says whether the server sees the same file system.
func (l *Local) sameRoot() bool {
	return localfile.SameDirectory(filepath.Join(l.proc, "self/root"), filepath.Join(l.dir, "root"))
}

// has says whether an address belongs to the server's network namespace.
func (l *Local) has(ctx context.Context, ip netip.Addr) bool {
	if ip.IsLoopback() {
		return l.sameNetwork()
	}
	found := false
	if ip.Is4() {
		// An address is a leaf "|-- 10.0.0.1", and below it "/32 host LOCAL".
		leaf := ""
		eachLine(ctx, filepath.Join(l.dir, "net/fib_trie"), l.share.table, func(line string) {
			line = strings.TrimSpace(line)
			if after, ok := strings.CutPrefix(line, "|-- "); ok {
				leaf = after
			} else if strings.HasPrefix(line, "/32 host LOCAL") && leaf == ip.String() {
				found = true
			}
		})
		return found
	}
	raw := ip.As16()
	text := hex.EncodeToString(raw[:])
	eachLine(ctx, filepath.Join(l.dir, "net/if_inet6"), l.share.table, func(line string) {
		found = found || strings.HasPrefix(line, text)
	})
	return found
}

// listens says whether connections to an address end at this server.
func (l *Local) listens(to netip.AddrPort) bool {
	for _, a := range l.Listens {
		if a.Port() == to.Port() && (a.Addr() == to.Addr() || a.Addr().IsUnspecified()) {
			return true
		}
	}
	return false
}

// Locate is the PID of the server a target names, found without a connection; 0
// when it does not run on this host, or behind a forwarder.
func (t Target) Locate(ctx context.Context, proc string) int32 {
	if t.PID > 0 {
		return t.PID
	}
	if t.Network == "unix" {
		for _, l := range Locals(ctx, proc) {
			if slices.Contains(l.Sockets, t.Address) && l.sameRoot() {
				return l.PID
			}
		}
		return 0
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", t.Host())
	if err != nil || len(addresses) == 0 {
		return 0
	}
	return ServerAt(ctx, netip.AddrPortFrom(addresses[0], uint16(t.Port())), proc)
}

// Peer is the PID of the server at the other end of a socket: what the kernel
// says of a Unix socket, or the process that listens where a TCP connection
// went. 0 when it does not run on this host, or behind a forwarder.
func Peer(conn net.Conn, proc string) int32 {
	switch c := conn.(type) {
	case *net.UnixConn:
		peer, err := peerOf(c)
		if err != nil {
			return 0 // it is closed
		}
		// A socket that somebody else opened, as systemd does for it, has the PID
		// of that one.
		if isServer(filepath.Join(proc, strconv.Itoa(int(peer.Pid)))) {
			return peer.Pid
		}
		return 0
	case *net.TCPConn:
		to, err := netip.ParseAddrPort(c.RemoteAddr().String())
		if err != nil {
			return 0
		}
		return ServerAt(context.Background(), to, proc) // nobody waits for it
	}
	return 0
}

// ServerAt is the PID of the server on this host that listens at an address; 0
// without one.
func ServerAt(ctx context.Context, to netip.AddrPort, proc string) int32 {
	to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
	for _, l := range Locals(ctx, proc) {
		if l.listens(to) && l.has(ctx, to.Addr()) {
			return l.PID
		}
	}
	return 0
}
