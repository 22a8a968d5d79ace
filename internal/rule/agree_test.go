package rule

import "testing"

func TestAgree(t *testing.T) {
	for in, want := range map[string]string{
		"1 connections wait for a thread":                 "1 connection waits for a thread",
		"up to 1 connections wait on :80":                 "up to 1 connection waits on :80",
		"1 of 8 connections are taken":                    "1 of 8 connections are taken",
		"11 statements wait, 0.1 requests, 2.1 rows":      "11 statements wait, 0.1 requests, 2.1 rows",
		"1 processes were killed (1 temporary tables)":    "1 process was killed (1 temporary table)",
		"1 queries and 1 children":                        "1 query and 1 child",
		"group 1: 1 threads, 1 active":                    "group 1: 1 thread, 1 active",
		"1 context":                                       "1 context",
		"1 times a second":                                "1 time a second",
		"1 thread, 1 file descriptors, 1 transaction log": "1 thread, 1 file descriptor, 1 transaction log",
		"1 statement waits":                               "1 statement waits",
		"1 switches":                                      "1 switch",
		"frame 1, :3311 statements":                       "frame 1, :3311 statements",
		"1 errors are":                                    "1 error is",
		"1,201 rows; 1 rows":                              "1,201 rows; 1 row",
		"1 processing step":                               "1 processing step",
		"1 timeout":                                       "1 timeout",
	} {
		if got := agree(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := T("%d connections wait", 1).String(); got != "1 connection waits" {
		t.Error(got)
	}
}
