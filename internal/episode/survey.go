package episode

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/timeline"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// Survey judges windows of a recording. To read a window costs more than to judge it, so of
// each only the busiest part is read, and several are read at a time.
type Survey struct {
	Windows
	Part     time.Duration // that is judged of each window; at most Windows.Every
	Patience time.Duration // how long may be judged, from Begin or the first Judge on; 0: as long as it takes
	// Spread has windows judged first that were busiest, and in turn with them those that lie
	// far from each other, so that those for which there was no time are everywhere, and not
	// all at the end.
	Spread bool
	// Gently has one judged at a time, where somebody waits for the CPUs meanwhile.
	Gently bool
	// Fully has no part judged that is shorter than Part, for it may have too few samples: what is
	// left at the end is judged with what is before it. Windows.Every is a multiple of Part then.
	Fully bool
	// Refusals are those of the piece that is judged next, in the order of time. Of a window in which
	// there are, the part in which most work was refused is judged, too.
	Refusals []Refusal

	Until  time.Time // windows from here on were not all judged; zero: all were
	Judged int       // windows
	Left   int       // windows for which there was no time
	Empty  int       // windows with too few samples to be judged
	Beside int       // parts that were judged because work was refused then
	Blind  bool      // nothing tells which part was busiest: of each window its first one is judged

	began time.Time
	first int // episode of the piece
	lacks []Lack
}

// Open reads a part of a recording.
type Open func(ctx context.Context, from, to time.Time) (*recording.Recording, error)

// Rules are those for a recording.
type Rules func(recording.Manifest) []rule.Rule

// maxWorkers is how many windows are judged at a time: each needs the memory of its rows.
const maxWorkers = 2

// spread is how far from each other windows lie that are judged first.
const spread = 4

// refining is the share of the patience that is kept for Refine.
const refining = 0.3

// Judge judges the windows of a piece of a recording between two times. lines has one for
// each part that may be judged.
func (s *Survey) Judge(ctx context.Context, open Open, rules Rules, from, to time.Time, lines []timeline.Line) error {
	s.Begin()
	s.piece()
	s.first = len(s.episodes)
	list := s.parts(from, to, lines)
	s.Blind = s.Blind || len(list) > 0 && !slices.ContainsFunc(list, func(p part) bool { return p.known })
	order := inOrder(list, s.Spread)
	patience := s.Patience
	if s.Spread {
		patience -= time.Duration(refining * float64(patience))
	}
	done, err := each(len(list), s.workers(), func() bool { return s.out(patience) }, func(i int) error { return list[order[i]].judge(ctx, open, rules, s.Fully) })
	if err != nil {
		return err
	}
	judged := make([]bool, len(list))
	for _, i := range order[:done] {
		judged[i] = true
	}
	skipped := 0
	var taken []*part
	for i, p := range list {
		switch {
		case !judged[i] && p.beside:
		case !judged[i]:
			if s.Left++; s.Until.IsZero() {
				s.Until = p.from
			}
			skipped++
		case !p.begin.IsZero():
			p.skipped = skipped
			if p.beside {
				s.Beside++
			} else {
				s.Judged++
			}
			s.take(p)
			taken = append(taken, &list[i])
		case !p.beside:
			s.Empty++
		}
	}
	if !s.Fully { // reports of other tools have no probes that run
		s.lacking(taken)
	}
	return nil
}

// inOrder are the places of windows in the order in which they are judged.
func inOrder(list []part, spreading bool) []int {
	if !spreading {
		return apart(len(list), 1)
	}
	far, busy := apart(len(list), spread), apart(len(list), 1)
	slices.SortStableFunc(busy, func(a, b int) int { return cmp.Compare(list[b].load, list[a].load) })
	var order []int
	taken := make([]bool, len(list))
	for len(order) < len(list) {
		for _, from := range []*[]int{&busy, &far} {
			for len(*from) > 0 && taken[(*from)[0]] {
				*from = (*from)[1:]
			}
			if len(*from) > 0 {
				taken[(*from)[0]] = true
				order = append(order, (*from)[0])
			}
		}
	}
	return order
}

// apart are n places, those first that are a step from each other.
func apart(n, step int) (order []int) {
	for first := range step {
		for i := first; i < n; i += step {
			order = append(order, i)
		}
	}
	return order
}

// Refine looks for beginnings and ends of episodes of the piece that was judged last between the parts that were
// judged, until they are known to so much, the worst episodes first.
func (s *Survey) Refine(ctx context.Context, open Open, rules Rules, exact time.Duration) error {
	s.Begin()
	var seen seen
	has := func(at time.Time, k Key) (bool, bool, error) {
		return seen.has(at, k, func() (part, error) {
			p := part{from: at, to: at.Add(s.Part), begin: at, end: at.Add(s.Part)}
			err := p.judge(ctx, open, rules, s.Fully)
			return p, err
		})
	}
	list := s.episodes[s.first:]
	order := heaviest(list)
	_, err := each(2*len(order), s.workers(), func() bool { return s.out(s.Patience) }, func(i int) error {
		e := &list[order[i/2]]
		if i%2 == 0 {
			return s.narrow(&e.After, &e.First, exact, func(at time.Time) (bool, bool, error) {
				there, ok, err := has(at, KeyOf(e.Finding))
				return !there, ok, err
			})
		}
		return s.narrow(&e.Last, &e.Before, exact, func(at time.Time) (bool, bool, error) { return has(at, KeyOf(e.Finding)) })
	})
	return err
}

// narrow halves the time in which something changes, by parts in its middle: low says
// whether one is as the beginning is.
func (s *Survey) narrow(from, to *time.Time, exact time.Duration, low func(at time.Time) (is, ok bool, err error)) error {
	for !from.IsZero() && !to.IsZero() && to.Sub(*from) > max(exact, s.Part) && !s.out(s.Patience) {
		at := from.Add((to.Sub(*from) - s.Part) / 2)
		switch is, ok, err := low(at); {
		case err != nil:
			return err
		case !ok:
			return nil
		case is:
			*from = at.Add(s.Part)
		default:
			*to = at
		}
	}
	return nil
}

func (s *Survey) workers() int {
	if s.Gently {
		return 1
	}
	return min(maxWorkers, runtime.GOMAXPROCS(0))
}

// Begin begins the time of the patience: what comes before Judge takes some, too.
func (s *Survey) Begin() {
	if s.began.IsZero() {
		s.began = time.Now()
	}
}

func (s *Survey) out(patience time.Duration) bool {
	return patience > 0 && time.Since(s.began) > patience
}

// parts are those to be judged of all windows that have lines: their number is bounded by
// that of the lines, whatever times a recording claims.
func (s *Survey) parts(from, to time.Time, lines []timeline.Line) (list []part) {
	count := int64(math.MaxInt64)
	if length := to.Sub(from); s.Fully {
		count = max(int64(length/s.Every), 1)
		if length%s.Every >= s.Part && length > s.Every {
			count++
		}
	}
	windows := map[int64][]timeline.Line{}
	var order []int64
	for _, l := range lines {
		if l.At.Before(from) || !l.At.Before(to) {
			continue
		}
		i := min(int64(l.At.Sub(from)/s.Every), count-1)
		if len(windows[i]) == 0 {
			order = append(order, i)
		}
		windows[i] = append(windows[i], l)
	}
	for _, i := range order { // lines come in the order of time
		p := part{from: from.Add(time.Duration(i) * s.Every)}
		if p.to = earlier(p.from.Add(s.Every), to); i == count-1 {
			p.to = to
		}
		p.begin, p.load, p.known = busiest(windows[i])
		if s.Fully {
			p.begin = later(p.from, earlier(p.begin, p.to.Add(-s.Part)))
		}
		if p.end = earlier(p.begin.Add(s.Part), p.to); s.Fully && s.Part == s.Every {
			p.begin, p.end = p.from, p.to
		}
		list = append(list, s.beside(p)...)
	}
	return list
}

// beside are a part and, in the order of time, the one of its window in which most work was refused; not that
// one if the part lies where at least half as much was.
func (s *Survey) beside(p part) []part {
	var most *Refusal
	here := 0.0 // most in the part
	first, _ := slices.BinarySearchFunc(s.Refusals, p.from, func(r Refusal, at time.Time) int { return r.To.Compare(at) })
	for i := first; i < len(s.Refusals) && s.Refusals[i].From.Before(p.to); i++ {
		r := &s.Refusals[i]
		if !r.To.After(p.from) {
			continue
		}
		if most == nil || r.Rate > most.Rate {
			most = r
		}
		if r.To.After(p.begin) && r.From.Before(p.end) {
			here = max(here, r.Rate)
		}
	}
	if most == nil || here >= most.Rate/2 {
		return []part{p}
	}
	q := p
	q.beside, q.load = true, most.Rate/(1+most.Rate)
	q.begin = later(p.from, earlier(most.From.Add((most.To.Sub(most.From)-s.Part)/2), p.to.Add(-s.Part)))
	switch q.end = q.begin.Add(s.Part); {
	case q.end.After(p.to):
	case !q.end.After(p.begin):
		return []part{q, p}
	case !q.begin.Before(p.end):
		return []part{p, q}
	}
	return []part{p}
}

// busiest is when the line begins in which the CPUs were busiest, also with waits for disks,
// or tasks stalled most, and the share of the time that they were.
func busiest(lines []timeline.Line) (at time.Time, load float64, known bool) {
	load = -1
	for _, l := range lines {
		now := 0.0
		for _, v := range []float64{l.Busy, l.Stall, l.Busy + l.IOWait} {
			if view.Known(v) {
				now, known = max(now, v), true
			}
		}
		if now > load {
			at, load = l.At, now
		}
	}
	return at, load, known
}

// judge reads the part and judges it; one without rows, of reports without two samples, has no
// beginning then.
func (p *part) judge(ctx context.Context, open Open, rules Rules, reports bool) error {
	rec, err := open(ctx, p.begin, p.end)
	if err != nil {
		return err
	}
	if !reports && rec.Count(recording.System)+rec.Count(recording.Processes)+rec.Count(recording.CPUs) == 0 || reports && !sampled(rec, p.begin, p.end) {
		p.begin = time.Time{}
		return nil
	}
	beside := p.beside
	*p = judge(p.from, p.to, view.New(rec, p.begin, p.end), rules(rec.Manifest()))
	p.beside = beside
	return nil
}

// sampled says whether there are two samples of a table between two times, without which nothing can
// be judged: reports of other tools are read as a whole.
func sampled(rec *recording.Recording, from, to time.Time) bool {
	for _, t := range timeline.Samples {
		var first time.Time
		if rec.Has(t, func(at time.Time, _ time.Duration) bool {
			if at.Before(from) || at.After(to) {
				return false
			}
			if first.IsZero() {
				first = at
			}
			return !at.Equal(first)
		}) {
			return true
		}
	}
	return false
}

// each does n things, so many at a time, in their order, until out says that there is no time
// for more, or one fails. The first done of them were done.
func each(n, workers int, out func() bool, do func(i int) error) (done int, err error) {
	var mu sync.Mutex
	next := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil || done == n || out() {
			return 0, false
		}
		done++
		return done - 1, true
	}
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for {
				i, ok := next()
				if !ok {
					return
				}
				if failed := crash.Guard(func() error { return do(i) }); failed != nil {
					mu.Lock()
					err = failed
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return done, err
}

// seen keeps what parts that were looked at have: faults begin and end together.
type seen struct {
	mu    sync.Mutex
	parts map[int64]map[Key]bool // nil: without rows
}

// has says whether a part had a fault; ok is false if it has no rows.
func (s *seen) has(at time.Time, k Key, look func() (part, error)) (there, ok bool, err error) {
	s.mu.Lock()
	have, known := s.parts[at.UnixNano()]
	s.mu.Unlock()
	if !known {
		p, err := look()
		if err != nil {
			return false, false, err
		}
		if !p.begin.IsZero() {
			have = keysOf(p.findings)
		}
		s.mu.Lock()
		if s.parts == nil {
			s.parts = map[int64]map[Key]bool{}
		}
		s.parts[at.UnixNano()] = have
		s.mu.Unlock()
	}
	return have[k], have != nil, nil
}

func keysOf(findings []verdict.Finding) map[Key]bool {
	keys := map[Key]bool{}
	for _, f := range findings {
		keys[KeyOf(f)] = true
	}
	return keys
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
