package bothsides

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

const (
	us    = time.Microsecond
	ms    = time.Millisecond
	epoch = 1748736000_000000000 // 2025-06-01 00:00:00 UTC
)

// scene is traffic between a client and a server of which everything is known,
// and two captures of it.
type scene struct {
	random *rand.Rand
	nat    bool
	offset time.Duration // the server's clock is ahead
	drift  float64       // and runs so much faster
	way    [2]time.Duration
	jitter time.Duration // of each way, at most
	lose   float64       // share of packets with data that get lost between the captures
	miss   [2]float64    // share of packets that a capture misses
	starts [2]time.Duration
	linger time.Duration // between transactions of a connection, at most
	serve  func(*rand.Rand) time.Duration

	frames [2][]pcap.Packet
	truth  map[string]parts // by request line
}

// parts is how long a transaction's parts took, on the client's clock.
type parts struct {
	resentThere, there, serve, resentBack, back, download time.Duration
}

type segment struct {
	dir      flow.Dir
	flags    byte
	seq, ack uint32
	payload  string
	port     uint16
}

// clock is what a capture's clock shows.
func (s *scene) clock(side int, t time.Duration) int64 {
	if side == AtServer {
		return epoch + int64(t+s.offset) + int64(float64(t)*s.drift)
	}
	return epoch + int64(t)
}

func (s *scene) delay(d flow.Dir) time.Duration {
	return s.way[d] + time.Duration(s.random.Int64N(int64(s.jitter)+1))
}

// send sends a packet; it returns when it arrives.
func (s *scene) send(t time.Duration, p segment, lost bool) time.Duration {
	arrives := t + s.delay(p.dir)
	near, far := AtClient, AtServer
	if p.dir == flow.ToClient {
		near, far = far, near
	}
	s.capture(near, t, &p, t)
	if !lost {
		s.capture(far, arrives, &p, t)
	}
	return arrives
}

func (s *scene) capture(side int, t time.Duration, p *segment, sent time.Duration) {
	if t < s.starts[side] || s.random.Float64() < s.miss[side] {
		return
	}
	b := s.frame(side, p, sent)
	s.frames[side] = append(s.frames[side], pcap.Packet{Time: s.clock(side, t), Data: b, Wire: uint32(len(b)), Link: pcap.LinkEthernet})
}

const (
	flagFIN, flagSYN, flagPSH, flagACK = 1, 2, 8, 16
)

// frame makes an Ethernet frame with the addresses of a side of the NAT.
func (s *scene) frame(side int, p *segment, sent time.Duration) []byte {
	addr := [2][4]byte{{10, 0, 0, 1}, {10, 0, 0, 2}}
	port := [2]uint16{p.port, 80}
	if s.nat && side == AtServer {
		addr = [2][4]byte{{172, 16, 0, 9}, {192, 168, 1, 5}}
		port = [2]uint16{p.port ^ 0x5555, 8080}
	}
	from, to := p.dir, p.dir.Other()
	tcp := make([]byte, 32, 40+len(p.payload))
	binary.BigEndian.PutUint16(tcp, port[from])
	binary.BigEndian.PutUint16(tcp[2:], port[to])
	binary.BigEndian.PutUint32(tcp[4:], p.seq)
	binary.BigEndian.PutUint32(tcp[8:], p.ack)
	tcp[12], tcp[13] = 8<<4, p.flags
	binary.BigEndian.PutUint16(tcp[14:], 500)
	copy(tcp[20:], []byte{1, 1, 8, 10})
	binary.BigEndian.PutUint32(tcp[24:], uint32(sent/ms)+77)
	tcp = append(tcp, p.payload...)
	b := append(make([]byte, 12), 8, 0, 0x45, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(20+len(tcp)))
	b = append(b, 0, 0, 0x40, 0, 64, 6, 0, 0)
	b = append(append(b, addr[from][:]...), addr[to][:]...)
	return append(b, tcp...)
}

// connection is one with so many transactions, of which the first is asked at
// t. Its request lines are /NAME-0, /NAME-1...
func (s *scene) connection(name int, t time.Duration, transactions int, midway bool) {
	port := uint16(20000 + name)
	seq := [2]uint32{s.random.Uint32(), s.random.Uint32()}
	packet := func(t time.Duration, d flow.Dir, flags byte, payload string, lost bool) time.Duration {
		p := segment{d, flags, seq[d], seq[d.Other()], payload, port}
		if flags == flagSYN {
			p.ack = 0
		}
		return s.send(t, p, lost)
	}
	if !midway {
		t = packet(t, flow.ToServer, flagSYN, "", false)
		seq[0]++
		t = packet(t+10*us, flow.ToClient, flagSYN|flagACK, "", false)
		seq[1]++
		packet(t+10*us, flow.ToServer, flagACK, "", false)
		t += 20 * us
	}
	for n := range transactions {
		line := "GET " + path(name, n)
		x := parts{}
		request := line + " HTTP/1.1\r\nHost: x\r\n\r\n"
		lost := s.random.Float64() < s.lose
		arrived := packet(t, flow.ToServer, flagPSH|flagACK, request, lost)
		if lost {
			x.resentThere = 200 * ms
			arrived = packet(t+200*ms, flow.ToServer, flagPSH|flagACK, request, false)
		}
		x.there = arrived - t - x.resentThere
		seq[0] += uint32(len(request))
		x.serve = s.serve(s.random)
		body := 1000 + s.random.IntN(4000)
		answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", body, strings.Repeat("y", body))
		lost = s.random.Float64() < s.lose
		at := arrived + x.serve
		first, last := time.Duration(0), time.Duration(0)
		if lost { // its only packet
			answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
			packet(at, flow.ToClient, flagPSH|flagACK, answer, true)
			x.resentBack = 210 * ms
		}
		left := at + x.resentBack
		for len(answer) > 0 {
			piece := answer[:min(len(answer), 1400)]
			answer = answer[len(piece):]
			got := packet(left, flow.ToClient, flagPSH|flagACK, piece, false)
			seq[1] += uint32(len(piece))
			if first == 0 {
				first, x.back = got, got-left
			}
			last = max(last, got)
			left += 500 * us // more than the jitter: they stay in order
		}
		x.download = last - first
		packet(last+5*us, flow.ToServer, flagACK, "", false)
		s.truth[line] = x
		t = last + 10*us + time.Duration(s.random.Int64N(int64(s.linger)+1))
	}
	packet(t+1*ms, flow.ToServer, flagFIN|flagACK, "", false)
}

// path has no digits, which fingerprints leave out.
func path(name, n int) string {
	return "/" + strings.Map(func(r rune) rune { return r - '0' + 'k' }, fmt.Sprint(name)) + "/" +
		strings.Map(func(r rune) rune { return r - '0' + 'k' }, fmt.Sprint(n))
}

// files writes both captures.
func (s *scene) files(t testing.TB) [2][]string {
	t.Helper()
	dir := t.TempDir()
	var files [2][]string
	for side, name := range []string{"client.pcapng", "server.pcapng"} {
		frames := s.frames[side]
		slices.SortStableFunc(frames, func(a, b pcap.Packet) int { return cmp.Compare(a.Time, b.Time) })
		file := filepath.Join(dir, name)
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		w := pcap.NewWriter(f, pcap.PCAPNG, nil)
		for i := range frames {
			if err := w.Write(&frames[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(pcap.Loss{}); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		files[side] = []string{file}
	}
	return files
}

// newScene is a path of 300 µs there and 200 µs back, with up to 100 µs more,
// and a server that takes half a millisecond to five.
func newScene(change func(*scene)) *scene {
	s := &scene{
		random: rand.New(rand.NewPCG(7, 7)), way: [2]time.Duration{300 * us, 200 * us}, jitter: 100 * us, linger: 20 * ms,
		serve: func(r *rand.Rand) time.Duration { return 500*us + time.Duration(r.Int64N(int64(5*ms))) },
		truth: map[string]parts{},
	}
	if change != nil {
		change(s)
	}
	return s
}
