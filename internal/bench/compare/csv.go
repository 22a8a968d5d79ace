package compare

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/document"
)

const (
	maxFile    = 64 << 20 // bytes
	maxName    = 200      // bytes of an environment, a scenario, a setting
	maxColumns = 200
	maxThreads = 1_000_000
	maxNumber  = 1e15
)

// kind is what a CSV file holds, by its first line.
type kind int

const (
	unknownKind kind = iota
	runsKind
	environmentsKind
	tablesKind
)

// environment is what a file tells of one.
type environment struct {
	cpusHost, cpusUsed   float64 // 0: not known
	settings, properties map[string]string
	date                 time.Time
}

// published is a number of a table without times.
type published struct {
	metric, scenario, environment string
	threads                       int
	value, rounding               float64
	line, argument                int
}

// hostPercent is CPU time in percent of all CPUs, and how far each may be off.
type hostPercent struct{ user, system, softirq, wait, rounding float64 }

// table is what a CSV file holds.
type table struct {
	kind         kind
	runs         []Run
	environments map[string]environment
	published    []published
	notes        []string
}

// source is a file of a bounded size, which remembers its last byte.
type source struct {
	io.Reader
	n    int64
	last byte
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if n > 0 {
		s.last = p[n-1]
	}
	if s.n += int64(n); s.n > maxFile {
		return n, fmt.Errorf("longer than %d MiB", maxFile>>20)
	}
	return n, err
}

// reader reads the lines of a CSV file.
type reader struct {
	csv    *csv.Reader
	end    *source
	header []string
	column map[string]int
	line   int
	row    []string
	cut    bool // the last line was cut off, and is left out

	semicolons    bool // fields are apart by something else than commas, so numbers may have them
	comma, point  int  // lines in which a number first had one; 0: none
	decimals      map[string]int
	unreadColumns []string
}

// newReader reads the first line.
func newReader(in io.Reader) (*reader, error) {
	r := &reader{end: &source{Reader: in}, column: map[string]int{}, decimals: map[string]int{}}
	b := bufio.NewReaderSize(r.end, 64<<10)
	head, err := b.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		b.Discard(3)
		head = head[3:]
	}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	r.csv = csv.NewReader(b)
	r.csv.FieldsPerRecord, r.csv.TrimLeadingSpace = -1, true
	for _, sep := range []rune{';', '\t'} {
		if !bytes.ContainsRune(first, ',') && bytes.ContainsRune(first, sep) {
			r.csv.Comma, r.semicolons = sep, true
		}
	}
	if r.header, err = r.csv.Read(); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("empty: there is no line")
		}
		return nil, fmt.Errorf("the first line is none of a CSV file: %w", err)
	}
	if len(r.header) > maxColumns {
		return nil, fmt.Errorf("%d columns: at most %d are read", len(r.header), maxColumns)
	}
	for i, name := range r.header {
		name = strings.ToLower(strings.TrimSpace(name))
		if _, twice := r.column[name]; twice {
			return nil, fmt.Errorf("line 1: two columns are named %q", name)
		}
		r.header[i], r.column[name] = name, i
	}
	return r, nil
}

func (r *reader) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { _, there := r.column[n]; return !there })
}

// next reads a line; io.EOF after the last.
func (r *reader) next() error {
	row, err := r.csv.Read()
	var syntax *csv.ParseError
	switch {
	case err == nil:
		r.line, _ = r.csv.FieldPos(0)
		if len(row) == len(r.header) {
			r.row = row
			return nil
		}
		err = fmt.Errorf("line %d: %d fields, and the first line has %d%s", r.line, len(row), len(r.header), r.localeHint(len(row)))
	case !errors.As(err, &syntax):
		return err
	}
	// What is wrong, and lacks the end of its line, was cut off.
	if _, more := r.csv.Read(); errors.Is(more, io.EOF) && r.end.last != '\n' && (syntax != nil || len(row) < len(r.header)) {
		r.cut = true
		return io.EOF
	}
	return err
}

func (r *reader) localeHint(fields int) string {
	if !r.semicolons && fields > len(r.header) {
		return "; numbers with decimal commas need semicolons between fields"
	}
	return ""
}

// text is a field; "" if there is no such column.
func (r *reader) text(column string) string {
	if i, there := r.column[column]; there {
		return strings.TrimSpace(r.row[i])
	}
	return ""
}

// name is a field that is a name.
func (r *reader) name(column string) (string, error) {
	s := r.text(column)
	if s == "" {
		return "", fmt.Errorf("line %d: no %s", r.line, column)
	}
	if len(s) > maxName {
		return "", fmt.Errorf("line %d: %s has %d bytes: at most %d", r.line, column, len(s), maxName)
	}
	return s, nil
}

// number is a field that is a number from 0 on; NaN if it is empty.
func (r *reader) number(column string) (float64, error) {
	s := r.text(column)
	if s == "" {
		return math.NaN(), nil
	}
	wrong := func(why string) (float64, error) {
		return 0, fmt.Errorf("line %d: %s %.40q %s", r.line, column, s, why)
	}
	if strings.ContainsRune(s, ',') {
		if !r.semicolons || strings.Count(s, ",") > 1 || strings.ContainsRune(s, '.') {
			return wrong("may have commas or points of thousands: write digits and at most one decimal point")
		}
		if r.comma == 0 {
			r.comma = r.line
		}
		s = strings.Replace(s, ",", ".", 1)
	} else if strings.ContainsRune(s, '.') && r.point == 0 {
		r.point = r.line
	}
	if r.comma > 0 && r.point > 0 {
		return wrong(fmt.Sprintf("has another decimal mark than line %d: one of them may be for thousands", min(r.comma, r.point)))
	}
	if strings.Trim(s, "0123456789.eE+-") != "" {
		return wrong("is no number")
	}
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil:
		return wrong("is no number")
	case v < 0 || v > maxNumber:
		return wrong(fmt.Sprintf("is not from 0 to %g", float64(maxNumber)))
	}
	_, decimals, _ := strings.Cut(s, ".")
	r.decimals[column] = max(r.decimals[column], len(decimals))
	return v, nil
}

// half is half of the last digit of a column's numbers.
func (r *reader) half(column string) float64 { return 0.5 * math.Pow10(-r.decimals[column]) }

// whole is a field that is a count.
func (r *reader) whole(column string, most int) (int, error) {
	v, err := r.number(column)
	if err == nil && (v != math.Trunc(v) || v > float64(most)) {
		err = fmt.Errorf("line %d: %s %.40q is no count up to %d", r.line, column, r.text(column), most)
	}
	return int(v), err
}

// readCSV reads a file of one of the kinds.
func readCSV(in io.Reader) (*table, error) {
	r, err := newReader(in)
	if err != nil {
		return nil, err
	}
	t := &table{environments: map[string]environment{}}
	read := (*reader).run
	switch {
	case r.has("env", "scenario", "threads", "tps"):
		t.kind = runsKind
	case r.has("metric", "scenario", "env"):
		t.kind, read = tablesKind, (*reader).published
	case r.has("env"):
		t.kind, read = environmentsKind, (*reader).environment
	default:
		return t, fmt.Errorf("line 1: the columns are of no known form: runs have env, scenario, threads and tps, tables metric, scenario, env and t1, t8 ..., environments env")
	}
	for n := 0; ; n++ {
		if err := r.next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if n == bench.MostRuns {
			return nil, fmt.Errorf("more than %d lines", bench.MostRuns)
		}
		if err := read(r, t); err != nil {
			return nil, err
		}
	}
	for i := range t.runs {
		x := &t.runs[i]
		x.rounding.tps, x.rounding.mean, x.rounding.qps = r.half("tps"), r.half("avg_ms"), r.half("qps")
		x.percent.rounding = max(r.half("user"), r.half("sys"), r.half("sirq"))
	}
	if r.cut {
		t.notes = append(t.notes, fmt.Sprintf("the last line, after line %d, is cut off and left out", r.line))
	} else if r.end.last != '\n' && r.line > 0 {
		t.notes = append(t.notes, fmt.Sprintf("line %d has no end: if the file was cut off, its last number is wrong", r.line))
	}
	if len(r.unreadColumns) > 0 {
		t.notes = append(t.notes, fmt.Sprintf("columns that are not known are not read: %s", strings.Join(r.unreadColumns, ", ")))
	}
	return t, nil
}

// runColumns are those of runs.
var runColumns = []string{"env", "scenario", "threads", "tps", "qps", "avg_ms", "p95_ms", "p99_ms", "errors", "sirq", "user", "sys", "wait", "util", "date", "start", "sec", "repeat"}

// run reads a line of runs: one step, without a time zone.
func (r *reader) run(t *table) error {
	if r.unreadColumns == nil {
		r.unreadColumns = []string{}
		for _, name := range r.header {
			if !slices.Contains(runColumns, name) {
				r.unreadColumns = append(r.unreadColumns, name)
			}
		}
	}
	x := Run{Run: bench.NewRun(), Line: r.line, percent: &hostPercent{}}
	var err error
	fail := func(e error) {
		if err == nil {
			err = e
		}
	}
	text := func(to *string, column string) {
		s, e := r.name(column)
		*to = s
		fail(e)
	}
	number := func(column string) float64 {
		v, e := r.number(column)
		fail(e)
		return v
	}
	text(&x.Environment, "env")
	text(&x.Scenario, "scenario")
	threads, e := r.whole("threads", maxThreads)
	if fail(e); e == nil && threads < 1 {
		fail(fmt.Errorf("line %d: threads %.40q is no count from 1", r.line, r.text("threads")))
	}
	x.Threads = threads
	if r.text("repeat") != "" {
		x.Repeat, e = r.whole("repeat", bench.MostRuns)
		fail(e)
	}
	for column, to := range map[string]*document.Number{"tps": &x.Load.TPS, "qps": &x.Load.QPS, "avg_ms": &x.Load.Mean, "p95_ms": &x.Load.P95, "p99_ms": &x.Load.P99,
		"errors": &x.Load.Errors, "util": &x.Host.Util} {
		*to = document.Number(number(column))
	}
	for column, to := range map[string]*float64{"user": &x.percent.user, "sys": &x.percent.system, "sirq": &x.percent.softirq, "wait": &x.percent.wait} {
		*to = number(column)
	}
	seconds := number("sec")
	if err != nil {
		return err
	}
	if err := x.time(r.text("date"), r.text("start"), seconds); err != nil {
		return fmt.Errorf("line %d: %w", r.line, err)
	}
	t.runs = append(t.runs, x)
	return nil
}

// time reads when a run was; times are told without a zone and taken as UTC.
func (r *Run) time(date, start string, seconds float64) error {
	if start == "" {
		return nil
	}
	if date != "" {
		start = date + " " + start
	}
	for _, layout := range []string{time.TimeOnly, time.DateTime, time.RFC3339, "2006-01-02T15:04:05"} {
		at, err := time.Parse(layout, start)
		if err != nil {
			continue
		}
		if r.dated = layout != time.TimeOnly; r.dated && !plausible(at) {
			break
		}
		r.Began, r.rounding.clock = at, time.Second
		if seconds > 0 && seconds < 1e7 {
			r.Ended = at.Add(time.Duration(seconds * float64(time.Second)))
		}
		return nil
	}
	return fmt.Errorf("start %.40q is no time: write 08:56:53, with a column date or as 2006-01-02T08:56:53Z", start)
}

// plausible bounds years, so that what is added to a time is still one.
func plausible(t time.Time) bool { return t.Year() >= 1970 && t.Year() < 9000 }

// testSettings are columns of environments that are settings of the test.
var testSettings = []string{"rows_per_table", "tables", "seconds", "warmup_seconds", "sysbench"}

// environment reads a line of environments.
func (r *reader) environment(t *table) error {
	name, err := r.name("env")
	if err != nil {
		return err
	}
	if _, twice := t.environments[name]; twice {
		return fmt.Errorf("line %d: %.40q stands in an earlier line, too", r.line, name)
	}
	e := environment{settings: map[string]string{}, properties: map[string]string{}}
	for column, to := range map[string]*float64{"cpus_host": &e.cpusHost, "cpus_used": &e.cpusUsed} {
		if r.text(column) == "" {
			continue
		}
		n, err := r.whole(column, maxThreads)
		if err != nil {
			return err
		}
		*to = float64(n)
	}
	if s := r.text("date"); s != "" {
		if e.date, err = time.Parse(time.DateOnly, s); err != nil || !plausible(e.date) {
			return fmt.Errorf("line %d: date %.40q is none as 2006-01-02", r.line, s)
		}
	}
	for _, column := range r.header {
		value := r.text(column)
		switch {
		case column == "env" || value == "":
		case len(value) > maxName:
			return fmt.Errorf("line %d: %s has %d bytes: at most %d", r.line, column, len(value), maxName)
		case slices.Contains(testSettings, column):
			e.settings[column] = value
		default:
			e.properties[column] = value
		}
	}
	t.environments[name] = e
	return nil
}

// published reads a line of tables: one environment and scenario, with a column per number of
// threads.
func (r *reader) published(t *table) error {
	p := published{line: r.line, metric: strings.ToLower(r.text("metric"))}
	var err error
	if p.scenario, err = r.name("scenario"); err != nil {
		return err
	}
	if p.environment, err = r.name("env"); err != nil {
		return err
	}
	for _, column := range r.header {
		threads, numbered := strings.CutPrefix(column, "t")
		if p.threads, err = strconv.Atoi(threads); !numbered || err != nil || p.threads < 1 || p.threads > maxThreads {
			continue
		}
		if p.value, err = r.number(column); err != nil {
			return err
		}
		p.rounding = r.half(column)
		if s := r.text(column); !strings.ContainsAny(s, ".,") {
			p.rounding = 0.5
		}
		if len(t.published) == bench.MostRuns {
			return fmt.Errorf("more than %d numbers", bench.MostRuns)
		}
		t.published = append(t.published, p)
	}
	return nil
}
