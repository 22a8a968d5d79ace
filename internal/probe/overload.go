package probe

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

const (
	// ProcessBudget is the share of one core that the whole program may use while
	// it samples: the probes, what they leave to be collected, and what is written.
	// Above it probes that use much are read less often. In normal use it is a
	// tenth of that.
	ProcessBudget = 0.25

	// overloadWindow is the time over which the share is taken: starting, and the
	// sealing of a segment, are over sooner.
	overloadWindow = 10 * time.Second

	// slowestOverloaded bounds the time between two samples of a probe meanwhile.
	// The last sample of a run is taken in any case, so that there are rates.
	slowestOverloaded = 30 * time.Second

	// dear is the share of one core from which a probe is slowed down. What
	// cheaper ones read costs nothing worth saving.
	dear = 0.005

	// helpful is the part of the program's CPU time that samples must take for it
	// to help that there are fewer: packets that are decoded beside them stay.
	helpful = 0.2

	// maxSlowdown is how many times an interval may become longer.
	maxSlowdown = 32
)

// overload follows the CPU time of the whole program, and says how many times
// longer the intervals of dear probes must be.
type overload struct {
	used func() time.Duration // of the process so far

	mu      sync.Mutex
	samples time.Duration // CPU time of all samples so far
	looks   []look        // of the window, and the last one before it
	factor  float64
	changed time.Time
}

// look is what was used up to a time.
type look struct {
	at            time.Time
	used, samples time.Duration
}

func newOverload(used func() time.Duration, now time.Time) *overload {
	return &overload{used: used, factor: 1, changed: now, looks: []look{{at: now, used: used()}}}
}

// sampled takes note of a sample, and gives the factor for intervals.
func (o *overload) sampled(now time.Time, cpu time.Duration) float64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.samples += cpu
	at := look{now, o.used(), o.samples}
	if len(o.looks) == 1 || now.Sub(o.looks[len(o.looks)-1].at) >= overloadWindow/40 {
		o.looks = append(o.looks, at)
	}
	for len(o.looks) > 2 && now.Sub(o.looks[1].at) >= overloadWindow {
		o.looks = o.looks[1:]
	}
	// A change shows in half a window.
	if now.Sub(o.changed) < overloadWindow/2 {
		return o.factor
	}
	first := o.looks[0]
	span := max(now.Sub(first.at), overloadWindow).Seconds()
	load, own := (at.used-first.used).Seconds()/span, (at.samples-first.samples).Seconds()/span
	before := o.factor
	switch {
	case load > ProcessBudget && own > helpful*load:
		o.factor = min(o.factor*min(load/ProcessBudget*1.25, 4), maxSlowdown)
	case load < ProcessBudget/2:
		o.factor = max(o.factor/2, 1)
	}
	if o.factor != before {
		o.changed = now
	}
	return o.factor
}

// slowed is the interval of a probe whose sample took some CPU time.
func (r *run) slowed(interval, cpu time.Duration, factor float64) time.Duration {
	if factor <= 1 || float64(cpu) < dear*float64(interval) {
		return interval
	}
	slowest := r.runner.Slowest
	if slowest <= 0 {
		slowest = slowestOverloaded
	}
	return max(interval, min(time.Duration(float64(interval)*factor), slowest))
}

// leftOut is how many samples of a probe were left out since the last one. What
// is less than one counts with the next.
func (f *followed) leftOut(now time.Time) int64 {
	if f.slowed {
		f.owed += max(float64(now.Sub(f.before))/float64(f.wished)-1, 0)
	}
	n := int64(f.owed)
	f.owed -= float64(n)
	return n
}

// UnseenSamples is the What of notes about samples that were left out.
const UnseenSamples = "samples"

// note says that samples of a probe were left out.
func (f *followed) note(w *recording.Writer) {
	recording.Append(w, recording.UnseenNote{At: w.Started, Probe: f.probe.Name(), What: UnseenSamples, Count: f.left, Of: f.left + f.taken,
		Why: "rtrail itself used more than a quarter of a core, so it looked less often", How: "choose a longer --interval"})
}

// clocks are CPU times so far.
type clocks struct{ process, thread func() time.Duration }

// processCPU is the CPU time of all threads of this program so far.
func processCPU() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
