package stack

import "bytes"

// parseGo reads what Go programs write on SIGQUIT, at a panic, and from
// /debug/pprof/goroutine?debug=1 or 2:
//
//	goroutine 12 [chan receive, 5 minutes]:
//	main.work(0x1)
//		/src/main.go:12 +0x1d
//	created by main.main in goroutine 1
//		/src/main.go:40 +0x3c
//
//	3 @ 0x43d 0x44e
//	#	0x43d2c5	main.work+0x85	/src/main.go:12
func parseGo(text []byte, s *sink) {
	t := &s.thread
	open, counted := false, false
	whole := len(text) > 0 && text[len(text)-1] == '\n' // the last line is not cut
	flush := func() {
		if open && len(t.frames) > 0 {
			if counted {
				t.state = goState(t.frames)
			}
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
		switch {
		case bytes.HasPrefix(line, []byte("goroutine ")) && line[len(line)-1] == ':':
			flush()
			counted = false
			t.reset(s.line)
			if open = goThread(line, t); !open {
				s.bad("no headline of a goroutine")
			}
		case line[0] >= '0' && line[0] <= '9' && bytes.Contains(line, []byte(" @ 0x")):
			flush()
			counted = true
			t.reset(s.line)
			n, _ := number(line)
			t.count = int64(n)
			if open = n > 0; !open {
				s.bad("no count of goroutines")
			}
		case !open, line[0] == '\t', bytes.HasPrefix(line, []byte("...")), bytes.HasPrefix(line, []byte("created by ")),
			bytes.HasPrefix(line, []byte("# labels")), bytes.HasPrefix(line, []byte("[originating from ")):
		case line[0] == '#':
			fields := bytes.Split(line, []byte{'\t'})
			if len(fields) < 3 {
				s.bad("no frame of a goroutine")
				t.broken = true
				continue
			}
			name, _, _ := bytes.Cut(fields[2], []byte("+0x"))
			t.push(name, line)
		default:
			at := bytes.LastIndexByte(line, '(')
			placed := len(text) > 0 && text[0] == '\t'
			if at <= 0 || line[len(line)-1] != ')' || !placed && bytes.IndexByte(line[:at], ' ') >= 0 {
				if bytes.HasPrefix(line, []byte("exit status ")) {
					continue // go run says so behind the dump of its program
				}
				s.bad("no frame of a goroutine")
				if !placed && (len(text) > 0 || whole) {
					continue // frames are followed by their place: this one is of somebody else who writes here
				}
				t.broken = true
				continue
			}
			raw := line
			if placed {
				place, _ := cutLine(text[1:])
				raw = append(append(append([]byte{}, line...), ' '), place...)
			}
			t.push(line[:at], raw)
		}
	}
	flush()
}

// goWaits are the functions in which goroutines wait, and the state that a dump
// of single goroutines gives for them. Profiles that count goroutines tell no
// state and leave out the functions of the runtime, so that of others, such as
// those that wait for a channel, nothing says that they wait.
var goWaits = []struct{ function, state string }{
	{"sync.runtime_SemacquireMutex", "sync.Mutex.Lock"},
	{"sync.runtime_SemacquireRWMutexR", "sync.RWMutex.RLock"},
	{"sync.runtime_SemacquireRWMutex", "sync.RWMutex.Lock"},
	{"sync.runtime_SemacquireWaitGroup", "sync.WaitGroup.Wait"},
	{"sync.runtime_notifyListWait", "sync.Cond.Wait"},
	{"sync.runtime_Semacquire", "semacquire"},
	{"internal/poll.runtime_pollWait", "IO wait"},
	{"time.Sleep", "sleep"},
}

// goState tells the state of goroutines by the innermost function that is not
// the scheduler's; nil if that is not known.
func goState(frames []frame) []byte {
	for _, f := range frames {
		name := bytes.TrimPrefix(f.function, []byte("internal/sync"))
		if len(name) < len(f.function) {
			name = append([]byte("sync"), name...)
		}
		if bytes.HasPrefix(name, []byte("runtime.")) {
			continue
		}
		for _, w := range goWaits {
			if string(name) == w.function {
				return []byte(w.state)
			}
		}
		return nil
	}
	return nil
}

// goThread reads "goroutine 12 gp=0x1 m=0 [select, 5 minutes, locked to thread]:".
func goThread(line []byte, t *thread) bool {
	n, _ := number(line[len("goroutine "):])
	open := bytes.IndexByte(line, '[')
	if n < 0 || open < 0 || !bytes.HasSuffix(line, []byte("]:")) {
		return false
	}
	t.tid = n
	state := line[open+1 : len(line)-2]
	if at := bytes.IndexByte(state, ','); at >= 0 {
		state = state[:at]
	}
	t.state = state
	return true
}

// afterBlank is where what follows the last blank line begins.
func afterBlank(text []byte) int {
	if at := bytes.LastIndex(text, []byte("\n\n")); at >= 0 {
		return at + 2
	}
	return 0
}

func isGo(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head = cutLine(head)
		if bytes.HasPrefix(line, []byte("goroutine profile: total ")) {
			return true
		}
		if bytes.HasPrefix(line, []byte("goroutine ")) && bytes.HasSuffix(line, []byte("]:")) {
			return true
		}
	}
	return false
}
