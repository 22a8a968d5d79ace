package mysql

import "rtrail/internal/recording"

// maxErrorCodes bounds the kinds of errors: servers know about 5,000, and few of
// them were ever given to anybody.
const maxErrorCodes = 2000

// readErrors reads how often each error was given to clients.
func readErrors(l *look) error {
	if err := l.needSchema(); err != nil {
		return err
	}
	r, err := l.queryRows("the errors", "SELECT ERROR_NUMBER AS code, ERROR_NAME AS name, SUM_ERROR_RAISED AS raised "+
		"FROM performance_schema.events_errors_summary_global_by_error WHERE SUM_ERROR_RAISED > 0 AND ERROR_NUMBER IS NOT NULL", maxErrorCodes)
	if err != nil {
		return err
	}
	if l.seen.errors == nil {
		l.seen.errors = map[int32]bool{}
	}
	rows := make([]recording.MySQLError, 0, r.Len())
	for row := range r.Rows() {
		e := recording.MySQLError{At: l.at, Server: l.target.Name, Code: int32(row.Int("code")), Name: row.Name("name"), Raised: row.Int("raised")}
		// One that was not there at the last reading began at none: without that
		// row its growth would not be seen.
		if !l.seen.errors[e.Code] && !l.seen.errorsAt.IsZero() {
			none := e
			none.At, none.Raised = l.seen.errorsAt, 0
			rows = append(rows, none)
		}
		if len(l.seen.errors) < maxErrorCodes {
			l.seen.errors[e.Code] = true
		}
		rows = append(rows, e)
	}
	l.seen.errorsAt = l.at
	recording.Give(l.w, rows)
	return nil
}
