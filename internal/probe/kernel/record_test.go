package kernel

import (
	"os"
	"testing"
)

// TestRecord writes what the iterator gives now to the file RTRAIL_RECORD
// names: how the rows in testdata were made.
func TestRecord(t *testing.T) {
	file := os.Getenv("RTRAIL_RECORD")
	if file == "" {
		t.Skip("RTRAIL_RECORD names no file")
	}
	tasks := openTasks(t)
	var all []byte
	if err := tasks.all.Each(func(b []byte) int {
		all = append(all, b...)
		return len(b)
	}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, all, 0o644); err != nil {
		t.Fatal(err)
	}
}
