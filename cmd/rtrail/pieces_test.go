package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rtrail/internal/recording"
)

// A piece that cannot be read, as what a host without a battery for its clock recorded before
// it lost power again, is told, and the rest is shown as before.
func TestUnreadablePiece(t *testing.T) {
	h := busyHost()
	w, err := h.Rec.Rewrite(nil, func(_ recording.Table, _ string, _ int, bits int64) int64 { return bits })
	if err != nil {
		t.Fatal(err)
	}
	dir := onDisk(t, h.Rec.Manifest(), w)
	name := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	m["piece"] = 1 // the clock was set back
	delete(m, "ended")
	if data, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(name, data, 0o600), os.WriteFile(filepath.Join(dir, "journal"), make([]byte, 4096), 0o600)); err != nil {
		t.Fatal(err)
	}
	good := kept(t, busyHost())
	for _, args := range [][]string{{"replay", dir}, {"replay", dir, "--json"}, {"timeline", dir}, {"diagnose", dir}, {"diff", "--for", "6s", dir, good}} {
		var out, errs bytes.Buffer
		if code := run(args, &out, &errs); code != exitOK {
			t.Errorf("%q exits with %d: %s", args, code, errs.String())
		}
		if args[0] == "diff" {
			continue
		}
		for _, want := range []string{"not a journal of rtrail", "mem/"} {
			if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
				t.Errorf("%q does not say %q:\n%s", args, want, &out)
			}
		}
	}
}
