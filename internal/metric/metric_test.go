package metric

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// units are the ones there are: a unit is a word that programs compare.
var units = []string{"count", "bytes", "seconds", "share", "share of one CPU", "probability", "setting", "frame", "times", "times the mean",
	"per second", "bytes per second", "pages per second", "seconds per second", "cores", "tasks", "threads", "connections", "requests",
	"transactions", "statements", "groups", "rows", "reads", "syncs", "calls", "indexes", "runs",
	"certain, likely or possible", "seconds per second, or a share"} // these are words of a verdict

func TestMetricsAreComplete(t *testing.T) {
	id := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+$`)
	seen := map[string]bool{}
	for _, m := range All() {
		if !id.MatchString(m.ID) {
			t.Errorf("%q is no ID of the form domain.name: lower case, words joined by dashes", m.ID)
		}
		if seen[m.ID] {
			t.Errorf("%s is there twice", m.ID)
		}
		seen[m.ID] = true
		if !slices.Contains(units, m.Unit) {
			t.Errorf("%s: unknown unit %q; there are %q", m.ID, m.Unit, units)
		}
		for field, value := range map[string]string{"Name": m.Name, "Help": m.Help, "Source": m.Source, "Tools": strings.Join(m.Tools, "")} {
			if strings.TrimSpace(value) == "" {
				t.Errorf("%s: %s is empty", m.ID, field)
			}
		}
		if len(m.Labels) > 0 && m.Series == nil {
			t.Errorf("%s: labels of no series", m.ID)
		}
	}
	if len(seen) < 200 {
		t.Errorf("only %d metrics", len(seen))
	}
}

// TestRulesMakeNoMetrics: evidence cites metrics of the registry alone.
func TestRulesMakeNoMetrics(t *testing.T) {
	files, err := filepath.Glob("../rule/*/*.go")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files of rules: %v", len(files), err)
	}
	for _, f := range files {
		source, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(source), "metric.Metric{") {
			t.Errorf("%s makes a metric that is not in the registry", f)
		}
	}
}
