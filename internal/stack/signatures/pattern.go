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

func (p pattern) match(frames []string) bool {
	last := len(frames) - len(p.steps)
	if p.anchored {
		last = min(last, p.steps[0].gap)
	}
	for at := 0; at <= last; at++ {
		if p.steps[0].fits(frames[at]) && matchRest(p.steps[1:], frames[at+1:]) {
			return true
		}
	}
	return false
}

func matchRest(steps []step, frames []string) bool {
	if len(steps) == 0 {
		return true
	}
	last := min(steps[0].gap, len(frames)-len(steps))
	for at := 0; at <= last; at++ {
		if steps[0].fits(frames[at]) && matchRest(steps[1:], frames[at+1:]) {
			return true
		}
	}
	return false
}

func (s step) fits(function string) bool {
	function = Bare(function)
	for _, n := range s.names {
		if n.fits(function) {
			return true
		}
	}
	return false
}

func (n name) fits(function string) bool {
	if n.whole {
		return n.fitsHere(function)
	}
	if len(n.parts) == 1 {
		rest, ok := strings.CutSuffix(function, n.parts[0])
		return ok && (rest == "" || strings.HasSuffix(rest, "::") || strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, "/"))
	}
	return n.fitsHere(function) || n.fitsLater(function)
}

// fitsLater tries a pattern with asterisks behind every separator.
func (n name) fitsLater(function string) bool {
	for i := 0; i+1 < len(function); i++ {
		if c := function[i]; (c == '.' || c == ':' || c == '/') && n.fitsHere(function[i+1:]) {
			return true
		}
	}
	return false
}

func (n name) fitsHere(function string) bool {
	first, last := n.parts[0], n.parts[len(n.parts)-1]
	if len(n.parts) == 1 {
		return function == first
	}
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
