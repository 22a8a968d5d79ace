package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
)

// ownAddress is where servers of these tests listen: a port alone may be that of a
// connection of another program, too.
const ownAddress = "127.83.1.1"

// live opens a probe that has the program, or skips the test.
func live(t testing.TB) (p *Probe, own *namespace) {
	t.Helper()
	if err := kernel.Check(); err != nil {
		t.Skipf("no BPF here: %v", err)
	}
	c := census.New("/")
	t.Cleanup(func() { c.Close() })
	p = New(c)
	t.Cleanup(func() { p.Close() })
	if err := p.Start(); err != nil {
		t.Skipf("no sock_diag here: %v", err)
	}
	if err := p.Sample(context.Background(), recording.NewWriter(time.Now())); err != nil {
		t.Fatal(err)
	}
	if p.walker == nil {
		_, err := kernel.OpenSockets(c.Loader())
		t.Skipf("the program does not load here: %v", err)
	}
	own = p.spaces[p.own]
	if own.table == 0 {
		t.Fatal("the hash table of the own namespace was not found")
	}
	return p, own
}

// TestWalkLikeDiag reads the same sockets by both ways. Connections of other
// programs may move in between; those that the test makes rest.
func TestWalkLikeDiag(t *testing.T) {
	p, own := live(t)
	servers := makeSockets(t)
	type key struct {
		local, remote         string
		localPort, remotePort uint16
	}
	mine := func(rows []recording.TCPSample) map[key]recording.TCPSample {
		m := map[key]recording.TCPSample{}
		for _, r := range rows {
			if r.NetNS == p.own && (servers[end{r.Local, r.LocalPort}] || servers[end{r.Remote, r.RemotePort}]) {
				m[key{r.Local, r.Remote, r.LocalPort, r.RemotePort}] = r
			}
		}
		return m
	}
	listeners := func(rows []recording.ListenerSample) map[key]recording.ListenerSample {
		m := map[key]recording.ListenerSample{}
		for _, r := range rows {
			if r.NetNS == p.own && servers[end{r.Local, r.Port}] {
				r.At = time.Time{}
				m[key{local: r.Local, localPort: r.Port}] = r
			}
		}
		return m
	}
	read := func(walk bool) (map[key]recording.TCPSample, map[key]recording.ListenerSample) {
		w := recording.NewWriter(time.Now())
		p.tcp, p.resting, p.listens = nil, nil, nil
		if walk {
			p.walk(w, true)
		} else {
			p.beginDump()
			for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
				if err := p.streams(own, family, true); err != nil {
					t.Fatal(err)
				}
			}
		}
		if w.LostRows() != 0 {
			t.Errorf("%d rows lost", w.LostRows())
		}
		rows := p.tcp
		for _, r := range p.resting {
			rows = append(rows, later(r.Row, r.At))
		}
		return mine(rows), listeners(p.listens)
	}
	// A timer may fire between the two readings: then they are made again.
	var problem string
	for range 5 {
		wantRows, wantListeners := read(false)
		gotRows, gotListeners := read(true)
		if len(wantRows) < 10 || len(wantListeners) != 4 {
			t.Fatalf("sock_diag shows %d connections and %d listeners of the test", len(wantRows), len(wantListeners))
		}
		problem = cmp.Diff(wantListeners, gotListeners)
		full, states := 0, map[recording.TCPState]int{}
		for k, want := range wantRows {
			got, ok := gotRows[k]
			if !ok {
				problem += fmt.Sprintf("%v in state %d is missing\n", k, want.State)
				continue
			}
			states[want.State]++
			if want.Info {
				full++
			}
			// Clocks go on between the two readings.
			for _, d := range []struct{ got, want *time.Duration }{
				{&got.Busy, &want.Busy}, {&got.RwndLimited, &want.RwndLimited}, {&got.SndbufLimited, &want.SndbufLimited},
			} {
				if off := *d.got - *d.want; off < -20*time.Millisecond || off > 200*time.Millisecond {
					problem += fmt.Sprintf("%v: %v, sock_diag says %v\n", k, *d.got, *d.want)
				}
				*d.got, *d.want = 0, 0
			}
			for _, at := range []struct{ got, want *time.Time }{{&got.LastSend, &want.LastSend}, {&got.LastReceive, &want.LastReceive}} {
				if off := at.got.Sub(*at.want).Abs(); off > 50*time.Millisecond {
					problem += fmt.Sprintf("%v: at %v, sock_diag says %v\n", k, *at.got, *at.want)
				}
				*at.got, *at.want = time.Time{}, time.Time{}
			}
			got.At, want.At = time.Time{}, time.Time{}
			problem += cmp.Diff(want, got)
		}
		if len(gotRows) != len(wantRows) {
			problem += fmt.Sprintf("%d connections, sock_diag shows %d\n", len(gotRows), len(wantRows))
		}
		if problem == "" {
			for _, s := range []recording.TCPState{recording.TCPEstablished, recording.TCPTimeWait, recording.TCPCloseWait, recording.TCPFinWait2, recording.TCPSynSent, recording.TCPSynRecv} {
				if states[s] == 0 {
					t.Errorf("no connection in state %d was compared", s)
				}
			}
			if full == 0 {
				t.Error("no connection with tcp_info was compared")
			}
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Errorf("(-sock_diag +program)\n%s", problem)
}

// end is where a socket listens.
type end struct {
	address string
	port    uint16
}

// makeSockets opens sockets in many states and returns where their servers listen.
func makeSockets(t *testing.T) map[end]bool {
	t.Helper()
	servers := map[end]bool{}
	closing := func(c io.Closer) { t.Cleanup(func() { c.Close() }) }
	for _, address := range []string{ownAddress + ":0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Skipf("cannot listen: %v", err)
		}
		closing(l)
		listens := l.Addr().(*net.TCPAddr)
		servers[end{listens.IP.String(), uint16(listens.Port)}] = true
		pair := func() (client, server *net.TCPConn) {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			closing(c)
			s, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			closing(s)
			return c.(*net.TCPConn), s.(*net.TCPConn)
		}
		write := func(c net.Conn, n int) {
			if _, err := c.Write(make([]byte, n)); err != nil {
				t.Fatal(err)
			}
		}
		c, s := pair()
		write(c, 100000) // read
		if _, err := io.ReadFull(s, make([]byte, 100000)); err != nil {
			t.Fatal(err)
		}
		write(s, 500) // not read
		c, _ = pair() // more than the other end takes
		_ = c.SetWriteBuffer(1 << 17)
		_ = c.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		_, _ = c.Write(make([]byte, 16<<20))
		c, _ = pair() // CLOSE_WAIT and FIN_WAIT2
		_ = c.CloseWrite()
		c, s = pair() // TIME_WAIT
		c.Close()
		time.Sleep(20 * time.Millisecond)
		s.Close()
		// Nobody accepts it.
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			closing(c)
		}
	}
	// SYN_SENT: a queue for one connection that nobody accepts. SYN_RECV: one
	// that waits for the first byte.
	for _, deferred := range []int{0, 20} {
		l, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(l) })
		if err := unix.SetsockoptInt(l, unix.IPPROTO_TCP, unix.TCP_DEFER_ACCEPT, deferred); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(unix.Bind(l, &unix.SockaddrInet4{Addr: netip.MustParseAddr(ownAddress).As4()}), unix.Listen(l, 0)); err != nil {
			t.Fatal(err)
		}
		name, err := unix.Getsockname(l)
		if err != nil {
			t.Fatal(err)
		}
		servers[end{ownAddress, uint16(name.(*unix.SockaddrInet4).Port)}] = true
		for range 3 {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { unix.Close(fd) })
			if err := unix.Connect(fd, name); err != nil && !errors.Is(err, unix.EINPROGRESS) {
				t.Fatal(err)
			}
		}
	}
	time.Sleep(400 * time.Millisecond) // until delayed acknowledgements are sent
	return servers
}

// BenchmarkSample measures a sample of the sockets there are, by the program
// and by sock_diag.
func BenchmarkSample(b *testing.B) {
	for _, walk := range []bool{true, false} {
		b.Run(map[bool]string{true: "program", false: "sock_diag"}[walk], func(b *testing.B) {
			p, own := live(b)
			if !walk {
				p.closeWalker()
			}
			w := recording.NewWriter(time.Now())
			rows := 0
			for b.Loop() {
				p.tcp, p.resting, p.listens = make([]recording.TCPSample, 0, p.dumped), nil, p.listens[:0]
				p.beginDump()
				p.walk(w, true)
				if !walk {
					for _, n := range p.spaces {
						for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
							if err := p.streams(n, family, true); err != nil {
								b.Fatal(err)
							}
						}
					}
				}
				p.dumped, rows = len(p.tcp), len(p.tcp)+len(p.resting)
			}
			b.ReportMetric(float64(rows), "rows")
			_ = own
		})
	}
}

// BenchmarkWhole measures all that a sample within a window reads.
func BenchmarkWhole(b *testing.B) {
	p, _ := live(b)
	rows := 0
	for b.Loop() {
		w := recording.NewWriter(time.Now())
		if err := p.Sample(context.Background(), w); err != nil {
			b.Fatal(err)
		}
		rows += int(w.Rows())
	}
	b.ReportMetric(float64(rows)/float64(b.N), "rows")
}

// TestRestingConnections: a connection at rest is read once; once it moves, it
// is read again, and so is every one that is new.
func TestRestingConnections(t *testing.T) {
	p, _ := live(t)
	listener, err := net.Listen("tcp4", ownAddress+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := uint16(listener.Addr().(*net.TCPAddr).Port)
	var held []net.Conn
	for range 20 {
		conn, err := net.Dial("tcp4", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		held = append(held, conn)
	}
	read := func() (of map[uint16]recording.Again[recording.TCPSample]) {
		p.resting, of = nil, map[uint16]recording.Again[recording.TCPSample]{}
		p.walk(recording.NewWriter(time.Now()), true)
		for _, r := range p.resting {
			if r.Row.Remote == ownAddress && r.Row.RemotePort == port && r.Row.NetNS == p.own {
				of[r.Row.LocalPort] = r
			}
		}
		return of
	}
	first := read()
	for range 20 { // until delayed acknowledgements are sent
		before := first
		time.Sleep(400 * time.Millisecond)
		if first = read(); maps.EqualFunc(before, first, func(a, b recording.Again[recording.TCPSample]) bool { return a.Row == b.Row }) {
			break
		}
	}
	if len(first) != len(held) {
		t.Fatalf("%d connections of %d", len(first), len(held))
	}
	if _, err := held[7].Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	held[3].Close()
	port7, port3 := uint16(held[7].LocalAddr().(*net.TCPAddr).Port), uint16(held[3].LocalAddr().(*net.TCPAddr).Port)
	time.Sleep(100 * time.Millisecond)
	for local, now := range read() {
		was := first[local]
		moved := local == port7 || local == port3
		if same := now.Row == was.Row; same == moved {
			t.Errorf("port %d: moved %v, the row is the same one: %v", local, moved, same)
		}
		if local == port7 && now.Row.BytesSent != 5 {
			t.Errorf("%d bytes sent, want 5", now.Row.BytesSent)
		}
		if moved {
			continue
		}
		row := later(now.Row, now.At)
		if !row.LastReceive.Equal(was.Row.LastReceive) || !row.At.Equal(now.At) || row.LastReceive.IsZero() {
			t.Errorf("port %d: received at %v, before at %v; read at %v", local, row.LastReceive, was.Row.LastReceive, row.At)
		}
	}
}
