package allocs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/stack"
	"rtrail/internal/recording"
)

// depth is DEPTH of bpf/allocs.c.
const depth = 64

// maxStackText bounds a stack as text; outer functions are left out.
const maxStackText = 4096

// key is struct key of bpf/allocs.c.
type key struct{ Stack uint64 }

// sum is struct sum of bpf/allocs.c.
type sum struct {
	Blocks, Bytes, FreedBlocks, FreedBytes uint64
	Frames                                 [depth]uint64
}

// rows makes rows of what changed since the last time, most bytes first.
func (s *Source) rows(now time.Time) ([]recording.Allocation, error) {
	keys, sums, err := event.All[key, sum](s.set, "stacks")
	if err != nil {
		return nil, err
	}
	s.makeRoom(keys, sums)
	names := s.names(sums)
	type same struct{ module, stack string }
	at := map[same]int{}
	var rows []recording.Allocation
	for i, k := range keys {
		if sums[i].Blocks == 0 {
			continue // nothing of it was followed to its end, or it is forgotten
		}
		now, before := sums[i], s.before[k]
		s.before[k] = sum{Blocks: now.Blocks, Bytes: now.Bytes, FreedBlocks: now.FreedBlocks, FreedBytes: now.FreedBytes}
		if now.Blocks == before.Blocks && now.FreedBlocks == before.FreedBlocks {
			continue
		}
		place, list := innermost(now.Frames[:], names)
		n, ok := at[same{place.Module, list}]
		if !ok {
			n = len(rows)
			at[same{place.Module, list}] = n
			rows = append(rows, recording.Allocation{PID: s.process.PID, Started: s.process.Started, Process: s.name,
				Function: place.Function, Module: place.Module, Source: place.Source, Stack: list})
		}
		r := &rows[n]
		r.Blocks += int64(now.Blocks - before.Blocks)
		r.Bytes += int64(now.Bytes - before.Bytes)
		r.FreedBlocks += int64(now.FreedBlocks - before.FreedBlocks)
		r.FreedBytes += int64(now.FreedBytes - before.FreedBytes)
	}
	for i := range rows {
		rows[i].At, rows[i].Span = now, now.Sub(s.from)
	}
	slices.SortFunc(rows, func(a, b recording.Allocation) int {
		return cmp.Or(cmp.Compare(b.Bytes-b.FreedBytes, a.Bytes-a.FreedBytes), strings.Compare(a.Stack, b.Stack))
	})
	return rows, nil
}

// stackRoom is STACKS of bpf/allocs.c.
const stackRoom = 4096

// makeRoom forgets stacks whose blocks are all freed and that nothing has used since the
// last time, if there is little room: in programs without frame pointers some are of one
// call only.
func (s *Source) makeRoom(keys []key, sums []sum) {
	if len(keys) < stackRoom*3/4 {
		return
	}
	for i, k := range keys {
		if b := s.before[k]; sums[i].Blocks == sums[i].FreedBlocks && sums[i].Blocks == b.Blocks {
			if s.set.Map("stacks").Delete(k) == nil {
				delete(s.before, k)
				sums[i] = sum{}
			}
		}
	}
}

// names are the places of all frames. They return to where they came from: the call
// is before that.
func (s *Source) names(sums []sum) map[uint64]stack.Place {
	var addresses []uint64
	for i := range sums {
		for _, a := range sums[i].Frames {
			if a == 0 {
				break
			}
			addresses = append(addresses, a-1)
		}
	}
	slices.Sort(addresses)
	return s.code.Places(map[stack.Process][]uint64{s.process: slices.Compact(addresses)})[s.process]
}

// wrappers are libraries that hand on what others ask for.
var wrappers = []string{"libc.", "libc-", "libstdc++.", "libc++.", "libglib-", "ld-musl-", "libjemalloc.", "libtcmalloc", "libmimalloc."}

// innermost is the function that asks for memory, and the stack, separated by ";".
func innermost(frames []uint64, names map[uint64]stack.Place) (first stack.Place, list string) {
	var all []string
	size := 0
	for i, a := range frames {
		p := names[a-1]
		if a == 0 || i > 0 && p.Module == "" {
			break // no code: what led there was no frame pointer
		}
		if i == 1 && a == frames[0] {
			continue // some kernels know the caller of a function that begins
		}
		wraps := slices.ContainsFunc(wrappers, func(w string) bool { return strings.HasPrefix(p.Module, w) })
		if first.Module == "" && !wraps {
			first = p
		}
		name := strings.ReplaceAll(p.Name(), ";", ":")
		if size += len(name) + 1; size > maxStackText {
			break
		}
		all = append(all, name)
	}
	if first.Module == "" && len(all) > 0 {
		first = names[frames[0]-1]
	}
	if first.Function == "" && first.Module != "" {
		first.Function = first.Name()
	}
	return first, strings.Join(all, ";")
}
