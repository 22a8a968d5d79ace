package doubt

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/crash"
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/summary"
)

func TestUnread(t *testing.T) {
	const nothing = "nothing was measured: no packet could be read as IP"
	for _, tc := range []struct {
		name    string
		packets uint64
		results decode.Results
		links   []pcap.LinkType
		want    []string
	}{
		{"a link type that nobody knows is no damage: the user is told its number", 9,
			decode.Results{decode.OK: 2, decode.Foreign: 5, decode.Short: 2}, []pcap.LinkType{147, pcap.LinkEthernet, 148, 147},
			[]string{
				"not read: 5 packets of link types that are not known (147, 148); see https://www.tcpdump.org/linktypes.html",
				"cut or broken before the transport header ended: 2 packets",
			}},
		{"a wrong link type", 5, decode.Results{decode.Alien: 5}, []pcap.LinkType{pcap.LinkRaw},
			[]string{"not read: 5 packets are neither IPv4 nor IPv6 although the link type says IP; the capture names a wrong link type (editcap -T corrects it)", nothing}},
		{"a stray packet", 5, decode.Results{decode.OK: 4, decode.Alien: 1}, []pcap.LinkType{pcap.LinkRaw},
			[]string{"not read: 1 packet is neither IPv4 nor IPv6 although the link type says IP"}},
		{"ARP beside IP is normal", 5, decode.Results{decode.OK: 4, decode.NotIP: 1}, nil, nil},
		{"nothing but ARP", 5, decode.Results{decode.NotIP: 5}, nil, []string{nothing + " (5 packets of ARP and other protocols)"}},
		{"nothing at all", 0, decode.Results{}, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := engine.Report{Packets: tc.packets, Results: tc.results}
			for _, l := range tc.links {
				r.Interfaces = append(r.Interfaces, pcap.Interface{Link: l})
			}
			var got []string
			for _, d := range Of(&r, &summary.Summary{}) {
				if d.Kind != Gap {
					t.Errorf("kind %d of %q", d.Kind, d.Text)
				}
				got = append(got, d.Text)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCrashed(t *testing.T) {
	first := crash.Crash{What: "index out of range", Where: "packet/proto/dns/message.go:7"}
	for _, tc := range []struct {
		crashes engine.Crashes
		want    string
	}{
		{engine.Crashes{}, ""},
		{engine.Crashes{Connections: 1, First: first, Frame: 17, Conn: "10.0.0.1:4711 > 10.0.0.2:53 (dns)"},
			"left out because rtrail crashed (bug): index out of range, at packet/proto/dns/message.go:7: 1 connection, the first at packet 17 of 10.0.0.1:4711 > 10.0.0.2:53 (dns); please report this"},
		{engine.Crashes{Connections: 2, Packets: 1, First: first, Frame: 17},
			"left out because rtrail crashed (bug): index out of range, at packet/proto/dns/message.go:7: 2 connections and 1 packet of no connection, the first at packet 17; please report this"},
	} {
		got := ""
		for _, d := range Of(&engine.Report{Packets: 1, Results: decode.Results{decode.OK: 1}, Crashes: tc.crashes}, nil) {
			got += d.Text
		}
		if got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

// What is counted stands in the singular if there is one of it.
func TestDoubtsCountInWords(t *testing.T) {
	some := func(n uint64) *summary.Summary {
		total := &summary.Total{}
		total.Unpaired, total.Lossy = int64(n), int64(n)
		return &summary.Summary{Seen: n, Midway: n, Services: map[summary.Service]*summary.Total{{}: total}}
	}
	for _, c := range []struct {
		n    uint64
		want []string
	}{
		{1, []string{"begun before the capture: 1 of 1 connection", "captured twice and counted once: 1 packet",
			"left out of all times: 2 requests (1 answer whose request was not captured, 1 captured in part)"}},
		{2, []string{"begun before the capture: 2 of 2 connections", "captured twice and counted once: 2 packets",
			"left out of all times: 4 requests (2 answers whose requests were not captured, 2 captured in part)"}},
	} {
		if diff := cmp.Diff(c.want, textsOf(Of(&engine.Report{Duplicates: c.n}, some(c.n)))); diff != "" {
			t.Error(diff)
		}
	}
}

func textsOf(list []Doubt) (texts []string) {
	for _, d := range list {
		texts = append(texts, d.Text)
	}
	return texts
}
