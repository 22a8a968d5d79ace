package socket

import (
	"encoding/binary"
	"slices"
	"time"

	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
)

// openPrograms loads what BPF can do better than netlink and /proc.
func (p *Probe) openPrograms() {
	if !p.census.Live() || kernel.Check() != nil {
		return
	}
	p.openWalker()
	p.openHolders()
}

// openWalker loads the program that reads the TCP sockets of all namespaces in
// one pass. Where it cannot be had, sock_diag is asked.
func (p *Probe) openWalker() {
	if w, err := kernel.OpenSockets(p.census.Loader()); err == nil {
		p.walker = w
	}
}

// closeWalker goes over to sock_diag for all namespaces.
func (p *Probe) closeWalker() {
	if p.walker == nil {
		return
	}
	p.walker.Close()
	p.walker, p.walked = nil, nil
	for _, n := range p.spaces {
		n.table = 0
	}
}

// walk reads the TCP sockets of all namespaces whose table is known. After an
// error nothing is left of what it read.
func (p *Probe) walk(w *recording.Writer, connections bool) {
	if p.walker == nil {
		return
	}
	done := map[kernel.SocketTable]bool{}
	for _, n := range p.order {
		if n.table == 0 || done[n.table] {
			continue
		}
		done[n.table] = true
		if err := p.walkTable(n.table, w, connections); err != nil {
			p.closeWalker()
			p.resting, p.listens = nil, p.listens[:0]
			p.beginDump()
			return
		}
	}
}

// walkTable reads one pair of tables.
func (p *Probe) walkTable(t kernel.SocketTable, w *recording.Writer, connections bool) error {
	at := time.Now()
	lost, err := p.walker.Listeners(t, func(rows []kernel.SocketRow, c kernel.SocketClock) bool {
		for i := range rows {
			if n := p.spaceOf(&rows[i], t); n != nil {
				s := recording.TCPSample{At: at, NetNS: n.NetNS}
				if p.reader.row(&rows[i], c, &s) && s.State == recording.TCPListen && n.listens.take(maxListeners) {
					p.listens = append(p.listens, listener(&s))
				}
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	w.LostFrom(p.Name(), recording.Listeners, lost)
	if !connections {
		return nil
	}
	known := p.walked[t]
	if known == nil {
		if p.walked == nil {
			p.walked = map[kernel.SocketTable]*walkMemory{}
		}
		known = newWalkMemory()
		p.walked[t] = known
	}
	known.begin(p.samples)
	p.resting = slices.Grow(p.resting, len(known.before)+len(known.before)/64)
	lost, err = p.walker.Connections(t, func(rows []kernel.SocketRow, c kernel.SocketClock) bool {
		at := time.Now()
		for i := range rows {
			n := p.spaceOf(&rows[i], t)
			if n == nil {
				continue
			}
			if n.rows >= maxConnections || len(p.resting) >= maxOfAll {
				n.lost++
				continue
			}
			n.rows++
			now, ok := known.resting(&rows[i])
			if !ok {
				s := known.room()
				*s = recording.TCPSample{At: at, NetNS: n.NetNS}
				if !p.reader.row(&rows[i], c, s) || s.State == recording.TCPListen {
					continue
				}
			}
			now = known.add(now)
			p.resting = append(p.resting, recording.Again[recording.TCPSample]{Row: now.row, At: at})
		}
		if at.Before(p.until) {
			return true
		}
		p.cutShort(t)
		return false
	})
	if err == nil {
		w.LostFrom(p.Name(), recording.TCPSockets, lost)
	}
	return err
}

// cutShort notes that a pass over a table of connections ended early.
func (p *Probe) cutShort(t kernel.SocketTable) {
	for _, n := range p.order {
		if n.table == t {
			n.cut = true
		}
	}
}

// spaceOf is the namespace of a socket, if it is one of those that are read
// from this table.
func (p *Probe) spaceOf(r *kernel.SocketRow, t kernel.SocketTable) *namespace {
	if p.lastSpace == nil || p.lastSpace.NetNS != uint64(r.NetNS) {
		p.lastSpace = p.spaces[uint64(r.NetNS)]
	}
	if n := p.lastSpace; n != nil && n.diag != nil && n.table == t {
		return n
	}
	return nil
}

// row turns a socket as the kernel keeps it into what sock_diag would say of
// it (tcp_get_info in net/ipv4/tcp.c, inet_sk_diag_fill in
// net/ipv4/inet_diag.c). ok is false when it is of another family.
func (r *reader) row(k *kernel.SocketRow, c kernel.SocketClock, row *recording.TCPSample) (ok bool) {
	if k.Family != afInet && k.Family != afInet6 {
		return false
	}
	row.Local, row.Remote = r.address(k.Family, k.Local[:]), r.address(k.Family, k.Remote[:])
	row.LocalPort, row.RemotePort = k.LocalPort, binary.BigEndian.Uint16(k.RemotePort[:])
	row.State = recording.TCPState(k.State)
	row.Inode, row.Retransmits = uint64(k.Inode), k.Retransmits
	if k.Full == 0 {
		return true
	}
	row.RecvQueue, row.SendQueue = k.RecvQueue, k.SendQueue
	row.RmemAlloc, row.RcvBuf, row.Drops = k.RmemAlloc, k.RcvBuf, k.Drops
	if row.State == recording.TCPListen {
		return true
	}
	row.Info = true
	row.Backoff = k.Backoff
	row.RTO = c.Span(uint64(k.RTO)).Truncate(time.Microsecond)
	row.RTT, row.RTTVar = time.Duration(k.SRTT>>3)*time.Microsecond, time.Duration(k.MDev>>2)*time.Microsecond
	// The kernel starts the minimum at its largest value.
	if k.MinRTT != 1<<32-1 {
		row.MinRTT = time.Duration(k.MinRTT) * time.Microsecond
	}
	row.Cwnd, row.MSS, row.Unacked, row.TotalRetrans = k.Cwnd, k.MSS, k.Unacked, k.TotalRetrans
	row.SegsOut, row.DataSegsOut, row.DataSegsIn = k.SegsOut, k.DataSegsOut, k.DataSegsIn
	row.BytesAcked, row.BytesReceived, row.BytesSent = k.BytesAcked, k.BytesReceived, k.BytesSent
	row.NotSent, row.PeerWindow = k.NotSent, k.PeerWindow
	row.LastSend, row.LastReceive = before(row.At, c.Since(k.LastSend)), before(row.At, c.Since(k.LastReceive))
	row.Busy, row.RwndLimited, row.SndbufLimited = c.Busy(k)
	return true
}
