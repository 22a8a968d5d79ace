package load

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/document"
)

// Command is a load generator of which nothing is known but what it prints.
type Command struct {
	Args    []string       // {threads}, {rate}, {seconds} and {target} are replaced
	Value   *regexp.Regexp // whose group is the number; nil: a report that is known, or else the last number
	Target  string
	Seconds int // that it takes
}

// Check refuses what cannot be run.
func (c *Command) Check() error {
	if len(c.Args) == 0 {
		return errors.New("no command is given")
	}
	if c.Value != nil && c.Value.NumSubexp() != 1 {
		return fmt.Errorf("the regular expression %q has %d groups: want one, around the number", c.Value, c.Value.NumSubexp())
	}
	if _, err := exec.LookPath(c.Args[0]); err != nil {
		return fmt.Errorf("%s is not installed", c.Args[0])
	}
	return nil
}

// maxPrinted bounds what is kept of what a command prints, to read its report.
const maxPrinted = 4 << 20

// Run implements Driver.
func (c *Command) Run(ctx context.Context, level Level, limits Limits, tell Telling) (Outcome, error) {
	o := Outcome{Load: bench.UnknownLoad(), Alone: bench.UnknownLoad(), Generator: UnknownUsage(), Settings: map[string]string{}}
	o.Settings["command"] = strings.Join(c.Args, " ")
	args := make([]string, len(c.Args))
	replace := strings.NewReplacer("{threads}", strconv.Itoa(level.Threads), "{rate}", strconv.FormatFloat(level.Rate, 'f', -1, 64), "{seconds}", strconv.Itoa(c.Seconds), "{target}", c.Target)
	for i, arg := range c.Args {
		args[i] = replace.Replace(arg)
	}
	ctx, stop := context.WithTimeoutCause(ctx, limits.Time, fmt.Errorf("the command did not end within %v, and was ended with all that it started: --seconds, --warmup and --grace say how long it may take", limits.Time))
	defer stop()
	tell.Output("$ " + strings.Join(args, " "))
	p, err := startCommand(ctx, args)
	if err != nil {
		return o, err
	}
	watched := watchProcess(p.command.Process.Pid, p.kin.left)
	o.Began = time.Now()
	tell.Measures()
	var text strings.Builder
	p.lines(func(line string) {
		tell.Output(line)
		if text.Len()+len(line) < maxPrinted {
			text.WriteString(line + "\n")
		}
	})
	o.Generator = watched.End()
	o.Ended = time.Now()
	tell.Output(o.Generator.String())
	err = p.wait()
	if !errors.Is(err, errStays) && p.left > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("%d processes that the command started could not be ended: they hang in the kernel, or belong to another user", p.left))
	}
	if errors.Is(err, errStays) {
		o.Gone = true
		return o, fmt.Errorf("run %s: %w", c.Args[0], err)
	}
	if err != nil || ctx.Err() != nil {
		o.Gone = true
		if ctx.Err() != nil {
			return o, context.Cause(ctx)
		}
		return o, fmt.Errorf("run %s: %w", c.Args[0], err)
	}
	if err := c.read(&o, text.String()); err != nil {
		o.Gone = true
		return o, err
	}
	o.Notes = append(o.Notes, "whether the load was steady is not known: the command tells no seconds")
	if hot := o.Generator.Hot(); hot != "" {
		o.Invalid = append(o.Invalid, hot)
	}
	return o, nil
}

// read reads the number of a run.
func (c *Command) read(o *Outcome, text string) error {
	if c.Value != nil {
		all := c.Value.FindAllStringSubmatch(text, -1)
		if len(all) == 0 {
			return fmt.Errorf("nothing that the command printed fits %q", c.Value)
		}
		v := parse(strings.ReplaceAll(all[len(all)-1][1], ",", ""))
		if math.IsNaN(v) {
			return fmt.Errorf("%.50q is no number", all[len(all)-1][1])
		}
		o.Load.TPS = document.Number(v)
		return nil
	}
	for _, f := range forms {
		if f.read(o, text) {
			o.Notes = append(o.Notes, "read as a report of "+f.name)
			return nil
		}
	}
	numbers := anyNumber.FindAllString(text, -1)
	if len(numbers) == 0 {
		return errors.New("the command printed no number")
	}
	last := numbers[len(numbers)-1]
	o.Load.TPS = document.Number(parse(last))
	o.Notes = append(o.Notes, fmt.Sprintf("the last number that the command printed, %s, is taken for its rate: --value says which one is meant", last))
	return nil
}

var anyNumber = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?`)

// forms are the reports that are known.
var forms = []struct {
	name string
	read func(o *Outcome, text string) bool
}{
	{"ab", readAB},
	{"wrk", readWrk},
	{"sysbench", func(o *Outcome, text string) bool {
		r, err := ParseSysbench(text)
		if err != nil || !r.Whole {
			return false
		}
		n := func(v float64) document.Number { return document.Number(v) }
		o.Load = bench.Load{TPS: n(r.TPS), QPS: n(r.QPS), Errors: n(r.Errors), Mean: n(r.Mean), P50: n(r.Quantile(.5)), P95: n(math.NaN()), P99: n(math.NaN()), Max: n(r.Max)}
		switch r.Percent {
		case 95:
			o.Load.P95 = n(r.Percentile)
		case 99:
			o.Load.P99 = n(r.Percentile)
		}
		failed(o, r.Errors)
		return true
	}},
	{"redis-benchmark", readRedis},
}

// failed says that requests failed.
func failed(o *Outcome, n float64) {
	if n > 0 {
		o.Invalid = append(o.Invalid, fmt.Sprintf("%.0f requests failed, by the generator's report", n))
	}
}

// find is the number of the last line that fits; NaN: none does.
func find(text string, line *regexp.Regexp) float64 {
	all := line.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return math.NaN()
	}
	return parse(all[len(all)-1][1])
}

var (
	abRate   = regexp.MustCompile(`(?m)^Requests per second:\s+([0-9.]+) \[#/sec\]`)
	abFailed = regexp.MustCompile(`(?m)^Failed requests:\s+([0-9]+)`)
	abBad    = regexp.MustCompile(`(?m)^Non-2xx responses:\s+([0-9]+)`)
	abMean   = regexp.MustCompile(`(?m)^Total:\s+[0-9.]+\s+([0-9.]+)`)
	abMax    = regexp.MustCompile(`(?m)^\s+100%\s+([0-9.]+)`)
	ab50     = regexp.MustCompile(`(?m)^\s+50%\s+([0-9.]+)\s*$`)
	ab95     = regexp.MustCompile(`(?m)^\s+95%\s+([0-9.]+)\s*$`)
	ab99     = regexp.MustCompile(`(?m)^\s+99%\s+([0-9.]+)\s*$`)
)

// readAB reads the report of ab, whose times are in milliseconds. Answers of another length count
// as failed there.
func readAB(o *Outcome, text string) bool {
	rate := find(text, abRate)
	if math.IsNaN(rate) {
		return false
	}
	bad := max(orZero(find(text, abFailed)), orZero(find(text, abBad)))
	n := func(line *regexp.Regexp) document.Number { return document.Number(find(text, line)) }
	o.Load = bench.Load{TPS: document.Number(rate), QPS: document.Number(rate), Errors: document.Number(bad), Mean: n(abMean), P50: n(ab50), P95: n(ab95), P99: n(ab99), Max: n(abMax)}
	failed(o, bad)
	return true
}

func orZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

var (
	wrkRate    = regexp.MustCompile(`(?m)^Requests/sec:\s+([0-9.]+)\s*$`)
	wrkLatency = regexp.MustCompile(`(?m)^\s*Latency\s+([0-9.]+(?:us|ms|s|m))\s+[0-9.]+(?:us|ms|s|m)\s+([0-9.]+(?:us|ms|s|m))`)
	wrkQuant   = regexp.MustCompile(`(?m)^\s*(50|95|99)(?:\.000)?%\s+([0-9.]+(?:us|ms|s|m))\s*$`)
	wrkErrors  = regexp.MustCompile(`Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
	wrkBad     = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)`)
)

// readWrk reads the report of wrk 4 and of wrk2.
func readWrk(o *Outcome, text string) bool {
	rate := find(text, wrkRate)
	if math.IsNaN(rate) {
		return false
	}
	o.Load.TPS, o.Load.QPS = document.Number(rate), document.Number(rate)
	ms := func(s string) document.Number {
		d, err := time.ParseDuration(s)
		if err != nil {
			return document.Number(math.NaN())
		}
		return document.Number(float64(d) / float64(time.Millisecond))
	}
	if m := wrkLatency.FindStringSubmatch(text); m != nil {
		o.Load.Mean, o.Load.Max = ms(m[1]), ms(m[2])
	}
	to := map[string]*document.Number{"50": &o.Load.P50, "95": &o.Load.P95, "99": &o.Load.P99}
	for _, q := range wrkQuant.FindAllStringSubmatch(text, -1) {
		*to[q[1]] = ms(q[2])
	}
	bad := orZero(find(text, wrkBad))
	if m := wrkErrors.FindStringSubmatch(text); m != nil {
		for _, n := range m[1:] {
			bad += orZero(parse(n))
		}
	}
	o.Load.Errors = document.Number(bad)
	failed(o, bad)
	return true
}

var (
	redisRate  = regexp.MustCompile(`(?m)throughput summary: ([0-9.]+) requests per second`)
	redisQuiet = regexp.MustCompile(`(?m)^.*: ([0-9.]+) requests per second(?:, p50=([0-9.]+) msec)?\s*$`)
	redisTimes = regexp.MustCompile(`(?m)^\s+avg\s+min\s+p50\s+p95\s+p99\s+max\s*\n\s+([0-9.]+)\s+[0-9.]+\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)`)
)

// readRedis reads the last test of redis-benchmark 6 and later, whose times are in milliseconds.
func readRedis(o *Outcome, text string) bool {
	rate := find(text, redisRate)
	if math.IsNaN(rate) {
		all := redisQuiet.FindAllStringSubmatch(strings.ReplaceAll(text, "\r", "\n"), -1)
		if len(all) == 0 {
			return false
		}
		m := all[len(all)-1]
		rate, o.Load.P50 = parse(m[1]), document.Number(parse(m[2]))
	}
	o.Load.TPS, o.Load.QPS = document.Number(rate), document.Number(rate)
	if all := redisTimes.FindAllStringSubmatch(text, -1); len(all) > 0 {
		m := all[len(all)-1]
		for i, to := range []*document.Number{&o.Load.Mean, &o.Load.P50, &o.Load.P95, &o.Load.P99, &o.Load.Max} {
			*to = document.Number(parse(m[i+1]))
		}
	}
	return true
}
