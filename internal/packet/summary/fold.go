package summary

import (
	"cmp"
	"slices"
)

// maxServices bounds the services and servers that are told apart, each with
// histograms of its own: somebody who looks at all ports of a host makes 65,535 of
// them. The smallest beyond it are summed up as one, with the zero key.
const maxServices = 4096

func (s Service) compare(o Service) int {
	return cmp.Or(cmp.Compare(s.Server.Port, o.Server.Port), slices.Compare(s.Server.Addr[:], o.Server.Addr[:]), cmp.Compare(s.Proto, o.Proto))
}

// fold sums up as one all but those that were waited for longest, and says how
// many it took.
func fold[K comparable](m map[K]*Total, compare func(a, b K) int) (folded uint64) {
	var zero K
	keys := make([]K, 0, len(m))
	for k := range m {
		if k != zero {
			keys = append(keys, k)
		}
	}
	if len(keys) <= maxServices {
		return 0
	}
	slices.SortFunc(keys, func(a, b K) int {
		x, y := m[a], m[b]
		return cmp.Or(cmp.Compare(y.RTSum, x.RTSum), cmp.Compare(y.Count+y.Excluded(), x.Count+x.Excluded()), cmp.Compare(y.Connections, x.Connections), compare(a, b))
	})
	rest := total(m, zero)
	for _, k := range keys[maxServices:] {
		rest.merge(m[k])
		delete(m, k)
	}
	return uint64(len(keys) - maxServices)
}

// place is the sums of a server and a protocol.
func (c *Collector) place(k Service) *Total {
	if t := c.places[k]; t != nil {
		return t
	}
	if len(c.places) >= 2*maxServices {
		c.sum.Folded += fold(c.places, Service.compare)
		c.recent.servers = [len(c.recent.servers)]recentServer{}
	}
	return total(c.places, k)
}
