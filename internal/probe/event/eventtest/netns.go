package eventtest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// InNamespace runs a test in a network namespace of its own, with loopback up. The thread
// ends with the test, which is skipped without root or iproute2.
func InNamespace(t *testing.T, do func(*testing.T)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("this needs iproute2")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			t.Errorf("unshare: %v", err)
			return
		}
		if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
			t.Errorf("loopback: %v: %s", err, out)
			return
		}
		do(t)
	}()
	<-done
}

// NetCounters are those of the network namespace of this thread, named as nstat does.
func NetCounters(t *testing.T) map[string]int64 {
	t.Helper()
	n := map[string]int64{}
	for _, file := range []string{"snmp", "netstat"} {
		var names []string
		for line := range strings.Lines(read(t, file)) {
			words := strings.Fields(line)
			if len(names) == 0 || names[0] != words[0] {
				names = words
				continue
			}
			for i := 1; i < len(words); i++ {
				var v int64
				_, _ = fmt.Sscan(words[i], &v)
				n[strings.TrimSuffix(words[0], ":")+names[i]] = v
			}
		}
	}
	for line := range strings.Lines(read(t, "snmp6")) {
		var name string
		var v int64
		if _, err := fmt.Sscan(line, &name, &v); err == nil {
			n[name] = v
		}
	}
	return n
}

func read(t *testing.T, file string) string {
	b, err := os.ReadFile("/proc/thread-self/net/" + file)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}
