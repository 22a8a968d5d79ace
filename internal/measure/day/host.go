package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"rtrail/internal/recording"
)

const (
	cpus       = 4
	ns         = 4026531840
	sockets    = 300
	statements = 1000 // of the MySQL server, per second
	server     = "127.0.0.1:3306"
)

// host keeps the counters of the day.
type host struct {
	rnd       *rand.Rand
	processes []recording.ProcessSample // mysqld, batch and backup first
	tcp       []recording.TCPSample
	cpu       [cpus]recording.CPUSample
	system    recording.SystemSample
	disk      recording.DiskSample
	lo        recording.NetDeviceSample
	stall     map[string]*recording.PressureSample
	questions int64
	packets   int64
}

func newHost(processes int) *host {
	h := &host{rnd: rand.New(rand.NewPCG(1, 2)), stall: map[string]*recording.PressureSample{},
		disk: recording.DiskSample{Device: "vda", Major: 254, Scheduler: "none", Errors: recording.Unknown, Timeouts: recording.Unknown},
		lo:   recording.NetDeviceSample{NetNS: ns, Interface: "eth0", MTU: 1500, SpeedMbps: 10000, Up: true, Physical: true, Index: 2}}
	for _, resource := range []string{"cpu", "memory", "io"} {
		h.stall[resource] = &recording.PressureSample{Resource: resource}
	}
	names := []string{"mysqld", "batch", "backup"}
	for i := range processes {
		name := fmt.Sprintf("worker%d", i%40)
		if i < len(names) {
			name = names[i]
		}
		group := "/system.slice/" + name + ".service"
		h.processes = append(h.processes, recording.ProcessSample{PID: int32(1000 + i*3), PPID: 1, Started: midnight.Add(-time.Hour), Comm: name,
			Cmdline: fmt.Sprintf("/usr/bin/%s --shard=%d", name, i), State: "S", Threads: int32(1 + i%20), Cgroup: group, MemCgroup: group, IOCgroup: group, NetNS: ns, Full: true,
			RSS: int64(4+i%64) << 20, Anon: int64(2+i%64) << 20, WaitChannel: "ep_poll"})
	}
	for i := range sockets {
		h.tcp = append(h.tcp, recording.TCPSample{NetNS: ns, Local: "10.0.0.1", LocalPort: 3306, Remote: fmt.Sprintf("10.0.1.%d", i%250), RemotePort: uint16(20000 + i), State: 1,
			Inode: uint64(100000 + i), RTT: 300 * time.Microsecond, RTTVar: 50 * time.Microsecond, MinRTT: 200 * time.Microsecond, RTO: 204 * time.Millisecond, Cwnd: 10, MSS: 1448,
			RcvBuf: 131072, PeerWindow: 64256, Info: true})
	}
	return h
}

// within says whether a moment lies in a fault.
func within(at time.Time, from, to string) bool {
	clock := at.Format("15:04:05")
	return clock >= from && clock < to
}

// second is one sample.
func (h *host) second(at time.Time) *recording.Writer {
	w := recording.NewWriter(at)
	crowded := within(at, "03:00:00", "03:20:00") || within(at, "17:00:00", "17:00:40")
	written := within(at, "11:00:00", "11:07:30")
	perStatement := int64(4096)
	if within(at, "21:00:00", "24:00:00") {
		perStatement *= 15
	}
	busy := 0.0
	for i := range h.processes {
		p := &h.processes[i]
		if i >= 3 && i%10 != 0 {
			continue
		}
		cpu, delay := 0.01*h.rnd.Float64(), 0.0
		switch {
		case i == 0:
			cpu = 0.5 + 0.05*h.rnd.Float64()
		case i == 1 && crowded:
			cpu = cpus - 1.2
		}
		if crowded {
			delay = 0.05 + 2*cpu
		}
		busy += cpu
		h.advance(p, at, cpu, delay)
		if i == 0 {
			p.WriteBytes += statements * perStatement
		}
		if i == 2 && written {
			p.WriteBytes += 200 << 20
		}
	}
	for i := range h.processes {
		h.processes[i].At = at
	}
	if crowded {
		busy = cpus
	}
	h.host(w, at, busy/cpus, crowded, written, statements*perStatement)
	for i := range h.tcp {
		s := &h.tcp[i]
		s.At = at
		if i%3 == 0 {
			s.SegsOut, s.DataSegsOut, s.DataSegsIn = s.SegsOut+10, s.DataSegsOut+10, s.DataSegsIn+10
			s.BytesSent, s.BytesReceived = s.BytesSent+4000, s.BytesReceived+900
		}
	}
	recording.Append(w, h.processes...)
	recording.Append(w, h.tcp...)
	recording.Append(w, recording.ListenerSample{At: at, NetNS: ns, Local: "0.0.0.0", Port: 3306, Inode: 99, Backlog: 128})
	if at.Second() == 0 {
		recording.Append(w, recording.SocketOwner{At: at, Inode: 99, PID: h.processes[0].PID, FD: 20})
		recording.Append(w, recording.SysctlSample{At: at, Name: "vm.swappiness", Value: "60"}, recording.SysctlSample{At: at, NetNS: ns, Name: "net.core.somaxconn", Value: "4096"})
	}
	return w
}

// advance has a process run for a second.
func (h *host) advance(p *recording.ProcessSample, at time.Time, cpu, delay float64) {
	p.RunTime += time.Duration(cpu * 1e9)
	p.User = (p.RunTime * 8 / 10).Truncate(10 * time.Millisecond)
	p.System = (p.RunTime * 2 / 10).Truncate(10 * time.Millisecond)
	p.RunDelay += time.Duration(delay * 1e9)
	p.Voluntary += h.rnd.Int64N(100)
	p.Involuntary += int64(100 * delay)
	p.MinorFaults += h.rnd.Int64N(100)
	p.ReadChars += h.rnd.Int64N(1e5)
	p.WriteChars += h.rnd.Int64N(1e5)
	p.ReadCalls += h.rnd.Int64N(100)
	p.WriteCalls += h.rnd.Int64N(100)
}

// host adds what is not of one process.
func (h *host) host(w *recording.Writer, at time.Time, busy float64, crowded, written bool, writes int64) {
	total := recording.CPUSample{At: at, CPU: -1}
	for i := range h.cpu {
		c := &h.cpu[i]
		c.At, c.CPU = at, int32(i)
		c.User += time.Duration(busy * 0.8e9)
		c.System += time.Duration(busy * 0.2e9)
		c.Idle += time.Duration((1 - busy) * 1e9)
		recording.Append(w, *c)
		total.User, total.System, total.Idle = total.User+c.User, total.System+c.System, total.Idle+c.Idle
	}
	recording.Append(w, total)
	s := &h.system
	s.At, s.Tasks, s.FilesOpen, s.FilesMax = at, 10_000, 5000, 1<<20
	s.ContextSwitches += 5000 + uint64(h.rnd.IntN(500))
	s.Interrupts += 3000
	s.Forks += 2
	s.Running, s.Load1 = 1, 0.7
	if crowded {
		s.Running, s.Load1 = 12, 11
	}
	recording.Append(w, *s)
	for resource, p := range h.stall {
		share := 0.001
		if crowded && resource == "cpu" || written && resource == "io" {
			share = 0.9
		}
		p.At, p.SomeAvg10 = at, 100*share
		p.Some += time.Duration(share * 1e9)
		recording.Append(w, *p)
	}
	recording.Append(w, recording.MemorySample{At: at, Total: 16 << 30, Free: 4 << 30, Available: 9 << 30, Cached: 5 << 30, Anon: 6 << 30, Committed: 8 << 30,
		CommitLimit: 8 << 30, Corrected: recording.Unknown, Uncorrected: recording.Unknown})
	d := &h.disk
	requests, each := uint64(writes)/16384, 200*time.Microsecond
	if written {
		requests, each, writes = requests+1500, 20*time.Millisecond, writes+200<<20
	}
	d.At = at
	d.Writes += requests
	d.WrittenBytes += uint64(writes)
	d.WriteTime += time.Duration(requests) * each
	d.WeightedQueue += time.Duration(requests) * each
	d.Busy += min(time.Duration(requests)*each, time.Second)
	d.InFlight = int64(min(time.Duration(requests)*each/time.Second, 128))
	recording.Append(w, *d)
	n := &h.lo
	n.At = at
	n.RxPackets, n.TxPackets, n.RxBytes, n.TxBytes = n.RxPackets+statements, n.TxPackets+statements, n.RxBytes+statements*90, n.TxBytes+statements*400
	recording.Append(w, *n)
	h.questions += statements + h.rnd.Int64N(20)
	h.packets += statements
	for name, v := range map[string]int64{"InSegs": h.packets, "OutSegs": h.packets, "RetransSegs": h.packets / 10_000, "PassiveOpens": h.packets / 1000} {
		recording.Append(w, recording.ProtocolSample{At: at, NetNS: ns, Protocol: "Tcp", Name: name, Value: v})
	}
	recording.Append(w, recording.MySQLServer{At: at, Server: server, Flavor: "MariaDB", Version: "11.4.2", PID: h.processes[0].PID, Port: 3306, State: recording.ServerAnswers})
	recording.Append(w, recording.MySQLStatus{At: at, Server: server, Name: "Questions", Value: float64(h.questions)})
}
