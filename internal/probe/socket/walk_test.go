package socket

import (
	"context"
	"encoding/binary"
	"net"
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
)

// recordedRows reads rows of bpf/sock.c as the kernel wrote them.
func recordedRows(t testing.TB) (rows []kernel.SocketRow) {
	t.Helper()
	b, err := os.ReadFile("testdata/sockets.rows")
	if err != nil {
		t.Fatal(err)
	}
	for len(b) >= rowSize {
		rows = append(rows, asRow(b[:rowSize]))
		b = b[rowSize:]
	}
	return rows
}

const rowSize = int(unsafe.Sizeof(kernel.SocketRow{}))

func asRow(b []byte) (r kernel.SocketRow) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&r)), rowSize), b)
	return r
}

// clockAt is a clock of 250 jiffies a second.
func clockAt(t testing.TB, jiffies uint64) kernel.SocketClock {
	t.Helper()
	up := time.Duration(jiffies-1<<32)*time.Second/250 + 300*time.Second
	c, ok := kernel.ReadSocketClock(jiffies, up)
	if !ok {
		t.Fatal("no clock")
	}
	return c
}

// recordedAt is when the rows were recorded.
const recordedAt = 4298351751

func TestRecordedRows(t *testing.T) {
	littleEndian(t)
	r, c, at := newReader(), clockAt(t, recordedAt), time.Unix(1.8e9, 0).UTC()
	states := map[recording.TCPState]int{}
	got := map[recordedKey]recording.TCPSample{}
	for _, k := range recordedRows(t) {
		s := recording.TCPSample{At: at}
		if !r.row(&k, c, &s) {
			t.Fatalf("cannot read %+v", k)
		}
		states[s.State]++
		got[recordedKey{s.LocalPort, s.RemotePort}] = s
	}
	wantStates := map[recording.TCPState]int{
		recording.TCPEstablished: 17, recording.TCPSynSent: 3, recording.TCPSynRecv: 1, recording.TCPFinWait2: 2,
		recording.TCPTimeWait: 2, recording.TCPCloseWait: 2, recording.TCPListen: 4,
	}
	if diff := cmp.Diff(wantStates, states); diff != "" {
		t.Errorf("states (-want +got)\n%s", diff)
	}
	const us, ms = time.Microsecond, time.Millisecond
	for _, test := range []struct {
		name string
		want recording.TCPSample
	}{
		{"received 100,000 bytes and answered", recording.TCPSample{
			Local: "127.0.0.1", LocalPort: 36121, Remote: "127.0.0.1", RemotePort: 36582, State: recording.TCPEstablished, Inode: 2672769,
			RTT: 21 * us, RTTVar: 12 * us, MinRTT: 6 * us, RTO: 204 * ms, Cwnd: 11, MSS: 32768,
			SegsOut: 3, DataSegsOut: 1, DataSegsIn: 3, BytesAcked: 500, BytesReceived: 100000, BytesSent: 500,
			LastSend: at.Add(-1044 * ms), LastReceive: at.Add(-1044 * ms), PeerWindow: 65536, RcvBuf: 131072, Info: true,
		}},
		{"did not read the answer", recording.TCPSample{
			Local: "127.0.0.1", LocalPort: 36582, Remote: "127.0.0.1", RemotePort: 36121, State: recording.TCPEstablished, Inode: 2665370,
			RecvQueue: 500, RTT: 40 * us, RTTVar: 30 * us, MinRTT: 29 * us, RTO: 204 * ms, Cwnd: 13, MSS: 47616,
			SegsOut: 6, DataSegsOut: 3, DataSegsIn: 1, BytesAcked: 100001, BytesReceived: 500, BytesSent: 100000,
			LastSend: at.Add(-1044 * ms), LastReceive: at.Add(-1044 * ms), PeerWindow: 95232, RmemAlloc: 1332, RcvBuf: 131072, Info: true,
		}},
		{"sends more than is read", recording.TCPSample{
			Local: "127.0.0.1", LocalPort: 36598, Remote: "127.0.0.1", RemotePort: 36121, State: recording.TCPEstablished, Inode: 2672770,
			SendQueue: 196446, RTT: 5273 * us, RTTVar: 10521 * us, MinRTT: 10 * us, RTO: 208 * ms, Cwnd: 15, MSS: 47616, Backoff: 2, TotalRetrans: 1,
			SegsOut: 9, DataSegsOut: 5, BytesAcked: 127974, BytesSent: 142848, NotSent: 196446,
			LastSend: at.Add(-1036 * ms), LastReceive: at.Add(-1044 * ms), Busy: 1044 * ms, RwndLimited: 1044 * ms,
			RcvBuf: 131072, Info: true,
		}},
		{"closed first", recording.TCPSample{
			Local: "::1", LocalPort: 54026, Remote: "::1", RemotePort: 41415, State: recording.TCPTimeWait,
		}},
		{"listens", recording.TCPSample{
			Local: "127.0.0.1", LocalPort: 41987, Remote: "0.0.0.0", State: recording.TCPListen, Inode: 2672825,
			RecvQueue: 1, RcvBuf: 131072, Drops: 2,
		}},
	} {
		found := got[recordedKey{test.want.LocalPort, test.want.RemotePort}]
		test.want.At = at
		if diff := cmp.Diff(test.want, found); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

// recordedKey are the ports of a connection.
type recordedKey struct{ local, remote uint16 }

// TestRowOfOtherFamily: what is neither IPv4 nor IPv6 is nobody's connection.
func TestRowOfOtherFamily(t *testing.T) {
	var s recording.TCPSample
	if newReader().row(&kernel.SocketRow{Family: 1}, clockAt(t, 1<<33), &s) {
		t.Errorf("a row of family 1 became %+v", s)
	}
}

// TestWithoutPrograms: sock_diag and /proc give the same when the programs
// cannot be had, also in the middle of a run.
func TestWithoutPrograms(t *testing.T) {
	c := census.New("/")
	defer c.Close()
	p := New(c)
	defer p.Close()
	p.cpuTime = func() time.Duration { return 0 } // processes and sockets of others use up no budget
	if err := p.Start(); err != nil {
		t.Skipf("no sock_diag here: %v", err)
	}
	l, err := net.Listen("tcp", ownAddress+":0")
	if err != nil {
		t.Skipf("cannot listen: %v", err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	port := uint16(l.Addr().(*net.TCPAddr).Port)
	type seen struct{ Clients, Servers, Listeners, Owned int }
	sample := func() (s seen) {
		rec := recording.New(recording.Manifest{})
		w := recording.NewWriter(time.Now())
		p.Closing()
		if err := p.Sample(context.Background(), w); err != nil {
			t.Fatal(err)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		inodes := map[uint64]bool{}
		for _, r := range recording.Rows[recording.TCPSample](rec) {
			if r.NetNS != p.own {
				continue
			}
			if r.Remote == ownAddress && r.RemotePort == port {
				s.Clients++
				inodes[r.Inode] = true
			}
			if r.Local == ownAddress && r.LocalPort == port {
				s.Servers++
			}
		}
		for _, r := range recording.Rows[recording.ListenerSample](rec) {
			if r.NetNS == p.own && r.Local == ownAddress && r.Port == port {
				s.Listeners++
				inodes[r.Inode] = true
			}
		}
		for _, o := range recording.Rows[recording.SocketOwner](rec) {
			if o.PID == int32(os.Getpid()) && inodes[o.Inode] {
				s.Owned++
			}
		}
		return s
	}
	want := seen{Clients: 1, Servers: 1, Listeners: 1, Owned: 2}
	first := sample()
	if first != want {
		t.Errorf("first sample %+v, want %+v", first, want)
	}
	p.closeWalker()
	p.closeHolders()
	if got := sample(); got != want {
		t.Errorf("without programs %+v, want %+v", got, want)
	}
	for _, n := range p.spaces {
		if n.table != 0 {
			t.Errorf("namespace %d is still read by the program", n.NetNS)
		}
	}
}

func FuzzRow(f *testing.F) {
	for _, k := range recordedRows(f) {
		f.Add(unsafe.Slice((*byte)(unsafe.Pointer(&k)), rowSize), uint64(recordedAt))
	}
	r := newReader()
	f.Fuzz(func(t *testing.T, b []byte, jiffies uint64) {
		if len(b) < rowSize {
			return
		}
		k := asRow(b)
		s := recording.TCPSample{At: time.Unix(1.8e9, 0)}
		// Any reading of the clock, on a machine that has been up for a while.
		ok := r.row(&k, clockAt(t, 1<<32+250*1000+jiffies%(1<<40)), &s)
		if ok && (s.Local == "" || s.RTT < 0 || s.RTO < 0 || s.Busy < 0 || s.RwndLimited > s.Busy || s.LastSend.After(s.At) ||
			s.RemotePort != binary.BigEndian.Uint16(k.RemotePort[:]) || s.Info && k.Full == 0) {
			t.Errorf("implausible row %+v of %+v", s, k)
		}
	})
}
