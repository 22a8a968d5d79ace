// Package logs makes runs of what sysbench printed, for those who keep logs of load tests that
// rtrail did not run.
package logs

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/load"
	"rtrail/internal/document"
	"rtrail/internal/infile"
	"rtrail/internal/unit"
)

const (
	// maxText bounds a log, unpacked.
	maxText = 64 << 20
	// maxParts bounds the runs of one log.
	maxParts = 10_000
)

var (
	banner  = regexp.MustCompile(`(?m)^sysbench v?((\d+\.\d+)[^\s:]*)`)
	threads = regexp.MustCompile(`(?m)^Number of threads: (\d{1,6})\s*$`)
	kinds   = regexp.MustCompile(`(?m)^\s+(read|write|other):\s+(\d{1,15})\s*$`)
	script  = regexp.MustCompile(`(?:^|[^a-z])(?:oltp_)?(point_select|read_only|read_write|write_only)(?:[^a-z]|$)`)
	fatal   = regexp.MustCompile(`(?m)^(?:FATAL|ALERT): (.*)$`)
	// comma is a number of a locale that other programs do not read.
	comma = regexp.MustCompile(`(?m)^.*(?:transactions|total time|avg): +\S*\d,\d+.*$`)
	stamp = regexp.MustCompile(`(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?: ?(Z|UTC|[+-]\d\d:?\d\d))?`)
)

// versions are those whose reports are known.
var versions = []string{"0.4", "0.5", "1.0", "1.1"}

// Is says whether a text begins as a log of sysbench does.
func Is(head []byte) bool { return banner.Match(head) }

// Open reads the runs of a log, one after the other. When they ran is what times of day in the
// log say before and after them, else the last one ended when the file was written. The
// environment is the folder's name.
func Open(ctx context.Context, path string) (runs []bench.Run, notes []string, err error) {
	f, err := infile.Open(ctx, path)
	if err != nil {
		return nil, nil, fmt.Errorf("reading a log of sysbench: %w", err)
	}
	defer f.Close()
	in, done, err := infile.Unpack(infile.Until(ctx, f))
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	defer done()
	text, err := io.ReadAll(io.LimitReader(in, maxText+1))
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if len(text) > maxText {
		return nil, nil, fmt.Errorf("reading %s: it has more than %v of text", path, unit.Bytes(maxText))
	}
	var written time.Time
	if info, err := f.Stat(); err == nil {
		written = info.ModTime()
	}
	name, environment := filepath.Base(path), "log"
	if abs, err := filepath.Abs(path); err == nil {
		environment = filepath.Base(filepath.Dir(abs))
	}
	runs, notes, err = parse(name, string(text), written)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	for i := range runs {
		runs[i].Environment = environment
	}
	return runs, notes, nil
}

// parse reads a text that was written at a time.
func parse(name, text string, written time.Time) (runs []bench.Run, notes []string, err error) {
	at := banner.FindAllStringSubmatchIndex(text, maxParts+1)
	if len(at) == 0 {
		return nil, nil, fmt.Errorf("it is no log of sysbench: no line begins with its name and version")
	}
	if len(at) > maxParts {
		return nil, nil, fmt.Errorf("more than %d runs", maxParts)
	}
	lines, upTo := 1, 0
	line := func(offset int) int { // of offsets that ascend
		lines, upTo = lines+strings.Count(text[upTo:offset], "\n"), offset
		return lines
	}
	before := text[:at[0][0]]
	for i := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		part := text[at[i][0]:end]
		if version := text[at[i][4]:at[i][5]]; !slices.Contains(versions, version) {
			return nil, nil, fmt.Errorf("line %d: a log of sysbench %.20s: only those of %s are known", line(at[i][0]), version, strings.Join(versions, ", "))
		}
		if !strings.Contains(part, "Threads started!") && !fatal.MatchString(part) {
			before = part // tables are made, or removed
			continue
		}
		r := one(name, part, line(at[i][0]))
		last := time.Time{}
		if i+1 == len(at) {
			last = written
		}
		if !when(&r, before, part, last) {
			notes = append(notes, fmt.Sprintf("%s: when run %d of the log ran is not told", name, i+1))
		}
		if m := comma.FindStringIndex(part); m != nil && !(r.Load.TPS > 0) {
			return nil, nil, fmt.Errorf("line %d: numbers have a decimal comma (%.60q): run sysbench with LC_ALL=C", line(at[i][0]+m[0]), strings.TrimSpace(part[m[0]:m[1]]))
		}
		before = part
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return nil, nil, fmt.Errorf("it holds no run of sysbench, only preparations")
	}
	return runs, notes, nil
}

// one reads the report of a run, which begins in a line of the log.
func one(name, part string, line int) bench.Run {
	r := bench.NewRun()
	r.Settings = map[string]string{"sysbench": banner.FindStringSubmatch(part)[1]}
	report, err := load.ParseSysbench(part)
	n := func(x float64) document.Number { return document.Number(x) }
	r.Load.TPS, r.Load.QPS, r.Load.Errors, r.Load.Mean, r.Load.Max = n(report.TPS), n(report.QPS), n(report.Errors), n(report.Mean), n(report.Max)
	switch report.Percent {
	case 50:
		r.Load.P50 = n(report.Percentile)
	case 95:
		r.Load.P95 = n(report.Percentile)
	case 99:
		r.Load.P99 = n(report.Percentile)
	}
	if len(report.Histogram) > 0 {
		r.Load.P50, r.Load.P95, r.Load.P99 = n(report.Quantile(0.5)), n(report.Quantile(0.95)), n(report.Quantile(0.99))
	}
	if m := threads.FindStringSubmatch(part); m != nil {
		r.Threads, _ = strconv.Atoi(m[1]) // up to six digits
	}
	r.Scenario = scenario(name, part)
	if report.Elapsed > 0 {
		r.Settings["seconds"] = strconv.FormatFloat(math.Round(report.Elapsed), 'f', 0, 64)
	}
	switch m := fatal.FindStringSubmatch(part); {
	case m != nil:
		r.Invalid = append(r.Invalid, "sysbench failed: "+m[1])
	case err != nil || !report.Whole:
		r.Invalid = append(r.Invalid, fmt.Sprintf("the log is cut off: the report of the run that begins in line %d is missing or not whole", line))
	default:
		invalid, note := report.Failures()
		if invalid != "" {
			r.Invalid = append(r.Invalid, invalid)
		}
		if note != "" {
			r.Notes = append(r.Notes, note)
		}
	}
	return r
}

// scenario names what was run: by the name of the file, or by how many queries of each kind a
// transaction has.
func scenario(name, part string) string {
	if m := script.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	counts := map[string]float64{}
	for _, m := range kinds.FindAllStringSubmatch(part, -1) {
		counts[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	reads, writes, others := counts["read"], counts["write"], counts["other"]
	if load.WithoutTransactions(part) && strings.Contains(part, "Running simple OLTP test") {
		others = 0
	}
	switch near := func(a, b float64) bool { return math.Abs(a-b) <= 0.02*b }; {
	case reads > 0 && writes == 0 && others == 0:
		return "point_select"
	case writes == 0 && others > 0 && near(reads, 7*others):
		return "read_only"
	case reads == 0 && others > 0 && near(writes, 2*others):
		return "write_only"
	case others > 0 && near(reads, 7*others) && (near(writes, 2*others) || near(writes, 2.5*others)): // 0.4 writes five times
		return "read_write"
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), filepath.Ext(name))
}

// when finds out when a run began and ended: before is what stands before it.
func when(r *bench.Run, before, part string, written time.Time) bool {
	seconds, err := strconv.ParseFloat(r.Settings["seconds"], 64)
	if err != nil {
		return false
	}
	length := time.Duration(seconds * float64(time.Second))
	if at := strings.LastIndex(before, "execution time"); at >= 0 {
		before = before[at:] // what is above belongs to the run before
	}
	begins := stamps(before)
	started, report := part, ""
	if at := strings.Index(part, "Threads started!"); at >= 0 {
		started, report = part[:at], part[at:]
	}
	begins = append(begins, stamps(started)...)
	if at := strings.LastIndex(report, "execution time"); at >= 0 {
		if ends := stamps(report[at:]); len(ends) > 0 && len(begins) == 0 {
			r.Began, r.Ended = ends[0].Add(-length), ends[0]
			return true
		}
	}
	switch {
	case len(begins) > 0:
		r.Began = begins[len(begins)-1]
		r.Ended = r.Began.Add(length)
	case !written.IsZero():
		r.Began, r.Ended = written.Add(-length), written
		r.Notes = append(r.Notes, "that it ended when the log was written is an assumption")
	default:
		return false
	}
	return true
}

// stamps are the times of day in a text; without a zone they are local.
func stamps(text string) (all []time.Time) {
	for _, m := range stamp.FindAllStringSubmatch(text, 1000) {
		var n [6]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+1]) // digits
		}
		zone := time.Local
		switch z := strings.ReplaceAll(m[7], ":", ""); {
		case z == "Z" || z == "UTC":
			zone = time.UTC
		case z != "":
			t, err := time.Parse("-0700", z)
			if err != nil {
				continue
			}
			zone = t.Location()
		}
		if n[1] >= 1 && n[1] <= 12 && n[2] >= 1 && n[2] <= 31 && n[0] >= 1995 && n[0] < 2200 {
			all = append(all, time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, zone).Local())
		}
	}
	return all
}
