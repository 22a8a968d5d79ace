package mysqlconn

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	// mostFound bounds how many servers are watched that nobody named: a host
	// with a hundred instances must not be asked by a hundred connections.
	mostFound = 4
	// mostSocketPath is the size of sun_path in struct sockaddr_un.
	mostSocketPath = 107
)

// Here is what discovery needs to know of this host.
type Here struct {
	Proc    string // "/proc"
	Debian  string // "/etc/mysql/debian.cnf"
	UID     int
	Files   *OptionFiles
	Options Options
}

// Hidden is a server that runs on this host and cannot be asked.
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
// Who may see of none of them how it is reached asks the one that an own option
// file places on this host.
func Discover(h Here) (targets []Target, hidden []Hidden) {
	for _, l := range Locals(h.Proc) {
		t := Target{User: "root", TLS: TLSPreferred, PID: l.PID, Found: true, From: "root through the socket", AdminPort: h.Options.AdminPort}
		if !h.credentials(&t) {
			hidden = append(hidden, Hidden{l, "nothing says how to log in there",
				"put user and password into the [client] group of ~/.my.cnf, or name the server: --mysql USER@HOST:PORT"})
			continue
		}
		t.nameUser(h.Files)
		if !l.place(&t) {
			hidden = append(hidden, Hidden{l, "where it listens cannot be seen", "run as root, or name the server: --mysql USER@HOST:PORT"})
			continue
		}
		if t.Network == "tcp" && t.From == "root through the socket" {
			hidden = append(hidden, Hidden{l, "it has no socket through which root could log in", "name the server: --mysql USER@HOST:PORT"})
			continue
		}
		if len(targets) == mostFound {
			hidden = append(hidden, Hidden{l, fmt.Sprintf("%d servers of this host are watched already", mostFound), "name it: --mysql USER@HOST:PORT"})
			continue
		}
		targets = append(targets, t)
	}
	if t, ok := Placed(h.Files, h.Options); ok && len(targets) == 0 && len(hidden) > 0 && t.onLoopback() {
		t.Found = true
		targets = append(targets, t)
		if len(hidden) == 1 {
			hidden = nil // it is this one
		}
	}
	return targets, hidden
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
		if len(path) <= mostSocketPath {
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
