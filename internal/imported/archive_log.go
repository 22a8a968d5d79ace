package imported

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/probe/klog"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

const (
	maxLogs     = 8         // files of an archive
	maxLogFile  = 512 << 20 // bytes of one; sos cuts off what is more than 100 MB by default
	maxLogLines = 10_000    // of a file: the newest ones, up to twice as many
	maxLogText  = 1 << 10   // bytes of a line; the kernel prints at most about as many
	perLogLine  = 64        // bytes that one takes besides its text

	// quietLog is how long a journal that is written has no line: the timer of sysstat, which made the
	// reports, logs one every ten minutes.
	quietLog = 15 * time.Minute

	// recentLog is how long before the reports lines are kept: what is told of kills that were just before.
	recentLog = 5 * time.Minute
	// logProbe is the source of these rows.
	logProbe = "kernel log"
)

// logForm is how a file of the kernel log tells times, what is best first.
type logForm int

const (
	ofJournal logForm = iota // journalctl: by the clock of the host, without the year
	ofClock                  // dmesg -T: by that clock, as far as the kernel's own runs like it
	ofBoot                   // dmesg: since the host was started, by the kernel's own
)

// logFiles are those of a sosreport, as sos 3 and 4 name them. What syslog writes is not among them: programs
// can write to it in the name of the kernel.
var logFiles = map[string]logForm{
	"sos_commands/logs/journalctl_--no-pager":                  ofJournal,
	"sos_commands/logs/journalctl_--no-pager_--boot":           ofJournal,
	"sos_commands/logs/journalctl_--no-pager_--catalog_--boot": ofJournal,
	"sos_commands/kernel/dmesg_-T":                             ofClock,
	"sos_commands/kernel/dmesg":                                ofBoot,
}

// logFormOf says whether a name in an archive is that of such a file.
func logFormOf(name string) (logForm, bool) {
	name = path.Clean("/" + name)
	// Of output that has no room sos keeps the end, beside a link.
	if tailed, ok := strings.CutSuffix(name, ".tailed"); ok {
		if at := strings.LastIndex(tailed, "/sos_strings/"); at >= 0 {
			name = "/sos_commands/" + tailed[at+len("/sos_strings/"):]
		}
	}
	form, ok := logFiles[name[strings.LastIndex(name, "/sos_commands/")+1:]]
	return form, ok
}

// kernelLogs are what an archive holds of the kernel log.
type kernelLogs struct {
	archive string
	folder  string    // the one in which the reports lie, as folderOf tells
	boot    time.Time // when the host was started; zero: nothing tells
	until   time.Time // when its files were written, which are older than all reports; zero: they may be younger
	files   []*logFile
}

// when is the time of a line of a file. The kernel's own clock may be ahead of that of the host, and no line is younger
// than its file.
func (l *kernelLogs) when(f *logFile, m logMoment) time.Time {
	at := f.when(m, l.boot)
	if !l.until.IsZero() && at.After(l.until) {
		return l.until
	}
	return at
}

// logFile is one file of it.
type logFile struct {
	name    string
	form    logForm
	host    string // short, as the last lines of the kernel tell; "": none does
	written time.Time
	lines   []logLine // of the kernel, the newest ones
	first   logMoment // from which on all lines are there
	last    logMoment
	leap    *leap // the last time that its clock leapt; nil: it did not
	begun   bool
	seen    bool // there is a line of the kernel: without ReadKMsg, as in containers, journald writes none
	cut     bool // the archive does not have its end
}

// logMoment is the time of a line as it is told: of the journal in the year 0, since the start of the host since
// 1970.
type logMoment struct {
	at    time.Time
	years int // how many years ended before it in the file
}

// leap is where the times of a journal leap by more than aDay: at the end of a year, after a pause, or as the clock of
// the host was wrong from its start until it was set.
type leap struct{ before, after logMoment }

const aDay = 24 * time.Hour

// logLine is a line of the kernel.
type logLine struct {
	logMoment
	text string
}

// take reads a file of the log.
func (l *kernelLogs) take(memory *budget.Budget, h *tar.Header, in io.Reader) error {
	form, ok := logFormOf(h.Name)
	if !ok || len(l.files) == maxLogs || h.Size > maxLogFile || !sane(h.ModTime) {
		return nil
	}
	f := &logFile{name: path.Clean("/" + h.Name), form: form, written: h.ModTime}
	if err := f.read(memory, in); err != nil {
		return err
	}
	// A journal that ended long before it was copied may be of any year.
	if f.begun && f.seen && (form != ofJournal || f.written.Sub(f.when(f.last, time.Time{})) < 2*zonesApart) {
		l.files = append(l.files, f)
	}
	return nil
}

// read takes all lines of the file. An error is that of an archive which is no collection.
func (f *logFile) read(memory *budget.Budget, in io.Reader) error {
	lines := bufio.NewReaderSize(in, maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		f.line(memory, bytes.TrimRight(line, "\r\n"))
		for errors.Is(err, bufio.ErrBufferFull) { // no line of the kernel is that long
			_, err = lines.ReadSlice('\n')
		}
		if errors.Is(err, errBomb) {
			return err
		}
		if err != nil {
			f.cut = !errors.Is(err, io.EOF) // which Next says
			return nil
		}
	}
}

// line takes a line of the file.
func (f *logFile) line(memory *budget.Budget, line []byte) {
	at, host, text, ok := f.form.parse(line)
	if !ok {
		return
	}
	if name := shortName(string(host[:min(len(host), maxKey)])); len(text) > 0 && name != "" {
		f.host = name
	}
	now := logMoment{at: at, years: f.last.years}
	if f.form == ofJournal && f.begun && at.Sub(f.last.at).Abs() > aDay {
		now = f.leapt(memory, now)
	}
	if f.last = now; !f.begun {
		f.begun, f.first = true, now
	}
	if len(text) > 0 {
		f.seen = true
		f.keep(memory, logLine{now, string(text[:min(len(text), maxLogText)])})
	}
}

// leapt is a moment to which the times leap. If they leap back, a year ended: a clock is set back by less than a day,
// or nothing is known of its years. But if they leapt away less than a day before, and now come back to where they
// were, the clock was wrong in between: of what the kernel wrote there no time is known.
func (f *logFile) leapt(memory *budget.Budget, now logMoment) logMoment {
	if l := f.leap; l != nil && f.last.at.Sub(l.after.at).Abs() < aDay {
		if away := now.at.Sub(l.before.at); away >= 0 && away < 2*aDay {
			now.years = l.before.years
			n := len(f.lines)
			for n > 0 && (f.lines[n-1].years > now.years || f.lines[n-1].at.Sub(l.after.at).Abs() < aDay) {
				n--
				memory.Give(int64(perLogLine + len(f.lines[n].text)))
			}
			f.lines, f.first, f.leap = slices.Delete(f.lines, n, len(f.lines)), now, nil
			return now
		}
	}
	if now.at.Before(f.last.at) {
		now.years++
	}
	f.leap = &leap{f.last, now}
	return now
}

// keep adds a line. Where there is no room for it, what was before it is forgotten.
func (f *logFile) keep(memory *budget.Budget, l logLine) {
	if len(f.lines) == 2*maxLogLines {
		f.forget(memory, maxLogLines)
	}
	if size := int64(perLogLine + len(l.text)); !memory.Take(size) {
		if f.forget(memory, len(f.lines)); !memory.Take(size) {
			f.first = l.logMoment
			return
		}
	}
	f.lines = append(f.lines, l)
}

// forget drops the first n lines.
func (f *logFile) forget(memory *budget.Budget, n int) {
	for _, l := range f.lines[:n] {
		memory.Give(int64(perLogLine + len(l.text)))
		f.first = l.logMoment
	}
	f.lines = slices.Delete(f.lines, 0, n)
}

// stampOfJournal and stampOfClock are how journalctl and dmesg -T print times.
const (
	stampOfJournal = "Jan _2 15:04:05"
	stampOfClock   = "Mon Jan _2 15:04:05 2006"
)

// callerOf is the thread or CPU that kernels with CONFIG_PRINTK_CALLER print: "[    T1] ".
var callerOf = regexp.MustCompile(`^\[ *[TC]\d{1,7}\] `)

// parse reads the time of a line, and its host, if that is told, and its text if it is the kernel's.
//
//	Jan 02 10:00:00 db1 kernel: Out of memory: Killed process 77 (java) ...
//	[Fri Jan  2 10:00:00 2026] Out of memory: Killed process 77 (java) ...
//	[12345.678901] Out of memory: Killed process 77 (java) ...
func (f logForm) parse(line []byte) (at time.Time, host, text []byte, ok bool) {
	if f == ofJournal {
		n := len(stampOfJournal)
		if len(line) <= n || line[n] != ' ' {
			return at, nil, nil, false
		}
		at, err := time.Parse(stampOfJournal, string(line[:n]))
		if err != nil {
			return at, nil, nil, false
		}
		// The PID of a program stands behind its name: "kernel[77]: " is none.
		host, message, _ := bytes.Cut(line[n+1:], []byte{' '})
		if text, ok := bytes.CutPrefix(message, []byte("kernel: ")); ok {
			return at, host, text, true
		}
		return at, nil, nil, true
	}
	stamp, text, _ := bytes.Cut(line, []byte{']'})
	if stamp, ok = bytes.CutPrefix(stamp, []byte{'['}); !ok || len(stamp) > 40 {
		return at, nil, nil, false
	}
	text = bytes.TrimPrefix(text, []byte{' '})
	text = text[len(callerOf.Find(text)):]
	if f == ofClock {
		at, err := time.ParseInLocation(stampOfClock, string(stamp), time.Local)
		return at, nil, text, err == nil && sane(at)
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(stamp)), 64)
	if err != nil || !(seconds >= 0 && seconds < 1e9) {
		return at, nil, nil, false
	}
	return time.Unix(0, int64(seconds*float64(time.Second))), nil, text, true
}

// when is the time of a line of the file.
func (f *logFile) when(m logMoment, boot time.Time) time.Time {
	switch f.form {
	case ofClock:
		return m.at
	case ofBoot:
		return boot.Add(m.at.Sub(time.Unix(0, 0)))
	}
	in := func(year int, at time.Time) time.Time {
		return time.Date(year, at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.Local)
	}
	year := f.written.Local().Year() + 1
	for year > f.written.Local().Year()-1 && in(year, f.last.at).After(f.written.Add(zonesApart)) {
		year--
	}
	return in(year-(f.last.years-m.years), m.at)
}

// folderOf is the folder of an archive in which a file of a collection lies: that of a sosreport.
func folderOf(name string) string {
	name = path.Clean("/" + name)
	if at := max(strings.LastIndex(name, "/sos_commands/"), strings.LastIndex(name, "/sos_strings/"), strings.LastIndex(name, "/var/log/")); at >= 0 {
		return name[:at]
	}
	return strings.TrimSuffix(path.Dir(name), "/")
}

// shortName is the name of a host as the journal has it, without its domain; "": it says nothing, as before
// the name is set.
func shortName(host string) string {
	if host, _, _ = strings.Cut(strings.ToValidUTF8(host, "?"), "."); host == "localhost" {
		return ""
	}
	return host
}

// stranger says why a file is not of the host of the reports; "": it is. What dmesg prints has no name.
func (l *kernelLogs) stranger(f *logFile, host string) string {
	switch name := shortName(host); {
	case f.host != "" && name != "" && !strings.EqualFold(f.host, name):
		return fmt.Sprintf("%s is of host %.80q, the reports are of %.80q", f.name, f.host, name)
	case (f.host == "" || name == "") && folderOf(f.name) != l.folder:
		return f.name + " lies in another folder than the reports, and does not tell of which host it is"
	}
	return ""
}

// leftOut is why no file of the log can be put beside reports with such a clock.
var leftOut = map[Clock]string{
	Exact:     "it does not tell its time zone, or not when the host was started",
	Local:     "it counts from the start of the host, and the reports do not tell their time zone",
	TimeOfDay: "the reports do not tell their day",
	Untold:    "the reports have no times",
}

// ended says that a file tells nothing of the end of a time, and when it ends: journald may have been stopped. What
// dmesg prints is of the time at which it was written.
func (l *kernelLogs) ended(f *logFile, to time.Time) (at time.Time, ended bool) {
	at = l.when(f, f.last)
	return at, f.cut && at.Before(to) || f.form == ofJournal && at.Before(to.Add(-quietLog))
}

// better says that one file tells more than another one: the end of a time, in a better form, an earlier beginning.
func (l *kernelLogs) better(f, than *logFile, to time.Time) bool {
	_, ended := l.ended(f, to)
	if _, other := l.ended(than, to); ended != other {
		return other
	}
	return f.form < than.form || f.form == than.form && l.when(f, f.first).Before(l.when(than, than.first))
}

// best is the file whose times are those of reports of a host with such a clock, and that tells most of the time
// up to some moment. nil: there is none, and why.
func (l *kernelLogs) best(clock Clock, host string, to time.Time) (best *logFile, why string) {
	for _, f := range l.files {
		stranger := l.stranger(f, host)
		switch {
		case clock == Exact && (f.form != ofBoot || l.boot.IsZero()), clock == Local && f.form == ofBoot, clock > Local:
			why = cmp.Or(why, leftOut[clock])
		case stranger != "":
			why = stranger
		case best == nil, l.better(f, best, to):
			best = f
		}
	}
	return best, why
}

// kernelLog makes rows of the lines of the kernel log beside reports that are of their time. The note says what
// was read, or why nothing was.
func (t *told) kernelLog(w *recording.Writer, held recording.Window) (rows bool, note string) {
	l := t.logs
	if l == nil {
		return false, ""
	}
	f, why := l.best(t.clock, t.host.Name, held.To)
	if f == nil {
		return false, fmt.Sprintf("%s: the kernel log in it is left out: %s", l.archive, why)
	}
	var list []recording.KernelLogLine
	for i, line := range f.lines {
		logged := l.when(f, line.logMoment)
		if logged.Before(held.From.Add(-recentLog)) || logged.After(held.To) {
			continue
		}
		row := recording.KernelLogLine{At: logged, Logged: logged, Sequence: uint64(i + 1), Text: klog.Text(line.text)}
		if logged.Before(held.From) {
			row.At = held.From
		}
		list = append(list, row)
	}
	slices.SortStableFunc(list, func(a, b recording.KernelLogLine) int { return cmp.Or(a.At.Compare(b.At), a.Logged.Compare(b.Logged)) })
	recording.Append(w, list...)
	recording.Append(w, recording.ProbeRun{At: held.From, Probe: logProbe, Rows: int64(len(list))})
	begins := l.when(f, f.first)
	t.unseenLog(w, held, fmt.Sprintf("%s begins at %v", f.name, unit.Moment(begins)), func(at time.Time) bool { return at.Before(begins) })
	if ends, ended := l.ended(f, held.To); ended {
		t.unseenLog(w, held, fmt.Sprintf("%s ends at %v", f.name, unit.Moment(ends)), ends.Before)
	}
	of := "of the time of the reports"
	if !l.until.IsZero() {
		of = "of shortly before the reports"
	}
	note = fmt.Sprintf("%s: of the kernel log, %s, %s %s", l.archive, f.name, unit.Plural(len(list), "line is", "lines are"), of)
	if f.form != ofJournal {
		note += "; its times may be some minutes off, as the kernel's own clock is not set"
	}
	return true, note
}

// unseenLog says at reports of which the log does not tell, and where all begins, that its silence proves nothing.
func (t *told) unseenLog(w *recording.Writer, held recording.Window, why string, unseen func(at time.Time) bool) {
	note := recording.UnseenNote{At: held.From, Probe: logProbe, What: string(recording.UnseenKernelLog), Count: 1, Why: why}
	if unseen(held.From) || unseen(held.To) {
		recording.Append(w, note)
	}
	for i := range t.reports {
		if note.At = t.reports[i].at; note.At.After(held.From) && !note.At.After(held.To) && unseen(note.At) {
			recording.Append(w, note)
		}
	}
}
