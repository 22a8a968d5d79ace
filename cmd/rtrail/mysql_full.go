package main

import (
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"rtrail/internal/crash"
	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/mysqlview"
	"rtrail/internal/mysqlview/screen"
)

// screen shows the server on the whole terminal until the user quits.
func (w *mysqlWatch) screen() error {
	program := tea.NewProgram(screen.New(w.iface != ""), tea.WithContext(w.ctx), tea.WithoutSignalHandler())
	var totals mysqlview.Totals
	read := make(chan error, 1)
	go func() {
		err := crash.Guard(func() error {
			return w.rows(func(r *mysqlview.Row) error {
				totals.Add(r)
				program.Send(screen.Moment{Row: *r, Frame: w.feed.Frame()})
				return nil
			})
		})
		if err != nil {
			program.Quit() // the error is what there is to see
		}
		program.Send(screen.Ended{})
		read <- err
	}()
	err := showFullScreen(w.ctx, program)
	w.stop()
	if cause := <-read; cause != nil {
		return cause
	}
	if err != nil && !errors.Is(err, tea.ErrProgramKilled) {
		return fmt.Errorf("showing the full screen: %w", err)
	}
	totals.Finish(w.feed)
	return document.Terminal(escape.Coloured(os.Stdout), totals.Document(w.top), terminalOptions(os.Stdout))
}
