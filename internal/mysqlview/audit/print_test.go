package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rtrail/internal/document"
	"rtrail/internal/golden"
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
		if err := document.Terminal(&b, sick().audit(t).Document(false), document.TerminalOptions{Width: width, Break: true}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns, at most %d: %s", n, width, line)
			}
		}
		golden.Text(t, fmt.Sprintf("testdata/sick-%d.txt", width), b.String())
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	r := sick().audit(t)
	if err := document.JSON(&b, r.Result()); err != nil {
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

// What was not seen is no evidence that a setting is right.
func TestUnseen(t *testing.T) {
	for name, c := range map[string]struct {
		unseen       bool
		says, spares string
	}{
		"all was seen":           {false, "RECOMMENDED  nothing. No variable showed evidence against it in this window.", "not seen"},
		"sessions may be others": {true, "RECOMMENDED  nothing. In what could be seen, no variable showed evidence", "nothing. No variable"},
	} {
		x := base()
		x.more = func(w *recording.Writer, at time.Time, _ int) {
			if c.unseen {
				w.Unseen("mysql", "sessions of others", 1, "the user may not see them", "GRANT PROCESS ON *.* TO monitor")
			}
			w.Unseen("process", "I/O of processes of other users", 3, "permission denied", "run as root")
		}
		r := x.audit(t)
		var b bytes.Buffer
		if err := document.Terminal(&b, r.Document(false), document.TerminalOptions{Width: document.AnyWidth}); err != nil {
			t.Fatal(err)
		}
		if out := b.String(); !strings.Contains(out, c.says) || strings.Contains(out, c.spares) || strings.Contains(out, "run as root") {
			t.Errorf("%s: %s", name, out)
		}
		const note = "not seen: sessions of others: the user may not see them; GRANT PROCESS ON *.* TO monitor"
		if n := strings.Count(strings.Join(r.Notes, "\n"), note); n > 1 || (n == 1) != c.unseen {
			t.Errorf("%s: %d notes in %q", name, n, r.Notes)
		}
	}
}
