// Package rt judges response times as packets show them: which hop they grow
// at, how they are distributed, and what requests wait for.
package rt

import (
	"embed"

	"rtrail/internal/rule"
)

//go:embed *.md
var pages embed.FS

// Rules are the rules of this domain.
var Rules = rule.WithPages(pages,
	serverSlow, pathSlow, clientSlow, workerQueueing, oneSlowBackend, connectSlow,
	firstDisconnect, errorAnswers, lateCommit, slowConnections, headOfLine, fanOut, chatty,
)
