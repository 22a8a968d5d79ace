package compare

import (
	"bufio"
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

	"rtrail/internal/bench"
	"rtrail/internal/document"
	"rtrail/internal/infile"
	"rtrail/internal/safefile"
)

// maxFiles bounds those of a folder.
const maxFiles = 100

// File is one that is read.
type File struct {
	Path     string
	argument int
	found    bool // nobody named it: it stands in a folder that was named, or beside a file
}

// Files are the files of what a user names: of a folder its runs.jsonl, or else its CSV files; with
// X-runs.csv also X-environments.csv, X-tables.csv and X-published-tables.csv.
func Files(paths []string) ([]File, error) {
	var files []File
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, File{Path: path, argument: i})
			files = append(files, beside(path, i)...)
			continue
		}
		if info, err := os.Lstat(filepath.Join(path, bench.FileName)); err == nil && info.Mode().IsRegular() {
			files = append(files, File{Path: filepath.Join(path, bench.FileName), argument: i, found: true})
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
			return !e.Type().IsRegular() || !strings.EqualFold(filepath.Ext(e.Name()), ".csv")
		})
		switch {
		case len(entries) == 0:
			return nil, fmt.Errorf("%s: neither %s nor a CSV file is in this folder", path, bench.FileName)
		case len(entries) > maxFiles:
			return nil, fmt.Errorf("%s: %d CSV files are in this folder: at most %d are read; name some", path, len(entries), maxFiles)
		}
		for _, e := range entries {
			files = append(files, File{Path: filepath.Join(path, e.Name()), argument: i, found: true})
		}
	}
	// What is named need not be found.
	return slices.DeleteFunc(files, func(f File) bool {
		return f.found && slices.ContainsFunc(files, func(o File) bool { return !o.found && filepath.Clean(o.Path) == filepath.Clean(f.Path) })
	}), nil
}

// beside are the files that belong to one of runs.
func beside(path string, argument int) (files []File) {
	prefix, runs := strings.CutSuffix(path, "runs.csv")
	if !runs {
		return nil
	}
	for _, name := range []string{"environments.csv", "tables.csv", "published-tables.csv"} {
		if info, err := os.Lstat(prefix + name); err == nil && info.Mode().IsRegular() {
			files = append(files, File{Path: prefix + name, argument: argument, found: true})
		}
	}
	return files
}

// Reads are the paths that reading the file needs.
func (f *File) Reads() []string {
	if f.found {
		return []string{f.Path, filepath.Dir(f.Path)}
	}
	return []string{f.Path}
}

// open follows a link only where a user named it.
func (f *File) open(ctx context.Context) (io.ReadCloser, error) {
	if !f.found {
		return infile.Open(ctx, f.Path)
	}
	dir, err := os.Open(filepath.Dir(f.Path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return safefile.OpenBelow(dir, filepath.Base(f.Path))
}

// Input is what files hold.
type Input struct {
	Runs  []Run
	Notes []string

	environments map[string]map[int]environment // by name and argument
	published    []published
}

// environment is what files tell of a run's: those of the same argument, or else of one that has
// nothing else.
func (in *Input) environment(r *Run) (environment, bool) {
	of := in.environments[r.Environment]
	e, there := of[r.argument]
	if !there && len(of) == 1 {
		for _, e = range of {
			return e, true
		}
	}
	return e, there
}

// Read reads files.
func Read(ctx context.Context, files []File) (*Input, error) {
	in := &Input{environments: map[string]map[int]environment{}}
	for i := range files {
		if err := in.file(ctx, &files[i]); err != nil {
			return nil, fmt.Errorf("reading %s: %w", files[i].Path, err)
		}
	}
	in.complete()
	if len(in.Runs) == 0 {
		return nil, errors.New("no run is in what was named")
	}
	return in, nil
}

func (in *Input) note(f *File, format string, args ...any) {
	in.Notes = append(in.Notes, f.Path+": "+fmt.Sprintf(format, args...))
}

// file reads one.
func (in *Input) file(ctx context.Context, f *File) error {
	file, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, free, err := infile.Unpack(file)
	if err != nil {
		return err
	}
	defer free()
	b := bufio.NewReader(infile.Until(ctx, plain))
	if first, _ := b.Peek(1); len(first) == 1 && first[0] == '{' {
		return in.lines(b, f)
	}
	t, err := readCSV(b)
	if t != nil && t.kind == unknownKind && f.found {
		in.note(f, "not read: its columns are of no known form")
		return nil
	}
	if err != nil {
		return err
	}
	if f.found {
		in.note(f, "read, too")
	}
	for _, n := range t.notes {
		in.note(f, "%s", n)
	}
	for i := range t.runs {
		t.runs[i].File, t.runs[i].argument = f.Path, f.argument
	}
	in.Runs = append(in.Runs, t.runs...)
	for name, e := range t.environments {
		if in.environments[name] == nil {
			in.environments[name] = map[int]environment{}
		}
		if _, twice := in.environments[name][f.argument]; twice {
			return fmt.Errorf("another file describes %.40q, too", name)
		}
		in.environments[name][f.argument] = e
	}
	for i := range t.published {
		t.published[i].argument = f.argument
	}
	in.published = append(in.published, t.published...)
	return in.bounded()
}

func (in *Input) bounded() error {
	if len(in.Runs) > bench.MostRuns {
		return fmt.Errorf("more than %d runs in all", bench.MostRuns)
	}
	return nil
}

// lines reads a file of runs of rtrail.
func (in *Input) lines(r io.Reader, f *File) error {
	runs, cut, err := bench.Read(r)
	if err != nil {
		return err
	}
	if cut {
		in.note(f, "the last line is cut off and left out")
	}
	folder := filepath.Dir(f.Path)
	if whole, err := filepath.Abs(folder); err == nil {
		folder = filepath.Base(whole)
	}
	var tps, mean, qps int
	for i := range runs {
		tps, mean, qps = max(tps, decimals(runs[i].Load.TPS)), max(mean, decimals(runs[i].Load.Mean)), max(qps, decimals(runs[i].Load.QPS))
	}
	for i := range runs {
		x := Run{Run: runs[i], File: f.Path, Line: i + 1, argument: f.argument, dated: !runs[i].Began.IsZero()}
		// What a client does between two transactions is in no time of either.
		x.rounding = rounding{tps: 0.5 * math.Pow10(-tps), qps: 0.5 * math.Pow10(-qps), mean: max(0.5*math.Pow10(-mean), clientLoop)}
		if x.Environment == "" {
			x.Environment = folder
		}
		if len(x.Environment) > maxName || len(x.Scenario) > maxName {
			return fmt.Errorf("run %d: a name is longer than %d bytes", i+1, maxName)
		}
		in.Runs = append(in.Runs, x)
	}
	return in.bounded()
}

// clientLoop is how long, in ms, sysbench takes between two transactions: it prints times in steps
// of twice that.
const clientLoop = 0.005

// decimals is how many digits a number has behind the point.
func decimals(n document.Number) int {
	_, d, _ := strings.Cut(strconv.FormatFloat(float64(n), 'f', -1, 64), ".")
	return len(d)
}

// complete joins what several CSV files tell of the same runs.
func (in *Input) complete() {
	in.join()
	type source struct {
		environment string
		argument    int
	}
	last := map[source]time.Time{}
	for i := range in.Runs {
		r := &in.Runs[i]
		if r.percent == nil {
			continue
		}
		e, known := in.environment(r)
		if known {
			r.Settings, r.Properties = e.settings, e.properties
		}
		cpus := e.cpusHost
		if cpus > 0 {
			in := func(percent float64) document.Number { return document.Number(percent / 100 * cpus) }
			p := r.percent
			r.Host.User, r.Host.System, r.Host.Softirq, r.Host.IOWait = in(p.user), in(p.system), in(p.softirq), in(p.wait)
			r.rounding.cpu = float64(in(p.rounding))
			r.Host.CPUs = document.Number(cpus)
		}
		if e.cpusUsed > 0 {
			r.Host.CPUs = document.Number(e.cpusUsed)
		}
		if !r.dated && !r.Began.IsZero() && !e.date.IsZero() {
			length := r.Ended.Sub(r.Began)
			clock := r.Began.Sub(r.Began.Truncate(24 * time.Hour))
			began := e.date.Add(clock)
			// Runs go on over midnight.
			for began.Before(last[source{r.Environment, r.argument}].Add(-12 * time.Hour)) {
				began = began.Add(24 * time.Hour)
			}
			if r.Began = began; !r.Ended.IsZero() {
				r.Ended = began.Add(length)
			}
			r.dated, last[source{r.Environment, r.argument}] = true, r.Began
		}
		if q := queries(r.Scenario); q > 0 && math.IsNaN(float64(r.Load.QPS)) && !math.IsNaN(float64(r.Load.TPS)) {
			r.Load.QPS, r.rounding.qps, r.derived = r.Load.TPS*document.Number(q), r.rounding.tps*q, true
		}
	}
}

// cell is where a number of a table belongs.
type cell struct {
	environment, scenario string
	threads, argument     int
}

const anyArgument = -1

// join gives runs the numbers of tables: of the same argument, or else of any. A number without a
// run is a run of which nothing else is known.
func (in *Input) join() {
	runs, many := map[cell]int{}, map[cell]bool{}
	for i := range in.Runs {
		r := &in.Runs[i]
		for _, argument := range []int{r.argument, anyArgument} {
			c := cell{r.Environment, r.Scenario, r.Threads, argument}
			_, there := runs[c]
			runs[c], many[c] = i, many[c] || there
		}
	}
	left := 0
	for _, p := range in.published {
		c := cell{p.environment, p.scenario, p.threads, p.argument}
		i, there := runs[c]
		if !there {
			if i, there = runs[cell{p.environment, p.scenario, p.threads, anyArgument}]; there {
				c.argument = anyArgument
			}
		}
		if many[c] {
			left++
			continue
		}
		if !there {
			if len(in.Runs) == bench.MostRuns {
				left++
				continue
			}
			i = len(in.Runs)
			x := Run{Run: bench.NewRun(), Line: p.line, percent: &hostPercent{math.NaN(), math.NaN(), math.NaN(), math.NaN(), 0}}
			x.Environment, x.Scenario, x.Threads, x.argument = p.environment, p.scenario, p.threads, p.argument
			in.Runs, runs[c] = append(in.Runs, x), i
		}
		r, v := &in.Runs[i], document.Number(p.value)
		switch p.metric {
		case "qps":
			r.Load.QPS, r.rounding.qps = v, p.rounding
		case "tps":
			r.Load.TPS, r.rounding.tps = v, p.rounding
		case "mean", "avg":
			r.Load.Mean, r.rounding.mean = v, p.rounding
		case "p95":
			r.Load.P95 = v
		case "p99":
			r.Load.P99 = v
		default:
			left++
		}
	}
	if left > 0 {
		in.Notes = append(in.Notes, fmt.Sprintf("%d numbers of tables are left out: several runs are of the same step, or the metric is none of qps, tps, mean, p95 and p99", left))
	}
}

// TellApart gives environments of one name, in several arguments, names with those of the
// arguments.
func (in *Input) TellApart(paths []string) error {
	arguments := map[string]map[int]bool{}
	for i := range in.Runs {
		r := &in.Runs[i]
		if arguments[r.Environment] == nil {
			arguments[r.Environment] = map[int]bool{}
		}
		arguments[r.Environment][r.argument] = true
	}
	names := map[string]int{}
	for i, path := range paths {
		clean := filepath.Clean(path)
		if other, twice := names[clean]; twice {
			return fmt.Errorf("%s is given twice (%s)", path, paths[other])
		}
		names[clean] = i
	}
	short := func(argument int) string {
		base := filepath.Base(filepath.Clean(paths[argument]))
		for i, path := range paths {
			if i != argument && filepath.Base(filepath.Clean(path)) == base {
				return paths[argument]
			}
		}
		return base
	}
	for i := range in.Runs {
		if r := &in.Runs[i]; len(arguments[r.Environment]) > 1 {
			r.Environment += " (" + short(r.argument) + ")"
		}
	}
	return nil
}
