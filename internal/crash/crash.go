// Package crash describes panics. A panic is a bug of rtrail: it costs what was
// being looked at (a connection, a sample, a rule), never the run, and whoever
// reads the answer is told.
package crash

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"rtrail/internal/escape"
)

// DebugVariable is the environment variable that makes rtrail print the stack of
// every panic to standard error.
const DebugVariable = "RTRAIL_DEBUG"

// Crash is one panic.
type Crash struct {
	What  string // the value of the panic, in one line
	Where string // file and line below the root of the source, "packet/proto/dns/message.go:57"; "" if not known
	Stack []byte // all frames of the goroutine, innermost first
}

// Of describes a panic. It is called by the deferred function that recovered v.
func Of(v any) Crash {
	c := Crash{What: oneLine(fmt.Sprint(v)), Where: origin(), Stack: debug.Stack()}
	if Debug() {
		fmt.Fprintf(escape.NewWriter(os.Stderr), "rtrail: panic: %s\n%s", c.What, c.Stack)
	}
	return c
}

// Guard makes an error of a panic of f.
func Guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New(Of(v).String())
		}
	}()
	return f()
}

// Debug says whether the user asks for stacks of panics.
func Debug() bool { return os.Getenv(DebugVariable) != "" }

// String is for answers: "crashed (bug): index out of range, at stack/native.go:31".
func (c Crash) String() string {
	s := "crashed (bug): " + c.What
	if c.Where != "" {
		s += ", at " + c.Where
	}
	return s
}

// maxWhat bounds the text of a panic, which may hold bytes of the input.
const maxWhat = 200

func oneLine(s string) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	s = strings.TrimPrefix(s, "runtime error: ")
	if len(s) > maxWhat {
		s = strings.ToValidUTF8(s[:maxWhat], "") + "..."
	}
	return s
}

// origin is the place of the panic: the first frame of ours below the runtime's.
// Where a library panics, that is what called it.
func origin() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	panicked := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && (strings.HasPrefix(f.Function, module) || strings.HasPrefix(f.Function, "main.")):
			return fmt.Sprintf("%s:%d", below(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

const module = "rtrail/"

// below is a path of the source as people of the project write it.
func below(file string) string {
	for _, root := range []string{"/internal/", "/cmd/"} {
		if at := strings.LastIndex(file, root); at >= 0 {
			return file[at+len(root):]
		}
	}
	return file[strings.LastIndexByte(file, '/')+1:]
}
