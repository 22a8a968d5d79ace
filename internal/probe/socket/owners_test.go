package socket

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// TestScanFindsAllSockets: with and without gaps between the descriptors.
func TestScanFindsAllSockets(t *testing.T) {
	tests := []struct {
		name  string
		links map[int32]string
		want  map[int32]uint64
	}{
		{"no gap", map[int32]string{0: "/dev/null", 1: "socket:[11]", 2: "pipe:[5]"}, map[int32]uint64{1: 11}},
		{"small gaps", map[int32]string{0: "/dev/null", 2: "socket:[11]", 5: "socket:[12]"}, map[int32]uint64{2: 11, 5: 12}},
		{"a gap too large to try", map[int32]string{1: "socket:[11]", 900: "socket:[12]"}, map[int32]uint64{1: 11, 900: 12}},
		{"strange links", map[int32]string{0: "socket:[x]", 1: "socket:", 2: "socket:[13]"}, map[int32]uint64{2: 13}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "proc", "7", "fd")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for fd, target := range test.links {
				if err := os.Symlink(target, filepath.Join(dir, fmt.Sprint(fd))); err != nil {
					t.Fatal(err)
				}
			}
			p := New(census.New(root))
			defer p.Close()
			h := &holder{files: -1}
			p.scan(&census.Entry{PID: 7}, h, int64(len(test.links)), &unseen{})
			got := map[int32]uint64{}
			for _, o := range p.owners {
				got[o.FD] = o.Inode
			}
			if diff := cmp.Diff(test.want, got); diff != "" || !h.sockets {
				t.Errorf("holds sockets: %v; (-want +got)\n%s", h.sockets, diff)
			}
			if len(p.owners) != len(test.want) {
				t.Errorf("%d rows for %d sockets", len(p.owners), len(test.want))
			}
		})
	}
}

// TestOwnerless: sockets without an inode have no holder to look for.
func TestOwnerless(t *testing.T) {
	p := &Probe{held: map[uint64]struct{}{11: {}}, tcp: []recording.TCPSample{{Inode: 11}, {Inode: 0}}}
	if p.ownerless() {
		t.Error("all sockets have a known holder")
	}
	p.looked, p.tcp = false, append(p.tcp, recording.TCPSample{Inode: 12})
	if !p.ownerless() {
		t.Error("nobody is known to hold socket 12")
	}
}
