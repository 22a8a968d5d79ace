package bothsides

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vishvananda/netns"

	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/pcap/live"
)

// TestLive captures on both sides of a router that shapes what goes back to the
// client. Both captures have one clock, so that its offset must come out as
// nothing; the time must be found on the way back, not at the server.
func TestLive(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("makes network namespaces: needs root")
	}
	name := func(n string) string { return fmt.Sprintf("rtrail-pair-%d-%s", os.Getpid(), n) }
	run := func(line string) {
		t.Helper()
		line = strings.NewReplacer("CLIENT", name("c"), "ROUTER", name("r"), "SERVER", name("s")).Replace(line)
		if out, err := exec.Command("/bin/sh", "-c", line).CombinedOutput(); err != nil {
			t.Skipf("%s: %v: %s", line, err, out)
		}
	}
	for _, n := range []string{"c", "r", "s"} {
		run("ip netns add " + name(n))
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", name(n)).Run() })
	}
	for _, line := range []string{
		"ip link add c0 netns CLIENT type veth peer name r0 netns ROUTER",
		"ip link add s0 netns SERVER type veth peer name r1 netns ROUTER",
		"ip -n CLIENT addr add 10.78.1.1/24 dev c0 && ip -n CLIENT link set c0 up",
		"ip -n ROUTER addr add 10.78.1.2/24 dev r0 && ip -n ROUTER link set r0 up",
		"ip -n ROUTER addr add 10.78.2.2/24 dev r1 && ip -n ROUTER link set r1 up",
		"ip -n SERVER addr add 10.78.2.1/24 dev s0 && ip -n SERVER link set s0 up",
		"ip -n CLIENT route add default via 10.78.1.2 && ip -n SERVER route add default via 10.78.2.2",
		"ip netns exec ROUTER sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'",
		"tc -n ROUTER qdisc add dev r0 root tbf rate 20mbit burst 8kb latency 400ms",
	} {
		run(line)
	}
	var listener net.Listener
	var sources [2]pcap.Source
	within(t, name("s"), func() (err error) {
		listener, err = net.Listen("tcp", "10.78.2.1:80")
		return err
	})
	for side, at := range [][2]string{{name("c"), "c0"}, {name("s"), "s0"}} {
		within(t, at[0], func() (err error) {
			sources[side], err = live.Open(live.Options{Interface: at[1], Ports: []uint16{80}})
			return err
		})
	}
	body := strings.Repeat("x", 20000)
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = io.WriteString(w, body)
	})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()

	ctx, stop := context.WithCancel(context.Background())
	files := [2][]string{}
	var captures sync.WaitGroup
	for side, name := range []string{"client.pcapng", "server.pcapng"} {
		path := filepath.Join(t.TempDir(), name)
		files[side] = []string{path}
		captures.Go(func() { keep(ctx, t, sources[side], path) })
	}
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			within(t, name("c"), func() error { return ask("10.78.2.1:80", 25) })
		})
	}
	clients.Wait()
	time.Sleep(300 * time.Millisecond)
	stop()
	captures.Wait()

	found := 0
	result, err := Run(context.Background(), Options{Sides: sides(files), Each: func(*Split) { found++ }})
	if err != nil {
		t.Fatal(err)
	}
	s := result.Services[0]
	t.Logf("offset %v ± %v, round trip %v; %d requests: there %v, server %v, back %v, resent %v, download %v", result.Clock.Offset, result.Clock.Uncertainty,
		result.Clock.RoundTrip, found, s.PathThere.Sum, s.Serve.Sum, s.PathBack.Sum, s.ResentThere.Sum+s.ResentBack.Sum, s.Download.Sum)
	if result.Clock.Offset.Abs() > result.Clock.Uncertainty {
		t.Errorf("one clock is said to be %v off itself, within %v", result.Clock.Offset, result.Clock.Uncertainty)
	}
	if found < 95 {
		t.Errorf("%d of 100 requests were split: %+v", found, result.Excluded)
	}
	if s.PathBack.Sum+s.Download.Sum < 4*(s.Serve.Sum+s.PathThere.Sum) {
		t.Errorf("the shaped way back and download took %v and %v, the server %v, the way there %v", s.PathBack.Sum, s.Download.Sum, s.Serve.Sum, s.PathThere.Sum)
	}
}

// within does something in a network namespace. What it opens stays there.
func within(t *testing.T, name string, do func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with it
		there, err := netns.GetFromName(name)
		if err == nil {
			defer there.Close()
			err = netns.Set(there)
		}
		if err == nil {
			err = do()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// ask sends requests over one connection, one after the other.
func ask(address string, n int) error {
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	buffer := make([]byte, 64<<10)
	for range n {
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			return err
		}
		for got, all := 0, -1; got != all; {
			_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
			k, err := conn.Read(buffer[got:])
			if err != nil {
				return err
			}
			got += k
			if head := strings.Index(string(buffer[:got]), "\r\n\r\n"); head >= 0 && all < 0 {
				all = head + 4 + 20000
			}
		}
	}
	return nil
}

// keep writes a capture until it is stopped.
func keep(ctx context.Context, t *testing.T, src pcap.Source, path string) {
	f, err := os.Create(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	w := pcap.NewWriter(f, pcap.PCAPNG, src.Interfaces)
	defer src.Close()
	for {
		b, err := src.Next(ctx)
		if b != nil {
			for i := range b.Packets {
				if err := w.Write(&b.Packets[i]); err != nil {
					t.Error(err)
				}
			}
			if b.Release != nil {
				b.Release()
			}
		}
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			if err := w.Close(src.Loss()); err != nil {
				t.Error(err)
			}
			return
		}
	}
}
