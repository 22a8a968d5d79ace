package traffic

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/summary"
)

// A link type that nobody knows is no damage: the user is told its number.
func TestDoubtsOfLinkTypes(t *testing.T) {
	r := engine.Report{Interfaces: []pcap.Interface{{Link: 147}, {Link: pcap.LinkEthernet}, {Link: 105}, {Link: 147}}}
	r.Results[decode.Foreign], r.Results[decode.Short] = 5, 2
	want := []string{
		"not read: 5 packets of link types that are not known (147, 105); see https://www.tcpdump.org/linktypes.html",
		"cut or broken before the transport header ended: 2 packets",
	}
	if diff := cmp.Diff(want, Doubts(&r, &summary.Summary{})); diff != "" {
		t.Error(diff)
	}
}
