package signatures

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// pattern is a sequence of frames, innermost first:
//
//	^futex_wait <- ..2 <- pthread_mutex_lock|my_mutex_lock <- ... <- Table_cache::*
//
// Frames that are joined by "<-" call each other directly. "..N" stands for at
// most N frames between, "..." for any number. "|" separates alternatives, "*"
// stands for any letters, "=" for the beginning of the whole name. The first
// frame may be anywhere in the stack unless "^" says that it is the innermost one.
type pattern struct {
	anchored bool
	steps    []step
}

// step is one frame, and how many others may be between it and the one before.
type step struct {
	names []name
	gap   int
	place int // of its names in the dictionary
}

// name is a name of a function. It also fits names that end in it after a
// separator, so that Hashtable.get fits java.util.Hashtable.get. Functions of C
// and of the kernel have names without separators, which methods of programs
// share: a whole name, =poll, does not fit Future::poll.
type name struct {
	parts []string // between the asterisks
	whole bool
}

func compile(text string) (pattern, error) {
	var p pattern
	rest := strings.TrimSpace(text)
	rest, p.anchored = strings.CutPrefix(rest, "^")
	gap := 0
	for word := range strings.SplitSeq(rest, "<-") {
		word = strings.TrimSpace(word)
		switch limit, dots := strings.CutPrefix(word, ".."); {
		case word == "...":
			gap = math.MaxInt32
			continue
		case dots:
			n, err := strconv.Atoi(limit)
			if err != nil || n < 1 {
				return p, fmt.Errorf("frames %q: %q is no gap: want ... or ..3", text, word)
			}
			gap = n
			continue
		}
		s := step{gap: gap}
		for alternative := range strings.SplitSeq(word, "|") {
			alternative, whole := strings.CutPrefix(strings.TrimSpace(alternative), "=")
			if strings.Trim(alternative, "*") == "" || strings.ContainsAny(alternative, "^=") {
				return p, fmt.Errorf("frames %q: %q names no function", text, word)
			}
			s.names = append(s.names, name{strings.Split(alternative, "*"), whole})
		}
		p.steps = append(p.steps, s)
		gap = 0
	}
	if gap > 0 || len(p.steps) == 0 {
		return p, fmt.Errorf("frames %q: a pattern ends with a function", text)
	}
	return p, nil
}

// fitting says which steps of a dictionary a frame fits: a bit for each.
type fitting []uint64

func (f fitting) set(place int) { f[place/64] |= 1 << (place % 64) }

func (f fitting) has(place int) bool { return f[place/64]>>(place%64)&1 != 0 }

func (p pattern) match(frames []fitting) bool {
	last := len(frames) - len(p.steps)
	if p.anchored {
		last = min(last, p.steps[0].gap)
	}
	m := matcher{p.steps, frames, nil}
	for at := 0; at <= last; at++ {
		if frames[at].has(p.steps[0].place) && m.rest(1, at+1) {
			return true
		}
	}
	return false
}

// matcher looks for the steps of a pattern. With several gaps of any length the
// same rests would be tried again and again: it knows those that did not fit.
type matcher struct {
	steps  []step
	frames []fitting
	failed []bool // by step and frame; nil: none yet
}

func (m *matcher) rest(step, from int) bool {
	if step == len(m.steps) {
		return true
	}
	place := step*(len(m.frames)+1) + from
	if m.failed != nil && m.failed[place] {
		return false
	}
	s := m.steps[step]
	last := from + min(s.gap, len(m.frames)-from-(len(m.steps)-step))
	for at := from; at <= last; at++ {
		if m.frames[at].has(s.place) && m.rest(step+1, at+1) {
			return true
		}
	}
	if step > 1 {
		if m.failed == nil {
			m.failed = make([]bool, (len(m.steps)+1)*(len(m.frames)+1))
		}
		m.failed[place] = true
	}
	return false
}

// separated says that what follows is a name of its own: that of a method behind
// its class, or of a function behind its package.
func separated(before string) bool {
	return strings.HasSuffix(before, "::") || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "/")
}

// fitsHere is for names with asterisks.
func (n name) fitsHere(function string) bool {
	first, last := n.parts[0], n.parts[len(n.parts)-1]
	rest, ok := strings.CutPrefix(function, first)
	if !ok {
		return false
	}
	if rest, ok = strings.CutSuffix(rest, last); !ok {
		return false
	}
	for _, part := range n.parts[1 : len(n.parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return true
}

// Bare is a name without what compilers and the C library put around it:
// __GI___poll is __poll, foo.constprop.0 is foo, read@@GLIBC_2.2.5 is read.
func Bare(function string) string {
	function = strings.TrimPrefix(function, "__GI_")
	if at := strings.IndexByte(function, '@'); at > 0 {
		function = function[:at]
	}
	if at := strings.Index(function, " [clone"); at > 0 {
		function = function[:at]
	}
	for _, mark := range []string{".isra.", ".constprop.", ".part.", ".cold", ".llvm.", ".lto_priv."} {
		if at := strings.Index(function, mark); at > 0 {
			function = function[:at]
		}
	}
	return function
}
