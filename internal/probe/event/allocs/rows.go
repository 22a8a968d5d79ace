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

// move is what was allocated and freed by one stack in a stretch of time.
type move struct {
	at   time.Time // its end
	span time.Duration
	key  key
	sum  // without frames
}

// look notes what changed since the last time. It costs little, so that there are many
// of them; to name functions costs more, and is done when rows are written.
func (s *Source) look(now time.Time) error {
	keys, sums, err := event.All[key, sum](s.set, "stacks")
	if err != nil {
		return err
	}
	s.makeRoom(keys, sums)
	for i, k := range keys {
		after, before := &sums[i], s.before[k]
		if after.Blocks == before.Blocks && after.FreedBlocks == before.FreedBlocks {
			continue // also of what is forgotten: it was all freed
		}
		if s.frames[k] == nil {
			s.frames[k] = event.Frames(after.Frames[:])
		}
		s.before[k] = sum{Blocks: after.Blocks, Bytes: after.Bytes, FreedBlocks: after.FreedBlocks, FreedBytes: after.FreedBytes}
		s.moves = append(s.moves, move{now, now.Sub(s.looked), k, sum{Blocks: after.Blocks - before.Blocks, Bytes: after.Bytes - before.Bytes,
			FreedBlocks: after.FreedBlocks - before.FreedBlocks, FreedBytes: after.FreedBytes - before.FreedBytes}})
	}
	s.looked = now
	return nil
}

// rows makes rows of what was noted, of each look the most bytes first.
func (s *Source) rows() []recording.Allocation {
	names := s.names()
	type same struct {
		at            time.Time
		module, stack string
	}
	at := map[same]int{}
	var rows []recording.Allocation
	for i := range s.moves {
		m := &s.moves[i]
		place, list := innermost(s.frames[m.key], names)
		k := same{m.at, place.Module, list}
		n, ok := at[k]
		if !ok {
			n = len(rows)
			at[k] = n
			rows = append(rows, recording.Allocation{At: m.at, PID: s.process.PID, Started: s.process.Started, Process: s.name, Span: m.span,
				Function: place.Function, Module: place.Module, Source: place.Source, Stack: list})
		}
		r := &rows[n]
		r.Blocks += int64(m.Blocks)
		r.Bytes += int64(m.Bytes)
		r.FreedBlocks += int64(m.FreedBlocks)
		r.FreedBytes += int64(m.FreedBytes)
	}
	s.moves = s.moves[:0]
	slices.SortFunc(rows, func(a, b recording.Allocation) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(b.Bytes-b.FreedBytes, a.Bytes-a.FreedBytes), strings.Compare(a.Stack, b.Stack))
	})
	return rows
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
				delete(s.frames, k)
				sums[i] = sum{}
			}
		}
	}
}

// names are the places of the frames of all moves. They return to where they came from:
// the call is before that.
func (s *Source) names() map[uint64]stack.Place {
	var addresses []uint64
	for i := range s.moves {
		for _, a := range s.frames[s.moves[i].key] {
			addresses = append(addresses, a-1)
		}
	}
	slices.Sort(addresses)
	return s.code.Places(map[stack.Process][]uint64{s.process: slices.Compact(addresses)}, stack.All)[s.process]
}

// wrappers are libraries that hand on what others ask for.
var wrappers = []string{"libc.", "libc-", "libstdc++.", "libc++.", "libglib-", "ld-musl-", "libjemalloc.", "libtcmalloc", "libmimalloc."}

// innermost is the function that asks for memory, and the stack, separated by ";".
func innermost(frames []uint64, names map[uint64]stack.Place) (first stack.Place, list string) {
	var all []string
	size := 0
	for i, a := range frames {
		p := names[a-1]
		if i > 0 && p.Module == "" {
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
