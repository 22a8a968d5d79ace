package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestMain lets the scripts run this test's binary as rtrail.
func TestMain(m *testing.M) {
	if os.Getenv("RTRAIL_STUCK") != "" {
		stuck()
	}
	testscript.Main(m, map[string]func(){"rtrail": main})
}

// TestScripts runs what users type: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			prometheus := httptest.NewServer(http.HandlerFunc(madeUpPrometheus))
			e.Defer(prometheus.Close)
			e.Setenv("PROMETHEUS", prometheus.URL)
			if err := os.CopyFS(e.WorkDir+"/pairs", os.DirFS("testdata/pairs")); err != nil {
				return err
			}
			if err := os.CopyFS(e.WorkDir+"/reports", os.DirFS("../../internal/imported/testdata")); err != nil {
				return err
			}
			for _, name := range []string{"compare/testdata/sysbench-runs.csv", "compare/testdata/sysbench-environments.csv", "beside/testdata/ladder.log", "beside/testdata/tsar.txt"} {
				text, err := os.ReadFile("../../internal/bench/" + name)
				if err != nil {
					return err
				}
				if err := os.WriteFile(e.WorkDir+"/"+path.Base(name), text, 0o600); err != nil {
					return err
				}
			}
			log, err := os.ReadFile("testdata/mysql-slow.log")
			if err != nil {
				return err
			}
			return os.WriteFile(e.WorkDir+"/mysql-slow.log", log, 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "fits": fits, "closed": closed, "nobody": nobody, "truncate": truncate, "silent": silent,
		},
	})
}

// exits CODE ARGS... runs rtrail and wants an exit code; standard error is
// printed into the file "err", standard output into "out".
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS...")
	}
	cmd := command(ts, args[1:])
	finish(ts, cmd, args[0])
}

// nobody CODE ARGS... does so as a user without rights; it is skipped unless
// the test runs as root, which every other test then covers.
func nobody(ts *testscript.TestScript, neg bool, args []string) {
	cmd := command(ts, args[1:])
	if os.Getuid() == 0 {
		// The test's binary lies in a folder that only root may enter: reach
		// it through a file that is already open.
		binary, err := os.Open(cmd.Path)
		ts.Check(err)
		defer binary.Close()
		cmd.Path = "/proc/self/fd/3"
		cmd.ExtraFiles = []*os.File{binary}
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	finish(ts, cmd, args[0])
}

// command is rtrail as testscript made it for the scripts' PATH.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	path := ""
	for _, dir := range strings.Split(ts.Getenv("PATH"), ":") {
		if _, err := os.Stat(dir + "/rtrail"); err == nil {
			path = dir + "/rtrail"
			break
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Args[0] = "rtrail"
	cmd.Dir = ts.Getenv("WORK")
	// HOME is the script's: the option files of who runs the tests are not meant.
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "HOME="+ts.Getenv("HOME"))
	return cmd
}

func finish(ts *testscript.TestScript, cmd *exec.Cmd, want string) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		ts.Fatalf("run %v: %v", cmd.Args, err)
	}
	ts.Check(os.WriteFile(ts.MkAbs("out"), out.Bytes(), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("err"), errs.Bytes(), 0o644))
	if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != want {
		ts.Fatalf("%v exits with %s, want %s\nstdout:\n%s\nstderr:\n%s", cmd.Args, got, want, out.String(), errs.String())
	}
}

// fits FILE [FORM] validates it against docs/FORM.schema.json, that of verdicts if none is
// named.
func fits(ts *testscript.TestScript, neg bool, args []string) {
	form := "verdict"
	if len(args) > 1 {
		form = args[1]
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, name := range []string{"verdict", "replay", "timeline", "diff", "watch", "bench-compare", "bench-history", "bench-report"} {
		text, err := os.ReadFile("../../docs/" + name + ".schema.json")
		ts.Check(err)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		ts.Check(err)
		ts.Check(c.AddResource("urn:rtrail:"+name+":1", value))
	}
	schema, err := c.Compile("urn:rtrail:" + form + ":1")
	ts.Check(err)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	if err := schema.Validate(value); (err != nil) != neg {
		ts.Fatalf("%s: %v", args[0], err)
	}
}

// closed ARGS... runs rtrail into a pipe that nobody reads and wants a quiet end.
func closed(ts *testscript.TestScript, neg bool, args []string) {
	r, w, err := os.Pipe()
	ts.Check(err)
	ts.Check(r.Close())
	defer w.Close()
	var errs bytes.Buffer
	cmd := command(ts, args)
	cmd.Stdout, cmd.Stderr = w, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		ts.Fatalf("%v into a closed pipe: %v\n%s", cmd.Args, err, errs.String())
	}
}

// truncate FILE cuts a file in half.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), info.Size()/2))
}
