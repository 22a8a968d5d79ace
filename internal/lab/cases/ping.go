package cases

import (
	"context"
	"slices"
	"strconv"
	"syscall"

	"rtrail/internal/lab/env"
)

// pingCases are reasons for a port not to answer, which rtrail ping must tell.
func pingCases() []Case {
	return []Case{
		pingRefused(),
		pingFiltered("ping/filtered", "a rule rejects connects with an ICMP message", "filtered", "", "-j", "REJECT", "--reject-with", "icmp-admin-prohibited"),
		pingFiltered("ping/filtered+seldom", "a rule rejects connects with ICMP messages, one a second at most", "filtered", "", "-j", "REJECT"),
		pingFiltered("ping/no-answer", "a rule drops connects", "no-answer", "", "-j", "DROP"),
		pingFiltered("ping/syns-lost", "one SYN in ten gets lost", "syns-lost", "", "--syn", "-m", "statistic", "--mode", "random", "--probability", "0.1", "-j", "DROP"),
		pingFiltered("ping/paws", "half of the SYNs with TCP timestamps are dropped, as by PAWS behind NAT", "paws", "", "--syn", "--tcp-option", "8", "-m", "statistic", "--mode", "random", "--probability", "0.5", "-j", "DROP"),
		pingQueueFull(),
	}
}

// ping is rtrail ping as the client runs it.
func (m *measured) ping(kind string, args ...string) *Verb {
	return &Verb{Package: "internal/tcpping", Kind: kind, Healthy: "answers",
		In:   func() *env.NetNS { return m.client },
		Args: func() []string { return slices.Concat([]string{"ping", m.at.Addr, strconv.Itoa(servePort)}, args) }}
}

// often compares so many connects that a tenth of them is lost in each run.
var often = []string{"--compare", "--count", "150", "--interval", "20ms", "--timeout", "2500ms"}

// pingRefused ends the program that listens.
func pingRefused() Case {
	var m measured
	return Case{
		ID:    "ping/refused",
		Title: "nothing listens at the port",
		Needs: throughputNeeds(),
		Verb:  m.ping("refused"),
		Setup: inPair(&m.pair, m.serve),
		Inject: func(context.Context, *env.Env) error {
			m.serves.Kill()
			return nil
		},
		Fix: m.serve,
	}
}

// pingFiltered has a rule of the server do something with what comes to the port; a rule about
// single SYNs holds for all ports.
func pingFiltered(id, title, kind, says string, target ...string) Case {
	var m measured
	rule := append([]string{"INPUT", "-p", "tcp"}, target...)
	if target[0] == "-j" {
		rule = append([]string{"INPUT", "-p", "tcp", "--dport", strconv.Itoa(servePort)}, target...)
	}
	iptables := func(action string) step {
		return in(func() *env.NetNS { return m.server }, "iptables", append([]string{action}, rule...)...)
	}
	args := often
	if target[0] == "-j" {
		args = []string{"--count", "20", "--interval", "100ms"}
	}
	return Case{
		ID: id, Title: title, Says: says,
		Needs:  throughputNeeds("iptables"),
		Verb:   m.ping(kind, args...),
		Setup:  inPair(&m.pair, m.serve),
		Inject: iptables("-A"),
		Fix:    iptables("-D"),
	}
}

// pingQueueFull stops the program that accepts: its queue has room for three connections.
func pingQueueFull() Case {
	var m measured
	signal := func(s syscall.Signal) step {
		return func(context.Context, *env.Env) error { return m.serves.Signal(s) }
	}
	return Case{
		ID:    "ping/queue-full",
		Title: "a program with room for three connections does not accept any",
		Needs: throughputNeeds(),
		Verb:  m.ping("queue-full", often...),
		Setup: inPair(&m.pair, func(ctx context.Context, e *env.Env) error {
			if err := m.server.Sysctl("net.core.somaxconn", "2"); err != nil {
				return err
			}
			return m.serve(ctx, e)
		}),
		Inject: signal(syscall.SIGSTOP),
		Fix:    signal(syscall.SIGCONT),
	}
}
