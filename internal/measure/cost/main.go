// Command cost measures what rtrail costs on a machine with many processes and
// sockets: first whole processes of the built program, from start to end, the
// verdict included; then the samples of its probes. Beside it, in the same run,
// it measures atop and node_exporter.
//
//	go run ./internal/measure/cost [-rounds 3] [-binary bin/rtrail] [-processes 1000] [-sockets 5000]
//
// It starts that many processes, most of which sleep, and TCP sockets in a
// network namespace of their own (on loopback when it is not root), and removes
// them.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	var (
		binary    = flag.String("binary", "bin/rtrail", "the built program")
		rounds    = flag.Int("rounds", 3, "how often to run whole processes; 0: only measure samples")
		watch     = flag.Duration("watch", 20*time.Second, "how long rtrail watches; 0: not at all")
		record    = flag.Duration("record", time.Minute, "how long rtrail records; 0: not at all")
		samples   = flag.Int("samples", 10, "samples to take of the probes, one a second; 0: none")
		processes = flag.Int("processes", 1000, "sleeping processes to add")
		sockets   = flag.Int("sockets", 5000, "TCP sockets to add")
		profile   = flag.String("cpuprofile", "", "write a CPU profile of rtrail's probes to this file")
		tools     = flag.Bool("tools", true, "measure atop and node_exporter too")
		role      = flag.String("role", "", "used by the benchmark itself")
	)
	flag.Parse()
	var err error
	switch *role {
	case "sockets":
		err = holdSockets(*sockets)
	case "active":
		err = wakeOften()
	case "measure":
		err = measure(*samples, *profile)
	default:
		err = run(*processes, *sockets, func() error {
			if *rounds > 0 {
				if err := compareWhole(commands(*binary, *watch, *record, *tools), *rounds); err != nil {
					return err
				}
			}
			if *samples <= 0 {
				return nil
			}
			return compare(*samples, *profile, *tools)
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

// run makes the load, measures, and removes it.
func run(processes, sockets int, measure func() error) error {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, unix.SIGTERM)
	load, err := startLoad(processes, sockets)
	defer load.stop()
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- measure() }()
	select {
	case err := <-done:
		return err
	case s := <-interrupted:
		return fmt.Errorf("stopped by %v", s)
	}
}

func compare(samples int, profile string, tools bool) error {
	if err := again(os.Stdout, "-role", "measure", "-samples", fmt.Sprint(samples), "-cpuprofile", profile).Run(); err != nil {
		return fmt.Errorf("measure rtrail: %w", err)
	}
	if !tools {
		return nil
	}
	fmt.Println()
	for _, tool := range []struct {
		name string
		cost func(int) (cost, error)
	}{{"atop", atop}, {"prometheus-node-exporter", exporter}} {
		c, err := tool.cost(samples)
		if err != nil {
			fmt.Printf("%-26s not measured: %v\n", tool.name, err)
			continue
		}
		row(tool.name, c)
	}
	return nil
}

// cost is the CPU time and memory of one tool.
type cost struct {
	start  time.Duration // up to and with the first sample
	sample time.Duration // of one after that
	rss    int64         // bytes at most
}

func row(name string, c cost) {
	fmt.Printf("%-26s %8.2f ms CPU per sample   start and first sample %7.2f ms   peak RSS %5.1f MB\n",
		name, milliseconds(c.sample), milliseconds(c.start), megabytes(c.rss))
}

// again is this program once more.
func again(out *os.File, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	return cmd
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func megabytes(b int64) float64 { return float64(b) / 1e6 }
