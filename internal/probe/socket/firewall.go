package socket

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

const (
	// rulesPerNamespace bounds the rules looked at; a Kubernetes node has tens of
	// thousands, of which few drop anything. It has more chains than that, which cost less.
	rulesPerNamespace  = 20000
	chainsPerNamespace = 1 << 16

	// rulesTime is how long firewall rules are read in a sample, at its edges as in between.
	// Whoever may make a network namespace may load as many as memory holds.
	rulesTime = probe.Deadline / 5

	// rulesCPU is the CPU time meanwhile: an eighth less, for waits.
	rulesCPU = rulesTime / 8 * 7

	// rulesBytes bounds what the kernel tells of them meanwhile.
	rulesBytes = 32 << 20
)

// Messages of nftables, and what is before their attributes: struct nfgenmsg, which begins
// with the family (include/uapi/linux/netfilter/nfnetlink.h and nf_tables.h).
const (
	newChain = unix.NFNL_SUBSYS_NFTABLES<<8 | unix.NFT_MSG_NEWCHAIN
	getChain = unix.NFNL_SUBSYS_NFTABLES<<8 | unix.NFT_MSG_GETCHAIN
	newRule  = unix.NFNL_SUBSYS_NFTABLES<<8 | unix.NFT_MSG_NEWRULE
	getRule  = unix.NFNL_SUBSYS_NFTABLES<<8 | unix.NFT_MSG_GETRULE
	nfHeader = 4
)

// errNoTime ends the reading of rules that may be few.
var errNoTime = errors.New("no time")

// allowance is what may be spent on firewall rules in the rest of a sample.
type allowance struct {
	time   time.Duration
	cpu    time.Duration
	bytes  int
	spaces int // that it is for
}

func newAllowance(spaces int) allowance {
	return allowance{time: rulesTime, cpu: rulesCPU, bytes: rulesBytes, spaces: spaces}
}

// share is what one namespace may take. Half of it is for the own one; the others have the same
// each, so that none of them takes what the rest needs. Time is not shared out: the share of one
// of many namespaces is as short as a wait for a CPU, which says nothing about its rules.
func (a *allowance) share(own bool) (cpu time.Duration, bytes int) {
	n := max(a.spaces, 1)
	if own {
		n = min(n, 2)
	}
	return max(a.cpu, 0) / time.Duration(n), max(a.bytes, 0) / n
}

func (a *allowance) take(took, cpu time.Duration, bytes int) {
	a.time, a.cpu, a.bytes, a.spaces = a.time-took, a.cpu-cpu, a.bytes-bytes, a.spaces-1
}

// newRuleset is for the rules of a namespace, which are read from now on.
func (p *Probe) newRuleset(n *namespace) *ruleset {
	share, bytes := p.allowed.share(n.Own)
	return &ruleset{
		netns: n.NetNS, until: time.Now().Add(p.allowed.time), bytes: bytes,
		cpuTime: p.cpuTime, cpuUntil: p.cpuTime() + share,
	}
}

// rules reads the packet filter rules of a namespace that drop or reject.
func (p *Probe) rules(n *namespace, w *recording.Writer, missed *unseen) {
	began, cpu := time.Now(), p.cpuTime()
	set := p.newRuleset(n)
	size := set.bytes
	var err error
	if !notLoaded("/", "nf_tables") { // else there are none
		err = set.read(n.fd, p.buf)
	}
	used := p.cpuTime() - cpu
	n.ruling = max(used, 1) // as little as there is: it may fail at once
	p.allowed.take(time.Since(began), used, size-set.bytes)
	recording.Append(w, set.rows...)
	switch {
	case errors.Is(err, errEnough):
		w.LostFrom(p.Name(), recording.Firewall, len(set.rows)+1) // nobody knows how many: more than a few
		missed.rules++
		n.ruling = max(n.ruling, rulesBudget+1) // not in between
	case errors.Is(err, errNoTime):
		w.LostFrom(p.Name(), recording.Firewall, len(set.rows)+1)
		missed.rushed++
	case err != nil && !errors.Is(err, unix.ENOENT):
		missed.firewalls++
		missed.why = err
	}
}

// legacyTables says whether the tables of old iptables are in use in the
// namespace of the calling thread.
func legacyTables() bool {
	for _, file := range []string{"/proc/thread-self/net/ip_tables_names", "/proc/thread-self/net/ip6_tables_names"} {
		if b, err := os.ReadFile(file); err == nil && len(b) > 0 {
			return true
		}
	}
	return false
}

// ruleset collects the dropping rules and policies of all chains of a namespace.
type ruleset struct {
	netns    uint64
	until    time.Time // when reading ends
	bytes    int       // that may still be read
	cpuTime  func() time.Duration
	cpuUntil time.Duration // where it ends, too
	look     time.Time     // before that there is CPU time left

	seen   int            // of chains, then of rules
	hooked map[chain]bool // chains that the kernel calls
	in     chain          // of the last rule
	index  int32          // of that rule in it
	rows   []recording.FirewallRule
}

// chain names a chain.
type chain struct {
	family      byte
	table, name string
}

// read reads them in a namespace. Only its socket is opened there: the calling thread, which
// is a favoured one, does the rest. After errEnough and errNoTime the rows are those that came first.
func (s *ruleset) read(fd int, buf []byte) error {
	var conn *netlinkConn
	err := enter(fd, func() (err error) {
		conn, err = openNetlink(unix.NETLINK_NETFILTER, buf)
		return err
	})
	if err != nil {
		return err
	}
	defer conn.close()
	s.hooked = map[chain]bool{}
	if err := conn.ask(getChain, make([]byte, nfHeader), s.addChain); err != nil {
		return fmt.Errorf("list chains of nftables: %w", err)
	}
	s.seen = 0
	if err := conn.ask(getRule, make([]byte, nfHeader), s.addRule); err != nil {
		return fmt.Errorf("list rules of nftables: %w", err)
	}
	return nil
}

// more takes note of a message, and says when it is one too many.
func (s *ruleset) more(b []byte, most int) error {
	s.seen++
	s.bytes -= len(b)
	now := time.Now()
	switch {
	case s.seen > most || s.bytes < 0 || s.spent(now):
		return errEnough
	case now.After(s.until):
		return errNoTime
	}
	return nil
}

// spent says whether the CPU time is used up. It is looked at when as much time has passed as
// there was left of it: to ask for it takes longer than to read a rule.
func (s *ruleset) spent(now time.Time) bool {
	if now.Before(s.look) {
		return false
	}
	left := s.cpuUntil - s.cpuTime()
	s.look = now.Add(left)
	return left <= 0
}

// addChain takes a chain, with its policy where that drops what no rule took.
func (s *ruleset) addChain(b []byte) error {
	if err := s.more(b, chainsPerNamespace); err != nil || len(b) < nfHeader {
		return err
	}
	var table, name []byte
	var hooked, drops bool
	eachAttribute(b[nfHeader:], func(kind uint16, data []byte) {
		switch kind {
		case unix.NFTA_CHAIN_TABLE:
			table = untilNul(data)
		case unix.NFTA_CHAIN_NAME:
			name = untilNul(data)
		case unix.NFTA_CHAIN_HOOK:
			hooked = true
		case unix.NFTA_CHAIN_POLICY:
			drops = len(data) >= 4 && expr.VerdictKind(binary.BigEndian.Uint32(data)) == expr.VerdictDrop
		}
	})
	if !hooked {
		return nil // no policy either
	}
	c := chain{b[0], string(table), string(name)}
	s.hooked[c] = true
	if drops {
		row := s.row(c)
		row.Verdict, row.Match = "drop", "policy of the chain, for what no rule took"
		s.rows = append(s.rows, row)
	}
	return nil
}

// addRule takes a rule that drops or rejects. Most do not, which shows at a glance.
func (s *ruleset) addRule(b []byte) error {
	if err := s.more(b, rulesPerNamespace); err != nil || len(b) < nfHeader {
		return err
	}
	var table, name, exprs []byte
	var handle uint64
	eachAttribute(b[nfHeader:], func(kind uint16, data []byte) {
		switch kind {
		case unix.NFTA_RULE_TABLE:
			table = untilNul(data)
		case unix.NFTA_RULE_CHAIN:
			name = untilNul(data)
		case unix.NFTA_RULE_HANDLE:
			if len(data) >= 8 {
				handle = binary.BigEndian.Uint64(data)
			}
		case unix.NFTA_RULE_EXPRESSIONS:
			exprs = data
		}
	})
	if s.in.family != b[0] || s.in.table != string(table) || s.in.name != string(name) {
		s.in, s.index = chain{b[0], string(table), string(name)}, 0
	}
	s.index++
	if !mayDrop(exprs) {
		return nil
	}
	found, ok := ruleRow(expressions(b[0], exprs))
	if !ok {
		return nil
	}
	row := s.row(s.in)
	row.Verdict, row.Match, row.Random = found.Verdict, found.Match, found.Random
	row.Counted, row.Packets, row.Bytes = found.Counted, found.Packets, found.Bytes
	row.Handle, row.Index = handle, s.index
	s.rows = append(s.rows, row)
	return nil
}

// row says where a rule of a chain is.
func (s *ruleset) row(c chain) recording.FirewallRule {
	return recording.FirewallRule{
		At: time.Now(), NetNS: s.netns, Backend: backend(c, s.hooked[c]), Family: family(c.family), TableOf: c.table, Chain: c.name,
	}
}

// eachExpression walks the expressions of a rule.
func eachExpression(b []byte, visit func(name, data []byte)) {
	eachAttribute(b, func(_ uint16, b []byte) {
		var name, data []byte
		eachAttribute(b, func(kind uint16, value []byte) {
			switch kind {
			case unix.NFTA_EXPR_NAME:
				name = untilNul(value)
			case unix.NFTA_EXPR_DATA:
				data = value
			}
		})
		visit(name, data)
	})
}

// mayDrop says whether one of the expressions of a rule may drop or reject a packet.
func mayDrop(exprs []byte) (may bool) {
	eachExpression(exprs, func(name, data []byte) {
		switch string(name) {
		case "reject", "target":
			may = true
		case "immediate":
			if verdict, ok := verdictOf(data); ok && verdict == expr.VerdictDrop {
				may = true
			}
		}
	})
	return may
}

// verdictOf is the verdict that an immediate expression is; ok is false where it is a value.
func verdictOf(data []byte) (verdict expr.VerdictKind, ok bool) {
	eachAttribute(data, func(kind uint16, data []byte) {
		if kind != unix.NFTA_IMMEDIATE_DATA {
			return
		}
		eachAttribute(data, func(kind uint16, data []byte) {
			if kind != unix.NFTA_DATA_VERDICT {
				return
			}
			eachAttribute(data, func(kind uint16, data []byte) {
				if kind == unix.NFTA_VERDICT_CODE && len(data) >= 4 {
					verdict, ok = expr.VerdictKind(int32(binary.BigEndian.Uint32(data))), true
				}
			})
		})
	})
	return verdict, ok
}

// expressions reads those of a rule that words have a name for; of the others it gives the
// name that the kernel has.
func expressions(family byte, b []byte) (list []any) {
	eachExpression(b, func(name, data []byte) {
		var e expr.Any
		switch string(name) {
		case "immediate":
			if verdict, ok := verdictOf(data); ok {
				list = append(list, &expr.Verdict{Kind: verdict})
				return
			}
		case "byteorder", "log", "notrack", "objref": // they match nothing
			return
		case "reject":
			list = append(list, &expr.Reject{})
			return
		case "bitwise":
			e = &expr.Bitwise{}
		case "cmp":
			e = &expr.Cmp{}
		case "connlimit":
			e = &expr.Connlimit{}
		case "counter":
			e = &expr.Counter{}
		case "ct":
			e = &expr.Ct{}
		case "limit":
			e = &expr.Limit{}
		case "lookup":
			e = &expr.Lookup{}
		case "match":
			e = &expr.Match{}
		case "meta":
			e = &expr.Meta{}
		case "numgen":
			e = &expr.Numgen{}
		case "payload":
			e = &expr.Payload{}
		case "range":
			e = &expr.Range{}
		case "target":
			e = &expr.Target{}
		}
		if e == nil || expr.Unmarshal(family, data, e) != nil {
			list = append(list, string(name))
			return
		}
		list = append(list, e)
	})
	return list
}

// untilNul is the text of an attribute.
func untilNul(b []byte) []byte {
	text, _, _ := bytes.Cut(b, []byte{0})
	return text
}

// backend tells rules made by iptables from those made by nft: iptables-nft
// has tables of the old names with chains in upper case.
func backend(c chain, hooked bool) string {
	switch c.family {
	case unix.NFPROTO_IPV4, unix.NFPROTO_IPV6:
	default:
		return "nft"
	}
	switch c.table {
	case "filter", "nat", "mangle", "raw", "security":
		if !hooked || c.name == strings.ToUpper(c.name) {
			return "iptables-nft"
		}
	}
	return "nft"
}

func family(f byte) string {
	switch f {
	case unix.NFPROTO_IPV4:
		return "ip"
	case unix.NFPROTO_IPV6:
		return "ip6"
	case unix.NFPROTO_INET:
		return "inet"
	case unix.NFPROTO_BRIDGE:
		return "bridge"
	case unix.NFPROTO_NETDEV:
		return "netdev"
	case unix.NFPROTO_ARP:
		return "arp"
	}
	return fmt.Sprint(f)
}

// ruleRow turns the expressions of a rule into a row; ok is false for a rule
// that neither drops nor rejects.
func ruleRow(exprs []any) (row recording.FirewallRule, ok bool) {
	var words phrase
	for _, e := range exprs {
		switch e := e.(type) {
		case *expr.Counter:
			row.Counted, row.Packets, row.Bytes = true, e.Packets, e.Bytes
		case *expr.Verdict:
			if e.Kind == expr.VerdictDrop {
				row.Verdict = "drop"
			}
		case *expr.Reject:
			row.Verdict = "reject"
		case *expr.Target:
			switch e.Name {
			case "REJECT":
				row.Verdict = "reject"
			case "DROP":
				row.Verdict = "drop"
			}
		default:
			words.add(e)
		}
	}
	row.Match, row.Random = words.String(), words.random
	return row, row.Verdict != ""
}
