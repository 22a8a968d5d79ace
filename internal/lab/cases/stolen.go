package cases

import (
	"context"
	"runtime"
	"sync"
	"time"

	"rtrail/internal/lab/env"
)

// A lab on a virtual machine shares CPUs with others. What the hypervisor gives
// them is missing here: a request that waits for it is as slow as under a
// fault, in no namespace of the lab is a cause to be found, and a fix does not
// help. So each run keeps account of it, and a failure beside a robbed second
// proves nothing against a rule.

// robbedSecond is the share of a second's CPU time whose loss discredits a
// failure: a tenth of a second of all CPUs is more than what most cases call
// slow.
const robbedSecond = 0.1

// theft watches how much CPU time the hypervisor takes.
type theft struct {
	stop  context.CancelFunc
	done  sync.WaitGroup
	worst float64 // share of one second
}

// watchTheft watches until it is asked for the worst second.
func watchTheft(ctx context.Context) *theft {
	ctx, stop := context.WithCancel(ctx)
	t := &theft{stop: stop}
	t.done.Go(func() {
		last, err := env.ReadCPUTicks("cpu")
		for err == nil && ctx.Err() == nil {
			env.Sleep(ctx, time.Second)
			var now env.CPUTicks
			now, err = env.ReadCPUTicks("cpu")
			// The rest of a second at the end counts when it is long enough for
			// ticks of 10 ms to say anything.
			if now.Total()-last.Total() >= 20 {
				t.worst = max(t.worst, now.ShareSince(last, env.TicksSteal))
				last = now
			}
		}
	})
	return t
}

// worstSecond ends the watch and returns the share of CPU time that was taken
// in the worst second, 0 where the kernel does not know.
func (t *theft) worstSecond() float64 {
	t.stop()
	t.done.Wait()
	return t.worst
}

// awaitCalm waits until the CPUs of this machine are its own, for as long as
// patience allows. Between cases nothing of a lab runs, so that whatever keeps a
// busy loop from a CPU is somebody else.
func awaitCalm(ctx context.Context, patience time.Duration) {
	for end := time.Now().Add(patience); ctx.Err() == nil; env.Sleep(ctx, 2*time.Second) {
		if lostTime(time.Second) < robbedSecond/2 || time.Now().After(end) {
			return
		}
	}
}

// lostTime keeps all CPUs busy for d, or until a longer gap ends, and returns the
// share of that time in which they did not get on, from 0 to 1. It does not rely
// on the hypervisor's word.
func lostTime(d time.Duration) float64 {
	// A loop that looks at the clock is away from its CPU when the clock jumps;
	// interrupts take microseconds.
	const jump = time.Millisecond
	type turn struct{ lost, took time.Duration }
	turns := make([]turn, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range turns {
		all.Go(func() {
			t := &turns[i]
			start := time.Now()
			for t.took < d {
				now := time.Since(start)
				if gap := now - t.took; gap > jump {
					t.lost += gap
				}
				t.took = now
			}
		})
	}
	all.Wait()
	var sum turn
	for _, t := range turns {
		sum.lost += t.lost
		sum.took += t.took
	}
	return sum.lost.Seconds() / sum.took.Seconds()
}
