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
	open := false
	flush := func() {
		if open && len(t.frames) > 0 {
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
			t.reset(s.line)
			if open = goThread(line, t); !open {
				s.bad("no headline of a goroutine")
			}
		case line[0] >= '0' && line[0] <= '9' && bytes.Contains(line, []byte(" @ 0x")):
			flush()
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
			if at <= 0 || line[len(line)-1] != ')' {
				s.bad("no frame of a goroutine")
				t.broken = true
				continue
			}
			raw := line
			if len(text) > 0 && text[0] == '\t' {
				place, _ := cutLine(text[1:])
				raw = append(append(append([]byte{}, line...), ' '), place...)
			}
			t.push(line[:at], raw)
		}
	}
	flush()
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

func goStart(text []byte) int {
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
