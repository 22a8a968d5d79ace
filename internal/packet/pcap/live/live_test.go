package live

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/packet/pcap"
)

func start(t *testing.T, o Options) *Source {
	t.Helper()
	s, err := Open(o)
	if errors.Is(err, unix.EPERM) {
		if !strings.Contains(err.Error(), "CAP_NET_RAW") {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// collect reads until n packets came or the time is over.
func collect(t *testing.T, s *Source, n int) []pcap.Packet {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	var all []pcap.Packet
	for len(all) < n {
		b, err := s.Next(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range b.Packets {
			p.Data = bytes.Clone(p.Data)
			all = append(all, p)
		}
		b.Release()
	}
	return all
}

func TestLoopback(t *testing.T) {
	server, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	port := uint16(server.LocalAddr().(*net.UDPAddr).Port)
	for _, where := range []string{"lo", Any} {
		t.Run(where, func(t *testing.T) {
			s := start(t, Options{Interface: where, Ports: []uint16{port}, SnapLength: 60, Blocks: 2})
			client, err := net.Dial("udp4", server.LocalAddr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			before := time.Now().UnixNano()
			for range 10 {
				if _, err := client.Write(bytes.Repeat([]byte("x"), 100)); err != nil {
					t.Fatal(err)
				}
			}
			// One more than there are would show copies of what loops back.
			all := collect(t, s, 11)
			if len(all) != 10 {
				t.Fatalf("%d packets, want 10", len(all))
			}
			for i, p := range all {
				late := p.Time - before
				if p.Frame != uint64(i+1) || len(p.Data) != 60 || p.Wire != 142 || p.Link != pcap.LinkEthernet || p.Way != pcap.WayUnknown || late < 0 || late > 5e9 {
					t.Errorf("packet %d: %+v", i, p)
				}
			}
			if l := s.Loss(); !l.Known || l.Received != 10 || l.Dropped != 0 {
				t.Errorf("%+v", l)
			}
			if i := s.Interfaces(); len(i) != 1 || i[0].Name != "lo" {
				t.Error(i)
			}
		})
	}
}

// namespace moves the test to a network namespace of its own with the two
// ends of a virtual cable.
func namespace(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root for a network namespace")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip(err)
	}
	runtime.LockOSThread() // and never unlock: the thread ends with the test
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skip(err)
	}
	for _, line := range []string{
		"link set lo up",
		"link add va type veth peer name vb",
		"link set va up", "link set vb up",
	} {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			t.Skipf("ip %s: %s", line, out)
		}
	}
}

func TestVLANAndWay(t *testing.T) {
	namespace(t)
	out := start(t, Options{Interface: "va", Blocks: 2})
	in := start(t, Options{Interface: "vb", Blocks: 2})
	// The receiving side finds the tag beside the packet, not in it.
	tagged := append(bytes.Repeat([]byte{0xff}, 12), 0x81, 0, 0x20, 7, 0x88, 0xb5)
	tagged = append(tagged, bytes.Repeat([]byte("x"), 60)...)
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, tagged, 0, &unix.SockaddrLinklayer{Ifindex: out.index}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		s   *Source
		way pcap.Way
	}{{out, pcap.Outbound}, {in, pcap.Inbound}} {
		found := false
		for _, p := range collect(t, tc.s, 100) {
			if bytes.Equal(p.Data, tagged) {
				found = true
				if p.Way != tc.way || p.Wire != uint32(len(tagged)) {
					t.Errorf("%+v", p)
				}
			}
		}
		if !found {
			t.Errorf("no tagged packet with way %d", tc.way)
		}
	}
}

func TestVanish(t *testing.T) {
	namespace(t)
	s := start(t, Options{Interface: "va", Blocks: 2})
	ip(t, "link del va")
	untilEnd(t, s)
	if n := s.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "vanished") {
		t.Error(n)
	}
}

// An interface that is down comes up again, or is deleted without a further word
// of the kernel.
func TestDown(t *testing.T) {
	namespace(t)
	s := start(t, Options{Interface: "va", Blocks: 2})
	for _, before := range []string{"up", "down"} {
		ip(t, "link set va "+before)
		collect(t, s, 100)
	}
	if n := s.Notes(); len(n) != 1 || n[0].Text != wentDown {
		t.Error(n)
	}
	ip(t, "link set va up")
	if len(collect(t, s, 1)) == 0 {
		t.Error("no packets after it came up")
	}
	ip(t, "link set va down")
	collect(t, s, 100)
	s.down = s.down.Add(-deletion) // long ago
	ip(t, "link del va")
	untilEnd(t, s)
	if n := s.Notes(); len(n) != 2 || n[0].Text != wentDown || !strings.Contains(n[1].Text, "vanished") {
		t.Error(n)
	}
}

// Of an interface that is deleted nobody hears that it may come up.
func TestDownAndDeleted(t *testing.T) {
	namespace(t)
	s := start(t, Options{Interface: "va", Blocks: 2})
	ip(t, "link set va down")
	collect(t, s, 100)
	ip(t, "link del va")
	s.down = time.Now() // however slow this machine is
	untilEnd(t, s)
	if n := s.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "vanished") {
		t.Error(n)
	}
}

func ip(t *testing.T, line string) {
	t.Helper()
	if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %s", line, out)
	}
}

// untilEnd reads until the capture ends by itself.
func untilEnd(t *testing.T, s *Source) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for {
		b, err := s.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b.Release()
	}
}

// A capture knows the interfaces of the namespace in which it was opened, not
// those of the thread that reads it.
func TestOtherNamespace(t *testing.T) {
	namespace(t)
	s := start(t, Options{Interface: "va", Blocks: 2})
	outside := func(read func()) {
		done := make(chan struct{})
		go func() { // not on the thread of the test, which is locked
			defer close(done)
			read()
		}()
		<-done
	}
	outside(func() { collect(t, s, 1) }) // IPv6 looks for neighbours
	if i := s.Interfaces(); len(i) != 1 || i[0].Name != "va" {
		t.Errorf("%+v", i)
	}
	if out, err := exec.Command("ip", "link", "del", "va").CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	outside(func() {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		for {
			b, err := s.Next(ctx)
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			b.Release()
		}
	})
}

// A reader that keeps its batches makes the kernel drop packets, which are
// counted; it does not make packets change under it.
func TestDrops(t *testing.T) {
	server, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := start(t, Options{Interface: "lo", Ports: []uint16{uint16(server.LocalAddr().(*net.UDPAddr).Port)}, Blocks: 2})
	client, err := net.Dial("udp4", server.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	data := bytes.Repeat([]byte("x"), 8000)
	send := func(n int) {
		for range n {
			_, _ = client.Write(data)
		}
	}
	send(400) // 3 MB into a ring of 2
	time.Sleep(100 * time.Millisecond)
	var kept []*pcap.Batch
	seen := 0
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	for {
		b, err := s.Next(ctx)
		if err != nil {
			break
		}
		seen += len(b.Packets)
		kept = append(kept, b)
	}
	l := s.Loss()
	if l.Dropped == 0 || l.Received+l.Dropped != 400 || seen != int(l.Received) {
		t.Errorf("%+v, seen %d", l, seen)
	}
	for _, b := range kept {
		for _, p := range b.Packets {
			if !bytes.HasSuffix(p.Data, data) {
				t.Fatal("a packet changed")
			}
		}
		b.Release()
	}
	send(10)
	if n := len(collect(t, s, 10)); n != 10 {
		t.Errorf("%d packets after the ring was released, want 10", n)
	}
}

func TestNoInterface(t *testing.T) {
	_, err := Open(Options{Interface: "nonesuch0"})
	if err == nil || !strings.HasPrefix(err.Error(), "capture on nonesuch0: no such interface") || !strings.Contains(err.Error(), "there are ") || !strings.Contains(err.Error(), "lo") {
		t.Error(err)
	}
}

func TestStop(t *testing.T) {
	s := start(t, Options{Interface: "lo", Ports: []uint16{1}, Blocks: 2})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > time.Second {
		t.Error(err, time.Since(begin))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if l := s.Loss(); !l.Known {
		t.Error(l)
	}
}

var _ pcap.Source = (*Source)(nil)
