package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/measure/beside"
)

// What capturing may cost while sysbench drives MariaDB as fast as it can.
const (
	wantPackets = 40_000 // packets a second at which none may be dropped
	wantCPU     = 10     // percent of a core at most
	wantLoss    = 3      // percent of sysbench's queries at most
)

// aloneFor is how long sysbench runs without capture between two turns.
const aloneFor = 3 * time.Second

// capturing has rtrail come and go beside sysbench.
func capturing(rtrail, script string, rounds int, length time.Duration, stop <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	s, err := beside.Start(ctx, 8)
	if err != nil {
		return err
	}
	defer s.End()
	s.Script = script
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	load, err := s.Load(ctx)
	if err != nil {
		return err
	}
	defer load.Stop()
	if _, err := load.Rate(2 * time.Second); err != nil { // warm
		return err
	}
	before, err := load.Rate(aloneFor)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n\n%6s %12s %12s %12s %8s %8s %8s %8s %10s %8s %8s\n", machine(), "turn", "before", "captured", "after", "loss %", "noise %", "cost %", "noise %", "packets/s", "drops", "CPU %")
	var turns []beside.Turn
	var cpu, rate []float64
	dropped := false
	for i := range rounds {
		c, err := captured(ctx, load, rtrail, int(s.Address.Port()), length)
		if err != nil {
			return err
		}
		after, err := load.Rate(aloneFor)
		if err != nil {
			return err
		}
		t := beside.Turn{Before: before, With: c.Rate, After: after}
		fmt.Printf("%6d %12.0f %12.0f %12.0f %8.1f %8.1f %8.1f %8.1f %10.0f %8s %8.1f\n", i+1, t.Before.Queries, t.With.Queries, t.After.Queries, t.Loss(), t.Noise(), t.Cost(), t.CostNoise(), c.packets, c.dropped, 100*c.CPU)
		turns, cpu, rate = append(turns, t), append(cpu, 100*c.CPU), append(rate, c.packets)
		dropped = dropped || c.dropped != "none"
		before = after
	}
	if dropped {
		fmt.Println("         packets were dropped; wanted none: NOT reached")
	}
	packets, core := beside.Median(rate), beside.Median(cpu)
	say("packets a second", packets, wantPackets, packets >= wantPackets)
	say("percent of a core", core, wantCPU, core <= wantCPU)
	perPackets := core * wantPackets / packets
	say(fmt.Sprintf("percent of a core for each %d packets a second", wantPackets), perPackets, wantCPU, perPackets <= wantCPU)
	fmt.Println(beside.SumUp(turns).Report(wantLoss))
	return accounted(load, exec.CommandContext(ctx, rtrail, "packets", "-i", "lo", "-p", strconv.Itoa(int(s.Address.Port()))))
}

// accounted says where the CPU time goes that capturing takes: much less noisy
// than what is left for the load, of which it is the larger part.
func accounted(load *beside.Load, rtrail *exec.Cmd) error {
	// A packet socket gets each packet from one of these.
	if _, err := exec.LookPath("perf"); err != nil {
		fmt.Println("where the CPU time goes is not known: perf is not installed (Debian: linux-perf)")
		return nil
	}
	s, err := load.Share(rtrail, 10*time.Second, "tpacket_rcv", "dev_queue_xmit_nit")
	if err != nil {
		return err
	}
	sum := s.Program + s.Kernel
	fmt.Printf("of the CPU time, rtrail takes %.2f percent and the kernel's copying of packets for it %.2f: %.2f percent (%d samples)\n",
		s.Program, s.Kernel, sum, s.Samples)
	say("percent of the CPU time", sum, wantLoss, sum <= wantLoss)
	return nil
}

// capture is what is known of a run of rtrail.
type capture struct {
	beside.Run
	packets float64 // a second
	dropped string  // as rtrail says it
}

// droppedLine is what rtrail says at the end of a live capture.
var droppedLine = regexp.MustCompile(`dropped by the capture: (none|[0-9.]+( [kKMG])?)`)

func captured(ctx context.Context, load *beside.Load, rtrail string, port int, length time.Duration) (c capture, err error) {
	cmd := exec.CommandContext(ctx, rtrail, "packets", "-i", "lo", "-p", strconv.Itoa(port))
	var out strings.Builder
	cmd.Stdout = &out
	packets, begin := loopbackPackets(), time.Now()
	if c.Run, err = load.Run(cmd, length); err != nil {
		return c, err
	}
	c.packets = float64(loopbackPackets()-packets) / time.Since(begin).Seconds()
	m := droppedLine.FindStringSubmatch(out.String())
	if m == nil {
		return c, fmt.Errorf("read what rtrail says: no drops in %q", out.String())
	}
	c.dropped = m[1]
	return c, nil
}

// loopbackPackets is how many packets loopback has carried.
func loopbackPackets() int {
	b, err := os.ReadFile("/sys/class/net/lo/statistics/rx_packets")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}
