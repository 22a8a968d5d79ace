package mysqlconn

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/shell"
)

const (
	// maxFound bounds how many servers are watched that nobody named: a host
	// with a hundred instances must not be asked by a hundred connections.
	maxFound = 4
	// maxSocketPath is the size of sun_path in struct sockaddr_un.
	maxSocketPath = 107
)

// Here is what discovery needs to know of this host.
type Here struct {
	Proc    string  // "/proc"
	Named   []int32 // processes that ServerName holds for servers; nil: all of Proc are asked for their names
	Debian  string  // "/etc/mysql/debian.cnf"
	UID     int
	Files   *OptionFiles
	Options Options

	accounts accounts // nil: ownAccounts
}

// Hidden is a server that runs on this host and is not asked.
type Hidden struct {
	Local
	Why, How string
}

// Discover finds the servers on this host that the user may ask, with one way to
// log in for each: what an option file says; else Debian's maintenance user; else
// root through the socket, which MariaDB, Debian and Ubuntu set up so. A wrong
// guess would count against this host (max_connect_errors), therefore there is
// only one.
//
// Passwords go to the host's own servers only (see Trust): what else calls itself a
// server must be named. Who may see of none of them how
// it is reached asks the one that an own option file places on this host.
func Discover(ctx context.Context, h Here) (targets []Target, hidden []Hidden) {
	if h.accounts == nil {
		h.accounts = ownAccounts()
	}
	for _, l := range h.locals(ctx) {
		t, why, how := h.target(l)
		if why == "" && len(targets) == maxFound {
			why, how = fmt.Sprintf("%d servers of this host are watched already", maxFound), t.NameIt()
		}
		if why != "" {
			hidden = append(hidden, Hidden{l, why, how})
			continue
		}
		targets = append(targets, t)
	}
	if t, ok := Placed(h.Files, h.Options); ok && len(targets) == 0 && len(hidden) > 0 && t.onLoopback() {
		t.Found, t.Trust = true, Trust{accounts: h.accounts, proc: h.Proc}
		targets = append(targets, t)
		if len(hidden) == 1 {
			hidden = nil // it is this one
		}
	}
	return targets, hidden
}

// nameByHand is what to do about a server of which it is not known how it is
// reached.
const nameByHand = "name it: rtrail diagnose --mysql USER@HOST:PORT"

// locals are the servers of this host.
func (h Here) locals(ctx context.Context) []Local {
	if h.Named != nil {
		return localsAmong(ctx, h.Proc, h.Named)
	}
	return Locals(ctx, h.Proc)
}

// target is how to ask a server; why says why it is not asked, how what to do
// about that.
func (h Here) target(l Local) (t Target, why, how string) {
	t = Target{User: "root", TLS: TLSPreferred, PID: l.PID, Found: true, From: "root through the socket", AdminPort: h.Options.AdminPort,
		Trust: Trust{accounts: h.accounts, proc: h.Proc, pid: l.PID}}
	if !h.credentials(&t) {
		return t, "nothing says how to log in there", "put user and password into the [client] group of ~/.my.cnf, or " + nameByHand
	}
	t.nameUser(h.Files)
	l.settleSockets(h.accounts)
	placed := l.place(&t)
	switch err := h.accounts.process(l.dir, h.Proc); {
	case len(l.Sockets)+len(l.Listens) == 0:
		return t, "where it listens cannot be seen", "run as root, or " + nameByHand
	case err != nil:
		return t, withheldWhy(err), t.NameIt()
	case !placed:
		return t, "it has no socket that can be reached", nameByHand
	case t.Network == "tcp" && t.From == "root through the socket":
		return t, "it has no socket through which root could log in", t.NameIt()
	case t.Network == "tcp":
		return t, "", ""
	}
	if err := h.accounts.socket(t.Address); err != nil {
		return t, withheldWhy(err), t.NameIt()
	}
	return t, "", ""
}

// NameIt is the command that names a server, which may then be told the password.
func (t Target) NameIt() string {
	name := shell.Line("rtrail diagnose --mysql=%s", t.User+"@"+t.Address)
	if t.Address == "" || name.Empty() {
		return nameByHand
	}
	return "name it, if you trust it: " + name.String()
}

// onLoopback says that a target is on this host, whatever the network.
func (t *Target) onLoopback() bool {
	if t.Network == "unix" || t.Host() == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(t.Host())
	return err == nil && ip.IsLoopback()
}

// credentials chooses how to log in.
func (h Here) credentials(t *Target) bool {
	if h.Files != nil {
		if c := h.Files.Client; c.User != "" || c.PasswordFrom != "" {
			t.User, t.Password, t.From = cmp.Or(c.User, currentUser()), c.Password, cmp.Or(c.PasswordFrom, "an option file")
			t.TLS, t.CA, t.Cert, t.Key = cmp.Or(c.TLS, TLSPreferred), c.CA, c.Cert, c.Key
			return true
		}
	}
	if h.UID != 0 {
		return false
	}
	if debian, err := ReadOptionFile(h.Debian); err == nil && debian.Client.Password != "" && debian.Client.User != "" {
		t.User, t.Password, t.From = debian.Client.User, debian.Client.Password, h.Debian
	}
	return true
}

// settleSockets puts the socket first at which the server really listens, if there
// seem to be several: whoever binds a name with a line break in it writes lines of
// /proc/net/unix, and could hide a server behind a socket that is not its own.
func (l *Local) settleSockets(a accounts) {
	own := slices.DeleteFunc(slices.Clone(l.Sockets), func(path string) bool { return isX(path) == 1 })
	if len(own) < 2 || !l.sameRoot() {
		return
	}
	slices.Sort(own)
	const most = 16 // of trusted users, and sockets of servers at all
	own = slices.DeleteFunc(slices.Compact(own), func(path string) bool { return a.socket(path) != nil })
	for _, path := range own[:min(len(own), most)] {
		if listensAt(path, l.PID) {
			l.Sockets = append([]string{path}, slices.DeleteFunc(l.Sockets, func(p string) bool { return p == path })...)
			return
		}
	}
}

// listensAt says whether a process listens at a socket.
func listensAt(path string, pid int32) bool {
	const patience = 100 * time.Millisecond // the queue of a stranger's socket may be full
	conn, err := net.DialTimeout("unix", path, patience)
	if err != nil {
		return false
	}
	defer conn.Close()
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	peer, err := peerOf(c)
	return err == nil && peer.Pid == pid
}

// place says where to reach a server of this host: through its socket if
// possible.
func (l *Local) place(t *Target) bool {
	for _, path := range l.Sockets {
		if isX(path) == 1 {
			continue
		}
		if !l.sameRoot() {
			path = filepath.Join(l.dir, "root", path)
		}
		if len(path) <= maxSocketPath {
			t.Network, t.Address, t.Name = "unix", path, path
			return true
		}
	}
	if !l.sameNetwork() {
		return false
	}
	for _, a := range l.Listens {
		if port := a.Port(); port != 33060 && port != 33062 { // X protocol, administrators
			ip := a.Addr()
			if ip.IsUnspecified() {
				ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
			}
			t.Network, t.Address = "tcp", net.JoinHostPort(ip.String(), strconv.Itoa(int(port)))
			t.Name = t.Address
			return true
		}
	}
	return false
}

// Describe names a hidden server.
func (h Hidden) Describe() string {
	where := strings.Join(h.Sockets, " ")
	for _, a := range h.Listens {
		where = cmp.Or(where, a.String())
	}
	if where != "" {
		where = " at " + where
	}
	return fmt.Sprintf("%s (PID %d)%s", h.Comm, h.PID, where)
}
