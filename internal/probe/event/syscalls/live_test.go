package syscalls

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// Results and errors are told apart.
func TestLive(t *testing.T) {
	const rounds, bytesEach = 500, 3
	rec := eventtest.Watch(t, New(0), func() {
		zero, err := os.Open("/dev/zero")
		if err != nil {
			t.Fatal(err)
		}
		defer zero.Close()
		b := make([]byte, bytesEach)
		for range rounds {
			_, _ = unix.Pread(int(zero.Fd()), b, 0)
			_, _ = unix.Pread(1<<20, b, 0)
		}
		for range 2 * rounds {
			_, _ = unix.Pread(int(zero.Fd()), nil, 0)
		}
	})
	got := map[int32]recording.SyscallSum{}
	for _, r := range recording.Rows[recording.SyscallSum](rec) {
		if int(r.PID) == os.Getpid() && r.Call == "pread64" {
			got[r.Error] = r
		}
	}
	if r := got[0]; r.Calls != 3*rounds || r.Returned != rounds*bytesEach || r.Nothing != 2*rounds || r.Time <= 0 || r.Longest <= 0 || r.Longest > r.Time || r.Process == "" {
		t.Errorf("reads that succeed: %+v", r)
	}
	if r := got[int32(unix.EBADF)]; r.Calls != rounds || r.Returned != 0 {
		t.Errorf("reads that fail: %+v", r)
	}
}

// Calls and errors of a process are exactly those that strace counts.
func TestAgainstStrace(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip(err)
	}
	const script = `echo $$; i=0; while [ $i -lt 200 ]; do i=$((i+1)); read line < /etc/hostname; [ -e /no/such/$i ]; cd /tmp; done; read wait`
	var counted bytes.Buffer
	var pid string
	rec := eventtest.Watch(t, New(0), func() {
		cmd := exec.Command("strace", "-c", "-U", "calls,errors,name", "sh", "-c", script)
		cmd.Stderr = &counted
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pid, _ = bufio.NewReader(out).ReadString('\n')
		if err := cmd.Wait(); err != nil && counted.Len() == 0 {
			t.Skipf("strace does not count here: %v", err)
		}
	})
	type count struct{ Calls, Errors int64 }
	want := map[string]count{}
	for line := range strings.Lines(counted.String()) {
		f := strings.Fields(line)
		calls, err := int64(0), error(nil)
		if len(f) >= 2 {
			calls, err = strconv.ParseInt(f[0], 10, 64)
		}
		if len(f) < 2 || err != nil || f[len(f)-1] == "total" {
			continue
		}
		c := count{Calls: calls}
		if len(f) == 3 {
			_, _ = fmt.Sscan(f[1], &c.Errors)
		}
		want[f[len(f)-1]] = c
	}
	if len(want) < 5 {
		t.Skipf("strace counted too little:\n%s", counted.String())
	}
	got := map[string]count{}
	for _, r := range recording.Rows[recording.SyscallSum](rec) {
		if strconv.Itoa(int(r.PID)) != strings.TrimSpace(pid) {
			continue
		}
		c := got[r.Call]
		c.Calls += r.Calls
		if r.Error > 0 {
			c.Errors += r.Calls
		}
		got[r.Call] = c
	}
	// The child of strace calls these once each before it begins the program, which strace does not count.
	for _, call := range []string{"getpid", "geteuid", "set_robust_list", "kill"} {
		if c := got[call]; c.Calls == want[call].Calls+1 {
			c.Calls--
			got[call] = c
		}
	}
	for call, w := range want {
		if diff := cmp.Diff(w, got[call]); diff != "" {
			t.Errorf("%s (-strace +ours):\n%s", call, diff)
		}
	}
}

// Types are laid out as in bpf/syscalls.c.
func TestLayout(t *testing.T) {
	if k, s := unsafe.Sizeof(key{}), unsafe.Sizeof(sum{}); k != 8 || s != 64 {
		t.Errorf("keys have %d bytes, sums %d", k, s)
	}
}
