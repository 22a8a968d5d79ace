package view

import (
	"testing"

	"rtrail/internal/recording"
)

// A listener of the address comes first, then one of all addresses of the same namespace.
func TestListenerAt(t *testing.T) {
	const many = 20_000 // any local user can open so many
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(t0)
	rows := []recording.ListenerSample{
		{NetNS: 1, Local: "0.0.0.0", Port: 80, Inode: 1}, {NetNS: 1, Local: "10.0.0.1", Port: 80, Inode: 2}, {NetNS: 1, Local: "10.0.0.1", Port: 80, Inode: 3},
		{NetNS: 1, Local: "::", Port: 81, Inode: 4}, {NetNS: 1, Local: "10.0.0.1", Port: 82, Inode: 5},
		{NetNS: 1, Local: "0.0.0.0", Port: 83, Inode: 6}, {NetNS: 1, Local: "::", Port: 83, Inode: 7},
	}
	for i := range many {
		rows = append(rows, recording.ListenerSample{NetNS: 3, Local: "*", Port: uint16(1 + i), Inode: uint64(1000 + i)})
	}
	for i := range rows {
		rows[i].At = at(0)
	}
	recording.Append(w, rows...)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, at(0), at(9))
	for _, c := range []struct {
		ns    uint64
		local string
		port  uint16
		want  uint64 // inode; 0: none
	}{
		{1, "10.0.0.1", 80, 2}, {1, "10.0.0.2", 80, 1}, {1, "127.0.0.1", 81, 4}, {1, "10.0.0.1", 82, 5}, {1, "10.0.0.2", 82, 0}, {1, "10.0.0.1", 83, 7},
		{2, "10.0.0.1", 80, 0}, {1, "", 80, 1}, {1, "10.0.0.1", 0, 0},
	} {
		l, ok := v.ListenerAt(c.ns, c.local, c.port)
		if l.Inode != c.want || ok != (c.want != 0) {
			t.Errorf("%s:%d in %d: inode %d, %v; want %d", c.local, c.port, c.ns, l.Inode, ok, c.want)
		}
	}
	for range 3 {
		for i := range many {
			if l, _ := v.ListenerAt(3, "10.0.0.1", uint16(1+i)); l.Inode != uint64(1000+i) {
				t.Fatalf("port %d: inode %d", 1+i, l.Inode)
			}
		}
	}
}
