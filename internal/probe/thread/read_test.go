package thread

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

func TestParseSyscall(t *testing.T) {
	tests := []struct {
		in   string
		want int32
	}{
		{"202 0x55d0 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f3a\n", 202},
		{"0 0x3 0x7ffd 0x1000 0x0 0x0 0x0 0x7ffd 0x7f3a\n", 0},
		{"-1 0x7ffd 0x7f3a\n", recording.Unknown},
		{"running\n", recording.Unknown},
		{"", recording.Unknown},
		{"99999999999 0x0\n", recording.Unknown},
	}
	for _, test := range tests {
		if got := parseSyscall([]byte(test.in)); got != test.want {
			t.Errorf("parseSyscall(%q) = %d, want %d", test.in, got, test.want)
		}
	}
}

func TestSyscallName(t *testing.T) {
	for number, want := range map[int32]string{unix.SYS_FUTEX: "futex", unix.SYS_READ: "read", unix.SYS_EPOLL_PWAIT: "epoll_pwait", -1: "", 1 << 20: ""} {
		if got := SyscallName(number); got != want {
			t.Errorf("system call %d on %s is %q, want %q", number, runtime.GOARCH, got, want)
		}
	}
}

func TestParseStack(t *testing.T) {
	const stack = "[<0>] futex_do_wait.isra.0+0x4e/0x80\n[<0>] do_syscall_64+0x8e/0x180\n[<0>] entry_SYSCALL_64_after_hwframe+0x76/0x7e\n"
	if got, want := parseStack([]byte(stack)), "futex_do_wait;do_syscall_64;entry_SYSCALL_64_after_hwframe"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := parseStack([]byte("nonsense\n[<0>] \n")); got != "" {
		t.Errorf("got %q from nonsense", got)
	}
}

func TestReadsInput(t *testing.T) {
	for line, want := range map[string]bool{
		"0 0x0 0x7ffc0 0x1 0x0 0x0 0x0 0x7ffc 0x7f01\n":  true,
		"0 0x3 0x7ffc0 0x80 0x0 0x0 0x0 0x7ffc 0x7f01\n": false,
		"-1 0x7ffc 0x7f01\n":                             false, "running\n": false, "0\n": false, "": false,
	} {
		if got := readsInput([]byte(line)); got != want {
			t.Errorf("readsInput(%q) = %v", line, got)
		}
	}
}

// TestTurns: with more threads than a look may read, they take turns, and what
// had no turn is counted.
func TestTurns(t *testing.T) {
	turns := newTurns(1000, 400)
	seen := map[int]int{}
	for range 5 {
		for i := range 1000 {
			if turns.has(i) {
				seen[i]++
			}
		}
		turns = turns.next(1000, 400)
	}
	for i := range 1000 {
		if seen[i] != 2 {
			t.Fatalf("thread %d was read %d times in 5 looks of 400 of 1000, want 2", i, seen[i])
		}
	}
	if few := newTurns(10, 400); !few.has(0) || !few.has(9) {
		t.Error("with few threads everyone has a turn in each look")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("[<0>] futex_do_wait+0x4e/0x80\n"))
	f.Add([]byte("202 0x0\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := parseSyscall(b); n < recording.Unknown {
			t.Errorf("system call %d", n)
		}
		if len(parseStack(b)) > len(b) {
			t.Error("a stack longer than the file")
		}
	})
}
