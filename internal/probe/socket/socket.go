// Package socket is the probe of sockets and of everything that belongs to a
// network namespace: connections, listeners, UDP sockets, who holds them,
// protocol counters, interfaces, connection tracking, packet filter rules.
//
// Listeners are read in every sample. A dump of all connections costs about a
// microsecond per socket twice, in the kernel and here; when it costs more
// than its share, it is made only every few samples, the fewer the more
// connections rest, always in the first and the last one of a window.
package socket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/probe/netproc"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

const (
	// dumpBudget is the CPU time per sample that dumps of connections may take
	// on average, with what becomes of their rows.
	dumpBudget = 2 * time.Millisecond

	// costOfRow is the least that a row costs once it was read: a recording packs,
	// writes and sorts it, a verdict looks at it.
	costOfRow = 500 * time.Nanosecond

	// maxSkipped bounds how many samples go without such a dump.
	maxSkipped = 5

	// quietBudget is the same while no namespace counts a packet of TCP or UDP: what is read would be
	// what was read last. To pass the empty places of large tables takes longer.
	quietBudget = 200 * time.Microsecond

	// busyShare is the part of the connections that did something since the last
	// dump, below which the next one waits that long if it costs more than its share:
	// it would repeat almost all rows.
	busyShare = 0.05

	// maxConnections bounds the connections that are read of one namespace: twice as many as an
	// address has ports. A namespace may have millions.
	maxConnections = 2 << 16

	// maxListeners and maxDatagrams bound the listeners and the UDP sockets that are read of one
	// namespace: any user can bind as many as there are ports, and more with SO_REUSEPORT.
	maxListeners = 1 << 15
	maxDatagrams = 1 << 15

	// maxOfAll bounds those of all namespaces together: a row is some 300 bytes.
	maxOfAll = 2 * maxConnections

	// dumpTime is how long connections are read in a sample: one that takes until probe.Deadline
	// is given up with all that is in it.
	dumpTime = probe.Deadline * 2 / 5

	// namespaces is how many network namespaces are read.
	namespaces = 64

	// settingsEvery is how many samples pass between two readings of settings
	// and firewall rules inside a window; they are always read at its edges.
	settingsEvery = 30

	// rulesEvery is how many samples pass between two readings of firewall rules while a
	// connection waits for an answer: which of them drop packets meanwhile shows only by two
	// readings in a window. rulesBudget is the CPU time that it may take each time, by the
	// readings before.
	rulesEvery  = 3
	rulesBudget = 3 * time.Millisecond
)

// Probe reads sockets. It is not for concurrent use.
type Probe struct {
	census  *census.Census
	dir     *census.Dir
	all     []census.Entry
	known   map[census.Key]*holder
	inOrder []*holder // of the processes in all, or of the first of them
	spaces  map[uint64]*namespace
	order   []*namespace // those of this sample, in the order of readFirst
	own     uint64
	ownErr  error
	reader  *reader
	parser  netproc.Parser

	walker    *kernel.Sockets // nil: sock_diag is asked
	lastSpace *namespace      // of the row before

	files        *kernel.SocketFiles // nil: /proc/PID/fd is read
	holders      []kernel.SocketFile // of the last pass
	spareHolders []kernel.SocketFile // memory for the next one
	passed       int64               // passes so far
	lastPass     time.Time           // when the last one began
	passCost     time.Duration       // CPU time of the last pass
	awake        []awakeHolder       // memory for lookAtAwake
	unpassed     int64               // samples since

	buf     []byte
	cpuTime func() time.Duration // used by this thread: what budgets are held against

	samples int64
	closing bool
	last    time.Time
	cost    time.Duration // of the last dump of connections and of its rows
	skipped int
	dumped  int       // rows of the last dump by sock_diag
	until   time.Time // when the dump of this sample ends
	blocked bool      // connections of the last dump wait for an answer
	ruled   int64     // sample in which firewall rules were read last
	allowed allowance // for them in this sample
	restful bool      // the last walk found that hardly any connection did something
	traffic int64     // sum of packets of all namespaces, as the last sample counted them
	still   bool      // there were as many in the sample before

	tcp      []recording.TCPSample                  // by sock_diag
	resting  []recording.Again[recording.TCPSample] // by walks
	walked   map[kernel.SocketTable]*walkMemory
	udp      []recording.UDPSample
	listens  []recording.ListenerSample
	owners   []recording.SocketOwner
	held     map[uint64]struct{} // inodes that somebody held when scanned
	asker    *asker              // nil: name servers are not asked
	orphans  bool                // the last dump showed sockets that nobody is known to hold
	looked   bool                // orphans is up to date
	counters []recording.ProtocolSample
	devices  []recording.NetDeviceSample
	qdiscs   []recording.QdiscSample
}

// New makes the probe. Sockets are those of this machine; processes are read
// where the census reads them.
func New(c *census.Census) *Probe {
	dir := census.OpenDir(c.Root())
	own, err := ownNamespace()
	return &Probe{
		census: c, dir: dir, own: own, ownErr: err, known: map[census.Key]*holder{}, spaces: map[uint64]*namespace{}, held: map[uint64]struct{}{},
		reader: newReader(), buf: make([]byte, dumpBuffer), cpuTime: probe.ThreadCPU,
	}
}

// Name is the word users see.
func (p *Probe) Name() string { return "socket" }

// Brief says that samples wait for nobody.
func (p *Probe) Brief() {}

// Help says what it reads.
func (p *Probe) Help() string {
	return "TCP and UDP sockets, their owners, protocol counters, queues of interfaces, conntrack, firewall of every network namespace: sock_diag, rtnetlink, /proc/net, nftables"
}

// Fills lists the tables it writes.
func (p *Probe) Fills() []recording.Table {
	return []recording.Table{
		recording.TCPSockets, recording.Listeners, recording.UDPSockets, recording.SocketOwners, recording.NetNamespace,
		recording.Protocol, recording.NetDevices, recording.Qdiscs, recording.Conntrack, recording.Firewall, recording.Sysctls, recording.NameServers,
	}
}

// Start says whether sock_diag can be asked. Programs are loaded here, while the types of
// the kernel are at hand: they are given back with the second count of processes.
func (p *Probe) Start() error {
	if err := p.dir.Err(); err != nil {
		return &probe.MissingError{What: "/proc", How: "mount -t proc proc /proc", Err: err}
	}
	if p.ownErr != nil {
		return &probe.MissingError{What: "network namespaces", How: "use a kernel with CONFIG_NET_NS", Err: p.ownErr}
	}
	c, err := openDiag(p.buf)
	if err == nil {
		defer c.close()
		err = c.dump(unix.AF_INET, unix.IPPROTO_TCP, 0, 1<<recording.TCPListen, func([]byte) error { return nil })
	}
	if err == nil {
		p.openPrograms()
		return nil
	}
	how := "allow AF_NETLINK sockets to rtrail"
	if errors.Is(err, unix.ENOENT) {
		how = "modprobe tcp_diag"
	}
	return &probe.MissingError{What: "sock_diag", How: how, Err: err}
}

// Closing makes the next sample read as much as the first one did.
func (p *Probe) Closing() { p.closing = true }

// Close gives everything back.
func (p *Probe) Close() error {
	for _, n := range p.spaces {
		n.close()
	}
	p.closeWalker()
	p.closeHolders()
	p.spaces = map[uint64]*namespace{}
	return p.dir.Close()
}

// Sample reads all namespaces.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	edge := p.samples == 0 || p.closing
	if err := p.census.Share(500*time.Millisecond, edge, 0); err != nil {
		return err
	}
	p.all = p.census.Refresh(p.all)
	p.samples++
	var missed unseen
	p.findNamespaces(w, &missed)

	settings := edge || p.samples%settingsEvery == 0
	connections := p.dumpNow(edge)
	p.udp, p.listens = p.udp[:0], p.listens[:0]
	// The rows go to the recording. There will be about as many as last time.
	p.tcp, p.resting = nil, nil
	if connections {
		p.tcp = make([]recording.TCPSample, 0, p.dumped+p.dumped/64)
	}
	p.counters, p.devices, p.qdiscs = p.counters[:0], p.devices[:0], p.qdiscs[:0]
	began := p.cpuTime()
	p.lastSpace = nil
	p.beginDump()
	p.allowed = newAllowance(len(p.order))
	rules := p.rulesNow(settings)
	suspects := rules > 0 // also queues that there were none of
	p.walk(w, connections)
	spent := p.cpuTime() - began
	for _, n := range inTurn(p.spaces, rules) {
		if ctx.Err() == nil {
			p.rules(n, w, &missed)
		}
	}
	var failed error
	for _, n := range p.order {
		if ctx.Err() != nil {
			w.Lost(1)
			continue
		}
		if n.diag == nil {
			continue
		}
		began := p.cpuTime()
		if err := p.sockets(n, connections); err != nil && failed == nil {
			failed = fmt.Errorf("network namespace %d: %w", n.NetNS, err)
		}
		spent += p.cpuTime() - began
		w.LostFrom(p.Name(), recording.Listeners, n.listens.lost)
		w.LostFrom(p.Name(), recording.UDPSockets, n.udp.lost)
		if settings || !n.configured {
			p.settings(n, w, &missed)
		}
		if n.legacy {
			missed.legacy++
		}
		p.count(n, w, settings)
		if connections {
			w.LostFrom(p.Name(), recording.TCPSockets, n.unread(p.counters, p.listens))
		}
		if n.queues != nil && (settings || (n.queued > 0 || suspects) && n.queued <= queuesPerSample) {
			p.readQueues(n, w)
		}
	}
	if connections {
		p.blocked = p.waits()
		p.restful = p.rests()
		p.cost, p.dumped = spent+costOfRow*time.Duration(len(p.tcp)+len(p.resting)), len(p.tcp)
	}
	traffic, known := packets(p.counters)
	p.traffic, p.still = traffic, known && traffic == p.traffic
	recording.Append(w, p.udp...)
	recording.Append(w, p.listens...)
	recording.Append(w, p.counters...)
	recording.Append(w, p.devices...)
	recording.Append(w, p.qdiscs...)
	if p.asker != nil {
		recording.Append(w, p.asker.answers()...)
	}
	if !p.findHolders(w, edge) {
		p.findOwners(ctx, w, edge, &missed)
	}
	recording.Give(w, p.tcp) // from here on they are not ours
	recording.Repeat(w, p.resting, later)
	p.tcp, p.resting = nil, nil
	missed.report(w, p.Name())
	p.forget()
	p.closing, p.last = false, w.Started
	return failed
}

// rulesNow is what may be spent on firewall rules in this sample, besides those that are
// read with settings.
func (p *Probe) rulesNow(settings bool) time.Duration {
	due := p.blocked && p.samples-p.ruled >= rulesEvery
	if due || settings {
		p.ruled = p.samples
	}
	if due && !settings {
		return rulesBudget
	}
	return 0
}

// inTurn picks namespaces the firewall rules of which may be read for what may be spent. They are
// others each time: in the order in which namespaces are read, the last ones would never be.
func inTurn(spaces map[uint64]*namespace, budget time.Duration) (list []*namespace) {
	for _, n := range spaces { // in no order
		if n.diag != nil && n.configured && n.ruling > 0 && n.ruling <= budget {
			budget -= n.ruling
			list = append(list, n)
		}
	}
	return list
}

// waits says whether one of the connections that were dumped waits for an answer.
func (p *Probe) waits() bool {
	waits := func(s *recording.TCPSample) bool {
		return s.State == recording.TCPSynSent || max(s.Retransmits, s.Backoff) >= 2
	}
	for i := range p.tcp {
		if waits(&p.tcp[i]) {
			return true
		}
	}
	return slices.ContainsFunc(p.resting, func(a recording.Again[recording.TCPSample]) bool { return waits(a.Row) })
}

// packets sums up what moves with everything that happens to a connection or a UDP socket, but
// for reads of what has arrived. It is not known where TCP is not counted.
func packets(counters []recording.ProtocolSample) (sum int64, known bool) {
	for i := range counters {
		switch c := &counters[i]; c.Protocol {
		case "Tcp":
			switch c.Name {
			case "ActiveOpens", "PassiveOpens", "AttemptFails", "EstabResets", "CurrEstab", "InSegs", "OutSegs", "RetransSegs":
				sum, known = sum+c.Value, true
			}
		case "Udp", "Udp6":
			switch c.Name {
			case "InDatagrams", "NoPorts", "InErrors", "OutDatagrams":
				sum += c.Value
			}
		}
	}
	return sum, known
}

// dumpNow says whether connections are dumped in this sample.
func (p *Probe) dumpNow(edge bool) bool {
	wait := min(int(p.cost/dumpBudget), maxSkipped)
	if wait > 0 && p.restful || p.still && !p.blocked && p.cost > quietBudget {
		wait = maxSkipped
	}
	if edge || p.skipped >= wait {
		p.skipped = 0
		return true
	}
	p.skipped++
	return false
}

// beginDump forgets how far the last dump came.
func (p *Probe) beginDump() {
	p.until = time.Now().Add(dumpTime)
	for _, n := range p.spaces {
		n.rows, n.lost, n.cut = 0, 0, false
		n.listens, n.udp = limited{}, limited{}
	}
}

// limited counts rows of which no more than a number are taken.
type limited struct{ taken, lost int }

// take says whether one more is taken.
func (l *limited) take(limit int) bool {
	if l.taken >= limit {
		l.lost++
		return false
	}
	l.taken++
	return true
}

// Bits of states (1<<state) that dumps ask for.
const (
	listening = 1 << recording.TCPListen
	connected = 0xfff &^ listening &^ 1 // all others, SYN_RECV and TIME_WAIT included
	anyState  = 0xffffffff
)

// Extensions that dumps ask for: bit attribute-1.
const (
	withMemory = 1 << (attrMemory - 1)
	withAll    = 1<<(attrInfo-1) | withMemory
)

// sockets dumps one namespace, without the TCP sockets that walk has read.
func (p *Probe) sockets(n *namespace, connections bool) error {
	for _, family := range [...]uint8{unix.AF_INET, unix.AF_INET6} {
		if n.table == 0 {
			if err := p.streams(n, family, connections); err != nil {
				return err
			}
		}
		if !connections {
			continue
		}
		if err := p.datagrams(n, family); err != nil {
			return err
		}
	}
	return nil
}

// streams dumps TCP sockets.
func (p *Probe) streams(n *namespace, family uint8, connections bool) error {
	err := n.diag.dump(family, unix.IPPROTO_TCP, withMemory, listening, func(b []byte) error {
		row := recording.TCPSample{At: time.Now(), NetNS: n.NetNS}
		if p.reader.tcp(b, &row) && n.listens.take(maxListeners) {
			p.listens = append(p.listens, listener(&row))
		}
		return nil
	})
	if err != nil || !connections || n.cut {
		return err
	}
	return p.connections(n, family)
}

func (p *Probe) connections(n *namespace, family uint8) error {
	at := time.Now()
	err := n.diag.dump(family, unix.IPPROTO_TCP, withAll, connected, func(b []byte) error {
		if n.rows >= maxConnections || len(p.tcp) >= maxOfAll {
			return errEnough
		}
		if n.rows%256 == 255 { // the first ones are read in any case
			if at = time.Now(); at.After(p.until) {
				return errEnough
			}
		}
		n.rows++
		p.tcp = append(p.tcp, recording.TCPSample{At: at, NetNS: n.NetNS})
		if row := &p.tcp[len(p.tcp)-1]; !p.reader.tcp(b, row) {
			p.tcp = p.tcp[:len(p.tcp)-1]
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		n.cut, n.lost = true, 1 // at least
		return n.reopen(p.buf)
	}
	return err
}

func (p *Probe) datagrams(n *namespace, family uint8) error {
	at := time.Now()
	err := n.diag.dump(family, unix.IPPROTO_UDP, withMemory, anyState, func(b []byte) error {
		row := recording.UDPSample{At: at, NetNS: n.NetNS}
		if p.reader.udp(b, &row) && n.udp.take(maxDatagrams) {
			p.udp = append(p.udp, row)
		}
		return nil
	})
	if errors.Is(err, unix.ENOENT) {
		return nil // kernel without udp_diag
	}
	return err
}

// forget drops what is kept of processes that ended.
func (p *Probe) forget() {
	p.inOrder = p.inOrder[:min(len(p.inOrder), len(p.all))]
	if len(p.known) == len(p.all) {
		return // all who were there still are
	}
	for k, h := range p.known {
		if h.round != p.samples {
			delete(p.known, k)
		}
	}
}

// unseen counts what permissions kept from the probe in one sample.
type unseen struct {
	files, processes, spaces, tooMany, firewalls int
	legacy, rules, rushed                        int
	why                                          error
}

func (u unseen) report(w *recording.Writer, name string) {
	asRoot := census.MoreSight()
	note := func(what string, n int, why, how string) {
		if n > 0 {
			w.Unseen(name, what, n, why, how)
		}
	}
	denied := fs.ErrPermission.Error()
	const showRules = "nft list ruleset shows them, run in the network namespace"
	note("sockets held by processes of other users", u.files, denied, asRoot)
	note("network namespaces of processes of other users", u.processes, denied, asRoot)
	why := ""
	if u.why != nil {
		why = u.why.Error()
	}
	note("sockets and counters of other network namespaces", u.spaces, why, asRoot)
	note("network namespaces", u.tooMany, fmt.Sprintf("more than %d", namespaces), "run rtrail inside of the namespace: ip netns exec NAME rtrail")
	note(string(recording.UnseenPacketFilter), u.firewalls, why, asRoot)
	note(string(recording.UnseenPacketFilter), u.rules, fmt.Sprintf("there are more than are read: for %v in each sample, and %d of a network namespace at most", unit.Duration(rulesTime), rulesPerNamespace), showRules)
	note(string(recording.UnseenPacketFilter), u.rushed, fmt.Sprintf("there was no time to read them: rtrail waited for a CPU, and reads them for %v in each sample at most", unit.Duration(rulesTime)), showRules)
	note("rules of legacy iptables", u.legacy, "rtrail reads nftables, which iptables-nft uses too", "iptables-legacy -nvL shows them; iptables-legacy-save and iptables-nft-restore move them")
}
