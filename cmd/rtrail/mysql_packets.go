package main

import (
	"context"
	"net"
	"strconv"
	"sync"

	"rtrail/internal/crash"
	"rtrail/internal/mysqlconn"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/rt"
	"rtrail/internal/session"
)

// mysqlPackets sums up the response times of a server from packets.
type mysqlPackets struct {
	stop context.CancelFunc
	done chan struct{}

	mu    sync.Mutex
	stats *rt.Stats
}

// capture begins to capture the packets of the server's port.
func (m *mysqlJob) capture(ctx context.Context, server string) (*mysqlPackets, error) {
	ports, err := portList(m.ports)
	if err != nil {
		return nil, err
	}
	if len(ports) == 0 {
		ports = []uint16{portOf(server)}
	}
	src, err := (&session.Packets{Interface: m.iface, NetNS: m.netns, Ports: ports}).Open(ctx)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	p := &mysqlPackets{stop: stop, done: make(chan struct{}), stats: &rt.Stats{}}
	go func() {
		defer close(p.done)
		defer src.Close()
		// A capture that breaks off, or a bug, leaves the column empty.
		_ = crash.Guard(func() error {
			how := besideServers(ports)
			how.Collector = func(int) engine.Collector {
				return &mysqlCollector{sums: p, stats: &rt.Stats{}, ports: ports}
			}
			_, err := engine.Run(ctx, src, how)
			return err
		})
	}()
	return p, nil
}

func portOf(server string) uint16 {
	if _, port, err := net.SplitHostPort(server); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err == nil {
			return uint16(n)
		}
	}
	return mysqlconn.DefaultPort
}

// take gives the requests that were completed since it was asked last.
func (p *mysqlPackets) take() *rt.Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	p.stats = &rt.Stats{}
	return s
}

func (p *mysqlPackets) close() {
	p.stop()
	<-p.done
}

// mysqlCollector is that of one worker of the engine.
type mysqlCollector struct {
	engine.Nop
	sums  *mysqlPackets
	stats *rt.Stats // since the last batch
	ports []uint16
}

// Transaction counts a request.
func (c *mysqlCollector) Transaction(t *rt.Transaction) {
	for _, port := range c.ports {
		if t.Server.Port == port {
			c.stats.Add(t)
			return
		}
	}
}

// Progress hands over what a batch of packets brought.
func (c *mysqlCollector) Progress(int64) {
	if c.stats.Count == 0 {
		return
	}
	c.sums.mu.Lock()
	c.sums.stats.Merge(c.stats)
	c.sums.mu.Unlock()
	*c.stats = rt.Stats{}
}
