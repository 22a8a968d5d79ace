package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// softirqFlood sends 40,000 to 60,000 SYNs of 54 bytes a second through a veth
// pair whose receive work is steered to CPU 1, and past 250 firewall rules, as
// hosts with long block lists have. CPU 1 spends 60 to 80 % of its time in
// softirqs, NET_RX counts with the packets, ksoftirqd/1 runs, and a Redis that
// is bound to this CPU answers late. The sender has CPU 0.
func softirqFlood() Case {
	var p pair
	var flood *Proc
	return Case{
		ID:    "cpu/softirq",
		Title: "flood of small packets handled on one CPU",
		Rule:  "cpu/softirq",
		Kind:  "interface", Name: `rt\w+`,
		Needs: Needs{Root: true, Packages: []string{"redis-server", "hping3", "iptables", "iproute2"}, Commands: []string{"redis-server", "hping3", "iptables-restore", "ip", "taskset"}},
		Setup: func(ctx context.Context, e *Env) (err error) {
			if p, err = newPair(e); err != nil {
				return err
			}
			// Receive packet steering: what a card with one queue bound to CPU 1 does.
			steer := fmt.Sprintf("echo 2 > /sys/class/net/%s/queues/rx-0/rps_cpus", p.at.Device)
			if _, err := p.server.Run(ctx, "sh", "-c", steer); err != nil {
				return err
			}
			var rules strings.Builder
			rules.WriteString("*filter\n")
			for i := range 250 {
				fmt.Fprintf(&rules, "-A INPUT -p tcp -s 10.99.%d.0/24 --dport 81 -j REJECT\n", i)
			}
			rules.WriteString("COMMIT\n")
			if _, err := p.server.env.RunWith(ctx, Options{NetNS: p.server, Stdin: rules.String()}, "iptables-restore"); err != nil {
				return err
			}
			_, err = startRedis(ctx, Options{NetNS: p.server, CPUs: "1"}, p.at, 6379)
			return err
		},
		Inject: func(ctx context.Context, e *Env) (err error) {
			before, err := deviceCounter(ctx, p.at, "rx_packets")
			if err != nil {
				return err
			}
			// 20 microseconds apart, and an end after half a minute at most.
			flood, err = e.StartWith(Options{NetNS: p.client, CPUs: "0"}, "hping3",
				"-q", "-S", "-p", "81", "-i", "u20", "-c", "1200000", p.at.Addr)
			if err != nil {
				return err
			}
			return Until(ctx, 5*time.Second, "packets to arrive", func() (bool, error) {
				now, err := deviceCounter(ctx, p.at, "rx_packets")
				return now-before > 5000, err
			})
		},
		Fix: func(ctx context.Context, e *Env) error {
			flood.Stop()
			return nil
		},
		Measure: func(ctx context.Context, e *Env, d time.Duration) (Measurement, error) {
			return pingRedis(ctx, p, d, 2*time.Millisecond)
		},
	}
}

func deviceCounter(ctx context.Context, at End, name string) (n int64, err error) {
	out, err := at.NetNS.Run(ctx, "cat", "/sys/class/net/"+at.Device+"/statistics/"+name)
	if err != nil {
		return 0, err
	}
	_, err = fmt.Sscan(out, &n)
	return n, err
}

// pingRedis sends a PING every so often over connections that stay, and gives
// the median as the application's number: softirqs delay every answer, where the
// slowest of a hundred waited for whatever else the machine did.
func pingRedis(ctx context.Context, p pair, d, every time.Duration) (Measurement, error) {
	const connections = 8
	idle := make(chan net.Conn, connections)
	defer func() {
		for len(idle) > 0 {
			(<-idle).Close()
		}
	}()
	for range connections {
		c, err := p.client.connect(ctx, p.port(6379), time.Second)
		if err != nil {
			return Measurement{}, err
		}
		idle <- c
	}
	r := paced(ctx, d, every, 1, func(ctx context.Context) error {
		var c net.Conn
		select {
		case c = <-idle:
		case <-time.After(time.Second):
			return errors.New("no connection came free within 1 s")
		}
		defer func() { idle <- c }()
		if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
			return err
		}
		if _, err := io.WriteString(c, redisPing); err != nil {
			return err
		}
		line, err := bufio.NewReaderSize(c, 16).ReadString('\n')
		if err == nil && line != redisPong {
			err = fmt.Errorf("redis said %q", line)
		}
		return err
	})
	return r.p50(), nil
}
