package socket

import (
	"path/filepath"
	"testing"

	"rtrail/internal/recording"
)

// Cards of this machine are told from its loopback.
func TestCards(t *testing.T) {
	n := &namespace{NetNSSample: recording.NetNSSample{Own: true}}
	n.readLinks()
	if lo, ok := n.links["lo"]; !ok || lo.physical || lo.master != "" {
		t.Errorf("lo %+v", lo)
	}
	devices, err := filepath.Glob("/sys/class/net/*/device")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		if name := filepath.Base(filepath.Dir(d)); !n.links[name].physical {
			t.Errorf("%s %+v", name, n.links[name])
		}
	}
}
