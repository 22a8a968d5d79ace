package engine

import (
	"path/filepath"
	"testing"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

// begunAs are protocols whose connections may begin in another one.
var begunAs = map[string]string{"websocket": "http", "http2": "http"}

// TestOpeningsAreOfOneProtocol shows the first bytes of all real connections to all
// decoders: no other one takes them for its own.
func TestOpeningsAreOfOneProtocol(t *testing.T) {
	tried := map[string]int{}
	for _, own := range Protocols() {
		files, err := filepath.Glob("../proto/" + own.Name + "/testdata/*.pcap")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			for _, conn := range prototest.Capture(t, file) {
				var first [2][]byte
				for _, e := range conn {
					if first[e.Dir] == nil {
						first[e.Dir] = e.Data
					}
				}
				if first[flow.ToServer] == nil {
					continue
				}
				tried[own.Name]++
				for _, other := range Protocols() {
					asked, answered := other.Sniff(flow.ToServer, first[flow.ToServer]), proto.No
					if first[flow.ToClient] != nil {
						answered = other.Sniff(flow.ToClient, first[flow.ToClient])
					}
					if other.Name != own.Name && other.Name != begunAs[own.Name] && (asked == proto.Sure || asked == proto.Likely && answered >= proto.Likely) {
						t.Errorf("%s: %s takes a connection for its own that begins with %.60q and %.60q", file, other.Name, first[flow.ToServer], first[flow.ToClient])
					}
				}
			}
		}
	}
	for _, p := range Protocols() {
		if tried[p.Name] == 0 && p.Name != "generic" {
			t.Errorf("%s: no capture in its testdata shows how a connection begins", p.Name)
		}
	}
}
