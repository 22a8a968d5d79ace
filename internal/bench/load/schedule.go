package load

import (
	"fmt"
	"math"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/document"
	"rtrail/internal/packet/rt"
)

// schedule is when the requests of an open loop are to begin, and what became of them. Times
// are since its start. A request that cannot begin in time, because all connections wait, waits,
// and its time counts from when it was to begin: what is slow is asked no less, as users do.
type schedule struct {
	every time.Duration // between two
	next  int64         // the request that begins next
	// seconds are what was to begin in each.
	seconds []second
	late    rt.Histogram // by how much requests began late although a connection was free
	failed  map[uint16]int64
	name    func(uint16) error // of what failed
}

// second is what was to begin within one.
type second struct {
	whole    rt.Histogram  // from when a request was to begin
	alone    rt.Histogram  // from when it began
	sum      time.Duration // of whole
	aloneSum time.Duration
	longest  time.Duration
	lone     time.Duration // the longest of alone
	ended    int64         // requests that ended in this second, and did not fail
	failed   int64
	unserved int64
}

func newSchedule(rate float64, length time.Duration) *schedule {
	return &schedule{every: time.Duration(float64(time.Second) / rate), seconds: make([]second, int(length/time.Second)), failed: map[uint16]int64{}, name: func(n uint16) error { return serverError(n) }}
}

// at is when a request is to begin.
func (s *schedule) at(request int64) time.Duration { return time.Duration(request) * s.every }

// due says when the next request is to begin.
func (s *schedule) due() time.Duration { return s.at(s.next) }

// length is how long requests begin.
func (s *schedule) length() time.Duration { return time.Duration(len(s.seconds)) * time.Second }

// began notes that a request began; free, that nothing but the driver kept it.
func (s *schedule) began(intended, now time.Duration, free bool) {
	if free {
		s.late.Add(now - intended)
	}
}

// end notes that a request ended.
func (s *schedule) end(intended, began, now time.Duration, failed uint16) {
	x := s.of(intended)
	if failed != 0 {
		x.failed++
		if len(s.failed) < maxErrors || s.failed[failed] > 0 {
			s.failed[failed]++
		}
		return
	}
	x.whole.Add(now - intended)
	x.alone.Add(now - began)
	x.sum += now - intended
	x.aloneSum += now - began
	x.longest, x.lone = max(x.longest, now-intended), max(x.lone, now-began)
	if i := int(now / time.Second); i < len(s.seconds) {
		s.seconds[i].ended++
	}
}

// maxErrors bounds the kinds of errors that are told apart.
const maxErrors = 64

func (s *schedule) of(intended time.Duration) *second {
	return &s.seconds[min(int(intended/time.Second), len(s.seconds)-1)]
}

// unserved counts what has not begun when the load ends, with the time that it has waited by
// then. Those that were to begin at nearly the same time are taken together.
func (s *schedule) unserved(now time.Duration) {
	total := int64(s.length() / s.every)
	step := max((total-s.next)/100_000, 1)
	for ; s.next < total; s.next += step {
		n := min(step, total-s.next)
		intended := s.at(s.next + n/2)
		s.waiting(intended, now, n)
	}
}

// waiting counts requests that have waited until now, and had no answer.
func (s *schedule) waiting(intended, now time.Duration, n int64) {
	x := s.of(intended)
	waited := max(now-intended, 0)
	x.unserved += n
	x.whole.AddN(waited, uint32(min(n, math.MaxUint32)))
	x.sum += time.Duration(n) * waited
	x.longest = max(x.longest, waited)
}

// sum says what the load came to, from the second after the warm-up on, or from the one in which
// it became steady.
func (s *schedule) sum(o *Outcome, warmup int) (from int) {
	rates := make([]float64, len(s.seconds))
	for i := range s.seconds {
		rates[i] = float64(s.seconds[i].ended)
	}
	o.Steady = Steady(rates, warmup)
	from = warmup
	switch {
	case !o.Steady.Judged:
		o.Notes = append(o.Notes, fmt.Sprintf("too short to say whether the load became steady: that takes %d seconds", fewestSeconds))
	case o.Steady.Never:
		o.Invalid = append(o.Invalid, fmt.Sprintf("never became steady: the last quarter has %s than the one before; give it more time", more(o.Steady.Drift)))
	case o.Steady.Late():
		from = o.Steady.Cut
		o.Notes = append(o.Notes, fmt.Sprintf("the warm-up took %d s, and these were left out", from))
	}
	var all second
	for i := range s.seconds[from:] {
		x := &s.seconds[from+i]
		all.whole.Merge(&x.whole)
		all.alone.Merge(&x.alone)
		all.sum, all.aloneSum = all.sum+x.sum, all.aloneSum+x.aloneSum
		all.longest, all.lone = max(all.longest, x.longest), max(all.lone, x.lone)
		all.ended, all.failed, all.unserved = all.ended+x.ended, all.failed+x.failed, all.unserved+x.unserved
	}
	length := float64(len(s.seconds) - from)
	o.Load = all.load(&all.whole, all.sum, all.longest, length)
	o.Alone = all.load(&all.alone, all.aloneSum, all.lone, length)
	if all.unserved > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("%d requests had no answer when the time was over; they count with the time they had waited by then", all.unserved))
	}
	if all.failed > 0 {
		number, most := uint16(0), int64(0)
		for n, count := range s.failed {
			if count > most || count == most && n < number {
				number, most = n, count
			}
		}
		o.Invalid = append(o.Invalid, fmt.Sprintf("%d requests failed, most with: %v", all.failed, s.name(number)))
	}
	if all.ended == 0 {
		o.Load, o.Alone = bench.UnknownLoad(), bench.UnknownLoad() // how long requests waited that nobody answered says nothing
		o.Load.TPS, o.Load.QPS, o.Load.Errors = 0, 0, document.Number(all.failed)
		o.Invalid = append(o.Invalid, fmt.Sprintf("no request was answered in %.0f s", length))
		return from
	}
	if late, alone := s.late.Quantile(.99), all.alone.Quantile(.99); s.late.Count() > 0 && late > alone {
		o.Invalid = append(o.Invalid, fmt.Sprintf("hot load generator: it began requests late by %v (p99), which is more than what they took (%v); give it a CPU, or a lower rate", late.Round(time.Microsecond), alone.Round(time.Microsecond)))
	}
	return from
}

func (x *second) load(h *rt.Histogram, sum, longest time.Duration, seconds float64) bench.Load {
	ms := func(d time.Duration) document.Number { return document.Number(float64(d) / float64(time.Millisecond)) }
	l := bench.UnknownLoad()
	l.TPS = document.Number(float64(x.ended) / seconds)
	l.QPS, l.Errors = l.TPS, document.Number(x.failed)
	if n := h.Count(); n > 0 {
		l.Mean, l.Max = ms(sum/time.Duration(n)), ms(longest)
		l.P50, l.P95, l.P99 = ms(h.Quantile(.5)), ms(h.Quantile(.95)), ms(h.Quantile(.99))
	}
	return l
}
