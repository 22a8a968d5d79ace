package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

type fakeProbe struct{ err error }

func (fakeProbe) Name() string                                    { return "klog" }
func (fakeProbe) Help() string                                    { return "the kernel log" }
func (fakeProbe) Fills() []recording.Table                        { return nil }
func (p fakeProbe) Start() error                                  { return p.err }
func (fakeProbe) Close() error                                    { return nil }
func (fakeProbe) Sample(context.Context, *recording.Writer) error { return nil }

// tree makes a small root directory.
func tree(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func item(t *testing.T, list []Item, name string) Item {
	t.Helper()
	for _, i := range list {
		if i.Name == name {
			return i
		}
	}
	t.Fatalf("no item %q", name)
	return Item{}
}

func TestProbes(t *testing.T) {
	missing := &probe.MissingError{What: "CAP_SYSLOG", How: "run as root"}
	r := Examine(t.TempDir(), recording.Host{Kernel: "6.1"}, []probe.Probe{fakeProbe{missing}, fakeProbe{}})
	if i := r.Probes[0]; i.OK || i.Problem != "needs CAP_SYSLOG" || i.How != "run as root" {
		t.Errorf("a probe that lacks something: %+v", i)
	}
	if i := r.Probes[1]; !i.OK || i.Problem != "" || i.How != "" {
		t.Errorf("a probe that can run: %+v", i)
	}
}

func TestFeatures(t *testing.T) {
	r := Examine(tree(t, map[string]string{
		"proc/pressure/cpu":              "some avg10=0.00",
		"proc/sys/kernel/task_delayacct": "0\n",
	}), recording.Host{}, nil)
	if i := item(t, r.Features, "pressure"); !i.OK || i.How != "" {
		t.Errorf("PSI is there, but: %+v", i)
	}
	if i := item(t, r.Features, "delay accounting"); i.OK || i.Problem != "kernel.task_delayacct is 0" || !strings.Contains(i.How, "sysctl -w kernel.task_delayacct=1") {
		t.Errorf("delay accounting is off, but: %+v", i)
	}
	if i := item(t, r.Features, "BPF iterators"); i.OK || !strings.Contains(i.Problem, "no such file") || !strings.Contains(i.How, "cap_bpf") {
		t.Errorf("the kernel has no types, but: %+v", i)
	}
	on := Examine(tree(t, map[string]string{"proc/sys/kernel/task_delayacct": "1\n", "proc/pressure/cpu": ""}), recording.Host{}, nil)
	if i := item(t, on.Features, "delay accounting"); !i.OK {
		t.Errorf("delay accounting is on, but: %+v", i)
	}
	for _, c := range []struct {
		release, cmdline, problem string
	}{
		{"4.18.0-553.el8.x86_64", "ro quiet", ""}, // no setting: it is on
		{"4.18.0-553.el8.x86_64", "ro nodelayacct quiet", "switched off at boot (nodelayacct)"},
		{"6.1.0-18-amd64", "ro quiet", "/proc/sys/kernel/task_delayacct is not there: a kernel without CONFIG_TASK_DELAY_ACCT"},
	} {
		r := Examine(tree(t, map[string]string{"proc/sys/kernel/osrelease": c.release + "\n", "proc/cmdline": c.cmdline + "\n"}), recording.Host{}, nil)
		if i := item(t, r.Features, "delay accounting"); i.Problem != c.problem || i.OK != (c.problem == "") {
			t.Errorf("%s, booted with %q: %+v", c.release, c.cmdline, i)
		}
	}
	if i := item(t, on.Features, "pressure"); i.OK {
		t.Error("a pressure file that does not read counts as there")
	}
}
