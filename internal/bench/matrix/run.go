package matrix

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/load"
	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/rule"
)

// Bench runs a plan.
type Bench struct {
	Plan   *Plan
	Folder *Folder
	// Driver is what makes the load of a step.
	Driver func(*Step) (load.Driver, error)
	// Sources are what a step is watched by; new ones for each.
	Sources func(*Step) (Sources, error)
	// Ready says whether a server answers; it is asked again until it does.
	Ready func(context.Context, *Environment) error
	// Prepare makes an environment ready for its first block, and says what is worth knowing
	// of its settings.
	Prepare func(context.Context, *Environment) (settings map[string]string, err error)
	// Finished gets each run, Say what else goes on.
	Finished func(*bench.Run) error
	Say      func(format string, args ...any)
}

// failuresInARow end a matrix: what fails for all levels fails for the rest, too.
const failuresInARow = 3

// Run makes the steps that are not there yet. When ctx ends, the step that runs is given up.
func (b *Bench) Run(ctx context.Context) error {
	limit, err := time.ParseDuration(b.Plan.MaxTime)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("--max-time %v is over", limit))
	defer cancel()
	steps := b.Plan.Steps()
	left := slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return b.Folder.Has(&s) })
	if n := len(steps) - len(left); n > 0 {
		b.Say("%d of %d steps are there; going on with the rest", n, len(steps))
	}
	settings := map[string]map[string]string{}
	failed, block := 0, ""
	valid := len(left) == 0
	for i := range left {
		s := &left[i]
		fresh := fmt.Sprintf("%d/%s", s.Repeat, s.Environment.Name)
		if err := b.enter(ctx, s, fresh != block, settings); err != nil {
			return b.ended(ctx, err)
		}
		block = fresh
		run, err := b.step(ctx, s, settings[s.Environment.Name])
		if ctx.Err() != nil {
			return b.ended(ctx, nil)
		}
		if run != nil {
			if err := b.keep(run); err != nil {
				return err
			}
			valid = valid || len(run.Invalid) == 0
		}
		if err == nil {
			failed = 0
		} else {
			failed++
			b.Say("%v: %v", s, err)
			if failed == failuresInARow {
				return b.ended(ctx, fmt.Errorf("%d steps in a row failed: %w", failed, err))
			}
			if err := b.ready(ctx, s.Environment, b.readyIn()); err != nil {
				return b.ended(ctx, err)
			}
		}
		if i < len(left)-1 {
			sleep(ctx, time.Duration(b.Plan.Pause)*time.Second)
		}
	}
	if !valid {
		return ErrNoneValid
	}
	return nil
}

// ErrNoneValid says that all steps are there, and nothing can be concluded from any.
var ErrNoneValid = errors.New("no step is valid: see why above")

// ended says that a matrix is not whole, and how it goes on.
func (b *Bench) ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	whole := 0
	steps := b.Plan.Steps()
	for i := range steps {
		if b.Folder.Has(&steps[i]) {
			whole++
		}
	}
	return &Incomplete{whole, len(steps), err}
}

// Incomplete says that steps are missing.
type Incomplete struct {
	Whole, Of int
	Err       error
}

func (e *Incomplete) Error() string {
	why := fmt.Sprint(e.Err)
	if errors.Is(e.Err, context.Canceled) {
		why = "stopped"
	}
	return fmt.Sprintf("%s; %d of %d steps are done: the same command goes on with the rest", why, e.Whole, e.Of)
}

func (e *Incomplete) Unwrap() error { return e.Err }

func (b *Bench) keep(r *bench.Run) error {
	if err := b.Folder.Add(r); err != nil {
		return err
	}
	return b.Finished(r)
}

// enter makes an environment ready for a step.
func (b *Bench) enter(ctx context.Context, s *Step, begins bool, settings map[string]map[string]string) error {
	e := s.Environment
	if begins && e.Restart != "" {
		b.Say("restarting %s: %s", e.Name, e.Restart)
		if err := restart(ctx, e.Restart); err != nil {
			return fmt.Errorf("restart %s: %w", e.Name, err)
		}
	}
	if begins {
		within := time.Duration(0)
		if e.Restart != "" {
			within = b.readyIn()
		}
		if err := b.ready(ctx, e, within); err != nil {
			return err
		}
	}
	if settings[e.Name] != nil {
		return nil
	}
	told, err := b.Prepare(ctx, e)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	all := map[string]string{}
	maps.Copy(all, told)
	maps.Copy(all, e.Settings)
	settings[e.Name] = all
	return nil
}

const (
	// restartWithin bounds a restart.
	restartWithin = 10 * time.Minute
	// askAgain is the time between two looks whether a server answers.
	askAgain = 500 * time.Millisecond
)

// restart runs a command of the plan, as the shell does.
func restart(ctx context.Context, command string) error {
	ctx, cancel := context.WithTimeout(ctx, restartWithin)
	defer cancel()
	c := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
	c.WaitDelay = time.Second // a server that it started keeps its output open
	out := &lastBytes{most: 500}
	c.Stdout, c.Stderr = out, out
	err := c.Run()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%w: %s", err, escape.Line(strings.TrimSpace(string(out.text))))
	}
	return nil
}

// lastBytes keeps the last of what is written.
type lastBytes struct {
	most int
	text []byte
}

func (l *lastBytes) Write(b []byte) (int, error) {
	l.text = append(l.text, b...)
	if n := len(l.text) - l.most; n > 0 {
		l.text = l.text[n:]
	}
	return len(b), nil
}

// readyIn is how long a server may be away.
func (b *Bench) readyIn() time.Duration { return time.Duration(b.Plan.ReadyIn) * time.Second }

// ready waits until a server answers; it is asked once at least.
func (b *Bench) ready(ctx context.Context, e *Environment, within time.Duration) error {
	name := e.Target
	if e.Name != e.Target {
		name = e.Name + " at " + e.Target
	}
	until := time.Now().Add(within)
	for said := false; ; said = true {
		err := b.Ready(ctx, e)
		if err == nil || ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !time.Now().Before(until) {
			return fmt.Errorf("%s does not answer: %w", name, err)
		}
		if !said {
			b.Say("%s does not answer: waiting for up to %v", name, within)
		}
		sleep(ctx, askAgain)
	}
}

// Answers is a Ready for whatever speaks TCP.
func Answers(ctx context.Context, e *Environment) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", e.Target)
	if err != nil {
		return err
	}
	return c.Close()
}

func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// step makes one step. The run is nil if there is nothing to keep.
func (b *Bench) step(ctx context.Context, s *Step, settings map[string]string) (*bench.Run, error) {
	driver, err := b.Driver(s)
	if err != nil {
		return nil, err
	}
	folder, err := b.Folder.Begin(s)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	log, err := folder.Log()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	sources, err := b.Sources(s)
	if err != nil {
		return nil, err
	}
	length := time.Duration(b.Plan.Warmup+b.Plan.Seconds) * time.Second
	watch, err := StartWatch(ctx, sources, folder.Recording(), length)
	if err != nil {
		return nil, err
	}
	output := newLog(log)
	limits := load.Limits{Rate: b.Plan.MaxRate, Time: b.Plan.StepLimit()}
	o, failure := driver.Run(ctx, s.Level, limits, load.Telling{Measures: func() {}, Output: output.line})
	if ctx.Err() != nil {
		return nil, errors.Join(watch.End(nil), ctx.Err())
	}
	r := b.run(s, &o, settings)
	r.Recording = folder.Name + "/" + recordDir
	if failure != nil {
		r.Unfinished = true
		r.Invalid = append(r.Invalid, escape.Line(failure.Error()))
	}
	if err := output.close(); err != nil {
		r.Notes = append(r.Notes, "what the load printed was not kept: "+err.Error())
	}
	if err := watch.End(r); err != nil {
		r.Notes = append(r.Notes, "the recording is not whole: "+err.Error())
	}
	if b.Plan.Kind == "mysql" && load.Full(failure) {
		r.Refused, r.Saturated = true, []bench.Saturated{refusal(s, failure)}
	}
	return r, failure
}

// refusal is the limit of connections, as a load met it: what rtrail concludes when it is refused
// itself.
func refusal(s *Step, failure error) bench.Saturated {
	what := "clients"
	if s.Level.Threads == 0 {
		what = "connections of an open loop"
	}
	return bench.Saturated{
		Rule: "mysql/connections-exhausted", Subject: "listener " + s.Environment.Target, Confidence: rule.Certain.String(),
		Headline: fmt.Sprintf("%s refuses connections: it does not let all %s in", s.Environment.Target, what),
		Proof:    []string{escape.Line(failure.Error())},
	}
}

// run is what a load came to, as a run.
func (b *Bench) run(s *Step, o *load.Outcome, settings map[string]string) *bench.Run {
	r := bench.NewRun()
	r.Environment, r.Scenario, r.Threads, r.Repeat = s.Environment.Name, s.Scenario, s.Level.Threads, s.Repeat
	if s.Level.Rate > 0 {
		r.Rate = document.Number(s.Level.Rate)
	}
	r.Began, r.Ended = o.Began, o.Ended
	r.Load, r.Alone = o.Load, o.Alone
	r.Generator = document.Number(o.Generator.CPUs)
	r.Invalid, r.Notes, r.Unfinished = o.Invalid, o.Notes, o.Gone
	r.Settings = map[string]string{"seconds": strconv.Itoa(b.Plan.Seconds), "warmup_seconds": strconv.Itoa(b.Plan.Warmup)}
	if b.Plan.Kind == "mysql" {
		r.Settings["tables"], r.Settings["rows"] = strconv.Itoa(b.Plan.Tables), strconv.Itoa(b.Plan.Rows)
	}
	maps.Copy(r.Settings, o.Settings)
	r.Properties = maps.Clone(settings)
	return &r
}

// logWriter keeps what a generator prints, up to a bound.
type logWriter struct {
	out  *bufio.Writer
	left int
	err  error
}

func newLog(f *os.File) *logWriter { return &logWriter{out: bufio.NewWriter(f), left: maxLog} }

func (l *logWriter) line(text string) {
	text = stamp(time.Now()) + " " + text + "\n"
	if l.left < len(text) {
		l.left = 0
		return
	}
	l.left -= len(text)
	if _, err := io.WriteString(l.out, text); err != nil && l.err == nil {
		l.err = err
	}
}

func (l *logWriter) close() error {
	if l.left == 0 && l.err == nil {
		l.err = fmt.Errorf("more than %d bytes", maxLog)
	}
	return errors.Join(l.err, l.out.Flush())
}
