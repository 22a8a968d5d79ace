package failover

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"rtrail/internal/mysqlconn"
)

// patience is how long a lookup, a connect with its login, or a write may take: less than a
// second, so that each second stands for itself.
const patience = 900 * time.Millisecond

// network is how connections are made. Tests replace it.
type network struct {
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

// newNetwork looks names up without a cache of its own: by resolver, or, if that is nil, as
// /etc/hosts and /etc/resolv.conf say.
func newNetwork(resolver *net.Resolver) network {
	if resolver == nil {
		resolver = &net.Resolver{PreferGo: true}
	}
	return network{
		lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return resolver.LookupNetIP(ctx, "ip", host)
		},
		dial: (&net.Dialer{}).DialContext,
	}
}

// NameServer is a resolver that asks one name server only, which others may ask from a cache:
// HOST:PORT.
func NameServer(address string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
}

// lookupError says that a name has no address now.
type lookupError struct{ error }

func (e lookupError) Unwrap() error { return e.error }

// resolve looks the name of a target up, each time; nil for a socket.
func (n network) resolve(ctx context.Context, t mysqlconn.Target) ([]netip.Addr, error) {
	if t.Network != "tcp" {
		return nil, nil
	}
	if a, err := netip.ParseAddr(t.Host()); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	list, err := n.lookup(ctx, t.Host())
	if err == nil && len(list) == 0 {
		err = errors.New("the name has no address")
	}
	if err != nil {
		return nil, lookupError{err}
	}
	for i := range list {
		list[i] = list[i].Unmap()
	}
	return list[:min(len(list), maxAddresses)], nil
}

// maxAddresses is how many addresses of a name are kept and tried.
const maxAddresses = 8

// connect logs in at one of the addresses, the first that answers.
func (n network) connect(ctx context.Context, t mysqlconn.Target, addresses []netip.Addr) (*mysqlconn.Conn, error) {
	if t.Network != "tcp" {
		conn, err := n.dial(ctx, t.Network, t.Address)
		if err != nil {
			return nil, err
		}
		return t.LogIn(ctx, conn)
	}
	_, port, err := net.SplitHostPort(t.Address)
	if err != nil {
		return nil, err
	}
	var first error
	end, _ := ctx.Deadline()
	for i, a := range addresses {
		// The last one has all the time that is left.
		step, cancel := context.WithDeadline(ctx, time.Now().Add(time.Until(end)/time.Duration(len(addresses)-i)))
		conn, err := n.dial(step, "tcp", net.JoinHostPort(a.String(), port))
		cancel()
		if err == nil {
			return t.LogIn(ctx, conn)
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// maxText bounds what is kept of errors and of what servers call themselves, in bytes.
const maxText = 200

func cut(s string) string {
	if len(s) > maxText {
		return strings.ToValidUTF8(s[:maxText], "") + "..."
	}
	return s
}

// sorted are addresses as texts.
func sorted(list []netip.Addr) []string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = a.String()
	}
	slices.Sort(texts)
	return texts
}

// readOnly are the numbers with which servers refuse writes: --read-only and --super-read-only,
// read only mode, a transaction that may only read.
var readOnly = []int{1290, 1836, 1792}

var classes = map[mysqlconn.Kind]string{mysqlconn.Denied: "denied", mysqlconn.Full: "too many connections", mysqlconn.Privilege: "privilege",
	mysqlconn.Interrupted: "interrupted", mysqlconn.Gone: "closed", mysqlconn.Timeout: "timeout", mysqlconn.Unreachable: "unreachable",
	mysqlconn.NoTLS: "TLS", mysqlconn.NotMySQL: "no MySQL", mysqlconn.Withheld: "password withheld"}

// classOf names an error, with the server's number; 0 if it said none.
func classOf(err error) (class string, number int) {
	kind, number := mysqlconn.Classify(err)
	var lookup lookupError
	switch {
	case slices.Contains(readOnly, number):
		return "read_only", number
	case errors.As(err, &lookup):
		return "name", 0
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused", 0
	case kind == mysqlconn.Other && number == 0:
		return "error", 0
	}
	return classes[kind], number
}
