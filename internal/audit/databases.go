package audit

import (
	"rtrail/internal/view"
)

// databases are servers that keep most of their data in memory of their own, by the
// name of the process as the kernel cuts it.
var databases = map[string]string{
	"mysqld": "MySQL", "mariadbd": "MariaDB", "postgres": "PostgreSQL", "mongod": "MongoDB", "redis-server": "Redis",
	"valkey-server": "Valkey", "keydb-server": "KeyDB", "clickhouse-serv": "ClickHouse",
}

// largestDatabase is the database process with most memory of its own and shared,
// swapped out or not.
func largestDatabase(v *view.View) (largest view.Process, memory int64) {
	for _, p := range v.Processes() {
		if _, is := databases[p.Comm]; !is || p.Gone {
			continue
		}
		if held := max(p.Anon, 0) + max(p.Shmem, 0) + max(p.Swap, 0); held > memory {
			largest, memory = p, held
		}
	}
	return largest, memory
}

// snapshots says whether a database writes snapshots from a child, which copies each
// page that changes meanwhile.
func snapshots(p *view.Process) bool {
	switch p.Comm {
	case "redis-server", "valkey-server", "keydb-server":
		return true
	}
	return false
}
