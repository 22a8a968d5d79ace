package stack

import (
	"bytes"
	"math"
	"strings"
)

// parsePerf reads what perf script writes:
//
//	mysqld 4700/4711 [001]  123.456789:   10101010 cpu-clock:pppH:
//	        ffffffff8100 _raw_spin_lock+0x1 ([kernel.kallsyms])
//	            55d0cafe ut_delay+0x20 (/usr/sbin/mysqld)
//
// Each sample of a clock or of cycles counts once.
func parsePerf(text []byte, s *sink) {
	t := &s.thread
	t.reset(s.line)
	open := false
	flush := func() {
		switch {
		case !open:
		case t.event != nil:
			s.leave(eventName(t.event))
		case len(t.frames) > 0:
			s.finish(t)
		}
		open = false
	}
	for len(text) > 0 {
		var line []byte
		line, text = cutLine(text)
		s.line++
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			flush()
		case line[0] == '#':
			// perf script --header
		case open && (line[0] == '\t' || line[0] == ' ') && perfFrame(line, t):
		case perfHead(line, t, s, flush):
			open = true
		default:
			s.bad("neither a sample nor a frame")
		}
	}
	flush()
}

// perfFrame reads "address symbol+offset (module)".
func perfFrame(line []byte, t *thread) bool {
	rest := bytes.TrimLeft(line, " \t")
	i := 0
	for i < len(rest) && isHex(rest[i]) {
		i++
	}
	if i == 0 || i >= len(rest) || rest[i] != ' ' {
		return false
	}
	rest = bytes.TrimLeft(rest[i:], " ")
	name, module := rest, []byte(nil)
	if at := bytes.LastIndex(rest, []byte(" (")); at >= 0 && rest[len(rest)-1] == ')' {
		name, module = rest[:at], rest[at+2:len(rest)-1]
	} else if len(rest) > 0 && rest[0] == '(' {
		name, module = []byte("[unknown]"), rest
	}
	if at := bytes.LastIndex(name, []byte("+0x")); at > 0 {
		name = name[:at]
	}
	if string(name) == "[unknown]" {
		name = []byte("??")
		if at := bytes.LastIndexByte(module, '/'); at >= 0 {
			name = append([]byte("?? ("), module[at+1:]...)
			name = append(name, ')')
		}
		t.push(name, nil)
		return true
	}
	if name = cutParameters(name); len(name) == 0 {
		return false
	}
	t.push(name, nil)
	return true
}

// perfHead reads the line that begins a sample; a frame may follow on it.
func perfHead(line []byte, t *thread, s *sink, flush func()) bool {
	comm, pid, tid, rest, ok := perfTask(line)
	if !ok {
		return false
	}
	flush()
	t.reset(s.line)
	t.pid, t.tid, t.name, t.process = pid, tid, comm, comm
	event, after := perfEvent(rest)
	if !takesTime(event) {
		t.event = event
		return true
	}
	// Without call chains the address follows the name of the event.
	if len(after) > 0 {
		perfFrame(after, t)
	}
	return true
}

// perfEvent reads the event of a sample, which stands behind CPU, time and period, and what follows
// it: an address, or what a tracepoint tells. It is nil where the line names none.
//
//	[001]  123.456789:   10101010 cpu-clock:pppH: ffffffff8100 _raw_spin_lock+0x1 ([kernel.kallsyms])
//	[011] 3485124.180000: sched:sched_switch: prev_comm=python prev_pid=302629 ...
func perfEvent(rest []byte) (event, after []byte) {
	text := rest
	for {
		text = bytes.TrimLeft(text, " \t")
		word, more, _ := bytes.Cut(text, []byte{' '})
		if len(word) == 0 || len(bytes.Trim(word, "[0123456789.]:")) > 0 {
			break
		}
		text = more
	}
	event, after, found := bytes.Cut(text, []byte(": "))
	if !found {
		event, found = bytes.CutSuffix(bytes.TrimRight(text, " \t"), []byte{':'})
	}
	if !found {
		if at := bytes.LastIndex(rest, []byte(": ")); at >= 0 {
			after = rest[at+2:]
		}
		return nil, bytes.TrimSpace(after)
	}
	return event[bytes.LastIndexByte(event, ' ')+1:], bytes.TrimSpace(after)
}

// eventModifiers are the letters that perf takes behind the name of an event: "cycles:ppp"
// (perf-list(1)). Two names with a colon between them are those of a tracepoint and its group.
const eventModifiers = "ukhGHpPSDIWeb"

// happenings are events of the kernel's software that happen at a moment, whatever time is spent, and those of
// perf record --off-cpu, which are of threads that sleep.
var happenings = map[string]bool{"context-switches": true, "cs": true, "page-faults": true, "faults": true, "minor-faults": true, "major-faults": true,
	"cpu-migrations": true, "migrations": true, "alignment-faults": true, "emulation-faults": true, "cgroup-switches": true, "bpf-output": true, "dummy": true, "offcpu-time": true}

// takesTime says whether there are more samples of an event the longer a CPU runs something: of
// cycles or a clock, and where the event is not told. A thread that sched:sched_switch shows
// begins to sleep.
func takesTime(event []byte) bool {
	name, modifiers, _ := bytes.Cut(event, []byte{':'})
	return len(bytes.Trim(modifiers, eventModifiers)) == 0 && !happenings[string(name)]
}

// maxEvent bounds the name of an event.
const maxEvent = 64

// eventName is the name of an event, as far as it can be one.
func eventName(event []byte) string {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-:/.,=", r)
	}
	if len(event) > maxEvent || bytes.ContainsFunc(event, odd) {
		return "an event with an odd name"
	}
	return string(event)
}

// perfTask reads "comm pid/tid" or "comm tid"; a comm may have blanks.
func perfTask(line []byte) (comm []byte, pid, tid int32, rest []byte, ok bool) {
	text := bytes.TrimLeft(line, " ")
	for at := 1; at < len(text); at++ {
		if text[at-1] != ' ' || text[at] < '0' || text[at] > '9' {
			continue
		}
		n, after := number(text[at:])
		if n < 0 {
			continue
		}
		pid, tid = -1, n
		if len(after) > 0 && after[0] == '/' {
			if m, more := number(after[1:]); m >= 0 {
				pid, tid, after = n, m, more
			}
		}
		if len(after) == 0 || after[0] != ' ' {
			continue
		}
		after = bytes.TrimLeft(after, " ")
		if len(after) == 0 || after[0] != '[' && (after[0] < '0' || after[0] > '9') || !bytes.Contains(after, []byte(":")) {
			continue
		}
		return bytes.TrimRight(text[:at], " "), pid, tid, after, true
	}
	return nil, 0, 0, nil, false
}

func isPerf(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head = cutLine(head)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		_, _, _, rest, ok := perfTask(line)
		if !ok {
			return false
		}
		_, after := perfEvent(rest)
		next, _ := cutLine(head)
		// What a tracepoint tells may be anything: a stack below it shows what it is.
		return perfFrame(after, &thread{}) || perfFrame(next, &thread{}) || len(after) == 0 && len(bytes.TrimSpace(next)) == 0
	}
	return false
}

// parseCollapsed reads "outermost;...;innermost 12", as async-profiler and
// stackcollapse write it.
func parseCollapsed(text []byte, s *sink) {
	t := &s.thread
	for len(text) > 0 {
		var line []byte
		line, text = cutLine(text)
		s.line++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		frames, count, ok := collapsedLine(line)
		if !ok {
			s.bad("want frames joined by ';', a blank and a count")
			continue
		}
		t.reset(s.line)
		t.count = count
		for len(frames) > 0 {
			at := bytes.LastIndexByte(frames, ';')
			name := frames[at+1:]
			frames = frames[:max(at, 0)]
			switch {
			case at < 0 && bytes.HasPrefix(name, []byte("[")) && bytes.Contains(name, []byte(" tid=")):
				// async-profiler -t: the outermost frame is the thread.
				t.name = bytes.TrimPrefix(name[:bytes.Index(name, []byte(" tid="))], []byte("["))
				t.tid, _ = number(name[bytes.Index(name, []byte(" tid="))+5:])
			case at < 0 && s.ofKind(t, name):
			case len(name) > 0:
				t.push(javaName(kindMark(name)), nil)
			}
		}
		if len(t.frames) == 0 {
			s.bad("a stack without frames")
			continue
		}
		s.finish(t)
	}
}

func collapsedLine(line []byte) (frames []byte, count int64, ok bool) {
	line = bytes.TrimRight(line, " \t")
	at := bytes.LastIndexByte(line, ' ')
	if at <= 0 || at+1 >= len(line) {
		return nil, 0, false
	}
	for _, c := range line[at+1:] {
		if c < '0' || c > '9' || count > (math.MaxInt64-9)/10 {
			return nil, 0, false
		}
		count = count*10 + int64(c-'0')
	}
	return bytes.TrimSpace(line[:at]), count, count > 0
}

// kindMark takes away what async-profiler puts behind names: _[j], _[k].
func kindMark(name []byte) []byte {
	if n := len(name); n > 4 && name[n-1] == ']' && name[n-3] == '[' && name[n-4] == '_' {
		return name[:n-4]
	}
	return name
}

// javaName makes java/util/HashMap.get what every other tool writes,
// java.util.HashMap.get.
func javaName(name []byte) []byte {
	slash := bytes.IndexByte(name, '/')
	if slash <= 0 || bytes.IndexByte(name, '.') < slash || bytes.ContainsAny(name, " (:<") {
		return name
	}
	end := bytes.LastIndexByte(name, '.')
	for i := range name[:end] {
		// A hidden class has a number behind its slash: Main$$Lambda/0x1.run.
		if name[i] == '/' && bytes.HasPrefix(name[i+1:], []byte("0x")) {
			return append(bytes.ReplaceAll(name[:i], []byte("/"), []byte(".")), name[i:]...)
		}
	}
	return bytes.ReplaceAll(name, []byte("/"), []byte("."))
}

func lineStart(text []byte) int { return bytes.LastIndexByte(text, '\n') + 1 }

func isCollapsed(head []byte) bool {
	for range 3 {
		var line []byte
		line, head = cutLine(head)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		frames, _, ok := collapsedLine(line)
		return ok && (bytes.IndexByte(frames, ';') > 0 || bytes.IndexByte(frames, ' ') < 0)
	}
	return false
}
