package socket

import (
	"testing"

	"rtrail/internal/recording"
)

// TestReadFirst: with more namespaces than are read, the own one is among those that are, and
// which others there are does not change from sample to sample.
func TestReadFirst(t *testing.T) {
	const all, own = 100, 57
	found := map[uint64]*recording.NetNSSample{}
	for inode := range uint64(all) {
		// The own one has only rtrail in it, every fourth one many processes.
		n := &recording.NetNSSample{NetNS: inode, Processes: 2, Own: inode == own}
		switch {
		case n.Own:
			n.Processes = 1
		case inode%4 == 0:
			n.Processes = 50
		}
		found[inode] = n
	}
	var before []*recording.NetNSSample
	for range 10 { // the order of a map is another one each time
		list := readFirst(found)
		if len(list) != all || list[0].NetNS != own {
			t.Fatalf("%d namespaces, the first is %+v", len(list), list[0])
		}
		for i, n := range list[1:26] {
			if n.NetNS != uint64(4*i) {
				t.Fatalf("place %d has %+v, want namespace %d", 1+i, n, 4*i)
			}
		}
		for i, n := range before {
			if list[i] != n {
				t.Fatalf("place %d has %+v, and %+v before", i, list[i], n)
			}
		}
		before = list
	}
}
