package imported

import (
	"fmt"
	"strings"

	"rtrail/internal/unit"
)

const (
	// maxRows bounds the lines of numbers that are kept of a file: each takes about 300
	// bytes, and a row of the recording more.
	maxRows = 150_000
	// mostDamaged is the share of lines that may not be readable: of a text of which more
	// are not, nobody knows what the others say.
	mostDamaged = 0.1
	// maxLine bounds a line: the command lines of top and the columns of large hosts are
	// shorter.
	maxLine = 64 << 10
	// shownLine bounds what an error shows of a line.
	shownLine = 100
)

// lineReader keeps count of the lines of a text.
type lineReader struct {
	text  string
	n     int // of the line that was read last
	rows  int
	left  int // rows for which there was no room
	bad   int // lines that were not understood
	first string
}

// next reads a line; false: that was all.
func (l *lineReader) next() (line string, ok bool) {
	for l.text != "" {
		line, l.text, _ = strings.Cut(l.text, "\n")
		l.n++
		if len(line) <= maxLine {
			return strings.TrimRight(line, "\r \t"), true
		}
		l.damaged(line)
	}
	return "", false
}

// damaged notes that a line was not understood.
func (l *lineReader) damaged(line string) {
	if l.bad++; l.bad == 1 {
		l.first = fmt.Sprintf("line %d: %q", l.n, line[:min(len(line), shownLine)])
	}
}

// room takes the place of one more row; false: there is none.
func (l *lineReader) room() bool {
	if l.rows == maxRows {
		l.left++
		return false
	}
	l.rows++
	return true
}

// others tells of the lines that were not understood besides the first.
func (l *lineReader) others() string {
	if l.bad < 2 {
		return ""
	}
	return fmt.Sprintf(", nor %s", unit.Plural(int64(l.bad-1), "other", "others"))
}

// check refuses a text too little of which was understood, and notes what was left out.
func (l *lineReader) check(t *told) error {
	switch {
	case l.bad > 0 && float64(l.bad) > mostDamaged*float64(l.rows+l.bad) && (l.bad > 1 || l.rows == 0):
		return fmt.Errorf("reading %s as %s: %s is not understood%s; if it is in another language or was made with options that change numbers (iostat -h), record with LC_ALL=C and without them", t.file, t.tool, l.first, l.others())
	case l.rows == 0:
		return fmt.Errorf("reading %s as %s: there is no report in it but perhaps that since boot; record several: vmstat -t 1 10, iostat -xt 1 10, sar 1 10", t.file, t.tool)
	}
	if l.bad > 0 {
		t.note("%s: %s left out that could not be read, the first is %s", t.file, unit.Plural(int64(l.bad), "line", "lines"), l.first)
	}
	if l.left > 0 {
		t.note("%s: judged on its first %d lines of numbers; %d more were left out", t.file, l.rows, l.left)
	}
	return nil
}

func (t *told) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// setBack notes reports that are left out because the clock was set back before them.
func (t *told) setBack(reports int) {
	if reports > 0 {
		t.note("%s: the clock was set back: %s of times that were there before left out", t.file, unit.Plural(int64(reports), "report", "reports"))
	}
}
