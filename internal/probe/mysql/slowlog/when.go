package slowlog

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// What the times of an entry are depends on the server that wrote them:
//
//   - "# Time" of MySQL and Percona is when the statement had ended. SET timestamp is
//     that, too, and since MySQL 8.0.14 when it began (WL#12393).
//   - MariaDB writes the same time in both. Until 10.6 sql/log.cc adds the query time
//     to the begin; 10.11.19 and 11.8.9 write the begin, as SELECT SLEEP(3) shows.
//
// Since entries are written when statements have ended, their order tells, too (Order).
type writer struct {
	maria   bool
	version [3]int // zeros: not known
}

// versionOf reads the version of a server: "10.11.19-MariaDB-0+deb12u1-log", "8.0.43".
func versionOf(s string) (w writer) {
	w.maria = strings.Contains(s, "MariaDB")
	s = strings.TrimPrefix(s, "5.5.5-")
	if m := versionForm.FindStringSubmatch(s); m != nil {
		for i := range w.version {
			w.version[i], _ = strconv.Atoi(m[i+1]) // at most four digits
		}
	}
	return w
}

var (
	versionForm = regexp.MustCompile(`^(\d{1,4})\.(\d{1,4})\.(\d{1,4})`)
	versionWord = []byte(", Version: ")
)

// bannerVersion is the writer that a line of a banner names.
func bannerVersion(line []byte) (w writer, ok bool) {
	_, rest, ok := bytes.Cut(line, versionWord)
	if !ok {
		return w, false
	}
	return versionOf(string(rest[:min(len(rest), 256)])), true
}

func (w *writer) atLeast(major, minor, patch int) bool {
	for i, n := range [...]int{major, minor, patch} {
		if w.version[i] != n {
			return w.version[i] > n
		}
	}
	return true
}

// begins says whether a time is when the statement began. clock says that it is that of
// "# Time", not SET timestamp.
func (w *writer) begins(clock bool) bool {
	if w.maria {
		return w.version == [3]int{} || w.atLeast(10, 11, 0)
	}
	return !clock && w.atLeast(8, 0, 14)
}

// ended makes the time of an entry that when the statement had ended.
func (e *Entry) ended(w *writer, clock bool) {
	if e.Logged.IsZero() {
		return
	}
	e.Maria = w.maria
	if e.Shifted = w.begins(clock) && e.Took > 0; e.Shifted {
		e.Logged = e.Logged.Add(e.Took)
	}
}

// slack is how far the times of entries, which have full seconds, may be off.
const slack = 2 * time.Second

// Order is what the order of the entries of a log says about their times: it is that
// in which statements ended.
type Order struct {
	end, begin time.Time // the latest so far, if times are those of ends, or of begins
	against    [2]int    // entries that stand too late for times of ends, and for those of begins
}

// Add takes the next entry. Only those of MariaDB are in doubt.
func (o *Order) Add(e *Entry) {
	if !e.Maria || e.Took < 0 || e.Logged.IsZero() {
		return
	}
	logged := e.Logged
	if e.Shifted {
		logged = logged.Add(-e.Took)
	}
	for i, x := range []struct {
		latest *time.Time
		at     time.Time
	}{{&o.end, logged}, {&o.begin, logged.Add(e.Took)}} {
		if x.at.Before(x.latest.Add(-slack)) {
			o.against[i]++
		}
		if x.at.After(*x.latest) {
			*x.latest = x.at
		}
	}
}

// Begins says whether times are those of begins; ok is false if the order does not tell.
func (o *Order) Begins() (begins, ok bool) {
	ends, begun := o.against[0], o.against[1]
	return ends > begun, ends != begun && min(ends, begun)*10 <= max(ends, begun)
}

// Settle makes the time of an entry fit what the order says.
func (o *Order) Settle(e *Entry) {
	begins, ok := o.Begins()
	if !ok || !e.Maria || e.Took <= 0 || e.Shifted == begins {
		return
	}
	if e.Shifted = begins; begins {
		e.Logged = e.Logged.Add(e.Took)
	} else {
		e.Logged = e.Logged.Add(-e.Took)
	}
}
