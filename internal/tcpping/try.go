// Package tcpping connects to a TCP port again and again, and says what answers: the
// service, its host, a filter on the way, or nobody.
package tcpping

import (
	"fmt"
	"net/netip"
	"time"
)

// Answer is what came back for a connect.
type Answer string

// What may come back.
const (
	Accepted    Answer = "SYN-ACK" // the host of the service agreed; its program need not know yet
	Refused     Answer = "RST"     // nothing listens there, or a filter answers so
	Unreachable Answer = "ICMP"    // a router, a filter or this host says that it cannot be reached
	Silence     Answer = "nothing"
	Failed      Answer = "error" // of this host: nothing was sent
)

// Kind is what is sent.
type Kind string

// What may be sent. A bare SYN is one packet, whose answer this host's kernel resets: no
// program at the other end sees it.
const (
	Whole  Kind = "connect"            // the kernel of this host connects, and repeats SYNs
	Plain  Kind = "without timestamps" // a bare SYN without TCP timestamps
	Closed Kind = "closed port"        // a bare SYN to a port on which nothing should listen
)

// Try is one connect, or one bare SYN.
type Try struct {
	Seq    int // from 1
	Kind   Kind
	At     time.Time      // when it began
	Source netip.Addr     // this host's end; invalid if nothing was sent
	Target netip.AddrPort // the other end
	Answer Answer
	Took   time.Duration // until the answer, or until it was given up
	SYNs   int           // sent until then; 0: not known
	// Timestamps says that both ends use TCP timestamps (RFC 7323); of accepted ones.
	Timestamps bool
	ICMP       *ICMP  // of Unreachable, and of Refused by such a message
	Error      string // of Failed
}

// Lost is how many SYNs, or the answers to them, got lost on the way to the last one, as far
// as one can tell: all but the last, and that one too if nothing came back.
func (t *Try) Lost() int {
	if t.Answer == Silence {
		return t.SYNs
	}
	return max(t.SYNs-1, 0)
}

// ICMP is a message that says why a packet was not delivered.
type ICMP struct {
	From netip.Addr // who sent it; invalid: this host
	IPv6 bool
	Type uint8
	Code uint8
	// NoNeighbour says that this host waited for an answer to ARP or neighbour discovery, and
	// none came.
	NoNeighbour bool
}

// icmpWords are the codes of Destination Unreachable, of ICMP (RFC 792, 1812) and ICMPv6 (RFC 4443).
var icmpWords = map[bool]map[uint8]string{
	false: {0: "network unreachable", 1: "host unreachable", 2: "protocol unreachable", 3: "port unreachable", 4: "fragmentation needed",
		9: "network administratively prohibited", 10: "host administratively prohibited", 13: "communication administratively prohibited"},
	true: {0: "no route", 1: "communication administratively prohibited", 2: "beyond scope of source address", 3: "address unreachable", 4: "port unreachable",
		5: "source address failed policy", 6: "route rejected"},
}

// Filters says that a message of this kind comes from a packet filter.
func (m *ICMP) Filters() bool {
	if m.IPv6 {
		return m.Type == 1 && (m.Code == 1 || m.Code == 4 || m.Code == 5 || m.Code == 6)
	}
	return m.Type == 3 && (m.Code == 2 || m.Code == 3 || m.Code == 9 || m.Code == 10 || m.Code == 13)
}

func (m *ICMP) String() string {
	from := "this host: "
	if m.From.IsValid() {
		from = m.From.String() + ": "
	}
	unreachable := uint8(3)
	if m.IPv6 {
		unreachable = 1
	}
	if words := icmpWords[m.IPv6][m.Code]; m.Type == unreachable && words != "" {
		if m.NoNeighbour {
			words += ", nobody answers ARP or neighbour discovery there"
		}
		return from + words
	}
	return fmt.Sprintf("%sICMP type %d code %d", from, m.Type, m.Code)
}
