package main

import (
	"context"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
)

// fullScreen is a terminal on all of which a program draws: how it was before.
type fullScreen struct {
	once  sync.Once
	state *term.State // of the input; nil: it is no terminal
	out   *os.File
}

// showFullScreen draws on the whole terminal until the program ends. Also where
// the run ends meanwhile without asking the program, the terminal is given back.
func showFullScreen(ctx context.Context, program *tea.Program) error {
	if i := interruptionOf(ctx); i != nil {
		s := &fullScreen{out: os.Stdout}
		if state, err := term.GetState(int(os.Stdin.Fd())); err == nil {
			s.state = state
		}
		i.screen.Store(s)
		defer i.screen.Store(nil)
	}
	_, err := program.Run()
	return err
}

const (
	// leaveScreen takes back what the library of the full screen asks a terminal
	// for: reports of keys, synchronized output, the other screen, a hidden cursor,
	// marks around pasted text, wide characters as one; then colours.
	leaveScreen = "\x1b[>4m\x1b[<1u\x1b[?2026l\x1b[?1049l\x1b[?25h\x1b[?2004l\x1b[?2027l\x1b[m"
	// leaveWithin is how long a terminal that takes no more output may hold up the
	// end of the program.
	leaveWithin = 200 * time.Millisecond
)

// leave gives the terminal back, once. nil: there is nothing to give back.
func (s *fullScreen) leave() {
	if s == nil {
		return
	}
	s.once.Do(func() {
		if s.state != nil {
			_ = term.Restore(int(os.Stdin.Fd()), s.state)
		}
		if !term.IsTerminal(int(s.out.Fd())) {
			return
		}
		written := make(chan struct{})
		go func() {
			defer close(written)
			_, _ = s.out.WriteString(leaveScreen)
		}()
		select {
		case <-written:
		case <-time.After(leaveWithin):
		}
	})
}
