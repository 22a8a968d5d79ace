package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/bench"
	"rtrail/internal/bench/matrix"
	"rtrail/internal/bench/report"
	"rtrail/internal/document"
	"rtrail/internal/infile"
	"rtrail/internal/prose"
	"rtrail/internal/unit"
)

// benchFlags are those of all verbs that make load.
type benchFlags struct {
	plan    matrix.Plan
	file    string
	output  string
	targets []string
	iface   string
	json    bool
	threads string
	rates   string
	maxTime time.Duration
}

// newBenchFlags have the defaults of a plan.
func newBenchFlags(kind string) benchFlags {
	return benchFlags{plan: matrix.Plan{Kind: kind, Seconds: 30, Warmup: 10, Repeats: 1, Pause: 2, MaxRate: 100_000, ReadyIn: 60}, maxTime: time.Hour, iface: "auto"}
}

func (b *benchFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&b.output, "output", "o", "", "folder for plan, runs and recordings (required); goes on with what it has")
	f.StringVar(&b.file, "plan", "", "read the plan from this YAML file; flags go before it")
	f.StringArrayVar(&b.targets, "target", nil, "HOST:PORT that may be loaded (required); repeatable with a plan")
	f.StringVar(&b.threads, "threads", "", "a closed loop: so many clients at a time, step by step: 1,8,64")
	f.StringVar(&b.rates, "rates", "", "an open loop: so many a second, step by step: 1000,5000")
	f.IntVar(&b.plan.Seconds, "seconds", b.plan.Seconds, "seconds that are measured, of each step")
	f.IntVar(&b.plan.Warmup, "warmup", b.plan.Warmup, "seconds of warm-up before them")
	f.IntVar(&b.plan.Repeats, "repeats", b.plan.Repeats, "how often each step is made")
	f.IntVar(&b.plan.Pause, "pause", b.plan.Pause, "seconds between two steps")
	f.Float64Var(&b.plan.MaxRate, "max-rate", b.plan.MaxRate, "transactions a second that no step may exceed")
	f.DurationVar(&b.maxTime, "max-time", b.maxTime, "how long all steps may take")
	f.StringVarP(&b.iface, "interface", "i", b.iface, "capture on this interface; auto: the way to the target; off: none")
	f.BoolVar(&b.json, "json", false, "print one JSON object per step")
	cmd.SetFlagErrorFunc(flagError)
}

// maxPlanFile bounds a plan.
const maxPlanFile = 1 << 20

// resolve makes the plan of file and flags. Flags that were given win.
func (b *benchFlags) resolve(cmd *cobra.Command) error {
	flags := b.plan
	if b.output == "" {
		return usageError("%s: no folder is given for its runs; use -o DIR", cmd.CommandPath())
	}
	if b.file != "" {
		text, err := readPlan(cmd.Context(), b.file)
		if err != nil {
			return err
		}
		kind := b.plan.Kind
		if err := b.plan.Parse(text); err != nil {
			return usageError("%s: %v", b.file, err)
		}
		if b.plan.Kind != kind {
			return usageError("%s: a plan of kind %q is for rtrail bench %s", b.file, b.plan.Kind, b.plan.Kind)
		}
	}
	given := cmd.Flags().Changed
	for _, o := range []struct {
		name     string
		to, from *int
	}{{"seconds", &b.plan.Seconds, &flags.Seconds}, {"warmup", &b.plan.Warmup, &flags.Warmup}, {"repeats", &b.plan.Repeats, &flags.Repeats}, {"pause", &b.plan.Pause, &flags.Pause},
		{"tables", &b.plan.Tables, &flags.Tables}, {"rows", &b.plan.Rows, &flags.Rows}, {"connections", &b.plan.Connections, &flags.Connections}} {
		if given(o.name) {
			*o.to = *o.from
		}
	}
	if given("max-rate") {
		b.plan.MaxRate = flags.MaxRate
	}
	if given("max-time") || b.plan.MaxTime == "" {
		b.plan.MaxTime = b.maxTime.String()
	}
	var err error
	if given("threads") {
		if b.plan.Threads, err = numbers(b.threads, strconv.Atoi); err != nil {
			return usageError("--threads %s: want numbers as 1,8,64", b.threads)
		}
	}
	if given("rates") {
		if b.plan.Rates, err = numbers(b.rates, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }); err != nil {
			return usageError("--rates %s: want numbers as 1000,5000", b.rates)
		}
	}
	if len(b.plan.Environments) == 0 {
		for _, t := range b.targets {
			b.plan.Environments = append(b.plan.Environments, matrix.Environment{Name: t, Target: t})
		}
	}
	for _, e := range b.plan.Environments {
		if !slices.Contains(b.targets, e.Target) {
			return usageError("%s of the plan is not named by --target: only what the command line names is loaded", e.Target)
		}
	}
	if len(b.targets) == 0 {
		return usageError("%s loads a server, which may harm whoever uses it: name it, as --target HOST:PORT", cmd.CommandPath())
	}
	return nil
}

// check refuses what the plan cannot mean.
func (b *benchFlags) check() error {
	if err := b.plan.Check(); err != nil {
		return usageError("%v", err)
	}
	return nil
}

// numbers reads a list.
func numbers[T any](text string, parse func(string) (T, error)) (list []T, err error) {
	for _, one := range strings.Split(text, ",") {
		n, err := parse(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func readPlan(ctx context.Context, path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageError("--plan %s: no such file", path)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(infile.Reader(ctx, f), maxPlanFile+1))
	if err == nil && len(text) > maxPlanFile {
		err = fmt.Errorf("--plan %s: more than %d bytes", path, maxPlanFile)
	}
	return text, err
}

// run makes the steps, and prints a line for each.
func (b *benchFlags) run(ctx context.Context, m *matrix.Bench, out, stderr io.Writer) error {
	finishes(ctx)
	collectBy(percentToWatch)
	if os.Geteuid() != 0 {
		fmt.Fprintln(stderr, "not root: no packets, and no sockets, I/O and stacks of other users' processes, so that fewer limits can be named; the load itself needs no root")
	}
	folder, err := matrix.OpenFolder(b.output, &b.plan)
	if err != nil {
		if errors.Is(err, matrix.ErrOtherPlan) {
			return usageError("%v", err)
		}
		return err
	}
	defer folder.Close()
	m.Plan, m.Folder = &b.plan, folder
	if m.Ready == nil {
		m.Ready = matrix.Answers
	}
	p := benchPrinter{out: out, width: lineWidth(out), json: b.json}
	m.Finished = p.run
	m.Say = func(format string, args ...any) {
		fmt.Fprintln(stderr, prose.Wrap(fmt.Sprintf(format, args...), lineWidth(stderr), 2))
	}
	m.Say("%s, %v and what starts take; into %s", unit.Plural(len(b.plan.Steps()), "step", "steps"), b.plan.Takes(), b.output)
	p.head(b.plan.Steps())
	err = m.Run(ctx)
	if in, ok := errors.AsType[*matrix.Incomplete](err); ok && ctx.Err() != nil {
		m.Say("%v", in)
	}
	if !b.json {
		p.knees(folder.Runs)
	}
	return errors.Join(err, p.err)
}

// benchPrinter prints runs as they end: a line of numbers, and below it what they mean.
type benchPrinter struct {
	out   io.Writer
	width int // of the terminal; 0: lines are as long as they are
	json  bool
	lines *document.Lines
	err   error
}

func (p *benchPrinter) print(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

// words prints a sentence on lines of its own.
func (p *benchPrinter) words(indent int, text string) {
	p.print("%s\n", prose.Wrap(strings.Repeat(" ", indent)+text, p.width, indent+2))
}

// head prints the names of the columns, which leave out what all steps have in common.
func (p *benchPrinter) head(steps []matrix.Step) {
	const hidden = -1
	environment, run := hidden, hidden
	scenario, level := len("scenario"), len("level")
	for i := range steps {
		s := &steps[i]
		if s.Environment.Name != steps[0].Environment.Name {
			environment = max(environment, len("environment"), len(steps[0].Environment.Name), len(s.Environment.Name))
		}
		if s.Repeat > 1 {
			run = len("run")
		}
		scenario, level = max(scenario, len(shortScenario(s.Scenario))), max(level, len(levelOf(s.Level.Threads, s.Level.Rate)))
	}
	number := func(name string, width int) document.Column {
		return document.Column{Name: name, Right: true, Fixed: width}
	}
	ms := func(name string) document.Column {
		return document.Column{Name: name, Right: true, Fixed: 6, Group: "ms"}
	}
	columns := []document.Column{{Name: "environment", Cut: true, Fixed: environment}, {Name: "scenario", Cut: true, Fixed: scenario}, number("level", level), number("run", run),
		number("TPS", 6), number("QPS", 7), ms("p50"), ms("p95"), ms("p99"), number("errors", 6), number("CPU %", 5)}
	columns[5].Drop, columns[6].Drop = 2, 1
	p.lines = document.FixedLines(columns, p.width)
	if !p.json {
		p.print("%s", p.lines.AppendNames(nil))
	}
}

func nameOf(environment, scenario string) string { return environment + " " + scenario }

// shortScenario is a scenario without the folders of its script.
func shortScenario(name string) string {
	if filepath.Ext(name) == ".lua" {
		return filepath.Base(name)
	}
	return name
}

// levelOf names the clients of a closed loop, or the rate of an open one.
func levelOf(threads int, rate float64) string {
	if rate > 0 {
		return strconv.FormatFloat(rate, 'f', -1, 64) + "/s"
	}
	return fmt.Sprintf("%d thr", threads)
}

func (p *benchPrinter) run(r *bench.Run) error {
	if p.json {
		if p.err == nil {
			p.err = r.Append(p.out)
		}
		return p.err
	}
	busy := 100 * (r.Host.User + r.Host.System + r.Host.Softirq) / r.Host.CPUs
	p.print("%s", p.lines.Append(nil, []string{r.Environment, shortScenario(r.Scenario), levelOf(r.Threads, float64(r.Rate)), strconv.Itoa(r.Repeat),
		amount(float64(r.Load.TPS), 0), amount(float64(r.Load.QPS), 0), amount(float64(r.Load.P50), 3), amount(float64(r.Load.P95), 3), amount(float64(r.Load.P99), 3), amount(float64(r.Load.Errors), 0), amount(float64(busy), 0)}))
	if label, words := report.Judged(r); label != "" {
		p.words(2, label+": "+words)
	}
	return p.err
}

// amount is a number, or a dash.
func amount(v float64, digits int) string {
	if math.IsNaN(v) {
		return "-"
	}
	if v >= 100 {
		digits = min(digits, 1)
	}
	if v >= 1000 {
		digits = 0
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// knees says in a sentence for each ladder where it stops to grow.
func (p *benchPrinter) knees(runs []bench.Run) {
	if len(runs) == 0 {
		return
	}
	r := report.New(runs, report.Options{P99: math.Inf(1)})
	for i := range r.Environments {
		e := &r.Environments[i]
		for j := range e.Ladders {
			if l := &e.Ladders[j]; len(l.Levels) > 1 {
				p.print("\n")
				p.words(0, nameOf(e.Name, l.Scenario)+": "+l.Headline())
			}
		}
	}
}
