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

var receiverSlow = rule.Rule{
	ID:         "net/receiver-slow",
	Title:      "a program does not read the data it is sent",
	Plural:     "programs do not read the data they are sent",
	Resource:   "readers of data",
	NeedsAny:   []recording.Table{recording.TCPSockets, recording.PacketSides},
	Explains:   []string{"rt/client-slow", "rt/path-slow", "rt/server-slow", "rt/worker-queueing", "mysql/slow-reader", "net/sender-app-limited", "net/rate-limited"},
	Refutes:    []string{"clients", "readers of results"},
	Thresholds: []*rule.Threshold{&closedFor, &closedShare, &closedAtOnce, &closedLooks, &pktMissed},
	Seen:       pktData,
	Detect:     detectReceiverSlow,
}

var (
	closedFor = rule.Threshold{Name: "closed-for", Value: 0.2, Unit: "seconds", Source: "kernel, TCP_RTO_MIN (include/net/tcp.h)",
		Reason: "Total time of a closed window. Less may be a program that waited for CPU; senders probe a closed window after 200 ms (TCP_RTO_MIN) at the earliest."}
	closedShare = rule.Threshold{Name: "closed-share", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a connection's lifetime. Below it the reader mostly keeps up."}
)

// slowReader is one host that closed its window towards a service, or a service
// that did so towards its clients.
type slowReader struct {
	s        *view.PacketService
	server   bool // who reads
	address  string
	conns    []*view.PacketConnection
	closed   time.Duration
	episodes int64
	worst    *view.PacketConnection
}

// reads is what the reading side sent, windows included, and what the other
// side sent.
func (r *slowReader) reads(c *view.PacketConnection) (reader, writer *recording.PacketSide) {
	if r.server {
		return &c.FromServer, &c.FromClient
	}
	return &c.FromClient, &c.FromServer
}

func detectReceiverSlow(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	told := map[readerOf]bool{}
	for _, s := range v.PacketServices() {
		for _, r := range slowReaders(s) {
			found = append(found, r.finding(v))
			told[readerOf{r.address, s.Port}] = true
		}
	}
	for _, h := range heldUp(v) {
		if !told[readerOf{h.address, h.at.LocalPort}] && !told[readerOf{h.address, h.at.RemotePort}] {
			found = append(found, h.finding(v))
		}
	}
	return found, nil
}

// readerOf is a host that reads from, or at, the port of a service.
type readerOf struct {
	address string
	port    uint16
}

// slowReaders lists who kept a service waiting, or whom it kept waiting, the worst first.
func slowReaders(s *view.PacketService) []*slowReader {
	type key struct {
		server  bool
		address string
	}
	known := map[key]*slowReader{}
	var list []*slowReader
	for _, c := range s.Connections {
		for _, server := range []bool{false, true} {
			r := &slowReader{s: s, server: server, address: c.Client}
			if server {
				r.address = c.Server
			}
			side, _ := r.reads(c)
			if side.ZeroWindows == 0 || side.ZeroWindowTime.Seconds() < closedShare.Value*c.Seconds() && side.ZeroWindowTime < time.Duration(side.ZeroWindows)*closedAtOnce.Duration() ||
				side.ZeroWindowTime < time.Duration(side.ZeroWindows)*rule.ClosedEach {
				continue
			}
			k := key{server, r.address}
			if known[k] == nil {
				known[k] = r
				list = append(list, r)
			}
			r = known[k]
			r.conns = append(r.conns, c)
			r.closed += side.ZeroWindowTime
			r.episodes += side.ZeroWindows
			if r.worst == nil {
				r.worst = c
			} else if w, _ := r.reads(r.worst); side.ZeroWindowTime > w.ZeroWindowTime {
				r.worst = c
			}
		}
	}
	list = slices.DeleteFunc(list, func(r *slowReader) bool { return r.closed < closedFor.Duration() })
	slices.SortStableFunc(list, func(a, b *slowReader) int { return cmp.Compare(b.closed, a.closed) })
	return list
}

func (r *slowReader) finding(v *view.View) rule.Finding {
	f := rule.Finding{Subject: v.ClientEntity(r.worst), Confidence: pktAtMost(v, rule.Certain)}
	if r.server {
		f.Subject = v.ServiceEntity(r.s)
	}
	reader, writer := r.address, "the server "+r.s.Name()
	if f.Subject.Kind == view.KindProcess {
		reader = fmt.Sprintf("%s (%d) at %s", f.Subject.Name, f.Subject.PID, r.address)
	}
	if r.server {
		reader, writer = r.s.Name(), "its clients"
	}
	share := r.closed.Seconds() / max(r.life(), 1e-9)
	f.Headline = rule.T("%s does not read what %s sends: its receive window was closed %s of the time", reader, writer, unit.Share(min(share, 1)))
	f.Impact = rule.Impact{TimeLost: perSecond(v, r.closed), Text: rule.T("%s closed on %s", unit.Duration(r.closed), plural(len(r.conns), "connection"))}
	f.Evidence = r.evidence(v)
	f.Fixes = readerFixes(r.s.Port, f.Subject.PID)
	f.Affects = v.EndsOf(r.s, r.address)
	return f
}

// life is how long its connections lived.
func (r *slowReader) life() (seconds float64) {
	for _, c := range r.conns {
		seconds += c.Seconds()
	}
	return seconds
}

func (r *slowReader) evidence(v *view.View) []rule.Evidence {
	side, other := r.reads(r.worst)
	check := tshark(v, shell.Display("tcp.analysis.zero_window && %s && tcp.port == %d", pktHost("src", r.address), r.s.Port), view.IPField("src", r.address), view.IPField("dst", r.address), "tcp.window_size")
	list := []rule.Evidence{
		{Metric: metric.PacketsZeroWindow, What: rule.T("the window of %s was closed %d times, %s in total", r.address, r.episodes, unit.Duration(r.closed)),
			Value: r.closed.Seconds(), Limit: rule.Limit(0), Check: check},
		{Metric: metric.PacketsZeroWindow, What: rule.T("longest on %s: %s of %s", pktEnds(r.worst), unit.Duration(side.ZeroWindowTime), unit.Seconds(r.worst.Seconds())),
			Value: side.ZeroWindowTime.Seconds(), Check: check},
	}
	if other.WindowLimited > 0 {
		list = append(list, rule.Evidence{Metric: metric.PacketsWindowLimited, What: rule.T("for another %s the sender had filled the window", unit.Duration(other.WindowLimited)),
			Value: other.WindowLimited.Seconds(), Check: tshark(v, shell.Display("tcp.analysis.window_full && %s && tcp.port == %d", pktHost("dst", r.address), r.s.Port), view.IPField("src", r.address), view.IPField("dst", r.address))})
	}
	c := r.worst
	local, localPort, remote, remotePort := c.Client, uint16(c.ClientPort), c.Server, uint16(c.ServerPort)
	if r.server {
		local, localPort, remote, remotePort = remote, remotePort, local, localPort
	}
	return append(list, unread(v, local, localPort, remote, remotePort)...)
}

// unread says what lies in the sockets of the reader, whose end is the first one, and of
// the sender, as far as they are on this host.
func unread(v *view.View, local string, localPort uint16, remote string, remotePort uint16) (list []rule.Evidence) {
	if s, ok := v.ConnectionBetween(local, localPort, remote, remotePort); ok && s.RecvQueue > 0 {
		what := rule.T("%s are unread in the socket of the reader", unit.Bytes(s.RecvQueue))
		if s.RcvBuf > 0 { // headers of the kernel count, too
			what = rule.T("%s are unread in the socket of the reader, whose buffer of %s is %s full", unit.Bytes(s.RecvQueue), unit.Bytes(s.RcvBuf),
				unit.Share(min(float64(s.RmemAlloc)/float64(s.RcvBuf), 1)))
		}
		list = append(list, rule.Evidence{Metric: metric.TCPRecvQueue, What: what,
			Value: float64(s.RecvQueue), Check: shell.Line("%s ss -tnp 'sport = :%d'   # Recv-Q", v.EnterNetNS(s.NetNS), localPort)})
	}
	if s, ok := v.ConnectionBetween(remote, remotePort, local, localPort); ok && s.SendQueue > 0 {
		list = append(list, rule.Evidence{Metric: metric.TCPSendQueue, What: rule.T("%s wait in the socket of the sender", unit.Bytes(s.SendQueue)),
			Value: float64(s.SendQueue), Check: shell.Line("%s ss -tnp 'dport = :%d'   # Send-Q", v.EnterNetNS(s.NetNS), localPort)})
	}
	return list
}

// readerFixes are for the reader at a port whose process is pid; 0: it is not known.
func readerFixes(port uint16, pid int32) []rule.Fix {
	look := rule.Fix{Text: rule.T("find out what the reader does instead of reading: work between two rows, a lock, a full disk, a stopped process"), Tradeoff: "none"}
	look.Command = shell.Line("ss -tnpm '( sport = :%d or dport = :%d )'   # on the reader's host: which program it is, and its Recv-Q", port, port)
	if pid != 0 {
		look.Command, look.Tradeoff = shell.Line("cat /proc/%d/task/*/stack; strace -f -p %d", pid, pid), "strace slows it down while it is attached"
	}
	return []rule.Fix{
		look,
		{Text: rule.T("read the whole answer first and process it afterwards (a buffered result set), or fetch smaller pieces"), Tradeoff: "memory for the whole answer"},
		{Text: rule.T("limit how long the sender waits, so that one reader cannot hold its threads and locks (net_write_timeout, send_timeout)"), Tradeoff: "slow readers are disconnected"},
	}
}
