package baseline

import (
	"net/netip"
	"testing"
)

func TestPath(t *testing.T) {
	for _, p := range []Path{{netip.MustParseAddr("10.0.0.2"), "eth0"}, {netip.MustParseAddr("fd00::1"), "bond0.7"}} {
		if got, ok := ParsePath(p.String()); !ok || got != p {
			t.Errorf("%v: %v, %v", p, got, ok)
		}
	}
	for _, thing := range []string{"", "db2:5999", "10.0.0.2", "10.0.0.2 dev ", "db2 dev eth0", " dev eth0"} {
		if p, ok := ParsePath(thing); ok {
			t.Errorf("%q is %v", thing, p)
		}
	}
}
