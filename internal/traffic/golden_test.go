package traffic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"rtrail/internal/document"
	"rtrail/internal/golden"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/generate"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/recording"
)

// captures have known truths; between them every view has something to show.
var captures = []string{"mysql", "redis-pipelined", "request-resent", "missed", "one-way", "midway", "port-reused", "zero-window"}

// truth writes a made-up capture.
func truth(t *testing.T, name string) string {
	t.Helper()
	for _, x := range generate.Truths() {
		if x.Name != name {
			continue
		}
		f, err := os.Create(filepath.Join(t.TempDir(), name+".pcap"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := x.Write(f); err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	t.Fatalf("no capture %q", name)
	return ""
}

// analyse runs the engine as `rtrail packets` does.
func analyse(t *testing.T, path string, workers int, o summary.Options, tap Tap) (engine.Report, *summary.Summary) {
	t.Helper()
	src, err := pcap.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	collectors := summary.New(workers, o)
	tap.Summary = collectors
	report, err := engine.Run(context.Background(), src, engine.Options{Workers: workers, Collector: tap.Collector})
	if err != nil {
		t.Fatal(err)
	}
	return report, collectors.Result()
}

// printed is what a terminal shows of blocks in a width, 0 for any.
func printed(width int, blocks ...document.Block) string {
	if width == 0 {
		width = document.AnyWidth
	}
	var b strings.Builder
	_ = document.Terminal(&b, document.Document{Blocks: blocks}, document.TerminalOptions{Width: width})
	return b.String()
}

// Every text view of every capture, on terminals of two widths and in a pipe.
func TestViews(t *testing.T) {
	for _, name := range captures {
		for _, width := range []int{80, 60, 0} {
			t.Run(fmt.Sprint(name, "-", width), func(t *testing.T) {
				var out bytes.Buffer
				lines := &Seconds{Out: &out, Zone: time.UTC, Width: width}
				list := &Lines{Out: &bytes.Buffer{}, Zone: time.UTC, Width: width}
				order := &Reorder{Window: 100, Give: list.Text}
				stream := &Stream{Encode: list.Encode, Text: order.Text}
				stream.Start(2)
				report, sum := analyse(t, truth(t, name), 2, summary.Options{Second: lines.Second}, Tap{Listeners: []func(int) Listener{stream.Listener}})
				if err := lines.Close(); err != nil {
					t.Fatal(err)
				}
				o := Overview{Report: &report, Summary: sum, Zone: time.UTC, Top: 5, Width: width}
				told := func(blocks []document.Block) func() error {
					return func() error { _, err := out.WriteString(printed(width, blocks...)); return err }
				}
				steps := []func() error{
					told(o.Sums()), told(o.Histograms()),
					order.Close,
					func() error { _, err := list.Out.(*bytes.Buffer).WriteTo(&out); return err },
				}
				for _, v := range Views[1:] {
					steps = append(steps, told(o.By(v)))
				}
				for _, step := range steps {
					out.WriteString("--------\n")
					if err := step(); err != nil {
						t.Fatal(err)
					}
				}
				for line := range strings.Lines(out.String()) {
					if n := len([]rune(strings.TrimRight(line, "\n"))); width > 0 && n > width {
						t.Errorf("%d columns: %s", n, line)
					}
				}
				golden.Text(t, fmt.Sprintf("testdata/golden/%s-%d.txt", name, width), out.String())
			})
		}
	}
}

// The document is JSON and knows what is true.
func TestDocument(t *testing.T) {
	for _, view := range append([]string{"", "histogram"}, Views[1:]...) {
		var out bytes.Buffer
		d := &Document{Out: &out, Top: 5, View: view}
		report, sum := analyse(t, truth(t, "mysql"), 2, summary.Options{Second: d.Second}, Tap{})
		if err := d.Close(&report, sum); err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(out.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v\n%s", view, err, out.String())
		}
		golden.Text(t, "testdata/golden/mysql-document-"+view+".json", out.String())
	}
}

// The lines are the same with any number of workers, agree with what the
// standard library makes of them, and with the truth.
func TestTransactionsJSON(t *testing.T) {
	for _, x := range generate.Truths() {
		path := truth(t, x.Name)
		var before string
		for _, workers := range []int{1, 2, 3} {
			var out bytes.Buffer
			stream := &Stream{
				Encode: func(int) func([]byte, *rt.Transaction) []byte { return new(JSON).Transaction },
				Text:   func(_ *Place, b []byte) error { _, err := out.Write(b); return err },
			}
			stream.Start(workers)
			analyse(t, path, workers, summary.Options{}, Tap{Listeners: []func(int) Listener{stream.Listener}})
			if before != "" && before != out.String() {
				t.Errorf("%s: %d workers give other lines", x.Name, workers)
			}
			before = out.String()
		}
		var found []int64
		for line := range strings.Lines(before) {
			var v struct {
				Start  time.Time `json:"start"`
				RT     *int64    `json:"rt_ns"`
				Status string    `json:"status"`
				Doubt  []string  `json:"doubt"`
				Frames []*uint64 `json:"frames"`
			}
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatalf("%s: %v: %s", x.Name, err, line)
			}
			if strings.Contains(line, ":-") {
				t.Errorf("%s: a negative number: %s", x.Name, line)
			}
			v.Doubt = slices.DeleteFunc(v.Doubt, func(w string) bool { return w == "approximate" })
			if v.Status == "answered" && len(v.Doubt) == 0 {
				found = append(found, *v.RT)
			}
		}
		var want []int64
		for _, w := range x.Transactions {
			want = append(want, int64(w.RT))
		}
		slices.Sort(found)
		slices.Sort(want)
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("%s: %s", x.Name, diff)
		}
	}
}

func TestJSONText(t *testing.T) {
	for _, s := range []string{"plain", `"quoted" \`, "line\nend\ttab\x00\x1f\x7f", "ünïcödé 漢字 \u2028", "broken \xff\xfe utf", "\xf0\x9f\x98\x80"} {
		var got string
		if err := json.Unmarshal(text(nil, s), &got); err != nil {
			t.Errorf("%q: %v", s, err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); !strings.Contains(s, "\xff") && got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := string(text(nil, "")); got != "null" {
		t.Errorf("nothing is %s", got)
	}
}

// What is written to Parquet can be read, and is complete.
func TestParquet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	p, err := NewParquet(t.Context(), dir, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, sum := analyse(t, truth(t, "mysql"), 2, summary.Options{}, Tap{Listeners: []func(int) Listener{p.Stream.Listener, p.Listener}})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.ReadFile[recording.PacketTransaction](filepath.Join(dir, "packet_transactions.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	var count, all int64
	for _, s := range sum.Services {
		count += s.Count
		all += s.Count + s.Excluded() + s.NoAnswer + s.TurnedAway
	}
	usable := int64(0)
	for _, r := range rows {
		if r.Status == "answered" && r.Doubt == "" {
			usable++
		}
	}
	if int64(len(rows)) != all || usable != count || count == 0 {
		t.Errorf("%d rows, %d usable; want %d, %d", len(rows), usable, all, count)
	}
	connections, err := parquet.ReadFile[recording.PacketConnection](filepath.Join(dir, "packet_connections.parquet"))
	if err != nil || uint64(len(connections)) != sum.Seen {
		t.Errorf("%d connections, want %d: %v", len(connections), sum.Seen, err)
	}
	sides, err := parquet.ReadFile[recording.PacketSide](filepath.Join(dir, "packet_sides.parquet"))
	if err != nil || uint64(len(sides)) != 2*sum.Seen {
		t.Errorf("%d sides, want %d: %v", len(sides), 2*sum.Seen, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
