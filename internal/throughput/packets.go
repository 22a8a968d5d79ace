package throughput

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/crash"
)

// Bounds of single packets.
const (
	SmallestPacket = headerBytes
	LargestPacket  = 1472 // payload of Ethernet's 1500 bytes
	FastestRate    = 1_000_000
)

// PacketPlan is a step: packets of one size at one rate.
type PacketPlan struct {
	Server string // HOST:PORT
	Length time.Duration
	Size   int // payload, bytes
	Rate   int // packets a second that shall be sent
}

// PacketSecond is what came in one second, as the receiver counts it.
type PacketSecond struct {
	Second    int           `json:"second"` // from 1
	Size      int           `json:"size"`
	Asked     int           `json:"asked_per_second"`
	Sent      int64         `json:"sent"`
	Received  int64         `json:"received"`
	Lost      int64         `json:"lost"` // by the numbers of those that came
	Reordered int64         `json:"reordered"`
	Dropped   int64         `json:"dropped"` // of Lost: the receive buffer was full
	Jitter    time.Duration `json:"jitter_ns"`
	CPU       float64       `json:"busiest_cpu"`      // of the sender
	PeerCPU   float64       `json:"peer_busiest_cpu"` // of the receiver
}

// PacketStep is what a step measured.
type PacketStep struct {
	Size     int           `json:"size"`
	Overhead int           `json:"overhead_bytes"` // headers of UDP, IP and Ethernet, per packet
	Asked    int           `json:"asked_per_second"`
	Length   time.Duration `json:"length_ns"`
	Tried    int64         `json:"tried"`   // handed to the kernel; fewer than asked for where the sender got no CPU
	Refused  int64         `json:"refused"` // of Tried: by this host, whose own queue was full, or by a filter
	Sent     int64         `json:"sent"`
	Arrivals Arrivals      `json:"arrivals"`
	CPU      float64       `json:"busiest_cpu"`      // of the sender, over the whole step
	PeerCPU  float64       `json:"peer_busiest_cpu"` // of the receiver, mean of its seconds
}

// Run sends packets; tell is called for each second. A step that ctx ends is worth nothing.
func (p *PacketPlan) Run(ctx context.Context, tell func(*PacketSecond)) (*PacketStep, error) {
	interrupted := ctx.Done()
	ctx, stop := context.WithTimeout(ctx, p.Length+grace+longest)
	defer stop()
	plan := Plan{Server: p.Server, Mode: Packets, Length: p.Length}
	control, a, err := plan.begin(ctx, hello{Mode: Packets, Length: p.Length, Size: p.Size})
	if err != nil {
		return nil, err
	}
	defer control.Close()
	defer context.AfterFunc(ctx, func() { control.Close() })()
	out, err := p.open(control.RemoteAddr(), a.Session)
	if err != nil {
		return nil, err
	}
	defer out.socket.Close()
	sending, end := context.WithCancel(ctx)
	failed := make(chan error, 1)
	before := readCPUs()
	step := &PacketStep{Size: p.Size, Overhead: out.overhead, Asked: p.Rate}
	go func() {
		failed <- crash.Guard(func() error {
			defer close(out.done)
			err := out.send(sending, p.Rate, p.Length)
			step.CPU = readCPUs().busiest(before)
			return errors.Join(err, control.CloseWrite()) // the server says what came, and ends
		})
	}()
	err = p.listen(control, out, step, tell)
	end()
	sent := <-failed
	step.Tried, step.Refused = out.tried.Load(), out.refused.Load()
	step.Sent, step.Length = step.Tried-step.Refused, out.took
	select {
	case <-interrupted:
		return nil, context.Canceled
	default:
	}
	return step, errors.Join(sent, err)
}

// listen takes the server's reports until it has told what came of all packets.
func (p *PacketPlan) listen(c *connection, out *sender, step *PacketStep, tell func(*PacketSecond)) error {
	var sums PacketSecond
	cpus, last := readCPUs(), time.Now()
	whole := 0
	for second := 1; second < int(LongestRun/time.Second)+10; second++ {
		var got report
		if err := c.SetReadDeadline(time.Now().Add(silence)); err != nil {
			return err
		}
		err := hear(c.lines, &got)
		switch {
		case errors.Is(err, io.EOF) && out.ended() && second > 1:
			return nil
		case isTimeout(err):
			return fmt.Errorf("nothing came from the server for %v, after %d s: it hangs, or packets no longer get through", silence, second-1)
		case err != nil:
			return fmt.Errorf("the server ended the run: %w", err)
		case !got.sane() || got.Arrivals == nil || got.Arrivals.Received < step.Arrivals.Received:
			return errors.New("the server reports numbers that cannot be")
		}
		now := readCPUs()
		step.Arrivals = *got.Arrivals
		s := sums.next(PacketSecond{Second: second, Size: p.Size, Asked: p.Rate, Sent: out.tried.Load() - out.refused.Load(), CPU: now.busiest(cpus), PeerCPU: got.CPU}, got.Arrivals)
		if time.Since(last) > time.Second/2 || whole == 0 {
			whole++
			step.PeerCPU += (got.CPU - step.PeerCPU) / float64(whole)
		}
		cpus, last = now, time.Now()
		if s.Sent > 0 || s.Received > 0 {
			tell(&s)
		}
	}
	return errors.New("the server does not end the run")
}

// next makes a second of sums, and keeps these.
func (sums *PacketSecond) next(s PacketSecond, a *Arrivals) PacketSecond {
	s.Received, s.Lost, s.Reordered, s.Dropped, s.Jitter = a.Received, max(a.Expected-a.Received, 0), a.Reordered, a.Dropped, a.Jitter
	before := *sums
	*sums = s
	s.Sent -= before.Sent
	s.Received -= before.Received
	s.Lost = max(s.Lost-before.Lost, 0) // late ones make up for it
	s.Reordered = max(s.Reordered-before.Reordered, 0)
	s.Dropped = max(s.Dropped-before.Dropped, 0)
	return s
}

// sender sends the packets of a step.
type sender struct {
	socket   *net.UDPConn
	packet   []byte
	overhead int

	tried, refused atomic.Int64
	done           chan struct{}
	took           time.Duration
}

func (p *PacketPlan) open(server net.Addr, session string) (*sender, error) {
	to, ok := server.(*net.TCPAddr)
	if !ok || len(session) < tokenBytes {
		return nil, errors.New("the server names no run")
	}
	c, err := net.DialUDP("udp", nil, &net.UDPAddr{IP: to.IP, Port: to.Port, Zone: to.Zone})
	if err != nil {
		return nil, err
	}
	s := &sender{socket: c, packet: make([]byte, p.Size), done: make(chan struct{})}
	copy(s.packet, session[:tokenBytes])
	const udp, ethernet = 8, 14
	s.overhead = udp + 20 + ethernet
	level, recverr, discover := unix.IPPROTO_IP, unix.IP_RECVERR, unix.IP_MTU_DISCOVER
	if to.IP.To4() == nil {
		s.overhead = udp + 40 + ethernet
		level, recverr, discover = unix.IPPROTO_IPV6, unix.IPV6_RECVERR, unix.IPV6_MTU_DISCOVER
	}
	raw, err := c.SyscallConn()
	if err == nil {
		var failed error
		err = raw.Control(func(fd uintptr) {
			// The own queue says what it drops, and fragments would not be single packets.
			failed = errors.Join(unix.SetsockoptInt(int(fd), level, recverr, 1), unix.SetsockoptInt(int(fd), level, discover, unix.IP_PMTUDISC_DO))
		})
		err = errors.Join(err, failed)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return s, nil
}

func (s *sender) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

const (
	// gap is the least sleep: shorter ones are not kept.
	gap = 50 * time.Microsecond
	// debt is the most that is made up for at once: more would be a burst of its own.
	debt = 2 * time.Millisecond
)

// send sends at an even rate. What it gets no CPU for in time is left out.
func (s *sender) send(ctx context.Context, rate int, length time.Duration) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	raw, err := s.socket.SyscallConn()
	if err != nil {
		return err
	}
	began := time.Now()
	defer func() { s.took = time.Since(began) }()
	every := time.Second / time.Duration(rate)
	next := began
	for seq := uint64(0); ; {
		now := time.Now()
		if now.Sub(began) >= length || ctx.Err() != nil {
			return nil
		}
		if now.Before(next) {
			time.Sleep(max(next.Sub(now), gap))
			continue
		}
		if behind := now.Sub(next); behind > debt+every {
			next = now.Add(-debt)
		}
		next = next.Add(every)
		binary.BigEndian.PutUint64(s.packet[tokenBytes:], seq)
		binary.BigEndian.PutUint64(s.packet[tokenBytes+8:], uint64(now.UnixNano()))
		var failed error
		if err := raw.Control(func(fd uintptr) { _, failed = unix.SendmsgN(int(fd), s.packet, nil, nil, unix.MSG_DONTWAIT) }); err != nil {
			return err
		}
		s.tried.Add(1)
		switch {
		case failed == nil:
			seq++
		case errors.Is(failed, unix.EAGAIN), errors.Is(failed, unix.ENOBUFS),
			// An ICMP message for an earlier one, or a filter of this host: nothing was sent.
			errors.Is(failed, unix.ECONNREFUSED), errors.Is(failed, unix.EHOSTUNREACH), errors.Is(failed, unix.EPERM):
			s.refused.Add(1)
		case errors.Is(failed, unix.EMSGSIZE):
			return fmt.Errorf("packets of %d bytes do not fit the path's MTU: use a smaller --size", len(s.packet))
		default:
			return fmt.Errorf("sending a packet: %w", failed)
		}
	}
}
