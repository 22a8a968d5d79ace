package socket

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

// newNamespace makes a network namespace without anybody in it, or skips the test.
func newNamespace(t *testing.T) (fd int) {
	t.Helper()
	own, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no namespaces here: %v", err)
	}
	defer unix.Close(own)
	err = enter(own, func() (err error) { // by a thread that ends with it
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return err
		}
		fd, err = unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		t.Skipf("no network namespace can be made here: %v", err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// TestReadRules loads rules and reads them: all, and as many as a bound lets it.
func TestReadRules(t *testing.T) {
	fd := newNamespace(t)
	conn, err := nftables.New(nftables.WithNetNSFd(fd))
	if err != nil {
		t.Skipf("no nftables here: %v", err)
	}
	drop := nftables.ChainPolicyDrop
	filter := conn.AddTable(&nftables.Table{Family: nftables.TableFamilyIPv4, Name: "filter"})
	input := conn.AddChain(&nftables.Chain{
		Name: "INPUT", Table: filter, Type: nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookInput, Priority: nftables.ChainPriorityFilter, Policy: &drop,
	})
	own := conn.AddTable(&nftables.Table{Family: nftables.TableFamilyINet, Name: "own"})
	large := conn.AddChain(&nftables.Chain{Name: "large", Table: own})
	add := func(c *nftables.Chain, exprs ...expr.Any) {
		conn.AddRule(&nftables.Rule{Table: c.Table, Chain: c, Exprs: exprs})
	}
	add(input, &expr.Counter{}, &expr.Verdict{Kind: expr.VerdictAccept})
	add(input, &expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1}, &expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{17}},
		&expr.Counter{}, &expr.Verdict{Kind: expr.VerdictDrop})
	const many = 1000
	flush := func() {
		if err := conn.Flush(); err != nil {
			t.Skipf("no rules can be loaded here: %v", err)
		}
	}
	flush()
	for i := range many {
		add(large, &expr.Verdict{Kind: expr.VerdictReturn})
		if i%50 == 0 { // there is little room for answers
			flush()
		}
	}
	add(large, &expr.Reject{Type: unix.NFT_REJECT_ICMPX_UNREACH, Code: unix.NFT_REJECT_ICMPX_PORT_UNREACH})
	flush()
	policy := recording.FirewallRule{
		NetNS: 7, Backend: "iptables-nft", Family: "ip", TableOf: "filter", Chain: "INPUT",
		Verdict: "drop", Match: "policy of the chain, for what no rule took",
	}
	udp, reject := policy, policy
	udp.Match, udp.Counted, udp.Index = "meta l4proto udp", true, 2
	reject.Backend, reject.Family, reject.TableOf, reject.Chain = "nft", "inet", "own", "large"
	reject.Verdict, reject.Match, reject.Index = "reject", "", many+1
	for _, c := range []struct {
		name       string
		bytes      int
		until, cpu time.Duration
		want       []recording.FirewallRule
		end        error
	}{
		{"all", rulesBytes, time.Minute, time.Minute, []recording.FirewallRule{policy, udp, reject}, nil},
		{"no more bytes", 16 << 10, time.Minute, time.Minute, []recording.FirewallRule{policy, udp}, errEnough},
		{"no more CPU time", rulesBytes, time.Minute, 0, nil, errEnough},
		{"no more time", rulesBytes, -time.Second, time.Minute, nil, errNoTime},
	} {
		cpuTime := func() time.Duration { return 0 }
		set := ruleset{netns: 7, until: time.Now().Add(c.until), bytes: c.bytes, cpuTime: cpuTime, cpuUntil: c.cpu}
		if err := set.read(fd, make([]byte, dumpBuffer)); !errors.Is(err, c.end) {
			t.Errorf("%s: %v, want %v", c.name, err, c.end)
		}
		if diff := cmp.Diff(c.want, set.rows, cmpopts.IgnoreFields(recording.FirewallRule{}, "At", "Handle")); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}
