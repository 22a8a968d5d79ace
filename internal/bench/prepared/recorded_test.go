package prepared

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"rtrail/internal/document"
	"rtrail/internal/golden"
)

// fits wants the JSON form that docs/bench-prepared.schema.json describes.
func fits(t *testing.T, r *Result) {
	t.Helper()
	text, err := document.AppendJSON(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	golden.Fits(t, "../../../docs/bench-prepared.schema.json", text)
}

// TestRecorded: the verdict on MySQL 5.7.21 with 50,000 markers, as `rtrail bench prepared
// --toggle-logs --json` measured it, names the log, the mode, the length and the cause.
func TestRecorded(t *testing.T) {
	b, err := os.ReadFile("testdata/mysql-5.7.json")
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	r.toggles = true
	r.judge()
	r.LeftOut = []LeftOut{{Mode: ServerSide, Why: "a test"}}
	fits(t, &r)
	list := strings.Join(words(&r), "\n")
	for _, says := range []string{
		"mode true: server-side takes 39 s, 770 times as long as client-side (50.6 ms), with 6.2 MiB of SQL and general log on",
		"log true: with slow log on server-side takes 40.9 s, with logs off 86.9 ms: 471 times as long",
		"length true: server-side with slow log on: 97.7 KiB of SQL take 653 ms, 6.2 MiB take 40.9 s; 65 times the length, 62.7 times the time: in proportion",
		"100 % of the server's CPU time (3705 samples) is below insert_params",
		"called by String::mem_realloc < String::replace < Prepared_statement::insert_params < Prepared_statement::set_parameters",
	} {
		if !strings.Contains(list, says) {
			t.Errorf("%q is missing in\n%s", says, list)
		}
	}
}
