package net

import (
	"fmt"
	"net/netip"
	"regexp"
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

	conditions *conditions // as understood; nil: not yet
}

// filters lists the rules that took packets in the window, as their counters say.
func filters(v *view.View) []filter {
	return view.Memo(v, "net/filters", func() []filter {
		var list []filter
		for _, rows := range readingsOf(v) {
			f := filter{FirewallRule: rows[len(rows)-1], seconds: view.Elapsed(rows).Seconds()}
			f.packets, _ = view.Delta(rows, func(r recording.FirewallRule) uint64 { return r.Packets })
			if f.Counted && f.packets > 0 && f.seconds > 0 {
				f.understood()
				list = append(list, f)
			}
		}
		return list
	})
}

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
	rules := map[uint64][]filter{} // of each network namespace
	for _, rows := range readingsOf(v) {
		r := rows[len(rows)-1]
		rules[r.NetNS] = append(rules[r.NetNS], filter{FirewallRule: r})
	}
	var took []*filter
	compared := 0
	drops := v.Drops()
	for i := range drops {
		d := &drops[i]
		if d.Reason != "NETFILTER_DROP" || d.Protocol != "tcp" || d.Port == 0 || d.NetNS == 0 || d.Packets <= 0 {
			continue
		}
		of := rules[d.NetNS]
		if compared += len(of); compared > maxCompared {
			break // the most packets came first
		}
		only := onlyOne(of, connectionEndsOf(&recording.TCPSample{Local: d.Destination, LocalPort: d.Port, Remote: d.Source, RemotePort: d.Port}))
		if only == nil || only.Counted || only.Random > 0 {
			continue
		}
		if only.packets == 0 {
			only.seconds = d.Span.Seconds()
			took = append(took, only)
		}
		only.packets += float64(d.Packets)
	}
	var list []filter
	for _, f := range took {
		if f.seconds > 0 {
			list = append(list, *f)
		}
	}
	return list
}

// onlyOne is the only one of some rules that explains a drop; nil: there is none, or several do.
func onlyOne(rules []filter, ends connectionEnds) (only *filter) {
	for i := range rules {
		f := &rules[i]
		if fits := f.understood().fits(ends); fits == exact || fits == general && f.Counted {
			if only != nil {
				return nil
			}
			only = f
		}
	}
	return only
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

// fits compares a rule with a connection.
func (f filter) fits(c recording.TCPSample) fit {
	return f.understood().fits(connectionEndsOf(&c))
}

// understood is what is understood of the rule, which is parsed once.
func (f *filter) understood() *conditions {
	if f.conditions == nil {
		f.conditions = conditionsOf(&f.FirewallRule)
	}
	return f.conditions
}

// conditions are what is understood of a rule: what its packets must be like.
type conditions struct {
	notTCP   bool
	family   string     // of the table
	ports    []portList // one of each must be a port of the connection
	prefixes []netip.Prefix
}

func conditionsOf(r *recording.FirewallRule) *conditions {
	c := &conditions{family: r.Family}
	c.notTCP = strings.Contains(r.Match, "udp") && !strings.Contains(r.Match, "tcp") || strings.Contains(r.Match, "icmp")
	match := negated.ReplaceAllString(r.Match, "")
	c.ports = portLists(match)
	for _, text := range addressWords.FindAllString(match, -1) {
		if p, ok := parsePrefix(text); ok && p.Bits() != 0 {
			c.prefixes = append(c.prefixes, p.Masked())
		}
	}
	return c
}

// connectionEnds are the two ends of a connection.
type connectionEnds struct {
	local, remote         netip.Addr // not valid: no address
	localPort, remotePort uint16
}

func connectionEndsOf(c *recording.TCPSample) connectionEnds {
	local, _ := netip.ParseAddr(c.Local)
	remote, _ := netip.ParseAddr(c.Remote)
	return connectionEnds{local, remote, c.LocalPort, c.RemotePort}
}

// fits compares what is understood of a rule with a connection. Ports and
// addresses of both directions count, since a rule may stand at either end.
func (c *conditions) fits(e connectionEnds) fit {
	if c.notTCP || c.otherFamily(e.local) || c.otherFamily(e.remote) {
		return no
	}
	for _, list := range c.ports {
		if !list.has(e.localPort) && !list.has(e.remotePort) {
			return no
		}
	}
	for _, p := range c.prefixes {
		if !p.Contains(e.local) && !p.Contains(e.remote) {
			return no
		}
	}
	if len(c.ports)+len(c.prefixes) > 0 {
		return exact
	}
	return general
}

// otherFamily says that the rule stands in a table that never sees packets of an address: those
// of family ip see IPv4 only, those of ip6 IPv6.
func (c *conditions) otherFamily(a netip.Addr) bool {
	if !a.IsValid() {
		return false
	}
	is4 := a.Unmap().Is4()
	return c.family == "ip" && !is4 || c.family == "ip6" && is4
}

// portList are the ports that one condition names, as ranges.
type portList []struct{ low, high int }

func (list portList) has(port uint16) bool {
	for _, r := range list {
		if int(port) >= r.low && int(port) <= r.high {
			return true
		}
	}
	return false
}

// portLists are those of a rule's words.
func portLists(match string) (lists []portList) {
	for _, m := range portWords.FindAllStringSubmatch(match, -1) {
		lists = append(lists, parsePorts(m[1]))
	}
	return lists
}

func parsePorts(text string) (list portList) {
	for part := range strings.SplitSeq(text, ",") {
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
		list = append(list, struct{ low, high int }{low, high})
	}
	return list
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
