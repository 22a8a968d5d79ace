package rt

import "testing"

func TestAsksToSleep(t *testing.T) {
	for _, tt := range []struct {
		protocol, fingerprint string
		want                  bool
	}{
		{"mysql", "SELECT SLEEP(?)", true},
		{"mysql", "select sleep(?) AS x", true},
		{"mysql", "DO SLEEP(?)", true},
		{"mysql", "SELECT GET_LOCK(?, ?)", true},
		{"postgres", "SELECT pg_sleep(?)", true},
		{"postgres", "SELECT pg_advisory_lock(?)", true},
		{"tds", "WAITFOR DELAY ?", true},
		{"mysql", "SELECT SLEEP(?), COUNT(*) FROM t", false},
		{"mysql", "SELECT SLEEP(?) FROM t", false},
		{"mysql", "SELECT SLEEP((SELECT ?))", false},
		{"mysql", "SELECT id FROM t WHERE SLEEP(?)", false},
		{"mysql", "SELECT pg_sleep(?)", false},
		{"postgres", "SELECT SLEEP(?)", false},
		{"mysql", "SELECT c FROM sbtest1 WHERE id = ?", false},
		{"mysql", "SELECT SLEEP(?); DELETE FROM t", false},
		{"mysql", "", false},
	} {
		if got := asksToSleep(tt.protocol, tt.fingerprint); got != tt.want {
			t.Errorf("%s %q asks to sleep: %v", tt.protocol, tt.fingerprint, got)
		}
	}
}
