package imported

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/view"
)

var (
	topBanner = regexp.MustCompile(`^top - (\d\d:\d\d:\d\d) up .*load average: ([\d.,]+), ([\d.,]+), ([\d.,]+)$`)
	topTasks  = regexp.MustCompile(`^(?:Tasks|Threads): +(\d+) total, +(\d+) running`)
	topCPU    = regexp.MustCompile(`^%?Cpu(\(s\)|\d+) *: *(.*)$`)
	topMemory = regexp.MustCompile(`^([KMGTPE]i?B) (Mem|Swap) *: *([\d.,]+\+?) ?total, *([\d.,]+\+?) ?free, *([\d.,]+\+?) ?used\. *([\d.,]+\+?) ?avail Mem|^([KMGTPE]i?B) Mem *: *([\d.,]+\+?) ?total, *([\d.,]+\+?) ?free`)
	topShare  = regexp.MustCompile(`([\d.,]+)[% ] ?(us|sy|ni|id|wa|hi|si|st)`)
)

// Columns of what top prints above its processes.
var (
	topLoadHeader   = newHeader([]string{"ldavg-1", "ldavg-5", "ldavg-15", "tasks", "running"})
	topCPUHeader    = newHeader([]string{"CPU", "%usr", "%sys", "%nice", "%idle", "%iowait", "%irq", "%soft", "%steal"})
	topMemoryHeader = newHeader([]string{"kbtotal", "kbmemfree"})
	topAvailHeader  = newHeader([]string{"kbswptotal", "kbswpfree", "kbavail"})
	topShares       = []string{"us", "sy", "ni", "id", "wa", "hi", "si", "st"}
)

// top reads what top -b prints.
type top struct {
	*told
	lines  lineReader
	header *header
	now    time.Time
	day    time.Time
	early  bool // the report is left out
	back   int  // reports from before which the clock was set back
	cpus   int
	// threads: the reports list them in place of processes (-H).
	threads bool
}

// parseTop reads a text that was written until some time: top does not say the day.
func parseTop(file, text string, until time.Time) (*told, error) {
	p := &top{told: &told{tool: "top", file: file, dated: true, clock: TimeOfDay}, lines: lineReader{text: text}, day: midnight(until)}
	for {
		line, ok := p.lines.next()
		if !ok {
			break
		}
		if line != "" && !p.line(line) {
			p.lines.damaged(line)
		}
	}
	// The file was written last when the last report was made.
	p.written = until
	if n := len(p.reports); n > 0 {
		if late := p.reports[n-1].at.Sub(until.Add(time.Hour)); late > 0 {
			p.move(-1 - int((late-1)/(24*time.Hour)))
		}
	}
	if n := len(p.reports); n == 1 {
		p.note("%s: one report of top tells what the processes did since they were started, not lately; record two or more: top -b -d 1 -n 10", file)
	}
	if p.threads {
		p.note("%s: it lists threads (-H), of which nothing is taken: top -b without -H lists processes", file)
	}
	p.setBack(p.back)
	p.host.CPUs = p.cpus
	return p.told, p.lines.check(p.told)
}

func (p *top) line(line string) bool {
	words := strings.Fields(line)
	if m := topBanner.FindStringSubmatch(line); m != nil {
		clock, _, ok := clockOf(m[1:2])
		if p.header = nil; ok {
			p.begin(clock)
			p.add(topLoadHeader, row{values: []float64{mustNumber(m[2]), mustNumber(m[3]), mustNumber(m[4]), view.Unknown, view.Unknown}})
		}
		return ok
	}
	if len(p.reports) == 0 {
		return strings.HasPrefix(words[0], "TS")
	}
	if p.early {
		return true
	}
	r := &p.reports[len(p.reports)-1]
	switch {
	case strings.HasPrefix(words[0], "TS"):
		return true
	case topTasks.MatchString(line):
		p.threads = strings.HasPrefix(line, "Threads")
		m := topTasks.FindStringSubmatch(line)
		r.tables[0].rows[0].values[3], r.tables[0].rows[0].values[4] = mustNumber(m[1]), mustNumber(m[2])
		return true
	case topCPU.MatchString(line):
		return p.share(topCPU.FindStringSubmatch(line))
	case strings.Contains(line, "total,") && topMemory.MatchString(line):
		p.memory(topMemory.FindStringSubmatch(line))
		return true
	case strings.Contains(line, "total,"):
		return true // older ones, without what is available
	case slices.Contains(words, "PID") && slices.Contains(words, "%CPU"):
		if last := words[len(words)-1]; last != "COMMAND" || !slices.Contains(words, "TIME+") {
			return false
		}
		if h := newHeader(words); !h.is(p.header) {
			p.header = h
		}
		return true
	case p.header == nil:
		return false
	}
	row, ok := p.header.row(words)
	if !ok || p.threads {
		p.lines.rows++
		return ok
	}
	if i := slices.Index(p.header.names, "TIME+"); i < len(words) {
		row.values[i] = cpuTime(words[i])
	}
	if p.lines.room() {
		p.add(p.header, row)
	}
	return true
}

// begin makes the report of a time of day.
func (p *top) begin(clock time.Duration) {
	year, month, day := p.day.Date()
	at := time.Date(year, month, day, 0, 0, int(clock/time.Second), 0, time.Local)
	if !p.now.IsZero() && p.now.Sub(at) > 12*time.Hour {
		p.day = p.day.AddDate(0, 0, 1)
		at = at.AddDate(0, 0, 1)
	}
	if p.early = !at.After(p.now); p.early {
		if !at.Equal(p.now) {
			p.back++
		}
		return
	}
	p.now = at
	p.reports = append(p.reports, report{at: at, base: len(p.reports) == 0})
}

func (p *top) add(h *header, r row) {
	if !p.early {
		p.reports[len(p.reports)-1].add(h, r)
	}
}

// share reads the times of one CPU, or of all.
func (p *top) share(m []string) bool {
	r := row{key: "all", values: make([]float64, len(topCPUHeader.names))}
	if m[1] != "(s)" {
		r.key = strings.Clone(m[1])
		if n, err := strconv.Atoi(m[1]); err == nil && n < 1<<16 {
			p.cpus = max(p.cpus, n+1)
		}
	}
	for i := range r.values {
		r.values[i] = view.Unknown
	}
	for _, s := range topShare.FindAllStringSubmatch(m[2], -1) {
		r.values[1+slices.Index(topShares, s[2])] = mustNumber(strings.TrimPrefix(s[1], ","))
	}
	if !p.reports[len(p.reports)-1].base {
		p.add(topCPUHeader, r)
	}
	return view.Known(r.values[4])
}

// memory reads the lines about memory and swap, in whatever unit they are.
func (p *top) memory(m []string) {
	unit, values := m[1], m[3:]
	if unit == "" {
		unit, values = m[7], m[8:]
	}
	factor := 1.0
	for range strings.IndexByte("KMGTPE", unit[0]) {
		factor *= 1024
	}
	if m[1] == "" {
		p.add(topMemoryHeader, row{values: []float64{topSize(values[0]) * factor, topSize(values[1]) * factor}})
		return
	}
	p.add(topAvailHeader, row{values: []float64{topSize(values[0]) * factor, topSize(values[1]) * factor, topSize(values[3]) * factor}})
}

// topSize is an amount of memory; view.Unknown where it has more digits than top has room for, as "13183766+":
// how many are missing is not told, unless they are decimals ("1031549.+").
func topSize(s string) float64 {
	s, cut := strings.CutSuffix(s, "+")
	if cut && !strings.ContainsAny(s, ".,") {
		return view.Unknown
	}
	return mustNumber(s)
}

// mustNumber is a number; view.Unknown where it is none.
func mustNumber(s string) float64 {
	if n, ok := number(s); ok {
		return n
	}
	return view.Unknown
}

// cpuTime reads "5:54.14", minutes, seconds and hundredths, or "123:45", in seconds.
func cpuTime(s string) float64 {
	minutes, rest, ok := strings.Cut(s, ":")
	m, rest2 := mustNumber(minutes), mustNumber(rest)
	if !ok || strings.ContainsAny(minutes, ".,") || rest2 >= 60 {
		return view.Unknown
	}
	return m*60 + rest2
}
