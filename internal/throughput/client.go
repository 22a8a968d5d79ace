package throughput

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/crash"
)

// Plan is one run of a client.
type Plan struct {
	Server     string // HOST:PORT
	Mode       Mode
	Length     time.Duration
	Streams    int
	Size       int    // bytes of a write, or of a request and its answer
	Congestion string // control of the sending client; "": the kernel's
}

// where is the server's host and port.
func (p *Plan) where() (host, port string) {
	host, port, err := net.SplitHostPort(p.Server)
	if err != nil {
		return "HOST", "PORT"
	}
	return host, port
}

// Result is what a run measured.
type Result struct {
	Plan    Plan
	Samples []Sample
	Rung    Rung // of Echo
}

// Rung is what requests and answers did at one number of streams.
type Rung struct {
	Streams   int           `json:"streams"`
	Requests  int64         `json:"requests"`
	PerSecond float64       `json:"per_second"`
	Mean      time.Duration `json:"mean_ns"`
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
	CPU       float64       `json:"busiest_cpu"`
	PeerCPU   float64       `json:"peer_busiest_cpu"`
}

// Run measures; tell is called for each second. A run that ctx ends has the seconds until
// then.
func (p *Plan) Run(ctx context.Context, tell func(*Sample)) (*Result, error) {
	interrupted := ctx.Done()
	ctx, stop := context.WithTimeout(ctx, p.Length+grace)
	defer stop()
	h := hello{Mode: p.Mode, Length: p.Length, Size: p.Size}
	control, a, err := p.begin(ctx, h)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	defer context.AfterFunc(ctx, func() { control.Close() })()
	h.Session = a.Session
	var streams []*stream
	defer func() {
		for _, s := range streams {
			s.raw.Close()
		}
	}()
	for range p.Streams {
		c, _, err := p.connect(ctx, h)
		if err != nil {
			return nil, err
		}
		streams = append(streams, &stream{raw: c.TCPConn})
	}
	r := &Result{Plan: *p}
	var all sync.WaitGroup
	times := make([]histogram, p.Streams)
	began := time.Now()
	end := began.Add(p.Length)
	failed := make(chan error, p.Streams)
	for i, s := range streams {
		if err := s.raw.SetDeadline(end); err != nil {
			return nil, err
		}
		all.Go(func() {
			failed <- crash.Guard(func() error {
				if p.Mode == Echo {
					return quiet(times[i].ask(s.raw, p.Size))
				}
				return quiet(transfer(s.raw, h, p.Mode == Send))
			})
		})
	}
	err = p.sample(control, streams, end, r, tell)
	select {
	case <-interrupted:
	default:
		if err != nil {
			return nil, err
		}
	}
	for _, s := range streams {
		s.raw.Close()
	}
	all.Wait()
	for range streams {
		if err := <-failed; err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	var sum histogram
	for i := range times {
		sum.add(&times[i])
	}
	r.Rung = sum.rung(p.Streams, min(time.Since(began), p.Length))
	for i := range r.Samples {
		r.Rung.CPU = max(r.Rung.CPU, r.Samples[i].CPU)
		r.Rung.PeerCPU = max(r.Rung.PeerCPU, r.Samples[i].PeerCPU)
	}
	return r, nil
}

// begin begins a run. A run that has just ended may not be over at the server yet.
func (p *Plan) begin(ctx context.Context, h hello) (c *connection, a answer, err error) {
	for range 10 {
		if c, a, err = p.connect(ctx, h); !strings.HasPrefix(a.Refused, underWay) {
			break
		}
		select {
		case <-ctx.Done():
			return nil, a, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return c, a, err
}

// silence is how long nothing may come from a server that reports each second.
const silence = 4 * time.Second

// connection is one that the server has agreed to.
type connection struct {
	*net.TCPConn
	lines *bufio.Reader
}

func (p *Plan) connect(ctx context.Context, h hello) (*connection, answer, error) {
	d := net.Dialer{Timeout: handshake}
	c, err := d.DialContext(ctx, "tcp", p.Server)
	if err != nil {
		return nil, answer{}, fmt.Errorf("connecting to %s: %w; start \"rtrail throughput --serve 0.0.0.0 PORT\" there", p.Server, err)
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil, answer{}, errors.Join(errors.New("no TCP connection"), c.Close())
	}
	if p.Congestion != "" {
		if err := control(tcp, p.Congestion); err != nil {
			return nil, answer{}, errors.Join(fmt.Errorf("congestion control %q: %w; sysctl net.ipv4.tcp_available_congestion_control lists them", p.Congestion, err), tcp.Close())
		}
	}
	lines, a, err := greet(tcp, h)
	if err != nil {
		return nil, a, errors.Join(err, tcp.Close())
	}
	return &connection{tcp, lines}, a, nil
}

func control(c *net.TCPConn, name string) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, name)
	})
	return errors.Join(err, failed)
}

// sample takes a sample a second until the end: of the own streams, or what the server says
// of its streams.
func (p *Plan) sample(c *connection, streams []*stream, end time.Time, r *Result, tell func(*Sample)) error {
	sampleOf(0, streams) // counts from here on
	before := readCPUs()
	last := time.Now()
	began := last
	for second := 1; ; second++ {
		var got report
		if err := c.SetReadDeadline(last.Add(silence)); err != nil {
			return err
		}
		switch err := hear(c.lines, &got); {
		case isTimeout(err):
			return fmt.Errorf("nothing came from the server for %v, after %d s: it hangs, or packets no longer get through", silence, second-1)
		case err != nil:
			return fmt.Errorf("the server ended the run: %w", err)
		case time.Since(began) < time.Duration(second-2)*time.Second: // a reader without a CPU finds two at once
			return errors.New("the server reports more often than each second")
		case !got.sane():
			return errors.New("the server reports numbers that cannot be")
		}
		last = time.Now()
		now := readCPUs()
		busiest := now.busiest(before)
		before = now
		s := sampleOf(second, streams)
		s.CPU, s.PeerCPU = busiest, got.CPU
		if p.Mode == Receive {
			if got.Sample == nil {
				return errors.New("the server tells nothing of what it sends")
			}
			s = *got.Sample
			s.CPU, s.PeerCPU = got.CPU, busiest
		}
		if s.Length > 0 {
			r.Samples = append(r.Samples, s)
			tell(&r.Samples[len(r.Samples)-1])
		}
		if time.Until(end) < time.Second/2 || len(r.Samples) > int(LongestRun/time.Second)+10 {
			return nil
		}
	}
}
