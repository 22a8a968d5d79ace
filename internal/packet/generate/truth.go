package generate

import (
	"fmt"
	"io"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
)

// Truth is a small capture of which everything is known.
type Truth struct {
	Name  string
	Help  string                // what happens in it
	Write func(io.Writer) error // writes the capture
	// Transactions are those whose times are to be used, in the order of their
	// first request packets. What they leave at zero or empty is zero or is not
	// said: see Check.
	Transactions []rt.Transaction
	Connections  []Connection
}

// NotSaid is a counter that the capture cannot tell, or that depends on how
// one looks at it.
const NotSaid = -1

// Connection is what is true of a connection.
type Connection struct {
	Client, Server string // ADDRESS:PORT
	Midway         bool
	Ending         flow.Ending
	Sides          [2]Side // by flow.Dir of who sent
	// ToServer and ToClient are the two parts of the handshake's round trip;
	// NotSaid if it was not captured.
	ToServer, ToClient time.Duration
}

// Side is what is true of the packets of one side; each counter may be NotSaid.
type Side struct {
	Packets, Segments, Bytes             int64
	Retransmissions, OutOfOrder, DupACKs int64
	LostOnWire, Missed                   int64 // bytes
	ZeroWindows                          int64
	ZeroWindowTime                       time.Duration
	LargestSegment                       int64
}

// Check compares what was found in the capture with the truth, and says what
// differs. Transactions must be in the order of their first request packets and
// hold the usable ones only; connections in the order of their first packets.
func (t *Truth) Check(transactions []rt.Transaction, connections []rt.Connection) []string {
	var all differences
	all.add("", "usable transactions", len(t.Transactions), len(transactions))
	for i := range min(len(t.Transactions), len(transactions)) {
		all.transaction(fmt.Sprintf("transaction %d: ", i+1), &t.Transactions[i], &transactions[i])
	}
	all.add("", "connections", len(t.Connections), len(connections))
	for i := range min(len(t.Connections), len(connections)) {
		all.connection(fmt.Sprintf("connection %d: ", i+1), &t.Connections[i], &connections[i])
	}
	return all
}

type differences []string

func (d *differences) add(where, what string, want, got any) {
	if want != got {
		*d = append(*d, fmt.Sprintf("%s%s: want %v, got %v", where, what, want, got))
	}
}

func (d *differences) transaction(where string, want, got *rt.Transaction) {
	d.add(where, "client", want.Client, got.Client)
	d.add(where, "server", want.Server, got.Server)
	d.add(where, "protocol", want.Proto, got.Proto)
	if want.Command != "" {
		d.add(where, "command", want.Command, got.Command)
	}
	d.add(where, "start", want.Start, got.Start)
	d.add(where, "RT", want.RT, got.RT)
	d.add(where, "upload", want.Upload, got.Upload)
	d.add(where, "server", want.Serve, got.Serve)
	d.add(where, "download", want.Download, got.Download)
	d.add(where, "retransmit", want.Retransmit, got.Retransmit)
	d.add(where, "zero window", want.ZeroWindow, got.ZeroWindow)
	d.add(where, "frames", want.Frames, got.Frames)
	d.add(where, "depth", want.Depth, got.Depth)
}

func (d *differences) connection(where string, want *Connection, got *rt.Connection) {
	d.add(where, "client", want.Client, got.Client.String())
	d.add(where, "server", want.Server, got.Server.String())
	d.add(where, "midway", want.Midway, got.Midway)
	d.add(where, "ending", want.Ending, got.Ending)
	if there, back, ok := got.HandshakeRTT(); want.ToServer != NotSaid {
		d.add(where, "handshake is complete", true, ok)
		d.add(where, "handshake to the server", want.ToServer, there)
		d.add(where, "handshake to the client", want.ToClient, back)
	}
	for i := range want.Sides {
		w, g := &want.Sides[i], &got.Sides[i]
		where := where + flow.Dir(i).String() + ": "
		for _, c := range []struct {
			name      string
			want, got int64
		}{
			{"packets", w.Packets, int64(g.Packets)},
			{"segments", w.Segments, int64(g.Segments)},
			{"bytes", w.Bytes, g.Bytes},
			{"retransmissions", w.Retransmissions, int64(g.Retransmissions)},
			{"out of order", w.OutOfOrder, int64(g.OutOfOrder)},
			{"duplicate ACKs", w.DupACKs, int64(g.DupACKs)},
			{"bytes lost on the wire", w.LostOnWire, g.LostOnWire},
			{"bytes missed by the capture", w.Missed, g.Missed},
			{"zero windows", w.ZeroWindows, int64(g.ZeroWindows)},
			{"zero window time", int64(w.ZeroWindowTime), int64(g.ZeroWindowTime)},
			{"largest segment", w.LargestSegment, int64(g.LargestSegment)},
		} {
			if c.want != NotSaid {
				d.add(where, c.name, c.want, c.got)
			}
		}
	}
}

// Truths are all known-truth captures.
func Truths() []Truth {
	var all []Truth
	for _, scenes := range [][]*scene{
		{miniature(), requestResent(), responseResent()},
		{lostOnWire(), reordered(), missed(), oneWay(), midway()},
		{pipelined(), redisPipelined(), continued(), mysqlSession()},
		{snapped(), wrapped(), zeroWindow(), portReused(), anyScene()},
		{giants(false), giants(true), backwards()},
		linkScenes(), formatScenes(),
	} {
		for _, s := range scenes {
			all = append(all, s.truth())
		}
	}
	return all
}

// write puts packets into a file that keeps all there is to know of them.
func write(w io.Writer, link pcap.LinkType, snap int, packets []pcap.Packet) error {
	interfaces := []pcap.Interface{{Name: "eth0", Link: link, SnapLength: uint32(snap)}}
	out := pcap.NewWriter(w, pcap.PCAP, func() []pcap.Interface { return interfaces })
	for i := range packets {
		if err := out.Write(&packets[i]); err != nil {
			return err
		}
	}
	return out.Close(pcap.Loss{})
}
