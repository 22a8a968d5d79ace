package capture

import (
	"cmp"
	"context"
	"errors"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/recording"
)

// Probe captures packets while it lives. Each sample flushes what was seen since
// the one before, and becomes an interval of the capture; connections go on.
type Probe struct {
	o     Options
	every time.Duration
	open  func() (pcap.Source, error)

	src     pcap.Source // nil: its interface is not there
	cutter  *cutter
	stop    context.CancelFunc
	done    chan struct{}
	err     error // why reading ended; of done
	closing bool
}

// lastSample is how long the last sample may take: it ends the capture and sums up
// what is open, which takes two seconds for 60,000 services.
const lastSample = 30 * time.Second

// NewProbe makes a probe of what open gives, which closes what it gave. every is how
// long an interval takes; 0: there is one, as long as the probe lives.
func NewProbe(open func() (pcap.Source, error), every time.Duration, o Options) *Probe {
	o.Live, o.Flushed = true, every > 0
	return &Probe{o: o, every: every, open: open}
}

// Name implements probe.Probe.
func (p *Probe) Name() string { return Name }

// Help implements probe.Probe.
func (p *Probe) Help() string {
	return "requests, connections and losses as packets show them (AF_PACKET)"
}

// Fills implements probe.Probe.
func (p *Probe) Fills() []recording.Table { return Tables }

// once is the interval of a probe that is to be sampled in the end only.
const once = 10 * 365 * 24 * time.Hour

// Interval implements probe.Paced.
func (p *Probe) Interval(time.Duration) time.Duration {
	if p.every <= 0 {
		return once
	}
	return p.every
}

// Deadline implements probe.Unhurried.
func (p *Probe) Deadline() time.Duration { return lastSample }

// Closing implements probe.Bracketed.
func (p *Probe) Closing() { p.closing = true }

// Start opens the interface and begins to capture.
func (p *Probe) Start() error {
	src, err := p.open()
	if err != nil {
		return err
	}
	p.src, p.cutter, p.done, p.err = src, newCutter(&p.o), make(chan struct{}), nil
	var ctx context.Context
	ctx, p.stop = context.WithCancel(context.Background())
	go func() {
		defer close(p.done)
		p.err = crash.Guard(func() error {
			_, err := p.cutter.read(ctx, src)
			return err
		})
	}()
	return nil
}

// errVanished is why packets of an interface are missing that may come back: containers and
// tunnels that start again have the same name.
var errVanished = errors.New("the interface vanished: packets are captured again when it is back")

// Sample makes rows of what was seen since the sample before. The last one ends the
// capture. In a run without end an interface that vanished is looked for each time.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	if p.src == nil {
		if p.closing || p.Start() != nil {
			return errVanished
		}
		return nil
	}
	switch {
	case p.closing:
		p.stop()
		<-p.done
	case p.every <= 0 || time.Since(time.Unix(0, p.cutter.began)) < p.every/2:
		return nil // it has only begun
	default:
		p.cutter.cut(ctx)
	}
	ended := false // before the results: what comes between is for the next sample
	select {
	case <-p.done:
		ended = true
	default:
	}
	p.cutter.results(time.Now().UnixNano(), func(r *Result) {
		if r.Report.Loss.Known {
			w.Lost(int(r.Report.Loss.Dropped))
		}
		r.Write(w)
	})
	if !ended {
		return nil
	}
	if p.err != nil || p.closing || p.every <= 0 {
		return p.err
	}
	err := p.src.Close()
	p.src = nil
	return cmp.Or(err, errVanished)
}

// Close ends the capture.
func (p *Probe) Close() error {
	if p.src == nil {
		return nil
	}
	p.stop()
	<-p.done
	return p.src.Close()
}
