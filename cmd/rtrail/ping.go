package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/tcpping"
	"rtrail/internal/unit"
)

// pingJob is what `rtrail ping` was asked to do.
type pingJob struct {
	host     string
	port     uint16
	four     bool
	six      bool
	sources  []string
	count    int
	interval time.Duration
	patience time.Duration
	compare  bool
	closed   uint16
	json     bool
}

func newPingCommand() *cobra.Command {
	p := pingJob{}
	cmd := &cobra.Command{
		Use:   "ping HOST PORT",
		Short: "Test a TCP port: connect again and again, and say what answers",
		Long: `Connects to a TCP port, as clients do, and closes each connection at once. Says
what came back (SYN-ACK, reset, an ICMP message and from whom, nothing), how
long it took, how many SYNs got lost, and what that means: the port answers, is
refused, filtered, unreachable, or loses SYNs. Each address of a name is tried,
the first eight at most. Exit code 0 means that the test ran, not that the port
answers: scripts read --json (verdicts[].kind).

With --compare (root) each round also sends two bare SYNs, which no program at
the other end sees: one without TCP timestamps, and one to a port on which
nothing should listen. They tell a full accept queue from a lossy path, and from
a server that drops SYNs for their timestamps (PAWS behind NAT). A SYN to a
closed port may look like a port scan to an intrusion detection system.

Caution with MySQL: it counts each ping as a failed handshake. After
max_connect_errors of them in a row without a login (100 by default) it blocks
this host ("Host ... is blocked") until FLUSH HOSTS. Stay below that.`,
		Example: `  rtrail ping web1 443
  rtrail ping 10.0.0.5 443 --count 60 --interval 200ms
  sudo rtrail ping 10.0.0.5 80 --compare --count 60
  rtrail ping ::1 8080 --source ::1 --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.check(args); err != nil {
				return err
			}
			watches(cmd.ErrOrStderr(), false)
			return p.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.IntVarP(&p.count, "count", "c", 10, "connects to each address, from each source")
	f.DurationVar(&p.interval, "interval", 500*time.Millisecond, "time between two connects, or SYNs")
	f.DurationVar(&p.patience, "timeout", 3*time.Second, "how long to wait for an answer; the kernel repeats a SYN after 1 and 3 s")
	f.StringArrayVar(&p.sources, "source", nil, "connect from this address of this host; repeatable")
	f.BoolVarP(&p.four, "ipv4", "4", false, "only IPv4 addresses")
	f.BoolVarP(&p.six, "ipv6", "6", false, "only IPv6 addresses")
	f.BoolVar(&p.compare, "compare", false, "also send SYNs without timestamps, and to a closed port; needs root")
	f.Uint16Var(&p.closed, "closed-port", 1, "with --compare: a port of the host on which nothing listens")
	f.BoolVar(&p.json, "json", false, "print one JSON object per connect, then one with the verdicts")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

// Bounds of what one run may send.
const (
	mostPings     = 100_000
	shortestPause = 10 * time.Millisecond
	longestWait   = time.Minute
	mostAddresses = 8 // of a name
	mostSources   = 16
)

func (p *pingJob) check(args []string) error {
	if len(args) != 2 {
		return usageError("ping takes a host and a port: rtrail ping db1 3306")
	}
	port, err := strconv.ParseUint(args[1], 10, 16)
	if err != nil || port == 0 {
		return usageError("%q is no port (1 to 65535)", args[1])
	}
	p.host, p.port = args[0], uint16(port)
	switch {
	case p.host == "":
		return usageError("ping: the host is empty")
	case p.count < 1 || p.count > mostPings:
		return usageError("--count %d: from 1 to %d", p.count, mostPings)
	case p.interval < shortestPause:
		return usageError("--interval %v: the shortest is %v", p.interval, shortestPause)
	case p.patience < shortestPause || p.patience > longestWait:
		return usageError("--timeout %v: from %v to %v", p.patience, shortestPause, longestWait)
	case p.four && p.six:
		return usageError("-4 and -6 exclude each other")
	case len(p.sources) > mostSources:
		return usageError("--source: at most %d", mostSources)
	case p.compare && (p.closed == 0 || p.closed == p.port):
		return usageError("--closed-port %d: it must be another port than %d", p.closed, p.port)
	}
	return nil
}

func (p *pingJob) run(ctx context.Context, out io.Writer) error {
	plan, lookup, err := p.plan(ctx)
	if err != nil {
		return err
	}
	if p.compare {
		if err := tcpping.Raw(); err != nil {
			return fmt.Errorf("--compare sends bare SYNs: %w; run as root, or with CAP_NET_RAW", err)
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var sums tcpping.Sums
	lines := pingLines{out: out, json: p.json, many: len(plan.Targets)*max(len(plan.Sources), 1) > 1 || p.compare}
	lines.head(p, plan, lookup)
	err = plan.Run(ctx, func(t *tcpping.Try, source netip.Addr) {
		sums.Add(t, source)
		if lines.try(t); lines.err != nil {
			stop() // nobody reads any more
		}
	})
	if err = errors.Join(err, lines.err); err != nil {
		return err
	}
	list := tcpping.Judge(&sums, lookup, p.port)
	if err := lines.verdicts(list); err != nil {
		return err
	}
	switch {
	case len(sums.Groups) == 0:
		return errors.New("interrupted before anything was answered, or unanswered for a second")
	case !sums.Sent():
		return errors.New("nothing was sent")
	}
	return nil
}

// plan looks up the name.
func (p *pingJob) plan(ctx context.Context) (*tcpping.Plan, tcpping.Lookup, error) {
	lookup := tcpping.Lookup{Name: p.host}
	plan := &tcpping.Plan{Count: p.count, Interval: p.interval, Patience: p.patience}
	if p.compare {
		plan.Compare = p.closed
	}
	for _, s := range p.sources {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return nil, lookup, usageError("--source %s: it takes an address of this host", s)
		}
		if a = a.Unmap(); a.IsUnspecified() {
			continue // what the kernel chooses
		}
		if _, err := tcpping.ZoneOf(a); err != nil {
			return nil, lookup, usageError("--source %s: %v", s, err)
		}
		if err := tcpping.Bindable(a); err != nil {
			return nil, lookup, usageError("--source %s: %v: it takes an address of this host", s, err)
		}
		plan.Sources = append(plan.Sources, a)
	}
	list := []netip.Addr{}
	if a, err := netip.ParseAddr(p.host); err == nil {
		list = append(list, a)
	} else {
		began := time.Now()
		var err error
		list, err = net.DefaultResolver.LookupNetIP(ctx, "ip", p.host)
		if lookup.Took = time.Since(began); err != nil {
			return nil, lookup, fmt.Errorf("%s, after %v", escape.Line(err.Error()), unit.Duration(lookup.Took))
		}
	}
	for _, a := range list {
		if a = a.Unmap(); a.IsUnspecified() { // this host, as the kernel takes it
			a = map[bool]netip.Addr{true: netip.MustParseAddr("127.0.0.1"), false: netip.IPv6Loopback()}[a.Is4()]
		}
		if _, err := tcpping.ZoneOf(a); err != nil {
			return nil, lookup, usageError("%s: %v", p.host, err)
		}
		target := netip.AddrPortFrom(a, p.port)
		if p.four && !a.Is4() || p.six && a.Is4() || slices.Contains(plan.Targets, target) || len(plan.Targets) == mostAddresses {
			continue
		}
		plan.Targets = append(plan.Targets, target)
	}
	if len(plan.Targets) == 0 {
		kind := "IPv6 address (-6)"
		if p.four {
			kind = "IPv4 address (-4)"
		}
		return nil, lookup, fmt.Errorf("%s has no %s", escape.Text(p.host), kind)
	}
	if len(plan.Sources) > 0 && !slices.ContainsFunc(plan.Targets, func(t netip.AddrPort) bool {
		return slices.ContainsFunc(plan.Sources, func(s netip.Addr) bool { return s.Is4() == t.Addr().Is4() })
	}) {
		return nil, lookup, usageError("--source %s: %s has no address of the same kind", p.sources[0], p.host)
	}
	if total := len(plan.Targets) * max(len(plan.Sources), 1) * p.count; total > mostPings {
		return nil, lookup, usageError("%d connects are asked for: at most %d", total, mostPings)
	}
	return plan, lookup, nil
}

// pingLines prints what comes, as it comes.
type pingLines struct {
	out  io.Writer
	json bool
	many bool // not all go to one address from one
	err  error
}

func (l *pingLines) print(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.out, format, args...)
	}
}

func (l *pingLines) head(p *pingJob, plan *tcpping.Plan, lookup tcpping.Lookup) {
	if l.json {
		return
	}
	l.print("%s port %d", escape.Text(p.host), p.port)
	if lookup.Took > 0 {
		for i, t := range plan.Targets {
			l.print("%s%s", map[bool]string{true: ": ", false: ", "}[i == 0], t.Addr())
		}
		l.print(", looked up in %v", unit.Duration(lookup.Took))
	}
	l.print("\n%5s  %-15s  %-9s  %9s\n", "seq", "time "+time.Now().Format("MST"), "answer", "took")
}

func (l *pingLines) try(t *tcpping.Try) {
	if l.json {
		l.object(t)
		return
	}
	words := ""
	add := func(s string) {
		if words != "" {
			words += ", "
		}
		words += s
	}
	if l.many {
		add(t.Target.String())
		if t.Source.IsValid() {
			add("from " + t.Source.String())
		}
		if t.Kind != tcpping.Whole {
			add(string(t.Kind))
		}
	}
	if n := t.Lost(); n > 0 {
		add(unit.Plural(n, "SYN", "SYNs") + " lost")
	}
	if t.ICMP != nil {
		add(t.ICMP.String())
	}
	if t.Error != "" {
		add(escape.Text(t.Error))
	}
	line := fmt.Sprintf("%5d  %-15s  %-9s  %9v  %s", t.Seq, t.At.Format("15:04:05.000000"), t.Answer, unit.Duration(t.Took), words)
	l.print("%s\n", strings.TrimRight(line, " "))
}

// pingTry is a try in JSON.
type pingTry struct {
	Seq        int    `json:"seq"`
	Kind       string `json:"kind"`
	At         string `json:"at"`
	Source     string `json:"source,omitempty"`
	Target     string `json:"target"`
	Answer     string `json:"answer"`
	TookNS     int64  `json:"took_ns"`
	SYNs       int    `json:"syns,omitempty"`
	Timestamps bool   `json:"timestamps,omitempty"`
	ICMP       string `json:"icmp,omitempty"`
	Error      string `json:"error,omitempty"`
}

func (l *pingLines) object(t *tcpping.Try) {
	o := pingTry{Seq: t.Seq, Kind: string(t.Kind), At: t.At.UTC().Format(time.RFC3339Nano), Target: t.Target.String(), Answer: string(t.Answer), TookNS: int64(t.Took), SYNs: t.SYNs, Timestamps: t.Timestamps, Error: t.Error}
	if t.Source.IsValid() {
		o.Source = t.Source.String()
	}
	if t.ICMP != nil {
		o.ICMP = t.ICMP.String()
	}
	if l.err == nil {
		l.err = document.JSONLine(l.out, o)
	}
}

func (l *pingLines) verdicts(list []tcpping.Verdict) error {
	if l.json {
		if l.err == nil {
			l.err = document.JSONLine(l.out, struct {
				Verdicts []tcpping.Verdict `json:"verdicts"`
			}{list})
		}
		return l.err
	}
	var d document.Document
	for i := range list {
		d.Blocks = append(d.Blocks, list[i].Finding(i+1))
	}
	l.print("\n")
	if l.err != nil {
		return l.err
	}
	return document.Terminal(l.out, d, terminalOptions(l.out))
}
