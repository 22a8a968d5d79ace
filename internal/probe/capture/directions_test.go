package capture

import (
	"testing"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// connection is one of many: its server sends ten segments, one of them again.
func connection(id int, client flow.Addr) *rt.Connection {
	c := &tcp.Conn{ID: uint64(id), Ending: flow.Finished, Client: flow.Endpoint{Addr: client, Port: uint16(id)},
		Server: flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 3306}}
	c.Sides[flow.ToClient] = tcp.Side{Segments: 10, Retransmissions: 1, RetransmitWait: time.Millisecond}
	return &rt.Connection{Conn: c, Protocol: "mysql"}
}

// Of thousands of connections the worst are kept, but all are summed up, by
// whichever workers saw them.
func TestDirectionsOfAllConnections(t *testing.T) {
	const all = connections + 500
	o := engine.Options{Workers: 2}
	c := newCutter(&Options{Engine: o})
	watchers := c.watch(&o)
	workers := []engine.Collector{o.Collector(0), o.Collector(1)}
	for i := range all {
		workers[i%2].Connection(connection(i, flow.V4([4]byte{10, 0, 1, byte(i % 2)})))
	}
	r := resultOf(c, watchers)
	start := time.Unix(1000, 0)
	rec := recording.New(recording.Manifest{Format: recording.FormatVersion})
	w := recording.NewWriter(start)
	r.Write(w)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	s := view.New(rec, start, start.Add(time.Second)).PacketServices()[0]
	if len(s.Connections) != connections {
		t.Errorf("%d connections kept, want %d", len(s.Connections), connections)
	}
	got := s.Sent("server")
	if got.Connections != all || got.Ended != all || got.Segments != 10*all || got.Retransmissions != all || got.RetransmitWait != all*time.Millisecond {
		t.Errorf("sums %+v, want those of %d connections", got, all)
	}
	if client := s.Sent("client"); client.Connections != all || client.Segments != 0 {
		t.Errorf("sums of the clients %+v", client)
	}
	if len(s.Directions) != 4 {
		t.Errorf("%d directions, want two of each of two clients", len(s.Directions))
	}
}

// resultOf ends the workers.
func resultOf(c *cutter, watchers []*watcher) (r *Result) {
	for _, w := range watchers {
		w.finish(0)
	}
	c.report = &engine.Report{First: int64(1000 * time.Second), Last: int64(1060 * time.Second)}
	c.results(0, func(one *Result) { r = one })
	return r
}

// Clients beyond those told apart are summed up as one.
func TestDirectionsAreBounded(t *testing.T) {
	const clients = maxDirections + 100
	d := newDirections(nil)
	for i := range clients {
		d.add(connection(i, flow.V4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})), false)
	}
	rows := d.rows(time.Unix(1000, 0), nil)
	if len(rows) != 2*(maxDirections+1) {
		t.Errorf("%d rows, want two of each of %d clients and of all others", len(rows), maxDirections)
	}
	var segments, others int64
	for _, r := range rows {
		segments += r.Segments
		if r.Client == "" && r.Sender == "server" {
			others = r.Connections
		}
	}
	if segments != 10*clients || others != 100 {
		t.Errorf("%d segments, want %d; %d connections of others, want 100", segments, 10*clients, others)
	}
}

// Ports that were not asked for do not count.
func TestDirectionsOfPorts(t *testing.T) {
	d := newDirections([]uint16{80})
	d.add(connection(1, flow.V4([4]byte{10, 0, 0, 1})), false)
	if len(d.sums) != 0 {
		t.Errorf("%d directions of another port", len(d.sums))
	}
}
