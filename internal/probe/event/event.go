// Package event is the frame of all evidence that BPF programs make at tracepoints
// of the kernel: it chooses programs that fit the running kernel, attaches them at
// the start of the window and detaches them at its end, and says what they cost and
// missed. A source is a package below it with a program in bpf/.
//
// Programs are attached by the kernel's own types (tp_btf): that needs CAP_BPF and
// CAP_PERFMON, or root, and no tracefs.
package event

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// Source is one kind of evidence that is made in the kernel.
type Source interface {
	// Name, Help and Fills are those of the probe.
	Name() string
	Help() string
	Fills() []recording.Table
	// Object is what is loaded.
	Object() Object
	// Open prepares what is loaded. Programs are attached afterwards.
	Open(*Set) error
	// Attaching is called right before programs are attached.
	Attaching() error
	// Read takes what was counted and writes its rows. last says that nothing more
	// will be counted for now: programs are detached already, or a slice has ended. A
	// source for which once a sample is too often leaves it for a later one else.
	Read(ctx context.Context, w *recording.Writer, last bool) error
	// Close gives back what Open took; the Set is closed by the frame.
	Close() error
}

// Options are for all sources of a run.
type Options struct {
	Loader *kernel.Loader // shared with others, or nil
	Budget float64        // share of one core for each program; 0: DefaultBudget
}

// Probe runs a source. It is not for concurrent use.
type Probe struct {
	source  Source
	options Options

	mu      sync.Mutex // guards what follows, beside the turns of slices
	set     *Set
	slicer  *slicer       // nil: all of the time is traced
	began   time.Time     // programs were attached first; zero: they were not
	read    time.Time     // up to here what programs cost was read
	traced  time.Duration // time that programs counted, up to then
	timed   bool          // the kernel times programs
	bill    bill          // of what they cost
	counted time.Time     // when sums were read last
	summed  time.Duration // time that programs counted, up to then
	closing bool
	over    bool // detached because of its cost
}

// New makes the probe of a source.
func New(s Source, o Options) *Probe {
	if o.Loader == nil {
		o.Loader = &kernel.Loader{}
	}
	if o.Budget <= 0 {
		o.Budget = DefaultBudget
	}
	return &Probe{source: s, options: o}
}

// NewBrief makes the probe of a source that looks for no names of functions in programs
// (probe.Brief).
func NewBrief(s Source, o Options) probe.Probe { return brief{New(s, o)} }

// brief is a Probe whose samples wait for nobody.
type brief struct{ *Probe }

func (brief) Brief() {}

// Name is the source's.
func (p *Probe) Name() string { return p.source.Name() }

// Help is the source's.
func (p *Probe) Help() string { return p.source.Help() }

// Fills lists the tables of the source. What programs cost is in event_programs.
func (p *Probe) Fills() []recording.Table { return p.source.Fills() }

// Start loads the programs. They are attached with the first sample.
func (p *Probe) Start() error {
	if err := kernel.Check(); err != nil {
		return err
	}
	set, err := open(p.options.Loader, p.source.Object())
	if err != nil {
		return err
	}
	if err := p.source.Open(set); err != nil {
		return errors.Join(err, set.close())
	}
	p.set = set
	return nil
}

// Closing says that the next sample is the last one.
func (p *Probe) Closing() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
	p.endTurns()
}

// Sample attaches the programs, or reads what they counted.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case p.over:
		return nil
	case p.began.IsZero():
		p.tell(w)
		if err := errors.Join(p.source.Attaching(), p.set.attach()); err != nil {
			return err
		}
		p.began, p.read, p.bill.from = p.set.since, p.set.since, p.set.since
		p.watchCost()
		return nil
	}
	// A stretch has several slices, or what it says is by chance.
	due := p.closing || !p.set.sliced || now.Sub(p.counted) >= slicedEvery
	var paused error
	if due {
		paused = errors.Join(p.between(), p.set.tellClocks(w, p.Name()))
		now = time.Now()
	}
	costs, err := p.cost(now, w)
	err = errors.Join(paused, err)
	dearest, share := p.bill.dear(costs, now)
	p.read, p.traced = now, p.set.Traced()
	over := share > p.options.Budget
	if s := p.slicer; s != nil {
		err = errors.Join(err, p.goOn())
		if s.on && dearest != nil {
			share += s.attaching(p.options.Budget)
		}
		over = s.on && dearest != nil && s.tooDear(share, p.options.Budget, now)
		if !over && !p.closing {
			changed, failed := p.slice(share, func() error { return p.sums(ctx, w, true) })
			if changed || failed != nil {
				recording.Append(w, costs...)
				return errors.Join(err, failed)
			}
		}
	}
	if over {
		p.over, dearest.Stopped = true, true
		p.endTurns()
		err = errors.Join(err, p.between())
		w.Unseen(p.Name(), p.source.Help(), 1,
			fmt.Sprintf("after %.1f s: the BPF program %s took %v of a core, more than its budget of %v, and was detached",
				now.Sub(p.began).Seconds(), dearest.Program, unit.Share(share), unit.Share(p.options.Budget)),
			fmt.Sprintf("rtrail --event-budget %.0f%%", 100*share+1))
	}
	recording.Append(w, costs...)
	last := p.closing || p.over
	// To take uprobes away takes the kernel a second: Close does that.
	if last && (p.over || p.set.uprobes.File == nil) {
		err = errors.Join(err, p.stop())
	}
	if !last && !due {
		return err
	}
	return errors.Join(err, p.sums(ctx, w, last))
}

// sums has the source write what was counted since it did so last.
func (p *Probe) sums(ctx context.Context, w *recording.Writer, last bool) error {
	traced, now := p.set.Traced(), time.Now()
	if p.set.sliced && traced == p.summed {
		if last {
			w.Unseen(p.Name(), p.source.Help(), 1, fmt.Sprintf("of the last %.1f s no slice was counted, to stay within the budget", now.Sub(p.counted).Seconds()), "")
		}
		return nil
	}
	p.counted, p.summed = now, traced
	return p.source.Read(ctx, w, last || p.set.sliced)
}

// tell says what is not seen on this kernel, and begins to time programs.
func (p *Probe) tell(w *recording.Writer) {
	for _, what := range p.set.without {
		w.Unseen(p.Name(), what, 1, "this kernel lacks the tracepoint", "")
	}
	if err := startClock(); err != nil {
		w.Unseen(p.Name(), "what BPF programs cost, and that they stay within their budget", 1, "the kernel times them for CAP_SYS_ADMIN only: "+err.Error(), "run as root")
	} else {
		p.timed = true
	}
}

func (p *Probe) cost(now time.Time, w *recording.Writer) ([]recording.EventProgram, error) {
	if !p.timed {
		return nil, nil
	}
	rows, err := p.set.cost(p.Name(), now, now.Sub(p.read), p.set.Traced()-p.traced)
	for _, r := range rows {
		w.Lost(int(r.Missed))
	}
	return rows, err
}

// stop ends the programs.
func (p *Probe) stop() error {
	if p.timed {
		stopClock()
		p.timed = false
	}
	return p.set.detach()
}

// Close removes the programs from the kernel.
func (p *Probe) Close() error {
	p.mu.Lock()
	p.endTurns()
	p.mu.Unlock()
	if p.slicer != nil {
		p.slicer.gone.Wait()
	}
	if p.set == nil {
		return nil
	}
	err := errors.Join(p.stop(), p.source.Close(), p.set.close())
	p.set = nil
	return err
}
