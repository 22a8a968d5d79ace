package event

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

// DefaultBudget is the share of one core that a program may take.
const DefaultBudget = 0.01

// clock has the kernel time its programs while somebody needs that. It is one
// switch for all BPF programs of the host, held by a descriptor.
var clock struct {
	mu    sync.Mutex
	users int
	on    io.Closer
}

// startClock fails without CAP_SYS_ADMIN.
func startClock() error {
	clock.mu.Lock()
	defer clock.mu.Unlock()
	if clock.on == nil {
		on, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
		if err != nil {
			return err
		}
		clock.on = on
	}
	clock.users++
	return nil
}

func stopClock() {
	clock.mu.Lock()
	defer clock.mu.Unlock()
	if clock.users--; clock.users == 0 {
		_ = clock.on.Close() // nothing is lost with it
		clock.on = nil
	}
}

// ran is what each program took so far; what cannot be read is 0.
func (s *Set) ran() []time.Duration {
	all := make([]time.Duration, len(s.programs))
	for i, p := range s.programs {
		if stats, err := p.is.Stats(); err == nil {
			all[i] = stats.Runtime
		}
	}
	return all
}

// cost is what each program did in a stretch of time, for a part of which it was
// attached: since it was last asked for.
func (s *Set) cost(probe string, now time.Time, span, attached time.Duration) ([]recording.EventProgram, error) {
	var rows []recording.EventProgram
	var errs []error
	for _, p := range s.programs {
		stats, err := p.is.Stats()
		if err != nil {
			errs = append(errs, fmt.Errorf("read what the BPF program %s cost: %w", p.name, err))
			continue
		}
		rows = append(rows, recording.EventProgram{
			At: now, Probe: probe, Program: p.name, Tracepoint: p.tracepoint, Attached: attached, Span: span,
			Runs: int64(stats.RunCount - p.counted.RunCount), RunTime: stats.Runtime - p.counted.Runtime,
			Missed: int64(stats.RecursionMisses - p.counted.RecursionMisses),
		})
		p.counted = *stats
	}
	return rows, errors.Join(errs...)
}

// minSpan is the shortest time that says what a program costs on average.
const minSpan = 500 * time.Millisecond

// bill is what programs took since it was made up last.
type bill struct {
	from time.Time
	took map[string]time.Duration
}

// dear adds what programs took up to now, and gives the one that took most and its share
// of a core; nil: it is too early to say, or nothing is known.
func (b *bill) dear(rows []recording.EventProgram, now time.Time) (dearest *recording.EventProgram, share float64) {
	if b.took == nil {
		b.took = map[string]time.Duration{}
	}
	for i := range rows {
		b.took[rows[i].Program] += rows[i].RunTime
	}
	span := now.Sub(b.from)
	if span < minSpan {
		return nil, 0
	}
	for i := range rows {
		if took := b.took[rows[i].Program].Seconds() / span.Seconds(); dearest == nil || took > share {
			dearest, share = &rows[i], took
		}
	}
	b.from, b.took = now, nil
	return dearest, share
}
