package rule

import (
	"testing"

	"rtrail/internal/unit"
)

func TestAgree(t *testing.T) {
	for want, text := range map[string]Text{
		"1 connection waits for a thread":          T("%d connections wait for a thread", 1),
		"up to 1 connection waits on :80":          T("up to %d connections wait on :%d", 1, 80),
		"1 of 8 connections are taken":             T("%d of %d connections are taken", 1, 8),
		"11 statements wait, 0.1 requests":         T("%d statements wait, %.1f requests", 11, 0.1),
		"1 process was killed (1 temporary table)": T("%s processes were killed (%s temporary tables)", unit.Count(1), unit.Count(1)),
		"1 query and 1 child":                      T("%d queries and %d children", 1, 1),
		"group 1: 1 thread, 1 active":              T("group %d: %d threads, %d active", 1, 1, 1),
		"1 context":                                T("%d context", 1),
		"1 thread, 1 file descriptor, 1 file":      T("%d threads, %d file descriptors, %d files", 1, 1, 1),
		"1 statement waits":                        T("%d statements wait", 1),
		"at least 1 task waits for one":            T("at least %v tasks wait for one", unit.Number(1)),
		"100 % of 1 switch":                        T("100 %% of %d switches", 1),
		":1 statements":                            T(":%d statements", 1),
		"1 error is":                               T("%v errors are", 1),
		"1,201 rows; 1 row":                        T("%s rows; %s rows", unit.Count(1201), unit.Count(1)),
		// What was read of others is left alone.
		"it runs: SELECT 1 rows": T("it runs: %s", "SELECT 1 rows"),
		"1 file":                 T("%d file", 1),
	} {
		if got := text.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
