package slowlog

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Whether a time is that of the end depends on who wrote the log.
func TestEnds(t *testing.T) {
	const clock = "# Time: 2026-11-21T08:17:26.5Z\n"
	const local = "# Time: 261121  8:17:26\n"
	const entry = "# User@Host: a[a] @ localhost []\n# Query_time: 3  Lock_time: 0  Rows_sent: 1  Rows_examined: 0\nSET timestamp=1795249046;\nDO 1;\n"
	const maria = "# User@Host: a[a] @ localhost []\n# Thread_id: 4  Schema:   QC_hit: No\n# Query_time: 3  Lock_time: 0  Rows_sent: 1  Rows_examined: 0\nSET timestamp=1795249046;\nDO 1;\n"
	at := time.Date(2026, 11, 21, 8, 17, 26, 0, time.UTC)
	for name, tt := range map[string]struct {
		banner, version, text string
		want                  time.Time
	}{
		"MySQL 5.6":                          {"5.6.14-log", "", local + entry, at},
		"MySQL 9, the time of writing":       {"9.7.4-2", "", clock + entry, at.Add(time.Second / 2)},
		"MySQL 8.0.13, the statement's time": {"8.0.13", "", entry, at},
		"MySQL 8.0.14, the statement's time": {"8.0.14", "", entry, at.Add(3 * time.Second)},
		"MariaDB 10.5":                       {"10.5.23-MariaDB-0+deb11u1-log", "", local + maria, at},
		"MariaDB 10.11":                      {"10.11.19-MariaDB-0+deb12u1-log", "", local + maria, at.Add(3 * time.Second)},
		"MariaDB, no banner":                 {"", "", local + maria, at.Add(3 * time.Second)},
		"MariaDB, the server was asked":      {"", "5.5.5-10.5.23-MariaDB", local + maria, at},
		"MySQL, the server was asked":        {"", "8.4.8", entry, at.Add(3 * time.Second)},
	} {
		text := tt.text
		if tt.banner != "" {
			text = "/usr/sbin/x, Version: " + tt.banner + " (y). started with:\nTcp port: 0  Unix socket: /s\nTime Id Command Argument\n" + text
		}
		o := literally()
		o.Version = tt.version
		if got := entries(text, o); len(got) != 1 || !got[0].Logged.Equal(tt.want) {
			t.Errorf("%s: %+v, want the end at %s", name, got, tt.want)
		}
	}
}

// Entries stand in the order in which statements ended.
func TestOrder(t *testing.T) {
	log := func(version string, ends bool) string {
		var b strings.Builder
		fmt.Fprintf(&b, "x, Version: %s-MariaDB. started with:\n", version)
		for _, e := range []struct{ begin, took int }{{100, 1}, {120, 2}, {101, 30}, {132, 1}, {110, 40}, {150, 5}} {
			at := e.begin
			if ends {
				at += e.took
			}
			fmt.Fprintf(&b, "# User@Host: a[a] @ localhost []\n# Query_time: %d  Lock_time: 0\nSET timestamp=%d;\nDO 1;\n", e.took, at)
		}
		return b.String()
	}
	for _, version := range []string{"10.5.23", "10.11.19"} {
		for _, ends := range []bool{false, true} {
			list := entries(log(version, ends), literally())
			var o Order
			for i := range list {
				o.Add(&list[i])
			}
			for i := range list {
				o.Settle(&list[i])
			}
			if begins, ok := o.Begins(); !ok || begins == ends {
				t.Errorf("%s, times of ends %v: the order says begins %v, %v", version, ends, begins, ok)
			}
			if got := list[4].Logged.Unix(); got != 150 {
				t.Errorf("%s, times of ends %v: ended at %d, want 150", version, ends, got)
			}
		}
	}
	var o Order
	for _, e := range entries("# User@Host: a[a] @ localhost []\n# QC_hit: No\n# Query_time: 9\nSET timestamp=5;\nDO 1;\n", literally()) {
		o.Add(&e)
	}
	if _, ok := o.Begins(); ok {
		t.Error("one entry tells")
	}
}
