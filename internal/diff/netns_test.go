package diff

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// space is a network namespace of a made-up host.
type space struct {
	ns             uint64
	name, comm     string
	bytes, packets float64 // received by eth0 and by TCP per second
	mtu            int64
	backlog        string
}

func spacesSide(host string, spaces ...space) Side {
	h := ruletest.New(4, seconds)
	h.Manifest(func(m *recording.Manifest) { m.Host.Name = host })
	h.Readings(func(at time.Time, s float64) {
		for _, x := range spaces {
			ruletest.Add(h, recording.NetNSSample{At: at, NetNS: x.ns, Own: x.ns == 1, Name: x.name, Comm: x.comm, PID: int32(x.ns)})
			ruletest.Add(h, recording.NetDeviceSample{At: at, NetNS: x.ns, Interface: "eth0", RxBytes: uint64(x.bytes * s), MTU: x.mtu})
			ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: x.ns, Protocol: "Tcp", Name: "InSegs", Value: int64(x.packets * s)})
		}
	})
	for _, x := range spaces {
		if x.backlog != "" {
			ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, NetNS: x.ns, Name: "net.core.somaxconn", Value: x.backlog})
		}
	}
	return Side{Recording: h.Rec, From: ruletest.Start, To: ruletest.Start.Add(seconds * time.Second)}
}

func TestNetworkNamespaces(t *testing.T) {
	own := space{ns: 1, bytes: 1 << 20, packets: 1000, mtu: 1500, backlog: "4096"}
	with := func(x space, change func(*space)) space { change(&x); return x }
	blue := space{ns: 7, name: "blue", bytes: 1 << 20, packets: 1000, mtu: 1500, backlog: "4096"}
	job := space{comm: "job", bytes: 1 << 20, packets: 1000, mtu: 1500}
	for _, c := range []struct {
		name          string
		first, second Side
		want, missing string
	}{
		{"the same, by other numbers", spacesSide("a", own, blue), spacesSide("b", own, with(blue, func(s *space) { s.ns = 9 })), "", ""},
		{"what a container receives", spacesSide("a", own, with(blue, func(s *space) { s.bytes, s.packets = s.bytes*8, s.packets*5 })), spacesSide("b", own, with(blue, func(s *space) { s.ns = 9 })),
			"net.received of eth0 in blue 8; net.segments-in of blue 5", ""},
		{"a container that does what the host does hides it not", spacesSide("a", with(own, func(s *space) { s.packets *= 5 }), with(blue, func(s *space) { s.packets *= 5 })), spacesSide("b", own, blue),
			"net.segments-in of  5; net.segments-in of blue 5", ""},
		{"settings", spacesSide("a", own, with(blue, func(s *space) { s.backlog, s.mtu = "128", 1400 })), spacesSide("b", own, blue),
			`MTU eth0 in blue ["1,400" "1,500"]; sysctl net.core.somaxconn in blue ["128" "4096"]`, ""},
		{"on one side only", spacesSide("a", own, with(blue, func(s *space) { s.bytes *= 8 })), spacesSide("b", own, with(blue, func(s *space) { s.name = "red" })),
			"", "1 network namespace (blue): only in the first window; 1 network namespace (red): only in the second window"},
		{"several of one name", spacesSide("a", own, with(job, func(s *space) { s.ns, s.bytes = 5, 8<<20 }), with(job, func(s *space) { s.ns = 6 })), spacesSide("b", own, with(job, func(s *space) { s.ns = 5 })),
			"", "1 network namespace (job): only in the second window; 2 network namespaces (job net:[5], job net:[6]): no name that lasts, or several of one name, in the first window"},
		{"several of one name, of one start of the host", spacesSide("a", own, with(job, func(s *space) { s.ns, s.bytes = 5, 8<<20 }), with(job, func(s *space) { s.ns = 6 })), spacesSide("a", own, with(job, func(s *space) { s.ns = 5 }), with(job, func(s *space) { s.ns = 6 })),
			"net.received of eth0 in job net:[5] 8", ""},
		{"a side that tells of none", spacesSide("a", own, blue), interfacesOf(t), "net.dropped of eth0 0", "1 network namespace (blue): told only by the first window"},
	} {
		r, err := Compare(c.first, c.second)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var missing []string
		for _, m := range r.Missing {
			if m.ID == NetworkNamespaces {
				missing = append(missing, m.Name+": "+m.Why)
			}
		}
		if got := told(r); got != c.want || strings.Join(missing, "; ") != c.missing {
			t.Errorf("%s: %q, %q, want %q, %q", c.name, got, missing, c.want, c.missing)
		}
	}
	if got := some(slices.Repeat([]string{"x"}, 12)); got != strings.TrimSuffix(strings.Repeat("x, ", 10), ", ")+" and 2 more" {
		t.Error(got)
	}
}

// interfacesOf is a report that knows no namespaces.
func interfacesOf(t *testing.T) Side {
	t.Helper()
	s := interfaces(t, 1<<20, 0)
	s.Recording.UpdateManifest(func(m *recording.Manifest) { m.Host = recording.Host{Name: "b"} })
	return s
}
