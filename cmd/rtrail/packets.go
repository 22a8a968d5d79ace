package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/summary"
	"rtrail/internal/traffic"
)

// packetsJob is what `rtrail packets` was asked to do.
type packetsJob struct {
	ports string
	every time.Duration
	top   int
}

func newPacketsCommand() *cobra.Command {
	var p packetsJob
	cmd := &cobra.Command{
		Use:   "packets FILE...",
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
  tcpdump -i eth0 -w - port 3306 | rtrail packets -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("which capture? give files, or - for standard input: rtrail packets FILE...")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.run(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVarP(&p.ports, "port", "p", "", "only these server ports, separated by commas")
	f.DurationVar(&p.every, "every", time.Second, "time per line")
	f.IntVar(&p.top, "top", 10, "lines per table of the summary")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (p *packetsJob) run(ctx context.Context, files []string, stdin io.Reader, out io.Writer) error {
	ports, err := portList(p.ports)
	if err != nil {
		return err
	}
	if p.every < time.Second || p.every%time.Second != 0 {
		return usageError("--every %v: whole seconds, at least one", p.every)
	}
	src, err := pcap.Open(files, stdin)
	if err != nil {
		return err
	}
	defer src.Close()
	lines := &traffic.Seconds{Out: out, Every: p.every}
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
