package oncpu

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/stack"
	"rtrail/internal/recording"
)

// Shapes of bpf/oncpu.c.
const (
	kernelDepth = 32
	userDepth   = 64
)

// maxRows is how many rows one reading gives. What has fewer samples is summed up by
// process.
const maxRows = 2000

// maxStackText bounds a stack as text; outer functions are left out.
const maxStackText = 4096

// key is struct key of bpf/oncpu.c.
type key struct {
	PID, Unused uint32
	Stack       uint64
}

// sum is struct sum of bpf/oncpu.c.
type sum struct {
	Samples, Started uint64
	Process          [16]byte
	Kernel           [kernelDepth]uint64
	User             [userDepth]uint64
}

// count is what a sum says, without the room that it leaves.
type count struct {
	process      stack.Process
	name         string
	samples      int64
	kernel, user []uint64
}

// add adds what was counted since the last time. Of a process that is new it is
// noted where its code is: it may have ended when that is asked for.
func (s *Source) add(k key, v *sum) {
	if c := s.counts[k]; c != nil {
		c.samples += int64(v.Samples)
		return
	}
	if len(s.counts) >= maxCounts {
		s.lost += int64(v.Samples)
		return
	}
	c := &count{process: stack.Process{PID: int32(k.PID), Started: s.clock.Started(time.Duration(v.Started))}, name: event.Text(&v.Process),
		samples: int64(v.Samples), kernel: event.Frames(v.Kernel[:]), user: event.Frames(v.User[:])}
	s.counts[k] = c
	if len(c.user) > 0 {
		s.code.See(c.process)
	}
}

// rows makes rows of what was counted, those with most samples first, and begins to
// recount.
func (s *Source) rows(now time.Time) ([]recording.OnCPUSample, error) {
	counts := make([]*count, 0, len(s.counts))
	for _, c := range s.counts {
		counts = append(counts, c)
	}
	clear(s.counts)
	most(counts)
	names, err := s.names(counts, now.Sub(s.from))
	if err != nil {
		return nil, err
	}
	type same struct {
		process       stack.Process
		place         stack.Place
		module, stack string
		spins         bool
	}
	sources := s.sources(counts, names, now.Sub(s.from))
	at := map[same]int{}
	var rows []recording.OnCPUSample
	for _, c := range counts {
		place, list, kernel := names.of(c)
		spins := len(c.kernel) == 0 && len(c.user) > 0 && names.spins[c.process][c.user[0]]
		if len(rows) >= maxRows {
			place, list, kernel, spins = stack.Place{}, "", false, false
		}
		place = place.Of()
		k := same{c.process, place, place.Module, list, spins}
		i, ok := at[k]
		if !ok {
			i = len(rows)
			at[k] = i
			rows = append(rows, recording.OnCPUSample{At: now, PID: c.process.PID, Started: c.process.Started, Process: c.name, Span: now.Sub(s.from), Every: s.period,
				Function: place.Function, Module: place.Module, Source: sources[function{c.process, place}], Kernel: kernel, Stack: list, Spins: spins})
		}
		rows[i].Samples += c.samples
	}
	return rows, nil
}

// most puts those with most samples first.
func most(counts []*count) {
	slices.SortFunc(counts, func(a, b *count) int {
		return cmp.Or(cmp.Compare(b.samples, a.samples), cmp.Compare(a.process.PID, b.process.PID), slices.Compare(a.kernel, b.kernel), slices.Compare(a.user, b.user))
	})
}

// named is where addresses lie.
type named struct {
	source *Source
	user   map[stack.Process]map[uint64]stack.Place
	spins  map[stack.Process]map[uint64]bool // innermost addresses in loops that wait
}

// inCode is an address in the function that an entry of a stack is about: all but
// the innermost are where a call returns to, which may be the next function.
func inCode(frames []uint64, i int) uint64 {
	if i == 0 {
		return frames[0]
	}
	return frames[i] - 1
}

// worthNaming is the share of a core from which the functions of a process are
// named: to read the symbols of one costs as much CPU time as little ones use.
const worthNaming = 0.05

// names finds the names of counts over a span of time.
func (s *Source) names(counts []*count, span time.Duration) (*named, error) {
	used := map[stack.Process]time.Duration{}
	for _, c := range counts {
		used[c.process] += time.Duration(c.samples) * s.period
	}
	asked, innermost := map[stack.Process][]uint64{}, map[stack.Process][]uint64{}
	var kernel []uint64
	for _, c := range counts {
		if used[c.process].Seconds() >= worthNaming*span.Seconds() && int(c.process.PID) != s.own {
			if len(c.kernel) == 0 && len(c.user) > 0 {
				innermost[c.process] = append(innermost[c.process], c.user[0])
			}
			for i := range c.user {
				asked[c.process] = append(asked[c.process], inCode(c.user, i))
			}
		}
		kernel = append(kernel, returns(c.kernel)...)
	}
	if err := s.symbols.Learn(kernel); err != nil {
		return nil, err
	}
	for p, addresses := range asked {
		slices.Sort(addresses)
		asked[p] = slices.Compact(addresses)
	}
	for p, addresses := range innermost {
		slices.Sort(addresses)
		innermost[p] = slices.Compact(addresses)
	}
	n := &named{s, s.code.Places(asked, nil), s.spinning(innermost)}
	s.code.Forget(func(p stack.Process) bool { return used[p] > 0 })
	return n, nil
}

// function is one of a process.
type function struct {
	process stack.Process
	place   stack.Place
}

// worthItsLine is the share of a core from which the line of the source is looked for
// at which a function is most: debug information is large, and read from end to end.
const worthItsLine = 0.1

// sources finds the lines of functions that have many samples over a span of time.
func (s *Source) sources(counts []*count, names *named, span time.Duration) map[function]string {
	type at struct {
		function
		address uint64
	}
	samples, addresses := map[function]int64{}, map[at]int64{}
	for _, c := range counts {
		if len(c.kernel) > 0 || len(c.user) == 0 {
			continue
		}
		if p := names.user[c.process][c.user[0]]; p.Function != "" {
			f := function{c.process, p.Of()}
			samples[f] += c.samples
			addresses[at{f, c.user[0]}] += c.samples
		}
	}
	most := map[function]uint64{}
	for a, n := range addresses {
		if (time.Duration(samples[a.function]) * s.period).Seconds() < worthItsLine*span.Seconds() {
			continue
		}
		if before, ok := most[a.function]; !ok || n > addresses[at{a.function, before}] || n == addresses[at{a.function, before}] && a.address < before {
			most[a.function] = a.address
		}
	}
	asked := map[stack.Process][]uint64{}
	for f, address := range most {
		asked[f.process] = append(asked[f.process], address)
	}
	places, lines := s.code.Places(asked, stack.All), map[function]string{}
	for f, address := range most {
		lines[f] = places[f.process][address].Source
	}
	return lines
}

// returns makes the innermost address one that a call returns to, as the others are:
// that is what the kernel names.
func returns(frames []uint64) []uint64 {
	list := slices.Clone(frames)
	if len(list) > 0 {
		list[0]++
	}
	return list
}

// of names the innermost function and the stack.
func (n *named) of(c *count) (innermost stack.Place, list string, kernel bool) {
	var names []string
	for _, a := range returns(c.kernel) {
		name := n.source.symbols.Name(a)
		if names == nil {
			innermost.Module = recording.KernelModule
			if !strings.HasPrefix(name, "0x") {
				innermost.Function = name
			}
		}
		names = append(names, name)
	}
	for i := range c.user {
		p := n.user[c.process][inCode(c.user, i)]
		if i > 0 && p.Module == "" {
			break // no code: what led there was no frame pointer
		}
		if names == nil {
			innermost = p
		}
		names = append(names, p.Name())
	}
	size := 0
	for i := range names {
		names[i] = strings.ReplaceAll(names[i], ";", ":")
		if size += len(names[i]) + 1; size > maxStackText {
			names = names[:i]
			break
		}
	}
	return innermost, strings.Join(names, ";"), len(c.kernel) > 0
}
