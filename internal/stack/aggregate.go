package stack

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"rtrail/internal/budget"
	"rtrail/internal/recording"
	"rtrail/internal/redact"
)

// thread is one thread of a dump, or one sample, while it is read. Its bytes
// are those of the piece of text being read.
type thread struct {
	kind     string // of its count, where the text tells; "": that of the source
	pid, tid int32
	process  []byte
	name     []byte
	state    []byte
	count    int64
	line     int64 // where it begins
	frames   []frame
	depth    int // frames it has, also those that are not kept
	broken   bool
	notes    []note // locks, of jstack
	event    []byte // of perf, where it takes no time: the sample does not count
}

// frame is one line of a stack.
type frame struct {
	function []byte // without parameters
	raw      []byte // the whole line; empty where it says no more
}

// deepest is how many frames of a stack count, from the innermost one: what a
// thread waits for is there, and a runaway recursion has any number.
const deepest = 512

func (t *thread) reset(line int64) {
	*t = thread{pid: recording.Unknown, tid: recording.Unknown, count: 1, line: line, frames: t.frames[:0], notes: t.notes[:0]}
}

func (t *thread) push(function, raw []byte) {
	t.depth++
	if len(t.frames) < deepest {
		t.frames = append(t.frames, frame{function, raw})
	}
}

// aggregate counts identical stacks. Each worker has its own.
type aggregate struct {
	kind    string
	stacks  map[string]*Stack
	wanted  map[*Stack]bool // of these the objects are told by every thread
	key     []byte
	threads int64
	looks   int64 // that the text tells, at sleeping threads; 0: none
	top     map[int32]float64
	hot     []Hot
	memory  *budget.Budget // for different stacks
	full    bool           // the last stack did not fit
	left    Objects        // samples that do not count, by their event
}

func newAggregate(kind string, top map[int32]float64, memory *budget.Budget) *aggregate {
	return &aggregate{kind: kind, memory: memory, stacks: map[string]*Stack{}, wanted: map[*Stack]bool{}, top: top}
}

// add counts a thread.
func (a *aggregate) add(t *thread) *Stack {
	cpu, hot := a.top[t.tid]
	if len(t.frames) == 0 {
		if hot {
			a.hot = append(a.hot, Hot{TID: t.tid, CPU: cpu, Thread: threadName(t), State: string(t.state)})
		}
		return nil
	}
	a.key = appendKey(a.key[:0], t)
	s := a.stacks[string(a.key)]
	if a.full = s == nil && !a.memory.Take(stackBytes(a.key, t)); a.full {
		return nil
	}
	a.threads += t.count
	if s == nil {
		s = newStack(cmp.Or(t.kind, a.kind), string(a.key), t)
		a.stacks[string(a.key)] = s
		if mayWaitForLock(t) {
			a.wanted[s] = true
		}
	}
	s.Count += t.count
	if a.wanted[s] {
		if object := objectOf(t); object != "" {
			s.Objects.add(object, t.count)
		}
	}
	if hot {
		a.hot = append(a.hot, Hot{TID: t.tid, CPU: cpu, Thread: threadName(t), State: s.State, Frames: s.Frames})
	}
	return s
}

// leave counts a sample of an event that takes no time.
func (a *aggregate) leave(event string) { a.left.add(event, 1) }

// stackBytes is what a stack takes, here and as evidence: its key, its frames
// once more where they are judged and printed, and its lines.
func stackBytes(key []byte, t *thread) int64 {
	n := 600 + 3*len(key) + 48*len(t.frames)
	for _, f := range t.frames {
		n += len(f.raw)
	}
	return int64(n)
}

// appendKey makes the text by which stacks are told apart: kind, process, state
// and frames.
func appendKey(key []byte, t *thread) []byte {
	key = append(key, t.kind...)
	key = append(key, 0)
	key = strconv.AppendInt(key, int64(t.pid), 36)
	key = append(key, 0)
	key = append(key, t.process...)
	key = append(key, 0)
	key = append(key, t.state...)
	key = append(key, 0)
	for i, f := range t.frames {
		if i > 0 {
			key = append(key, ';')
		}
		switch {
		case string(f.function) == "??":
			key = append(key, "??"...)
			key = append(key, moduleMark(f.raw)...)
		case bytes.IndexByte(f.function, ';') >= 0:
			key = append(key, bytes.ReplaceAll(f.function, []byte(";"), []byte(":"))...)
		default:
			key = append(key, f.function...)
		}
	}
	return key
}

// moduleMark tells in which library an unknown function is: " (libc.so.6)".
func moduleMark(line []byte) string {
	for _, word := range []string{" from ", " - /"} {
		if at := bytes.LastIndex(line, []byte(word)); at >= 0 {
			path := bytes.TrimSpace(line[at+len(word):])
			if path = path[bytes.LastIndexByte(path, '/')+1:]; len(path) > 0 {
				return strings.ReplaceAll(" ("+string(path)+")", ";", ":")
			}
		}
	}
	return ""
}

func newStack(kind, key string, t *thread) *Stack {
	_, frames, _ := cutFields(key)
	s := &Stack{
		Kind: kind, PID: t.pid, Process: redact.Text(string(t.process)), State: string(t.state), Frames: strings.Split(frames, ";"),
		TID: t.tid, Thread: threadName(t),
	}
	for _, f := range t.frames {
		if len(f.raw) == 0 {
			break
		}
		s.Raw = append(s.Raw, string(withoutStrings(f.raw)))
	}
	return s
}

// cutFields splits a key in front of the frames.
func cutFields(key string) (head, frames string, ok bool) {
	at := strings.LastIndexByte(key, 0)
	return key[:max(at, 0)], key[at+1:], at >= 0
}

// merge adds what another worker counted.
func (a *aggregate) merge(b *aggregate) {
	a.threads += b.threads
	a.looks = max(a.looks, b.looks)
	a.hot = append(a.hot, b.hot...)
	for event, n := range b.left {
		a.left.add(event, n)
	}
	for key, s := range b.stacks {
		have := a.stacks[key]
		if have == nil {
			a.stacks[key] = s
			continue
		}
		have.Count += s.Count
		for object, n := range s.Objects {
			have.Objects.add(object, n)
		}
	}
}
