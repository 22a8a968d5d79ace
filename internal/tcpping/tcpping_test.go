package tcpping

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var host = netip.MustParseAddr("10.0.0.5")

// tries adds n tries of a kind with an answer, each of which sent syns.
func (s *Sums) tries(n int, k Kind, a Answer, syns int, change ...func(*Try)) *Sums {
	for range n {
		t := Try{Kind: k, Target: netip.AddrPortFrom(host, 80), Answer: a, SYNs: syns, Took: time.Millisecond, Timestamps: k == Whole && a == Accepted}
		if k == Closed {
			t.Target = netip.AddrPortFrom(host, 1)
		}
		for _, c := range change {
			c(&t)
		}
		s.Add(&t, netip.Addr{})
	}
	return s
}

func by(m ICMP) func(*Try) { return func(t *Try) { t.ICMP = &m } }

func TestVerdicts(t *testing.T) {
	router := netip.MustParseAddr("10.0.0.254")
	for _, c := range []struct {
		name string
		sums *Sums
		want string
	}{
		{"all answered", new(Sums).tries(10, Whole, Accepted, 1), "answers"},
		{"one SYN in a hundred lost", new(Sums).tries(99, Whole, Accepted, 1).tries(1, Whole, Accepted, 2), "answers"},
		{"all reset", new(Sums).tries(10, Whole, Refused, 0), "refused"},
		{"port unreachable by ICMP", new(Sums).tries(10, Whole, Refused, 0, by(ICMP{From: host, Type: 3, Code: 3})), "filtered"},
		{"prohibited by a router", new(Sums).tries(10, Whole, Unreachable, 0, by(ICMP{From: router, Type: 3, Code: 13})), "filtered"},
		{"prohibited by a router, IPv6", new(Sums).tries(10, Whole, Unreachable, 0, by(ICMP{From: router, IPv6: true, Type: 1, Code: 1})), "filtered"},
		{"no such host", new(Sums).tries(10, Whole, Unreachable, 0, by(ICMP{From: router, Type: 3, Code: 1})), "unreachable"},
		{"rejected, but a message a second at most", new(Sums).tries(7, Whole, Refused, 0, by(ICMP{From: host, Type: 3, Code: 3})).tries(12, Whole, Silence, 2), "filtered"},
		{"prohibited, but a message a second at most", new(Sums).tries(7, Whole, Unreachable, 0, by(ICMP{From: router, Type: 3, Code: 13})).tries(12, Whole, Silence, 2), "filtered"},
		{"some answered, some rejected, some silent", new(Sums).tries(7, Whole, Accepted, 1).tries(4, Whole, Unreachable, 0, by(ICMP{From: router, Type: 3, Code: 13})).tries(6, Whole, Silence, 2), "mixed"},
		{"refused, and some lost", new(Sums).tries(30, Whole, Refused, 0).tries(10, Whole, Silence, 2), "syns-lost"},
		{"silence", new(Sums).tries(10, Whole, Silence, 2), "no-answer"},
		{"silence, and the host is there", new(Sums).tries(10, Whole, Silence, 2).tries(10, Closed, Refused, 1), "queue-full"},
		{"some refused", new(Sums).tries(7, Whole, Accepted, 1).tries(3, Whole, Refused, 0), "mixed"},
		{"reset by one, rejected by another", new(Sums).tries(9, Whole, Refused, 0).tries(1, Whole, Unreachable, 0, by(ICMP{From: router, Type: 3, Code: 1})), "mixed"},
		{"nothing was sent", new(Sums).tries(3, Whole, Failed, 0), "failed"},
		{"lost, and nothing to compare with", new(Sums).tries(30, Whole, Accepted, 1).tries(10, Whole, Accepted, 2), "syns-lost"},
		{"lost on the way", new(Sums).tries(30, Whole, Accepted, 1).tries(10, Whole, Accepted, 2).tries(30, Plain, Accepted, 1).tries(10, Plain, Silence, 1).tries(32, Closed, Refused, 1).tries(8, Closed, Silence, 1), "syns-lost"},
		{"lost at this port only", new(Sums).tries(20, Whole, Accepted, 1).tries(20, Whole, Silence, 2).tries(20, Plain, Accepted, 1).tries(20, Plain, Silence, 1).tries(40, Closed, Refused, 1), "queue-full"},
		{"lost with timestamps only", new(Sums).tries(20, Whole, Accepted, 1).tries(20, Whole, Accepted, 3).tries(40, Plain, Accepted, 1).tries(40, Closed, Refused, 1), "paws"},
		{"lost, and closed ports are filtered", new(Sums).tries(20, Whole, Accepted, 1).tries(20, Whole, Accepted, 2).tries(20, Plain, Accepted, 1).tries(20, Plain, Silence, 1).tries(40, Closed, Silence, 1), "syns-lost"},
		{"too few to tell", new(Sums).tries(4, Whole, Accepted, 1).tries(3, Whole, Accepted, 2).tries(5, Plain, Accepted, 1).tries(5, Closed, Refused, 1), "syns-lost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := Judge(c.sums, Lookup{}, 80)
			if len(list) != 1 || list[0].Kind != c.want {
				t.Fatalf("%+v, want %s", list, c.want)
			}
		})
	}
}

func TestSlowLookup(t *testing.T) {
	for took, want := range map[time.Duration]int{5 * time.Second: 2, 30 * time.Millisecond: 1} {
		if list := Judge(new(Sums).tries(3, Whole, Accepted, 1), Lookup{Name: "db1", Took: took}, 80); len(list) != want {
			t.Errorf("%v: %+v", took, list)
		}
	}
}

func TestByChance(t *testing.T) {
	// Sums of hypergeometric probabilities: of 3 lost ones of 12 all are among 7 in 35 of 220 cases.
	for _, c := range []struct {
		lost, n, otherLost, otherN int
		want                       float64
	}{{10, 40, 0, 40, 0.000514}, {3, 7, 0, 5, 0.159}, {0, 10, 0, 10, 1}, {5, 10, 5, 10, 0.672}} {
		if p := byChance(c.lost, c.n, c.otherLost, c.otherN); p < 0.98*c.want || p > 1.02*c.want {
			t.Errorf("%+v: %v", c, p)
		}
	}
}

// A segment is one that sums up to nothing with its pseudo header.
func TestChecksum(t *testing.T) {
	for _, a := range []string{"10.0.0.5", "fd00::5"} {
		from, to := netip.MustParseAddr(a), netip.MustParseAddr(a).Next()
		p := segment(from, netip.AddrPortFrom(to, 80), 40000, 7)
		if rest := checksum(from, to, p); rest != 0 {
			t.Errorf("%s: %04x remains", a, rest)
		}
	}
}

func TestAnswerIn(t *testing.T) {
	reply := func(flags byte, ack uint32) []byte {
		p := make([]byte, 40)
		p[0] = 0x45
		p[20+13] = flags
		binary.BigEndian.PutUint32(p[20+8:], ack)
		return p
	}
	for _, c := range []struct {
		name string
		p    []byte
		want Answer
	}{
		{"SYN-ACK", reply(0x12, 8), Accepted}, {"reset", reply(0x14, 8), Refused}, {"of another SYN", reply(0x12, 9), ""}, {"bare ACK", reply(0x10, 8), ""},
		{"cut", reply(0x12, 8)[:39], ""}, {"empty", nil, ""}, {"a header that ends behind it", append([]byte{0x4f}, make([]byte, 39)...), ""},
	} {
		if a := answerIn(c.p, true, 7); a != c.want {
			t.Errorf("%s: %q", c.name, a)
		}
	}
}

func FuzzAnswerIn(f *testing.F) {
	f.Add(make([]byte, 40), true, uint32(0))
	f.Fuzz(func(t *testing.T, p []byte, hasIP bool, seq uint32) { answerIn(p, hasIP, seq) })
}

// ownHost is an address of loopback that no other test uses.
var ownHost = netip.MustParseAddr("127.83.21.1")

// listening is a port of which the accept queue has room for some connections.
func listening(t *testing.T, room int) netip.AddrPort {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		t.Cleanup(func() { unix.Close(fd) })
		err = errors.Join(unix.Bind(fd, sockaddr(netip.AddrPortFrom(ownHost, 0))), unix.Listen(fd, room))
	}
	if err != nil {
		t.Fatal(err)
	}
	a, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return netip.AddrPortFrom(ownHost, portOf(a))
}

func TestConnect(t *testing.T) {
	open := listening(t, 100)
	closed := netip.AddrPortFrom(ownHost, 1)
	full := listening(t, 0)
	first, err := net.Dial("tcp", full.String()) // the queue has room for one more than it is told
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	for _, c := range []struct {
		name   string
		target netip.AddrPort
		want   Answer
	}{{"a listener", open, Accepted}, {"nobody", closed, Refused}, {"a full queue", full, Silence}} {
		t.Run(c.name, func(t *testing.T) {
			try := Connect(t.Context(), netip.Addr{}, c.target, 1200*time.Millisecond)
			if try.Answer != c.want {
				t.Fatalf("%+v, want %s", try, c.want)
			}
			if c.want == Silence && try.Lost() < 1 {
				t.Errorf("no SYN got lost: %+v", try)
			}
			if os.Getuid() != 0 {
				return
			}
			if try := SYN(t.Context(), Plain, netip.Addr{}, c.target, time.Second); try.Answer != c.want {
				t.Errorf("a bare SYN: %+v", try)
			}
		})
	}
	try := Connect(t.Context(), netip.MustParseAddr("192.0.2.1"), open, time.Second)
	if try.Answer != Failed || try.Error == "" {
		t.Errorf("from an address of others: %+v", try)
	}
}

// A run ends soon after its context.
func TestRunEnds(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	p := Plan{Targets: []netip.AddrPort{listening(t, 100)}, Count: 1000, Interval: 50 * time.Millisecond, Patience: time.Second}
	n := 0
	if err := p.Run(ctx, func(*Try, netip.Addr) { n++ }); err != nil || n == 0 || n > 100 {
		t.Errorf("%d tries, %v", n, err)
	}
}
