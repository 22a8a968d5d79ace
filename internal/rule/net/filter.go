package net

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// filter is one packet filter rule that drops or rejects, over the window.
type filter struct {
	recording.FirewallRule
	packets float64 // that it took in the window
	seconds float64 // between the first and the last reading
}

// filters lists the rules that took packets in the window, as their counters say.
func filters(v *view.View) []filter {
	return view.Memo(v, "net/filters", func() []filter {
		var list []filter
		for _, rows := range readingsOf(v) {
			f := filter{FirewallRule: rows[len(rows)-1], seconds: view.Elapsed(rows).Seconds()}
			f.packets, _ = view.Delta(rows, func(r recording.FirewallRule) uint64 { return r.Packets })
			if f.Counted && f.packets > 0 && f.seconds > 0 {
				list = append(list, f)
			}
		}
		if len(list) > maxFilters {
			slices.SortStableFunc(list, func(a, b filter) int { return cmp.Compare(b.packets, a.packets) })
			list = list[:maxFilters]
		}
		return list
	})
}

const (
	// maxFilters is how many rules that took packets are judged, those that took most. Any user can make
	// more in a network namespace of his own, and each is compared with all connections that wait.
	maxFilters = 200
	// maxRivals is how many rules of a namespace are compared with a drop to find the only one that fits.
	maxRivals = 1000
	// maxDropped is of how many kinds of dropped packets that is found, those with most packets.
	maxDropped = 500
)

// readingsOf lists the rules that drop or reject, with the readings of each.
func readingsOf(v *view.View) [][]recording.FirewallRule {
	type key struct {
		ns                     uint64
		backend, family, table string
		chain                  string
		handle                 uint64
		index                  int32
	}
	keys, series := view.Group(view.Rows[recording.FirewallRule](v), func(r recording.FirewallRule) key {
		k := key{r.NetNS, r.Backend, r.Family, r.TableOf, r.Chain, r.Handle, 0}
		if r.Handle == 0 {
			k.index = r.Index
		}
		return k
	})
	list := make([][]recording.FirewallRule, len(keys))
	for i, k := range keys {
		list[i] = series[k]
	}
	return list
}

// uncounted lists rules without a counter that took packets in the window, as the kernel's
// drops of TCP say: of the rules of the namespace each is the only one that names the ports or
// addresses of such drops.
func uncounted(v *view.View) []filter {
	rules := map[uint64][]recording.FirewallRule{} // by namespace
	for _, rows := range readingsOf(v) {
		r := rows[len(rows)-1]
		rules[r.NetNS] = append(rules[r.NetNS], r)
	}
	var list []filter
	drops := v.Drops()
	for _, d := range drops[:min(len(drops), maxDropped)] {
		if d.Reason != "NETFILTER_DROP" || d.Protocol != "tcp" || d.Port == 0 || d.NetNS == 0 || len(rules[d.NetNS]) > maxRivals {
			continue
		}
		var only *recording.FirewallRule
		fitting := 0
		for i := range rules[d.NetNS] {
			r := &rules[d.NetNS][i]
			fits := filter{FirewallRule: *r}.fits(recording.TCPSample{Local: d.Destination, LocalPort: d.Port, Remote: d.Source, RemotePort: d.Port})
			if fits == exact || fits == general && r.Counted {
				only = r
				fitting++
			}
		}
		if fitting != 1 || only.Counted || only.Random > 0 {
			continue
		}
		if i := slices.IndexFunc(list, func(f filter) bool { return f.FirewallRule == *only }); i >= 0 {
			list[i].packets += float64(d.Packets)
			continue
		}
		list = append(list, filter{FirewallRule: *only, packets: float64(d.Packets), seconds: d.Span.Seconds()})
	}
	return slices.DeleteFunc(list, func(f filter) bool { return f.seconds <= 0 })
}

// String names the rule as its owner knows it: "iptables INPUT rule 3".
func (f filter) String() string {
	if !f.isIPTables() {
		return fmt.Sprintf("nft %s %s %s handle %d", f.Family, f.TableOf, f.Chain, f.Handle)
	}
	name := f.Chain
	if f.table() != "filter" {
		name = f.TableOf + " " + f.Chain
	}
	return fmt.Sprintf("%s %s rule %d", f.iptables(), name, f.Index)
}

// show is the command that shows the rule with its counter.
func (f filter) show(v *view.View) shell.Command {
	enter := v.EnterNetNS(f.NetNS)
	if f.isIPTables() {
		return shell.Line("%s %s -t %s -nvL %s --line-numbers", enter, f.iptables(), f.table(), f.Chain)
	}
	return shell.Line("%s nft -a list chain %s %s %s", enter, shell.NftName(f.Family), shell.NftName(f.TableOf), shell.NftName(f.Chain))
}

// remove is the command that deletes the rule.
func (f filter) remove(v *view.View) shell.Command {
	enter := v.EnterNetNS(f.NetNS)
	if f.isIPTables() {
		return shell.Line("%s %s -t %s -D %s %d", enter, f.iptables(), f.table(), f.Chain, f.Index)
	}
	return shell.Line("%s nft delete rule %s %s %s handle %d", enter, shell.NftName(f.Family), shell.NftName(f.TableOf), shell.NftName(f.Chain), f.Handle)
}

func (f filter) isIPTables() bool { return strings.HasPrefix(f.Backend, "iptables") }

// iptables is the tool for the rule's family.
func (f filter) iptables() string {
	if f.Family == "ip6" {
		return "ip6tables"
	}
	return "iptables"
}

func (f filter) table() string {
	if f.TableOf == "" {
		return "filter"
	}
	return f.TableOf
}

func (f filter) subject(v *view.View) view.Entity {
	return view.Entity{Kind: view.KindRule, Name: f.String() + v.InNetNS(f.NetNS), Detail: f.Match, NetNS: f.NetNS}
}

var (
	portWords    = regexp.MustCompile(`(?:dport|sport|dports|sports|port)[^0-9a-zA-Z!@]{1,4}([0-9]+(?:(?:[-:]|, ?)[0-9]+)*)`)
	addressWords = regexp.MustCompile(`[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:/[0-9]{1,2})?|[0-9a-fA-F]*(?::[0-9a-fA-F]*){2,7}(?:/[0-9]{1,3})?`)
	// negated conditions exclude; what they name is not what the rule is about.
	negated = regexp.MustCompile(`!= ?[^ ]+`)
)

// fit says how well a rule's conditions fit a connection.
type fit int

const (
	no      fit = iota
	general     // nothing in the rule speaks against it, and nothing for it
	exact       // it names the connection's ports or addresses
)

// fits compares what is understood of a rule with a connection. Ports and
// addresses of both directions count, since a rule may stand at either end.
func (f filter) fits(c recording.TCPSample) fit {
	if strings.Contains(f.Match, "udp") && !strings.Contains(f.Match, "tcp") || strings.Contains(f.Match, "icmp") {
		return no
	}
	if f.otherFamily(c.Local) || f.otherFamily(c.Remote) {
		return no
	}
	best := general
	match := negated.ReplaceAllString(f.Match, "")
	for _, m := range portWords.FindAllStringSubmatch(match, -1) {
		if !inPorts(m[1], c.LocalPort) && !inPorts(m[1], c.RemotePort) {
			return no
		}
		best = exact
	}
	for _, text := range addressWords.FindAllString(match, -1) {
		prefix, ok := parsePrefix(text)
		if !ok || prefix.Bits() == 0 {
			continue
		}
		if !contains(prefix, c.Local) && !contains(prefix, c.Remote) {
			return no
		}
		best = exact
	}
	return best
}

// otherFamily says that the rule stands in a table that never sees packets of an address: those
// of family ip see IPv4 only, those of ip6 IPv6.
func (f filter) otherFamily(address string) bool {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	is4 := a.Unmap().Is4()
	return f.Family == "ip" && !is4 || f.Family == "ip6" && is4
}

func inPorts(list string, port uint16) bool {
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(strings.ReplaceAll(strings.TrimSpace(part), ":", "-"), "-")
		low, err := strconv.Atoi(from)
		if err != nil {
			continue
		}
		high := low
		if isRange {
			if high, err = strconv.Atoi(to); err != nil {
				continue
			}
		}
		if int(port) >= low && int(port) <= high {
			return true
		}
	}
	return false
}

func parsePrefix(text string) (netip.Prefix, bool) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p, true
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(a, a.BitLen()), true
}

func contains(p netip.Prefix, address string) bool {
	a, err := netip.ParseAddr(address)
	return err == nil && p.Masked().Contains(a)
}
