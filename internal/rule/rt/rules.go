// Package rt judges response times as packets show them: which hop they grow
// at, how they are distributed, and what requests wait for.
package rt

import "rtrail/internal/rule"

// Rules are the rules of this domain.
var Rules = []rule.Rule{
	serverSlow, pathSlow, clientSlow, workerQueueing, oneSlowBackend, connectSlow,
	firstDisconnect, errorAnswers, lateCommit, slowConnections, headOfLine, fanOut, chatty,
}
