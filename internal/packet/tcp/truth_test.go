package tcp

import (
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
)

// TestKnownTruth plays the capture of which every time is known: an HTTP
// connection with a request that came again, two pipelined ones, and an answer
// that came again although it had arrived.
func TestKnownTruth(t *testing.T) {
	s := newScript(t, Options{})
	s.shake()
	s.data(10*ms, flow.ToServer, 0, 80, 0)
	s.data(210*ms, flow.ToServer, 0, 80, 0)
	s.data(215*ms, flow.ToClient, 0, 200, 80)
	s.ack(216*ms, flow.ToServer, 80, 200)
	s.data(300*ms, flow.ToServer, 80, 80, 200)
	s.data(301*ms, flow.ToServer, 160, 80, 200)
	s.data(310*ms, flow.ToClient, 200, 200, 240)
	s.data(350*ms, flow.ToClient, 400, 200, 240)
	s.ack(351*ms, flow.ToServer, 240, 600)
	s.data(600*ms, flow.ToClient, 400, 200, 240)
	s.data(700*ms, flow.ToServer, 240, 80, 600)
	s.data(720*ms, flow.ToClient, 600, 200, 320)
	c := s.last()
	want := []string{
		"client data 0+80 @10",
		"client again 0-80 10>210", "client retransmission 10-210",
		"client acked 80 @215", "server data 0+200 @215", "server acked 200 @216",
		"client data 80+80 @300", "client data 160+80 @301",
		"client acked 240 @310", "server data 200+200 @310", "server data 400+200 @350", "server acked 600 @351",
		"server again 400-600 350>600",
		"client data 240+80 @700", "client acked 320 @720", "server data 600+200 @720",
		"end open @720",
	}
	if d := cmp.Diff(want, s.log); d != "" {
		t.Error(d)
	}
	client, server := c.Sides[0], c.Sides[1]
	if client.Retransmissions != 1 || client.Timeouts != 1 || client.LostOnWire != 80 || client.Bytes != 320 || client.Segments != 5 {
		t.Errorf("client: %+v", client)
	}
	if server.Retransmissions != 1 || server.Spurious != 1 || server.LostOnWire != 0 || server.Bytes != 800 || server.RTTs != 2 || server.RTTMin != 1e6 {
		t.Errorf("server: %+v", server)
	}
	if a, b, ok := c.HandshakeRTT(); a != 1e6 || b != 1e6 || !ok {
		t.Errorf("handshake %v %v %v", a, b, ok)
	}
}

// TestSize keeps a connection within a kilobyte, with its place in the table.
func TestSize(t *testing.T) {
	if size := unsafe.Sizeof(Conn{}); size+2*unsafe.Sizeof(slot{}) > 1024 {
		t.Errorf("a connection takes %d bytes", size)
	}
}
