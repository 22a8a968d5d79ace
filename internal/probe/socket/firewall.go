package socket

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

// rulesPerNamespace bounds the rules looked at; a Kubernetes node has tens of
// thousands, of which few drop anything.
const rulesPerNamespace = 20000

// rules reads the packet filter rules of a namespace that drop or reject.
func (p *Probe) rules(n *namespace, w *recording.Writer, missed *unseen) {
	var rows []recording.FirewallRule
	lost := 0
	n.ruling = 1 // as little as there is: it may fail at once
	err := enter(n.fd, func() error {
		began := p.cpuTime()
		defer func() { n.ruling = max(p.cpuTime()-began, 1) }()
		if legacyTables() {
			n.legacy = true
		}
		conn, err := nftables.New(nftables.AsLasting())
		if err != nil {
			return fmt.Errorf("open nftables: %w", err)
		}
		defer func() { _ = conn.CloseLasting() }()
		rows, lost, err = dropRules(conn)
		return err
	})
	for i := range rows {
		rows[i].NetNS = n.NetNS
	}
	w.LostFrom(p.Name(), recording.Firewall, lost)
	recording.Append(w, rows...)
	if err != nil && !errors.Is(err, unix.ENOENT) {
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

// dropRules lists the dropping rules and policies of all chains.
func dropRules(conn *nftables.Conn) (rows []recording.FirewallRule, lost int, err error) {
	chains, err := conn.ListChains()
	if err != nil {
		return nil, 0, fmt.Errorf("list chains of nftables: %w", err)
	}
	seen := 0
	for _, c := range chains {
		if c.Table == nil {
			continue
		}
		if row, ok := policyRow(c); ok {
			rows = append(rows, row)
		}
		if seen >= rulesPerNamespace {
			lost++
			continue
		}
		rules, err := conn.GetRules(c.Table, c)
		if err != nil {
			lost++ // changed meanwhile, or holds what the library cannot read
			continue
		}
		seen += len(rules)
		for i, r := range rules {
			row, ok := ruleRow(r.Exprs)
			if !ok {
				continue
			}
			row.At = time.Now()
			row.Family, row.TableOf, row.Chain = family(c.Table.Family), c.Table.Name, c.Name
			row.Backend = backend(c)
			row.Handle, row.Index = r.Handle, int32(i+1)
			rows = append(rows, row)
		}
	}
	return rows, lost, nil
}

// policyRow is the row of a chain that drops what none of its rules took.
func policyRow(c *nftables.Chain) (recording.FirewallRule, bool) {
	if c.Policy == nil || *c.Policy != nftables.ChainPolicyDrop {
		return recording.FirewallRule{}, false
	}
	return recording.FirewallRule{
		At: time.Now(), Backend: backend(c), Family: family(c.Table.Family), TableOf: c.Table.Name, Chain: c.Name,
		Verdict: "drop", Match: "policy of the chain, for what no rule took",
	}, true
}

// backend tells rules made by iptables from those made by nft: iptables-nft
// has tables of the old names with chains in upper case.
func backend(c *nftables.Chain) string {
	switch c.Table.Family {
	case nftables.TableFamilyIPv4, nftables.TableFamilyIPv6:
	default:
		return "nft"
	}
	switch c.Table.Name {
	case "filter", "nat", "mangle", "raw", "security":
		if c.Hooknum == nil || c.Name == strings.ToUpper(c.Name) {
			return "iptables-nft"
		}
	}
	return "nft"
}

func family(f nftables.TableFamily) string {
	switch f {
	case nftables.TableFamilyIPv4:
		return "ip"
	case nftables.TableFamilyIPv6:
		return "ip6"
	case nftables.TableFamilyINet:
		return "inet"
	case nftables.TableFamilyBridge:
		return "bridge"
	case nftables.TableFamilyNetdev:
		return "netdev"
	case nftables.TableFamilyARP:
		return "arp"
	}
	return fmt.Sprint(byte(f))
}

// ruleRow turns the expressions of a rule into a row; ok is false for a rule
// that neither drops nor rejects.
func ruleRow(exprs []expr.Any) (row recording.FirewallRule, ok bool) {
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
