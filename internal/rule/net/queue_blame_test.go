package net

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// through is what a program sends to another host, per second.
type through struct {
	pid    int32
	name   string
	remote string
	bytes  float64
	again  float64 // segments
	busy   float64 // seconds that it has data to send, per second
	kept   uint32  // bytes that it cannot send at any reading
}

func TestQueueCulpritAndVictims(t *testing.T) {
	const queue = 5e6 // bytes per second
	backup := through{7, "backup", "10.0.0.7", 4.8e6, 300, 1, 9000}
	redis := through{8, "redis-server", "10.0.0.8", 0.1e6, 5, 0.6, 0}
	for _, tt := range []struct {
		name             string
		list             []through
		retransmitted    float64 // segments of the host, per second
		elsewhere        float64 // bytes per second of another interface
		culprit, victims string
	}{
		{"one fills the queue, another one loses packets", []through{backup, redis}, 100, 0, "backup", "redis-server (8) has data that waits to be sent 600 ms per second, and sends 5.0 % of its segments again"},
		{"another one is refused before it sends", []through{backup, {8, "redis-server", "10.0.0.8", 0.1e6, 0, 0.7, 4000}}, 100, 0, "backup", "redis-server (8) has data that waits to be sent 700 ms per second"},
		{"nobody else is there", []through{backup}, 100, 0, "", ""},
		{"the other one loses nothing", []through{backup, {8, "redis-server", "10.0.0.8", 0.1e6, 0, 0, 0}}, 100, 0, "", ""},
		{"many send, none of them most", []through{{7, "a", "10.0.0.7", 1.6e6, 30, 1, 0}, {8, "b", "10.0.0.7", 1.6e6, 30, 1, 0}, {9, "c", "10.0.0.7", 1.6e6, 30, 1, 0}}, 100, 0, "", ""},
		{"what is no TCP fills it", []through{{7, "backup", "10.0.0.7", 1e6, 300, 1, 0}, redis}, 100, 0, "", ""},
		{"the bytes may have left by another interface", []through{backup, redis}, 100, 4e6, "", ""},
		{"most packets are lost elsewhere", []through{backup, redis}, 300, 0, "", ""},
		{"on this host", []through{{7, "backup", "127.0.0.1", 4.8e6, 300, 1, 0}, redis}, 100, 0, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			ruletest.Every(h, func(at time.Time, s float64) recording.QdiscSample {
				return recording.QdiscSample{At: at, NetNS: 1, Interface: "eth0", Kind: "tbf", Handle: 0x80010000, Parent: recording.QdiscRoot,
					Packets: uint64(4000 * s), Bytes: uint64(queue * s), Drops: uint32(100 * s), Overlimits: uint32(800 * s)}
			})
			ruletest.Every(h, func(at time.Time, s float64) recording.QdiscSample {
				return recording.QdiscSample{At: at, NetNS: 1, Interface: "eth1", Kind: "fq", Handle: 0x80020000, Parent: recording.QdiscRoot, Bytes: uint64(tt.elsewhere * s)}
			})
			counters(h, 1, map[string]float64{"TcpRetransSegs": tt.retransmitted})
			for i, x := range tt.list {
				inode := uint64(100 + i)
				h.Process(ruletest.Process{PID: x.pid, Comm: x.name})
				ruletest.Every(h, func(at time.Time, s float64) recording.SocketOwner {
					return recording.SocketOwner{At: at, PID: x.pid, Inode: inode}
				})
				ruletest.Every(h, func(at time.Time, s float64) recording.TCPSample {
					return recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 80, Remote: x.remote, RemotePort: uint16(5000 + i), State: recording.TCPEstablished, Inode: inode, Info: true,
						BytesSent: uint64(x.bytes * s), SegsOut: uint32(100 * s), TotalRetrans: uint32(x.again * s), Busy: time.Duration(x.busy * s * float64(time.Second)), NotSent: x.kept, Cwnd: 10, PeerWindow: 65000}
				})
			}
			found := h.Detect(t, qdiscDrops)
			if len(found) != 1 {
				t.Fatalf("%d findings", len(found))
			}
			f := found[0]
			ruletest.Checked(t, f)
			culprit, victims := "", []string{}
			if f.Culprit != nil {
				culprit = f.Culprit.Name
			}
			for i := range f.Victims {
				victims = append(victims, f.Victims[i].Words().String())
			}
			if got := strings.Join(victims, ", "); culprit != tt.culprit || got != tt.victims {
				t.Errorf("culprit %q, victims %q; want %q, %q", culprit, got, tt.culprit, tt.victims)
			}
		})
	}
}
