package recording

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// busyHost appends one second of a host with many processes and connections,
// one in ten of which do something.
type busyHost struct {
	rnd       *rand.Rand
	processes []ProcessSample
	sockets   []TCPSample
	owners    []SocketOwner
	second    int
}

func newBusyHost(processes, sockets int) *busyHost {
	b := &busyHost{rnd: rand.New(rand.NewPCG(1, 2))}
	for i := range processes {
		b.processes = append(b.processes, ProcessSample{PID: int32(1000 + i*3), PPID: 1, Comm: fmt.Sprintf("worker%d", i%40),
			Started: time.Unix(1.7e9, int64(i)*1e7).UTC(), Cmdline: fmt.Sprintf("/usr/bin/worker%d --shard=%d", i%40, i), State: "S",
			Threads: int32(1 + i%20), Cgroup: fmt.Sprintf("/system.slice/w%d.service", i%40), NetNS: 4026531840, Full: i%10 == 0,
			RSS: b.rnd.Int64N(1<<30) &^ 4095, User: time.Duration(b.rnd.IntN(1e6)) * 10 * time.Millisecond, WaitChannel: "ep_poll"})
		if i%10 != 0 {
			p := &b.processes[i]
			p.RunTime, p.RunDelay, p.BlockDelay, p.SwapDelay = -1, -1, -1, -1
			p.Voluntary, p.Involuntary, p.Anon, p.File, p.Swap, p.ReadChars, p.WriteChars = -1, -1, -1, -1, -1, -1, -1
			p.ReadCalls, p.WriteCalls, p.ReadBytes, p.WriteBytes, p.Cancelled = -1, -1, -1, -1, -1
		}
	}
	for i := range sockets {
		b.sockets = append(b.sockets, TCPSample{NetNS: 4026531840, Local: "10.0.0.1", LocalPort: 3306, Remote: fmt.Sprintf("10.0.%d.%d", i/250, i%250),
			RemotePort: uint16(20000 + b.rnd.IntN(40000)), State: 1, Inode: uint64(100000 + i*7), RTT: time.Duration(b.rnd.IntN(900)) * time.Microsecond,
			RTTVar: time.Duration(b.rnd.IntN(900)) * time.Microsecond, MinRTT: 80 * time.Microsecond, RTO: 204 * time.Millisecond, Cwnd: 10, MSS: 1448,
			SegsOut: b.rnd.Uint32N(1e6), SegsIn: b.rnd.Uint32N(1e6), DataSegsOut: b.rnd.Uint32N(1e6), DataSegsIn: b.rnd.Uint32N(1e6), BytesAcked: b.rnd.Uint64N(1e9),
			BytesReceived: b.rnd.Uint64N(1e9), BytesSent: b.rnd.Uint64N(1e9), SinceSend: time.Duration(b.rnd.IntN(1e6)) * time.Millisecond,
			SinceReceive: time.Duration(b.rnd.IntN(1e6)) * time.Millisecond, RcvBuf: 131072, SndBuf: 87040, PeerWindow: 64256, Congestion: "cubic", Info: true})
		b.owners = append(b.owners, SocketOwner{Inode: uint64(100000 + i*7), PID: int32(1000 + i%processes*3), FD: int32(10 + i/processes)})
	}
	return b
}

func (b *busyHost) sample() *Writer {
	elapsed := time.Duration(1e9 + b.rnd.IntN(2e6))
	b.second++
	at := time.Unix(1.8e9+int64(b.second), b.rnd.Int64N(2e6)).UTC()
	w := NewWriter(at)
	for i := range b.processes {
		p := &b.processes[i]
		p.At = at
		if p.Full || b.rnd.IntN(20) == 0 {
			p.User += time.Duration(b.rnd.IntN(30)) * 10 * time.Millisecond
			p.System += time.Duration(b.rnd.IntN(10)) * 10 * time.Millisecond
			p.MinorFaults += b.rnd.Int64N(1000)
			p.RSS += b.rnd.Int64N(100) * 4096
		}
		if p.Full {
			p.RunTime += time.Duration(b.rnd.IntN(3e8))
			p.RunDelay += time.Duration(b.rnd.IntN(1e7))
			p.Voluntary += b.rnd.Int64N(1000)
			p.Involuntary += b.rnd.Int64N(100)
			p.ReadChars += b.rnd.Int64N(1e6)
			p.WriteChars += b.rnd.Int64N(1e6)
			p.ReadCalls += b.rnd.Int64N(1000)
			p.WriteCalls += b.rnd.Int64N(1000)
			p.WriteBytes += b.rnd.Int64N(100) * 4096
		}
	}
	for i := range b.sockets {
		s := &b.sockets[i]
		s.At = at
		s.SinceSend += elapsed.Truncate(time.Millisecond)
		s.SinceReceive += elapsed.Truncate(time.Millisecond)
		if i%10 == 0 {
			n := b.rnd.Uint32N(200)
			s.SegsOut, s.SegsIn, s.DataSegsOut, s.DataSegsIn = s.SegsOut+n, s.SegsIn+n, s.DataSegsOut+n, s.DataSegsIn+n
			s.BytesAcked += b.rnd.Uint64N(1e5)
			s.BytesSent, s.BytesReceived = s.BytesAcked, s.BytesReceived+b.rnd.Uint64N(1e4)
			s.RTT, s.RTTVar = time.Duration(b.rnd.IntN(900))*time.Microsecond, time.Duration(b.rnd.IntN(900))*time.Microsecond
			s.SinceSend, s.SinceReceive = time.Duration(b.rnd.IntN(100))*time.Millisecond, time.Duration(b.rnd.IntN(100))*time.Millisecond
		}
	}
	Append(w, b.processes...)
	Append(w, b.sockets...)
	Append(w, b.owners...)
	return w
}

func TestBusyHostSize(t *testing.T) {
	if os.Getenv("RTRAIL_SIZE") == "" {
		t.Skip("measures for a minute: set RTRAIL_SIZE=1")
	}
	j, err := createJournal(t.TempDir() + "/journal")
	if err != nil {
		t.Fatal(err)
	}
	b := newBusyHost(1000, 5000)
	seconds := 600
	var spent time.Duration
	for range seconds {
		w := b.sample()
		start := time.Now()
		if err := j.append(w.tables); err != nil {
			t.Fatal(err)
		}
		spent += time.Since(start)
	}
	t.Logf("journal %d bytes, %v a sample", j.size, spent/time.Duration(seconds))
	data, _ := os.ReadFile(j.file.Name())
	s := shelves{}
	start := time.Now()
	if _, err := readJournal(bytes.NewReader(data), s); err != nil {
		t.Fatal(err)
	}
	t.Logf("shelved in %v", time.Since(start))
	total := 0
	for name, one := range s {
		bytesHeld := 0
		for _, l := range one.series {
			for _, x := range l {
				bytesHeld += cap(x.data) + 16*len(x.last)
			}
		}
		for _, how := range []string{"plain", "delta", "dict", "best"} {
			var out bytes.Buffer
			start := time.Now()
			if err := one.kind.writeParquet(&out, one.each, encodingsFor(one, how)); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s held %d: %s %d bytes, %v", name, bytesHeld, how, out.Len(), time.Since(start))
			if how == "best" {
				total += out.Len()
			}
		}
	}
	t.Logf("a day: %.0f MB", float64(total)/float64(seconds)*86400/1e6)
}

func encodingsFor(s *shelf, how string) (tags []columnTag) {
	for i, c := range s.kind.columns() {
		if c.kind == boolean || c.kind == float {
			continue
		}
		switch how {
		case "plain":
			if c.kind != text {
				continue
			}
			tags = append(tags, columnTag{c.name, "dict"})
		case "delta":
			if c.kind == text {
				tags = append(tags, columnTag{c.name, "dict"})
			} else {
				tags = append(tags, columnTag{c.name, "delta"})
			}
		case "dict":
			tags = append(tags, columnTag{c.name, "dict"})
		case "best":
			if c.kind != text && c.name != "at" && s.changes[i] > s.rows/50 {
				tags = append(tags, columnTag{c.name, "delta"})
			} else {
				tags = append(tags, columnTag{c.name, "dict"})
			}
		}
	}
	return tags
}
