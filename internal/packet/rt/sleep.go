package rt

import "strings"

// sleeps are the statements that do nothing but wait, as their fingerprints begin and end: for a time
// (MySQL, PostgreSQL, SQL Server) or for a lock that only clients know (GET_LOCK, pg_advisory_lock).
var sleeps = [...]struct{ protocol, begin string }{
	{"mysql", "SELECT SLEEP("},
	{"mysql", "DO SLEEP("},
	{"mysql", "SELECT GET_LOCK("},
	{"mysql", "DO GET_LOCK("},
	{"postgres", "SELECT PG_SLEEP("},
	{"postgres", "SELECT PG_SLEEP_FOR("},
	{"postgres", "SELECT PG_SLEEP_UNTIL("},
	{"postgres", "SELECT PG_ADVISORY_LOCK("},
	{"tds", "WAITFOR DELAY "},
	{"tds", "WAITFOR TIME "},
}

// maxSleep is the length of the longest fingerprint of a statement that is taken for one
// of sleeps: longer ones do other things, too.
const maxSleep = 64

// asksToSleep says whether a statement asks the server to wait, and for nothing else. One
// that has SLEEP among other things is not known by that: it may be slow for them.
func asksToSleep(protocol, fingerprint string) bool {
	if len(fingerprint) > maxSleep || len(fingerprint) < len("DO SLEEP()") {
		return false
	}
	switch fingerprint[0] | 0x20 {
	case 's', 'd', 'w':
	default:
		return false
	}
	for i := range sleeps {
		begin := sleeps[i].begin
		if sleeps[i].protocol == protocol && len(fingerprint) > len(begin) && strings.EqualFold(fingerprint[:len(begin)], begin) {
			rest := fingerprint[len(begin):]
			end := strings.IndexByte(rest, ')')
			return begin[len(begin)-1] == ' ' || end >= 0 && !strings.ContainsAny(rest[:end], "(") && alias(rest[end+1:])
		}
	}
	return false
}

// alias is true for nothing, and for the name of a column.
func alias(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) > 3 && strings.EqualFold(s[:3], "AS ") {
		s = s[3:]
	}
	return !strings.ContainsAny(s, " ,(;+-*/=<>")
}
