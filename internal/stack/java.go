package stack

import (
	"bytes"
	"strconv"
)

// note is a line of jstack about a lock.
type note struct {
	kind  noteKind
	lock  []byte // its address
	class []byte
}

type noteKind uint8

const (
	holds   noteKind = iota // locked <0x...>
	wants                   // waiting to lock, parking to wait for a lock
	expects                 // waiting on, parking to wait for a condition: waits to be woken, and gave the lock back
)

// parseJava reads what jstack writes, of Java 8 and later:
//
//	"worker-1" #12 prio=5 os_prio=0 tid=0x7f nid=0x1a2b waiting for monitor entry [0x7f]
//	   java.lang.Thread.State: BLOCKED (on object monitor)
//		at Main.work(Main.java:12)
//		- waiting to lock <0x000000076ab> (a java.lang.Object)
//
// The JVM's own list of deadlocks is left out: it repeats threads, and only
// says what the locks say.
func parseJava(text []byte, s *sink) {
	t := &s.thread
	open := false
	flush := func() {
		if open {
			s.finish(t)
		}
		open = false
	}
	for len(text) > 0 {
		var line []byte
		line, text = cutLine(text)
		s.line++
		switch {
		case len(line) == 0:
		case line[0] == '"':
			flush()
			if s.repeats || line[len(line)-1] == ':' {
				// In a list of deadlocks.
				s.repeats = true
				continue
			}
			t.reset(s.line)
			if open = javaThread(line, t); !open {
				s.bad("no headline of a thread")
			}
		case bytes.HasPrefix(line, []byte("Full thread dump")):
			flush()
			s.repeats = false
			s.dump()
		case bytes.HasPrefix(line, []byte("Found ")) && bytes.Contains(line, []byte("deadlock")):
			flush()
			s.repeats = true
		case !open || s.repeats:
		case line[0] != '\t' && line[0] != ' ':
			// "JNI global refs", heap summaries.
			flush()
		case bytes.HasPrefix(line, []byte("   java.lang.Thread.State: ")):
			state := line[len("   java.lang.Thread.State: "):]
			if at := bytes.IndexByte(state, ' '); at > 0 {
				state = state[:at]
			}
			t.state = state
		default:
			if !javaLine(bytes.TrimSpace(line), line, t) {
				s.bad("neither a frame nor a lock")
				t.broken = true
			}
		}
	}
	flush()
}

// javaLine reads a frame or a lock.
func javaLine(text, line []byte, t *thread) bool {
	switch {
	case bytes.HasPrefix(text, []byte("at ")):
		name := text[3:]
		at := bytes.IndexByte(name, '(')
		if at <= 0 || name[len(name)-1] != ')' {
			return false
		}
		name = name[:at]
		if at := bytes.LastIndex(name, []byte("//")); at >= 0 { // app//com.example.Main.run
			name = name[at+2:]
		} else if at := bytes.IndexByte(name, '/'); at > 0 && bytes.IndexByte(name[:at], '@') > 0 {
			name = name[at+1:] // java.base@17/java.lang.Thread.run
		}
		t.push(name, line)
		return true
	case bytes.HasPrefix(text, []byte("- ")):
		javaLock(text[2:], t)
		return true
	case bytes.HasPrefix(text, []byte("Locked ownable synchronizers")), bytes.HasPrefix(text, []byte("No compile task")),
		bytes.HasPrefix(text, []byte("Compiling:")), bytes.HasPrefix(text, []byte("Carrying virtual thread")), bytes.HasPrefix(text, []byte("JavaThread state")):
		return true
	}
	return len(text) == 0
}

func javaLock(text []byte, t *thread) {
	open, end := bytes.IndexByte(text, '<'), bytes.IndexByte(text, '>')
	if open < 0 || end < open || !bytes.HasPrefix(text[open+1:], []byte("0x")) {
		return // None, eliminated, no object reference available
	}
	n := note{lock: text[open+1 : end]}
	if at := bytes.Index(text, []byte("(a ")); at >= 0 && text[len(text)-1] == ')' {
		n.class = text[at+3 : len(text)-1]
	}
	switch {
	case bytes.HasPrefix(text, []byte("waiting to lock")), bytes.HasPrefix(text, []byte("waiting to re-lock")):
		n.kind = wants
	case bytes.HasPrefix(text, []byte("parking to wait for")):
		// Of what threads park at, these are locks; the rest are conditions,
		// queues and results of tasks.
		n.kind = expects
		if !bytes.HasSuffix(n.class, []byte("ConditionObject")) && (bytes.Contains(n.class, []byte("Lock")) || bytes.Contains(n.class, []byte("Semaphore"))) {
			n.kind = wants
		}
	case bytes.HasPrefix(text, []byte("waiting on")):
		n.kind = expects
	case bytes.HasPrefix(text, []byte("locked")), text[0] == '<':
		n.kind = holds
	default:
		return
	}
	t.notes = append(t.notes, n)
}

// javaThread reads the headline of a thread. Its id is that of the operating
// system: nid, hexadecimal, from Java 21 on decimal.
func javaThread(line []byte, t *thread) bool {
	end := bytes.LastIndexByte(line, '"')
	if end <= 0 {
		return false
	}
	t.name = line[1:end]
	at := bytes.Index(line[end:], []byte(" nid="))
	if at < 0 {
		return bytes.Contains(line[end:], []byte("prio=")) || bytes.Contains(line[end:], []byte("tid="))
	}
	id := line[end+at+len(" nid="):]
	if at := bytes.IndexByte(id, ' '); at >= 0 {
		id = id[:at]
	}
	n, err := strconv.ParseInt(string(id), 0, 32)
	if err != nil || n < 0 {
		return false
	}
	t.tid = int32(n)
	return true
}

func javaStart(text []byte) int {
	return max(bytes.LastIndex(text, []byte("\n\"")), bytes.LastIndex(text, []byte("\nFull thread dump"))) + 1
}

func isJava(head []byte) bool {
	return bytes.Contains(head, []byte("Full thread dump ")) || bytes.Contains(head, []byte("\n   java.lang.Thread.State: "))
}
