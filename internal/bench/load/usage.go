package load

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/crash"
)

// Usage is what a load generator used of the CPUs, all its processes together.
type Usage struct {
	CPUs    float64 // CPU time per time; NaN: not known
	Allowed float64 // CPUs that it may use, by its affinity and control group
	// Busiest is the share of the time in which the busiest thread ran, or waited for a CPU to
	// run: it had the rest for answers.
	Busiest     float64
	BusiestName string
}

// String says it for the log of a step.
func (u Usage) String() string {
	return fmt.Sprintf("generator: %.2f of %.3g CPUs; its busiest thread %q ran or waited for a CPU %.0f %% of the time", u.CPUs, u.Allowed, u.BusiestName, 100*u.Busiest)
}

const (
	// fullThread is the share of the time from which on a thread holds answers up itself: what
	// arrives by chance waits nine times as long as it takes where one who does it is busy 90 %
	// of the time.
	fullThread = 0.90
	// fullShare is the share of all its CPUs from which on a generator measures itself.
	fullShare = 0.80
)

// UnknownUsage is that of which nothing is known.
func UnknownUsage() Usage { return Usage{CPUs: math.NaN(), Allowed: math.NaN(), Busiest: math.NaN()} }

// Hot says why the generator, and not the server, may be what limits a run; "": it is not.
func (u Usage) Hot() string {
	switch {
	case u.Busiest >= fullThread:
		return fmt.Sprintf("hot load generator: its thread %q ran or waited for a CPU %.0f %% of the time; give it CPUs, use more threads or a cheaper generator", u.BusiestName, 100*u.Busiest)
	case u.CPUs >= fullShare*u.Allowed:
		return fmt.Sprintf("hot load generator: it used %.2f of the %.3g CPUs that it may use; run it on another host, or give it more", u.CPUs, u.Allowed)
	}
	return ""
}

const (
	// maxProcesses and maxThreads bound what is looked at of a generator.
	maxProcesses = 4096
	maxThreads   = 16_384
	// lookEvery is the time between two looks: what lives shorter counts when its parent has
	// waited for it.
	lookEvery = time.Second
	// ticks is USER_HZ, which is 100 on all architectures that rtrail is built for.
	ticks = 100
)

// thread is one of the generator's.
type thread struct{ pid, tid int }

// look is what the generator had used at a time.
type look struct {
	at      time.Time
	total   float64            // seconds
	threads map[thread]float64 // seconds that it ran or waited for a CPU
	names   map[thread]string
}

// Watched is a process and all that it started.
type Watched struct {
	proc  string
	pid   int
	also  func() []int // further processes that belong to it; nil: none
	mu    sync.Mutex
	first look
	last  look
	stop  chan struct{}
	done  sync.WaitGroup
}

// WatchProcess follows a process and its descendants until End.
func WatchProcess(pid int) *Watched { return watchProcess(pid, nil) }

func watchProcess(pid int, also func() []int) *Watched {
	w := &Watched{proc: "/proc", pid: pid, also: also, stop: make(chan struct{})}
	w.Begin()
	w.done.Go(func() { _ = crash.Guard(w.follow) })
	return w
}

func (w *Watched) follow() error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return nil
		case <-tick.C:
			w.look()
		}
	}
}

// look takes what is used by now. A process that has ended keeps what it had.
func (w *Watched) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	roots := []int{w.pid}
	if w.also != nil {
		roots = append(roots, w.also()...)
	}
	l := lookAt(w.proc, roots...)
	if len(l.threads) == 0 {
		return
	}
	l.total = max(l.total, w.last.total)
	for t, used := range w.last.threads { // workers end before their process does
		if _, there := l.threads[t]; !there && len(l.threads) < maxThreads {
			l.threads[t], l.names[t] = used, w.last.names[t]
		}
	}
	w.last = l
}

// Begin has the usage count from now on.
func (w *Watched) Begin() {
	w.look()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.first = w.last
}

// End is what was used since Begin, as of the last look that found the process.
func (w *Watched) End() Usage {
	w.look()
	close(w.stop)
	w.done.Wait()
	u := UnknownUsage()
	u.Allowed = allowedCPUs(w.pid)
	seconds := w.last.at.Sub(w.first.at).Seconds()
	if seconds < 0.5 {
		return u
	}
	u.CPUs, u.Busiest = (w.last.total-w.first.total)/seconds, 0
	for t, used := range w.last.threads {
		if share := (used - w.first.threads[t]) / seconds; share > u.Busiest {
			u.Busiest, u.BusiestName = share, w.last.names[t]
		}
	}
	return u
}

// lookAt reads the trees of processes below some.
func lookAt(proc string, roots ...int) look {
	l := look{at: time.Now(), threads: map[thread]float64{}, names: map[thread]string{}}
	todo := slices.Clone(roots)
	for seen := 0; len(todo) > 0 && seen < maxProcesses; seen++ {
		pid := todo[0]
		todo = todo[1:]
		dir := filepath.Join(proc, strconv.Itoa(pid))
		s, ok := readStat(filepath.Join(dir, "stat"))
		if !ok {
			continue
		}
		l.total += s.used + s.waited
		tasks, err := os.ReadDir(filepath.Join(dir, "task"))
		if err != nil {
			continue
		}
		for _, t := range tasks {
			tid, err := strconv.Atoi(t.Name())
			if err != nil || len(l.threads) == maxThreads {
				continue
			}
			task := filepath.Join(dir, "task", t.Name())
			if s, ok := readStat(filepath.Join(task, "stat")); ok {
				if wanted, ok := readWanted(filepath.Join(task, "schedstat")); ok {
					s.used = wanted
				}
				l.threads[thread{pid, tid}], l.names[thread{pid, tid}] = s.used, s.name
			}
			children, err := os.ReadFile(filepath.Join(task, "children"))
			if err != nil {
				continue
			}
			for _, c := range strings.Fields(string(children)) {
				if n, err := strconv.Atoi(c); err == nil {
					todo = append(todo, n)
				}
			}
		}
	}
	return l
}

// stat is some of /proc/PID/stat, in seconds.
type stat struct {
	name         string
	used, waited float64 // waited: of children that have ended
}

func readStat(path string) (s stat, ok bool) {
	name, f, ok := statOf(path)
	if !ok || len(f) < 15 {
		return s, false
	}
	s.name = name
	for i, to := range []*float64{&s.used, &s.used, &s.waited, &s.waited} { // utime, stime, cutime, cstime
		n, err := strconv.ParseUint(f[11+i], 10, 64)
		if err != nil {
			return s, false
		}
		*to += float64(n) / ticks
	}
	return s, true
}

// statOf is the name in a file as /proc/PID/stat, which may hold anything, and the fields from the
// state on, which come after it.
func statOf(path string) (name string, fields []string, ok bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", nil, false
	}
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return "", nil, false
	}
	return string(b[open+1 : end]), strings.Fields(string(b[end+1:])), true
}

// readWanted reads how long a thread ran and waited for a CPU, in seconds.
func readWanted(path string) (seconds float64, ok bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0, false
	}
	ran, err1 := strconv.ParseUint(f[0], 10, 64)
	waited, err2 := strconv.ParseUint(f[1], 10, 64)
	return float64(ran+waited) / 1e9, err1 == nil && err2 == nil
}

// allowedCPUs is how many CPUs a process may use: those of its affinity, or the quota of its
// control groups if that is less. A process that has ended had what rtrail has.
func allowedCPUs(pid int) float64 {
	var set unix.CPUSet
	if unix.SchedGetaffinity(pid, &set) != nil && unix.SchedGetaffinity(0, &set) != nil {
		return math.NaN()
	}
	allowed := float64(set.Count())
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		b, _ = os.ReadFile("/proc/self/cgroup")
	}
	for line := range strings.Lines(string(b)) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		for depth := 0; group != "/" && group != "." && depth < 64; depth++ {
			allowed = min(allowed, quotaOf(filepath.Join("/sys/fs/cgroup", group)))
			group = filepath.Dir(group)
		}
	}
	return allowed
}

// quotaOf is the limit of a control group in CPUs.
func quotaOf(dir string) float64 {
	b, err := os.ReadFile(filepath.Join(dir, "cpu.max"))
	if err != nil {
		return math.Inf(1)
	}
	f := strings.Fields(string(b))
	if len(f) != 2 {
		return math.Inf(1)
	}
	quota, err1 := strconv.ParseFloat(f[0], 64)
	period, err2 := strconv.ParseFloat(f[1], 64)
	if err1 != nil || err2 != nil || period <= 0 {
		return math.Inf(1)
	}
	return quota / period
}
