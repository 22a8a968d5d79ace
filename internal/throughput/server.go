package throughput

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/crash"
)

// underWay begins why a run is refused that may begin later.
const underWay = "another run is under way"

// grace is how long connections of a run may outlive it.
const grace = 5 * time.Second

// Server serves one run at a time, to whoever asks.
type Server struct {
	Listener *net.TCPListener
	Tell     func(client net.Addr, what string) // of runs that begin, and of what is refused; must not block

	mu   sync.Mutex
	run  *served
	open int
}

// served is the run that is served.
type served struct {
	session string
	mode    Mode
	end     time.Time
	streams []*stream
	packets *arrivals // of Packets
}

// report is what the server says of each second.
type report struct {
	Sample   *Sample   `json:"sample,omitempty"`   // where it is the sender
	Arrivals *Arrivals `json:"arrivals,omitempty"` // of Packets, since the run began
	CPU      float64   `json:"cpu"`
}

func (r *report) sane() bool {
	return r.CPU >= 0 && r.CPU <= 1 && (r.Sample == nil || r.Sample.sane()) && (r.Arrivals == nil || r.Arrivals.sane())
}

// Serve serves until ctx ends.
func (s *Server) Serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { s.Listener.Close() })()
	var all sync.WaitGroup
	defer all.Wait()
	for {
		c, err := s.Listener.AcceptTCP()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
			select { // connections end
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
			continue
		case err != nil:
			return err
		}
		s.mu.Lock()
		s.open++
		full := s.open > MostStreams+8
		s.mu.Unlock()
		all.Go(func() {
			defer context.AfterFunc(ctx, func() { c.Close() })()
			err := crash.Guard(func() error {
				if full {
					_ = c.SetWriteDeadline(time.Now().Add(time.Second))
					_, _ = io.WriteString(c, magic)
					return refuse(c, errors.New("too many connections"))
				}
				return s.serve(ctx, c)
			})
			c.Close()
			if err != nil && ctx.Err() == nil {
				s.Tell(c.RemoteAddr(), err.Error())
			}
			s.mu.Lock()
			s.open--
			s.mu.Unlock()
		})
	}
}

func (s *Server) serve(ctx context.Context, c *net.TCPConn) error {
	_, h, err := greeted(c)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(c, magic); err != nil {
		return err
	}
	if err := h.check(); err != nil {
		return refuse(c, err)
	}
	end := time.Now().Add(h.Length + grace)
	if err := c.SetDeadline(end); err != nil {
		return err
	}
	if h.Session == "" {
		run := &served{session: rand.Text(), mode: h.Mode, end: end}
		s.mu.Lock()
		other := s.run
		if other == nil {
			s.run = run
		}
		s.mu.Unlock()
		if other != nil {
			return refuse(c, busy(time.Until(other.end)))
		}
		defer func() {
			s.mu.Lock()
			s.run = nil
			s.mu.Unlock()
		}()
		if h.Mode == Packets {
			if run.packets, err = listenPackets(c.LocalAddr(), run.session); err != nil {
				return refuse(c, err)
			}
			defer run.packets.close()
		}
		s.Tell(c.RemoteAddr(), "begins: "+string(h.Mode)+" for "+h.Length.String())
		if err := say(c, answer{Session: run.session}); err != nil {
			return err
		}
		return s.reports(ctx, c, run, end)
	}
	st := &stream{raw: c}
	if _, err := st.read(); err != nil { // counts from here on
		return err
	}
	s.mu.Lock()
	run := s.run
	ok := run != nil && run.session == h.Session && run.mode == h.Mode && h.Mode != Packets && len(run.streams) < MostStreams
	if ok {
		run.streams = append(run.streams, st)
	}
	s.mu.Unlock()
	if !ok {
		return refuse(c, errors.New("no such run"))
	}
	if err := say(c, answer{}); err != nil {
		return err
	}
	return quiet(transfer(c, h, h.Mode == Receive))
}

// busy says how long another run takes at the longest.
func busy(left time.Duration) error {
	return fmt.Errorf("%s, for at most %v more", underWay, max(left.Round(time.Second), time.Second))
}

// refuse tells a client why, whether it was greeted or not.
func refuse(c net.Conn, why error) error {
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	return errors.Join(why, say(c, answer{Refused: why.Error()}))
}

// reports says each second what was sent and how busy the CPUs were, until the client goes.
func (s *Server) reports(ctx context.Context, c *net.TCPConn, run *served, end time.Time) error {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = crash.Guard(func() error {
			_, err := c.Read(make([]byte, 1)) // the client says nothing more: it goes, or has sent all packets
			return err
		})
	}()
	defer func() {
		c.Close()
		<-gone
	}()
	before := readCPUs()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for second := 1; time.Now().Before(end); second++ {
		select {
		case <-ctx.Done():
			return nil
		case <-gone:
			if run.packets != nil {
				_ = say(c, report{Arrivals: run.packets.settled(), CPU: readCPUs().busiest(before)})
			}
			return nil
		case <-tick.C:
		}
		s.mu.Lock()
		idle := len(run.streams) == 0 && run.packets == nil
		s.mu.Unlock()
		if idle && time.Duration(second)*time.Second > handshake {
			return errors.New("no stream came")
		}
		now := readCPUs()
		r := report{CPU: now.busiest(before)}
		before = now
		if run.mode == Receive {
			s.mu.Lock()
			sample := sampleOf(second, run.streams)
			s.mu.Unlock()
			r.Sample = &sample
		}
		if run.packets != nil {
			r.Arrivals = run.packets.now()
		}
		if err := say(c, r); err != nil {
			return nil // it has what it wanted
		}
	}
	return nil
}

// sampleOf reads all streams; those that have ended are left out.
func sampleOf(second int, streams []*stream) Sample {
	var list []reading
	for _, st := range streams {
		if r, err := st.read(); err == nil && r.length > 0 {
			list = append(list, r)
		}
	}
	return sum(second, list)
}

// transfer sends, takes or answers until the connection ends.
func transfer(c net.Conn, h hello, sends bool) error {
	buffer := make([]byte, h.Size)
	for {
		var err error
		switch {
		case h.Mode == Echo:
			if _, err = io.ReadFull(c, buffer); err == nil {
				_, err = c.Write(buffer)
			}
		case sends:
			_, err = c.Write(buffer)
		default:
			_, err = c.Read(buffer)
		}
		if err != nil {
			return err
		}
	}
}

// quiet leaves out how connections end.
func quiet(err error) error {
	var timeout net.Error
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &timeout) {
		return nil
	}
	return err
}
