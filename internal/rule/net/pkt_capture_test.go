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
	src, err := pcap.Open([]string{path}, nil)
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

// TestLossInCapture has downloads of which the segments came again at once, and
// requests of which two came again after a timeout: that is where the time went.
func TestLossInCapture(t *testing.T) {
	found, err := packetLoss.Detect(viewOf(t, "../../packet/engine/testdata/loss.pcap"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d findings, error %v", len(found), err)
	}
	f := found[0]
	if f.Subject.Name != "10.9.0.1" || f.Impact.TimeLost > 0.001 {
		t.Errorf("packets to %s cost %v s per second: %s", f.Subject.Name, f.Impact.TimeLost, f.Headline)
	}
	for _, want := range []string{"10 of 521 segments from 10.9.0.2 to 10.9.0.1", "from 10.9.0.1 to 10.9.0.2 7 of 270 segments were sent again, 2 after a timeout, and 412 ms waited for"} {
		if !slices.ContainsFunc(f.Evidence, func(e rule.Evidence) bool { return strings.Contains(e.What.String(), want) }) {
			t.Errorf("no evidence says %q: %+v", want, f.Evidence)
		}
	}
}
