package net

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// stuckWay is a direction between two hosts in which one segment got stuck.
type stuckWay struct {
	client, server string
	sender         string
	size, acked    int64
	stamped        bool // with TCP timestamps
}

func stuckOn(ways ...stuckWay) *ruletest.Host {
	h := with(len(ways), func(i int, c *ruletest.PacketConnection) {
		c.Client, c.Server = ways[i].client, ways[i].server
	})()
	for i, w := range ways {
		stuckPath(h, int64(i+1), 4, w.size, w.acked, func(p *recording.PacketPath) {
			if p.Sender = w.sender; w.stamped {
				p.FirstTS, p.LastTS = 1, 9
			}
		})
	}
	return h
}

// TestMTUOfManyHosts tells what has one end in common once.
func TestMTUOfManyHosts(t *testing.T) {
	to := func(n int) (list []stuckWay) {
		for i := range n {
			list = append(list, stuckWay{client: fmt.Sprintf("10.0.0.%d", 10+i), server: "10.0.0.2", sender: "server", size: 1460, acked: 100})
		}
		return list
	}
	for _, tc := range []struct {
		name     string
		ways     []stuckWay
		headings []string // each the beginning of a headline
		subjects []string
	}{
		{"one server, 60 clients", to(60), []string{"large packets from 10.0.0.2 do not reach 60 clients: segments of 1.43 KiB"}, []string{"10.0.0.2"}},
		{"one client", to(1), []string{"large packets from 10.0.0.2 do not reach 10.0.0.10: "}, []string{"10.0.0.10"}},
		{"one client sends to three servers", []stuckWay{
			{"10.0.0.1", "10.0.1.1", "client", 1460, 0, false}, {"10.0.0.1", "10.0.1.2", "client", 1460, 0, false}, {"10.0.0.1", "10.0.1.3", "client", 1448, 0, false},
		}, []string{"large packets from 10.0.0.1 do not reach 3 servers: segments of 1.41 KiB"}, []string{"10.0.0.1"}},
		{"two clients send to one server", []stuckWay{
			{"10.0.0.1", "10.0.1.1", "client", 1460, 0, false}, {"10.0.0.2", "10.0.1.1", "client", 1460, 0, false},
		}, []string{"large packets from 2 clients do not reach 10.0.1.1: "}, []string{"10.0.1.1"}},
		{"sizes that no one link explains", []stuckWay{
			{"10.0.0.10", "10.0.0.2", "server", 900, 100, false}, {"10.0.0.11", "10.0.0.2", "server", 1460, 1200, false}, {"10.0.0.12", "10.0.0.2", "server", 900, 100, false},
		}, []string{"large packets from 10.0.0.2 do not reach 2 clients: segments of 900 B", "large packets from 10.0.0.2 do not reach 10.0.0.11: "}, []string{"10.0.0.2", "10.0.0.11"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := stuckOn(tc.ways...).Detect(t, mtuMismatch)
			if len(found) != len(tc.headings) {
				t.Fatalf("%d findings, want %d: %+v", len(found), len(tc.headings), found)
			}
			for i, f := range found {
				ruletest.Checked(t, f)
				if !strings.HasPrefix(f.Headline.String(), tc.headings[i]) || f.Subject.Name != tc.subjects[i] {
					t.Errorf("%q about %s, want %q about %s", f.Headline, f.Subject.Name, tc.headings[i], tc.subjects[i])
				}
				if f.Confidence == rule.Certain {
					t.Error("certain, of one connection each")
				}
			}
		})
	}
}

// TestMTUCommands holds what is to be typed to the size of the packets that got
// stuck, and to their protocol.
func TestMTUCommands(t *testing.T) {
	for _, tc := range []struct {
		name  string
		way   stuckWay
		mss   int32
		wants []string
	}{
		{"over Ethernet", stuckWay{"10.0.0.1", "10.0.0.2", "server", 1460, 100, false}, 1460,
			[]string{"ping -M do -s 1472 10.0.0.1 ", "ip.src == 10.0.0.2 && ip.dst == 10.0.0.1 ", "-e ip.src", "iptables -I INPUT -p icmp --icmp-type fragmentation-needed ", "iptables -t mangle "}},
		{"with timestamps", stuckWay{"10.0.0.1", "10.0.0.2", "server", 1448, 100, true}, 1460, []string{"ping -M do -s 1472 10.0.0.1 "}},
		{"cut by the network card", stuckWay{"10.0.0.1", "10.0.0.2", "server", 2896, 100, true}, 1460, []string{"ping -M do -s 1472 10.0.0.1 "}},
		{"without an announced size", stuckWay{"10.0.0.1", "10.0.0.2", "server", 1400, 100, false}, 0, []string{"ping -M do -s 1412 10.0.0.1 "}},
		{"over IPv6", stuckWay{"fd00::1", "fd00::2", "server", 1440, 100, false}, 1440,
			[]string{"ping -M do -s 1452 fd00::1 ", "ipv6.src == fd00::2 && ipv6.dst == fd00::1 ", "-e ipv6.src", "ip6tables -I INPUT -p icmpv6 --icmpv6-type packet-too-big ", "ip6tables -t mangle "}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := with(1, func(_ int, c *ruletest.PacketConnection) {
				c.Client, c.Server, c.FromClient.MSS = tc.way.client, tc.way.server, tc.mss
			})()
			stuckPath(h, 1, 4, tc.way.size, tc.way.acked, func(p *recording.PacketPath) {
				if tc.way.stamped {
					p.FirstTS, p.LastTS = 1, 9
				}
			})
			for _, f := range ruletest.Judge(t, h, mtuMismatch, rule.Likely) {
				var commands []string
				for _, e := range f.Evidence {
					commands = append(commands, e.Check.String())
				}
				for _, x := range f.Fixes {
					commands = append(commands, x.Command.String())
				}
				for _, want := range tc.wants {
					if !slices.ContainsFunc(commands, func(c string) bool { return strings.Contains(c, want) }) {
						t.Errorf("no command has %q: %q", want, commands)
					}
				}
			}
		})
	}
}
