package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

// sick is a server with several symptoms at once.
func sick() *world {
	x := base()
	x.variables["innodb_spin_wait_delay"], x.variables["innodb_buffer_pool_size"], x.variables["max_connections"] = "10000", "25000000000", "1000"
	x.counters["Sort_merge_passes"] = 200
	x.counters["Innodb_log_waits"], x.counters["Table_open_cache_overflows"] = 12, 0
	opening, spin := inState("Opening tables", 192), spinning(80_000)
	x.more = func(w *recording.Writer, at time.Time, look int) {
		opening(w, at, look)
		spin(w, at, look)
	}
	return x
}

func TestPrint(t *testing.T) {
	for _, width := range []int{80, 132} {
		var b bytes.Buffer
		if err := sick().audit(t).Print(&b, Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns, at most %d: %s", n, width, line)
			}
		}
		path := fmt.Sprintf("testdata/sick-%d.txt", width)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	r := sick().audit(t)
	if err := r.JSON(&b); err != nil {
		t.Fatal(err)
	}
	var doc jsonReport
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	advised := 0
	for _, s := range doc.Settings {
		if s.Advice != nil {
			advised++
			if len(s.Advice.Evidence) == 0 {
				t.Errorf("%s: no evidence", s.Name)
			}
		}
	}
	if len(doc.Settings) != len(r.Entries) || advised != len(r.Recommended()) || doc.Window != 10 {
		t.Errorf("%d settings, %d with advice, %v s; want %d, %d, 10", len(doc.Settings), advised, doc.Window, len(r.Entries), len(r.Recommended()))
	}
}
