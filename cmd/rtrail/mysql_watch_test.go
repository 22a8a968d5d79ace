package main

import (
	"testing"
	"testing/synctest"
	"time"

	"rtrail/internal/mysqlview"
	"rtrail/internal/recording"
)

// A look that comes late because nobody asked is no silence of the server; one that
// was asked for and does not come back is.
func TestSilenceIsAQuestionWithoutAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		asked bool   // a look is under way after the last one
		state string // of the last look
		error string // of a sample after it
		want  []string
	}{
		"looks are far apart":    {want: []string{recording.ServerAnswers, recording.ServerAnswers, recording.ServerAnswers}},
		"a look is not answered": {asked: true, want: []string{recording.ServerAnswers, recording.ServerAnswers, recording.ServerAnswers, "", ""}},
		"it is left alone":       {state: recording.ServerSlow, want: []string{recording.ServerAnswers, recording.ServerAnswers, recording.ServerSlow, "", ""}},
		"the probe was given up": {error: "no answer", want: []string{recording.ServerAnswers, recording.ServerAnswers, recording.ServerAnswers, "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked time.Time
				w := &mysqlWatch{mysqlJob: &mysqlJob{every: time.Second}, feed: mysqlview.NewFeed("db", recording.Manifest{}), stop: func() {},
					done: make(chan error, 1), asked: func() time.Time { return asked }}
				var got []string
				ended := make(chan error)
				go func() {
					ended <- w.rows(func(r *mysqlview.Row) error {
						got = append(got, r.State)
						return nil
					})
				}()
				commit := func(rows ...func(*recording.Writer)) {
					sample := recording.NewWriter(time.Now())
					for _, add := range rows {
						add(sample)
					}
					if err := w.feed.Commit(sample); err != nil {
						t.Error(err)
					}
				}
				look := func(state string) {
					commit(func(to *recording.Writer) {
						recording.Append(to, recording.MySQLServer{At: time.Now(), Server: "db", State: state})
						recording.Append(to, recording.ProbeRun{At: time.Now(), Probe: "mysql"})
					})
				}
				look(recording.ServerAnswers)
				for i := range 3 {
					time.Sleep(4*time.Second - time.Millisecond) // nearly as far apart as they may be
					if i == 2 && c.state != "" {
						look(c.state)
					} else {
						look(recording.ServerAnswers)
					}
				}
				time.Sleep(time.Second)
				if c.asked {
					asked = time.Now()
				}
				if c.error != "" {
					commit(func(to *recording.Writer) {
						recording.Append(to, recording.ProbeRun{At: time.Now(), Probe: "mysql", Error: c.error})
					})
				}
				time.Sleep(3*time.Second + time.Second/2)
				w.done <- nil
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
				if len(got) != len(c.want) {
					t.Fatalf("rows %q, want %q", got, c.want)
				}
				for i := range got {
					if got[i] != c.want[i] {
						t.Errorf("rows %q, want %q", got, c.want)
						break
					}
				}
			})
		})
	}
}
