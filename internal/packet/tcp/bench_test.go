package tcp

import (
	"runtime"
	"testing"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

type deaf struct{ bytes int }

func (d *deaf) Data(c *flow.Chunk)                      { d.bytes += c.Size() }
func (d *deaf) Gap(flow.Dir, int64, flow.Stamp)         {}
func (d *deaf) Resent(flow.Dir, uint64, uint64, _s, _s) {}
func (d *deaf) Refilled(flow.Dir, _s)                   {}
func (d *deaf) Stalled(Stall)                           {}
func (d *deaf) Acked(flow.Dir, uint64, flow.Stamp)      {}
func (d *deaf) End(flow.Stamp, flow.Ending)             {}

type _s = flow.Stamp

// mix spreads a number over all bits, as the decoder does with the ends.
func mix(n uint64) uint64 {
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// talk is n clients of a server.
type talk struct {
	table   *Table
	f       decode.Frame
	clients []client
	payload []byte
}

type client struct{ seq, ack uint32 }

func newTalk(n int) *talk {
	one := &deaf{}
	k := &talk{clients: make([]client, n), payload: make([]byte, 2000)}
	k.table = NewTable(Options{NewConsumer: func(*Conn) Consumer { return one }})
	k.f.At, k.f.Proto, k.f.Window = 1e18, decode.TCP, 500
	return k
}

func (k *talk) send(i int, d flow.Dir, flags uint8, size int) {
	c, f := &k.clients[i], &k.f
	f.Frame++
	f.At += 2000
	end := alice
	end.Addr[14], end.Addr[13] = byte(i>>14), byte(i>>22)
	end.Port = 1024 + uint16(i&0x3fff)
	f.Hash = mix(uint64(i))
	f.Options = decode.Options{Scale: -1, HasTime: true, TSVal: uint32(f.At / 1e6)}
	if flags&decode.SYN != 0 {
		f.Options.Scale, f.Options.MSS = 7, 1460
	}
	f.Flags, f.Size, f.Payload = flags, size, k.payload[:size]
	grow := uint32(size)
	if flags&(decode.SYN|decode.FIN) != 0 {
		grow++
	}
	if d == flow.ToServer {
		f.Src, f.Dst, f.Seq, f.Ack = end, bob, c.seq, c.ack
		c.seq += grow
	} else {
		f.Src, f.Dst, f.Seq, f.Ack = bob, end, c.ack, c.seq
		c.ack += grow
	}
	k.table.Frame(f)
}

func (k *talk) open(i int) {
	k.send(i, flow.ToServer, decode.SYN, 0)
	k.send(i, flow.ToClient, decode.SYN|decode.ACK, 0)
	k.send(i, flow.ToServer, decode.ACK, 0)
}

// BenchmarkPointSelect is a select of 60 bytes, an answer of 200, and an
// acknowledgement, on 2,000 connections in turn.
func BenchmarkPointSelect(b *testing.B) {
	k := newTalk(2000)
	for i := range k.clients {
		k.open(i)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += 3 {
		i := n / 3 % len(k.clients)
		k.send(i, flow.ToServer, decode.ACK|decode.PSH, 60)
		k.send(i, flow.ToClient, decode.ACK|decode.PSH, 200)
		k.send(i, flow.ToServer, decode.ACK, 0)
	}
}

// BenchmarkShort is connections with one request: eight packets each.
func BenchmarkShort(b *testing.B) {
	k := newTalk(400_000)
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += 8 {
		i := n / 8 % len(k.clients)
		k.clients[i] = client{seq: uint32(n), ack: uint32(n) * 7}
		k.open(i)
		k.send(i, flow.ToServer, decode.ACK|decode.PSH, 60)
		k.send(i, flow.ToClient, decode.ACK|decode.PSH, 200)
		k.send(i, flow.ToServer, decode.ACK|decode.FIN, 0)
		k.send(i, flow.ToClient, decode.ACK|decode.FIN, 0)
		k.send(i, flow.ToServer, decode.ACK, 0)
	}
}

// BenchmarkBulk is a large result: an acknowledgement every second segment.
func BenchmarkBulk(b *testing.B) {
	k := newTalk(8)
	for i := range k.clients {
		k.open(i)
		for range 20 {
			k.send(i, flow.ToClient, decode.ACK, 1448)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += 3 {
		i := n / 3 % len(k.clients)
		k.send(i, flow.ToClient, decode.ACK, 1448)
		k.send(i, flow.ToClient, decode.ACK, 1448)
		c := &k.clients[i]
		ahead := c.ack
		c.ack -= 20 * 1448
		k.send(i, flow.ToServer, decode.ACK, 0)
		c.ack = ahead
	}
}

// BenchmarkMemory reports what a live connection takes, 100,000 of which each
// have asked and been answered.
func BenchmarkMemory(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		k := newTalk(n)
		for i := range n {
			k.open(i)
			k.send(i, flow.ToServer, decode.ACK|decode.PSH, 60)
			for range 4 {
				k.send(i, flow.ToClient, decode.ACK|decode.PSH, 200)
			}
			k.send(i, flow.ToServer, decode.ACK, 0)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if k.table.Live() != n {
			b.Fatal("connections are missing")
		}
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n-8, "B/connection")
		runtime.KeepAlive(k)
	}
}
