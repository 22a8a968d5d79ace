package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"rtrail/internal/packet/generate"
)

// TestPacketViews runs what users type to look at packets: testdata/packets_*.txtar.
func TestPacketViews(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "closed": closed, "truncate": truncate, "truth": writeTruth,
		},
	})
}

// truth NAME FILE writes a capture of which everything is known.
func writeTruth(ts *testscript.TestScript, neg bool, args []string) {
	for _, t := range generate.Truths() {
		if t.Name == args[0] {
			f, err := os.Create(ts.MkAbs(args[1]))
			ts.Check(err)
			ts.Check(t.Write(f))
			ts.Check(f.Close())
			return
		}
	}
	ts.Fatalf("no capture %q", args[0])
}
