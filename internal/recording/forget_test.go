package recording

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// second is a time of the tests below.
func second(n int) time.Time { return time.Unix(1700000000+int64(n), 0).UTC() }

// committed adds the rows that fill makes to a recording.
func committed(t *testing.T, r *Recording, at time.Time, fill func(*Writer)) {
	t.Helper()
	w := NewWriter(at)
	fill(w)
	if err := r.Commit(w); err != nil {
		t.Fatal(err)
	}
}

func TestForgetReadings(t *testing.T) {
	later := func(row *SystemSample, at time.Time) SystemSample {
		again := *row
		again.At = at
		return again
	}
	r := New(Manifest{})
	first := &SystemSample{At: second(0), Forks: 7}
	for n := range 6 {
		committed(t, r, second(n), func(w *Writer) {
			if n%2 == 0 {
				Append(w, SystemSample{At: second(n), Forks: uint64(n)})
			} else {
				Repeat(w, []Again[SystemSample]{{first, second(n)}}, later)
			}
			Append(w, KernelLogLine{At: second(n), Logged: second(n - 1)})
		})
		if n == 1 {
			Rows[SystemSample](r) // the first two are one list from now on
		}
	}
	held := Rows[KernelLogLine](r)
	before := slices.Clone(held)
	r.Forget(second(3))
	want := []SystemSample{{At: second(3), Forks: 7}, {At: second(4), Forks: 4}, {At: second(5), Forks: 7}}
	if n := r.Count(System); n != len(want) {
		t.Errorf("count %d, want %d", n, len(want))
	}
	if diff := cmp.Diff(want, Rows[SystemSample](r)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if lines := Rows[KernelLogLine](r); len(lines) != 3 || !lines[0].At.Equal(second(3)) {
		t.Errorf("lines %v", lines)
	}
	if diff := cmp.Diff(before, held); diff != "" {
		t.Errorf("rows that were given out changed (-before +after)\n%s", diff)
	}
	r.Forget(second(100))
	if left := r.Tables(); len(left) != 0 {
		t.Errorf("tables %v are left", left)
	}
}

// TestForgetKeepsWhatHolds: a window that begins in the middle needs the last
// value of a setting from before it, and all from then on.
func TestForgetKeepsWhatHolds(t *testing.T) {
	r := New(Manifest{})
	setting := func(n int, name, value string) {
		committed(t, r, second(n), func(w *Writer) { Append(w, MySQLVariable{At: second(n), Server: "db", Name: name, Value: value}) })
	}
	setting(0, "a", "old")
	setting(0, "b", "only")
	setting(1, "a", "holds")
	setting(3, "a", "new")
	setting(5, "a", "newest")
	r.Forget(second(2))
	var got []string
	for _, v := range Rows[MySQLVariable](r) {
		got = append(got, v.Name+"="+v.Value)
	}
	if diff := cmp.Diff([]string{"b=only", "a=holds", "a=new", "a=newest"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestForgetWhatIsGone: owners hold as long as their sockets are there, settings
// as long as their network namespaces.
func TestForgetWhatIsGone(t *testing.T) {
	r := New(Manifest{})
	committed(t, r, second(0), func(w *Writer) {
		Append(w, SocketOwner{At: second(0), Inode: 1, PID: 10}, SocketOwner{At: second(0), Inode: 2, PID: 10}, SocketOwner{At: second(0), Inode: 3, PID: 10})
		Append(w, SysctlSample{At: second(0), Name: "vm.swappiness"}, SysctlSample{At: second(0), NetNS: 8, Name: "net.core.somaxconn"},
			SysctlSample{At: second(0), NetNS: 9, Name: "net.core.somaxconn"})
		Append(w, TCPSample{At: second(0), Inode: 1}, TCPSample{At: second(0), Inode: 2})
	})
	committed(t, r, second(5), func(w *Writer) {
		Append(w, TCPSample{At: second(5), Inode: 1}, TCPSample{At: second(5), Inode: 5})
		Append(w, ListenerSample{At: second(5), Inode: 3})
		Append(w, NetNSSample{At: second(5), NetNS: 8})
		Append(w, SocketOwner{At: second(5), Inode: 5, PID: 10}, SocketOwner{At: second(5), Inode: 6, PID: 10})
	})
	r.Forget(second(3))
	var inodes, spaces []uint64
	for _, o := range Rows[SocketOwner](r) {
		inodes = append(inodes, o.Inode)
	}
	for _, s := range Rows[SysctlSample](r) {
		spaces = append(spaces, s.NetNS)
	}
	if diff := cmp.Diff([]uint64{1, 3, 5, 6}, inodes); diff != "" {
		t.Errorf("owners (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]uint64{0, 8}, spaces); diff != "" {
		t.Errorf("settings (-want +got)\n%s", diff)
	}
}

// TestForgetCapture: rows of packets belong to all of a capture.
func TestForgetCapture(t *testing.T) {
	r := New(Manifest{})
	committed(t, r, second(0), func(w *Writer) {
		Append(w, PacketCapture{At: second(0), Last: second(10), Source: "eth0"})
		Append(w, PacketStatement{At: second(1), Server: "db", Fingerprint: "SELECT ?"})
	})
	r.Forget(second(10))
	if r.Count(PacketStatements) != 1 {
		t.Error("forgotten while the capture lasts")
	}
	r.Forget(second(11))
	if left := r.Tables(); len(left) != 0 {
		t.Errorf("tables %v are left of a capture that is over", left)
	}
}

// TestForgetIntervals: rows of packets go with their interval.
func TestForgetIntervals(t *testing.T) {
	r := New(Manifest{})
	for n := range 6 {
		committed(t, r, second(10*n), func(w *Writer) {
			Append(w, PacketCapture{At: second(10 * n), Last: second(10*n + 9)})
			Append(w, PacketConnection{At: second(0), ID: int64(n)}, PacketConnection{At: second(10*n + 5), ID: 77})
			Append(w, PacketTransaction{At: second(10*n - 5)})
			w.Within(second(10 * n))
		})
	}
	r.Forget(second(39))
	for table, want := range map[Table]int{PacketCaptures: 3, PacketConnections: 6, PacketTransactions: 3} {
		if got := r.Count(table); got != want {
			t.Errorf("%s: %d rows are left, want %d", table, got, want)
		}
	}
	if outside := r.Outside(second(45), second(48)); len(outside) != 2 || outside[second(40).UnixNano()] {
		t.Errorf("outside %v", outside)
	}
}

// TestLongSessionIsBounded: connections come and go for three hours, each with an
// owner, processes with them; a recording that forgets holds a minute of them.
func TestLongSessionIsBounded(t *testing.T) {
	const (
		window, length = 60, 3 * 3600
		each           = 20 // new ones a second
	)
	r := New(Manifest{})
	most := map[Table]int{}
	for n := range length {
		committed(t, r, second(n), func(w *Writer) {
			for i := range each {
				inode := uint64(n*each + i + 1)
				Append(w, TCPSample{At: second(n), Inode: inode, LocalPort: uint16(i)})
				Append(w, SocketOwner{At: second(n), Inode: inode, PID: int32(n)})
				Append(w, ProcessSample{At: second(n), PID: int32(n*each + i), Comm: fmt.Sprint(n)})
			}
		})
		if n%window == window-1 {
			r.Forget(second(n - window))
		}
		for _, name := range r.Tables() {
			most[name] = max(most[name], r.Count(name))
		}
	}
	for _, name := range []Table{TCPSockets, SocketOwners, Processes} {
		if got, bound := most[name], 2*(window+1)*each; got > bound || got < window*each {
			t.Errorf("%s: %d rows were held at most, want %d to %d", name, got, window*each, bound)
		}
	}
}

// TestCatalogueOfWhatHolds: a table whose rows end with others has the column in
// which these agree, and so have they.
func TestCatalogueOfWhatHolds(t *testing.T) {
	for _, k := range catalogue {
		h := k.holds
		if (h.column == "") != (len(h.tables) == 0) {
			t.Errorf("%s: column %q of tables %v", k.name, h.column, h.tables)
		}
		if h.column == "" {
			continue
		}
		for _, name := range append(slices.Clone(h.tables), k.name) {
			other := kindByName(name)
			if at := other.column(h.column); !slices.Contains(other.key, at) {
				t.Errorf("%s ends with %s: %s is no column of its key", k.name, name, h.column)
			}
			if name != k.name && other.holds.span != ofMoment {
				t.Errorf("%s ends with %s, whose rows hold themselves", k.name, name)
			}
		}
	}
}
