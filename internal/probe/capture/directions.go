package capture

import (
	"slices"
	"time"

	"rtrail/internal/direction"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/recording"
)

// maxDirections is how many pairs of a client address and a service a worker
// tells apart, in 12 MB. Further clients of a service are one, of at most as many
// services; what is beyond is summed up as the zero service.
const maxDirections = 10_000

// between is a client address and a service; without the address it stands for
// all clients of the service that are not told apart.
type between struct {
	client flow.Addr
	summary.Service
}

// directions sums connections up by client address, service and sender. Of a
// long capture only the worst connections are kept: shares of all need all.
type directions struct {
	ports []uint16
	sums  map[between]*[2]recording.PacketDirection // by flow.Dir
}

func newDirections(ports []uint16) directions {
	return directions{ports, map[between]*[2]recording.PacketDirection{}}
}

func (d *directions) wanted(port uint16) bool {
	return len(d.ports) == 0 || slices.Contains(d.ports, port)
}

// add counts what was seen of a connection; carried says that the interval before
// counts it too.
func (d *directions) add(c *rt.Connection, carried bool) {
	if !d.wanted(c.Server.Port) {
		return
	}
	row := ConnectionRow(c)
	both := d.at(between{c.Client.Addr, summary.Service{Server: c.Server, Proto: c.Protocol}})
	for dir := range both {
		side := SideRow(&row, both[dir].Sender, &c.Sides[dir])
		direction.Add(&both[dir], &row, &side)
		if carried {
			both[dir].Carried++
		}
	}
}

// transaction takes note of a request that the server was not heard of after, and
// of how long an answer took to arrive.
func (d *directions) transaction(t *rt.Transaction) {
	if !d.wanted(t.Server.Port) {
		return
	}
	k := between{t.Client.Addr, summary.Service{Server: t.Server, Proto: t.Proto}}
	if t.Usable() && t.Connection != t.ID && t.Download >= direction.LongDownload {
		direction.AddDownload(&d.at(k)[flow.ToClient], t.Download)
	}
	u := t.Unheard
	if u == nil {
		return
	}
	if u.Closed {
		direction.TakeBack(&d.at(k)[flow.ToServer], int64(u.Copies), int64(u.Timeouts), u.Waited)
		return
	}
	direction.AddUnheard(&d.at(k)[flow.ToServer], recording.PacketDirection{
		UnheardCopies: int64(u.Copies), UnheardTimeouts: int64(u.Timeouts), UnheardWait: u.Waited, UnheardFor: u.For,
		UnheardLargest: int64(u.Largest), UnheardQuiet: u.Quiet, UnheardFrom: time.Unix(0, t.Start),
	})
}

// at are the sums of a pair.
func (d *directions) at(k between) *[2]recording.PacketDirection {
	both := d.sums[k]
	if both == nil && len(d.sums) >= maxDirections {
		k.client = flow.Addr{}
		both = d.sums[k]
	}
	if both == nil && len(d.sums) >= 2*maxDirections {
		k.Service = summary.Service{}
		both = d.sums[k]
	}
	if both == nil {
		both = &[2]recording.PacketDirection{flow.ToServer: {Sender: "client"}, flow.ToClient: {Sender: "server"}}
		d.sums[k] = both
	}
	return both
}

// merge adds what another worker summed up, which must not be used any more.
func (d *directions) merge(o directions) {
	for k, from := range o.sums {
		if d.sums[k] == nil && len(d.sums) < maxDirections {
			d.sums[k] = from
			continue
		}
		into := d.at(k)
		for dir := range into {
			direction.Merge(&into[dir], &from[dir])
		}
	}
}

// crowded says that some clients are not told apart.
func (d *directions) crowded() bool { return len(d.sums) > maxDirections }

// fold sums up as the zero service those that are not told apart.
func (d *directions) fold(told func(summary.Service) bool) {
	for k, from := range d.sums {
		if told(k.Service) {
			continue
		}
		delete(d.sums, k)
		into := d.sums[between{}]
		if into == nil {
			d.sums[between{}] = from
			continue
		}
		for dir := range into {
			direction.Merge(&into[dir], &from[dir])
		}
	}
}

// rows are the sums as tables hold them.
func (d *directions) rows(first time.Time, acked map[[2]flow.Addr]uint32) []recording.PacketDirection {
	list := make([]recording.PacketDirection, 0, 2*len(d.sums))
	for k, both := range d.sums {
		for _, row := range both {
			row.At, row.Server, row.ServerPort, row.Proto = first, k.Server.Addr.String(), int32(k.Server.Port), k.Proto
			if k.client != (flow.Addr{}) {
				row.Client = k.client.String()
				ends := [2]flow.Addr{k.client, k.Server.Addr}
				if row.Sender == "server" {
					ends[0], ends[1] = ends[1], ends[0]
				}
				row.LargestAcked = int64(acked[ends])
			}
			list = append(list, row)
		}
	}
	return list
}
