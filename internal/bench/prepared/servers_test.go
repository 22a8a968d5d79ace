package prepared_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rtrail/internal/bench/prepared"
	"rtrail/internal/lab/env"
	"rtrail/internal/lab/env/envtest"
	"rtrail/internal/lab/server"
	"rtrail/internal/mysqlconn"
)

// start starts a server on loopback, or skips the test.
func start(t *testing.T, ctx context.Context, v server.MySQLVersion) *server.MySQL {
	t.Helper()
	if missing := v.Needs().Missing(); missing != "" {
		t.Skip(missing)
	}
	if testing.Short() {
		t.Skip("starts a server")
	}
	envtest.Isolate(t)
	e, err := env.New("test/prepared", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	m, err := server.StartMySQL(ctx, e, v, env.End{}, "--max-allowed-packet=64M")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func between(tag string) server.MySQLVersion {
	list := server.ReleasesBetween()
	return list[slices.IndexFunc(list, func(r server.Release) bool { return r.Tag == tag })].Version
}

// TestServers: servers that build the text for a log are slow only with one, and only with
// statements that they prepare; each proves that it prepared.
func TestServers(t *testing.T) {
	for name, v := range map[string]server.MySQLVersion{"MySQL 5.6": server.MySQL56(), "MySQL 5.7": between("mysql57"), "MySQL 9": server.MySQL9()} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			m := start(t, ctx, v)
			target, err := mysqlconn.Parse(m.ByTCP("lab")[0], nil, mysqlconn.Options{})
			if err != nil {
				t.Fatal(err)
			}
			b := prepared.Bench{Connect: prepared.To(target), Unprofiled: "a test", Say: t.Logf, Left: func(string) {},
				Plan: prepared.Plan{Database: "lab", Markers: 4_000, Spaces: []int{0, 128}, Rounds: 2, Timeout: time.Minute, MaxTime: 3 * time.Minute, ToggleLogs: true}}
			r, err := b.Run(ctx)
			if err != nil {
				t.Fatal(err)
			}
			fastest := map[string]float64{}
			for _, c := range r.Cells {
				if c.Failed != "" || len(c.Rounds) != 2 || c.PreparedBefore != 0 || (c.PreparedAfter == 1) != (c.Mode == prepared.ServerSide) {
					t.Errorf("%+v", c)
					continue
				}
				fastest[string(c.Mode)+" "+strconv.Itoa(c.Spaces)+" "+c.Logs.String()] = float64(min(c.Rounds[0].Took, c.Rounds[1].Took))
			}
			if len(r.Cells) != 16 {
				t.Errorf("%d cells, %v", len(r.Cells), r.LeftOut)
			}
			for _, log := range []string{"slow log on", "general log on"} {
				// About fifty times where the text is moved for each value. That another server does
				// not is not tested: it would take a CPU that nobody else uses.
				slow, fast := fastest["server-side 128 "+log], fastest["server-side 128 logs off"]
				if name != "MySQL 9" && slow < 4*fast {
					t.Errorf("with %s %.1f ms, with logs off %.1f ms", log, slow, fast)
				}
			}
			left, err := m.Query(ctx, "SHOW TABLES; SELECT @@global.slow_query_log, @@global.general_log")
			if err != nil || strings.TrimSpace(left) != "0\t0" {
				t.Errorf("left %q, %v", left, err)
			}
		})
	}
}

// connectorJ is its newest jar in the repository of Maven; "" without one.
func connectorJ() string {
	if path := os.Getenv("RTRAIL_CONNECTOR_J"); path != "" {
		return path
	}
	home, _ := os.UserHomeDir()
	list, _ := filepath.Glob(filepath.Join(home, ".m2/repository/com/mysql/mysql-connector-j/*/mysql-connector-j-*.jar")) // the pattern is well-formed
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// said is a line of InList.java.
var said = regexp.MustCompile(`(?m)^useServerPrepStmts=(true|false) .* each/rows=([0-9.]+)/0,([0-9.]+)/0 Com_stmt_prepare=0->(0|1)$`)

// TestConnectorJ: Java sees the same of the same server.
func TestConnectorJ(t *testing.T) {
	jar := connectorJ()
	if _, err := exec.LookPath("java"); err != nil || jar == "" {
		t.Skip("needs java, and mvn dependency:get -Dartifact=com.mysql:mysql-connector-j:9.7.0 -Dtransitive=false, or RTRAIL_CONNECTOR_J=FILE.jar")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	m := start(t, ctx, between("mysql57"))
	if _, err := m.Query(ctx, "CREATE TABLE large_table (id INT PRIMARY KEY, c1 VARCHAR(50))"); err != nil {
		t.Fatal(err)
	}
	times := map[string]float64{}
	for _, log := range []string{"OFF", "ON"} {
		if _, err := m.Query(ctx, "SET GLOBAL slow_query_log = "+log); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(ctx, "java", "-cp", jar, "testdata/InList.java", m.Addr, strconv.Itoa(m.Port), "lab", "large_table", "10000", "128", "2").CombinedOutput()
		lines := said.FindAllStringSubmatch(string(out), -1)
		if err != nil || len(lines) != 2 {
			t.Fatalf("%v: %s", err, out)
		}
		for _, l := range lines {
			if (l[1] == "true") != (l[4] == "1") {
				t.Errorf("the driver did not do as it was told: %s", l[0])
			}
			a, _ := strconv.ParseFloat(l[2], 64) // it has digits
			b, _ := strconv.ParseFloat(l[3], 64)
			times[l[1]+" "+log] = min(a, b)
		}
	}
	if slow := times["true ON"]; slow < 3*times["true OFF"] || slow < 3*times["false ON"] {
		t.Errorf("%v", times)
	}
}
