package diff

import (
	"math"

	"rtrail/internal/view"
)

// mysqlCounter is what MySQL servers count: the sum of counters of SHOW GLOBAL STATUS, or
// the largest of them where versions count the same under several names.
type mysqlCounter struct {
	*Quantity
	counters []string
	largest  bool
	scale    float64 // 0: 1
}

var mysqlCounters = []mysqlCounter{
	{Quantity: &Quantity{ID: "mysql.statements", Name: "statements", floor: 20, of: ofMySQL}, counters: []string{"Questions"}},
	{Quantity: &Quantity{ID: "mysql.rows-read", Name: "rows read by MySQL", floor: 1000, of: ofMySQL}, counters: []string{"Handler_read_first", "Handler_read_key", "Handler_read_last",
		"Handler_read_next", "Handler_read_prev", "Handler_read_rnd", "Handler_read_rnd_next"}},
	{Quantity: &Quantity{ID: "mysql.scans", Name: "selects that scan a table", floor: 5, of: ofMySQL}, counters: []string{"Select_scan"}},
	{Quantity: &Quantity{ID: "mysql.tmp-tables", Name: "temporary tables", floor: 5, of: ofMySQL}, counters: []string{"Created_tmp_tables"}},
	{Quantity: &Quantity{ID: "mysql.tmp-disk-tables", Name: "temporary tables on disk", floor: 1, of: ofMySQL}, counters: []string{"Created_tmp_disk_tables"}},
	{Quantity: &Quantity{ID: "mysql.fsyncs", Name: "fsyncs by InnoDB", floor: 5, of: ofMySQL}, counters: []string{"Innodb_data_fsyncs", "Innodb_os_log_fsyncs"}, largest: true},
	{Quantity: &Quantity{ID: "mysql.pool-reads", Name: "pages read from disk into the buffer pool", floor: 5, of: ofMySQL}, counters: []string{"Innodb_buffer_pool_reads"}},
	{Quantity: &Quantity{ID: "mysql.row-lock-waits", Name: "waits for row locks", floor: 1, of: ofMySQL}, counters: []string{"Innodb_row_lock_waits"}},
	{Quantity: &Quantity{ID: "mysql.row-lock-time", Name: "time waited for row locks", Unit: "s", floor: 0.02, of: ofMySQL}, counters: []string{"Innodb_row_lock_time"}, scale: 1e-3},
}

var commits = &Quantity{ID: "mysql.commits", Name: "committed transactions that wrote", floor: 5, of: ofMySQL}

var mysqlQuantities = func() (list []*Quantity) {
	for _, c := range mysqlCounters {
		list = append(list, c.Quantity)
	}
	return append(list, commits)
}()

// serversOf are the MySQL servers of a window: as it calls them, and in words that also
// fit another host.
func serversOf(v *view.View) map[string]string {
	list := map[string]string{}
	for _, s := range v.MySQLServers() {
		list[serverName(v, s)] = "MySQL"
	}
	return list
}

func serverName(v *view.View, s *view.MySQLServer) string { return v.KeyOf(s.Entity()).Name }

// mysql adds what MySQL servers counted in a part.
func (m *measured) mysql(i int, v *view.View) {
	for _, s := range v.MySQLServers() {
		who := m.servers[m.addresses()[s.Server]]
		if who == "" {
			continue
		}
		for _, c := range mysqlCounters {
			if n, ok := c.read(s); ok {
				m.add(i, c.Quantity, who, n)
				m.sources[ofMySQL] = true
			}
		}
		if n, ok := committed(s); ok {
			m.add(i, commits, who, n)
		}
	}
}

// addresses are the names of MySQL servers by their address.
func (m *measured) addresses() map[string]string {
	return view.Memo(m.whole, "diff/mysql servers", func() map[string]string {
		list := map[string]string{}
		for _, s := range m.whole.MySQLServers() {
			list[s.Server] = serverName(m.whole, s)
		}
		return list
	})
}

func (c *mysqlCounter) read(s *view.MySQLServer) (n float64, ok bool) {
	for _, counter := range c.counters {
		switch d, known := s.Delta(counter); {
		case known && c.largest:
			n, ok = max(n, d), true
		case known:
			n, ok = n+d, true
		}
	}
	if c.scale != 0 {
		n *= c.scale
	}
	return n, ok
}

// committed is how many transactions that wrote were committed.
func committed(s *view.MySQLServer) (n float64, ok bool) {
	n = view.Commits(func(counter string) float64 {
		d, known := s.Delta(counter)
		if !known {
			return view.Unknown
		}
		ok = true
		return d
	})
	return n, ok && !math.IsNaN(n)
}

// maxStatements is how many statements there may be for each transaction for the work of a
// server to be told by transactions: of one that mostly reads they are a few among the statements.
const maxStatements = 100

// transactions are those that MySQL servers committed in a part.
func transactions(v *view.View) (n float64, ok bool) {
	for _, s := range v.MySQLServers() {
		if d, known := committed(s); known {
			n, ok = n+d, true
		}
	}
	asked, known := questions(v)
	return n, ok && (!known || n*maxStatements >= asked)
}

// questions are the statements that MySQL servers ran in a part.
func questions(v *view.View) (n float64, ok bool) {
	for _, s := range v.MySQLServers() {
		if d, known := s.Delta("Questions"); known {
			n, ok = n+d, true
		}
	}
	return n, ok
}
