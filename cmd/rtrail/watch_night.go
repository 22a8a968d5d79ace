package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"rtrail/internal/crash"
	"rtrail/internal/document"
	"rtrail/internal/infile"
	"rtrail/internal/notify"
	"rtrail/internal/prose"
	"rtrail/internal/report"
	"rtrail/internal/session"
	"rtrail/internal/unit"
	"rtrail/internal/watch"
)

const (
	// minWatched is the shortest window that is judged: rates need some samples.
	minWatched = 5 * time.Second
	maxWatched = 10 * time.Minute // rows of a longer one are held in memory for little
	// lastChance is how long receivers may delay the end of a watch.
	lastChance = 3 * time.Second
)

// nightWatch judges the last window again and again, for `rtrail watch` and
// `rtrail record --watch`.
type nightWatch struct {
	every, window time.Duration
	notify        []string
	state         string
	json          bool

	goesOn  bool // also if nobody reads what is printed
	targets []*notify.Target
	see     func(since time.Time) string // makes the command that shows more
}

// add adds the flags; when says when they count: " (with --watch)".
func (n *nightWatch) add(f *pflag.FlagSet, when string) {
	f.DurationVar(&n.every, "every", 10*time.Second, "how often to judge"+when)
	f.DurationVar(&n.window, "window", 10*time.Second, "how much is judged each time"+when)
	f.StringArrayVar(&n.notify, "notify", nil, "hand notices to exec:COMMAND, https://HOST/PATH, alertmanager+https://HOST:PORT, or what @FILE names; repeatable"+when)
	f.StringVar(&n.state, "state", "", "file that remembers what was notified across restarts; one per watch (default: with --notify, as root or under systemd, watch.json in $STATE_DIRECTORY or /var/lib/rtrail)"+when)
	thresholds{}.add(f, when)
}

// check refuses what cannot be meant, and finds the receivers.
func (n *nightWatch) check(interval time.Duration) error {
	switch {
	case n.window < max(minWatched, 4*interval) || n.window > maxWatched:
		return usageError("--window %v: it takes %v to %v, and four samples at least", n.window, minWatched, maxWatched)
	case n.every < time.Second || n.every > maxWatched:
		return usageError("--every %v: it takes 1s to %v", n.every, maxWatched)
	case len(n.notify) > watch.MaxReceivers:
		return usageError("--notify: %d receivers; at most %d", len(n.notify), watch.MaxReceivers)
	case n.state == "-":
		return usageError("--state -: it names a file, which a later run reads")
	}
	known := map[string]bool{}
	for i, name := range n.notify {
		name, err := receiver(name)
		var t *notify.Target
		if err == nil {
			t, err = notify.Parse(name)
		}
		switch {
		case err != nil:
			return usageError("--notify, number %d: %w", i+1, err)
		case known[t.ID]:
			return usageError("--notify, number %d: %s is named twice", i+1, t.Name)
		}
		known[t.ID] = true
		n.targets = append(n.targets, t)
	}
	return nil
}

// maxLine bounds what a file with one line holds, in bytes.
const maxLine = 4 << 10

// receiver is the name of a receiver, which may stand in a file.
func receiver(name string) (string, error) {
	path, inFile := strings.CutPrefix(name, "@")
	if !inFile {
		return name, nil
	}
	return onlyLine(path, "which names a receiver")
}

// onlyLine is the one line of a file, which is kept out of command lines: passwords, addresses
// with tokens. what says what it is, for errors.
func onlyLine(path, what string) (string, error) {
	f, err := infile.Open(context.Background(), path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxLine+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	text := strings.TrimSpace(string(b))
	if len(b) > maxLine || text == "" || strings.ContainsAny(text, "\n\r") {
		return "", fmt.Errorf("%s: one line is wanted, %s", path, what)
	}
	return text, nil
}

// keep is how much evidence has to be in memory.
func (n *nightWatch) keep(interval time.Duration) time.Duration {
	return n.window + 2*interval + time.Second
}

// watchNotice is what is printed of the beginning of a watch, as JSON.
type watchNotice struct {
	Event         string         `json:"event"` // "watching"
	At            time.Time      `json:"at"`
	Host          string         `json:"host"`
	EverySeconds  float64        `json:"every_seconds"`
	WindowSeconds float64        `json:"window_seconds"`
	Notify        []string       `json:"notify"`
	Missing       []missingProbe `json:"missing"` // probes that do not run
	Open          []watch.Notice `json:"open"`    // faults that an earlier run told of

	Thresholds []report.Threshold `json:"thresholds,omitempty"` // that were overridden
}

type missingProbe struct {
	Probe string `json:"probe"`
	Why   string `json:"why"`
}

// running is a watch that judges.
type running struct {
	*nightWatch
	host   *session.Live
	stdout io.Writer
	warn   func(text string)
	outbox notify.Outbox
	keeper *stateKeeper
	silent outages

	mu      sync.Mutex
	tracker watch.Tracker

	kept   time.Time // when the state was put last
	failed error     // of printing
}

// keepEvery is how often the state is written while a fault is there: after a crash, it is said
// to have lasted until then.
const keepEvery = time.Minute

// start judges in the background until the run ends. Its context ends with ctx, and when
// nobody reads what is printed. stop takes the error of the run and gives that with the watch's.
func (n *nightWatch) start(ctx context.Context, host *session.Live, stdout, stderr io.Writer) (runs context.Context, stop func(error) error, err error) {
	name := host.Recording().Manifest().Host.Name
	r := &running{nightWatch: n, host: host, stdout: stdout, silent: outages{}, tracker: watch.Tracker{Host: name, Step: n.every, See: n.see}}
	r.warn = func(text string) { fmt.Fprintln(stderr, prose.Wrap("rtrail: "+text, lineWidth(stderr), 2)) }
	r.outbox.Warn = r.warn
	var before watch.State
	if path := n.keeps(); path != "" {
		if r.keeper, before, err = openState(path, name); err != nil {
			r.warn(fmt.Sprintf("state %s: %v; watching without it: nothing is remembered across restarts", path, err))
		}
	}
	r.outbox.Changed = func() { r.keeper.put(r.snapshot()) }
	r.tracker.Resume(before, time.Now())
	if err := r.begin(name); err != nil {
		return nil, nil, err
	}
	runs, cancel := context.WithCancel(ctx)
	r.keeper.start(r.warn)
	r.outbox.Start(n.targets, before.Pending)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := crash.Guard(func() error { r.follow(runs, cancel); return nil }); err != nil {
			r.warn(err.Error())
			cancel()
		}
	}()
	return runs, func(err error) error {
		cancel()
		<-done
		left := r.outbox.Close(lastChance)
		kept := r.keeper.close(r.snapshot(), lastChance)
		if left > 0 {
			what := "lost"
			if kept {
				what = "kept for the next run"
			}
			r.warn(fmt.Sprintf("%s not delivered: %s", unit.Plural(left, "notice was", "notices were"), what))
		}
		return cmp.Or(r.failed, err)
	}, nil
}

// begin says what is watched.
func (r *running) begin(host string) error {
	start := watchNotice{Event: "watching", At: time.Now(), Host: host, EverySeconds: r.every.Seconds(), WindowSeconds: r.window.Seconds(), Notify: []string{}, Missing: []missingProbe{}, Open: []watch.Notice{}}
	for _, t := range r.targets {
		start.Notify = append(start.Notify, t.Name)
	}
	for _, p := range r.host.Recording().Manifest().Probes {
		if p.Missing != "" {
			start.Missing = append(start.Missing, missingProbe{p.Name, p.Missing})
		}
	}
	start.Open = append(start.Open, r.tracker.Open()...)
	for _, o := range overridden() {
		start.Thresholds = append(start.Thresholds, report.NewThreshold(o))
	}
	if r.json {
		return document.JSONLine(r.stdout, start)
	}
	words := fmt.Sprintf("%v  watching   %s: the last %v every %v", unit.Moment(start.At), host, unit.Duration(r.window), unit.Duration(r.every))
	if len(start.Notify) > 0 {
		words += "; notices to " + strings.Join(start.Notify, ", ")
	}
	if len(start.Open) > 0 {
		words += "; " + unit.Plural(len(start.Open), "fault is", "faults are") + " known from before"
	}
	for _, o := range overrides() {
		words += "; " + o
	}
	if len(start.Missing) > 0 {
		words += "; without " + inWords(start.Missing)
	}
	_, err := fmt.Fprintln(r.stdout, words)
	return err
}

// follow judges until ctx ends.
func (r *running) follow(ctx context.Context, cancel func()) {
	next := time.NewTimer(r.window)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		next.Reset(r.every)
		// A bug in a judgement costs that one.
		if err := crash.Guard(func() error { r.judge(time.Now()); return nil }); err != nil {
			r.warn(err.Error())
		}
		if r.failed != nil && !r.goesOn {
			cancel()
			return
		}
	}
}

// judge judges the window that ends now.
func (r *running) judge(now time.Time) {
	e := r.host.Last(r.window, now)
	for _, line := range r.silent.next(e.View()) {
		r.warn(line)
	}
	w := watch.WindowOf(e.Judge())
	r.mu.Lock()
	notices := r.tracker.Judge(w)
	open := r.tracker.Open()
	r.mu.Unlock()
	r.outbox.Put(notices, open)
	if len(notices) > 0 || len(open) > 0 && now.Sub(r.kept) >= keepEvery {
		r.kept = now
		r.keeper.put(r.snapshot())
	}
	for i := range notices {
		if r.failed == nil {
			r.failed = r.print(&notices[i])
		}
	}
}

// snapshot is what a restart needs.
func (r *running) snapshot() watch.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.tracker.State(time.Now())
	s.Pending = r.outbox.Pending()
	return s
}

func (r *running) print(n *watch.Notice) error {
	if r.json {
		return document.JSONLine(r.stdout, n)
	}
	_, err := fmt.Fprintln(r.stdout, n.Line())
	return err
}
