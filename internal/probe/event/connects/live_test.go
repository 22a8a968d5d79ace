package connects

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// Types are laid out as in bpf/connects.c.
func TestLayout(t *testing.T) {
	if k, s, e := unsafe.Sizeof(key{}), unsafe.Sizeof(sum{}), unsafe.Sizeof(told{}); k != 52 || s != 152 || e != 96 {
		t.Errorf("keys have %d bytes, sums %d, events %d", k, s, e)
	}
}

// nowhere gives the network namespace of this thread a link that leads nowhere and has
// 10.99.0.1 on it: what is sent to 10.99.0.2 gets no answer.
func nowhere(t *testing.T) bool {
	for _, line := range []string{"ip link add void type veth peer name end", "ip addr add 10.99.0.1/24 dev void", "ip link set void up", "ip link set end up",
		"ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev void"} {
		words := strings.Fields(line)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
			return false
		}
	}
	return localPorts(t, "40000 49999")
}

// localPorts sets from which ports the namespace connects.
func localPorts(t *testing.T, of string) bool {
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_local_port_range", []byte(of), 0); err != nil {
		t.Error(err)
		return false
	}
	return true
}

// dial connects, and says how long that took.
func dial(to string, timeout time.Duration) (time.Duration, error) {
	began := time.Now()
	c, err := net.DialTimeout("tcp4", to, timeout)
	took := time.Since(began)
	if err == nil {
		c.Close()
	}
	return took, err
}

// steps of the test: connects that succeed, are refused, are given up, and find no port.
const good, bad, vain, ports, portless, taken = 50, 20, 2, 4, 3, 1

// connect makes these connects in a namespace of its own, and gives the time of each
// kind, as they were timed by who made them, and the port that is open.
func connect(t *testing.T) (ok, refused, waited, without, used time.Duration, port int) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Error(err)
		return
	}
	defer l.Close()
	port = l.Addr().(*net.TCPAddr).Port
	for range good {
		took, err := dial(l.Addr().String(), time.Second)
		if err != nil {
			t.Error(err)
		}
		ok += took
	}
	for range bad {
		took, err := dial("127.0.0.1:9", time.Second)
		if !errors.Is(err, unix.ECONNREFUSED) {
			t.Error(err)
		}
		refused += took
	}
	for range vain {
		took, err := dial("10.99.0.2:80", 150*time.Millisecond)
		if err == nil {
			t.Error("10.99.0.2 answers")
		}
		waited += took
	}
	more, again := bindTwice(t, l.Addr().String())
	ok, used = ok+more, again
	more, held := usePorts(t, l.Addr().String())
	ok, without = ok+more, held
	time.Sleep(20 * time.Millisecond) // until all connections are accepted
	return ok, refused, waited, without, used, port
}

// bindTwice connects twice with a local port that the process has bound itself.
func bindTwice(t *testing.T, to string) (connected, refused time.Duration) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 39000}, Control: func(_, _ string, c syscall.RawConn) (err error) {
		return errors.Join(c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1) }), err)
	}}
	began := time.Now()
	c, err := d.Dial("tcp4", to)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	connected, began = time.Since(began), time.Now()
	if _, err = d.Dial("tcp4", to); !errors.Is(err, unix.EADDRNOTAVAIL) {
		t.Error(err)
	}
	return connected, time.Since(began)
}

// usePorts connects with all of a few local ports, and then more often; package net tries
// each of these three times.
func usePorts(t *testing.T, to string) (connected, refused time.Duration) {
	localPorts(t, "50000 50003") // ports that no connect before used
	for range ports {
		began := time.Now()
		c, err := net.Dial("tcp4", to)
		if err != nil {
			t.Error(err)
			return connected, refused
		}
		defer c.Close()
		connected += time.Since(began)
	}
	for range portless {
		took, err := dial(to, time.Second)
		if !errors.Is(err, unix.EADDRNOTAVAIL) {
			t.Error(err)
		}
		refused += took
	}
	localPorts(t, "40000 49999")
	return connected, refused
}

// Connects have the process, the result and the time that who makes them sees.
func TestAgainstItsOwnClock(t *testing.T) {
	eventtest.InNamespace(t, func(t *testing.T) {
		if !nowhere(t) {
			return
		}
		var own unix.Stat_t
		if err := unix.Stat("/proc/thread-self/ns/net", &own); err != nil {
			t.Error(err)
			return
		}
		for _, s := range []*Source{New(), Each()} {
			var ok, refused, waited, without, used time.Duration
			var port int
			rec := eventtest.Watch(t, s, func() { ok, refused, waited, without, used, port = connect(t) })
			missed := eventtest.Missed(rec)
			got := map[string]recording.Connect{}
			for _, r := range recording.Rows[recording.Connect](rec) {
				if r.NetNS != own.Ino {
					continue
				}
				if r.Result != recording.ConnectAccepted && (int(r.PID) != os.Getpid() || r.Process == "" || r.Started.IsZero()) || s.each && (r.Connects != 1 || r.Result != recording.ConnectNotSent && (r.Local == "" || r.LocalPort == 0)) {
					t.Errorf("%+v", r)
				}
				name := fmt.Sprintf("%s %s:%d", r.Result, r.Remote, r.RemotePort)
				if r.Result == recording.ConnectAccepted {
					name = fmt.Sprintf("%s %s:%d", r.Result, r.Local, r.LocalPort)
				}
				sum := got[name]
				sum.Connects += r.Connects
				sum.Time += r.Time
				sum.Longest = max(sum.Longest, r.Longest)
				got[name] = sum
			}
			for _, c := range []struct {
				name string
				n    int64
				took time.Duration // 0: is not known
			}{{fmt.Sprintf("connected 127.0.0.1:%d", port), good + ports + taken, ok}, {fmt.Sprintf("not sent 127.0.0.1:%d", port), 3 * portless, without}, {fmt.Sprintf("EADDRNOTAVAIL 127.0.0.1:%d", port), taken, used}, {"ECONNREFUSED 127.0.0.1:9", bad, refused}, {"abandoned 10.99.0.2:80", vain, waited}, {fmt.Sprintf("accepted 127.0.0.1:%d", port), good + ports + taken, 0}} {
				r, found := got[c.name]
				delete(got, c.name)
				if s.each && c.took == 0 {
					if found {
						t.Errorf("%s: %+v", c.name, r)
					}
					continue
				}
				// A connect takes less than what its caller sees; those that wait, hardly less.
				if r.Connects > c.n || r.Connects < c.n-missed || r.Time > c.took || r.Longest > r.Time || c.took > 0 && r.Longest == 0 || strings.HasPrefix(c.name, recording.ConnectAbandoned) && missed == 0 && r.Time < c.took*9/10 {
					t.Errorf("%s: %d in %v, want %d in %v at most", c.name, r.Connects, r.Time, c.n, c.took)
				}
				missed -= max(c.n-r.Connects, 0)
				t.Logf("%s: %d in %v, seen by who made them: %v", c.name, r.Connects, r.Time, c.took)
			}
			if len(got) > 0 {
				t.Errorf("beside them: %v", got)
			}
		}
	})
}

// Results have the names that people know.
func TestResults(t *testing.T) {
	var names []string
	for _, r := range []int32{0, abandoned, notSent, accepted, int32(unix.ECONNREFUSED), int32(unix.ETIMEDOUT), 4242, -77} {
		names = append(names, resultName(r))
	}
	if want := []string{"connected", "abandoned", "not sent", "accepted", "ECONNREFUSED", "ETIMEDOUT", "error 4242", "error -77"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// A record that is cut is no connect.
func FuzzRow(f *testing.F) {
	f.Add(make([]byte, 96))
	f.Add([]byte("short"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if row, ok := Each().row(b); ok && (row.Connects != 1 || row.Time < 0) {
			t.Errorf("%+v", row)
		}
	})
}
