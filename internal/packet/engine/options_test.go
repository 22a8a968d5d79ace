package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

// open writes a capture of which all is known and opens it.
func open(t *testing.T, name string) pcap.Source {
	t.Helper()
	src, err := pcap.OpenFile(made(t, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// elsewhere is a capture that begins later, and with other ports.
type elsewhere struct {
	pcap.Source
	skip  uint64
	ports map[uint16]uint16
}

func (e *elsewhere) Next(ctx context.Context) (*pcap.Batch, error) {
	b, err := e.Source.Next(ctx)
	if err != nil {
		return nil, err
	}
	changed := &pcap.Batch{Release: b.Release}
	for _, p := range b.Packets {
		if p.Frame <= e.skip {
			continue
		}
		p.Data = bytes.Clone(p.Data)
		ports := []int{34, 36} // Ethernet and IPv4 without options
		if p.Data[23] != 6 {   // TCP
			ports = nil
		}
		for _, at := range ports {
			if to, ok := e.ports[binary.BigEndian.Uint16(p.Data[at:])]; ok {
				binary.BigEndian.PutUint16(p.Data[at:], to)
			}
		}
		changed.Packets = append(changed.Packets, p)
	}
	return changed, nil
}

// Of a connection that was there before, to a server with a high port, only who
// captures knows which side is the server, if the first bytes are of an answer.
func TestServerIsKnown(t *testing.T) {
	var first kept
	if _, err := Run(t.Context(), open(t, "mysql"), Options{Workers: 1, Collector: first.collector}); err != nil {
		t.Fatal(err)
	}
	const server, client = 33999, 33000
	ports := map[uint16]uint16{3306: server, first.connections[0].Client.Port: client}
	for _, known := range []bool{false, true} {
		var k kept
		o := Options{Workers: 1, Collector: k.collector}
		if known {
			o.Listen("mysql", server)
			o.Listen("", server, 80) // does not make it forgotten
		}
		if _, err := Run(t.Context(), &elsewhere{Source: open(t, "mysql"), skip: 7, ports: ports}, o); err != nil {
			t.Fatal(err)
		}
		if len(k.connections) != 1 {
			t.Fatalf("%d connections", len(k.connections))
		}
		c := k.connections[0]
		if right := c.Server.Port == server; right != known || !c.Midway || known && c.Protocol != "mysql" {
			t.Errorf("known: %t: server %v, protocol %q, midway %t", known, c.Server, c.Protocol, c.Midway)
		}
	}
}

func TestExpecting(t *testing.T) {
	before := Protocols()
	after := expecting(before, map[uint16]string{33999: "mysql", 80: ""})
	for i := range after {
		more := len(after[i].Ports) - len(before[i].Ports)
		if want := map[string]int{"mysql": 1}[after[i].Name]; more != want {
			t.Errorf("%s has %d more ports, want %d", after[i].Name, more, want)
		}
	}
}

func TestIgnore(t *testing.T) {
	var all kept
	if _, err := Run(t.Context(), open(t, "mysql"), Options{Workers: 1, Collector: all.collector}); err != nil {
		t.Fatal(err)
	}
	own := all.connections[0].Client
	for _, ignored := range []bool{false, true} {
		var k kept
		report, err := Run(t.Context(), open(t, "mysql"), Options{Workers: 2, Collector: k.collector,
			Ignore: func(client flow.Endpoint) bool { return (client == own) == ignored }})
		if err != nil {
			t.Fatal(err)
		}
		if none := len(k.connections)+len(k.transactions) == 0 && report.Connections == 0; none != ignored {
			t.Errorf("ignored: %t: %d connections, %d transactions, %d connections reported", ignored, len(k.connections), len(k.transactions), report.Connections)
		}
	}
}
