package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rtrail/internal/escape"
)

// pipeWidth is the width of output that no terminal shows and for which COLUMNS
// says nothing: what fits a mail or a ticket.
const pipeWidth = 100

// maxColumns bounds what COLUMNS may ask for.
const maxColumns = 1000

// terminalWidth is how wide the output may be, and whether it is a terminal.
// COLUMNS comes first, as the user may have set it for a pipe.
func terminalWidth(out io.Writer) (width int, tty bool) {
	f, ok := raw(out).(*os.File)
	tty = ok && term.IsTerminal(int(f.Fd()))
	if w := wantedColumns(); w > 0 {
		return w, tty
	}
	if !tty {
		return pipeWidth, false
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w, true
	}
	return 80, true
}

// wantedColumns is what COLUMNS says, 0 if it says nothing.
func wantedColumns() int {
	if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > 0 && w <= maxColumns {
		return w
	}
	return 0
}

// raw is where output goes that is no text: what escapes text would spoil it.
func raw(out io.Writer) io.Writer {
	if w, ok := out.(*escape.Writer); ok {
		return w.Unwrap()
	}
	return out
}

// colours says that a terminal may get them.
func colours() bool { return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" }

// addNoColor gives all verbs --no-color. It stands for NO_COLOR, which also the
// library of the full screen knows.
func addNoColor(root *cobra.Command) {
	var off bool
	root.PersistentFlags().BoolVar(&off, "no-color", false, "no colours, even on a terminal")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if !off {
			return nil
		}
		return os.Setenv("NO_COLOR", "1")
	}
}

// lineWidth is where lines are broken or cut: at the end of a terminal's lines or
// where COLUMNS says, and nowhere (0) in other output, which programs search by lines.
func lineWidth(out io.Writer) int {
	if width, tty := terminalWidth(out); tty || wantedColumns() > 0 {
		return width
	}
	return 0
}

// progress shows on a terminal that something is going on.
type progress struct{ done, gone chan struct{} }

// startProgress counts the seconds of work that takes a known time. It writes
// nothing when stderr is not a terminal.
func startProgress(stderr io.Writer, what string, length time.Duration) progress {
	p := progress{make(chan struct{}), make(chan struct{})}
	if _, tty := terminalWidth(stderr); !tty || length < 2*time.Second {
		close(p.gone)
		return p
	}
	go func() {
		defer close(p.gone)
		began := time.Now()
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			fmt.Fprintf(stderr, "\r%s: %2.0f of %.0f s (Ctrl-C: answer now) ", what, time.Since(began).Seconds(), length.Seconds())
			select {
			case <-tick.C:
			case <-p.done:
				fmt.Fprint(stderr, "\r\x1b[K")
				return
			}
		}
	}()
	return p
}

func (p progress) stop() {
	close(p.done)
	<-p.gone
}
