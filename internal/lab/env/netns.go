package env

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/vishvananda/netns"
)

// NetNS is a network namespace of the lab, seen by `ip netns`.
type NetNS struct {
	Name string // "rtrail-lab-1a2b3c4d-server"
	env  *Env
}

// NetNS makes a network namespace, its loopback up.
func (e *Env) NetNS(name string) (*NetNS, error) {
	ns := &NetNS{Name: e.NetNSName(name), env: e}
	if err := e.journal.add(made{Kind: madeNetNS, Name: ns.Name}); err != nil {
		return nil, err
	}
	if err := e.IP("netns", "add", ns.Name); err != nil {
		return nil, err
	}
	return ns, e.IP("-n", ns.Name, "link", "set", "lo", "up")
}

// NetNSName is the full name of a namespace of this run.
func (e *Env) NetNSName(name string) string { return namePrefix + e.ID + "-" + name }

// IP runs the ip command of iproute2.
func (e *Env) IP(args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := e.Run(ctx, "ip", args...)
	return err
}

// Run runs a program in the namespace to its end: ns.Run(ctx, "nft", "-f", path).
func (ns *NetNS) Run(ctx context.Context, name string, args ...string) (string, error) {
	return ns.env.RunWith(ctx, Options{NetNS: ns}, name, args...)
}

// Start starts a program in the namespace.
func (ns *NetNS) Start(name string, args ...string) (*Proc, error) {
	return ns.env.StartWith(Options{NetNS: ns}, name, args...)
}

// Sysctl sets a variable of the namespace: "net.ipv4.ip_local_port_range".
// It needs no restoring, for it goes with the namespace. Variables that belong
// to the whole machine are for Env.Sysctl.
func (ns *NetNS) Sysctl(key, value string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := ns.Run(ctx, "sysctl", "-q", "-w", key+"="+value)
	return err
}

// Do calls fn on a thread that is in the namespace. Sockets that fn makes stay
// in the namespace; goroutines that it starts do not run there.
func (ns *NetNS) Do(fn func() error) error {
	runtime.LockOSThread()
	home, err := netns.Get()
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("enter network namespace %s: %w", ns.Name, err)
	}
	defer home.Close()
	there, err := netns.GetFromName(ns.Name)
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("enter network namespace %s: %w", ns.Name, err)
	}
	defer there.Close()
	if err := netns.Set(there); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("enter network namespace %s: %w", ns.Name, err)
	}
	err = fn()
	if backErr := netns.Set(home); backErr != nil {
		// The thread stays locked and so ends with its goroutine, rather than
		// serving others in the wrong namespace.
		return fmt.Errorf("return from network namespace %s: %w", ns.Name, backErr)
	}
	runtime.UnlockOSThread()
	return err
}

// Dial opens a connection from within the namespace; a nil namespace is the
// host's. The address must be numeric.
func (ns *NetNS) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if ns == nil {
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	var conn net.Conn
	err := ns.Do(func() (err error) {
		conn, err = (&net.Dialer{}).DialContext(ctx, network, addr)
		return err
	})
	return conn, err
}

// HTTPClient returns a client whose connections are made in the namespace; a
// nil namespace is the host's.
func (ns *NetNS) HTTPClient(timeout time.Duration, keepAlive bool) *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{
		DialContext:         ns.Dial,
		DisableKeepAlives:   !keepAlive,
		MaxIdleConnsPerHost: 1000,
	}}
}

// End is one end of a veth pair.
type End struct {
	NetNS  *NetNS // nil: the host
	Device string
	Addr   string // "10.213.1.1"
}

// subnet returns the next free network, "10.213.7".
func (e *Env) subnet() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.subnets++
	return fmt.Sprintf("10.213.%d", e.subnets)
}

func (e *Env) linkName() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.links++
	return linkPrefix(e.ID) + strconv.Itoa(e.links)
}

// Veth joins two namespaces by a veth pair in a network of their own; nil is
// the host. The ends are up and have the addresses .1 and .2.
func (e *Env) Veth(a, b *NetNS) (endA, endB End, err error) {
	net := e.subnet()
	endA = End{NetNS: a, Device: e.linkName(), Addr: net + ".1"}
	endB = End{NetNS: b, Device: e.linkName(), Addr: net + ".2"}
	if err := e.addVeth(endA, endB); err != nil {
		return End{}, End{}, err
	}
	for _, end := range []End{endA, endB} {
		if err := e.up(end); err != nil {
			return End{}, End{}, err
		}
	}
	return endA, endB, nil
}

func (e *Env) addVeth(a, b End) error {
	// The pair appears in the host's namespace first, and one end may stay.
	if err := e.journal.add(made{Kind: madeLink, Name: a.Device}); err != nil {
		return err
	}
	if err := e.IP("link", "add", a.Device, "type", "veth", "peer", "name", b.Device); err != nil {
		return err
	}
	for _, end := range []End{a, b} {
		if end.NetNS != nil {
			if err := e.IP("link", "set", end.Device, "netns", end.NetNS.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Env) up(end End) error {
	in := []string{}
	if end.NetNS != nil {
		in = []string{"-n", end.NetNS.Name}
	}
	if end.Addr != "" {
		if err := e.IP(append(in, "addr", "add", end.Addr+"/24", "dev", end.Device)...); err != nil {
			return err
		}
	}
	return e.IP(append(in, "link", "set", end.Device, "up")...)
}

// Bridge joins namespaces by a bridge in a namespace of its own. ends are in
// the order of members, with the addresses .11, .12, ... of one network;
// Device is the end inside the member.
func (e *Env) Bridge(members ...*NetNS) (bridge *NetNS, ends []End, err error) {
	bridge, err = e.NetNS("bridge")
	if err != nil {
		return nil, nil, err
	}
	if err := e.IP("-n", bridge.Name, "link", "add", "br0", "type", "bridge"); err != nil {
		return nil, nil, err
	}
	if err := e.IP("-n", bridge.Name, "link", "set", "br0", "up"); err != nil {
		return nil, nil, err
	}
	net := e.subnet()
	for i, m := range members {
		inside := End{NetNS: m, Device: e.linkName(), Addr: fmt.Sprintf("%s.%d", net, 11+i)}
		port := End{NetNS: bridge, Device: e.linkName()}
		if err := e.addVeth(inside, port); err != nil {
			return nil, nil, err
		}
		if err := e.IP("-n", bridge.Name, "link", "set", port.Device, "master", "br0"); err != nil {
			return nil, nil, err
		}
		for _, end := range []End{inside, port} {
			if err := e.up(end); err != nil {
				return nil, nil, err
			}
		}
		ends = append(ends, inside)
	}
	return bridge, ends, nil
}

// Route adds a route inside the namespace: ns.Route("default", "10.213.1.1").
func (ns *NetNS) Route(to, via string) error {
	return ns.env.IP("-n", ns.Name, "route", "replace", to, "via", via)
}
