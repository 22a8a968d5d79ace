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

	"rtrail/internal/document"
	"rtrail/internal/golden"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

const schemaFile = "../../docs/verdict.schema.json"

// validate checks a document against the published schema.
func validate(t *testing.T, document []byte) {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(schemaFile)
	if err != nil {
		t.Fatalf("compile %s: %v", schemaFile, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatalf("read the document back: %v\n%s", err, document)
	}
	if err := schema.Validate(value); err != nil {
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
			validate(t, out.Bytes())
			golden.Text(t, "testdata/json-"+c.name+".json", out.String())
		})
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
	validate(t, out.Bytes())
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
			schema, err := jsonschema.NewCompiler().Compile(schemaFile)
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(wrong))
			if err != nil {
				t.Fatal(err)
			}
			if schema.Validate(value) == nil {
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
