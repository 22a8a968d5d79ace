package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"rtrail/internal/diff"
	"rtrail/internal/document"
	"rtrail/internal/episode"
	"rtrail/internal/golden"
	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/timeline"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// schema is a published one.
func schema(t *testing.T, form string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for _, name := range []string{"verdict", "replay", "timeline", "diff"} {
		text, err := os.ReadFile("../../docs/" + name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource("urn:rtrail:"+name+":1", value); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile("urn:rtrail:" + form + ":1")
	if err != nil {
		t.Fatalf("compile the schema of %s: %v", form, err)
	}
	return schema
}

// validate checks a document against it.
func validate(t *testing.T, form string, document []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatalf("read the document back: %v\n%s", err, document)
	}
	if err := schema(t, form).Validate(value); err != nil {
		t.Errorf("the document does not fit the schema: %v\n%s", err, document)
	}
}

func TestJSONFitsSchema(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := document.JSON(&out, report.NewDocument(c.verdict)); err != nil {
				t.Fatal(err)
			}
			validate(t, "verdict", out.Bytes())
			golden.Text(t, "testdata/json-"+c.name+".json", out.String())
		})
	}
}

// Faults have the findings of verdicts, and what is not known is null.
func TestReplayFitsSchema(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	nan := math.NaN()
	r := report.NewReplay(recording.Contents{Rows: map[recording.Table]int64{recording.System: 3}}, report.NewSpan(at, at.Add(time.Minute)))
	r.Judged = report.NewJudged(time.Minute, 10*time.Second, at)
	r.OverTime.Add(1, []timeline.Line{{At: at, Busy: 0.5, IOWait: nan, Load: nan, Blocked: nan, Available: nan, SwapUsed: nan, Stall: nan}})
	r.TopProcesses = report.NewTopProcesses([]episode.Process{{Name: "x", PID: 7, MostRSS: recording.Unknown, MostCPU: math.Inf(1)}})
	var list []episode.Episode
	for _, c := range cases() {
		for _, f := range c.verdict.Findings {
			list = append(list, episode.Episode{From: at, To: at.Add(time.Minute), Finding: f})
		}
	}
	r.Faults = report.NewFaults(list)
	if len(r.Faults) == 0 {
		t.Fatal("no fault")
	}
	var out bytes.Buffer
	if err := document.JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	validate(t, "replay", out.Bytes())
}

// What is not known of beginnings and ends is null, and so are ratios to nothing.
func TestTimelineAndDiffFitSchema(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	s := episode.Survey{Windows: episode.Windows{Every: time.Minute}, Part: 10 * time.Second, Judged: 3}
	var list []episode.Episode
	for _, c := range cases() {
		for _, f := range c.verdict.Findings {
			list = append(list, episode.Episode{First: at, Last: at.Add(time.Minute), Before: at.Add(2 * time.Minute), Finding: f})
		}
	}
	c := report.Compared{Result: diff.Result{Per: "second", Requests: [2]float64{math.NaN(), math.NaN()}, Changes: []diff.Change{{Quantity: diff.Quantities[0], Amount: [2]float64{1, 0}, PerSec: [2]float64{1, 0}}},
		Settings: []diff.Setting{{What: "sysctl x", Value: [2]string{"1", "2"}}}, Processes: []diff.Process{{Name: "x", Cores: [2]float64{math.NaN(), 1}}},
		Missing: []diff.Missing{{ID: "mem.faults", Name: "minor page faults", Why: "told by neither window"}}}, Notes: []string{"first: x"}}
	c.Sides[0].Verdict = cases()[0].verdict
	for form, result := range map[string]any{"timeline": report.NewTimeline(recording.Held{}, report.NewSpan(at, at), report.NewSurveyed(&s), list, 2, nil), "diff": c.JSON()} {
		var out bytes.Buffer
		if err := document.JSON(&out, result); err != nil {
			t.Fatal(err)
		}
		validate(t, form, out.Bytes())
	}
}

func TestJSONNeverHoldsNaN(t *testing.T) {
	v := verdict.Verdict{
		Tool: "rtrail test",
		Findings: []verdict.Finding{{Rank: 1, Finding: rule.Finding{
			Rule: "cpu/saturated", Subject: view.Entity{Kind: view.KindHost, Name: "h"},
			Confidence: rule.Likely, Headline: rule.T("h"),
			Impact:   rule.Impact{TimeLost: math.NaN(), Share: math.Inf(1)},
			Evidence: []rule.Evidence{{Metric: cited("cpu.idle", "share"), Value: math.Inf(-1), Limit: rule.Limit(math.NaN())}},
		}}},
		Probes: []verdict.ProbeHealth{{Name: "host", Seconds: math.NaN(), CPU: math.Inf(1)}},
		Time:   []verdict.ProcessTime{{Name: "p", OnCPU: math.NaN()}},
	}
	var out bytes.Buffer
	if err := document.JSON(&out, report.NewDocument(v)); err != nil {
		t.Fatalf("a number that JSON cannot hold got through: %v", err)
	}
	validate(t, "verdict", out.Bytes())
	var d report.Document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if e := d.Findings[0].Evidence[0]; !math.IsNaN(float64(e.Value)) || !math.IsNaN(float64(e.Limit)) {
		t.Errorf("want null for numbers that are not finite, got value %v, limit %v", e.Value, e.Limit)
	}
}

func TestSchemaRefuses(t *testing.T) {
	var out bytes.Buffer
	if err := document.JSON(&out, report.NewDocument(cases()[0].verdict)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new string }{
		{"unknown confidence", `"confidence": "certain"`, `"confidence": "sure"`},
		{"rank 0", `"rank": 1`, `"rank": 0`},
		{"rule without domain", `"rule": "net/accept-queue-full"`, `"rule": "accept-queue-full"`},
		{"text where a number belongs", `"cpus": 2`, `"cpus": "2"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			wrong := strings.Replace(out.String(), c.old, c.new, 1)
			if wrong == out.String() {
				t.Fatalf("%s is not in the document", c.old)
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(wrong))
			if err != nil {
				t.Fatal(err)
			}
			if schema(t, "verdict").Validate(value) == nil {
				t.Error("the schema accepts it")
			}
		})
	}
}

func TestJSONWriteError(t *testing.T) {
	f, err := os.Open(os.DevNull) // opened for reading: every write fails
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v := verdict.Verdict{Window: verdict.Window{Start: time.Unix(0, 0), End: time.Unix(1, 0)}}
	for name, write := range map[string]func() error{
		"json": func() error { return document.JSON(f, report.NewDocument(v)) },
	} {
		if write() == nil {
			t.Errorf("%s: no error from a writer that fails", name)
		}
	}
}
