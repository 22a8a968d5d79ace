// Package mysql judges what MySQL, MariaDB and Percona servers say about
// themselves, together with their processes and packets where these are known.
package mysql

import (
	"embed"
	"slices"

	"rtrail/internal/rule"
)

//go:embed *.md
var pages embed.FS

// Rules are all rules of this package: about who waits for whom and whether
// the server answers (rulesLocks), about the work statements make (rulesWork),
// about what threads of the server contend for (rulesContention), and about logs
// of servers that were not asked.
var Rules = rule.WithPages(pages, slices.Concat(rulesLocks, rulesWork, rulesContention, []rule.Rule{slowStatements})...)

var rulesLocks = []rule.Rule{
	notAnswering, connectionsExhausted,
	rowLockWait, metadataLock, longTransaction, purgeLag,
	slowReader,
	threadPoolLeak, threadPoolStalled,
}
