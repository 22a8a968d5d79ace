package lab

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// hugePages is how many huge pages are kept for programs that ask for them;
// nobody else can use their memory.
const hugePages = "/proc/sys/vm/nr_hugepages"

// memOOMKill has the host run out of memory without filling it: somebody
// reserves huge pages for a database that was never started, a common mistake,
// and all but 768 MiB is gone. A job that needs a little more is killed, started
// again and killed again. The job offers itself to the kernel (oom_score_adj
// 1000), so that nothing else on the machine is chosen.
func memOOMKill() Case {
	const (
		needs = 1024 * mib // of the job
		left  = 768 * mib  // to everybody, under fault
	)
	var idle int64 // available without the job
	return Case{
		ID:    "mem/oom-kill",
		Title: "huge pages reserved for nobody: a job is killed again and again",
		Rule:  "mem/oom-kill",
		Kind:  "process",
		Name:  "report-job",
		Needs: Needs{Root: true},
		Setup: func(ctx context.Context, e *Env) (err error) {
			swap, err := meminfo("SwapTotal")
			if err != nil {
				return err
			}
			if swap > 0 {
				return fmt.Errorf("the host has %d bytes of swap: running out of memory would take minutes", swap)
			}
			if idle, err = meminfo("MemAvailable"); err != nil {
				return err
			}
			if _, err := e.StartActor(Options{}, "report-job", "jobs", strconv.Itoa(needs), e.Path("jobs")); err != nil {
				return err
			}
			return e.untilReported(ctx, "jobs")
		},
		Inject: func(ctx context.Context, e *Env) error {
			size, err := meminfo("Hugepagesize")
			if err != nil {
				return err
			}
			wanted := strconv.FormatInt((idle-left)/size, 10)
			if err := e.SetKernelFile(hugePages, wanted); err != nil {
				return err
			}
			// What the job holds at the moment cannot be reserved at once.
			err = Until(ctx, 5*time.Second, "the huge pages to be reserved", func() (bool, error) {
				if err := os.WriteFile(hugePages, []byte(wanted), 0); err != nil {
					return false, err
				}
				got, err := os.ReadFile(hugePages)
				return strings.TrimSpace(string(got)) == wanted, err
			})
			if err != nil {
				return err
			}
			return e.untilFailing(ctx, "jobs")
		},
		Fix: func(ctx context.Context, e *Env) error {
			return os.WriteFile(hugePages, []byte("0"), 0)
		},
		Measure: measureRecords("jobs", "jobs/s"),
	}
}

// meminfo returns a line of /proc/meminfo, bytes.
func meminfo(name string) (int64, error) {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return n * 1024, err
		}
	}
	return 0, fmt.Errorf("/proc/meminfo has no %s", name)
}
