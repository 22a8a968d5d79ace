package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestCleanOf(t *testing.T) {
	for first, want := range map[string]bool{
		"00400000-01d8b000 r-xp 00000000 fe:00 1234 /usr/bin/rtrail":           true,
		"00400000-01d8b000 r--p 0198b000 fe:00 1234 /usr/bin/rtrail":           true,
		"00400000-01d8b000 rw-p 035a7000 fe:00 1234 /usr/bin/rtrail":           false, // its data would be lost
		"00400000-01d8b000 r--p 00000000 00:0f 7 anon_inode:bpf-map":           false,
		"00400000-01d8b000 r-xp 00000000 fe:00 1234 /opt/other/usr/bin/rtrail": false,
		"00400000-01d8b000 r-xp":                                     false,
		"x-y r-xp 00000000 fe:00 1234 /usr/bin/rtrail":               false,
		"00400000-00300000 r-xp 00000000 fe:00 1234 /usr/bin/rtrail": false,
		"": false,
	} {
		for anonymous, clean := range map[string]bool{"0": true, "8": false} { // 8: addresses that a linker wrote
			smaps := first + "\nSize: 26156 kB\nRss: 16152 kB\nAnonymous:             " + anonymous + " kB\nVmFlags: rd ex mr mw me\n"
			var list []mapped
			if want && clean {
				list = []mapped{{0x400000, 0x1d8b000}}
			}
			if got := cleanOf([]byte(smaps), "/usr/bin/rtrail"); !slices.Equal(got, list) {
				t.Errorf("%s: %x, want %x", strings.ReplaceAll(smaps, "\n", "; "), got, list)
			}
		}
	}
}

// TestDropOwnPages: the test that goes on is proof that what was dropped comes back.
func TestDropOwnPages(t *testing.T) {
	if _, err := os.Stat("/proc/self/smaps"); err != nil {
		t.Skip(err)
	}
	if n := dropOwnPages(); n < 1<<20 {
		t.Errorf("%d bytes of this program's file, want some MB", n)
	}
}
