package refusal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// mysqlNames are the first values of the recorded answers of all servers to one
// question, without the names of the columns.
func mysqlNames(t *testing.T, question string, column int) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../probe/mysql/testdata/looks/*.txt")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d recorded looks, %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for answer := range strings.SplitSeq(string(b), "\n----\n") {
			lines := strings.Split(answer, "\n")
			if !strings.HasPrefix(lines[0], "# ") || !strings.Contains(lines[0], question) || len(lines) < 3 {
				continue
			}
			for _, l := range lines[2:] {
				if values := strings.Split(l, "\t"); len(values) > column {
					names = append(names, values[column])
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Every counter of the recorded servers whose name says that something failed is
// named in one entry: what a family of names says of it is not enough.
func TestEveryMySQLCounterIsKnown(t *testing.T) {
	names := mysqlNames(t, "SHOW GLOBAL STATUS", 0)
	if len(names) < 500 {
		t.Fatalf("only %d counters in the recorded answers", len(names))
	}
	recorded := func(name string) bool { // the probe leaves the others out
		for _, p := range []string{"Ssl_", "Delayed_", "Error_log_", "Innodb_encryption", "Innodb_num_pages_", "Innodb_defragment", "Com_show_"} {
			if strings.HasPrefix(name, p) {
				return false
			}
		}
		return !strings.HasPrefix(name, "Performance_schema_")
	}
	for _, name := range names {
		if !soundsFailed.MatchString(name) || !recorded(name) {
			continue
		}
		if _, ok := mysqlStatus.known(name); !ok {
			t.Errorf("no table has %s: say what it counts, and which rule judges it", name)
		}
	}
	for _, name := range mysqlNames(t, "events_errors_summary_global_by_error", 1) {
		if _, ok := mysqlErrors.known(name); !ok {
			t.Errorf("no table has the error %s", name)
		}
	}
}

func TestMySQLRising(t *testing.T) {
	h := ruletest.New(4, 10)
	h.Process(ruletest.Process{PID: 812, Comm: "mysqld", CPU: 0.1})
	h.MySQL(ruletest.MySQL{Flavor: "MySQL", Version: "9.7.0", PID: 812,
		Rates:  map[string]float64{"Aborted_connects": 40, "Aborted_clients": 0.1, "Table_open_cache_overflows": 500, "Com_rollback": 900, "Innodb_new_failures": 7},
		Errors: map[int32]float64{1205: 3}})
	got := map[string]Risen{}
	for _, r := range Rising(h.View()) {
		got[r.Name] = r
	}
	connects, ok := got["Aborted_connects"]
	if !ok || connects.Rate < 39 || connects.Rate > 41 || connects.Scope.Where != "mysql 10.0.0.2:3306" {
		t.Errorf("refused connects: %+v", connects)
	}
	if _, ok := got["Innodb_new_failures"]; !ok {
		t.Error("a counter that nobody knows and that says it failed is not told of")
	}
	for _, name := range []string{"Aborted_clients", "Table_open_cache_overflows", "Com_rollback"} {
		if _, ok := got[name]; ok {
			t.Errorf("%s is told of", name)
		}
	}
	server := view.Entity{Kind: view.KindProcess, Name: "mysqld", PID: 812}
	for id, want := range map[string]bool{"mysql/connections-exhausted": true, "mysql/sort": false} {
		if connects.AccountedFor(rule.Finding{Rule: id, Subject: server}) != want {
			t.Errorf("%s accounts for refused connects: %v", id, !want)
		}
	}
	if want := "mysql -h 10.0.0.2 -P 3306 -e "; !strings.HasPrefix(connects.Check().String(), want) {
		t.Errorf("check: %s", connects.Check())
	}
}
