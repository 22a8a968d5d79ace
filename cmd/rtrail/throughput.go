package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/crash"
	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/throughput"
	"rtrail/internal/unit"
)

// throughputJob is what `rtrail throughput` was asked to do.
type throughputJob struct {
	serve       bool
	plan        throughput.Plan
	length      time.Duration
	reverse     bool
	ladder      string
	rungs       []int
	packets     bool
	most        int // packets a second
	json        bool
	lengthGiven bool
}

func newThroughputCommand() *cobra.Command {
	var j throughputJob
	cmd := &cobra.Command{
		Use:   "throughput HOST PORT | --serve ADDRESS PORT",
		Short: "Measure throughput between two hosts, and say what limits it",
		Long: `Sends data over TCP to an "rtrail throughput --serve" on another host, prints a
line a second of what the sender's sockets say, and in the end what limits the
throughput: the receiver's window or its reader, the send buffer, losses, the
rate of the path, or a CPU. --reverse has the server send.

--ladder sends requests of --size bytes instead, each with an answer of the same
size, over 1, 2, 4, ... streams, and says where more streams only add latency.

--packets sends single packets (UDP, to the same port number) instead: small
ones of --size bytes, then large ones, at 1,000 per second and twice as many in
each step, until no more arrive. It tells a limit of packets per second from one
of bytes per second, and the receiver's full buffer from losses on the path. The
last step sends at most four times what the path carries: others on it lose
packets meanwhile. The server answers none of them, so that nobody can use it to
load a third host.

Columns: retrans are segments sent again; CPU is the busiest CPU of both hosts;
"limited by" is the share of the time that the receive window (rwnd) or the send
buffer (sndbuf) held the sender up. The verdict leaves out the first second.

The server has no authentication: whoever reaches the port can load it. It
serves one run at a time and ends after --for (1h). Nothing but an rtrail server
is loaded.`,
		Example: `  rtrail throughput --serve 0.0.0.0 5999       # on db1
  rtrail throughput db1 5999                   # on the other host
  rtrail throughput db1 5999 --streams 4 --reverse
  rtrail throughput db1 5999 --ladder 1,2,4,8,16 --size 100
  rtrail throughput db1 5999 --packets --max-rate 50000`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			j.lengthGiven = cmd.Flags().Changed("for")
			if err := j.check(args); err != nil {
				return err
			}
			watches(cmd.ErrOrStderr(), false)
			if j.serve {
				return j.server(cmd.Context(), cmd.ErrOrStderr())
			}
			return j.client(cmd.Context(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&j.serve, "serve", false, "be the server, at this address of this host")
	f.DurationVar(&j.length, "for", 10*time.Second, "how long to send, or per step (of --packets: 2s); with --serve: how long to serve, 1h if not given")
	f.IntVar(&j.plan.Streams, "streams", 1, "streams (connections) at a time")
	f.IntVar(&j.plan.Size, "size", 0, "bytes per write, of a request or of a packet (default 128 KiB, 100 or 64 bytes)")
	f.BoolVarP(&j.reverse, "reverse", "R", false, "the server sends")
	f.StringVar(&j.plan.Congestion, "congestion", "", "congestion control of the sending client: cubic, bbr, reno")
	f.StringVar(&j.ladder, "ladder", "", "requests and answers over so many streams, one step after the other: 1,2,4,8")
	f.BoolVar(&j.packets, "packets", false, "single packets at growing rates: is it packets or bytes that are limited?")
	f.IntVar(&j.most, "max-rate", 128_000, "with --packets: the most packets per second")
	f.BoolVar(&j.json, "json", false, "print one JSON object per second or step, then one with the verdict")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (j *throughputJob) check(args []string) error {
	if len(args) != 2 {
		return usageError("throughput takes a host and a port: rtrail throughput db1 5999; there, first: rtrail throughput --serve 0.0.0.0 5999")
	}
	port, err := strconv.ParseUint(args[1], 10, 16)
	if err != nil || port == 0 {
		return usageError("%q is no port (1 to 65535)", args[1])
	}
	j.plan.Server = net.JoinHostPort(args[0], args[1])
	if j.serve && !j.lengthGiven {
		j.length = time.Hour
	}
	if j.ladder != "" {
		for _, text := range strings.Split(j.ladder, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > throughput.MostStreams || len(j.rungs) > 0 && n <= j.rungs[len(j.rungs)-1] {
				return usageError("--ladder %s: growing numbers from 1 to %d, as in 1,2,4,8", j.ladder, throughput.MostStreams)
			}
			j.rungs = append(j.rungs, n)
		}
	}
	if j.packets && !j.lengthGiven {
		j.length = 2 * time.Second
	}
	switch {
	case j.length < time.Second:
		return usageError("--for %v: at least a second", j.length)
	case !j.serve && j.length > throughput.LongestRun:
		return usageError("--for %v: at most %v", j.length, throughput.LongestRun)
	case j.plan.Streams < 1 || j.plan.Streams > throughput.MostStreams:
		return usageError("--streams %d: from 1 to %d", j.plan.Streams, throughput.MostStreams)
	case j.plan.Size < 0 || j.plan.Size > throughput.LargestSize:
		return usageError("--size %d: from 1 to %d", j.plan.Size, throughput.LargestSize)
	case j.serve && (j.packets || j.ladder != "" || j.reverse || j.plan.Congestion != "" || j.plan.Streams != 1 || j.plan.Size != 0):
		return usageError("--serve takes an address, a port and --for; the client says the rest")
	case j.ladder != "" && j.reverse:
		return usageError("--ladder and --reverse exclude each other: requests and answers go both ways")
	case j.packets && (j.ladder != "" || j.reverse || j.plan.Congestion != "" || j.plan.Streams != 1):
		return usageError("--packets goes with --size, --max-rate and --for")
	case j.packets && j.plan.Size != 0 && (j.plan.Size < throughput.SmallestPacket || j.plan.Size > throughput.LargePackets/2):
		return usageError("--size %d: small packets have %d to %d bytes", j.plan.Size, throughput.SmallestPacket, throughput.LargePackets/2)
	case j.packets && (j.most < firstRate || j.most > throughput.FastestRate):
		return usageError("--max-rate %d: from %d to %d", j.most, firstRate, throughput.FastestRate)
	case j.packets && j.length > longestStep:
		return usageError("--for %v: a step of --packets takes at most %v", j.length, longestStep)
	case j.reverse && j.plan.Congestion != "":
		return usageError("--congestion is that of a client that sends: not with --reverse")
	}
	j.plan.Mode, j.plan.Length = throughput.Send, j.length
	size := 128 << 10
	switch {
	case j.reverse:
		j.plan.Mode = throughput.Receive
	case j.ladder != "":
		j.plan.Mode, size = throughput.Echo, 100
	case j.packets:
		j.plan.Mode, size = throughput.Packets, 64
	}
	if j.plan.Size == 0 {
		j.plan.Size = size
	}
	return nil
}

func (j *throughputJob) server(ctx context.Context, stderr io.Writer) error {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", j.plan.Server)
	if err != nil {
		return err
	}
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return errors.Join(errors.New("no TCP listener"), l.Close())
	}
	ctx, stop := context.WithTimeout(ctx, j.length)
	defer stop()
	fmt.Fprintf(stderr, "serving one run at a time at %s for %v, Ctrl-C ends it\n", l.Addr(), unit.Duration(j.length))
	said := make(chan string, 16)
	go func() { // a reader that has stopped must not keep the server
		_ = crash.Guard(func() error {
			for line := range said {
				fmt.Fprintln(stderr, line)
			}
			return nil
		})
	}()
	s := throughput.Server{Listener: tcp, Tell: func(client net.Addr, what string) {
		select {
		case said <- fmt.Sprintf("%s  %s %s", time.Now().Format("15:04:05"), client, escape.Line(what)):
		default: // too much to read anyway
		}
	}}
	return s.Serve(ctx)
}

func (j *throughputJob) client(ctx context.Context, out io.Writer) error {
	if j.ladder != "" {
		return j.climb(ctx, out)
	}
	if j.packets {
		return j.sendPackets(ctx, out)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	print := func(format string, args ...any) {
		if failed == nil {
			_, failed = fmt.Fprintf(out, format, args...)
		}
	}
	head := func() {
		print("%4s  %12s  %9s  %9s  %9s  %9s  %9s  %9s  %6s  %s\n", "s", "rate", "retrans", "RTT", "cwnd", "ssthresh", "rwnd", "sndbuf", "CPU", "limited by")
	}
	r, err := j.plan.Run(ctx, func(s *throughput.Sample) {
		defer func() {
			if failed != nil {
				stop() // nobody reads any more
			}
		}()
		if j.json {
			if failed == nil {
				failed = document.JSONLine(out, s)
			}
			return
		}
		if head != nil {
			head()
			head = nil
		}
		ssthresh := "-"
		if s.Ssthresh > 0 {
			ssthresh = unit.Bytes(s.Ssthresh).String()
		}
		print("%4d  %12v  %9d  %9v  %9v  %9s  %9v  %9v  %6v  %s\n", s.Second, throughput.BitRate(s.BitsPerSecond()), s.Retransmitted, unit.Duration(s.RTT), unit.Bytes(s.Cwnd), ssthresh,
			unit.Bytes(s.PeerWindow), unit.Bytes(s.SendBuffer), unit.Share(max(s.CPU, s.PeerCPU)), limits(s))
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if len(r.Samples) == 0 {
		return errors.New("interrupted before the first second was over")
	}
	return j.conclude(out, throughput.Judge(r))
}

// limits names what held the sockets up in a second.
func limits(s *throughput.Sample) string {
	var words []string
	for _, l := range []struct {
		share float64
		name  string
	}{{s.RwndLimited, "rwnd"}, {s.SndbufLimited, "sndbuf"}} {
		if l.share >= 0.1 {
			words = append(words, fmt.Sprintf("%s %v", l.name, unit.Share(l.share)))
		}
	}
	if len(words) == 0 && max(s.CPU, s.PeerCPU) >= 0.95 {
		return "CPU"
	}
	return strings.Join(words, ", ")
}

// climb measures each rung of the ladder.
func (j *throughputJob) climb(ctx context.Context, out io.Writer) error {
	if !j.json {
		if _, err := fmt.Fprintf(out, "%7s  %10s  %9s  %9s  %9s  %6s  %6s\n", "streams", "requests/s", "mean", "p50", "p99", "CPU", "peer"); err != nil {
			return err
		}
	}
	var rungs []throughput.Rung
	for _, n := range j.rungs {
		p := j.plan
		p.Streams = n
		r, err := p.Run(ctx, func(*throughput.Sample) {})
		if err != nil {
			return err
		}
		if ctx.Err() != nil { // this one is not whole
			break
		}
		rungs = append(rungs, r.Rung)
		if j.json {
			err = document.JSONLine(out, r.Rung)
		} else {
			_, err = fmt.Fprintf(out, "%7d  %10v  %9v  %9v  %9v  %6v  %6v\n", n, unit.Count(r.Rung.PerSecond), unit.Duration(r.Rung.Mean), unit.Duration(r.Rung.P50), unit.Duration(r.Rung.P99), unit.Share(r.Rung.CPU), unit.Share(r.Rung.PeerCPU))
		}
		if err != nil {
			return err
		}
	}
	if len(rungs) == 0 {
		return errors.New("interrupted before the first step was over")
	}
	return j.conclude(out, throughput.JudgeLadder(rungs))
}

func (j *throughputJob) conclude(out io.Writer, v throughput.Verdict) error {
	if j.json {
		return document.JSONLine(out, struct {
			Verdict throughput.Verdict `json:"verdict"`
		}{v})
	}
	if _, err := io.WriteString(out, "\n"); err != nil {
		return err
	}
	return document.Terminal(out, document.Document{Blocks: []document.Block{v.Finding(1)}}, terminalOptions(out))
}
