package cases

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"rtrail/internal/lab/env"
)

// throughputCases are limits between an rtrail that serves and one that sends, which rtrail
// throughput must tell.
func throughputCases() []Case {
	return []Case{
		throughputRate("cubic"),
		throughputRate("bbr"),
		throughputWindow(),
		throughputSendBuffer(),
		throughputSlowReceiver(),
		throughputLoss("cubic", 1),
		throughputLoss("bbr", 40),
		throughputLossBorne(),
		throughputPackets(),
		throughputPacketsShaped(),
	}
}

// servePort is where rtrail serves.
const servePort = 5999

// nothingLimits are the kinds that are right where the only limit is what the CPUs can do.
const nothingLimits = "cpu|unknown"

// measured is a client, a router and a server of rtrail throughput, and what the client runs.
type measured struct {
	pair
	r      router
	serves *env.Proc
	group  *env.Cgroup // of the server
}

// serve starts the server, and waits until it listens.
func (m *measured) serve(ctx context.Context, e *env.Env) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find rtrail itself: %w", err)
	}
	o := env.Options{NetNS: m.server}
	if m.group != nil {
		o.Cgroups = []*env.Cgroup{m.group}
	}
	port := strconv.Itoa(servePort)
	if m.serves, err = e.StartWith(o, exe, "throughput", "--serve", m.at.Addr, port, "--for", "2m"); err != nil {
		return err
	}
	return env.Until(ctx, 5*time.Second, "rtrail throughput to listen", func() (bool, error) {
		out, err := m.server.Run(ctx, "ss", "-Htln", "sport = :"+port)
		return out != "", err
	})
}

// verb is rtrail throughput as the client runs it.
func (m *measured) verb(kind, healthy string, args ...string) *Verb {
	return &Verb{Package: "internal/throughput", Kind: kind, Healthy: healthy,
		In: func() *env.NetNS { return m.client },
		Args: func() []string {
			return slices.Concat([]string{"throughput", m.at.Addr, strconv.Itoa(servePort)}, args)
		}}
}

func throughputNeeds(commands ...string) env.Needs {
	return env.Needs{Root: true, Packages: []string{"iproute2", "iptables"}, Commands: append([]string{"ip", "ss", "tc"}, commands...)}
}

// in runs a command in a namespace that is there only later.
func in(ns func() *env.NetNS, name string, args ...string) step {
	return func(ctx context.Context, _ *env.Env) error {
		_, err := ns().Run(ctx, name, args...)
		return err
	}
}

// throughputRate has a router let 50 Mbit/s through, with a queue of 50 ms.
func throughputRate(congestion string) Case {
	var m measured
	return Case{
		ID:     "throughput/rate+" + congestion,
		Title:  "tbf of a router lets 50 Mbit/s through, " + congestion,
		Says:   `^4[5-9](\.\d+)? Mbit/s is what the path carries`,
		Needs:  throughputNeeds(),
		Verb:   m.verb("rate", nothingLimits, "--for", "6s", "--congestion", congestion).by(congestion),
		Setup:  inRouted(&m.pair, &m.r, m.serve),
		Inject: m.tbf("add", "tbf", "rate", "50mbit", "burst", "32kb", "latency", "50ms"),
		Fix:    m.tbf("del"),
	}
}

// throughputWindow gives the receiver a buffer of 16 KiB.
func throughputWindow() Case {
	var m measured
	rmem := func(value string) step {
		return func(context.Context, *env.Env) error { return m.server.Sysctl("net.ipv4.tcp_rmem", value) }
	}
	return Case{
		ID:     "throughput/receiver-window",
		Title:  "net.ipv4.tcp_rmem of 16 KiB at the receiver",
		Needs:  throughputNeeds(),
		Verb:   m.verb("receiver-window", nothingLimits, "--for", "6s"),
		Setup:  inRouted(&m.pair, &m.r, m.serve),
		Inject: rmem("4096 16384 16384"),
		Fix:    rmem("4096 131072 33554432"),
	}
}

// throughputSendBuffer gives the sender a buffer of 8 KiB.
func throughputSendBuffer() Case {
	var m measured
	wmem := func(value string) step {
		return func(context.Context, *env.Env) error { return m.client.Sysctl("net.ipv4.tcp_wmem", value) }
	}
	return Case{
		ID:     "throughput/send-buffer",
		Title:  "net.ipv4.tcp_wmem of 8 KiB at the sender",
		Needs:  throughputNeeds(),
		Verb:   m.verb("send-buffer", nothingLimits, "--for", "6s"),
		Setup:  inRouted(&m.pair, &m.r, m.serve),
		Inject: wmem("4096 8192 8192"),
		Fix:    wmem("4096 16384 4194304"),
	}
}

// throughputSlowReceiver gives the receiver a fiftieth of a CPU.
func throughputSlowReceiver() Case {
	var m measured
	limit := func(cpus float64) step {
		return func(context.Context, *env.Env) error { return m.group.LimitCPU(cpus) }
	}
	return Case{
		ID:    "throughput/receiver-slow",
		Title: "the receiver gets 2 % of a CPU",
		Needs: throughputNeeds(),
		// Its window fills, or it only delays acknowledgements, as a queue does.
		Verb: m.verb("receiver-slow|queue", nothingLimits, "--for", "6s"),
		Setup: inRouted(&m.pair, &m.r, func(ctx context.Context, e *env.Env) (err error) {
			if m.group, err = e.Cgroup("receiver", "cpu"); err != nil {
				return err
			}
			return m.serve(ctx, e)
		}),
		Inject: limit(0.02),
		Fix:    limit(0),
	}
}

// throughputLoss loses packets of a path of 20 ms, as many as the congestion control does not bear.
func throughputLoss(congestion string, percent int) Case {
	var m measured
	return Case{
		ID:    "throughput/loss+" + congestion,
		Title: fmt.Sprintf("%d %% of packets lost on a path of 20 ms, %s", percent, congestion),
		Needs: throughputNeeds("iptables"),
		// Without losses the path's queue in the labs' own program, or windows, may limit.
		Verb:   m.verb("loss", nothingLimits+"|rate|queue|receiver-window", "--for", "10s", "--congestion", congestion).by(congestion),
		Setup:  inRouted(&m.pair, &m.r, m.far),
		Inject: m.lose("-A", percent),
		Fix:    m.lose("-D", percent),
	}
}

// throughputLossBorne loses packets that make BBR no slower.
func throughputLossBorne() Case {
	var m measured
	const others = nothingLimits + "|rate|queue|receiver-window|sender"
	return Case{
		ID:     "throughput/loss-borne+bbr",
		Title:  "1 % of packets lost on a path of 20 ms, which bbr bears: losses are not named",
		Needs:  throughputNeeds("iptables"),
		Verb:   m.verb(others, others, "--for", "10s", "--congestion", "bbr").by("bbr"),
		Setup:  inRouted(&m.pair, &m.r, m.far),
		Inject: m.lose("-A", 1),
		Fix:    m.lose("-D", 1),
	}
}

// far starts the server on a path of 20 ms, for which the usual send buffer would be too small.
func (m *measured) far(ctx context.Context, e *env.Env) error {
	if err := m.client.Sysctl("net.ipv4.tcp_wmem", "4096 16384 33554432"); err != nil {
		return err
	}
	if err := m.r.lengthen(ctx, e, 10*time.Millisecond); err != nil {
		return err
	}
	return m.serve(ctx, e)
}

// lose changes what the server throws away of the packets that it gets.
func (m *measured) lose(action string, percent int) step {
	return in(func() *env.NetNS { return m.server }, "iptables", action, "INPUT", "-p", "tcp", "--dport", strconv.Itoa(servePort),
		"-m", "statistic", "--mode", "random", "--probability", fmt.Sprintf("%.2f", float64(percent)/100), "-j", "DROP")
}

// throughputPackets has a router throw away all but 4,000 packets a second, of any size.
func throughputPackets() Case {
	var m measured
	var lift func() error
	return Case{
		ID:    "throughput/packets",
		Title: "a BPF program of a router drops all but 4,000 packets a second",
		Says:  `^(3,[89]|4,[01])\d\d packets/s, whatever their size`,
		Needs: throughputNeeds(),
		Verb:  m.verb("packets", nothingLimits+"|sender", "--packets", "--max-rate", "32000", "--for", "1500ms"),
		Setup: inRouted(&m.pair, &m.r, m.serve),
		Inject: func(_ context.Context, e *env.Env) (err error) {
			lift, err = e.LimitPackets(m.r.near, 4000, 32)
			return err
		},
		Fix: func(context.Context, *env.Env) error { return lift() },
	}
}

// throughputPacketsShaped has a router let 10 Mbit/s of packets through.
func throughputPacketsShaped() Case {
	var m measured
	return Case{
		ID:     "throughput/packets+rate",
		Title:  "tbf of a router lets 10 Mbit/s of packets through",
		Says:   `^(9\.[5-9]\d*|10(\.\d+)?) Mbit/s, whatever the size of packets`,
		Needs:  throughputNeeds(),
		Verb:   m.verb("rate", nothingLimits+"|sender", "--packets", "--max-rate", "64000", "--for", "1500ms"),
		Setup:  inRouted(&m.pair, &m.r, m.serve),
		Inject: m.tbf("add", "tbf", "rate", "10mbit", "burst", "16kb", "latency", "20ms"),
		Fix:    m.tbf("del"),
	}
}

// tbf changes the queue of the router towards the server.
func (m *measured) tbf(what string, rest ...string) step {
	return func(ctx context.Context, _ *env.Env) error {
		return shape(ctx, m.r.near, what, rest...)
	}
}
