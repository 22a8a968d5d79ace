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
	const left = "not a journal of rtrail"
	for _, c := range []struct{ args, says []string }{
		{[]string{"replay", dir}, []string{left, "busy 10 19 s"}},
		{[]string{"replay", dir, "--json"}, []string{left, `"cpu_seconds": 19`}},
		{[]string{"timeline", dir}, []string{left, "none was found"}},
		{[]string{"diagnose", dir}, []string{"piece 1, ", left, "oom_kill of control group /app"}},
		{[]string{"diff", "--for", "6s", dir, good}, []string{"SAME", "first: piece 1, ", left}},
	} {
		args := c.args
		var out, errs bytes.Buffer
		if code := run(args, &out, &errs); code != exitOK {
			t.Errorf("%q exits with %d: %s", args, code, errs.String())
		}
		for _, want := range c.says {
			if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
				t.Errorf("%q does not say %q:\n%s", args, want, &out)
			}
		}
	}
}
