package load

import (
	"fmt"

	"rtrail/internal/unit"
)

// mostConflicts is the share of transactions that may end with an error which sysbench ignores:
// writes of several clients meet now and then (deadlocks, lock waits). Beyond, what fails
// fast is counted beside what is done.
const mostConflicts = 0.01

// Failures says what the errors and reconnects of a report mean: that it is invalid, or only
// what is worth knowing; "": there were none.
func (r *SysbenchReport) Failures() (invalid, note string) {
	switch {
	case r.Reconnects > 0:
		return fmt.Sprintf("%.0f reconnects: the server closed connections", r.Reconnects), ""
	case r.Errors > mostConflicts*r.Transactions:
		return fmt.Sprintf("%.0f transactions ended with an error that sysbench ignores, %s of them: find out which (an error 1146 is a missing table)", r.Errors, unit.Share(r.Errors/max(r.Errors+r.Transactions, 1))), ""
	case r.Errors > 0:
		return "", fmt.Sprintf("%.0f transactions ended with an error that sysbench ignores, as deadlocks do", r.Errors)
	}
	return "", ""
}
