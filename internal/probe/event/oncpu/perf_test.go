package oncpu

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// burns prints its PID and uses twelve seconds of a CPU, most of them in one function.
const burns = `#include <stdio.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long x;
__attribute__((noinline)) void burn_most(void) { for (int i = 0; i < 950000; i++) x = x * 31 + i; }
__attribute__((noinline)) void burn_some(void) { for (int i = 0; i < 50000; i++) x = x * 31 + i; }
int main(void)
{
	printf("%d\n", getpid());
	while (clock() < 12 * CLOCKS_PER_SEC) {
		burn_most();
		burn_some();
	}
}
`

// The hottest function has the share that perf finds at twenty times the rate, to 3
// points.
func TestAgainstPerf(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	if testing.Short() {
		t.Skip("takes 20 seconds")
	}
	for _, tool := range []string{"perf", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	eventtest.Holds(t, func() []string { return besidePerf(t) })
}

// besidePerf profiles a program together with perf, and says where they differ.
func besidePerf(t *testing.T) (wrong []string) {
	dir := t.TempDir()
	file, source, exe := filepath.Join(dir, "perf.data"), filepath.Join(dir, "burns.c"), filepath.Join(dir, "burns")
	if err := os.WriteFile(source, []byte(burns), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O1", "-g", "-o", exe, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var said bytes.Buffer
	var refused error
	cmd := exec.Command("perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", file, "--", exe)
	cmd.Stdout = &said
	// It is seen while it runs, however slowly: what it maps is not known after its end, and
	// others have stacks, too.
	ended := make(chan error, 1)
	steps := []func(){func() {
		if err := cmd.Start(); err != nil {
			ended <- err
			return
		}
		go func() { ended <- cmd.Wait() }()
	}}
	for range 150 {
		steps = append(steps, func() {
			select {
			case refused = <-ended:
				ended <- refused
			case <-time.After(time.Second):
			}
		})
	}
	rec := eventtest.Watch(t, New(0), append(steps, func() { refused = <-ended })...)
	if refused != nil {
		t.Skipf("perf does not record here: %v", refused)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(said.String()))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("perf", "report", "-i", file, "--stdio", "-q", "-s", "symbol", "--pid", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Skipf("perf does not read what it recorded: %v", err)
	}
	want := math.NaN()
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); slices.Contains(fields, "burn_most") {
			want, _ = strconv.ParseFloat(strings.TrimSuffix(fields[0], "%"), 64)
		}
	}
	var hot, all int64
	for _, r := range recording.Rows[recording.OnCPUSample](rec) {
		if int(r.PID) != pid || r.Process == "perf" {
			continue
		}
		all += r.Samples
		if strings.HasSuffix(r.Function, "burn_most") {
			hot += r.Samples
		}
	}
	if all == 0 {
		t.Fatal("no samples")
	}
	got := 100 * float64(hot) / float64(all)
	t.Logf("burn_most has %.2f %% of %d samples, perf says %.2f %%", got, all, want)
	if !(math.Abs(got-want) <= 3) {
		wrong = append(wrong, "they differ by more than three points")
	}
	return wrong
}
