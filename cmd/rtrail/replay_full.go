package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rtrail/internal/crash"
	"rtrail/internal/replayview"
	"rtrail/internal/replayview/screen"
	"rtrail/internal/session"
)

// fullLength is what the full screen judges at a time if nothing else is said, and maxFull
// the most: beside a thousand processes a minute takes 200 MB of memory.
const (
	fullLength = 10 * time.Second
	maxFull    = time.Minute
)

// checkFull refuses what does not go with the full screen.
func (r *replayJob) checkFull() error {
	switch {
	case r.json, r.markdown, r.html != "":
		return usageError("--full shows the recording on the terminal: it does not go with --json, --markdown and --html")
	case r.step != 0:
		return usageError("--step does not go with --full: --for says how much is judged at a time")
	}
	return nil
}

// screen shows the recording on the whole terminal until the user quits.
func (r *replayJob) screen(cmd *cobra.Command, src *session.Store) error {
	if !cmd.Flags().Changed("for") {
		r.length = max(fullLength, src.AtLeast())
	}
	switch {
	case r.length < time.Second || r.length > max(maxFull, src.AtLeast()):
		return usageError("--for %v: --full judges 1s to %v at a time", r.length, maxFull)
	case src.Imported() && r.length < src.AtLeast():
		return tooShort("--for", r.length, src)
	}
	if _, tty := terminalWidth(cmd.OutOrStdout()); !tty || !term.IsTerminal(int(os.Stdin.Fd())) {
		return usageError("--full needs a terminal; run without it, or with --json")
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	held, err := src.Holds(ctx)
	if err != nil {
		return err
	}
	if len(held.Pieces) == 0 {
		return fmt.Errorf("replaying %s: the recording has no samples", src.Paths()[0])
	}
	begin := held.Window.From
	when := func(text string) (time.Time, string, error) {
		return momentOf("", text, r.length, held.Window, time.Now())
	}
	if r.at != "" {
		if begin, _, err = moment(r.at, r.length, held.Window, time.Now()); err != nil {
			return err
		}
	}
	source := screen.Source{Host: held.Manifest.Host.Name, Pieces: held.Pieces, Length: r.length, When: when,
		Judge: func(p screen.Place) (m replayview.Moment, err error) {
			err = crash.Guard(func() error {
				rec, err := src.OpenPiece(ctx, p.Piece, p.At, p.At.Add(r.length))
				if err == nil {
					m = replayview.Of(&session.Evidence{Recording: rec, From: p.At, To: p.At.Add(r.length)})
				}
				return err
			})
			return m, err
		}}
	program := tea.NewProgram(screen.New(source, begin, colours()), tea.WithContext(ctx), tea.WithoutSignalHandler())
	searched := make(chan struct{})
	go func() {
		defer close(searched)
		var found screen.Found
		found.Err = crash.Guard(func() error {
			told, err := (&timelineJob{gently: true}).run(ctx, src)
			if err == nil {
				found.Episodes, found.Document = told.survey.Episodes(), told.document()
			}
			return err
		})
		program.Send(found)
	}()
	err = showFullScreen(ctx, program)
	cancel()
	<-searched
	if err != nil && (!errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, tea.ErrProgramPanic)) {
		return fmt.Errorf("showing the full screen: %w", err)
	}
	return nil
}
