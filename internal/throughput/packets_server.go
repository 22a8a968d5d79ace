package throughput

import (
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/crash"
)

// What begins each packet: the run's session, so that nothing else counts, the packet's
// number from 0, and when it was sent by the sender's clock, in ns.
const (
	tokenBytes  = 16
	headerBytes = tokenBytes + 8 + 8
)

// Arrivals is what came of a run's packets to the server, which answers none of them: it
// cannot be used to load a third host.
type Arrivals struct {
	Received  int64         `json:"received"`
	Bytes     int64         `json:"received_bytes"` // payload
	Expected  int64         `json:"expected"`       // one more than the highest number that came
	Reordered int64         `json:"reordered"`      // came after one that was sent later
	Foreign   int64         `json:"foreign"`        // not of this run
	Dropped   int64         `json:"dropped"`        // by the full receive buffer of the socket
	Buffer    int64         `json:"buffer_bytes"`   // SO_RCVBUF as the kernel counts it
	Jitter    time.Duration `json:"jitter_ns"`      // of the time under way (RFC 3550, 6.4.1)
}

func (a *Arrivals) sane() bool {
	for _, n := range []int64{a.Received, a.Bytes, a.Expected, a.Reordered, a.Foreign, a.Dropped, a.Buffer} {
		if n < 0 || n > 1<<50 {
			return false
		}
	}
	return a.Jitter >= 0 && a.Jitter < time.Hour
}

// arrivals counts the packets of one run.
type arrivals struct {
	socket *net.UDPConn
	token  [tokenBytes]byte
	done   chan struct{}

	mu      sync.Mutex
	sum     Arrivals
	transit time.Duration // of the one before; clocks differ, so that only its changes mean something
}

// wantedBuffer is asked for, so that a reader without a CPU for some ms loses nothing.
const wantedBuffer = 4 << 20

// listenPackets listens on the UDP port of the number and address of the control connection.
func listenPackets(at net.Addr, session string) (*arrivals, error) {
	tcp, ok := at.(*net.TCPAddr)
	if !ok {
		return nil, errors.New("no TCP address")
	}
	socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: tcp.IP, Port: tcp.Port, Zone: tcp.Zone})
	if err != nil {
		return nil, fmt.Errorf("listening for packets: %w", err)
	}
	_ = socket.SetReadBuffer(wantedBuffer) // the kernel may grant less
	a := &arrivals{socket: socket, done: make(chan struct{})}
	copy(a.token[:], session)
	go func() {
		defer close(a.done)
		_ = crash.Guard(a.read)
	}()
	return a, nil
}

func (a *arrivals) close() {
	a.socket.Close()
	<-a.done
}

func (a *arrivals) read() error {
	buffer := make([]byte, LargestPacket)
	for {
		n, _, err := a.socket.ReadFromUDPAddrPort(buffer)
		if err != nil {
			return err
		}
		a.take(buffer[:n], time.Now())
	}
}

func (a *arrivals) take(p []byte, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(p) < headerBytes || subtle.ConstantTimeCompare(p[:tokenBytes], a.token[:]) == 0 {
		a.sum.Foreign++
		return
	}
	seq := binary.BigEndian.Uint64(p[tokenBytes:])
	if seq >= 1<<40 {
		a.sum.Foreign++
		return
	}
	transit := time.Duration(at.UnixNano() - int64(binary.BigEndian.Uint64(p[tokenBytes+8:])))
	if a.sum.Received > 0 {
		a.sum.Jitter += (min((transit-a.transit).Abs(), time.Minute) - a.sum.Jitter) / 16
	}
	a.transit = transit
	if int64(seq) < a.sum.Expected {
		a.sum.Reordered++
	}
	a.sum.Expected = max(a.sum.Expected, int64(seq)+1)
	a.sum.Received++
	a.sum.Bytes += int64(len(p))
}

// now is what came until now.
func (a *arrivals) now() *Arrivals {
	dropped, buffer := memory(a.socket)
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := a.sum
	sum.Dropped, sum.Buffer = dropped, buffer
	return &sum
}

const (
	pause   = 50 * time.Millisecond
	longest = 2 * time.Second
)

// settled is what came when nothing more comes, at most two seconds later: packets may still
// wait in queues.
func (a *arrivals) settled() *Arrivals {
	last := a.now()
	for range longest / pause {
		time.Sleep(pause)
		next := a.now()
		if next.Received == last.Received {
			return next
		}
		last = next
	}
	return last
}

// memory is what a socket had no room for (SK_MEMINFO_DROPS), and its receive buffer.
func memory(c *net.UDPConn) (dropped, buffer int64) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0
	}
	_ = raw.Control(func(fd uintptr) {
		var info [unix.SK_MEMINFO_VARS]uint32
		size := uint32(unsafe.Sizeof(info))
		if _, _, e := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_MEMINFO, uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0); e == 0 {
			dropped, buffer = int64(info[unix.SK_MEMINFO_DROPS]), int64(info[unix.SK_MEMINFO_RCVBUF])
		}
	})
	return dropped, buffer
}
