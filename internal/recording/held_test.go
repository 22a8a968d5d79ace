package recording

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRangeHasWhatHeldBefore: a server was there before the recording began, and
// is asked about hours later: who holds its socket, and its settings, stand in the
// first segment only.
func TestRangeHasWhatHeldBefore(t *testing.T) {
	now := second(0)
	dir := filepath.Join(t.TempDir(), "rec")
	d := create(t, dir, Options{SegmentLength: 5 * time.Minute, Now: func() time.Time { return now }})
	const minutes = 60
	for n := range minutes {
		now = second(60 * n)
		w := NewWriter(now)
		Append(w, SystemSample{At: now})
		Append(w, ListenerSample{At: now, Inode: 1, Port: 80})
		Append(w, TCPSample{At: now, Inode: uint64(100 + n)})
		Append(w, SocketOwner{At: now, Inode: uint64(100 + n), PID: 7})
		switch n {
		case 0:
			Append(w, SocketOwner{At: now, Inode: 1, PID: 7})
			Append(w, MySQLVariable{At: now, Server: "db", Name: "a", Value: "first"}, MySQLVariable{At: now, Server: "db", Name: "b", Value: "only"})
		case 20:
			Append(w, MySQLVariable{At: now, Server: "db", Name: "a", Value: "second"})
		case minutes - 1:
			Append(w, MySQLVariable{At: now, Server: "db", Name: "a", Value: "last"})
		}
		if err := d.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	from, to := second(50*60), second(52*60)
	rec, err := OpenRange(t.Context(), dir, from, to)
	if err != nil {
		t.Fatal(err)
	}
	var inodes []uint64
	for _, o := range Rows[SocketOwner](rec) {
		inodes = append(inodes, o.Inode)
	}
	if diff := cmp.Diff([]uint64{1, 150, 151, 152}, inodes); diff != "" {
		t.Errorf("owners (-want +got)\n%s", diff)
	}
	var settings []string
	for _, v := range Rows[MySQLVariable](rec) {
		settings = append(settings, v.Name+"="+v.Value)
	}
	if diff := cmp.Diff([]string{"b=only", "a=second"}, settings); diff != "" {
		t.Errorf("settings (-want +got)\n%s", diff)
	}
	if n := rec.Count(System); n != 3 {
		t.Errorf("%d samples of the range, want 3", n)
	}
	if rec, err = OpenRange(t.Context(), dir, from, to, System); err != nil {
		t.Fatal(err)
	}
	if tables := rec.Tables(); len(tables) != 1 {
		t.Errorf("asked for one table, got %v", tables)
	}
}
