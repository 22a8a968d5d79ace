package main

import (
	"testing"

	"rtrail/internal/mysqlconn"
)

// Only a server on another host lets a run give up what it needs for this one.
func TestServerElsewhere(t *testing.T) {
	for _, test := range []struct {
		network, address string
		want             bool
	}{
		{"tcp", "192.0.2.1:3306", true},
		{"tcp", "[2001:db8::1]:3306", true},
		{"tcp", "127.0.0.1:3306", false},
		{"tcp", "127.1.2.3:3306", false},
		{"tcp", "[::1]:3306", false},
		{"tcp", "[::ffff:127.0.0.1]:3306", false},
		{"unix", "/run/mysqld/mysqld.sock", false},
	} {
		target := mysqlconn.Target{Network: test.network, Address: test.address}
		if got := runsElsewhere(t.Context(), target, t.TempDir()); got != test.want {
			t.Errorf("%s: %v", test.address, got)
		}
	}
}
