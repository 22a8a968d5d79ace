package main

import (
	"os"
	"testing"
)

func TestReadOnlyOf(t *testing.T) {
	for line, want := range map[string]bool{
		"00400000-01d8b000 r-xp 00000000 fe:00 1234 /usr/bin/rtrail":           true,
		"01d8b000-039a7000 r--p 0198b000 fe:00 1234 /usr/bin/rtrail":           true,
		"039a7000-03c2c000 rw-p 035a7000 fe:00 1234 /usr/bin/rtrail":           false, // its data would be lost
		"7fa6927cb000-7fa6929cc000 r--p 00000000 00:0f 7 anon_inode:bpf-map":   false,
		"00400000-01d8b000 r-xp 00000000 fe:00 1234 /opt/other/usr/bin/rtrail": false,
		"00400000-01d8b000 r-xp":                                     false,
		"x-y r-xp 00000000 fe:00 1234 /usr/bin/rtrail":               false,
		"00400000-00300000 r-xp 00000000 fe:00 1234 /usr/bin/rtrail": false,
		"": false,
	} {
		if _, _, ok := readOnlyOf([]byte(line), "/usr/bin/rtrail"); ok != want {
			t.Errorf("%q: %v, want %v", line, ok, want)
		}
	}
}

// TestDropOwnPages: the test that goes on is proof that what was dropped comes back.
func TestDropOwnPages(t *testing.T) {
	if _, err := os.Stat("/proc/self/maps"); err != nil {
		t.Skip(err)
	}
	if n := dropOwnPages(); n < 1<<20 {
		t.Errorf("%d bytes of this program's file, want some MB", n)
	}
}
