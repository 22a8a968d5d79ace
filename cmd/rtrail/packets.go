package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/pcap/live"
	"rtrail/internal/packet/summary"
	"rtrail/internal/traffic"
)

// packetsJob is what `rtrail packets` was asked to do.
type packetsJob struct {
	ports string
	every time.Duration
	top   int

	iface  string
	netns  string
	length time.Duration
	write  string
}

func newPacketsCommand() *cobra.Command {
	var p packetsJob
	cmd := &cobra.Command{
		Use:   "packets FILE... | -i IF",
		Short: "Response times from packets: per second, service, statement, connection",
		Long: `Reads captures (pcap or pcapng, also gzip or zstd; "-" is standard input), puts
the connections together and measures how long every request waited for its
answer: a line per second and server port, then the services, connections and
statements that took the time.

RT is from the first copy of the last packet of a request to the first packet of
its answer. A protocol marked ~ is not decoded: the boundaries of requests are
taken from the changes of direction.`,
		Example: `  rtrail packets a.pcap
  rtrail packets ring_*.pcap -p 3306
  tcpdump -i eth0 -w - port 3306 | rtrail packets -
  sudo rtrail packets -i eth0 -p 3306 --for 30s -w slow.pcapng`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && p.iface == "":
				return usageError("which packets? give files, - for standard input, or an interface: rtrail packets FILE... | -i IF")
			case len(args) > 0 && p.iface != "":
				return usageError("-i %s and %s: packets come from an interface or from files, not from both", p.iface, args[0])
			case p.iface == "" && (p.netns != "" || p.length != 0):
				return usageError("--netns and --for go with an interface: -i IF")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.run(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVarP(&p.ports, "port", "p", "", "only these server ports, separated by commas")
	f.StringVarP(&p.iface, "interface", "i", "", "capture on this interface (any: on all) until Ctrl-C or --for")
	f.DurationVar(&p.length, "for", 0, "how long to capture (default: until Ctrl-C)")
	f.StringVar(&p.netns, "netns", "", "capture in this network namespace: a name, a path or a PID")
	f.StringVarP(&p.write, "write", "w", "", "also write the packets to this file (pcapng, or pcap by its name)")
	f.DurationVar(&p.every, "every", time.Second, "time per line")
	f.IntVar(&p.top, "top", 10, "lines per table of the summary")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (p *packetsJob) run(ctx context.Context, files []string, stdin io.Reader, out io.Writer) (failed error) {
	ports, err := portList(p.ports)
	if err != nil {
		return err
	}
	if p.every < time.Second || p.every%time.Second != 0 {
		return usageError("--every %v: whole seconds, at least one", p.every)
	}
	lines := &traffic.Seconds{Out: out, Every: p.every}
	src, err := p.open(files, stdin, ports)
	if err != nil {
		return err
	}
	defer src.Close()
	if p.iface != "" {
		lines.Drops = func() (uint64, bool) { l := src.Loss(); return l.Dropped, l.Known }
		if p.length > 0 {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeout(ctx, p.length)
			defer stop()
		}
	}
	if p.write != "" {
		f, err := os.Create(p.write)
		if err != nil {
			return fmt.Errorf("writing the capture: %w", err)
		}
		defer f.Close()
		w := pcap.NewWriter(f, pcap.FormatOf(p.write), src.Interfaces)
		defer func(from pcap.Source) {
			if err := w.Close(from.Loss()); err != nil && failed == nil {
				failed = fmt.Errorf("writing the capture: %w", err)
			}
		}(src)
		src = pcap.Tee(src, w)
	}
	workers := runtime.GOMAXPROCS(0)
	collectors := summary.New(workers, summary.Options{Ports: ports, Slowest: p.top, Second: lines.Second})
	report, err := engine.Run(ctx, src, engine.Options{
		Workers:   workers,
		Collector: func(i int) engine.Collector { return collectors.Worker(i) },
	})
	result := collectors.Result()
	if cause := lines.Close(); cause != nil {
		return cause
	}
	width, _ := terminalWidth(out)
	fmt.Fprintln(out)
	if cause := (traffic.Overview{Report: &report, Summary: result, Top: p.top, Width: width}).Print(out); cause != nil {
		return cause
	}
	return err
}

// open opens the files, or the interface.
func (p *packetsJob) open(files []string, stdin io.Reader, ports []uint16) (pcap.Source, error) {
	if p.iface != "" {
		return openLive(live.Options{Interface: p.iface, Ports: ports}, p.netns)
	}
	return pcap.Open(files, stdin)
}

// portList reads ports separated by commas.
func portList(list string) ([]uint16, error) {
	var ports []uint16
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		n, err := strconv.ParseUint(word, 10, 16)
		if err != nil || n == 0 {
			return nil, usageError("-p %s: %q is no port (1 to 65535)", list, word)
		}
		ports = append(ports, uint16(n))
	}
	return ports, nil
}
