package net

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var closedLooks = rule.Threshold{Name: "closed-looks", Value: 3, Unit: "count", Source: rule.Judgement,
	Reason: "Samples of the sender's socket, one per second, in which the reader's window was closed. Fewer may be a short moment."}

var closedAtOnce = rule.Threshold{Name: "closed-at-once", Value: 2, Unit: "seconds", Source: rule.Judgement,
	Reason: "Time for which a window is closed at one go. A reader that stands still for so long keeps its sender waiting, however small a part of a long connection that is."}

// stalled is a connection whose peer does not read, as the socket of the sender shows it.
type stalled struct {
	view.Connection
	looks, closed int           // readings, and those with a closed window
	life          time.Duration // between the first and the last reading
	limited       time.Duration // of life, the peer's window held the sender up
	longest       time.Duration // between the first and the last of closed ones in a row
	silent        time.Duration // longest time since it last sent something, with a closed window
	told          bool          // the kernel tells how large the window is: since Linux 5.4
}

// heldUpBy is the connections on which one reader keeps programs of this host waiting.
type heldUpBy struct {
	reader  view.Entity
	address string
	at      *stalled // the worst
	conns   []*stalled
}

// heldUp lists the readers that keep programs of this host waiting, the worst first.
func heldUp(v *view.View) []*heldUpBy {
	type key struct {
		address string
		ns      uint64
		pid     int32
	}
	known := map[key]*heldUpBy{}
	var list []*heldUpBy
	for i := range v.Connections() {
		s, ok := stall(&v.Connections()[i])
		if !ok || len(v.SocketOwners(s.Inode)) == 0 || ofMySQLSession(v, &s.Connection) {
			continue
		}
		s.told = s.told || v.KernelAtLeast(5, 4)
		reader := v.PeerEntity(s.Remote, s.NetNS)
		if c, ok := v.ConnectionBetween(s.Remote, s.RemotePort, s.Local, s.LocalPort); ok {
			if owners := v.SocketOwners(c.Inode); len(owners) > 0 {
				reader = owners[0].Entity()
			}
		}
		k := key{s.Remote, s.NetNS, reader.PID}
		h := known[k]
		if h == nil {
			h = &heldUpBy{reader: reader, address: s.Remote, at: s}
			known[k] = h
			list = append(list, h)
		}
		h.conns = append(h.conns, s)
		if s.waited() > h.at.waited() {
			h.at = s
		}
	}
	slices.SortStableFunc(list, func(a, b *heldUpBy) int { return cmp.Compare(b.waited(), a.waited()) })
	return list
}

// stall looks at the readings of one socket. Its sender waits for the reader where it has
// data, nothing is under way, and the window that was last offered takes no segment. Windows
// that close for moments belong to a reader that is only slower than the network brings.
func stall(c *view.Connection) (*stalled, bool) {
	// Most connections have nothing of it: their readings need not be gone through.
	if c.RwndLimited-c.First().RwndLimited < closedFor.Duration() {
		return nil, false
	}
	s := &stalled{Connection: *c}
	var first, last recording.TCPSample
	var from, to, shut time.Time // shut: the first of closed ones in a row
	for _, r := range c.Samples {
		x := r.Of()
		if !x.Info || x.State != recording.TCPEstablished && x.State != recording.TCPCloseWait {
			continue
		}
		row := r.Row()
		if s.looks == 0 {
			first, from = row, r.At()
		}
		last, to = row, r.At()
		s.looks++
		s.told = s.told || row.PeerWindow > 0
		if row.SendQueue > 0 && row.Unacked == 0 && row.PeerWindow < row.MSS && to.Sub(row.LastSend) >= rule.ClosedEach {
			s.closed++
			if shut.IsZero() {
				shut = to
			}
			s.longest = max(s.longest, to.Sub(shut))
			s.silent = max(s.silent, to.Sub(row.LastSend))
		} else {
			shut = time.Time{}
		}
	}
	s.life, s.limited = to.Sub(from), last.RwndLimited-first.RwndLimited
	return s, s.closed >= closedLooks.Int() && s.waited() >= closedFor.Duration() && (s.waited() >= closedShare.Times(s.life) || s.longest >= closedAtOnce.Duration())
}

// waited is how long the closed window held the sender up: as the kernel counts, but for
// the part in which the window was open and full.
func (s *stalled) waited() time.Duration {
	return min(s.limited, time.Duration(float64(s.closed)/float64(max(s.looks, 1))*float64(s.life)))
}

func (h *heldUpBy) waited() (d time.Duration) {
	for _, s := range h.conns {
		d += s.waited()
	}
	return d
}

// ofMySQLSession says whether a server that was asked lists the connection: mysql/slow-reader
// knows more about it.
func ofMySQLSession(v *view.View, c *view.Connection) bool {
	for _, s := range v.MySQLServers() {
		if uint16(max(s.Port, 0)) != c.LocalPort {
			continue
		}
		for _, look := range v.SessionsOf(s.Server) {
			for _, r := range look {
				if r.ClientPort != int32(c.RemotePort) {
					continue
				}
				if x, ok := v.SocketOfSession(s, r); ok && x.Inode == c.Inode {
					return true
				}
			}
		}
	}
	return false
}

func (h *heldUpBy) finding(v *view.View) rule.Finding {
	f := rule.Finding{Subject: h.reader, Confidence: rule.Certain}
	reader := h.address
	if h.reader.Kind == view.KindProcess {
		reader = fmt.Sprintf("%s (%d) at %s", h.reader.Name, h.reader.PID, h.address)
	}
	sender := v.SocketOwners(h.at.Inode)[0]
	var life time.Duration
	for _, s := range h.conns {
		life += s.life
		f.Affects = append(f.Affects, v.PeerEntity(s.Local, s.NetNS))
		for _, p := range v.SocketOwners(s.Inode) {
			f.Affects = append(f.Affects, p.Entity())
		}
	}
	f.Affects = append(f.Affects, v.PeerEntity(h.address, h.at.NetNS))
	waited := h.waited()
	f.Headline = rule.T("%s does not read what %s (%d) sends: its receive window was closed %s of the time", reader, sender.Comm, sender.PID, unit.Share(min(waited.Seconds()/max(life.Seconds(), 1e-9), 1)))
	f.Impact = rule.Impact{TimeLost: perSecond(v, waited), Text: rule.T("%s closed on %s", unit.Duration(waited), plural(len(h.conns), "connection"))}
	s := h.at
	check := shell.Line("%s ss -tnpi 'sport = :%d and dport = :%d'   # Send-Q, notsent, rwnd_limited", v.EnterNetNS(s.NetNS), s.LocalPort, s.RemotePort)
	f.Evidence = append([]rule.Evidence{
		{Metric: metric.TCPRwndLimited, What: rule.T("to %s the reader's window held %s up for %s of %s", hostPort(s.Remote, s.RemotePort), sender.Comm, unit.Duration(s.limited), unit.Duration(s.life)),
			Value: s.limited.Seconds(), Check: check},
		{Metric: metric.TCPPeerWindow, What: rule.T("in %d of %d samples the window was closed, and nothing was under way; up to %s without a byte", s.closed, s.looks, unit.Duration(s.silent)),
			Value: float64(s.PeerWindow), Check: check},
	}, unread(v, s.Remote, s.RemotePort, s.Local, s.LocalPort)...)
	if !s.told {
		// What a queue of this host keeps back looks the same.
		f.Confidence = rule.Likely
		f.Headline = rule.T("%s seems not to read what %s (%d) sends: its receive window held that up %s of the time", reader, sender.Comm, sender.PID, unit.Share(min(waited.Seconds()/max(life.Seconds(), 1e-9), 1)))
		f.Impact.Text = rule.T("%s held up on %s", unit.Duration(waited), plural(len(h.conns), "connection"))
		f.Evidence[1] = rule.Evidence{Metric: metric.TCPSendQueue, Value: float64(s.SendQueue), Check: check,
			What: rule.T("in %d of %d samples data waited, and nothing was under way; up to %s without a byte; kernels before 5.4 do not tell how large the window is", s.closed, s.looks, unit.Duration(s.silent))}
	}
	f.Fixes = readerFixes(s.RemotePort, f.Subject.PID)
	return f
}
