package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// verdicts answers one verdict after the other, whatever the host is like.
func verdicts(t *testing.T, list ...[]findingDoc) func(context.Context, *Env, time.Duration) ([]byte, error) {
	t.Helper()
	return func(context.Context, *Env, time.Duration) ([]byte, error) {
		if len(list) == 0 {
			return nil, errors.New("asked for more verdicts than the test expects")
		}
		var v verdictDoc
		v.Findings, list = list[0], list[1:]
		v.Window.End = time.Now()
		return json.Marshal(v)
	}
}

// quickCase is a case without a fault, whose application does better after
// Fix than after Inject.
func quickCase() Case {
	value := 100.0
	return Case{
		ID: "test/quick", Rule: "cpu/saturated", Name: "hog.*",
		Setup:  func(context.Context, *Env) error { return nil },
		Inject: func(context.Context, *Env) error { value = 10; return nil },
		Fix:    func(context.Context, *Env) error { value = 90; return nil },
		Measure: func(context.Context, *Env, time.Duration) (Measurement, error) {
			return Measurement{Value: value, Unit: "requests/s"}, nil
		},
	}
}

func inTempState(t *testing.T) {
	t.Helper()
	old := stateDir
	useState(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	t.Cleanup(func() { stateDir = old })
}

func useState(dir string) { stateDir = func() (string, error) { return dir, nil } }

func statePath(t *testing.T) string {
	t.Helper()
	dir, err := stateDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// leftovers lists state files and folders that labs have left.
func leftovers(t *testing.T) []string {
	t.Helper()
	state, _ := filepath.Glob(statePath(t) + "/*.json")
	dirs, _ := filepath.Glob(os.TempDir() + "/rtrail-lab-*")
	return append(state, dirs...)
}

func TestRunComparesVerdicts(t *testing.T) {
	found := finding("cpu/saturated", "hog-7", "certain")
	other := finding("disk/full", "/", "likely")
	tests := []struct {
		name          string
		under, after  []findingDoc
		change        func(*Case)
		pass          bool
		rank          int
		why           string
		others, still int
	}{
		{name: "found and gone", under: []findingDoc{found}, pass: true, rank: 1},
		{name: "not found", why: "was not found"},
		{name: "second", under: []findingDoc{other, found}, why: "ranks 2", rank: 2, others: 1},
		{name: "only possible", under: []findingDoc{finding("cpu/saturated", "hog-7", "possible")}, rank: 1, why: "only possible"},
		{name: "honestly no more than possible", under: []findingDoc{finding("cpu/saturated", "hog-7", "possible")}, pass: true, rank: 1,
			change: func(c *Case) { c.AtMostPossible = "a trend" }},
		{name: "possible, and still so after the fix", under: []findingDoc{finding("cpu/saturated", "hog-7", "possible")},
			after: []findingDoc{finding("cpu/saturated", "hog-7", "possible")}, rank: 1, why: "after the fix there is still", still: 1,
			change: func(c *Case) { c.AtMostPossible = "a trend" }},
		{name: "a fault that was withstood", under: []findingDoc{found}, pass: true, rank: 1,
			change: func(c *Case) { c.Withstood = "cookies"; c.Fix = func(context.Context, *Env) error { return nil } }},
		{name: "other subject", under: []findingDoc{finding("cpu/saturated", "nginx", "certain")}, why: "but for process nginx", others: 1},
		{name: "another beside it", under: []findingDoc{found, other}, rank: 1, why: "another finding beside it: disk/full", others: 1},
		{name: "another that is allowed", under: []findingDoc{found, other}, pass: true, rank: 1, others: 1,
			change: func(c *Case) { c.AllowOthers = []string{"disk/full"} }},
		{name: "a hint beside it", under: []findingDoc{found, finding("disk/full", "/", "possible")}, pass: true, rank: 1},
		{name: "still there", under: []findingDoc{found}, after: []findingDoc{found}, rank: 1, why: "after the fix there is still", still: 1},
		{name: "fix does not help", under: []findingDoc{found}, rank: 1, why: "did not help",
			change: func(c *Case) { c.Fix = func(context.Context, *Env) error { return nil } }},
		{name: "silent control", pass: true, change: makeControl},
		{name: "accused control", under: []findingDoc{other}, why: "a healthy host was accused", others: 1, change: makeControl},
		{name: "control with a hint", under: []findingDoc{finding("disk/full", "/", "possible")}, pass: true, change: makeControl},
		{name: "control with a hint it must not give", under: []findingDoc{finding("disk/full", "/", "possible")}, why: "a healthy host was accused", others: 1,
			change: func(c *Case) { makeControl(c); c.NotEven = []string{"disk/full"} }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inTempState(t)
			c := quickCase()
			if test.change != nil {
				test.change(&c)
			}
			r := Runner{Diagnose: verdicts(t, test.under, test.after)}.Run(t.Context(), c)
			if r.Pass != test.pass || r.Rank != test.rank || !strings.Contains(r.Why, test.why) || (test.why == "") != (r.Why == "") {
				t.Errorf("pass %v, rank %d, why %q; want %v, %d, %q", r.Pass, r.Rank, r.Why, test.pass, test.rank, test.why)
			}
			if len(r.Others) != test.others || len(r.AfterFix) != test.still {
				t.Errorf("others %q, after the fix %q; want %d and %d", r.Others, r.AfterFix, test.others, test.still)
			}
			if left := leftovers(t); left != nil {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func makeControl(c *Case) { c.Rule, c.Name, c.Inject, c.Fix = "", "", nil, nil }

func finding(rule, name, confidence string) findingDoc {
	f := findingDoc{Rule: rule, Confidence: confidence, Headline: "it is so"}
	f.Subject.Kind, f.Subject.Name = "process", name
	return f
}

func TestRunSkips(t *testing.T) {
	inTempState(t)
	c := quickCase()
	c.Needs = Needs{Commands: []string{"sh", "no-such-command"}, Packages: []string{"no-such-package"}}
	r := Runner{}.Run(t.Context(), c)
	if want := "needs the command no-such-command; apt-get install no-such-package"; !r.Skipped || r.Pass || r.Why != want {
		t.Errorf("skipped %v, pass %v, why %q; want %q", r.Skipped, r.Pass, r.Why, want)
	}
}

func TestRunCleansUpAfterTrouble(t *testing.T) {
	tests := map[string]struct {
		inject func(context.CancelFunc) error
		why    string
	}{
		"failure":   {func(context.CancelFunc) error { return errors.New("no luck") }, "inject the fault: no luck"},
		"panic":     {func(context.CancelFunc) error { panic("no idea") }, "the case panicked: no idea"},
		"interrupt": {func(cancel context.CancelFunc) error { cancel(); return context.Canceled }, "stopped: context canceled"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inTempState(t)
			ctx, cancel := context.WithCancel(t.Context())
			var sleeper *Proc
			hooked := false
			c := quickCase()
			c.Setup = func(_ context.Context, e *Env) (err error) {
				e.Defer("note it", func() error { hooked = true; return nil })
				sleeper, err = e.Start("sh", "-c", "sleep 60 & wait")
				return err
			}
			c.Inject = func(context.Context, *Env) error { return test.inject(cancel) }
			r := Runner{}.Run(ctx, c)
			if r.Pass || !strings.Contains(r.Why, test.why) {
				t.Errorf("pass %v, why %q; want %q", r.Pass, r.Why, test.why)
			}
			if sleeper.Alive() || len(descendants(sleeper.PID)) > 0 {
				t.Error("its processes still run")
			}
			if left := leftovers(t); left != nil || !hooked {
				t.Errorf("left behind: %q; hook called: %v", left, hooked)
			}
		})
	}
}

// helper is a lab in a process of its own, that the test kills. It changes a
// file that stands for one of the kernel's, and says when it is ready.
func helper() {
	useState(os.Getenv("LAB_TEST_STATE"))
	procSys = os.Getenv("LAB_TEST_PROC_SYS")
	e, err := NewEnv("test/killed", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// setsid leaves the process group and ignores nothing: only the mark in
	// its environment leads to it.
	if _, err := e.Start("sh", "-c", "setsid sleep 61 & sleep 62"); err != nil {
		fmt.Println(err)
	}
	if err := e.Sysctl(conntrackMax, "7"); err != nil {
		fmt.Println(err)
	}
	fmt.Println("ready", e.ID)
	time.Sleep(time.Minute)
}

func TestCleanAfterKill(t *testing.T) {
	inTempState(t)
	real := procSys
	procSys = t.TempDir()
	t.Cleanup(func() { procSys = real })
	file := sysctlFile(conntrackMax)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("4711\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LAB_TEST_HELPER=1", "LAB_TEST_STATE="+statePath(t), "LAB_TEST_PROC_SYS="+procSys)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var word, id string
	if _, err := fmt.Fscan(stdout, &word, &id); err != nil || word != "ready" {
		t.Fatalf("the lab said %q %q: %v", word, id, err)
	}

	if err := Until(t.Context(), 5*time.Second, "the lab's three processes", func() (bool, error) {
		return len(living(id, nil)) == 3, nil
	}); err != nil {
		t.Error(err)
	}
	var out strings.Builder
	if n, err := Clean(&out); err != nil || n != 0 || !strings.Contains(out.String(), "left alone") {
		t.Errorf("a running lab: %d cleaned, %v, %q", n, err, out.String())
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed: an error is what we want
	if len(living(id, nil)) == 0 {
		t.Error("the grandchild died with the lab: the test proves nothing")
	}

	out.Reset()
	if n, err := Clean(&out); err != nil || n != 1 {
		t.Errorf("after the kill: %d cleaned, %v, %q", n, err, out.String())
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "4711" {
		t.Errorf("the variable is %q, %v", b, err)
	}
	if alive := living(id, nil); len(alive) > 0 {
		t.Errorf("processes %v still run", alive)
	}
	if left := leftovers(t); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

// TestEnvOnHost makes one of everything that needs root, and looks whether it
// is gone afterwards.
func TestEnvOnHost(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make network namespaces, control groups and mounts")
	}
	for _, c := range []string{"ip", "mkfs.ext4", "losetup", "fsfreeze"} {
		if _, err := exec.LookPath(c); err != nil {
			t.Skipf("needs the command %s", c)
		}
	}
	inTempState(t)
	e, err := NewEnv("test/host", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Cleanup()
	a, err := e.NetNS("a")
	if err != nil {
		t.Skipf("cannot make a network namespace here: %v", err)
	}
	b, err := e.NetNS("b")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Veth(a, b); err != nil {
		t.Error(err)
	}
	disk, err := e.LoopFS("disk", 8*mib)
	if err != nil {
		t.Skipf("cannot make a loop filesystem here: %v", err)
	}
	g, err := e.Cgroup("group", "cpu")
	if err != nil {
		t.Skipf("cannot make a control group here: %v", err)
	}
	p, err := startActor(e, Options{NetNS: a, Cgroups: []*Cgroup{g}}, "stuck-writer", "rewrite", disk.Mount+"/f", e.Path("n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := untilReported(t.Context(), e, "n"); err != nil {
		t.Error(err, p.Output())
	}
	if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.PID)); err != nil || strings.TrimSpace(string(comm)) != "stuck-writer" {
		t.Errorf("it is called %q, %v", comm, err)
	}
	// The hardest thing to leave: a writer that cannot die before the thaw.
	if err := disk.Freeze(); err != nil {
		t.Error(err)
	}
	if err := Until(t.Context(), 5*time.Second, "the writer to hang", func() (bool, error) { return e.inState('D') > 0, nil }); err != nil {
		t.Error(err)
	}
	items := e.journal.list()
	if err := e.Cleanup(); err != nil {
		t.Error(err)
	}
	if alive := living(e.ID, items); len(alive) > 0 {
		t.Errorf("processes %v still run", alive)
	}
	for _, m := range items {
		switch m.Kind {
		case madeNetNS:
			m.Name = "/run/netns/" + m.Name
		case madeLink:
			m.Name = "/sys/class/net/" + m.Name
		case madeMount, madeCgroup, madeDir, madeLoop:
		default:
			continue
		}
		if _, err := os.Stat(m.Name); err == nil {
			t.Errorf("%s %s is still there", m.Kind, m.Name)
		}
	}
	if mounts, err := os.ReadFile("/proc/mounts"); err != nil || strings.Contains(string(mounts), e.ID) {
		t.Errorf("still mounted, or %v", err)
	}
	if left := leftovers(t); left != nil {
		t.Errorf("left behind: %q", left)
	}
}
