package lab

import "time"

// mysqlVersionCases are what every release of MySQL, MariaDB and Percona must
// tell apart, on those between the ones that the other cases use. Who blocks
// and what a statement reads is asked of each in another way; of a thread pool
// Percona's server tells sums only, and packets must show the group.
func mysqlVersionCases() []Case {
	var cases []Case
	for _, r := range releasesBetween() {
		cases = append(cases,
			rowLockCase(variant("mysql/row-lock-wait", r.tag), r.version),
			metadataLockCase(variant("mysql/metadata-lock", r.tag), r.version),
			fullScanCase(r.tag, r.version, "mariadbd|mysqld", false),
		)
		if r.apart {
			cases = append(cases, fullScanCase(r.tag+"-prepared", r.version, "mysqld", true), controlMySQLFullSpeed(r.tag, r.version))
		}
		if r.pool {
			c := slowGroup(variant("rt/slow-group", r.tag), r.version)
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
