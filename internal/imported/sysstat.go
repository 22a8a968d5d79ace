package imported

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// banner is the first line of all tools of sysstat.
var banner = regexp.MustCompile(`^Linux (\S+) \((\S*)\)\s+(\S+)\s+_(\S+)_\s+\((\d{1,5}) CPU`)

// sysstat reads what iostat, mpstat, pidstat and sar print, by their headers.
type sysstat struct {
	*told
	lines   lineReader
	header  *header
	current *report
	byTime  map[time.Time]int // places in reports
	day     time.Time         // midnight of the banner's date
	now     time.Time         // of the latest line with a time
	start   time.Time         // of the latest header with a time
	seen    []*header         // those with a time, of this banner
	restart bool              // the next report is the first after a start of the host
	early   int               // reports whose time is not after the one before
	unknown string            // the first header none of whose columns says anything
	plain   bool              // the header is iostat's: lines have no time
	zoned   bool              // times tell their zone, or count from 1970
	fresh   bool              // no report came since the banner: the first of iostat tells of the time since the host was started
}

// parseSysstat reads a text; day is when it was written, for those without a date.
func parseSysstat(file, text string, day time.Time) (*told, error) {
	p := &sysstat{told: &told{tool: "sysstat", file: file, written: day}, lines: lineReader{text: text}, byTime: map[time.Time]int{}, day: midnight(day)}
	for {
		line, ok := p.lines.next()
		if !ok {
			break
		}
		if words := strings.Fields(line); len(words) > 0 && !p.line(line, words) {
			p.lines.damaged(line)
		}
	}
	if p.zoned {
		p.clock = Exact
	}
	if p.dated {
		slices.SortStableFunc(p.reports, func(a, b report) int { return a.at.Compare(b.at) })
	}
	for i := range p.reports {
		if r := &p.reports[i]; p.tool == "iostat" && r.boot {
			r.tables, r.base = nil, true
		}
	}
	if p.tool == "iostat" && !slices.ContainsFunc(p.reports, func(r report) bool { return len(r.tables) > 0 }) {
		p.lines.rows = 0
	}
	p.setBack(p.early)
	if p.lines.rows == 0 && p.lines.bad == 0 && p.unknown != "" {
		return nil, fmt.Errorf("reading %s as a report of sysstat: none of its columns is known; the first header is %s; if it is in another language, record with LC_ALL=C", file, p.unknown)
	}
	return p.told, p.lines.check(p.told)
}

// toldColumns are columns of tables from which rows are made.
var toldColumns = []string{"%idle", "PID", "Device", "DEV", "rxkB/s", "rxbyt/s", "rxerr/s", "squeezd/s", "runq-sz", "cswch/s", "pswpin/s", "pgpgin/s", "kbmemfree", "kbswpfree", "%scpu", "%sio", "%smem"}

// line reads one line; false: it is not understood.
func (p *sysstat) line(line string, words []string) bool {
	if m := banner.FindStringSubmatch(line); m != nil {
		p.about(m)
		return true
	}
	switch first := words[0]; {
	case first == "avg-cpu:":
		if !p.dated {
			p.current = nil
		}
		p.begin("iostat")
		p.header, p.plain = newHeader(append([]string{"CPU"}, words[1:]...)), true
		return true
	case first == "Device" || first == "Device:":
		if !p.dated && p.current != nil && slices.ContainsFunc(p.current.tables, func(t table) bool { return t.header.has("Device") }) {
			p.current = nil
		}
		p.begin("iostat")
		p.header, p.plain = newHeader(words), true
		return true
	case first == "#" && len(words) > 2 && words[1] == "Time":
		p.tool, p.header, p.plain, p.start = "pidstat", newHeader(words[2:]), false, time.Time{}
		return true
	}
	if at, zoned, ok := dateAndTime(line); ok { // iostat -t
		p.zoned = p.zoned || zoned
		p.current = p.at(at)
		return true
	}
	if clock, n, ok := clockOf(words); ok && (clock < epoch || p.tool == "pidstat") {
		p.zoned = p.zoned || clock >= epoch
		return len(words) > n && p.timed(clock, words[n:])
	}
	switch {
	case strings.HasSuffix(words[0], ":"), len(words) > 1 && words[1] == ":": // "Average:", "Moyenne :"
		return true
	case p.header == nil || !p.plain:
		return false
	case p.header.key == 0 && p.header.names[0] == "CPU":
		words = append([]string{"all"}, words...)
	}
	return p.row(words)
}

// about takes what the banner says.
func (p *sysstat) about(m []string) {
	p.host.Kernel, p.host.Name, p.host.Arch = clip(m[1]), clip(m[2]), clip(m[4])
	p.host.CPUs, _ = strconv.Atoi(m[5])
	p.clock = max(p.clock, TimeOfDay)
	if day, doubt, ok := date(m[3]); ok {
		p.day, p.clock = day, Local
		if doubt && len(p.notes) == 0 {
			p.note("%s: the date %s is taken as month/day/year", p.file, m[3])
		}
	}
	p.header, p.current, p.now, p.seen = nil, nil, time.Time{}, nil
	p.restart, p.fresh = len(p.reports) > 0, true
}

// begin makes sure that there is a report for lines without a time.
func (p *sysstat) begin(tool string) {
	p.tool = tool
	if p.current == nil {
		p.reports = append(p.reports, report{gap: p.restart, boot: p.fresh})
		p.current, p.restart, p.fresh = &p.reports[len(p.reports)-1], false, false
	}
}

// at is the report of a time.
func (p *sysstat) at(at time.Time) *report {
	p.dated = true
	i, ok := p.byTime[at]
	if !ok {
		i = len(p.reports)
		p.byTime[at] = i
		p.reports = append(p.reports, report{at: at, gap: p.restart, boot: p.fresh})
		p.restart, p.fresh = false, false
	}
	return &p.reports[i]
}

// timed reads a line after its time: a header or numbers.
func (p *sysstat) timed(clock time.Duration, words []string) bool {
	p.plain = false
	if words[0] == "LINUX" {
		p.restart = true
		return true
	}
	if isHeader(words) {
		h := newHeader(words)
		if !h.is(p.header) && p.tool == "sar" && (p.on(clock).Before(p.now) || p.first(h) && midnight(p.now).Add(clock).Before(p.now)) {
			p.now = time.Time{} // sar prints one kind of numbers after the other, each for all of the day
		}
		p.header, p.start = h, p.on(clock)
		switch {
		case h.key >= 0 && h.names[h.key] == "PID":
			p.tool = "pidstat"
		case p.tool == "sysstat" && h.has("%irq") && slices.Index(h.names, "%irq") < slices.Index(h.names, "%steal"):
			p.tool = "mpstat"
		case p.tool == "sysstat" && h.has(toldColumns...):
			p.tool = "sar"
		}
		if !h.has(toldColumns...) && p.unknown == "" {
			p.unknown = fmt.Sprintf("line %d: %.100q", p.lines.n, strings.Join(words, " "))
		}
		return true
	}
	if p.header == nil {
		return false
	}
	at := p.on(clock)
	if p.now.IsZero() && p.start.Sub(at) > 12*time.Hour {
		at = at.AddDate(0, 0, 1) // the header stands before midnight
	}
	if at.Before(p.now) {
		p.early++
		return true
	}
	if at.After(p.now) && p.now.After(p.start) {
		p.start = p.now // a header stands once for many reports
	}
	p.now = at
	p.current = p.at(at)
	if p.current.began.IsZero() && p.start.Before(at) {
		p.current.began = p.start
	}
	return p.row(words)
}

// maxHeaders bounds the kinds of numbers that are told apart; sar has some fifty.
const maxHeaders = 200

// first says whether a header comes for the first time.
func (p *sysstat) first(h *header) bool {
	if len(p.seen) == maxHeaders || slices.ContainsFunc(p.seen, h.is) {
		return false
	}
	p.seen = append(p.seen, h)
	return true
}

// on is a time of day on the day on which it comes next.
func (p *sysstat) on(clock time.Duration) time.Time {
	if clock >= epoch {
		return time.Unix(int64(clock/time.Second), 0)
	}
	year, month, day := p.day.Date()
	if !p.now.IsZero() {
		year, month, day = p.now.Date()
	}
	at := time.Date(year, month, day, 0, 0, int(clock/time.Second), 0, p.day.Location())
	if !p.now.IsZero() && p.now.Sub(at) > 12*time.Hour {
		at = time.Date(year, month, day+1, 0, 0, int(clock/time.Second), 0, p.day.Location())
	}
	return at
}

// row adds a line of numbers to the report.
func (p *sysstat) row(words []string) bool {
	if p.current == nil {
		return false
	}
	if !p.header.has(toldColumns...) || p.header.has("NODE") {
		return true
	}
	if tid := slices.Index(p.header.names, "TGID"); tid >= 0 && tid < len(words) && words[tid] == "-" {
		return true // a thread
	}
	r, ok := p.header.row(words)
	if !ok {
		return false
	}
	if !p.lines.room() {
		return true
	}
	p.current.add(p.header, r)
	return true
}

func (r *report) add(h *header, line row) {
	if n := len(r.tables); n == 0 || r.tables[n-1].header != h {
		r.tables = append(r.tables, table{header: h})
	}
	t := &r.tables[len(r.tables)-1]
	t.rows = append(t.rows, line)
}

// isHeader says that there is no number among words.
func isHeader(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { _, ok := number(w); return ok && w != "-" })
}

// epoch separates times of day from seconds since 1970.
const epoch = 365 * 24 * time.Hour

// clockOf reads a time at the beginning of a line, and in how many words it stands.
func clockOf(words []string) (clock time.Duration, n int, ok bool) {
	if w := words[0]; len(w) == 10 && strings.Trim(w, "0123456789") == "" && w[0] != '0' {
		seconds, _ := strconv.ParseInt(w, 10, 64)
		return time.Duration(min(seconds, 9e9)) * time.Second, 1, true
	}
	t, err := time.Parse("15:04:05", words[0])
	if err != nil {
		return 0, 0, false
	}
	n = 1
	hour := t.Hour()
	if len(words) > 1 && (halfDay(words[1]) == "AM" || halfDay(words[1]) == "PM") {
		if hour < 1 || hour > 12 {
			return 0, 0, false
		}
		n, hour = 2, hour%12
		if halfDay(words[1]) == "PM" {
			hour += 12
		}
	}
	return time.Duration(hour)*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second, n, true
}

// halfDay is "AM" or "PM", which locales also print as "am" and "a.m."; others are no half of a day.
func halfDay(word string) string {
	if len(word) > len("a.m.") {
		return ""
	}
	return strings.ToUpper(strings.ReplaceAll(word, ".", ""))
}

// zoneOf is the time zone that a report names; of any other one than UTC it is not known whether it is
// the local one.
func zoneOf(name string) (where *time.Location, known bool) {
	if name == "UTC" || name == "GMT" {
		return time.UTC, true
	}
	return time.Local, false
}

// date reads a day as banners have it. A doubt is which number is the month: sysstat prints
// it first, unless a locale has it otherwise.
func date(s string) (day time.Time, doubt, ok bool) {
	for _, layout := range []string{"01/02/06", "01/02/2006", "2006-01-02", "02.01.2006", "02.01.06", "02/01/06", "02/01/2006", "20060102"} {
		if day, err := time.ParseInLocation(layout, s, time.Local); err == nil && sane(day) {
			return day, strings.HasPrefix(layout, "01/") && day.Day() <= 12 && day.Day() != int(day.Month()), true
		}
	}
	return time.Time{}, false, false
}

// dateAndTime reads the line of iostat -t; zoned says that it tells its time zone.
func dateAndTime(line string) (at time.Time, zoned, ok bool) {
	if at, err := time.Parse("2006-01-02T15:04:05-0700", line); err == nil {
		return at, true, sane(at)
	}
	words := strings.Fields(line)
	if len(words) < 2 || len(words) > 3 {
		return at, false, false
	}
	day, _, ok := date(words[0])
	if !ok {
		return at, false, false
	}
	clock, n, ok := clockOf(words[1:])
	if !ok || n != len(words)-1 || clock >= epoch {
		return at, false, false
	}
	year, month, d := day.Date()
	return time.Date(year, month, d, 0, 0, int(clock/time.Second), 0, time.Local), false, true
}

// sane says that a time may be that of a report.
func sane(t time.Time) bool { return t.Year() >= 1995 && t.Year() < 2200 }

func midnight(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.Local)
}
