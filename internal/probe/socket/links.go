package socket

import (
	"bytes"
	"encoding/binary"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// readLinks reads what interfaces are like, on a thread in the namespace.
func (n *namespace) readLinks() {
	answer, err := syscall.NetlinkRIB(unix.RTM_GETLINK, unix.AF_UNSPEC)
	if err != nil {
		return // rows keep saying that it is not known
	}
	messages, err := syscall.ParseNetlinkMessage(answer)
	if err != nil {
		return
	}
	n.links = make(map[string]link, len(messages))
	n.interfaces = make(map[int32]string, len(messages))
	masters := make(map[string]int32)
	for i := range messages {
		name, l, master, ok := parseLink(&messages[i])
		if !ok {
			continue
		}
		// /sys shows the interfaces of the namespace it was mounted in.
		if n.Own {
			if b, err := procfile.ReadOnce("/sys/class/net/"+name+"/speed", nil); err == nil {
				l.speed = number(string(bytes.TrimSpace(b)))
			}
			_, err := os.Lstat("/sys/class/net/" + name + "/device")
			l.physical = err == nil
		}
		n.links[name] = l
		n.interfaces[l.index] = name
		if master != 0 {
			masters[name] = master
		}
	}
	for name, master := range masters {
		l := n.links[name]
		l.master = n.interfaces[master]
		n.links[name] = l
	}
}

// parseLink takes an interface of an answer to RTM_GETLINK (rtnetlink(7)); master
// is the number of the one that it is a member of, 0: none.
func parseLink(m *syscall.NetlinkMessage) (name string, l link, master int32, ok bool) {
	if m.Header.Type != unix.RTM_NEWLINK || len(m.Data) < unix.SizeofIfInfomsg {
		return "", link{}, 0, false
	}
	attributes, err := syscall.ParseNetlinkRouteAttr(m)
	if err != nil {
		return "", link{}, 0, false
	}
	l = link{speed: recording.Unknown, index: int32(binary.NativeEndian.Uint32(m.Data[4:])), up: binary.NativeEndian.Uint32(m.Data[8:])&unix.IFF_UP != 0}
	for _, a := range attributes {
		value := func() (n int32) {
			if len(a.Value) >= 4 {
				n = int32(binary.NativeEndian.Uint32(a.Value))
			}
			return n
		}
		switch a.Attr.Type {
		case unix.IFLA_IFNAME:
			name = string(bytes.TrimRight(a.Value, "\x00"))
		case unix.IFLA_MTU:
			l.mtu = int64(value())
		case unix.IFLA_LINK:
			l.below = value()
		case unix.IFLA_MASTER:
			master = value()
		case unix.IFLA_LINKINFO, unix.IFLA_LINKINFO | unix.NLA_F_NESTED:
			eachAttribute(a.Value, func(kind uint16, value []byte) {
				if kind == unix.IFLA_INFO_KIND {
					l.kind = string(bytes.TrimRight(value, "\x00"))
				}
			})
		}
	}
	if l.kind == "" && binary.NativeEndian.Uint16(m.Data[2:]) != unix.ARPHRD_ETHER {
		l.kind = "other"
	}
	if l.below == l.index {
		l.below = 0 // so do interfaces without one below say
	}
	return name, l, master, name != ""
}
