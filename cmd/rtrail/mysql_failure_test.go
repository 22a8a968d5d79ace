package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/mysqlview"
	"rtrail/internal/recording"
)

// The password of a server that denies may be in an option file that was left
// out.
func TestFailureNamesFilesThatWereNotRead(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	denied := &mysqlview.Row{Server: "db1:3306", State: recording.ServerDenied, Error: "Access denied"}
	file := filepath.Join(home, ".my.cnf")
	if err := os.WriteFile(file, []byte("[client]\npassword=secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o666: true} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if text := failure(denied, mysqlconn.ReadOptionFiles("/", os.Getenv).Notes).Error(); strings.Contains(text, "not read: "+file) != want || !strings.Contains(text, "Access denied") {
			t.Errorf("mode %v: %s", mode, text)
		}
	}
}
