package mysqlconn

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
)

// ours are the local ends of the connections that this process has made. Who
// watches packets leaves them out: what rtrail asks is nobody's load, and it
// rests for a second where clients do not.
var ours localEnds

// maxOurs bounds what is remembered; the latest are.
const maxOurs = 256

type localEnds struct {
	ports [1 << 16 / 64]atomic.Uint64 // one bit for each port that ever was one: what is asked for every request must cost next to nothing
	mu    sync.Mutex
	list  []netip.AddrPort
}

func (l *localEnds) add(conn net.Conn) {
	a, ok := conn.LocalAddr().(*net.TCPAddr)
	if !ok {
		return
	}
	end := a.AddrPort()
	end = netip.AddrPortFrom(end.Addr().Unmap().WithZone(""), end.Port())
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == maxOurs {
		l.list = slices.Delete(l.list, 0, 1)
	}
	l.list = append(l.list, end)
	l.ports[end.Port()/64].Or(1 << (end.Port() % 64))
}

// Ours says whether a local end is one of a connection that this process has
// made to a server. It may be asked at any time.
func Ours(local netip.AddrPort) bool { return ours.has(local) }

func (l *localEnds) has(local netip.AddrPort) bool {
	if l.ports[local.Port()/64].Load()>>(local.Port()%64)&1 == 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.list, local)
}
