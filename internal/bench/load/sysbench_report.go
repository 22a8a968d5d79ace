// Package load is what drives servers in load tests, and says what clients got: sysbench and
// its report, loops of our own, and any command whose output gives a number.
package load

import (
	"bufio"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// SysbenchReport is what sysbench 0.4 to 1.1 prints. What it does not print is NaN. After a checkpoint
// the sums begin again, so that they are those since the last one.
type SysbenchReport struct {
	Transactions float64 // since the last checkpoint, as all up to Max
	Queries      float64
	Errors       float64 // that were ignored
	Reconnects   float64
	TPS, QPS     float64 // per second
	ErrorRate    float64 // per second
	Events       float64 // of any test
	Elapsed      float64 // seconds since the start of the test, checkpoints or not
	Min, Mean    float64 // milliseconds
	Max          float64
	Percentile   float64         // milliseconds, of the one that was asked for
	Percent      float64         // which one that is
	Histogram    []SysbenchCount // ascending
	Seconds      []Second        // the intermediate lines
	Checkpoints  int
	Whole        bool // the last part of the report is there

	within   bool // a report of a checkpoint
	autoOnly bool // no transactions begin or end, whatever the report counts
}

// SysbenchCount is a line of the histogram.
type SysbenchCount struct {
	Millis float64 // that the events of the line took, to within 4 percent
	Count  float64
}

// Second is what a load did between two moments of it, one second apart where nothing else is said.
type Second struct {
	At      float64 // seconds since the start, when it ended
	Threads float64
	TPS     float64
	QPS     float64 // of sysbench 0.5: without begin and commit
	Errors  float64 // per second
	Reconns float64 // per second
}

var (
	number        = `(-?[0-9.]+)`
	sysbenchLine  = regexp.MustCompile(`^\[ *` + number + `s *\] *(?:thds|threads): *` + number + `,? *tps: *` + number + `,? *qps: *` + number + ` .*?err/s:? *` + number + ` *reconn/s:? *` + number)
	sysbenchEvery = regexp.MustCompile(`^\[ *` + number + `s *\] *(?:thds|threads): *` + number + `,? *eps: *` + number)
	sysbenchOld   = regexp.MustCompile(`^\[ *` + number + `s *\] *threads: *` + number + `, tps: *` + number + `, reads(?:/s)?: *` + number + `, writes(?:/s)?: *` + number + `,? response time: *[0-9.]+ms \([0-9]+%\)(?:, errors: *` + number + `, reconnects: *` + number + `)?\s*$`)
	sysbenchTotal = regexp.MustCompile(`^\s*(transactions|queries|read/write requests|other operations|ignored errors|deadlocks|reconnects):\s*` + number + `\s*\(` + number + ` per sec\.\)\s*$`)
	sysbenchValue = regexp.MustCompile(`^\s*(events per second|total time|time elapsed|total number of events|min|avg|max|(?:approx\. +)?([0-9]+)(?:st|nd|rd|th)? percentile):\s*` + number + `(ms|s)?\s*$`)
	sysbenchCount = regexp.MustCompile(`^\s*` + number + ` \|\**\s+([0-9]+)\s*$`)
)

const (
	// maxSeconds bounds the intermediate lines that are kept: a week of them.
	maxSeconds = 7 * 24 * 3600
	// maxCounts bounds the lines of a histogram: sysbench has 1,024.
	maxCounts = 4096
	// maxLine bounds a line of output.
	maxLine = 64 << 10
)

// NewSysbenchReport is a report of which nothing was read.
func NewSysbenchReport() *SysbenchReport {
	r := &SysbenchReport{}
	r.forget()
	return r
}

// forget makes all sums unknown.
func (r *SysbenchReport) forget() {
	for _, v := range []*float64{&r.Transactions, &r.Queries, &r.Errors, &r.Reconnects, &r.TPS, &r.QPS, &r.ErrorRate, &r.Events, &r.Elapsed, &r.Min, &r.Mean, &r.Max, &r.Percentile, &r.Percent} {
		*v = math.NaN()
	}
	r.Whole = false
}

// Line reads a line, and says which second it tells, if it does.
func (r *SysbenchReport) Line(line string) (Second, bool) {
	switch trimmed := strings.TrimSpace(line); {
	case strings.HasPrefix(trimmed, "[") && strings.HasSuffix(trimmed, "Checkpoint report:"):
		r.Checkpoints++
		r.within = true
		return Second{}, false
	case trimmed == "SQL statistics:", trimmed == "OLTP test statistics:", trimmed == "CPU speed:":
		r.forget()
		return Second{}, false
	case WithoutTransactions(trimmed):
		r.autoOnly = true
		return Second{}, false
	case strings.HasPrefix(trimmed, "execution time (avg/stddev):"):
		if r.Whole = true; r.within {
			r.forget()
			r.within = false
		}
		return Second{}, false
	}
	if m := sysbenchLine.FindStringSubmatch(line); m != nil {
		return r.second(Second{parse(m[1]), parse(m[2]), parse(m[3]), parse(m[4]), parse(m[5]), parse(m[6])})
	}
	if m := sysbenchEvery.FindStringSubmatch(line); m != nil {
		return r.second(Second{At: parse(m[1]), Threads: parse(m[2]), TPS: parse(m[3]), QPS: math.NaN()})
	}
	if m := sysbenchOld.FindStringSubmatch(line); m != nil {
		s := Second{parse(m[1]), parse(m[2]), parse(m[3]), parse(m[4]) + parse(m[5]), 0, 0}
		if m[6] != "" {
			s.Errors, s.Reconns = parse(m[6]), parse(m[7])
		}
		if s.TPS == 0 && s.QPS > 0 {
			s.TPS = math.NaN() // statements outside transactions
		}
		return r.second(s)
	}
	if m := sysbenchTotal.FindStringSubmatch(line); m != nil {
		r.total(m[1], parse(m[2]), parse(m[3]))
	} else if m := sysbenchValue.FindStringSubmatch(line); m != nil {
		v := parse(m[3])
		if m[4] == "s" && !strings.HasPrefix(m[1], "t") { // 0.4.8; total time and time elapsed are in seconds
			v *= 1000
		}
		r.value(m[1], m[2], v)
	} else if m := sysbenchCount.FindStringSubmatch(line); m != nil && len(r.Histogram) < maxCounts {
		r.Histogram = append(r.Histogram, SysbenchCount{parse(m[1]), parse(m[2])})
	}
	return Second{}, false
}

// WithoutTransactions says that sysbench 0.4 announces to begin and commit no transactions: the
// statements that it counts as other ones are none then.
func WithoutTransactions(text string) bool { return strings.Contains(text, "Skipping BEGIN/COMMIT") }

func (r *SysbenchReport) second(s Second) (Second, bool) {
	if len(r.Seconds) == maxSeconds {
		return s, false
	}
	r.Seconds = append(r.Seconds, s)
	return s, true
}

func (r *SysbenchReport) total(name string, sum, rate float64) {
	switch name {
	case "transactions":
		r.Transactions, r.TPS = sum, rate
	case "queries", "read/write requests":
		r.Queries, r.QPS = sum, rate
	case "other operations": // begin and commit, which later versions count as queries
		if r.autoOnly {
			return
		}
		r.Queries, r.QPS = r.Queries+sum, r.QPS+rate
	case "ignored errors", "deadlocks":
		r.Errors, r.ErrorRate = sum, rate
	case "reconnects":
		r.Reconnects = sum
	}
}

func (r *SysbenchReport) value(name, percent string, v float64) {
	switch name {
	case "events per second":
		r.TPS = v
	case "total time", "time elapsed":
		r.Elapsed = v
	case "total number of events":
		r.Events = v
		if !(r.TPS > 0) && r.Elapsed > 0 { // the threads test prints no rate, and 0.5 none without begin and commit
			r.Transactions, r.TPS = v, v/r.Elapsed
		}
	case "min":
		r.Min = v
	case "avg":
		r.Mean = v
	case "max":
		r.Max = v
	default:
		r.Percent, r.Percentile = parse(percent), v
	}
}

// Quantile is the time in milliseconds that a share q of the events did not exceed, of the
// histogram; NaN without one.
func (r *SysbenchReport) Quantile(q float64) float64 {
	sum := 0.0
	for _, c := range r.Histogram {
		sum += c.Count
	}
	rank, seen := math.Max(math.Ceil(q*sum), 1), 0.0
	for _, c := range r.Histogram {
		if seen += c.Count; seen >= rank {
			return c.Millis
		}
	}
	return math.NaN()
}

// ErrNoReport says that a text holds no rate of sysbench.
var ErrNoReport = errors.New("no report of sysbench: no line says how many transactions or events a second there were")

// ParseSysbench reads what sysbench printed, of databases and of other tests.
func ParseSysbench(text string) (*SysbenchReport, error) {
	r := NewSysbenchReport()
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		r.Line(lines.Text())
	}
	if err := lines.Err(); err != nil {
		return r, err
	}
	if math.IsNaN(r.TPS) {
		return r, ErrNoReport
	}
	return r, nil
}

func parse(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
