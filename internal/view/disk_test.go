package view

import "testing"

func TestDeviceNumbers(t *testing.T) {
	for name, want := range map[string][2]uint64{"dev8-16": {8, 16}, "dev253-0": {253, 0}} {
		if major, minor, ok := DeviceNumbers(name); !ok || major != want[0] || minor != want[1] {
			t.Errorf("%s: %d %d %v", name, major, minor, ok)
		}
	}
	for _, name := range []string{"", "sda", "dm-0", "dev", "dev8", "dev-1", "dev8-", "dev8--1", "dev8-1x", "dev+8-1", "8-1"} {
		if major, minor, ok := DeviceNumbers(name); ok {
			t.Errorf("%s has numbers: %d %d", name, major, minor)
		}
	}
}
