package imported

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// told is what one file tells: reports of a tool in the order of their times.
type told struct {
	tool    string // "iostat"
	file    string
	host    recording.Host // as far as the text says
	dated   bool           // reports have times
	clock   Clock          // what is known of these
	written time.Time      // when the file was, where the clock is a TimeOfDay or it lies in an archive
	reports []report
	whole   *recording.Recording // copies of files of /proc, in place of reports
	trees   []*tree              // of which whole is made
	things  int                  // of all trees that are answers, for maxAllThings
	cpus    cpuSum               // of the trees of which rows were made, where these are answers
	once    bool                 // there is one tree
	look    *told                // one tree of another time, beside the reports
	logs    *kernelLogs          // beside them; nil: none
	started time.Time            // when the host was, by copies of /proc/stat that pt-stalk made; zero: nothing tells
	rates   bool                 // one tree is not enough
	mysql   *answers             // of MySQL, of which whole is made
	notes   []string
}

// Clock is what is known of the times of reports, what is known best first.
type Clock int

const (
	Exact     Clock = iota // they tell their time zone, or count from 1970
	Local                  // they are taken as local: of which zone they are nothing says
	TimeOfDay              // so they are, and the day is that of files beside, or that on which the file was written
	Untold                 // there are none: the last report is taken to be as old as its file
)

// Held is the time that reports tell of.
type Held struct {
	recording.Window
	Clock Clock // the best of them: all are of one time
	// Look is what one look at the host at another time shows, which lay beside them; nil: there is none.
	Look *recording.Recording
}

// report is what a tool says of one interval.
type report struct {
	at     time.Time // its end; zero: not told
	began  time.Time // its beginning; zero: the end of the report before
	gap    bool      // what was counted before says nothing of it: the host was started in between
	boot   bool      // it is the first after a banner: iostat tells there of the time since the host was started
	base   bool      // it tells of the time since the host was started: the next one begins at its end
	tables []table
}

// table is a header with the lines below it.
type table struct {
	header *header
	rows   []row
}

// row is one line of numbers, about what its key names.
type row struct {
	key    string // CPU, device, interface or PID
	name   string // command
	state  string // of a process
	values []float64
}

// header is the names of columns.
type header struct {
	names []string
	key   int // column with the key; -1: the whole host
}

// keyColumns name what a line is about.
var keyColumns = []string{"PID", "CPU", "Device", "DEV", "IFACE"}

// wordColumns hold no number.
var wordColumns = []string{"PID", "CPU", "Device", "DEV", "IFACE", "UID", "USER", "TGID", "TID", "Command", "COMMAND", "S", "PR", "NI", "TIME+", "VIRT", "RES", "SHR"}

func newHeader(names []string) *header {
	h := &header{names: slices.Clone(names), key: -1}
	for i, n := range h.names {
		h.names[i] = strings.Clone(strings.TrimSuffix(n, ":"))
	}
	for _, k := range keyColumns {
		if h.key = slices.Index(h.names, k); h.key >= 0 {
			break
		}
	}
	return h
}

func (h *header) is(other *header) bool { return other != nil && slices.Equal(h.names, other.names) }

func (h *header) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(h.names, n) })
}

// get is the number in the first of some columns that tells one; view.Unknown without.
func (h *header) get(r row, names ...string) float64 {
	for _, n := range names {
		if i := slices.Index(h.names, n); i >= 0 && i < len(r.values) && view.Known(r.values[i]) {
			return r.values[i]
		}
	}
	return view.Unknown
}

// row reads a line below the header; false: it does not fit.
func (h *header) row(words []string) (r row, ok bool) {
	command := -1
	if last := len(h.names) - 1; last >= 0 && strings.EqualFold(h.names[last], "command") {
		command = last
	}
	if len(words) < len(h.names) || command < 0 && len(words) > len(h.names) {
		return r, false
	}
	r.values = make([]float64, len(h.names))
	for i, name := range h.names {
		r.values[i] = view.Unknown
		switch {
		case i == command:
			r.name = comm(words[i])
		case i == h.key:
			r.key = strings.Clone(words[i])
		case name == "S":
			r.state = strings.Clone(words[i][:min(len(words[i]), 1)])
		case slices.Contains(wordColumns, name):
			if n, ok := size(words[i]); ok {
				r.values[i] = n
			}
		default:
			n, ok := number(words[i])
			if !ok || view.Known(n) && n > most(name) {
				return r, false
			}
			r.values[i] = n
		}
	}
	return r, len(r.key) <= maxKey
}

// most is more than a column ever shows, unless a counter of the kernel went back and the
// tool took that for a huge step.
func most(column string) float64 {
	switch {
	case strings.HasPrefix(column, "%"):
		return 1e6 // of 10,000 CPUs
	case strings.HasSuffix(column, "await"), column == "aqu-sz", column == "avgqu-sz":
		return 1e9
	}
	return 1e14
}

// maxKey bounds names of devices.
const maxKey = 64

// comm is the name of a program in a command line, as short as the kernel has it: arguments
// may hold secrets.
func comm(command string) string {
	if kernelThread(command) { // "kworker/0:1" is no path
		return strings.ToValidUTF8(strings.Clone(command[:min(len(command), 24)]), "")
	}
	command = command[strings.LastIndexByte(strings.TrimRight(command, "/"), '/')+1:]
	return strings.ToValidUTF8(strings.Clone(command[:min(len(command), 15)]), "")
}

// maxNumber is more than any counter of a report.
const maxNumber = 1e18

// number reads a number that is not negative, with a decimal point or comma. No tool groups
// digits. "-" and the -1 of pidstat stand for what is not known.
func number(s string) (float64, bool) {
	if s == "-" || s == "-1.00" || s == "-1,00" {
		return view.Unknown, true
	}
	if strings.Count(s, ",")+strings.Count(s, ".") > 1 {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	return n, err == nil && n >= 0 && n <= maxNumber && !strings.ContainsAny(s, "xXpP_")
}

// size reads a number of KiB as top prints it, "12.3g"; without a letter it is a number.
func size(s string) (float64, bool) {
	if s == "" {
		return 0, false
	}
	factor := 1.0
	if i := strings.IndexByte("kmgtpe", s[len(s)-1]|0x20); i >= 0 {
		factor, s = math.Pow(1024, float64(i)), s[:len(s)-1]
	}
	n, ok := number(s)
	return n * factor, ok
}

// kernelThread says of a name that none but a thread of the kernel has it.
func kernelThread(name string) bool {
	return slices.ContainsFunc([]string{"ksoftirqd/", "kworker/", "kswapd", "migration/", "rcu_", "kcompactd", "khugepaged", "kthreadd", "jbd2/", "irq/", "kdamond", "cpuhp/", "ksmd", "kblockd", "xfsaild/"},
		func(p string) bool { return strings.HasPrefix(name, p) })
}
