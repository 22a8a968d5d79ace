package failover

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"

	"rtrail/internal/document"
)

// reported is a line of sysbench with --report-interval=1, which may have a time of day before
// it, as ts of moreutils writes it.
var reported = regexp.MustCompile(`^(?:\[?(\d{4}-\d\d-\d\d)?[T ]?(\d\d:\d\d:\d\d)\S*\s+)?\[ (\d{1,7})s \] thds: \d+ tps: ([\d.]+) qps: ([\d.]+) .*?err/s:? ([\d.]+)`)

// ReadLog reads the seconds of a sysbench log. Of these only transactions, statements and
// errors are known. Times of day are those of the lines, if they have any; lengths are those that
// sysbench counts, by a clock that nobody sets. A last line without an end is left out: its numbers
// may be cut off.
func ReadLog(name string, in io.Reader) (Run, error) {
	r := Run{Target: name, Source: Log}
	lines := bufio.NewScanner(in)
	var first, last, steps, same int
	whole := true
	lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if atEOF && len(data) > 0 && bytes.IndexByte(data, '\n') < 0 {
			whole = false
		}
		return bufio.ScanLines(data, atEOF)
	})
	for n := 1; lines.Scan(); n++ {
		if !whole {
			r.Unfinished = n
			break
		}
		m := reported.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		second, err := strconv.Atoi(m[3])
		if err != nil {
			return r, fmt.Errorf("line %d: %w", n, err)
		}
		if len(r.Seconds) == 0 {
			first, r.Relative = second, m[2] == ""
		}
		if len(r.Seconds) > 0 && second < last {
			return r, fmt.Errorf("line %d: second %d after second %d: more than one run of sysbench, or several interleaved", n, second, last)
		}
		if len(r.Seconds) > 0 && second == last {
			// After a line that came late, another one may round to the same second.
			if same++; same > len(r.Seconds)/mostSame+1 {
				return r, fmt.Errorf("line %d: second %d twice: more than one run of sysbench, or several interleaved", n, second)
			}
			continue
		}
		if len(r.Seconds) > 0 && second == last+1 {
			steps++
		}
		if len(r.Seconds) == int(Longest/time.Second) {
			return r, fmt.Errorf("more than %d seconds", len(r.Seconds))
		}
		last = second
		elapsed := time.Duration(second-first) * time.Second
		s := NewSecond(time.Time{}.Add(elapsed), elapsed)
		if !r.Relative {
			if s.At, err = clock(m[1], m[2], elapsed, r.Seconds); err != nil {
				return r, fmt.Errorf("line %d: %w", n, err)
			}
		}
		for i, to := range []*document.Number{&s.TPS, &s.QPS, &s.Errors} {
			v, err := strconv.ParseFloat(m[4+i], 64)
			if err != nil {
				return r, fmt.Errorf("line %d: %w", n, err)
			}
			*to = document.Number(v)
		}
		r.Seconds = append(r.Seconds, s)
	}
	if err := lines.Err(); err != nil {
		return r, err
	}
	switch n := len(r.Seconds); {
	case n < 2:
		return r, errors.New("there are no lines of sysbench in it, as --report-interval=1 prints them each second")
	case 2*steps < n-1: // where lines are missing, most others are a second apart all the same
		return r, errors.New("less than half of its lines are a second apart: it takes one each second, as sysbench prints with --report-interval=1")
	}
	return r, nil
}

// clock is the time of a line. Without a date it is of the day that makes it come next to where
// the clock would be that went on since the line before: logs go over midnight, have gaps of
// hours, and clocks are set.
func clock(date, clock string, elapsed time.Duration, before []Second) (time.Time, error) {
	if clock == "" {
		return time.Time{}, errors.New("a line without a time, after lines that have one")
	}
	if date != "" {
		return time.ParseInLocation(time.DateTime, date+" "+clock, time.Local)
	}
	t, err := time.Parse(time.TimeOnly, clock)
	if err != nil {
		return t, err
	}
	at := time.Time{}.Add(t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)))
	if len(before) > 0 {
		last := &before[len(before)-1]
		const day = 24 * time.Hour
		at = at.Add(last.At.Add(elapsed - last.Elapsed).Sub(at).Round(day))
	}
	return at, nil
}

// mostSame bounds lines of the same second: one in so many.
const mostSame = 10
