package privilege

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What is given up is gone for ever, so the tests run their own binary again.
func TestMain(m *testing.M) {
	if dir := os.Getenv("CONFINED_IN"); dir != "" {
		confined(dir, os.Getenv("CONFINED_WRITES") != "")
		return
	}
	os.Exit(m.Run())
}

// confined tells what is still possible.
func confined(dir string, writes bool) {
	say := func(what string, ok bool) {
		if ok {
			os.Stdout.WriteString(what + "\n")
		}
	}
	n := Needs{Read: []string{filepath.Join(dir, "input")}}
	if writes {
		n.Write = []string{filepath.Join(dir, "out", "file")}
	}
	if err := Confine(n); err != nil {
		say("failed: "+err.Error(), true)
		say("threads", errors.Is(err, ErrThreads))
		return
	}
	_, err := os.ReadFile(filepath.Join(dir, "input"))
	say("reads the input", err == nil)
	_, err = os.ReadFile(filepath.Join(dir, "other"))
	say("reads others", err == nil)
	say("writes the output", os.WriteFile(filepath.Join(dir, "out", "file"), nil, 0o600) == nil)
	say("writes others", os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) == nil)
	_, err = net.Dial("tcp", os.Getenv("CONFINED_DIALS"))
	say("connects", err == nil)
	say("is root", os.Geteuid() == 0)
	// Another thread is as poor as this one.
	done := make(chan bool)
	go func() { done <- unix.Sethostname([]byte("x")) == nil }()
	say("administers", <-done)
}

func TestConfine(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("privileges are given up by root only")
	}
	dir := t.TempDir()
	for at := dir; at != "/tmp" && at != "/"; at = filepath.Dir(at) {
		_ = os.Chmod(at, 0o755)
	}
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"input", "other"} { // of a third user
		if err := errors.Join(os.WriteFile(filepath.Join(dir, name), nil, 0o600), os.Chown(filepath.Join(dir, name), 4711, 4711)); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	exe, err := os.Open("/proc/self/exe") // other users may not enter its folder
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	landlocked := errno == 0 && version >= 4
	for name, tc := range map[string]struct {
		sudo, writes bool
		want         []string
		unless       []string // also without Landlock
	}{
		"root reads":          {false, false, []string{"reads the input", "is root"}, []string{"reads others", "writes others", "connects", "writes the output"}},
		"root writes":         {false, true, []string{"reads the input", "writes the output", "is root"}, []string{"reads others", "writes others", "connects"}},
		"somebody reads":      {true, false, []string{"reads the input"}, []string{"reads others", "connects"}},
		"somebody has output": {true, true, []string{"reads the input", "writes the output", "is root"}, []string{"reads others", "writes others", "connects"}},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "/proc/self/fd/3")
			cmd.ExtraFiles = []*os.File{exe}
			cmd.Env = append(os.Environ(), "CONFINED_IN="+dir, "CONFINED_DIALS="+listener.Addr().String())
			if tc.sudo {
				cmd.Env = append(cmd.Env, "SUDO_UID=65534", "SUDO_GID=65534")
			}
			if tc.writes {
				cmd.Env = append(cmd.Env, "CONFINED_WRITES=1")
			}
			b, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, b)
			}
			got := string(b)
			if strings.Contains(got, "threads\n") {
				t.Skip(ErrThreads)
			}
			want := map[string]bool{}
			for _, w := range tc.want {
				want[w] = true
			}
			for _, what := range []string{"reads the input", "reads others", "writes the output", "writes others", "connects", "is root", "administers"} {
				can := strings.Contains(got, what+"\n")
				if can == want[what] {
					continue
				}
				if can && !landlocked && strings.Contains(strings.Join(tc.unless, ","), what) {
					continue
				}
				t.Errorf("%q: %v\n%s", what, can, got)
			}
		})
	}
}
