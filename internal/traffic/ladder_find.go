package traffic

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
)

// Wanted is a connection that a user names: by its id, by the number of one of
// its packets, or by one of its ends.
type Wanted struct {
	Frame uint64         // 0: named by End
	End   netip.AddrPort //
}

// ParseWanted reads an id or ADDRESS:PORT.
func ParseWanted(word string) (Wanted, error) {
	if n, err := strconv.ParseUint(word, 10, 64); err == nil && n > 0 {
		return Wanted{Frame: n}, nil
	}
	if e, err := netip.ParseAddrPort(word); err == nil {
		return Wanted{End: netip.AddrPortFrom(e.Addr().Unmap(), e.Port())}, nil
	}
	return Wanted{}, fmt.Errorf("%q names no connection: give its id, the number of its first packet, as rtrail packets prints it, or its client as ADDRESS:PORT", word)
}

func (w Wanted) String() string {
	if w.Frame != 0 {
		return strconv.FormatUint(w.Frame, 10)
	}
	return w.End.String()
}

// Found is a connection that was looked for.
type Found struct {
	ID             uint64
	Client, Server flow.Endpoint
	Space, Across  flow.Space // as in tcp.Conn
	Last           uint64     // its last packet
}

// Find looks connections up. One worker does it, so that networks have the
// numbers that Extract gives them. Each name must fit one; the error of a name that
// fits several lists them.
func Find(ctx context.Context, src pcap.Source, names []Wanted) ([]Found, error) {
	f := &finder{names: names, fits: make([][]Found, len(names)), more: make([]int, len(names))}
	report, err := engine.Run(ctx, src, engine.Options{Workers: 1, Collector: func(int) engine.Collector { return f }})
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out []Found
	for i, n := range names {
		switch fits := f.fits[i]; {
		case len(fits) == 0 && n.Frame > report.Packets:
			return nil, fmt.Errorf("there is no connection %v: the capture has %d packets", n, report.Packets)
		case len(fits) == 0 && n.Frame != 0:
			return nil, fmt.Errorf("there is no connection %v: packet %v belongs to no TCP connection; rtrail packets --by connection lists them with their ids", n, n)
		case len(fits) == 0:
			return nil, fmt.Errorf("there is no TCP connection of %v; rtrail packets --by connection lists them with their ids", n)
		case len(fits) > 1:
			slices.SortFunc(fits, func(a, b Found) int { return int(int64(a.ID) - int64(b.ID)) })
			var ids []string
			for _, k := range fits {
				ids = append(ids, fmt.Sprintf("%d (%v -> %v)", k.ID, k.Client, k.Server))
			}
			if f.more[i] > 0 {
				ids = append(ids, fmt.Sprintf("and %d more", f.more[i]))
			}
			return nil, fmt.Errorf("%v has %d connections: name one by its id: %s", n, len(fits)+f.more[i], strings.Join(ids, ", "))
		}
		if !slices.Contains(out, f.fits[i][0]) {
			out = append(out, f.fits[i][0])
		}
	}
	return out, nil
}

// maxFits is how many connections with one name are listed.
const maxFits = 10

// finder is the collector.
type finder struct {
	engine.Nop
	names []Wanted
	fits  [][]Found
	more  []int
	marks []mark // packets that names name, and whose they are
}

type mark struct {
	name     int
	src, dst flow.Endpoint
	space    flow.Space
}

// Frame notes whose a packet is that was named.
func (f *finder) Frame(_ *pcap.Packet, p *decode.Frame) {
	for i, n := range f.names {
		if n.Frame == p.Frame {
			f.marks = append(f.marks, mark{i, p.Src, p.Dst, p.Space})
		}
	}
}

// Connection sees whether it is one that was named. That a packet lies within
// the numbers of a connection's first and last packet does not make it its own.
func (f *finder) Connection(c *rt.Connection) {
	for i, n := range f.names {
		if n.Frame != 0 {
			if n.Frame < c.ID || n.Frame > c.Last.Frame || n.Frame != c.ID && !f.owns(i, c) {
				continue
			}
		} else if e := n.End; endOf(c.Client) != e && endOf(c.Server) != e {
			continue
		}
		if len(f.fits[i]) < maxFits {
			f.fits[i] = append(f.fits[i], Found{c.ID, c.Client, c.Server, c.Space, c.Across, c.Last.Frame})
		} else {
			f.more[i]++
		}
	}
}

func (f *finder) owns(name int, c *rt.Connection) bool {
	return slices.ContainsFunc(f.marks, func(m mark) bool {
		return m.name == name && m.space == c.Space && (m.src == c.Client && m.dst == c.Server || m.src == c.Server && m.dst == c.Client)
	})
}

func endOf(e flow.Endpoint) netip.AddrPort { return netip.AddrPortFrom(e.Addr.IP(), e.Port) }
