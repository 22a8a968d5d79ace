package net

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/pcap"
	"rtrail/internal/probe/capture"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// film makes a capture of IPv4 packets, packet by packet.
type film struct {
	bytes.Buffer
}

func newFilm() *film {
	f := &film{}
	head := make([]byte, 24)
	binary.LittleEndian.PutUint32(head, 0xa1b23c4d) // nanoseconds
	binary.LittleEndian.PutUint16(head[4:], 2)
	binary.LittleEndian.PutUint16(head[6:], 4)
	binary.LittleEndian.PutUint32(head[16:], 65535)
	binary.LittleEndian.PutUint32(head[20:], 101) // raw IP
	f.Write(head)
	return f
}

const (
	synFlag = 2
	ackFlag = 16
)

// tcp adds a packet without data; client is the port of 192.0.2.9, the gateway.
func (f *film) tcp(at time.Duration, client uint16, toServer bool, flags byte, seq, ack, ts uint32) {
	f.segment(at, client, 3306, toServer, flags, seq, ack, ts, "")
}

// segment adds a packet with data, to or from a port of the server.
func (f *film) segment(at time.Duration, client, service uint16, toServer bool, flags byte, seq, ack, ts uint32, data string) {
	p := append(make([]byte, 20+32), data...)
	p[0], p[8], p[9] = 0x45, 64, 6
	binary.BigEndian.PutUint16(p[2:], uint16(len(p)))
	gateway, server := []byte{192, 0, 2, 9}, []byte{10, 0, 0, 2}
	t := p[20:]
	if toServer {
		copy(p[12:], gateway)
		copy(p[16:], server)
		binary.BigEndian.PutUint16(t, client)
		binary.BigEndian.PutUint16(t[2:], service)
	} else {
		copy(p[12:], server)
		copy(p[16:], gateway)
		binary.BigEndian.PutUint16(t, service)
		binary.BigEndian.PutUint16(t[2:], client)
	}
	binary.BigEndian.PutUint32(t[4:], seq)
	binary.BigEndian.PutUint32(t[8:], ack)
	t[12], t[13] = 8<<4, flags
	binary.BigEndian.PutUint16(t[14:], 64240)
	t[20], t[21], t[22], t[23] = 1, 1, 8, 10
	binary.BigEndian.PutUint32(t[24:], ts)
	f.packet(at, p)
}

// packet adds an IPv4 packet.
func (f *film) packet(at time.Duration, p []byte) {
	record := make([]byte, 16)
	binary.LittleEndian.PutUint32(record, 1748736000+uint32(at/time.Second))
	binary.LittleEndian.PutUint32(record[4:], uint32(at%time.Second))
	binary.LittleEndian.PutUint32(record[8:], uint32(len(p)))
	binary.LittleEndian.PutUint32(record[12:], uint32(len(p)))
	f.Write(record)
	f.Write(p)
}

// view reads the capture as rtrail diagnose does.
func (f *film) view(t *testing.T) *view.View {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.pcap")
	if err := os.WriteFile(path, f.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return viewOf(t, path)
}

// viewOf reads a capture file as rtrail diagnose does.
func viewOf(t *testing.T, path string) *view.View {
	t.Helper()
	src, err := pcap.Open(context.Background(), []string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	result, err := capture.Read(context.Background(), src, capture.Options{Source: path})
	if err != nil {
		t.Fatal(err)
	}
	first, last := time.Unix(0, result.Report.First), time.Unix(0, result.Report.Last)
	rec := recording.New(recording.Manifest{Started: first, Ended: last, Probes: []recording.ProbeInfo{capture.Info()}})
	w := recording.NewWriter(first)
	result.Write(w)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return view.New(rec, first, last)
}

// TestPAWSInCapture has two hosts behind one address connect in turn, one with
// a clock that is an hour ahead. The server remembers timestamps by address
// and ignores the other one; the same without that memory is no fault.
func TestPAWSInCapture(t *testing.T) {
	for _, tt := range []struct {
		name      string
		remembers bool
		want      rule.Confidence
	}{{"a server that remembers", true, rule.Likely}, {"one that does not", false, 0}} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFilm()
			for i := range 20 {
				at, port, ts := time.Duration(i)*10*ms, uint16(40000+i), uint32(5000000+i*10)
				ahead := i%2 == 0
				if ahead {
					ts += 3600000
				}
				f.tcp(at, port, true, synFlag, 100, 0, ts)
				if ahead || !tt.remembers {
					f.tcp(at+ms/10, port, false, synFlag|ackFlag, 900, 101, 77+uint32(i)*10)
					f.tcp(at+ms/5, port, true, ackFlag, 101, 901, ts)
				}
			}
			if tt.remembers {
				for i := 1; i < 20; i += 2 {
					f.tcp(time.Duration(i)*10*ms+time.Second, uint16(40000+i), true, synFlag, 100, 0, uint32(5001000+i*10))
				}
			}
			found, err := pawsDrops.Detect(f.view(t))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.want == 0 && len(found) > 0:
				t.Errorf("found %s", found[0].Headline)
			case tt.want > 0 && (len(found) != 1 || found[0].Confidence != tt.want || found[0].Subject.Name != "192.0.2.9"):
				t.Errorf("found %+v", found)
			}
		})
	}
}

// stuckRequest films a request of 1,200 bytes that is sent again four times in
// vain, behind it a small segment that is answered, or is not.
func stuckRequest(smallAnswered bool) *film {
	f := newFilm()
	const port = 40000
	f.segment(0, port, 3306, true, synFlag, 100, 0, 1, "")
	f.segment(ms, port, 3306, false, synFlag|ackFlag, 900, 101, 1, "")
	f.segment(2*ms, port, 3306, true, ackFlag, 101, 901, 2, "")
	f.segment(3*ms, port, 3306, true, ackFlag, 101, 901, 3, strings.Repeat("a", 80))
	f.segment(4*ms, port, 3306, false, ackFlag, 901, 181, 4, "")
	large := strings.Repeat("b", 1200)
	f.segment(5*ms, port, 3306, true, ackFlag, 181, 901, 5, large)
	f.segment(6*ms, port, 3306, true, ackFlag, 1381, 901, 6, strings.Repeat("c", 80))
	if smallAnswered {
		f.segment(7*ms, port, 3306, false, ackFlag, 901, 181, 7, "")
	}
	for i := range 4 {
		f.segment(200*ms<<i, port, 3306, true, ackFlag, 181, 901, uint32(200<<i), large)
	}
	return f
}

// Large segments alone get lost for their size: where small ones are not answered
// either, nothing gets through any more.
func TestMTUInCapture(t *testing.T) {
	for _, answered := range []bool{true, false} {
		found, err := mtuMismatch.Detect(stuckRequest(answered).view(t))
		if err != nil || (len(found) == 1) != answered {
			t.Errorf("small segments answered: %v, found %v, error %v", answered, found, err)
		}
	}
}

// answerInPieces films a request and its answer, of which the body comes later than the head.
func (f *film) answerInPieces(at time.Duration, client uint16, pause time.Duration) {
	head := "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
	asked, begun := 101+uint32(len(getPage)), 901+uint32(len(head))
	put := func(after time.Duration, toServer bool, flags byte, seq, ack uint32, data string) {
		f.segment(at+after, client, 80, toServer, flags, seq, ack, uint32((at+after)/ms)+1, data)
	}
	put(0, true, synFlag, 100, 0, "")
	put(ms, false, synFlag|ackFlag, 900, 101, "")
	put(2*ms, true, ackFlag, 101, 901, "")
	put(3*ms, true, ackFlag, 101, 901, getPage)
	put(4*ms, false, ackFlag, 901, asked, head)
	put(5*ms, true, ackFlag, asked, begun, "")
	put(5*ms+pause, false, ackFlag, begun, asked, "x")
	put(6*ms+pause, true, ackFlag, asked, begun+1, "")
}

// Pauses within answers are a habit of a server only if many answers have them: one
// that waits for something to happen is no mean of all.
func TestOneLongAnswerInCapture(t *testing.T) {
	for _, tt := range []struct {
		name  string
		every time.Duration
		long  func(i int) time.Duration
		want  int
	}{
		{"each answer", time.Second, func(int) time.Duration { return 300 * ms }, 1},
		{"one long poll", 40 * time.Second, func(i int) time.Duration {
			if i == 3 {
				return 30 * time.Second
			}
			return 0
		}, 0},
		{"a long poll and two slow answers", 40 * time.Second, func(i int) time.Duration {
			if i == 0 {
				return 30 * time.Second
			}
			return time.Duration(i/4) * 30 * ms
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFilm()
			for i := range 6 {
				f.answerInPieces(time.Duration(i)*tt.every, uint16(40000+i), tt.long(i))
			}
			found, err := senderAppLimited.Detect(f.view(t))
			if err != nil || len(found) != tt.want {
				t.Errorf("found %v, error %v", found, err)
			}
		})
	}
}

// Losses are placed by the copies that count: what came late, or was sent again
// for nothing, was not lost anywhere.
func TestPlaceOfLossInCapture(t *testing.T) {
	f := newFilm()
	const port = 40000
	f.segment(0, port, 80, true, synFlag, 100, 0, 1, "")
	f.segment(ms, port, 80, false, synFlag|ackFlag, 900, 101, 1, "")
	f.segment(2*ms, port, 80, true, ackFlag, 101, 901, 2, "")
	part := strings.Repeat("x", 1000)
	seq, at := uint32(901), 10*ms
	put := func(after time.Duration, seq uint32) {
		f.segment(at+after, port, 80, false, ackFlag, seq, 101, uint32((at+after)/ms)+1, part)
	}
	for i := range 100 {
		if i%10 != 5 {
			put(0, seq)
			f.segment(at+ms/2, port, 80, true, ackFlag, 101, seq+1000, uint32(at/ms)+1, "")
			seq, at = seq+1000, at+10*ms
			continue
		}
		// Six segments never came to the capture, each before one that did.
		for j := range uint32(6) {
			put(0, seq+1000+2000*j)
		}
		for j := range uint32(6) {
			put(60*ms, seq+2000*j)
		}
		f.segment(at+61*ms, port, 80, true, ackFlag, 101, seq+12000, uint32(at/ms)+61, "")
		seq, at = seq+12000, at+70*ms
	}
	found, err := packetLoss.Detect(f.view(t))
	if err != nil || len(found) != 1 {
		t.Fatalf("found %v, error %v", found, err)
	}
	holds(t, found[0], "between 10.0.0.2 and the capture", "of segments sent again", "60 of", "of 60 only the copy was captured, 0 were seen twice")
}

// TestLossInCapture has downloads of which the segments came again at once, and
// requests of which two came again after a timeout: that is where the time went.
func TestLossInCapture(t *testing.T) {
	found, err := packetLoss.Detect(viewOf(t, "../../packet/engine/testdata/loss.pcap"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d findings, error %v", len(found), err)
	}
	f := found[0]
	if f.Subject.Name != "10.9.0.2" || f.Impact.TimeLost < 0.01 {
		t.Errorf("packets to %s cost %v s per second: %s", f.Subject.Name, f.Impact.TimeLost, f.Headline)
	}
	for _, want := range []string{"7 of 270 segments from 10.9.0.1 to 10.9.0.2 sent again, 2 of them after a timeout", "the other direction costs less time"} {
		if !slices.ContainsFunc(f.Evidence, func(e rule.Evidence) bool { return strings.Contains(e.What.String(), want) }) {
			t.Errorf("no evidence says %q: %+v", want, f.Evidence)
		}
	}
}
