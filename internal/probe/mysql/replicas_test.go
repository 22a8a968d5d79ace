package mysql

import "testing"

func TestReplicationErrorsWithoutValues(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"Could not execute Write_rows_v1 event on table t.sm; Duplicate entry 'smith' for key 'PRIMARY', Error_code: 1062; handler error HA_ERR_FOUND_DUPP_KEY; the event's master log b.000001, end_log_pos 1395": "Could not execute Write_rows_v1 event on table t.sm; Duplicate entry '?' for key 'PRIMARY', Error_code: 1062; handler error HA_ERR_FOUND_DUPP_KEY; the event's master log b.000001, end_log_pos 1395",
		"Duplicate entry 'O'Brien; the event's place' for key 'n', Error_code: 1062; the event's source log b.1, end_log_pos 7":                                                                                    "Duplicate entry '?' for key 'n', Error_code: 1062; the event's source log b.1, end_log_pos 7",
		"Duplicate entry 'cut off":                         "Duplicate entry '?",
		"Duplicate entry 'x; the event's source log h0rse": "Duplicate entry '?",
		"Error 'Duplicate entry '5' for key 1' on query. Default database: 't'. Query: 'insert into t values (5, 'secret')'": "Error '?'. Query: ...",
		"Can't find record in 'sm', Error_code: 1032": "Can't find record in '?', Error_code: 1032",
		"Relay log read failure":                      "Relay log read failure",
	} {
		if got := withoutValues(withoutStatement(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
