package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// spaces are the network namespaces of a window, beside that of the host, that both windows
// have one of: the name of each.
type spaces map[uint64]string

// in is " in NAME" of a network namespace that is compared; "" of the host's.
func (s spaces) in(v *view.View, ns uint64) (words string, ok bool) {
	if ns == v.Manifest().Host.NetNS {
		return "", true
	}
	if name, ok := s[ns]; ok {
		return " in " + name, true
	}
	return "", false
}

// otherSpaces are the network namespaces beside the host's: by name if that lasts, or if
// both windows are of one start of a host, so that the kernel's numbers say the same.
func otherSpaces(v *view.View, sameBoot bool) (known map[string]uint64, nameless []string) {
	known = map[string]uint64{}
	for _, n := range v.NetNamespaces() {
		if n.Own || n.NetNS == v.Manifest().Host.NetNS {
			continue
		}
		if name, alone := v.LastingNetNS(n.NetNS); alone || sameBoot {
			known[name] = n.NetNS
		} else {
			nameless = append(nameless, name)
		}
	}
	return known, nameless
}

func sameBoot(a, b *view.View) bool {
	x, y := a.Manifest().Host, b.Manifest().Host
	return x.Name == y.Name && !x.Boot.IsZero() && x.Boot.Equal(y.Boot)
}

// pairSpaces finds those that both windows have.
func pairSpaces(a, b *view.View) (x, y spaces) {
	x, y = spaces{}, spaces{}
	same := sameBoot(a, b)
	first, _ := otherSpaces(a, same)
	second, _ := otherSpaces(b, same)
	for name, ns := range first {
		if other, ok := second[name]; ok {
			x[ns], y[other] = name, name
		}
	}
	return x, y
}

// NetworkNamespaces stands for those that are not compared.
const NetworkNamespaces = "namespaces"

// missingSpaces are the network namespaces that are not compared.
func missingSpaces(a, b *view.View) (list []Missing) {
	tell := func(names []string, why string) {
		if len(names) > 0 {
			slices.Sort(names)
			list = append(list, Missing{NetworkNamespaces, fmt.Sprintf("%s (%s)", unit.Plural(len(names), "network namespace", "network namespaces"), some(names)), why})
		}
	}
	same := sameBoot(a, b)
	first, nameless := otherSpaces(a, same)
	second, others := otherSpaces(b, same)
	only := func(x, y map[string]uint64) (names []string) {
		for name := range x {
			if _, ok := y[name]; !ok {
				names = append(names, name)
			}
		}
		return names
	}
	lists := [2]bool{a.Has(recording.NetNamespace), b.Has(recording.NetNamespace)}
	if lists != [2]bool{true, true} {
		tell(slices.Concat(slices.Collect(maps.Keys(first)), nameless, slices.Collect(maps.Keys(second)), others), tellers(lists))
		return list
	}
	tell(only(first, second), "only in the first window")
	tell(only(second, first), "only in the second window")
	const why = "no name that lasts, or several of one name, in the "
	tell(nameless, why+"first window")
	tell(others, why+"second window")
	return list
}

// maxListed bounds how many names a sentence has.
const maxListed = 10

// some are the first names of a list.
func some(names []string) string {
	words := strings.Join(names[:min(len(names), maxListed)], ", ")
	if more := len(names) - maxListed; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}

// network adds what interfaces and TCP did, of the host and of the network namespaces that both
// windows have.
func (m *measured) network(i int, v *view.View) {
	seconds := v.Seconds()
	for _, d := range v.Interfaces() {
		in, ok := m.spaces.in(v, d.NetNS)
		if !ok || !view.Known(d.RxBytes) {
			continue
		}
		who := d.Interface + in
		m.add(i, received, who, d.RxBytes*seconds)
		m.add(i, sent, who, d.TxBytes*seconds)
		m.add(i, packetsIn, who, d.RxPackets*seconds)
		m.add(i, packetsOut, who, d.TxPackets*seconds)
		if tells(v, recording.NetDevices, "rx_dropped") && tells(v, recording.NetDevices, "rx_errors") {
			m.add(i, dropped, who, d.Dropped)
			m.add(i, errored, who, d.Errors)
		}
	}
	for _, c := range v.Counters() {
		k := name{}
		if c.NetNS != v.Manifest().Host.NetNS {
			k.kind, k.who = ofSpace, m.spaces[c.NetNS]
			if k.who == "" {
				continue
			}
		}
		for q, counter := range map[*Quantity]string{segmentsIn: "TcpInSegs", segmentsOut: "TcpOutSegs", retransmits: "TcpRetransSegs", accepted: "TcpPassiveOpens", opened: "TcpActiveOpens", resets: "TcpOutRsts"} {
			if d := c.Delta(counter); view.Known(d) && c.Seconds > 0 {
				k.quantity = q
				m.addTo(i, k, d*seconds/c.Seconds, 0)
			}
		}
	}
}
