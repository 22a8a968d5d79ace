package view

import (
	"math"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// MySQLServer is one MySQL, MariaDB or Percona server over the window. The
// embedded sample is the last look at it.
type MySQLServer struct {
	recording.MySQLServer
	Looks   []recording.MySQLServer // in order; every one that was tried
	Process *Process                // on this host; nil when it runs elsewhere or processes were not read
	// Packets is what a capture saw of the port it listens on; nil without one.
	Packets *PacketService

	entity    Entity
	status    map[string][]recording.MySQLStatus
	variables map[string]string
	innodb    []recording.MySQLInnoDB
}

// MySQLServers lists the servers that were asked, in the order of asking.
func (v *View) MySQLServers() []*MySQLServer {
	return Memo(v, "mysql servers", v.mysqlServers)
}

func (v *View) mysqlServers() []*MySQLServer {
	names, looks := Group(Rows[recording.MySQLServer](v), func(s recording.MySQLServer) string { return s.Server })
	byName := make(map[string]*MySQLServer, len(names))
	list := make([]*MySQLServer, 0, len(names))
	for _, name := range names {
		series := looks[name]
		s := &MySQLServer{MySQLServer: series[len(series)-1], Looks: series,
			status: map[string][]recording.MySQLStatus{}, variables: map[string]string{}}
		// A look that failed tells less than one before it that did not.
		for _, l := range series {
			if l.Flavor != "" {
				s.Flavor, s.Version = l.Flavor, l.Version
			}
			if l.PID > 0 {
				s.PID = l.PID
			}
			if l.Port > 0 {
				s.Port = l.Port
			}
		}
		if p, ok := v.Process(s.PID); ok && s.PID > 0 {
			s.Process = &p
		}
		s.Packets = v.packetsOfPort(s.Server, s.Port)
		s.entity = v.mysqlEntity(s)
		byName[name] = s
		list = append(list, s)
	}
	for _, r := range Rows[recording.MySQLStatus](v) {
		if s := byName[r.Server]; s != nil {
			key := strings.ToLower(r.Name)
			s.status[key] = append(s.status[key], r)
		}
	}
	for _, r := range Rows[recording.MySQLVariable](v) {
		if s := byName[r.Server]; s != nil {
			s.variables[r.Name] = r.Value
		}
	}
	for _, r := range Rows[recording.MySQLInnoDB](v) {
		if s := byName[r.Server]; s != nil {
			s.innodb = append(s.innodb, r)
		}
	}
	return list
}

// packetsOfPort finds the captured service of a server: the one that decodes
// as MySQL at its port, at its address if the address is known by number.
func (v *View) packetsOfPort(server string, port int32) *PacketService {
	host, _, _ := strings.Cut(server, ":")
	var found *PacketService
	for _, s := range v.PacketServices() {
		if s.Proto != "mysql" || int32(s.Port) != port {
			continue
		}
		if s.Server == host {
			return s
		}
		if found == nil {
			found = s
		}
	}
	return found
}

// Name is how a finding names the server: by process and PID where it runs
// here, by address otherwise.
func (s *MySQLServer) Name() string {
	if s.Process != nil {
		return s.Process.Comm
	}
	return "mysql " + s.Server
}

// Answered says whether any look got an answer.
func (s *MySQLServer) Answered() bool {
	for _, l := range s.Looks {
		if l.State == recording.ServerAnswers || l.State == recording.ServerSlow {
			return true
		}
	}
	return false
}

// Readings are those of a number of SHOW GLOBAL STATUS in the window, in order.
func (s *MySQLServer) Readings(name string) []recording.MySQLStatus {
	return s.status[strings.ToLower(name)]
}

// Delta is how much a counter of SHOW GLOBAL STATUS grew in the window. ok is
// false when it was not read twice. FLUSH STATUS and a restart count as resets.
func (s *MySQLServer) Delta(name string) (delta float64, ok bool) {
	return Delta(s.status[strings.ToLower(name)], func(r recording.MySQLStatus) float64 { return r.Value })
}

// Rate is Delta per second; NaN when it cannot be told.
func (s *MySQLServer) Rate(name string) float64 {
	series := s.status[strings.ToLower(name)]
	seconds := Elapsed(series).Seconds()
	delta, ok := s.Delta(name)
	if !ok || seconds <= 0 {
		return Unknown
	}
	return delta / seconds
}

// Growth is how much every number of SHOW GLOBAL STATUS grew in the window, by
// its name; those that go up and down are among them. seconds is between the first
// and the last reading, 0 without two.
func (s *MySQLServer) Growth() (delta map[string]float64, seconds float64) {
	delta = map[string]float64{}
	for _, series := range s.status {
		if d, ok := Delta(series, func(r recording.MySQLStatus) float64 { return r.Value }); ok {
			delta[series[0].Name] = d
			seconds = max(seconds, Elapsed(series).Seconds())
		}
	}
	return delta, seconds
}

// Gauge is a number of SHOW GLOBAL STATUS that goes up and down: its mean and
// its largest reading in the window, and the last one.
func (s *MySQLServer) Gauge(name string) (mean, most, last float64, ok bool) {
	series := s.status[strings.ToLower(name)]
	if len(series) == 0 {
		return 0, 0, 0, false
	}
	most = math.Inf(-1)
	for _, r := range series {
		mean += r.Value
		most = max(most, r.Value)
	}
	return mean / float64(len(series)), most, series[len(series)-1].Value, true
}

// Change is how much larger a number of SHOW GLOBAL STATUS that goes up and down
// was at the end of the window than at its beginning. ok is false when it was
// not read twice.
func (s *MySQLServer) Change(name string) (change float64, ok bool) {
	series := s.status[strings.ToLower(name)]
	if len(series) < 2 {
		return 0, false
	}
	return series[len(series)-1].Value - series[0].Value, true
}

// Variable is a setting as the server writes it; name in lower case.
func (s *MySQLServer) Variable(name string) (value string, ok bool) {
	value, ok = s.variables[name]
	return value, ok
}

// IntVariable is a setting that is a number.
func (s *MySQLServer) IntVariable(name string) (value int64, ok bool) {
	text, ok := s.variables[name]
	if !ok {
		return 0, false
	}
	value, err := strconv.ParseInt(text, 10, 64)
	return value, err == nil
}

// Switched says whether a setting is on, and whether that is known.
func (s *MySQLServer) Switched(name string) (on, ok bool) {
	switch text, known := s.variables[name]; strings.ToUpper(text) {
	case "ON", "1", "YES":
		return true, known
	case "OFF", "0", "NO":
		return false, known
	}
	return false, false
}

// InnoDB are the readings of SHOW ENGINE INNODB STATUS, in order.
func (s *MySQLServer) InnoDB() []recording.MySQLInnoDB { return s.innodb }

// MariaDB says whether it is one.
func (s *MySQLServer) MariaDB() bool { return s.Flavor == "MariaDB" }

// AtLeast compares the version: AtLeast(8, 0, 22).
func (s *MySQLServer) AtLeast(version ...int) bool {
	numbers := strings.FieldsFunc(s.Version, func(r rune) bool { return r == '.' || r == '-' })
	for i, want := range version {
		have := 0
		if i < len(numbers) {
			have, _ = strconv.Atoi(numbers[i])
		}
		if have != want {
			return have > want
		}
	}
	return true
}

// Commands are the statements a second the server ran, by Com_ counters:
// queries (selects) and transactions (inserts, updates, deletes), as orzdba
// and others define them. NaN when they cannot be told.
func (s *MySQLServer) Commands() (queries, writes float64) {
	return s.Rate("Com_select"), s.Rate("Com_insert") + s.Rate("Com_update") + s.Rate("Com_delete")
}

// Commits is how many transactions that wrote were committed per second, by COMMIT or by
// themselves, from the rates of counters by name.
func Commits(rate func(counter string) float64) float64 {
	explicit, writes := OrZero(rate("Com_commit")), 0.0
	for _, c := range []string{"Com_insert", "Com_update", "Com_delete", "Com_replace", "Com_insert_select"} {
		writes += OrZero(rate(c))
	}
	if explicit > 0 && OrZero(rate("Com_begin"))+OrZero(rate("Com_set_option")) >= explicit/2 {
		return min(explicit, max(writes, explicit/2))
	}
	return max(writes, explicit)
}

// HitShare is the share of page requests that InnoDB's buffer pool served
// without the disk; NaN without requests.
func (s *MySQLServer) HitShare() float64 {
	requests, ok := s.Delta("Innodb_buffer_pool_read_requests")
	reads, read := s.Delta("Innodb_buffer_pool_reads")
	if !ok || !read || requests <= 0 {
		return Unknown
	}
	return 1 - min(reads/requests, 1)
}

// OwnQueryTime is how long rtrail waited for its own queries, per second of
// the window.
func (s *MySQLServer) OwnQueryTime() (share float64, ok bool) {
	delta, ok := Delta(s.Looks, func(l recording.MySQLServer) time.Duration { return l.QueryTime })
	seconds := Elapsed(s.Looks).Seconds()
	if !ok || seconds <= 0 {
		return 0, false
	}
	return time.Duration(delta).Seconds() / seconds, true
}
