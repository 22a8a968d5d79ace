package imported

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/view"
)

// tsarTimes are how tsar prints a time: day/month/year, with seconds where it was run live.
var tsarTimes = []string{"02/01/06-15:04:05", "02/01/06-15:04"}

// isTsar says that a text begins with tsar's two lines of headers.
func isTsar(head []byte) bool {
	head = bytes.TrimLeft(head, "\n\r ")
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	return bytes.HasPrefix(first, []byte("Time ")) && bytes.Contains(first, []byte("--")) && bytes.HasPrefix(second, []byte("Time "))
}

// tsarModule is a group of columns: the names that they have in sysstat.
type tsarModule struct {
	columns map[string]string
	key     string  // column of sysstat that names what a line is about; "": the whole host
	factor  float64 // from tsar's unit to that of sysstat
}

// tsarModules are the groups by the name above them. What stands above the columns of a disk
// is its name.
var tsarModules = map[string]tsarModule{
	"cpu":  {map[string]string{"user": "%user", "sys": "%system", "wait": "%iowait", "hirq": "%irq", "sirq": "%soft", "util": "util"}, "CPU", 1},
	"mem":  {map[string]string{"free": "kbmemfree", "total": "kbtotal"}, "", 1.0 / 1024},
	"pcsw": {map[string]string{"cswch": "cswch/s", "proc": "proc/s"}, "", 1},
	"load": {map[string]string{"load1": "ldavg-1", "load5": "ldavg-5", "load15": "ldavg-15", "runq": "runq-sz", "plit": "plist-sz"}, "", 1},
	"swap": {map[string]string{"swpin": "pswpin/s", "swpout": "pswpout/s"}, "", 1},
}

// tsarDisk is the group of a disk. Its queue is left out: tsar cuts the digits behind the point.
var tsarDisk = tsarModule{map[string]string{"rs": "r/s", "ws": "w/s", "rsecs": "rsec/s", "wsecs": "wsec/s", "await": "await", "rawait": "r_await", "wawait": "w_await", "util": "%util"}, "Device", 1}

// tsarColumn is where a number of a line goes.
type tsarColumn struct {
	group  int // of the groups below; -1: nowhere
	value  int // place in the header
	factor float64
}

// tsarHeader is what two lines of headers say.
type tsarHeader struct {
	groups  []table // each with one row, whose values are unknown
	columns []tsarColumn
}

// parseTsar reads what tsar prints. All its CPU times are shares of the whole host; idle time
// holds what was stolen, which it does not tell.
func parseTsar(file, text string, _ time.Time) (*told, error) {
	t := &told{tool: "tsar", file: file, dated: true, clock: Local}
	lines := lineReader{text: text}
	var h tsarHeader
	above := ""
	var last time.Time
	early := 0
	for {
		line, ok := lines.next()
		if !ok {
			break
		}
		words := strings.Fields(line)
		switch {
		case len(words) == 0, slices.Contains([]string{"MAX", "MEAN", "MIN"}, words[0]):
		case words[0] == "Time" && strings.Contains(line, "--"):
			above = line
		case words[0] == "Time":
			h = readTsarHeader(above, line)
		default:
			at, ok := tsarTime(words[0])
			if !ok || len(words) != 1+len(h.columns) {
				lines.damaged(line)
				continue
			}
			if !at.After(last) {
				early++
				continue
			}
			r, ok := h.report(words[1:])
			if !ok {
				lines.damaged(line)
				continue
			}
			last, r.at = at, at
			if lines.room() {
				t.reports = append(t.reports, r)
			}
		}
	}
	t.setBack(early)
	return t, lines.check(t)
}

func tsarTime(word string) (at time.Time, ok bool) {
	for _, layout := range tsarTimes {
		if at, err := time.ParseInLocation(layout, word, time.Local); err == nil {
			return at, sane(at)
		}
	}
	return at, false
}

var wordsOf = regexp.MustCompile(`\S+`)

// readTsarHeader reads the two lines of headers: a column belongs to the name between dashes
// that stands above it.
func readTsarHeader(above, line string) (h tsarHeader) {
	groups := wordsOf.FindAllStringIndex(above, -1)
	if len(groups) == 0 {
		return h
	}
	groups = groups[1:] // the time
	made := make([]int, len(groups))
	for i := range made {
		made[i] = -1
	}
	for _, at := range wordsOf.FindAllStringIndex(line, -1)[1:] {
		column := tsarColumn{group: -1}
		g := slices.IndexFunc(groups, func(span []int) bool { return span[0] < at[1] && at[1] <= span[1] })
		if g >= 0 {
			name := strings.Trim(above[groups[g][0]:groups[g][1]], "-")
			module, known := tsarModules[name]
			if !known {
				module = tsarDisk
			}
			if to, ok := module.columns[line[at[0]:at[1]]]; ok && len(name) <= maxKey {
				if made[g] < 0 {
					made[g] = len(h.groups)
					h.groups = append(h.groups, module.table(name))
				}
				in := h.groups[made[g]].header
				column = tsarColumn{made[g], len(in.names), module.factor}
				in.names = append(in.names, to)
			}
		}
		h.columns = append(h.columns, column)
	}
	for i := range h.groups {
		g := &h.groups[i]
		switch has := g.header.has; {
		case has("util"):
			g.header.names = append(g.header.names, "%idle", "%nice")
		case has("r_await", "await"):
			g.header.names = append(g.header.names, "aqu-sz")
		}
	}
	return h
}

// table is a group without columns yet.
func (m tsarModule) table(name string) table {
	h, r := &header{key: -1}, row{}
	if m.key != "" {
		h.key, h.names, r.key = 0, []string{m.key}, strings.Clone(name)
	}
	if m.key == "CPU" {
		r.key = "all"
	}
	return table{h, []row{r}}
}

// report reads the numbers of a line.
func (h *tsarHeader) report(words []string) (r report, ok bool) {
	r.tables = slices.Clone(h.groups)
	for i := range r.tables {
		g := &r.tables[i]
		g.rows = slices.Clone(g.rows)
		g.rows[0].values = slices.Repeat([]float64{view.Unknown}, len(g.header.names))
	}
	for i, c := range h.columns {
		v, ok := tsarNumber(words[i])
		if !ok {
			return r, false
		}
		if c.group >= 0 {
			r.tables[c.group].rows[0].values[c.value] = v * c.factor
		}
	}
	for i := range r.tables {
		g := &r.tables[i]
		line := g.rows[0]
		set := func(column string, v float64) { line.values[slices.Index(g.header.names, column)] = v }
		switch get := func(names ...string) float64 { return g.header.get(line, names...) }; {
		case g.header.has("%idle"):
			// util is all but idle, waiting and stolen time; nice time has no column.
			set("%nice", max(0, get("util")-get("%user")-get("%system")-get("%irq")-get("%soft")))
			set("%idle", 100-get("util")-get("%iowait"))
		case g.header.has("aqu-sz"):
			set("aqu-sz", (get("r/s")*get("r_await", "await")+get("w/s")*get("w_await", "await"))/1000)
		}
	}
	return r, true
}

// tsarNumber reads a number as tsar prints it, with K, M, G or T from 1,000 on.
func tsarNumber(word string) (float64, bool) {
	if strings.Trim(word, "-") == "" {
		return view.Unknown, true
	}
	n, ok := size(word) // whose unit is K
	if ok && word[len(word)-1] > '9' {
		n *= 1024
	}
	return n, ok
}
