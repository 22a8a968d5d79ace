package retransmits

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// Types are laid out as in bpf/retransmits.c.
func TestLayout(t *testing.T) {
	if k, s := unsafe.Sizeof(key{}), unsafe.Sizeof(sum{}); k != 52 || s != 32 {
		t.Errorf("keys have %d bytes, sums %d", k, s)
	}
}

// run runs a command in the namespace of this thread.
func run(t *testing.T, line string) bool {
	words := strings.Fields(line)
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Logf("%s: %v: %s", line, err, out)
		return false
	}
	return true
}

// Segments that are sent again, and resets, are exactly those that the kernel counts.
func TestAgainstCounters(t *testing.T) {
	eventtest.Alone(t)
	eventtest.InNamespace(t, func(t *testing.T) {
		for _, line := range []string{"ip link set lo up mtu 1500",
			"iptables -A INPUT -p tcp --dport 5201 ! --syn -m statistic --mode nth --every 20 --packet 0 -j DROP",
			"iptables -A INPUT -p tcp --dport 5202 --syn -m statistic --mode nth --every 2 --packet 0 -j DROP",
			"iptables -A INPUT -p tcp --sport 5204 --tcp-flags SYN,ACK SYN,ACK -m statistic --mode nth --every 2 --packet 0 -j DROP"} {
			if !run(t, line) {
				t.Skip("this needs iproute2 and iptables")
			}
		}
		var own unix.Stat_t
		if err := unix.Stat("/proc/thread-self/ns/net", &own); err != nil {
			t.Error(err)
			return
		}
		var before, after map[string]int64
		var local string
		const refused, aborted = 7, 3
		rec := eventtest.Watch(t, New(), func() {
			before = eventtest.NetCounters(t)
			local = transfer(t, 5201, 4<<20, nil)
			// The first copy is lost on its way; the next ones do not leave this host.
			const lost, held = "INPUT -p tcp --dport 5203 ! --syn -j DROP", "OUTPUT -p tcp --dport 5203 ! --syn -j DROP"
			run(t, "iptables -A "+lost)
			transfer(t, 5203, 1, func() {
				run(t, "iptables -A "+held)
				time.Sleep(500 * time.Millisecond)
				run(t, "iptables -D "+held)
				run(t, "iptables -D "+lost)
			})
			for range 2 {
				transfer(t, 5202, 1, nil)
				transfer(t, 5204, 1, nil)
			}
			for range refused {
				if c, err := net.Dial("tcp4", "127.0.0.1:5999"); err == nil {
					c.Close()
				}
			}
			for range aborted {
				abort(t)
			}
			time.Sleep(300 * time.Millisecond)
			after = eventtest.NetCounters(t)
		})
		got := map[string]int64{}
		failed := int64(0)
		for _, r := range recording.Rows[recording.TCPEvent](rec) {
			if r.NetNS != own.Ino {
				continue
			}
			got[r.Kind] += r.Packets
			failed += r.Failed
			if r.Span <= 0 || r.Local != "127.0.0.1" || r.Remote != "127.0.0.1" || r.LocalPort+r.RemotePort == 0 {
				t.Errorf("%+v", r)
			}
			switch {
			case r.Kind == recording.TCPSegment && r.RemotePort == 5201 && (fmt.Sprintf("127.0.0.1:%d", r.LocalPort) != local || r.State == recording.TCPEstablished && (r.Inode == 0 || r.Bytes == 0)):
				t.Errorf("of the transfer on %s: %+v", local, r)
			case r.Kind == recording.TCPResetSent && r.LocalPort == 5999 && (r.Reason != "NO_SOCKET" || r.RemotePort != 0 || r.Packets != refused):
				t.Errorf("of a closed port: %+v", r)
			case r.Kind == recording.TCPResetReceived && r.RemotePort == 5999 && (r.State != recording.TCPSynSent || r.LocalPort != 0 || r.Packets != refused):
				t.Errorf("of a refused connect: %+v", r)
			}
		}
		grown := func(name string) int64 { return after[name] - before[name] }
		for _, c := range []struct {
			what      string
			got, want int64
		}{
			{"TcpRetransSegs", got[recording.TCPSegment] + got[recording.TCPSyn] + got[recording.TCPSynAck], grown("TcpRetransSegs")},
			{"TCPSynRetrans", got[recording.TCPSyn] + got[recording.TCPSynAck], grown("TcpExtTCPSynRetrans")},
			{"OutRsts", got[recording.TCPResetSent], grown("TcpOutRsts")},
			{"received resets", got[recording.TCPResetReceived], refused + aborted},
		} {
			t.Logf("%s: %d", c.what, c.want)
			if c.got != c.want || c.want == 0 {
				t.Errorf("%s: %d, the kernel counts %d", c.what, c.got, c.want)
			}
		}
		if got[recording.TCPSyn] == 0 || got[recording.TCPSynAck] == 0 {
			t.Errorf("kinds: %v", got)
		}
		if failed == 0 {
			t.Error("no segment was held back by the rule for packets that go out")
		}
	})
}

// Of more connections than have sums of their own, nothing is lost.
func TestManyConnections(t *testing.T) {
	eventtest.Alone(t)
	eventtest.InNamespace(t, func(t *testing.T) {
		if !run(t, "ip link set lo up") {
			t.Skip("this needs iproute2")
		}
		const many = 700
		rec := eventtest.Watch(t, New(), func() {
			for range many {
				abort(t)
			}
		})
		packets := map[string]int64{}
		summed := 0
		for _, r := range recording.Rows[recording.TCPEvent](rec) {
			if r.LocalPort != 5205 && r.RemotePort != 5205 {
				continue
			}
			packets[r.Kind] += r.Packets
			if r.Local == "" && r.State == 0 && r.Remote == "" && r.LocalPort*r.RemotePort == 0 {
				summed++
			}
		}
		if packets[recording.TCPResetSent] != many || packets[recording.TCPResetReceived] != many || summed != 2 {
			t.Errorf("%v, %d rows of what had no room", packets, summed)
		}
	})
}

// A scan of ports has more services than there is room for, and hides no other reset.
func TestScan(t *testing.T) {
	eventtest.Alone(t)
	eventtest.InNamespace(t, func(t *testing.T) {
		if !run(t, "ip link set lo up") {
			t.Skip("this needs iproute2")
		}
		var own unix.Stat_t
		if err := unix.Stat("/proc/thread-self/ns/net", &own); err != nil {
			t.Error(err)
			return
		}
		const first, ports = 6000, 3000
		rec := eventtest.Watch(t, New(), func() {
			for port := range ports {
				if c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", first+port)); err == nil {
					c.Close()
				}
			}
			abort(t)
		})
		sent, received, rest := int64(0), int64(0), int64(0)
		for _, r := range recording.Rows[recording.TCPEvent](rec) {
			if r.NetNS != own.Ino {
				continue
			}
			switch r.Kind {
			case recording.TCPResetSent:
				sent += r.Packets
			case recording.TCPResetReceived:
				received += r.Packets
			}
			if r.LocalPort+r.RemotePort == 0 {
				rest += r.Packets
			}
		}
		if sent != ports+1 || received != ports+1 || rest == 0 {
			t.Errorf("%d resets sent, %d received, %d of them in the sum of the namespace", sent, received, rest)
		}
	})
}

// listen opens a port that reads what comes, and says when it has all of a connection.
func listen(t *testing.T, port int) (l net.Listener, all chan struct{}) {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	all = make(chan struct{})
	go func() {
		defer close(all)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.Copy(io.Discard, c)
	}()
	return l, all
}

// transfer sends bytes to a port, and returns the address that sent them. What is
// done later comes after they were sent.
func transfer(t *testing.T, port, bytes int, later func()) string {
	l, all := listen(t, port)
	if l == nil {
		return ""
	}
	defer l.Close()
	c, err := net.DialTimeout("tcp4", l.Addr().String(), 10*time.Second)
	if err != nil {
		t.Error(err)
		return ""
	}
	if _, err := c.Write(make([]byte, bytes)); err != nil {
		t.Error(err)
	}
	if later != nil {
		later()
	}
	from := c.LocalAddr().String()
	c.Close()
	<-all
	return from
}

// A program that closes with data unread resets the connection; whether the other end had
// closed before is told.
func TestUnread(t *testing.T) {
	eventtest.Alone(t)
	eventtest.InNamespace(t, func(t *testing.T) {
		if !run(t, "ip link set lo up") {
			t.Skip("this needs iproute2")
		}
		closeUnread := func(closeFirst bool) {
			l, err := net.Listen("tcp4", "127.0.0.1:5206")
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			c, err := net.Dial("tcp4", l.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			s, err := l.Accept()
			if err == nil {
				_, err = c.Write(make([]byte, 100))
			}
			if err != nil {
				t.Error(err)
				return
			}
			if closeFirst {
				c.Close()
			}
			time.Sleep(50 * time.Millisecond)
			s.Close()
		}
		rec := eventtest.Watch(t, New(), func() {
			closeUnread(false)
			closeUnread(true)
			time.Sleep(300 * time.Millisecond)
		})
		got := map[recording.TCPState]string{}
		for _, r := range recording.Rows[recording.TCPEvent](rec) {
			if r.Kind == recording.TCPResetSent && r.LocalPort == 5206 {
				got[r.State] = r.Reason
			}
		}
		if len(got) != 2 || got[recording.TCPClose] != "TCP_ABORT_ON_CLOSE" || got[recording.TCPCloseWait] != "TCP_ABORT_ON_CLOSE" {
			t.Errorf("got %v", got)
		}
	})
}

// abort ends a connection by a reset.
func abort(t *testing.T) {
	l, all := listen(t, 5205)
	if l == nil {
		return
	}
	defer l.Close()
	c, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	_ = c.(*net.TCPConn).SetLinger(0)
	c.Close()
	<-all
}
