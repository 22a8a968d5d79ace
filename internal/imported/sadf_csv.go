package imported

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sadfCSV begins each table of what sadf -d prints.
const sadfCSV = "# hostname;interval;timestamp"

func isSadfCSV(head []byte) bool { return bytes.HasPrefix(head, []byte(sadfCSV+";")) }

// restarted stands where the host was started: "LINUX-RESTART\t(2 CPU)".
var restarted = regexp.MustCompile(`^LINUX-RESTART\s*(?:\((\d{1,5}) CPU\))?`)

// parseSadfCSV reads what sadf -d prints: the columns of sar, separated by semicolons.
func parseSadfCSV(file, text string, _ time.Time) (*told, error) {
	p := &sysstat{told: &told{tool: "sar", file: file, dated: true}, lines: lineReader{text: text}, byTime: map[time.Time]int{}}
	for {
		line, ok := p.lines.next()
		if !ok {
			break
		}
		if line != "" && !p.values(line) {
			p.lines.damaged(line)
		}
	}
	slices.SortStableFunc(p.reports, func(a, b report) int { return a.at.Compare(b.at) })
	return p.told, p.lines.check(p.told)
}

// values reads a line: a header or numbers.
func (p *sysstat) values(line string) bool {
	if names, ok := strings.CutPrefix(line, sadfCSV+";"); ok {
		p.header = newHeader(strings.Split(strings.ReplaceAll(names, "[...]", ""), ";"))
		return true
	}
	words := strings.Split(line, ";")
	if p.header == nil || len(words) < 4 {
		return false
	}
	at, zone, ok := csvTime(words[2])
	if !ok {
		return false
	}
	if _, known := zoneOf(zone); !known {
		p.local(zone)
	}
	p.host.Name = clip(words[0])
	if m := restarted.FindStringSubmatch(words[3]); m != nil {
		p.restart = true
		n, _ := strconv.Atoi(m[1])
		p.host.CPUs = max(p.host.CPUs, n)
		return true
	}
	if words[3] == "COM" || strings.HasPrefix(words[3], "COM ") {
		return true // a comment
	}
	if p.header.key == 0 && p.header.names[0] == "CPU" {
		if words[3] == "-1" {
			words[3] = "all"
		} else if n, err := strconv.Atoi(words[3]); err == nil && n < 1<<16 {
			p.host.CPUs = max(p.host.CPUs, n+1)
		}
	}
	p.current = p.at(at)
	if seconds, ok := number(words[1]); ok && seconds > 0 && seconds < 1e6 {
		p.current.began = at.Add(-time.Duration(seconds * float64(time.Second)))
	}
	return p.row(words[3:])
}

// csvTime reads "2026-01-02 03:04:05 UTC", the same without a zone or with another one, which is taken
// as local, and seconds since 1970.
func csvTime(s string) (at time.Time, zone string, ok bool) {
	if seconds, err := strconv.ParseInt(s, 10, 64); err == nil {
		at = time.Unix(seconds, 0)
		return at, "UTC", sane(at)
	}
	clock := s[:min(len(s), len(time.DateTime))]
	zone = strings.TrimPrefix(s[len(clock):], " ")
	where, _ := zoneOf(zone)
	at, err := time.ParseInLocation(time.DateTime, clock, where)
	return at.Local(), zone, err == nil && sane(at) && !strings.ContainsAny(zone, " \t;") && len(zone) <= maxKey
}
