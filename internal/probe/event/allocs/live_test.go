package allocs

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// leaky allocates 512 MiB in two functions when it is told to, and frees what the
// one of them got.
const leaky = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *kept[1 << 16];

__attribute__((noinline)) char *keep(int i) { return kept[i] = malloc(4096); }
__attribute__((noinline)) void use(void) { char *p = calloc(16, 256); memset(p, 1, 4096); asm volatile("" ::"r"(p) : "memory"); free(p); }

int main(void)
{
	setvbuf(stdout, 0, _IONBF, 0);
	puts("ready");
	getchar();
	for (int i = 0; i < 1 << 16; i++) {
		keep(i)[0] = 1;
		use();
	}
	puts("done");
	getchar();
	return 0;
}`

func TestAllocations(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("it needs a C compiler")
	}
	if os.Geteuid() != 0 {
		t.Skip("it needs root")
	}
	program := filepath.Join(t.TempDir(), "leaky")
	build := exec.Command(cc, "-O1", "-fno-omit-frame-pointer", "-x", "c", "-o", program, "-")
	build.Stdin = strings.NewReader(leaky)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	run := exec.Command(program)
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = run.Wait() }()
	lines := bufio.NewScanner(out)
	lines.Scan()
	s, err := New(int32(run.Process.Pid), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	rec := eventtest.Watch(t, s, func() { _, _ = in.Write([]byte("\n")); lines.Scan() })
	held, all := map[string]int64{}, map[string]int64{}
	for _, r := range recording.Rows[recording.Allocation](rec) {
		t.Logf("%s (%s): %d bytes, %d freed: %s", r.Function, r.Module, r.Bytes, r.FreedBytes, r.Stack)
		held[r.Function] += r.Bytes - r.FreedBytes
		all[r.Function] += r.Bytes
		if r.Function == "keep" && !strings.HasPrefix(r.Stack, "keep;main") {
			t.Errorf("the stack of keep is %s", r.Stack)
		}
	}
	const each = 4096 << 16
	for _, name := range []string{"keep", "use"} {
		if off := float64(all[name])/each - 1; off < -0.05 || off > 0.05 {
			t.Errorf("%s allocated %d bytes, want %d", name, all[name], each)
		}
	}
	if off := float64(held["keep"])/each - 1; off < -0.05 || off > 0.05 || held["use"] != 0 {
		t.Errorf("keep holds %d bytes, want %d; use holds %d", held["keep"], each, held["use"])
	}
}

// What does not allocate by malloc is told what does.
func TestNotByMalloc(t *testing.T) {
	// With cgo, as under the race detector, the test itself has the C library.
	if maps, err := os.ReadFile("/proc/self/maps"); err != nil {
		t.Error(err)
	} else if !strings.Contains(string(maps), "/libc.so") {
		_, err := New(int32(os.Getpid()), 0)
		if missing, ok := errors.AsType[*probe.MissingError](err); !ok || !strings.Contains(missing.How, "pprof") {
			t.Errorf("a program in Go: %v", err)
		}
	}
	if _, err := New(1<<30, 0); err == nil {
		t.Error("a process that is not there is followed")
	}
}
