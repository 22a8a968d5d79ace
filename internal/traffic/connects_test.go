package traffic

import (
	"iter"
	"maps"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/generate"
	"rtrail/internal/packet/summary"
	"rtrail/internal/packet/sums"
)

// connects is what happened to connections.
type connects struct {
	sums.Path
	Connections, Refused, NoHandshake, SlowConnects, Resets uint64
}

func (c *connects) add(list iter.Seq[*summary.Total]) connects {
	for t := range list {
		c.Connections += t.Connections
		c.Path.Add(&t.Path)
		c.Refused += t.Refused
		c.NoHandshake += t.NoHandshake
		c.SlowConnects += t.SlowConnects
		c.Resets += t.Resets
	}
	return *c
}

// What happened to connections is counted of their clients as of their servers
// and services.
func TestConnectionsAreCountedOnBothSides(t *testing.T) {
	paths := map[string]string{"loss": filepath.Join("..", "packet", "engine", "testdata", "loss.pcap")}
	for _, x := range generate.Truths() {
		paths[x.Name] = truth(t, x.Name)
	}
	var all connects
	for name, path := range paths {
		_, sum := analyse(t, path, 2, summary.Options{}, Tap{})
		services := new(connects).add(maps.Values(sum.Services))
		if diff := cmp.Diff(services, new(connects).add(maps.Values(sum.Clients))); diff != "" {
			t.Errorf("%s: of services (-) and clients (+): %s", name, diff)
		}
		if diff := cmp.Diff(services, new(connects).add(maps.Values(sum.Servers))); diff != "" {
			t.Errorf("%s: of services (-) and servers (+): %s", name, diff)
		}
		all.add(maps.Values(sum.Services))
	}
	if all.Handshakes == 0 || all.ServerRTT == 0 || all.ClientRTT == 0 || all.Retransmissions == 0 {
		t.Errorf("the captures do not have all that is compared: %+v", all)
	}
}
