package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/cgroup"
	"rtrail/internal/probe/host"
	"rtrail/internal/probe/klog"
	"rtrail/internal/probe/process"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/probe/socket"
	"rtrail/internal/probe/thread"
	"rtrail/internal/recording"
)

// allProbes are the probes of a live run.
func allProbes() []probe.Probe {
	people := census.New("/")
	return []probe.Probe{
		host.New(host.FS{}), process.New(people), thread.New(people), socket.New(people),
		cgroup.New(), klog.New(),
	}
}

// measure samples once a second as a live run does and prints what it cost.
func measure(samples int, profile string) error {
	rec := recording.New(recording.Manifest{})
	runner := probe.Runner{Probes: allProbes(), Interval: time.Second, Sink: rec}
	if profile != "" {
		file, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	before := ownCPU()
	// The first sample ends long before the second one is due.
	started := make(chan time.Duration, 1)
	time.AfterFunc(time.Second-margin, func() { started <- ownCPU() })
	if err := runner.Run(context.Background(), time.Duration(samples)*time.Second); err != nil {
		return err
	}
	end := ownCPU()
	first := <-started
	print(rec, samples, spent{total: end - before, start: first - before, steady: end - first})
	return nil
}

// margin is how long before the second sample the price of starting is taken.
const margin = 300 * time.Millisecond

// spent is the CPU time of the whole program, runtime and collection of
// garbage included.
type spent struct {
	total  time.Duration
	start  time.Duration // up to the end of the first sample
	steady time.Duration // from there to the end of the run, the last sample included
}

// print writes the table: per probe what a second of the run costs, looks of
// the thread probe added up, and the figure that the target speaks of.
func print(rec *recording.Recording, samples int, cpu spent) {
	runs := recording.Rows[recording.ProbeRun](rec)
	fmt.Printf("%d processes, %d TCP sockets, %d s, one sample a second\n\n",
		distinct(rec), lastDump(rec), samples)
	fmt.Printf("%-12s %8s %10s %10s %10s %10s %8s %8s\n", "", "samples", "ms/second", "ms first", "ms median", "ms last", "rows", "lost")
	names, byName := byProbe(runs)
	for _, name := range names {
		var sum time.Duration
		var each []time.Duration
		var rows, lost int64
		for _, r := range byName[name] {
			sum += r.CPU
			each = append(each, r.CPU)
			rows += r.Rows
			lost += r.Lost
		}
		first, last := each[0], each[len(each)-1]
		slices.Sort(each)
		fmt.Printf("%-12s %8d %10.2f %10.2f %10.2f %10.2f %8d %8d\n", name, len(each), milliseconds(sum)/float64(samples),
			milliseconds(first), milliseconds(each[len(each)/2]), milliseconds(last), rows, lost)
	}
	each := fullSamples(runs, samples)
	first, last := each[0], each[len(each)-1]
	slices.Sort(each)
	fmt.Printf("\nrtrail, all probes together: first sample %.2f ms, median %.2f ms, last %.2f ms\n",
		milliseconds(first), milliseconds(each[len(each)/2]), milliseconds(last))
	fmt.Printf("\nCPU time of the whole program. A sample in the steady state is the figure the target speaks of.\n")
	row("rtrail", cost{start: cpu.start, sample: cpu.steady / time.Duration(samples), rss: peakRSS("self")})
	fmt.Printf("%-26s %8.2f ms of both, divided by the %d s of the run\n", "", milliseconds(cpu.total)/float64(samples), samples)
}

// byProbe sorts runs by probe.
func byProbe(runs []recording.ProbeRun) (names []string, byName map[string][]recording.ProbeRun) {
	byName = map[string][]recording.ProbeRun{}
	for _, r := range runs {
		if byName[r.Probe] == nil {
			names = append(names, r.Probe)
		}
		byName[r.Probe] = append(byName[r.Probe], r)
	}
	slices.Sort(names)
	return names, byName
}

// fullSamples is what the probes cost in each second of the run.
func fullSamples(runs []recording.ProbeRun, samples int) []time.Duration {
	var begin time.Time
	for _, r := range runs {
		if begin.IsZero() || r.At.Before(begin) {
			begin = r.At
		}
	}
	each := make([]time.Duration, samples+1)
	for _, r := range runs {
		// Samples that are due together begin within milliseconds.
		second := int(r.At.Sub(begin).Seconds() + 0.25)
		each[min(max(second, 0), samples)] += r.CPU
	}
	return each
}

func distinct(rec *recording.Recording) int {
	pids := map[int32]bool{}
	for _, r := range recording.Rows[recording.ProcessSample](rec) {
		pids[r.PID] = true
	}
	return len(pids)
}

func lastDump(rec *recording.Recording) int {
	rows := recording.Rows[recording.TCPSample](rec)
	n := 0
	for _, r := range slices.Backward(rows) {
		if rows[len(rows)-1].At.Sub(r.At) > 500*time.Millisecond {
			break
		}
		n++
	}
	return n
}

// ownCPU is the CPU time of this process with all its threads.
func ownCPU() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakRSS is VmHWM of a process in bytes; 0 when it cannot be read.
func peakRSS(pid string) int64 {
	b, _ := procfile.ReadOnce("/proc/"+pid+"/status", nil)
	kib, _ := procfile.Number(b, "VmHWM:")
	return kib << 10
}
