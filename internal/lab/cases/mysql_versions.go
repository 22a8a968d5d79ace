package cases

import (
	"time"

	"rtrail/internal/lab/server"
)

// mysqlVersionCases are what every release of MySQL, MariaDB and Percona must
// tell apart, on those between the ones that the other cases use. Who blocks
// and what a statement reads is asked of each in another way; of a thread pool
// Percona's server tells sums only, and packets must show the group.
func mysqlVersionCases() []Case {
	var cases []Case
	for _, r := range server.ReleasesBetween() {
		cases = append(cases,
			rowLockCase(variant("mysql/row-lock-wait", r.Tag), r.Version),
			metadataLockCase(variant("mysql/metadata-lock", r.Tag), r.Version),
			fullScanCase(r.Tag, r.Version, "mariadbd|mysqld", false),
		)
		if r.Apart {
			cases = append(cases, fullScanCase(r.Tag+"-prepared", r.Version, "mysqld", true), controlMySQLFullSpeed(r.Tag, r.Version))
		}
		if r.Pool {
			c := slowConnections(variant("rt/slow-connections", r.Tag), r.Version)
			// The group gets three threads, not five: an answer takes 0.8 s, and
			// in five seconds a connection has too few to be called slow.
			c.Window = 10 * time.Second
			cases = append(cases, c)
		}
	}
	for i := range cases {
		cases[i].Extra = true
	}
	return cases
}
