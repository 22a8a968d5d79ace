package view

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/cgname"
)

// Kinds of entity.
const (
	KindHost       = "host"
	KindProcess    = "process"
	KindThread     = "thread" // Name is its own, PID that of its process
	KindCgroup     = "cgroup"
	KindDevice     = "device"     // block device
	KindFilesystem = "filesystem" // mount point
	KindInterface  = "interface"
	KindListener   = "listener" // Name is the process, Port its port
	KindPeer       = "peer"     // Name is an address
	KindNetNS      = "netns"
	KindRule       = "firewall-rule"
	KindCPU        = "cpu"
	KindService    = "service"    // Name is "mysql 10.0.0.2:3306", Port its port
	KindConnection = "connection" // Name is "10.0.0.1:40000 -> 10.0.0.2:3306"
	KindStatement  = "statement"  // Name is its text without literals, cut for display
)

// Entity is a thing that findings are about, named as people name it. The
// functions of this file make one of what packets, sockets, the process table and
// a server itself say of the same thing.
type Entity struct {
	Kind    string // one of the Kind constants
	Name    string // "nginx", "vda", "/var/lib", "10.0.0.7"
	PID     int32  // of the process that it is, or that serves it; 0 if there is none, or none is known
	Started time.Time
	Address string // of services: where they listen
	Port    uint16 // of services, listeners and what belongs to one
	Detail  string // command line, mount source... for display
	Cgroup  string // path of the group it lives in, when it matters
	NetNS   uint64 // network namespace, when it matters
	Place   string // of filesystems of another mount namespace: the device, which tells them from others of that name
}

// String is the entity as a sentence names it: "nginx (812)", "nginx on :80".
func (e Entity) String() string {
	switch {
	case e.Kind == KindListener:
		return fmt.Sprintf("%s on :%d", e.Name, e.Port)
	case e.PID != 0:
		return fmt.Sprintf("%s (%d)", e.Name, e.PID)
	}
	return e.Name
}

// identity tells entities of one view apart.
type identity struct {
	kind, name, place string
	port              uint16
	netns             uint64
	pid               int32
	started           int64
}

// Same says whether two entities of one view are the same thing; it is an
// equivalence. A process and the sockets it listens on are the same to whoever
// asks who is to blame.
func (e Entity) Same(other Entity) bool { return e.identity() == other.identity() }

func (e Entity) identity() identity {
	switch {
	case e.PID != 0 && e.Started.IsZero():
		return identity{pid: e.PID}
	case e.PID != 0:
		return identity{pid: e.PID, started: e.Started.UnixNano()}
	case e.Kind == KindService && e.Address != "":
		return identity{kind: e.Kind, name: e.Address, port: e.Port}
	case e.Kind == KindPeer && !loopback(e.Name):
		return identity{kind: e.Kind, name: e.Name}
	}
	return identity{kind: e.Kind, name: e.Name, place: e.Place, port: e.Port, netns: e.NetNS}
}

// Key names an entity for longer than its process lives, and on which host: a
// server that was restarted keeps it, two servers of one name in different units
// or containers have two, and so have interfaces of one name in different network
// namespaces.
type Key struct {
	Host string // empty for what is not on one host: peers, and services whose process is elsewhere
	Kind string
	Name string // "mysqld in mariadb.service", "10.0.0.2:3306", "vda"
}

// String is HOST/KIND/NAME; "" for no key.
func (k Key) String() string {
	if k == (Key{}) {
		return ""
	}
	return k.Host + "/" + k.Kind + "/" + k.Name
}

// KeyOf is the key of an entity of this view.
func (v *View) KeyOf(e Entity) Key {
	k := Key{Host: v.Manifest().Host.Name, Kind: e.Kind, Name: e.Name}
	switch e.Kind {
	case KindPeer, KindConnection:
		k.Host = ""
	case KindService:
		if e.PID == 0 {
			k.Host = ""
		}
	case KindListener:
		k.Name += ":" + strconv.Itoa(int(e.Port))
	case KindStatement:
		k.Host, k.Name = "", e.Detail+" "+e.Name
	case KindInterface, KindRule:
		if !v.OwnNetNS(e.NetNS) {
			k.Name = strings.TrimSuffix(e.Name, v.InNetNS(e.NetNS)) + " in " + v.lastingNetNS(e.NetNS)
		}
	case KindNetNS:
		if !v.OwnNetNS(e.NetNS) && e.Name == v.NetNSName(e.NetNS) {
			k.Name = v.lastingNetNS(e.NetNS)
		}
	case KindFilesystem:
		if e.Place != "" {
			k.Name += " on " + e.Place
		}
	}
	if e.Kind == KindProcess { // several of a program, as many as there are now
		if i := strings.LastIndex(k.Name, " ×"); i > 0 && strings.Trim(k.Name[i+len(" ×"):], "0123456789") == "" {
			k.Name = k.Name[:i]
		}
	}
	if e.Kind == KindProcess || e.Kind == KindListener {
		if unit := Unit(e.Cgroup); unit != "" {
			k.Name += " in " + unit
		}
	}
	return k
}

// Unit is the unit or container that a group stands for; "" for groups that do
// not last, as that of a login, and for those that hold whatever comes.
func Unit(cgroup string) string {
	name := cgname.Name(cgroup)
	if name == "/" || strings.HasSuffix(name, ".slice") || strings.HasPrefix(name, "session-") || strings.HasPrefix(name, "user@") {
		return ""
	}
	return name
}

// HostEntity is the host that was watched.
func (v *View) HostEntity() Entity {
	return Entity{Kind: KindHost, Name: cmp.Or(v.Manifest().Host.Name, "this host")}
}

// Entity names a process.
func (p *Process) Entity() Entity {
	return Entity{Kind: KindProcess, Name: p.Comm, PID: p.PID, Started: p.Started, Detail: p.Cmdline, Cgroup: p.Cgroup, NetNS: p.NetNS}
}

// ProcessEntity names a process of which only the number is known, and perhaps
// what it was called.
func (v *View) ProcessEntity(pid int32, name string) Entity {
	if p, ok := v.Process(pid); ok && pid > 0 {
		return p.Entity()
	}
	return Entity{Kind: KindProcess, Name: cmp.Or(name, "process "+strconv.Itoa(int(pid))), PID: max(pid, 0)}
}

// Entity names a listener.
func (l Listener) Entity() Entity {
	e := Entity{Kind: KindListener, Name: l.Name(), Port: l.Port, NetNS: l.NetNS}
	e.servedBy(l)
	if len(l.Owners) > 0 {
		e.Detail = l.Owners[0].Cmdline
	}
	return e
}

// servedBy says which process is behind an entity.
func (e *Entity) servedBy(l Listener) {
	e.NetNS = l.NetNS
	if len(l.Owners) > 0 {
		e.PID, e.Started, e.Cgroup = l.Owners[0].PID, l.Owners[0].Started, l.Owners[0].Cgroup
	}
}

// ServedBy finds who serves an address and port on this host. It must be the only
// one that can be meant. A capture alone knows no processes.
func (v *View) ServedBy(address string, port uint16) (Listener, bool) {
	listeners, at := v.Listeners(), v.servers()
	var found []int32
	if !Wildcard(address) {
		found = slices.Clone(at[servedPlace{address, port}])
	}
	for _, i := range at[servedPlace{allAddresses, port}] {
		if v.HasAddress(listeners[i].NetNS, address) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return Listener{}, false
	}
	first := &listeners[slices.Min(found)]
	if slices.ContainsFunc(found, func(i int32) bool { return listeners[i].PID() != first.PID() || listeners[i].NetNS != first.NetNS }) {
		return Listener{}, false
	}
	return *first, true
}

// servedPlace is where listeners are bound.
type servedPlace struct {
	local string
	port  uint16
}

// allAddresses stands for all that Wildcard knows.
const allAddresses = "*"

// servers are the places of Listeners by where these are bound, of each network namespace the
// first ones of two processes at most: more than one cannot be told apart.
func (v *View) servers() map[servedPlace][]int32 {
	return Memo(v, "servers", func() map[servedPlace][]int32 {
		listeners := v.Listeners()
		m := map[servedPlace][]int32{}
		for i := range listeners {
			l := &listeners[i]
			k := servedPlace{l.Local, l.Port}
			if Wildcard(l.Local) {
				k.local = allAddresses
			}
			others, known := 0, false
			for _, j := range m[k] {
				if o := &listeners[j]; o.NetNS == l.NetNS {
					known = known || o.PID() == l.PID()
					others++
				}
			}
			if !known && others < 2 {
				m[k] = append(m[k], int32(i))
			}
		}
		return m
	})
}

// ServiceEntity names a service seen in packets, and the process behind it if the
// host was watched too.
func (v *View) ServiceEntity(s *PacketService) Entity {
	e := Entity{Kind: KindService, Name: s.Name(), Address: s.Server, Port: s.Port}
	if l, ok := v.ServedBy(s.Server, s.Port); ok {
		e.servedBy(l)
		e.Detail = l.Name()
		return e
	}
	for _, m := range v.MySQLServers() {
		if m.Packets == s && m.Process != nil {
			e.PID, e.Started, e.Cgroup, e.NetNS, e.Detail = m.Process.PID, m.Process.Started, m.Process.Cgroup, m.Process.NetNS, m.Process.Comm
		}
	}
	return e
}

// Entity names a server that was asked: its process where that is known.
func (s *MySQLServer) Entity() Entity { return s.entity }

func (v *View) mysqlEntity(s *MySQLServer) Entity {
	if s.Process != nil {
		return s.Process.Entity()
	}
	e := Entity{Kind: KindService, Name: "mysql " + s.Server, Port: uint16(max(s.Port, 0))}
	if at, err := netip.ParseAddrPort(s.Server); err == nil {
		e.Address, e.Port = at.Addr().String(), at.Port()
	}
	if s.Packets != nil {
		e.Address, e.Port = s.Packets.Server, s.Packets.Port
	}
	if l, ok := v.ServedBy(e.Address, e.Port); ok { // it never said its PID
		e.servedBy(l)
	}
	return e
}

// ClientEntity names the client of a captured connection: its process if that runs
// here, else its address.
func (v *View) ClientEntity(c *PacketConnection) Entity {
	if s, ok := v.ConnectionBetween(c.Client, uint16(c.ClientPort), c.Server, uint16(c.ServerPort)); ok {
		if owners := v.SocketOwners(s.Inode); len(owners) > 0 {
			return owners[0].Entity()
		}
	}
	return v.PeerEntity(c.Client, 0)
}

// PeerEntity names an address, as seen from a network namespace: 0 is rtrail's own.
func (v *View) PeerEntity(address string, ns uint64) Entity {
	return Entity{Kind: KindPeer, Name: address, NetNS: cmp.Or(ns, v.Manifest().Host.NetNS)}
}

// EndsOf are the entities that suffer when packets between a service and some of
// its clients do: the service, its address and those of the clients.
func (v *View) EndsOf(s *PacketService, clients ...string) []Entity {
	list := []Entity{v.ServiceEntity(s), v.PeerEntity(s.Server, 0)}
	for _, address := range clients {
		list = append(list, v.PeerEntity(address, 0))
	}
	return list
}

// NetNSEntity names a network namespace.
func (v *View) NetNSEntity(ns uint64) Entity {
	return Entity{Kind: KindNetNS, Name: v.NetNSName(ns), NetNS: ns}
}

// InterfaceEntity names a network interface of a namespace.
func InterfaceEntity(name string, ns uint64) Entity {
	return Entity{Kind: KindInterface, Name: name, NetNS: ns}
}

// CgroupEntity names a control group by its path.
func CgroupEntity(path string) Entity { return Entity{Kind: KindCgroup, Name: path, Cgroup: path} }

// DeviceEntity names a block device, as "vda" or "/dev/vda".
func DeviceEntity(name string) Entity {
	return Entity{Kind: KindDevice, Name: strings.TrimPrefix(name, "/dev/")}
}

// Wildcard says whether a listener is bound to all addresses.
func Wildcard(address string) bool { return address == "0.0.0.0" || address == "::" || address == "*" }

// loopback says whether an address is one of a host's own for itself, so that it
// means another thing in each network namespace.
func loopback(address string) bool {
	a, err := netip.ParseAddr(address)
	return err == nil && a.IsLoopback()
}
