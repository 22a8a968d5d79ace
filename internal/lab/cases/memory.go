package cases

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

func memoryCases() []Case {
	return []Case{
		memSwapping(), memSwappingGrowing(),
		memCgroupOOM(), memCgroupNearLimit(),
		memReclaim(),
		memCacheDropped(), memDirectRead(),
		memLeakFast(0),
		memLeak("mem/leak+slow", "a service that leaks 8 KB/s beside 4 MiB of noise", 20*time.Second, leakyActor(8<<10, 4<<20)),
		memLeakTraced(),
	}
}

const mib = 1 << 20

// memSwapping puts a batch job into the control group of a service whose
// memory just fits: both take turns in swap, which is compressed memory here,
// so that no disk is worn.
func memSwapping() Case {
	return memSwappingBy("mem/swapping", "a batch job pushes a service into swap (zram, control group of 160 MiB)", 96*mib, 128*mib, 0, 1)
}

// memSwappingGrowing has a job that is smaller than the service all the time, and grows. Both
// rest between their looks: where all pages are touched all the time, the kernel finds none
// to swap out, and kills.
func memSwappingGrowing() Case {
	return memSwappingBy("mem/swapping+growing", "a batch job that grows pushes a larger service into swap (zram, control group of 160 MiB)", 128*mib, 64*mib, 6*mib, 8)
}

// memSwappingBy has a service and a job of some bytes; the job grows by some a second. Both
// rest for some milliseconds after each 256 pages.
func memSwappingBy(id, title string, service, size, grows, pause int) Case {
	var group *env.Cgroup
	var job *env.Proc
	return Case{
		ID:    id,
		Title: title,
		Rule:  "mem/swapping",
		// Either the job is the larger one, or it grows.
		Culprit: "batch-job", Victim: "shop-server",
		Needs: env.Needs{Root: true, Packages: []string{"util-linux"}, Commands: []string{"mkswap", "swapon", "swapoff"}},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if err := e.ZramSwap("zram0", 512*mib); err != nil {
				return err
			}
			if group, err = e.Cgroup("shop", "memory"); err != nil {
				return err
			}
			if err := group.LimitMemory(160 * mib); err != nil {
				return err
			}
			if _, err := load.StartActor(e, env.Options{Cgroups: []*env.Cgroup{group}}, "shop-server", "touch-memory", strconv.Itoa(service), e.Path("pages"), "0", strconv.Itoa(pause)); err != nil {
				return err
			}
			return env.Until(ctx, 10*time.Second, "the service to have its memory", func() (bool, error) {
				done, err := load.Reports(e, "pages")
				return len(done) > 0 && done[0] > int64(service/4096), err
			})
		},
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			job, err = load.StartActor(e, env.Options{Cgroups: []*env.Cgroup{group}}, "batch-job", "touch-memory", strconv.Itoa(size), e.Path("job-pages"), strconv.Itoa(grows), strconv.Itoa(pause))
			if err != nil {
				return err
			}
			return env.Until(ctx, 15*time.Second, "the service to be in swap", func() (bool, error) {
				done, err := load.Reports(e, "job-pages")
				return len(done) > 0 && done[0] > int64(size/4096), err
			})
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			job.Stop()
			start, err := load.Reports(e, "pages")
			if err != nil {
				return err
			}
			// Once round all its pages: they are in memory again.
			return env.Until(ctx, 15*time.Second, "the service to be back in memory", func() (bool, error) {
				done, err := load.Reports(e, "pages")
				return err == nil && done[0]-start[0] > 2*int64(service/4096), err
			})
		},
		Measure: measureRecords("pages", "pages visited/s"),
	}
}

// memCgroupOOM writes more into a Redis than its control group may hold. The
// kernel kills it, its supervisor starts it again, and so on.
func memCgroupOOM() Case {
	const port, value = 6379, 100 << 10
	const limit = 48 * mib
	var p pair
	var group *env.Cgroup
	keys := int64(50)
	return Case{
		ID:    "mem/cgroup-oom",
		Title: "redis grows over the memory limit of its control group and is killed again and again",
		Rule:  "mem/cgroup-oom",
		Kind:  "cgroup",
		Name:  ".*rtrail-lab-.*-redis",
		Needs: env.Needs{Root: true, Packages: []string{"redis-server", "iproute2"}, Commands: []string{"redis-server", "ip"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			if group, err = e.Cgroup("redis", "memory"); err != nil {
				return err
			}
			if err := group.LimitMemory(limit); err != nil {
				return err
			}
			if err := group.NoSwap(); err != nil {
				return err
			}
			// As where many containers share an image: a program whose pages belong
			// to the group may not be killed for long, because the kernel lets go of
			// these first, again and again. That is mem/reclaim.
			if err := loadProgram(ctx, e, "redis-server", "--port", "0", "--unixsocket", e.Path("idle.sock")); err != nil {
				return err
			}
			script := fmt.Sprintf("while :; do redis-server --bind %s --port %d --protected-mode no --save '' --appendonly no; sleep 0.5; done", p.at.Addr, port)
			if _, err := e.StartWith(env.Options{NetNS: p.server, Cgroups: []*env.Cgroup{group}}, "bash", "-c", script); err != nil {
				return err
			}
			return p.server.UntilListens(ctx, p.port(port).String())
		}),
		Inject: doing(func() { keys = 2000 }),
		Fix: func(ctx context.Context, e *env.Env) error {
			// The page: give it what it needs, or have it need less.
			if err := group.LimitMemory(8 * limit); err != nil {
				return err
			}
			return p.server.UntilListens(ctx, p.port(port).String())
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			filler := strings.Repeat("x", value)
			var n atomic.Int64
			r := load.Paced(ctx, d, 4*time.Millisecond, 1, func(ctx context.Context) error {
				request := fmt.Sprintf("*3\r\n$3\r\nSET\r\n$8\r\n%08d\r\n$%d\r\n%s\r\n", n.Add(1)%keys, value, filler)
				return load.Ask(ctx, p.client, p.port(port), request, int64(len("+OK\r\n")), time.Second)
			})
			return r.Rate(), ctx.Err()
		},
	}
}

// memLeak is a service that forgets to give memory back. What its users feel
// comes later; its own number is how fast it grows.
func memLeak(id, title string, window time.Duration, start func(*env.Env) (*env.Proc, error)) Case {
	var service *env.Proc
	return Case{
		ID:    id,
		Title: title,
		Rule:  "mem/leak",
		// Warming up looks the same, and memory lasts for hours.
		AtMostPossible: "seconds of growth prove no leak",
		Kind:           "process",
		Name:           "leaky-service",
		Window:         window,
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			service, err = start(e)
			if err != nil {
				return err
			}
			// Starting up is growth too, and that of a young process counts only
			// once it is older than the window.
			env.Sleep(ctx, max(defaultWindow, window))
			return nil
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			_, err := e.WriteFile("leaking", "")
			return err
		},
		Fix: func(ctx context.Context, e *env.Env) (err error) {
			if err := os.Remove(e.Path("leaking")); err != nil {
				return err
			}
			service.Stop()
			service, err = start(e)
			env.Sleep(ctx, time.Second)
			return err
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			first, err := lowestAnonymous(ctx, service.PID)
			if err != nil {
				return load.Measurement{}, err
			}
			start := time.Now()
			env.Sleep(ctx, d-lowestTakes)
			last, err := lowestAnonymous(ctx, service.PID)
			if err != nil {
				return load.Measurement{}, err
			}
			return load.Measurement{Value: (last - first) / 1024 / time.Since(start).Seconds(), Unit: "KiB/s of growth", LowerBetter: true}, ctx.Err()
		},
	}
}

// memLeakFast leaks through a window of some length.
func memLeakFast(window time.Duration) Case {
	return memLeak("mem/leak", "a service that leaks 5 MB/s", window, leakyActor(5<<20, 0))
}

// leakyActor starts a service that leaks so many bytes a second, beside others that it
// takes and gives back, while the file "leaking" is there.
func leakyActor(rate, noise int) func(*env.Env) (*env.Proc, error) {
	return func(e *env.Env) (*env.Proc, error) {
		return load.StartActor(e, env.Options{}, "leaky-service", "leak", strconv.Itoa(rate), strconv.Itoa(noise), e.Path("leaking"))
	}
}

// lowestTakes is how long lowestAnonymous looks: longer than the noise lasts.
const lowestTakes = 400 * time.Millisecond

// lowestAnonymous returns the least anonymous memory of a process over a short
// time, bytes: what it takes and gives back in between does not count.
func lowestAnonymous(ctx context.Context, pid int) (float64, error) {
	lowest := math.Inf(1)
	for end := time.Now().Add(lowestTakes); time.Now().Before(end); env.Sleep(ctx, lowestTakes/8) {
		n, err := anonymousMemory(pid)
		if err != nil {
			return 0, err
		}
		lowest = min(lowest, n)
	}
	return lowest, ctx.Err()
}

// anonymousMemory returns the anonymous resident memory of a process, bytes.
func anonymousMemory(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib * 1024, err
		}
	}
	return 0, fmt.Errorf("read the memory of process %d: no RssAnon", pid)
}

// memCgroupNearLimit fills a redis until its control group has used up all but a few percent of
// its limit, without swap. The fix raises the limit.
func memCgroupNearLimit() Case {
	const limit, value, port = 64 * mib, 20 << 10, 6379
	var p pair
	var group *env.Cgroup
	return Case{
		ID:             "mem/cgroup-near-limit",
		Title:          "redis has filled the memory limit of its control group but for a few percent",
		Rule:           "mem/cgroup-near-limit",
		Kind:           "cgroup",
		Name:           ".*rtrail-lab-.*-redis",
		AtMostPossible: "nothing is lost before the limit is met",
		Withstood:      "nothing is lost before the limit is met",
		Needs:          env.Needs{Root: true, Packages: []string{"redis-server", "iproute2"}, Commands: []string{"redis-server", "ip"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			if group, err = e.Cgroup("redis", "memory"); err != nil {
				return err
			}
			if err := errors.Join(group.LimitMemory(limit), group.NoSwap()); err != nil {
				return err
			}
			// Its pages belong to nobody's group, as where many share an image.
			if err := loadProgram(ctx, e, "redis-server", "--port", "0", "--unixsocket", e.Path("idle.sock")); err != nil {
				return err
			}
			if _, err = e.StartWith(env.Options{NetNS: p.server, Cgroups: []*env.Cgroup{group}}, "redis-server",
				"--bind", p.at.Addr, "--port", strconv.Itoa(port), "--protected-mode", "no", "--save", "", "--appendonly", "no"); err != nil {
				return err
			}
			return p.server.UntilListens(ctx, p.port(port).String())
		}),
		Inject: func(ctx context.Context, e *env.Env) error {
			filler := strings.Repeat("x", value)
			for n := 0; ; n++ {
				if used, err := group.Memory(); err != nil || used >= limit*97/100 {
					return err
				}
				request := fmt.Sprintf("*3\r\n$3\r\nSET\r\n$8\r\n%08d\r\n$%d\r\n%s\r\n", n, value, filler)
				if err := load.Ask(ctx, p.client, p.port(port), request, int64(len("+OK\r\n")), time.Second); err != nil {
					return err
				}
			}
		},
		Fix: func(context.Context, *env.Env) error { return group.LimitMemory(4 * limit) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			r := load.Paced(ctx, d, 4*time.Millisecond, 1, func(ctx context.Context) error {
				return load.Ask(ctx, p.client, p.port(port), "PING\r\n", int64(len("+PONG\r\n")), time.Second)
			})
			return r.Rate(), ctx.Err()
		},
	}
}
