package main

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/summary"
	"rtrail/internal/probe/capture"
	"rtrail/internal/session"
)

// captureFlags say which packets are captured while a host is watched.
type captureFlags struct {
	iface string // none: no packets are captured
	ports string
	only  []uint16 // what ports names
	as    decodeAs
	netns string

	second func(*summary.Second) // takes the seconds of a capture that is one interval; nil: nobody does
}

func (c *captureFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&c.iface, "interface", "i", "", "also capture packets on this interface (any: on all)")
	f.StringVarP(&c.ports, "port", "p", "", "only packets of these ports, comma-separated")
	c.as.add(f)
	f.StringVar(&c.netns, "netns", "", "capture in this network namespace: a name, a path or a PID")
}

// check refuses what cannot be meant; files says that packets may come from captures instead.
func (c *captureFlags) check(files bool) (err error) {
	switch c.only, err = portList(c.ports); {
	case err != nil:
		return err
	case c.iface != "":
		return nil
	case c.netns != "":
		return usageError("--netns needs an interface: -i IF")
	case !files && c.ports != "":
		return usageError("-p %s chooses packets: it needs an interface: -i IF", c.ports)
	case !files && len(c.as) > 0:
		return errDecodeAs
	}
	return nil
}

// lastingInterval is how long an interval of packets takes in runs without end.
const lastingInterval = 10 * time.Second

// liveWorkers is how many goroutines go through the packets of an interface. One
// takes a million packets a second, more than hosts that wait for something
// have; a second one would wake another CPU for each batch, and spread the same
// work over two caches that the host's programs need.
const liveWorkers = 1

// probe is the probe that captures packets; unopened is why it could not. mysql are ports
// at which servers speak MySQL's protocol. every is how long an interval takes; 0: there is one.
func (c *captureFlags) probe(mysql []uint16, every time.Duration, unopened *error) *capture.Probe {
	how := besideServers(mysql)
	how.Workers, how.DecodeAs = liveWorkers, c.as
	// An interface without packets has to say so, or nobody knows that an interval is over.
	packets := session.Packets{Interface: c.iface, NetNS: c.netns, Ports: c.only, Tick: every / 20}
	options := capture.Options{Source: c.iface, NetNS: c.netns, Ports: c.only, Engine: how}
	if every == 0 {
		options.Second = c.second
	}
	return capture.NewProbe(func() (src pcap.Source, err error) {
		src, *unopened = packets.Open(context.Background())
		return src, *unopened
	}, every, options)
}
