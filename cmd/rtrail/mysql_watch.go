package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/document"
	"rtrail/internal/mysqlview"
	"rtrail/internal/probe"
	"rtrail/internal/probe/host"
	"rtrail/internal/probe/mysql"
	"rtrail/internal/prose"
	"rtrail/internal/recording"
	"rtrail/internal/session"
)

// forever is longer than anybody watches.
const forever = 100 * 365 * 24 * time.Hour

// hostPatience is how long a line waits for the numbers of the host, which are
// read beside those of the server: the last look of a run begins up to 200 ms
// before its end, the last reading of the host just before it.
const hostPatience = 300 * time.Millisecond

// mysqlWatch is a run that watches a server.
type mysqlWatch struct {
	*mysqlJob
	feed    *mysqlview.Feed
	ctx     context.Context
	stop    context.CancelFunc
	done    chan error       // the runner's end
	asked   func() time.Time // since when a look is under way; zero: none is
	packets *mysqlPackets
}

// watch begins to look at the server and its host.
func (m *mysqlJob) watch(ctx context.Context, source *mysql.Probe, name string) (*mysqlWatch, error) {
	w := &mysqlWatch{mysqlJob: m, feed: mysqlview.NewFeed(name, manifest()), done: make(chan error, 1), asked: source.Asked}
	w.feed.Local, w.feed.Every = isHere, m.every
	// A look that is later than that is one without an answer: see patience.
	watched := session.Start(session.Options{Probes: []probe.Probe{host.New(host.FS{}), source}, Interval: m.every, Slowest: m.every + probe.Deadline, About: manifest()})
	watched.Into(w.feed)
	if err := watched.Missing(); err != nil {
		watched.Close()
		return nil, err
	}
	if m.iface != "" {
		var err error
		if w.packets, err = m.capture(ctx, name); err != nil {
			watched.Close()
			return nil, err
		}
		w.feed.Packets = w.packets.take
	}
	w.ctx, w.stop = context.WithCancel(ctx)
	length := m.length
	if length <= 0 {
		length = forever
	}
	go func() { w.done <- crash.Guard(func() error { return watched.Run(w.ctx, length) }) }()
	return w, nil
}

func (w *mysqlWatch) close() {
	w.stop()
	if w.packets != nil {
		w.packets.close()
	}
}

// rows gives out a row after every look until the run ends, and those of silence. give may end the run by an error.
func (w *mysqlWatch) rows(give func(*mysqlview.Row) error) error {
	late := time.NewTimer(w.patience())
	defer late.Stop()
	for {
		select {
		case <-w.feed.Looked():
			late.Reset(w.patience())
			w.awaitHost()
			row, ok := w.feed.Row()
			// What an interrupt leaves of an interval says little.
			if !ok || row.Answers() && row.Seconds < w.every.Seconds()/2 {
				continue
			}
			if err := give(&row); err != nil {
				return w.ended(err)
			}
		case <-late.C:
			late.Reset(w.every)
			if !w.silent() {
				continue
			}
			row := w.feed.Silent(time.Now())
			if err := give(&row); err != nil {
				return w.ended(err)
			}
		case err := <-w.done:
			// The last look may have come with the end.
			if row, ok := w.feed.Row(); ok && (!row.Answers() || row.Seconds >= w.every.Seconds()/2) {
				if cause := give(&row); cause != nil && err == nil {
					err = cause
				}
			}
			return err
		}
	}
}

// ended stops the run for an error.
func (w *mysqlWatch) ended(err error) error {
	w.stop()
	<-w.done
	return err
}

// lookPatience is how long a look may take: a second at most, and one more goes by
// until the runner gives a probe up.
const lookPatience = 2 * probe.Deadline

// patience is after how long a look is missed.
func (w *mysqlWatch) patience() time.Duration { return w.every + lookPatience }

// silent says whether a look that is missed was wished for and does not come back.
// That none was wished for says nothing about the server: looks that cost this
// host much are further apart.
func (w *mysqlWatch) silent() bool {
	since := w.asked()
	return !since.IsZero() && time.Since(since) >= lookPatience || w.feed.Unlooked()
}

func (w *mysqlWatch) awaitHost() {
	for end := time.Now().Add(hostPatience); !w.feed.HostSampled() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

// lines prints a line per row, and a summary at the end.
func (w *mysqlWatch) lines(out, stderr io.Writer) error {
	width := lineWidth(out)
	lines := &mysqlview.Lines{Out: out, Width: width, Packets: w.iface != ""}
	objects := &mysqlview.JSON{Out: out, Packets: w.iface != ""}
	var totals mysqlview.Totals
	var last *mysqlview.Row
	answered := false
	notes := noteWriter{out: stderr, told: map[string]bool{}}
	err := w.rows(func(r *mysqlview.Row) error {
		last, answered = r, answered || r.Answers()
		totals.Add(r)
		denied := r.State == recording.ServerDenied || r.State == recording.ServerMisnamed
		if !denied {
			notes.write(w.feed, r)
		}
		var err error
		switch {
		case w.json:
			err = objects.Row(r)
		case !denied:
			err = lines.Row(r)
		}
		if denied && err == nil {
			err = errDenied
		}
		return err
	})
	switch {
	case err == errDenied:
		return failure(last, w.access.notes)
	case err != nil:
		return err
	case last == nil && w.ctx.Err() != nil:
		return nil // an interrupt before the first line
	case !answered:
		return failure(last, w.access.notes)
	case w.json:
		return nil
	}
	totals.Finish(w.feed)
	fmt.Fprintln(out)
	return document.Terminal(out, totals.Document(w.top), lineOptions(out))
}

// errDenied ends a run: asking again would count against this host.
var errDenied = errors.New("denied")

// noteWriter tells once what is not seen.
type noteWriter struct {
	out  io.Writer
	told map[string]bool
	here bool
}

func (n *noteWriter) write(f *mysqlview.Feed, r *mysqlview.Row) {
	if r.Answers() && !n.here {
		n.here = true
		if !f.HostKnown() {
			n.say(fmt.Sprintf("rtrail: %s does not run on this host, as far as can be seen: the columns of the host are empty", r.Server))
		}
	}
	for _, u := range f.Unseen() {
		if key := u.What + u.Why; !n.told[key] {
			n.told[key] = true
			n.say("rtrail: " + mysqlview.NotSeen(&u))
		}
	}
}

func (n *noteWriter) say(text string) { fmt.Fprintln(n.out, prose.Wrap(text, lineWidth(n.out), 2)) }
