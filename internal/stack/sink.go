package stack

import (
	"cmp"
	"slices"
)

// sink takes what a parser finds. Each worker has its own.
type sink struct {
	*aggregate
	vm         *java  // of jstack
	thread     thread // the one being read
	line       int64  // the one being read, from 1
	pid        int32  // of eu-stack: of the process being read
	repeats    bool   // of jstack: in a list of deadlocks
	samples    int64  // dumps that began
	unreadable int64
	problems   []Problem
}

// finish counts a thread, unless parts of it are missing.
func (s *sink) finish(t *thread) {
	if t.broken {
		return
	}
	st := s.add(t)
	if s.full {
		s.unreadable++
		if len(s.problems) < maxProblems {
			s.problems = append(s.problems, Problem{t.line, "more different stacks than fit into memory; this one is left out"})
		}
		return
	}
	if s.vm != nil {
		s.vm.add(t, st)
	}
}

// dump begins a new dump.
func (s *sink) dump() {
	if s.vm != nil {
		s.vm.begin()
	}
}

// bad notes that the line being read makes no sense.
func (s *sink) bad(what string) {
	s.unreadable++
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, Problem{s.line, what})
	}
}

// sortProblems puts the problems of all workers in order and keeps the first.
func sortProblems(src *Source) {
	slices.SortFunc(src.Problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	if len(src.Problems) > maxProblems {
		src.Problems = src.Problems[:maxProblems]
	}
}
