package net

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// datagrams is a UDP socket and its namespace, by what happens a second.
type datagrams struct {
	read, full, refused float64 // datagrams; refused ones by a filter
	queued              uint32  // bytes at each reading
	everyOther          bool    // at every other one
	unowned             bool
	others              float64 // dropped by another socket
}

func (d datagrams) host() *ruletest.Host {
	h := ruletest.New(2, 10)
	const buffer = 212992
	h.Readings(func(at time.Time, s float64) {
		for name, rate := range map[string]float64{"InDatagrams": d.read, "InErrors": d.full + d.refused + d.others, "RcvbufErrors": d.full} {
			ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: name, Value: 1e6 + int64(rate*s)})
		}
		queued := d.queued
		if d.everyOther && int(s)%4 != 0 {
			queued = 0
		}
		ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "0.0.0.0", LocalPort: 8125, Inode: 77, RcvBuf: buffer, RecvQueue: queued, Drops: 5 + uint32((d.full+d.refused)*s)})
		ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "0.0.0.0", LocalPort: 53, Inode: 78, RcvBuf: buffer, Drops: uint32(d.others * s)})
	})
	if !d.unowned {
		owns(h, 77, 70, "statsd")
	}
	return h
}

func TestUDPBuffer(t *testing.T) {
	var list []ruletest.Situation
	for _, c := range []struct {
		name string
		d    datagrams
		want rule.Confidence
	}{
		{"bursts", datagrams{read: 1000, full: 200}, rule.Certain},
		{"a slow reader", datagrams{read: 1000, full: 200, queued: 212000}, rule.Certain},
		{"nobody is known to hold it", datagrams{read: 1000, full: 200, unowned: true}, rule.Likely},
		{"few of many", datagrams{read: 100_000, full: 200}, rule.Possible},
		{"next to none of many", datagrams{read: 1_000_000, full: 200}, 0},
		{"one burst", datagrams{read: 1000, full: 0.8}, 0},
		{"a filter refuses", datagrams{read: 1000, refused: 200}, 0},
		{"a filter refuses, and another socket's buffer is full", datagrams{read: 1000, refused: 200, others: 300}, 0},
		{"full without loss", datagrams{read: 1000, queued: 212000}, 0},
		{"all is read", datagrams{read: 1000}, 0},
	} {
		x := ruletest.Situation{Name: c.name, Host: c.d.host, Want: c.want, Kind: "process", Subject: "statsd", High: 0.2, Proof: "RcvbufErrors +2,000"}
		if c.d.unowned {
			x.Kind, x.Subject = "listener", "an unknown process"
		}
		list = append(list, x)
	}
	ruletest.Check(t, udpBuffer, list)
}

// What the kernel tells of a full buffer says whose loss it is, and what makes the buffer larger.
func TestUDPBufferTold(t *testing.T) {
	for _, c := range []struct {
		name            string
		buffer, allowed int64
		set             bool
		says, command   string
	}{
		{"a default", 212992, 4 << 20, false, "the program does not set it", "sysctl -w net.core.rmem_default=8388608"},
		{"a small one", 212992, 4 << 20, true, "SO_RCVBUF 104 KiB, doubled by the kernel); net.core.rmem_max allows 4 MiB", ""},
		{"a small one, and little more is allowed", 212992, 212992, true, "net.core.rmem_max allows 208 KiB", "sysctl -w net.core.rmem_max=8388608"},
		{"cut", 212992, 106496, true, "all that net.core.rmem_max (104 KiB", "sysctl -w net.core.rmem_max=8388608"},
		{"cut at much", 212992, 0, true, "set by the program (SO_RCVBUF)", "sysctl -w net.core.rmem_max=8388608"},
	} {
		// Without what the kernel tells, the other socket may have lost all of it.
		h := datagrams{read: 1000, full: 200, refused: 10, others: 300}.host()
		ruletest.Every(h, func(at time.Time, _ float64) recording.ReceiveBuffer {
			return recording.ReceiveBuffer{At: at, Span: time.Second, Kind: recording.BufferFull, NetNS: 1, Protocol: "udp", LocalPort: 8125, Inode: 77, Times: 200, Buffer: c.buffer, Largest: c.buffer, Set: c.set}
		})
		if c.allowed > 0 {
			ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, Name: "net.core.rmem_max", Value: strconv.FormatInt(c.allowed, 10)})
		}
		f := ruletest.Judge(t, h, udpBuffer, rule.Certain)[0]
		proof := f.Evidence[len(f.Evidence)-1].What.String()
		if f.Subject.Name != "statsd" || !strings.Contains(proof, "full 1") && !strings.Contains(proof, "full 2") || !strings.Contains(proof, c.says) || f.Fixes[0].Command.String() != c.command {
			t.Errorf("%s: %v: %s: %s", c.name, f.Subject, proof, f.Fixes[0].Command)
		}
	}
}

// TestUDPBufferAdvice tells bursts from a reader that does not keep up.
func TestUDPBufferAdvice(t *testing.T) {
	for _, c := range []struct {
		d               datagrams
		headline, first string
	}{
		{datagrams{read: 1000, full: 200, queued: 212000, everyOther: true}, "bursts are larger", "SO_RCVBUF"},
		{datagrams{read: 1000, full: 200, queued: 212000}, "more slowly", "read faster"},
	} {
		f := ruletest.Judge(t, c.d.host(), udpBuffer, rule.Certain)[0]
		if !strings.Contains(f.Headline.String(), c.headline) || !strings.Contains(f.Fixes[0].Text.String(), c.first) {
			t.Errorf("%s; %s", f.Headline, f.Fixes[0].Text)
		}
	}
}

// A small share of a busy namespace's datagrams may be all that one program gets; a larger one may
// be a single burst.
func TestUDPBufferByWhatIsLost(t *testing.T) {
	for _, c := range []struct {
		name        string
		read, drops float64 // datagrams a second
		at          float64 // if not 0, all of these are lost in the second before
		queue       func(s float64) uint32
		want        rule.Confidence
	}{
		{"a reader that does not keep up, beside much other traffic", 1_000_000, 200, 0, func(s float64) uint32 { return 212000 + uint32(s)%2*500 }, rule.Likely},
		{"a socket that nobody reads, beside much other traffic", 1_000_000, 200, 0, func(float64) uint32 { return 212000 }, rule.Possible},
		{"as few in bursts", 1_000_000, 200, 0, func(float64) uint32 { return 0 }, 0},
		{"30 of 1,000, all at once", 97, 3, 4, func(float64) uint32 { return 0 }, rule.Possible},
		{"30 of 1,000, again and again", 97, 3, 0, func(float64) uint32 { return 0 }, rule.Certain},
		{"half of the window's datagrams, all at once", 500, 500, 4, func(float64) uint32 { return 0 }, rule.Certain},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			owns(h, 77, 70, "statsd")
			h.Readings(func(at time.Time, s float64) {
				lost := c.drops * s
				if c.at > 0 {
					lost = 0
					if s >= c.at {
						lost = c.drops * h.Seconds
					}
				}
				for name, n := range map[string]float64{"InDatagrams": c.read * s, "InErrors": lost, "RcvbufErrors": lost} {
					ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: name, Value: 1e6 + int64(n)})
				}
				ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "0.0.0.0", LocalPort: 8125, Inode: 77, RcvBuf: 212992, RecvQueue: c.queue(s), Drops: 5 + uint32(lost)})
			})
			ruletest.Judge(t, h, udpBuffer, c.want)
		})
	}
}

// Sockets of one program that share a port lose together; those of other programs or ports do not.
func TestUDPBufferOfSharedPort(t *testing.T) {
	const sockets = 32
	steadily := func(s float64) uint32 { return uint32(9 * s) }
	one := func(int) string { return "unbound" }
	for _, c := range []struct {
		name    string
		program func(i int) string // "": not known
		port    func(i int) uint16
		lost    func(s float64) uint32 // by each, until a second
		step    time.Duration          // between readings
		want    rule.Confidence
	}{
		{"32 sockets of one port lose 3 % together, in bursts", one, func(int) uint16 { return 53 }, steadily, time.Second, rule.Certain},
		{"the same, read often", one, func(int) uint16 { return 53 }, steadily, 200 * time.Millisecond, rule.Certain},
		{"3 % of 32 sockets, all at once", one, func(int) uint16 { return 53 }, func(s float64) uint32 {
			if s < 4 {
				return 0
			}
			return 90
		}, time.Second, rule.Possible},
		{"32 programs of one port", func(i int) string { return "unbound" + strconv.Itoa(i) }, func(int) uint16 { return 53 }, steadily, time.Second, 0},
		{"32 sockets of one port, of programs that are not known", func(int) string { return "" }, func(int) uint16 { return 53 }, steadily, time.Second, 0},
		{"32 ports of one program", one, func(i int) uint16 { return uint16(5000 + i) }, steadily, time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			h.Step = c.step
			for i := range sockets {
				if program := c.program(i); program != "" {
					owns(h, uint64(100+i), int32(200+i), program)
				}
			}
			h.Readings(func(at time.Time, s float64) {
				lost := sockets * int64(c.lost(s))
				for name, n := range map[string]int64{"InDatagrams": int64(9700 * s), "InErrors": lost, "RcvbufErrors": lost} {
					ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: name, Value: 1e6 + n})
				}
				for i := range sockets {
					ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "0.0.0.0", LocalPort: c.port(i), Inode: uint64(100 + i), RcvBuf: 212992, Drops: 5 + c.lost(s)})
				}
			})
			found := ruletest.Judge(t, h, udpBuffer, c.want)
			if c.want == 0 {
				return
			}
			if proof := found[0].Evidence[0].What.String(); len(found) != 1 || !strings.HasPrefix(proof, "32 sockets of the port dropped 2,880 datagrams") {
				t.Errorf("%d findings: %s", len(found), proof)
			}
		})
	}
}

// overrunAt adds a socket that drops datagrams, of those that come to its namespace, to a host.
func overrunAt(h *ruletest.Host, local string, read, lost float64) *ruletest.Host {
	owns(h, 77, 80, "dnsmasq")
	h.Readings(func(at time.Time, s float64) {
		for name, rate := range map[string]float64{"InDatagrams": read, "InErrors": lost, "RcvbufErrors": lost} {
			ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: name, Value: 1e6 + int64(rate*s)})
		}
		ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: local, LocalPort: 53, Inode: 77, RcvBuf: 212992, Drops: 5 + uint32(lost*s)})
	})
	return h
}

// Who waits for a name server that loses queries counts, however many other datagrams come.
func TestUDPBufferOfANameServer(t *testing.T) {
	const many = 1_000_000
	wait := func(local, remote string, read, lost float64, waits ...float64) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 10).Process(ruletest.Process{PID: 70, Comm: "app"})
			from := 0.5
			for i, w := range waits {
				h.Readings(func(at time.Time, s float64) {
					if s >= from && s <= from+w {
						ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "127.0.0.1", LocalPort: uint16(40000 + i), Remote: remote, RemotePort: 53, Inode: uint64(100 + i)})
						ruletest.Add(h, recording.SocketOwner{At: at, Inode: uint64(100 + i), PID: 70, FD: 3})
						ruletest.Add(h, recording.ThreadSample{At: at, PID: 70, TID: 70, Comm: "app", State: "S", SyscallName: "poll", Slices: int64(i + 1)})
					}
				})
				from += w
			}
			return overrunAt(h, local, read, lost)
		}
	}
	captured := func(local string, read, lost float64, repeated int, change func(*recording.PacketResolver)) func() *ruletest.Host {
		return func() *ruletest.Host {
			return overrunAt(dnsHost(10_000, repeated, 0, 0, change)(), local, read, lost)
		}
	}
	ruletest.Check(t, udpBuffer, []ruletest.Situation{
		{Name: "lookups of this host wait", Host: wait("127.0.0.1", "127.0.0.1", many, 20, 4, 4), Want: rule.Likely, Kind: view.KindProcess, Subject: "dnsmasq", Low: 0.59, High: 0.81,
			Proof: "2 lookups of programs of this host received nothing from it for up to 3 s"},
		{Name: "the same, at all addresses", Host: wait("0.0.0.0", "127.0.0.1", many, 20, 4, 4), Want: rule.Likely, Kind: view.KindProcess, Subject: "dnsmasq", Low: 0.59, High: 0.81},
		{Name: "lookups wait for another server", Host: wait("127.0.0.1", "10.0.0.53", many, 20, 4, 4)},
		{Name: "lookups wait now and then", Host: wait("127.0.0.1", "127.0.0.1", many, 20, 4)},
		{Name: "nobody waits", Host: wait("127.0.0.1", "127.0.0.1", many, 20)},
		{Name: "a share that counts by itself", Host: wait("127.0.0.1", "127.0.0.1", 1000, 20, 4, 4), Want: rule.Certain, Kind: view.KindProcess, Subject: "dnsmasq", Low: 0.59, High: 0.81},
		{Name: "clients repeat what is lost", Host: captured("10.0.0.2", many, 20, 100, nil), Want: rule.Likely, Kind: view.KindProcess, Subject: "dnsmasq", Low: 49, High: 51,
			Proof: "clients repeat 100 of 10,000 queries to it"},
		{Name: "clients repeat twice as many as were dropped", Host: captured("10.0.0.2", many, 20, 400, nil), Want: rule.Likely, Kind: view.KindProcess, Subject: "dnsmasq", Low: 99, High: 101},
		{Name: "queries without an answer that nobody repeats", Host: captured("10.0.0.2", many, 20, 0, func(r *recording.PacketResolver) {
			r.Unanswered, r.Waited = 20, 100*time.Second
		})},
		{Name: "clients of another address repeat", Host: captured("10.0.0.9", many, 20, 100, nil)},
	})
}
