package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/mysqlview"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// Facts is the evidence an audit rests on: counters over the window, gauges,
// sessions, and the host if the server runs on it.
type Facts struct {
	Window float64 // seconds between looks that were answered
	Silent string  // when and how the server stopped answering; "" if it did not
	Memory float64 // bytes of the server's host; NaN: it runs elsewhere
	Data   float64 // bytes of tables and indexes, of the largest tables; NaN: not read
	CPUs   int     // of the host; 0: it runs elsewhere

	// Unseen is what the probe could not read, with what helps: of that nothing is
	// known, for or against a setting.
	Unseen []string

	server *view.MySQLServer
	usual  defaults
	states []view.MySQLState
	looks  int // at the process list
	pool   []view.MySQLPoolGroup
	errors []view.MySQLErrorRate
	lag    time.Duration // of the worst replication channel; Unknown
	oldest time.Duration // age of the oldest transaction at the last look

	sessions   [][]recording.MySQLSession // by look
	clients    []recording.MySQLClient
	latchLooks [][]recording.MySQLLatch
	busy       view.CPUShare
	host       bool // busy is known
}

func factsOf(v *view.View, s *view.MySQLServer) *Facts {
	f := &Facts{server: s, usual: defaultsFor(s), Memory: math.NaN(), Data: math.NaN(), lag: recording.Unknown}
	f.Window, f.Silent = answered(s.Looks)
	f.states, f.looks = v.StatesOf(s.Server)
	f.pool = v.PoolGroupsOf(s.Server)
	f.errors = v.ErrorsOf(s.Server)
	f.sessions, f.clients, f.latchLooks = v.SessionsOf(s.Server), v.ClientsOf(s.Server), v.LatchesOf(s.Server)
	if open := v.TransactionsOf(s.Server); len(open) > 0 {
		for _, t := range open[len(open)-1] {
			f.oldest = max(f.oldest, t.Age)
		}
	}
	if s.PID > 0 {
		if m := v.Manifest().Host.MemoryBytes; m > 0 {
			f.Memory = float64(m)
		}
		f.CPUs = v.CPUCount()
		f.busy, f.host = v.CPUTotal()
	}
	tables := map[[2]string]float64{}
	for _, r := range view.Rows[recording.MySQLTable](v) {
		if r.Server == s.Server && r.Data >= 0 {
			tables[[2]string{r.Schema, r.Name}] = float64(r.Data + max(r.Index, 0))
		}
	}
	if len(tables) > 0 {
		f.Data = 0
		for _, bytes := range tables {
			f.Data += bytes
		}
	}
	for _, u := range view.Rows[recording.UnseenNote](v) {
		if note := mysqlview.NotSeen(&u); u.Probe == "mysql" && !slices.Contains(f.Unseen, note) {
			f.Unseen = append(f.Unseen, note)
		}
	}
	for _, r := range v.ReplicasOf(s.Server) {
		f.lag = max(f.lag, r.Lag)
	}
	return f
}

// answered is for how many seconds a server answered, and from when on it did
// not: evidence is of that time only.
func answered(looks []recording.MySQLServer) (seconds float64, silent string) {
	answers := func(l *recording.MySQLServer) bool {
		return l.State == recording.ServerAnswers || l.State == recording.ServerSlow
	}
	before, back := -1, false
	for i := range looks {
		l := &looks[i]
		switch {
		case !answers(l) && silent == "":
			silent = fmt.Sprintf("from %v on the server did not answer (%s)", unit.Clock(l.At), strings.TrimSuffix(l.State+": "+escape.Line(l.Error), ": "))
		case !answers(l):
			back = false
		default:
			if i > 0 && before == i-1 {
				seconds += l.At.Sub(looks[before].At).Seconds()
			}
			before, back = i, silent != ""
		}
	}
	if back {
		silent += "; at the end it answered again"
	}
	return seconds, silent
}

// more is where a value is raised to: to the default where twice the value is
// less, as it is of 0.
func (f *Facts) more(name string, value int64, unit Unit) string {
	if d := f.usual.of(name); d.Known {
		if n, ok := Value(d.Value).Int(); ok && 2*value < n {
			return unit.show(d.Value) + ", the default"
		}
	}
	if value <= 0 {
		return "the default of this version"
	}
	return "twice as much"
}

// rate is a counter's growth a second in the window, 0 when that is not known:
// without evidence nothing is recommended.
func (f *Facts) rate(name string) float64 {
	r := f.server.Rate(name)
	if math.IsNaN(r) {
		return 0
	}
	return r
}

// grown is how much a counter grew in the window; 0 when that is not known.
func (f *Facts) grown(name string) float64 {
	d, _ := f.server.Delta(name)
	return d
}

// gauge is the largest reading in the window, and whether there is one.
func (f *Facts) gauge(name string) (most float64, ok bool) {
	_, most, _, ok = f.server.Gauge(name)
	return most, ok
}

// since is the last reading of a counter: its growth since the server began.
func (f *Facts) since(name string) float64 {
	_, _, last, ok := f.server.Gauge(name)
	if !ok {
		return 0
	}
	return last
}

// int is another setting.
func (f *Facts) int(names ...string) (int64, bool) {
	for _, name := range names {
		if n, ok := f.server.IntVariable(name); ok {
			return n, true
		}
	}
	return 0, false
}

// on says that another setting is a switch that is on.
func (f *Facts) on(name string) bool {
	on, ok := f.server.Switched(name)
	return on && ok
}

// waiting is how many sessions a look found in a state, on average; state is
// in lower case.
func (f *Facts) waiting(state string) float64 {
	sum := 0.0
	for _, s := range f.states {
		if strings.Contains(strings.ToLower(s.State), state) && f.looks > 0 {
			sum += s.Mean * float64(s.Looks) / float64(f.looks)
		}
	}
	return sum
}

// dynamic says whether a setting whose kind depends on the version can be
// changed while the server runs. Sources: the manuals' tables of variables.
func (f *Facts) dynamic(name string) bool {
	s := f.server
	switch name {
	case "innodb_buffer_pool_size":
		return s.MariaDB() || s.AtLeast(5, 7, 5)
	case "innodb_log_file_size":
		return s.MariaDB() && s.AtLeast(10, 9)
	case "innodb_log_buffer_size":
		return !s.MariaDB() && s.AtLeast(8, 0, 11)
	case "innodb_purge_threads":
		return s.MariaDB() && s.AtLeast(10, 5, 2)
	case "innodb_open_files":
		return !s.MariaDB() && s.AtLeast(8, 0, 28)
	case "innodb_read_io_threads", "innodb_write_io_threads":
		return s.MariaDB() && s.AtLeast(10, 11)
	case "thread_pool_size":
		return s.MariaDB() || s.Flavor == "Percona"
	}
	return false
}

// notes say what the audit could not see.
func (f *Facts) notes() []string {
	var list []string
	if math.IsNaN(f.Memory) {
		list = append(list, "the server's host was not seen: nothing is said about sizes against its memory")
	}
	if math.IsNaN(f.Data) {
		list = append(list, "the sizes of tables were not read: the buffer pool was not compared with them")
	}
	if f.Silent != "" {
		list = append(list, f.Silent+": the evidence is of the time in which it did")
	}
	if f.Window < 5 {
		list = append(list, "rates rest on "+unit.Seconds(f.Window).String()+": watch for longer during the symptom (--for 30s)")
	}
	return append(list, f.Unseen...)
}

// times is "5,379 in 10 s".
func (f *Facts) times(n float64) string {
	return unit.Count(n).String() + " in " + unit.Seconds(math.Round(f.Window*10)/10).String()
}
