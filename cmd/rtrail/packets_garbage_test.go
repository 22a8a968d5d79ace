package main

import (
	"net"
	"path/filepath"
	"testing"
)

func TestPercentOf(t *testing.T) {
	for _, tc := range []struct {
		live uint64
		want int
	}{
		{0, rareGC},
		{4 << 20, rareGC},
		{50 << 20, 400},
		{100 << 20, 150},
		{125 << 20, 100},
		{300 << 20, usualGC},
		{4 << 30, usualGC},
	} {
		if got := percentOf(tc.live); got != tc.want {
			t.Errorf("%d MB in use: %d percent, want %d", tc.live>>20, got, tc.want)
		}
	}
}

// TestUnreadableIsNoRecording: what cannot be opened is a capture to every verb,
// so that all say why in the same way. A socket can be opened by nobody.
func TestUnreadableIsNoRecording(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "s.pcap")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for path, want := range map[string]bool{socket: false, dir: true, "-": false, filepath.Join(dir, "gone"): true} {
		if got := isRecording(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
