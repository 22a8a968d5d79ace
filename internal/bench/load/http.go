package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/bench"
	"rtrail/internal/crash"
	"rtrail/internal/escape"
)

// HTTP asks a web server for one path: at a rate, whatever it answers, or by so many clients.
type HTTP struct {
	Target      string // HOST:PORT
	Scheme      string // http or https
	Path        string
	KeepAlive   bool
	Connections int // of an open loop, at most
	Warmup      int // seconds
	Seconds     int
}

// URL is what is asked for.
func (h *HTTP) URL() string { return h.Scheme + "://" + h.Target + h.Path }

// Check refuses what cannot be asked for.
func (h *HTTP) Check() error {
	if h.Scheme != "http" && h.Scheme != "https" {
		return fmt.Errorf("scheme %q: there are http and https", h.Scheme)
	}
	if _, err := url.Parse(h.URL()); err != nil || h.Path == "" || h.Path[0] != '/' {
		return fmt.Errorf("path %q: want one that begins with a slash", h.Path)
	}
	if h.Connections < 1 {
		return errors.New("an open loop needs connections")
	}
	return nil
}

const (
	// maxBody bounds what is read of an answer.
	maxBody = 1 << 30
	// noAnswer stands for a status where there was none.
	noAnswer = 0xffff
)

// httpLoop is a run.
type httpLoop struct {
	h      *HTTP
	client *http.Client
	start  time.Time
	limit  float64

	mu       sync.Mutex
	schedule *schedule
	open     bool
	first    error // that left a request without an answer
	exceeded bool
	stop     context.CancelFunc
}

// Run implements Driver.
func (h *HTTP) Run(ctx context.Context, level Level, limits Limits, tell Telling) (Outcome, error) {
	o := Outcome{Load: bench.UnknownLoad(), Alone: bench.UnknownLoad(), Generator: UnknownUsage(), Settings: map[string]string{"keep_alive": strconv.FormatBool(h.KeepAlive), "url_path": h.Path}}
	if level.Rate > limits.Rate {
		return o, fmt.Errorf("a rate of %v a second is more than %v", level.Rate, limits.Rate)
	}
	workers, rate := level.Threads, 1.0
	if level.Rate > 0 {
		workers, rate = h.Connections, level.Rate
		o.Settings["connections"] = strconv.Itoa(h.Connections)
	}
	length := time.Duration(h.Warmup+h.Seconds) * time.Second
	l := &httpLoop{h: h, limit: limits.Rate, open: level.Rate > 0, schedule: newSchedule(rate, length), start: time.Now()}
	l.schedule.name = l.name
	transport := &http.Transport{
		// The target is what is loaded, whatever a proxy of the environment says.
		DialContext:       (&net.Dialer{Timeout: connectWithin}).DialContext,
		MaxConnsPerHost:   workers,
		MaxIdleConns:      workers,
		DisableKeepAlives: !h.KeepAlive, DisableCompression: true, MaxIdleConnsPerHost: workers,
	}
	defer transport.CloseIdleConnections()
	// Where a redirect leads is another target.
	l.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	running, stop := context.WithDeadline(ctx, l.start.Add(length+drain))
	defer stop()
	l.stop = stop
	watched := WatchProcess(os.Getpid())
	warm := time.AfterFunc(time.Duration(h.Warmup)*time.Second, func() {
		watched.Begin()
		tell.Measures()
	})
	defer warm.Stop()
	var all sync.WaitGroup
	failures := make(chan error, workers+1)
	turns := make(chan turn)
	begin := func(f func() error) {
		all.Go(func() {
			if err := crash.Guard(f); err != nil {
				failures <- err
				stop()
			}
		})
	}
	for range workers {
		begin(func() error { return l.work(running, turns) })
	}
	if l.open {
		begin(func() error { return l.pace(running, turns) })
	}
	all.Wait()
	o.Generator = watched.End()
	tell.Output(o.Generator.String() + ", rtrail's own probes included")
	if l.open {
		l.schedule.unserved(time.Since(l.start))
	}
	from := l.schedule.sum(&o, h.Warmup)
	o.Began, o.Ended = l.start.Add(time.Duration(from)*time.Second), l.start.Add(length)
	if !l.open {
		o.Alone = bench.UnknownLoad() // it is the same
	}
	if hot := o.Generator.Hot(); hot != "" {
		o.Invalid = append(o.Invalid, hot)
	}
	for i := range l.schedule.seconds {
		x := &l.schedule.seconds[i]
		tell.Output(fmt.Sprintf("[ %ds ] tps: %d failed: %d unserved: %d p50 %v p99 %v", i+1, x.ended, x.failed, x.unserved, x.whole.Quantile(.5), x.whole.Quantile(.99)))
	}
	var err error
	select {
	case err = <-failures:
	default:
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case l.exceeded:
		err = fmt.Errorf("more than --max-rate %v requests a second: the step was ended", limits.Rate)
	case err == nil && l.failedAll(&o):
		err = fmt.Errorf("no request was answered: %w", l.first)
	}
	if err != nil {
		o.Gone, o.Ended = true, time.Now()
	}
	return o, err
}

// failedAll says that nothing was answered at all: there is no server.
func (l *httpLoop) failedAll(o *Outcome) bool {
	return o.Load.TPS == 0 && l.first != nil && l.schedule.failed[noAnswer] > 0 && len(l.schedule.failed) == 1
}

// name says what failed.
func (l *httpLoop) name(status uint16) error {
	if status == noAnswer {
		return l.first
	}
	return fmt.Errorf("HTTP status %d", status)
}

// turn is when a request is to begin; free says that a worker waited for it.
type turn struct {
	due  time.Duration
	free bool
}

// pace hands out what is due. Timers of Go are late by up to a millisecond where nothing else
// goes on: it has a thread of its own that sleeps exactly.
func (l *httpLoop) pace(ctx context.Context, turns chan<- turn) error {
	defer close(turns)
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	for ctx.Err() == nil {
		due := l.schedule.due()
		if due >= l.schedule.length() {
			return nil
		}
		for wait := due - time.Since(l.start); wait > 0 && ctx.Err() == nil; wait = due - time.Since(l.start) {
			t := unix.NsecToTimespec(int64(min(wait, longestWait)))
			_ = unix.Nanosleep(&t, nil) // a signal ends it early
		}
		select {
		case turns <- turn{due, true}:
		default:
			select {
			case turns <- turn{due, false}:
			case <-ctx.Done():
				return nil
			}
		}
		l.schedule.next++
	}
	return nil
}

// work asks again and again.
func (l *httpLoop) work(ctx context.Context, turns <-chan turn) error {
	for ctx.Err() == nil {
		t, ok := l.next(ctx, turns)
		if !ok {
			return nil
		}
		began := time.Since(l.start)
		status, err := l.ask(ctx)
		now := time.Since(l.start)
		l.ended(ctx, t, began, now, status, err)
	}
	return nil
}

// next is what a worker does next: what is handed out, or in a closed loop at once another one.
func (l *httpLoop) next(ctx context.Context, turns <-chan turn) (t turn, ok bool) {
	if !l.open {
		now := time.Since(l.start)
		return turn{due: now}, now < l.schedule.length()
	}
	select {
	case t, ok = <-turns:
	case <-ctx.Done():
	}
	return t, ok
}

func (l *httpLoop) ask(ctx context.Context) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.h.URL(), nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("User-Agent", "rtrail-bench")
	answer, err := l.client.Do(r)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(answer.Body, maxBody))
	return answer.StatusCode, errors.Join(err, answer.Body.Close())
}

func (l *httpLoop) ended(ctx context.Context, t turn, began, now time.Duration, status int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.schedule
	s.began(t.due, began, t.free)
	switch {
	case err != nil && ctx.Err() != nil: // the time is over
		s.waiting(t.due, now, 1)
	case err != nil:
		if l.first == nil {
			l.first = errors.New(escape.Line(err.Error()))
		}
		s.end(t.due, began, now, noAnswer)
	case status >= 400:
		s.end(t.due, began, now, uint16(min(status, noAnswer-1)))
	default:
		s.end(t.due, began, now, 0)
	}
	if x := s.of(now); float64(x.ended+x.failed) > l.limit {
		l.exceeded = true
		l.stop()
	}
}
