package offcpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// compile builds testdata/chain.c.
func compile(t *testing.T, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "chain")
	if out, err := exec.Command("gcc", append(flags, "-pthread", "-o", program, "testdata/chain.c")...).CombinedOutput(); err != nil {
		t.Skipf("no compiler: %v %s", err, out)
	}
	return program
}

// during runs a program while a source watches, and gives the waits of its threads in a state
// other than runnable.
func during(t *testing.T, cmd *exec.Cmd) (rows []recording.OffCPUWait) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	rec := eventtest.Watch(t, New(0), func() { time.Sleep(700 * time.Millisecond) }, func() { time.Sleep(700 * time.Millisecond) })
	for _, w := range recording.Rows[recording.OffCPUWait](rec) {
		if int(w.PID) == cmd.Process.Pid && w.State != "R" {
			rows = append(rows, w)
		}
	}
	return rows
}

// eventually asks for a time until there is some: copies are made of some waits only, and
// this host may have many more.
func eventually(t *testing.T, time func() time.Duration) time.Duration {
	t.Helper()
	for range 5 {
		if d := time(); d > 0 || t.Failed() {
			return d
		}
	}
	t.Error("no stack was copied")
	return 0
}

// ownFrames are the frames in testdata/chain.c of a stack, without their offsets.
func ownFrames(stack string) (own []string) {
	for f := range strings.SplitSeq(stack, ";") {
		if before, _, ok := strings.Cut(f, "+0x"); ok && before == "chain" {
			f = "chain+0x"
		}
		if f == "main" || strings.HasPrefix(f, "chain") {
			own = append(own, f)
		}
	}
	return own
}

// The functions that lead to a wait are told in their order, whatever the wait is and whether
// or not the program keeps frame pointers; also those of a program without symbols.
func TestCallers(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("call frame information is followed on x86-64")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	for _, tc := range []struct {
		name  string
		flags []string
		way   string
		stack string // what it has; all of it but functions of the C library
	}{
		{"sleep", []string{"-O2", "-fomit-frame-pointer"}, "sleep", "chain_waits;chain_inner;chain_outer;main"},
		{"futex", []string{"-O2", "-fomit-frame-pointer"}, "futex", "chain_waits;chain_inner;chain_outer;main"},
		{"pipe", []string{"-O2", "-fomit-frame-pointer"}, "read", "chain_waits;chain_inner;chain_outer;main"},
		{"lock", []string{"-O2", "-fomit-frame-pointer"}, "mutex", "chain_waits;chain_inner;chain_outer;main"},
		{"frame pointers", []string{"-O2", "-fno-omit-frame-pointer"}, "sleep", "chain_waits;chain_inner;chain_outer;main"},
		{"not optimized", []string{"-O0"}, "read", "chain_waits;chain_inner;chain_outer;main"},
		{"stripped", []string{"-O2", "-fomit-frame-pointer", "-s"}, "sleep", "chain+0x;chain+0x;chain+0x;chain+0x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			right := eventually(t, func() (right time.Duration) {
				for _, w := range during(t, exec.Command(compile(t, tc.flags...), tc.way)) {
					if w.UserStack == "" || w.Thread != "chain" || int(w.TID) != int(w.PID) {
						continue
					}
					own, caller := ownFrames(w.UserStack), "chain_waits"
					if tc.name == "stripped" {
						own = own[:min(len(own), 4)] // without _start
						if caller = w.Caller; !strings.HasPrefix(caller, "chain+0x") {
							t.Errorf("called by %q", caller)
						}
					}
					if strings.Join(own, ";") != tc.stack || w.Caller != caller {
						t.Errorf("%v in %s, called by %q", w.Waited, w.UserStack, w.Caller)
					}
					right += w.Waited
				}
				return right
			})
			t.Logf("%v of about 1.4 s have their callers", right)
		})
	}
}

//go:noinline
func chainInner() (n int) {
	for range 300 {
		if err := unix.Nanosleep(&unix.Timespec{Nsec: 3e7}, nil); err == nil {
			n++
		}
	}
	return n
}

//go:noinline
func chainOuter() int {
	runtime.LockOSThread()
	return chainInner() + 1
}

// Programs in Go are followed by their frame pointers.
func TestCallersInGo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	eventually(t, func() (right time.Duration) {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), "RTRAIL_CHAIN=1")
		for _, w := range during(t, cmd) {
			_, after, found := strings.Cut(w.UserStack, ".chainInner;")
			if !found {
				continue
			}
			outer := strings.Index(after, ".chainOuter;")
			if outer < 0 || !strings.Contains(after[outer:], ".TestMain;") || !strings.HasSuffix(w.Caller, "unix.Nanosleep") && !strings.HasSuffix(w.Caller, ".chainInner") {
				t.Errorf("called by %q in %s", w.Caller, w.UserStack)
			}
			right += w.Waited
		}
		return right
	})
}

// A wait that goes on for all of the time has its callers, too.
func TestCallersOfLongWait(t *testing.T) {
	if runtime.GOARCH != "amd64" || os.Geteuid() != 0 {
		t.Skip("needs root, and x86-64")
	}
	program := compile(t, "-O2", "-fomit-frame-pointer")
	for _, w := range during(t, exec.Command(program, "wait")) {
		if strings.HasSuffix(w.Caller, "chain_waits") && strings.Contains(w.UserStack, "chain_waits;chain_inner;chain_outer;main;") && w.Waited > time.Second {
			return
		}
		t.Logf("%v in %s, called by %s", w.Waited, w.UserStack, w.Caller)
	}
	t.Error("a wait for a lock that goes on all the time has no callers")
}

// Programs that end while their stacks are followed do no harm.
func TestCallersOfTheDead(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	program := compile(t, "-O2")
	end := time.Now().Add(time.Second)
	eventtest.Watch(t, New(0), func() {
		for time.Now().Before(end) {
			cmd := exec.Command(program, "sleep")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(80 * time.Millisecond)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
}

// A stack that is deeper than what is copied of it says so. That of a wait which goes on at a
// reading is read whole.
func TestDeepCallers(t *testing.T) {
	if runtime.GOARCH != "amd64" || os.Geteuid() != 0 {
		t.Skip("needs root, and x86-64")
	}
	program := compile(t, "-O2", "-fomit-frame-pointer")
	eventually(t, func() (cut time.Duration) {
		for _, w := range during(t, exec.Command(program, "sleep", "40")) {
			if w.UserStack == "" || strings.Count(w.UserStack, "chain_deep") == 41 && strings.HasSuffix(w.UserStack, ";_start") {
				continue
			}
			cut += w.Waited
			if n := strings.Count(w.UserStack, "chain_deep"); n < 10 || n > 20 || !strings.HasSuffix(w.UserStack, ";chain_deep;...") {
				t.Errorf("%d of 40 frames in 16 KiB: %s", n, w.UserStack)
			}
		}
		return cut
	})
}
