package traffic

import (
	"path/filepath"
	"testing"

	"rtrail/internal/packet/generate"
	"rtrail/internal/packet/summary"
)

// Retransmissions of seconds, services and connections are the same ones,
// whether or not the capture saw what was lost.
func TestRetransmissionsAgree(t *testing.T) {
	paths := map[string]string{"loss": filepath.Join("..", "packet", "engine", "testdata", "loss.pcap")}
	for _, x := range generate.Truths() {
		paths[x.Name] = truth(t, x.Name)
	}
	some := map[string]int64{"lost-on-wire": 1, "request-resent": 1, "loss": 1}
	for name, path := range paths {
		var seconds, services, connections int64
		_, sum := analyse(t, path, 2, summary.Options{Connections: 1 << 20, Second: func(s *summary.Second) { seconds += s.Retransmissions }}, Tap{})
		for _, s := range sum.Services {
			services += s.Retransmissions
		}
		for _, c := range sum.Connections {
			connections += int64(c.Sides[0].Retransmissions) + int64(c.Sides[1].Retransmissions)
		}
		if seconds != connections || services != connections || connections < some[name] {
			t.Errorf("%s: %d retransmissions in seconds, %d in services, %d in connections", name, seconds, services, connections)
		}
	}
}
