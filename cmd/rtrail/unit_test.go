package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rtrail/internal/recording"
)

func option(t *testing.T, unit, name string) []string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + `=(.*)$`).FindStringSubmatch(unit)
	if m == nil {
		t.Fatalf("the unit has no %s", name)
	}
	return strings.Fields(m[1])
}

func TestBootUnit(t *testing.T) {
	unit := bootUnit
	if a, b := option(t, unit, "AmbientCapabilities"), option(t, unit, "CapabilityBoundingSet"); !slices.Equal(a, b) {
		t.Errorf("ambient capabilities are %q, bounded by %q", a, b)
	} else if polite := regexp.MustCompile(`(?m)^(Nice|CPUSchedulingPolicy)=.*$`).FindString(unit); polite != "" || !slices.Contains(a, "CAP_SYS_NICE") {
		// A recorder that goes last is late where it matters most.
		t.Errorf("%s, capabilities %q: probes cannot go before the programs of a busy host", polite, a)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	// What runs it need not be there.
	file := filepath.Join(t.TempDir(), "rtrail.service")
	if err := os.WriteFile(file, []byte(strings.Replace(unit, "/usr/local/bin/rtrail", "/bin/true", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("systemd-analyze", "verify", file).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "rtrail.service") {
			t.Errorf("systemd-analyze: %v: %s", err, line)
		}
	}
	// Of what it may do most is what it is for, or seen through the mounts of the host.
	out, err = exec.Command("systemd-analyze", "security", "--offline=true", "--threshold="+maxExposure, file).CombinedOutput()
	if strings.Contains(string(out), "unrecognized option") {
		t.Skip("systemd before 250")
	}
	if err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
}

// maxExposure is the exposure of the unit as systemd-analyze counts it, in tenths of 0 to 10.
const maxExposure = "50"

// With the capabilities of the unit a recorder that is not root starts the probes that root
// starts. Without one of them it says what is missing.
func TestCapabilitiesOfBootUnit(t *testing.T) {
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("gives capabilities to another user: needs root, and seconds")
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip("no setpriv")
	}
	dir, err := os.MkdirTemp("", "rtrail-unit-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary := filepath.Join(dir, "rtrail")
	copied(t, binary)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// A process of another network namespace, and of another user, that waits in calls.
	other := exec.Command("sh", "-c", "while :; do sleep 0.05; done")
	other.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWNET}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	runs := 0
	recorder := func(as []string) (cmd *exec.Cmd, rec string) {
		runs++
		home := filepath.Join(dir, strings.Repeat("r", runs))
		if err := os.Mkdir(home, 0o700); err != nil {
			t.Fatal(err)
		}
		if len(as) > 0 {
			if err := os.Chown(home, 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}
		rec = filepath.Join(home, "rec")
		args := append(slices.Clone(as), binary, "record", "-o", rec, "--for", "2s", "--mysql", "off")
		cmd = exec.Command(args[0], args[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		return cmd, rec
	}
	// What a recorder with some rights does not see: probes that do not run, and what others note.
	missing := func(as []string) (list []string) {
		cmd, rec := recorder(as)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		for _, m := range regexp.MustCompile(`(?m)^rtrail: probe (\S+) does not run`).FindAllSubmatch(out, -1) {
			list = append(list, string(m[1]))
		}
		r, err := recording.Open(t.Context(), rec)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range recording.Readings[recording.UnseenNote](r) {
			// What came too fast or hung depends on the moment.
			if why := n.Of().Why; strings.Contains(why, "permi") {
				list = append(list, n.Of().What)
			}
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	// Whether a recorder may order its threads, by what it may do to one of them for good.
	orders := func(as []string) (does bool) {
		cmd, _ := recorder(as)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%v: %v", cmd.Args, err)
				}
				return does
			case <-time.After(50 * time.Millisecond):
			}
			if id, ok := monitorThread(fmt.Sprintf("/proc/%d/task", cmd.Process.Pid)); ok {
				slack, err := os.ReadFile(filepath.Join("/proc", id, "timerslack_ns"))
				does = does || err == nil && strings.TrimSpace(string(slack)) == strconv.Itoa(int(monitorSlack))
			}
		}
	}
	caps := option(t, bootUnit, "CapabilityBoundingSet")
	with := func(without ...string) []string {
		set := "-all"
		for _, c := range caps {
			if !slices.Contains(without, c) {
				set += ",+" + strings.ToLower(strings.TrimPrefix(c, "CAP_"))
			}
		}
		return []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "--inh-caps=" + set, "--ambient-caps=" + set, "--bounding-set=" + set}
	}
	root := missing(nil)
	if got := missing(with()); !slices.Equal(got, root) {
		t.Errorf("with the unit's capabilities this is not seen: %q, as root: %q", got, root)
	}
	for _, c := range []struct{ without, unseen []string }{
		{[]string{"CAP_SYSLOG"}, []string{"klog"}},
		{[]string{"CAP_BPF", "CAP_SYS_ADMIN"}, []string{"exec"}},
		{[]string{"CAP_PERFMON", "CAP_SYS_ADMIN"}, []string{"oncpu"}},
		{[]string{"CAP_SYS_ADMIN"}, []string{"sockets and counters of other network namespaces"}},
		{[]string{"CAP_SYS_PTRACE"}, []string{string(recording.UnseenSyscalls), "sockets and counters of other network namespaces"}},
		{[]string{"CAP_DAC_READ_SEARCH"}, []string{string(recording.UnseenSyscalls)}},
		{[]string{"CAP_NET_ADMIN"}, []string{string(recording.UnseenPacketFilter)}},
	} {
		got := missing(with(c.without...))
		for _, what := range c.unseen {
			if slices.Contains(root, what) {
				t.Logf("root does not see this either: %s", what)
			} else if !slices.Contains(got, what) {
				t.Errorf("without %q this is not seen: %q; want %s among it", c.without, got, what)
			}
		}
	}
	if !orders(nil) {
		t.Log("root cannot set the slack of a thread either")
	} else if does, without := orders(with()), orders(with("CAP_SYS_NICE")); !does || without {
		t.Errorf("the recorder orders its threads with the unit's capabilities: %v, without CAP_SYS_NICE: %v", does, without)
	}
}

// copied puts this test's binary, which is rtrail, where other users may run it.
func copied(t *testing.T, to string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, from); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
