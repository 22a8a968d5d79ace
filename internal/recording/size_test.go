package recording

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"rtrail/internal/flatparquet"
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

// busyFrom is when the host is first looked at.
var busyFrom = time.Unix(1.8e9, 0).UTC()

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
			SegsOut: b.rnd.Uint32N(1e6), DataSegsOut: b.rnd.Uint32N(1e6), DataSegsIn: b.rnd.Uint32N(1e6),
			BytesReceived: b.rnd.Uint64N(1e9), BytesSent: b.rnd.Uint64N(1e9), LastSend: b.before(busyFrom, 1e6), LastReceive: b.before(busyFrom, 1e6),
			RcvBuf: 131072, PeerWindow: 64256, Info: true})
		b.owners = append(b.owners, SocketOwner{Inode: uint64(100000 + i*7), PID: int32(1000 + i%processes*3), FD: int32(10 + i/processes)})
	}
	return b
}

// before is some time before another one, to the millisecond as the socket probe has it.
func (b *busyHost) before(at time.Time, maxMS int) time.Time {
	return at.Add(-time.Duration(b.rnd.IntN(maxMS)) * time.Millisecond).Truncate(time.Millisecond)
}

func (b *busyHost) sample() *Writer {
	b.second++
	at := busyFrom.Add(time.Duration(b.second)*time.Second + time.Duration(b.rnd.Int64N(2e6)))
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
		if i%10 == 0 {
			n := b.rnd.Uint32N(200)
			s.SegsOut, s.DataSegsOut, s.DataSegsIn = s.SegsOut+n, s.DataSegsOut+n, s.DataSegsIn+n
			s.BytesSent, s.BytesReceived = s.BytesSent+b.rnd.Uint64N(1e5), s.BytesReceived+b.rnd.Uint64N(1e4)
			s.RTT, s.RTTVar = time.Duration(b.rnd.IntN(900))*time.Microsecond, time.Duration(b.rnd.IntN(900))*time.Microsecond
			s.LastSend, s.LastReceive = b.before(at, 100), b.before(at, 100)
		}
	}
	Append(w, b.processes...)
	Append(w, b.sockets...)
	Append(w, b.owners...)
	return w
}

// TestBusyHostSize measures what a day of a busy host takes; the figures are
// in docs/journal/recording-size.md.
func TestBusyHostSize(t *testing.T) {
	if os.Getenv("RTRAIL_SIZE") == "" {
		t.Skip("takes half a minute: set RTRAIL_SIZE=1")
	}
	j, err := createJournal(newFile(t))
	if err != nil {
		t.Fatal(err)
	}
	const seconds = 600
	b := newBusyHost(1000, 5000)
	var spent time.Duration
	for range seconds {
		w := b.sample()
		start := time.Now()
		if err := j.append(w.tables); err != nil {
			t.Fatal(err)
		}
		spent += time.Since(start)
	}
	t.Logf("journal: %d bytes, %v a sample", j.size, spent/seconds)
	data, err := os.ReadFile(j.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	tables := newShelves(nil)
	if _, err := readJournal(t.Context(), bytes.NewReader(data), nil, tables); err != nil {
		t.Fatal(err)
	}
	compressor, err := flatparquet.NewCompressor()
	if err != nil {
		t.Fatal(err)
	}
	defer compressor.Close()
	total := 0
	for name, s := range tables.tables {
		var out bytes.Buffer
		if err := s.writeParquet(&out, "host", compressor); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d rows, %d bytes", name, s.rows, out.Len())
		total += out.Len()
		logColumns(t, out.Bytes())
	}
	t.Logf("sealed in %v", time.Since(start))
	day := float64(total) / seconds * 86400
	t.Logf("a day: %.0f MB", day/1e6)
	if day > 2e9 {
		t.Errorf("a day takes %.0f MB", day/1e6)
	}
}

// logColumns tells which columns take the most.
func logColumns(t *testing.T, data []byte) {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	for _, g := range file.Metadata().RowGroups {
		for _, c := range g.Columns {
			sizes[c.MetaData.PathInSchema[0]] += c.MetaData.TotalCompressedSize
		}
	}
	for name, size := range sizes {
		if size > int64(len(data)/50) {
			t.Logf("  %s: %d", name, size)
		}
	}
}
