package stack

import (
	"bytes"

	"rtrail/internal/recording"
)

// What gdb, pstack and eu-stack write differs in the line that begins a
// thread; the lines of frames are alike:
//
//	Thread 5 (Thread 0x7f3a (LWP 4711) "mysqld"):      gdb, pstack
//	#0  0x00007f3a12 in __lll_lock_wait () from /lib64/libpthread.so.0
//	#1  open_table (thd=0x1) at sql/sql_base.cc:3011
//
//	PID 4700 - process                                 eu-stack
//	TID 4711:
//	#0  0x00007f3a12 __lll_lock_wait
//	#1  0x00007f3a13 - 1 open_table - /usr/sbin/mysqld
func parseNative(text []byte, s *sink) {
	t := &s.thread
	t.reset(s.line)
	open := false // a thread has begun
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
		if len(line) == 0 {
			flush()
			continue
		}
		switch c := line[0]; {
		case c == '#':
			number, rest, ok := frameNumber(line)
			if ok && number == 0 && (!open || t.depth > 0) {
				// A single thread has no headline.
				flush()
				t.reset(s.line)
				t.pid = s.pid
				open = true
			}
			if !open {
				s.bad("a frame that belongs to no thread")
				continue
			}
			name, parsed := functionIn(rest)
			if !ok || !parsed {
				s.bad("no frame of a stack")
				t.broken = true
				continue
			}
			if number != t.depth && !t.broken {
				s.bad("frames are missing in front of this one")
				t.broken = true
			}
			t.push(name, line)
		case c == 'T' && bytes.HasPrefix(line, []byte("Thread ")):
			flush()
			t.reset(s.line)
			t.pid = s.pid
			open = true
			if !gdbThread(line, t) {
				s.bad("no headline of a thread")
			}
		case c == 'T' && bytes.HasPrefix(line, []byte("TID ")):
			flush()
			t.reset(s.line)
			t.pid = s.pid
			open = true
			n, rest := number(line[4:])
			if n < 0 || len(rest) == 0 || rest[0] != ':' {
				s.bad("no headline of a thread")
			}
			t.tid = n
		case c == 'P' && bytes.HasPrefix(line, []byte("PID ")):
			flush()
			if n, _ := number(line[4:]); n >= 0 {
				s.pid = n
			}
		case c == ' ' || c == '\t':
			// The rest of a long line, a source line, or a local variable.
		case open && !chatter(line):
			s.bad("neither a frame nor the headline of a thread")
		}
	}
	flush()
}

// frameNumber reads "#12 ".
func frameNumber(line []byte) (n int, rest []byte, ok bool) {
	i := 1
	for ; i < len(line) && line[i] >= '0' && line[i] <= '9' && i < 8; i++ {
		n = n*10 + int(line[i]-'0')
	}
	if i == 1 || i >= len(line) || line[i] != ' ' {
		return 0, nil, false
	}
	for i < len(line) && line[i] == ' ' {
		i++
	}
	return n, line[i:], true
}

// functionIn finds the name of the function in what follows the number of a
// frame.
func functionIn(rest []byte) (name []byte, ok bool) {
	if len(rest) > 2 && rest[0] == '0' && rest[1] == 'x' {
		i := 2
		for i < len(rest) && isHex(rest[i]) {
			i++
		}
		rest = bytes.TrimLeft(rest[i:], " ")
		if bytes.HasPrefix(rest, []byte("in ")) {
			rest = rest[3:]
		} else if bytes.HasPrefix(rest, []byte("- 1")) {
			rest = bytes.TrimLeft(rest[3:], " ")
		}
		if len(rest) == 0 || bytes.HasPrefix(rest, []byte("- ")) {
			return unknown, i > 2
		}
	}
	if len(rest) > 0 && rest[0] == '<' {
		// <signal handler called>
		end := bytes.IndexByte(rest, '>')
		return rest[:end+1], end > 0
	}
	name = cutParameters(rest)
	return name, len(name) > 0
}

// unknown is the name of a function without one.
var unknown = []byte("??")

// cutParameters takes the name of a function from the beginning of a line: all
// up to its parameters, or up to the name of its module.
func cutParameters(line []byte) []byte {
	// Most names are plain: "open_table (thd=...".
	if at := bytes.IndexByte(line, '('); at > 1 && line[at-1] == ' ' {
		name := line[:at-1]
		if bytes.IndexByte(name, '<') < 0 && bytes.IndexByte(name, ' ') < 0 && !isOperator(name) {
			return name
		}
	}
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '<':
			if !isOperator(line[:i]) {
				depth++
			}
		case '>':
			if depth > 0 && !isOperator(line[:i]) {
				depth--
			}
		case '(':
			switch {
			case depth > 0:
			case isOperator(line[:i]) && i+1 < len(line) && line[i+1] == ')':
				i++
			case bytes.HasPrefix(line[i:], []byte("(anonymous namespace)")):
				i += len("(anonymous namespace)") - 1
			default:
				return bytes.TrimRight(line[:i], " ")
			}
		case ' ':
			if depth == 0 && bytes.HasPrefix(line[i:], []byte(" - ")) {
				return line[:i]
			}
		}
	}
	return bytes.TrimRight(line, " \r")
}

// isOperator says whether what was read ends in "operator", perhaps with the
// first letters of one: operator<<, operator->.
func isOperator(line []byte) bool {
	if len(line) < 8 {
		return false
	}
	end := len(line)
	for end > 0 && len(line)-end < 2 && (line[end-1] == '<' || line[end-1] == '-' || line[end-1] == '>') {
		end--
	}
	return bytes.HasSuffix(line[:end], []byte("operator"))
}

// gdbThread reads "Thread 5 (Thread 0x7f3a (LWP 4711) "mysqld"):" and its
// older forms.
func gdbThread(line []byte, t *thread) bool {
	n, _ := number(line[len("Thread "):])
	if n < 0 {
		return false
	}
	for _, word := range []string{"LWP ", "process ", "(Thread "} {
		at := bytes.Index(line, []byte(word))
		if at < 0 {
			continue
		}
		if tid, rest := number(line[at+len(word):]); tid >= 0 && !bytes.HasPrefix(rest, []byte("x")) {
			t.tid = tid
			break
		}
	}
	if _, after, ok := bytes.Cut(line, []byte{'"'}); ok {
		if end := bytes.LastIndexByte(after, '"'); end >= 0 {
			t.name = after[:end]
		}
	}
	return bytes.HasSuffix(bytes.TrimRight(line, " \r"), []byte(":"))
}

// number reads the digits at the beginning of text; -1 if there are none or
// too many.
func number(text []byte) (n int32, rest []byte) {
	i, value := 0, int64(0)
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		if value = value*10 + int64(text[i]-'0'); value > 1<<31-1 {
			return recording.Unknown, text
		}
	}
	if i == 0 {
		return recording.Unknown, text
	}
	return int32(value), text[i:]
}

// chatter says whether a line is one of those that debuggers write between
// stacks.
func chatter(line []byte) bool {
	for _, p := range chatterBegins {
		if bytes.HasPrefix(line, p) {
			return true
		}
	}
	// "81	../sysdeps/unix/syscall-template.S: No such file or directory."
	if n, rest := number(line); n >= 0 && len(rest) > 0 && (rest[0] == '\t' || rest[0] == ' ') {
		return true
	}
	return false
}

var chatterBegins = [][]byte{
	[]byte("["), []byte("0x"), []byte("Backtrace stopped"), []byte("(More stack frames"), []byte("No locals"), []byte("No symbol"), []byte("warning"), []byte("Warning"),
	[]byte("Missing separate"), []byte("Using host libthread_db"), []byte("Detaching"), []byte("Reading symbols"), []byte("Loaded symbols"), []byte("eu-stack:"),
	[]byte("Mon "), []byte("Tue "), []byte("Wed "), []byte("Thu "), []byte("Fri "), []byte("Sat "), []byte("Sun "), []byte("---Type <return>"), []byte("--Type <RET>"), []byte("PID:"), []byte("Download"),
}

// cutLine takes a line from text, without its end.
func cutLine(text []byte) (line, rest []byte) {
	at := bytes.IndexByte(text, '\n')
	if at < 0 {
		return text, nil
	}
	line = text[:at]
	if at > 0 && line[at-1] == '\r' {
		line = line[:at-1]
	}
	return line, text[at+1:]
}

// nativeStart finds the last place in text where a thread begins.
func nativeStart(text []byte) int {
	for end := len(text); ; {
		at := bytes.LastIndexByte(text[:end], '\n')
		if at < 0 {
			return 0
		}
		line := text[at+1:]
		for _, word := range [...]string{"Thread ", "TID ", "PID "} {
			if len(line) >= len(word) && string(line[:len(word)]) == word {
				return at + 1
			}
		}
		end = at
	}
}

func isGDB(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head = cutLine(head)
		if bytes.HasPrefix(line, []byte("Thread ")) && bytes.Contains(line, []byte("(")) {
			return true
		}
		if bytes.HasPrefix(line, []byte("#0 ")) {
			_, rest, ok := frameNumber(line)
			return ok && (bytes.Contains(rest, []byte(" in ")) || bytes.Contains(rest, []byte(" (")))
		}
	}
	return false
}

func isEUStack(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head = cutLine(head)
		if n, rest := number(bytes.TrimPrefix(line, []byte("TID "))); n >= 0 && line[0] == 'T' && string(rest) == ":" {
			return true
		}
		if bytes.HasPrefix(line, []byte("PID ")) && bytes.HasSuffix(line, []byte(" - process")) {
			return true
		}
	}
	return false
}
