package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

// Whom a local resolver asks is known as of the last reading of name servers, and is not whom
// programs ask.
func TestUpstreamsOfResolvers(t *testing.T) {
	const stub = "127.0.0.53"
	first := []recording.NameServer{
		{At: at(0), NetNS: 1, Server: stub},
		{At: at(0), NetNS: 1, Server: "10.0.0.2", Via: stub},
		{At: at(0), NetNS: 2, Server: "10.0.0.2"},
		{At: at(1), NetNS: 1, Server: "10.0.0.2", Via: stub, Asked: 2, Time: 4e9},
		{At: at(1), NetNS: 1, Server: stub, Asked: 1, Answered: 1, Time: 1e6},
	}
	for _, c := range []struct {
		name          string
		later         []recording.NameServer
		named, behind []recording.NameServer
	}{
		{"one reading", nil, []recording.NameServer{{At: at(0), NetNS: 1, Server: stub, Asked: 1, Answered: 1, Time: 1e6}},
			[]recording.NameServer{{At: at(0), NetNS: 1, Server: "10.0.0.2", Via: stub, Asked: 2, Time: 4e9}}},
		{"another upstream", []recording.NameServer{{At: at(5), NetNS: 1, Server: stub}, {At: at(5), NetNS: 1, Server: "10.0.0.3", Via: stub}},
			[]recording.NameServer{{At: at(5), NetNS: 1, Server: stub, Asked: 1, Answered: 1, Time: 1e6}}, []recording.NameServer{{At: at(5), NetNS: 1, Server: "10.0.0.3", Via: stub}}},
		{"no stub any more", []recording.NameServer{{At: at(5), NetNS: 1, Server: "10.0.0.2"}}, []recording.NameServer{{At: at(5), NetNS: 1, Server: "10.0.0.2", Asked: 2, Time: 4e9}}, nil},
	} {
		rec := recording.New(recording.Manifest{})
		w := recording.NewWriter(t0)
		recording.Append(w, first...)
		recording.Append(w, c.later...)
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		v := New(rec, at(0), at(9))
		if diff := cmp.Diff(c.named, v.NameServers(1)); diff != "" {
			t.Errorf("%s: programs ask\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.behind, v.Upstreams(1, stub)); diff != "" {
			t.Errorf("%s: the stub asks\n%s", c.name, diff)
		}
		if got := v.Upstreams(2, stub); got != nil {
			t.Errorf("%s: in another namespace it asks %v", c.name, got)
		}
	}
}

// Who serves DNS at an address is who is bound to it, else who is bound to all of its namespace.
func TestResolversAt(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(t0)
	for i, s := range []recording.UDPSample{
		{NetNS: 1, Local: "127.0.0.53", LocalPort: 53},
		{NetNS: 1, Local: "0.0.0.0", LocalPort: 53},
		{NetNS: 2, Local: "::", LocalPort: 53},
		{NetNS: 3, Local: "10.0.0.1", LocalPort: 53},
		{NetNS: 1, Local: "127.0.0.1", LocalPort: 53, Remote: "127.0.0.9", RemotePort: 999},
		{NetNS: 1, Local: "127.0.0.9", LocalPort: 5353},
	} {
		pid := int32(100 + i)
		s.At, s.Inode = at(0), uint64(i+1)
		recording.Append(w, s)
		recording.Append(w, recording.SocketOwner{At: at(0), Inode: s.Inode, PID: pid, FD: 3})
		recording.Append(w, recording.ProcessSample{At: at(0), PID: pid, Comm: "named", Started: at(-float64(i) - 1)})
	}
	// The first one was opened by process 1, which keeps it.
	recording.Append(w, recording.SocketOwner{At: at(0), Inode: 1, PID: 1, FD: 9})
	recording.Append(w, recording.ProcessSample{At: at(0), PID: 1, Comm: "systemd", Started: at(-100)})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, at(0), at(9))
	for _, c := range []struct {
		ns      uint64
		address string
		want    int32 // PID; 0: nobody
	}{
		{1, "127.0.0.53", 100}, {1, "127.0.0.1", 101}, {1, "10.0.0.1", 0}, {2, "127.0.0.1", 102}, {2, "::1", 102}, {3, "10.0.0.1", 103}, {3, "127.0.0.1", 0}, {4, "127.0.0.53", 0},
	} {
		got := v.ResolversAt(c.ns, c.address)
		if c.want == 0 && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].PID != c.want {
			t.Errorf("%s in %d: %d processes, %+v; want %d", c.address, c.ns, len(got), got, c.want)
		}
	}
}
