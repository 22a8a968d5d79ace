package net

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// speaker is one connection of a film.
type speaker struct {
	port     uint16
	seq, ack uint32
}

// moment is a packet of a film whose packets were not made in order.
type moment struct {
	at  time.Duration
	add func(*film, time.Duration)
}

// talks are connections with requests.
type talks []moment

func (k *talks) packet(s *speaker, at time.Duration, toServer bool, flags byte, data string) {
	port, seq, ack := s.port, s.seq, s.ack
	if !toServer {
		seq, ack = ack, seq
	}
	*k = append(*k, moment{at, func(f *film, at time.Duration) {
		f.segment(at, port, 3306, toServer, flags, seq, ack, uint32(at/ms)+1000, data)
	}})
}

const (
	ping = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
	okay = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
)

func (k *talks) connect(port uint16, at time.Duration) *speaker {
	s := &speaker{port, 100, 0}
	k.packet(s, at, true, synFlag, "")
	s.seq, s.ack = 101, 900
	k.packet(s, at+ms/10, false, synFlag|ackFlag, "")
	s.ack = 901
	k.packet(s, at+ms/5, true, ackFlag, "")
	return s
}

func (k *talks) answered(s *speaker, at time.Duration) {
	k.packet(s, at, true, ackFlag, ping)
	s.seq += uint32(len(ping))
	k.packet(s, at+2*ms, false, ackFlag, okay)
	s.ack += uint32(len(okay))
	k.packet(s, at+3*ms, true, ackFlag, "")
}

// unheard repeats a request after 0.2, 0.6, 1.4 s and so on.
func (k *talks) unheard(s *speaker, at time.Duration, copies int) {
	k.packet(s, at, true, ackFlag, ping)
	for i := range copies {
		at += 200 * ms << i
		k.packet(s, at, true, ackFlag, ping)
	}
}

func (k *talks) film() *film {
	f := newFilm()
	slices.SortStableFunc(*k, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	for _, m := range *k {
		m.add(f, m.at)
	}
	return f
}

// TestDeadInCapture has connections whose last request is repeated: of some the
// server is not heard any more, while it is of others.
func TestDeadInCapture(t *testing.T) {
	for _, tt := range []struct {
		name   string
		copies int
		acked  bool // the server takes the last copy
		closed bool // both sides had sent a FIN
		want   int64
	}{
		{"nothing comes back", 5, false, false, 4},
		{"too few copies", 2, false, false, 0},
		{"the server has it in the end", 5, true, false, 0},
		{"both sides had closed", 7, false, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var k talks
			for i := range 5 {
				s := k.connect(uint16(40000+i), time.Duration(i)*10*ms)
				for j := range 10 {
					k.answered(s, time.Duration(100+100*j+10*i)*ms)
				}
				if i == 4 {
					for j := range 200 {
						k.answered(s, time.Duration(1200+100*j)*ms)
					}
					continue
				}
				if tt.closed {
					k.packet(s, 11*time.Second, false, finFlag|ackFlag, "")
					s.ack++
					k.packet(s, 11*time.Second+ms, true, ackFlag, "")
				}
				k.unheard(s, 12*time.Second, tt.copies)
				if tt.closed {
					fin := *s
					fin.seq += uint32(len(ping))
					k.packet(&fin, 12*time.Second+ms, true, finFlag|ackFlag, "")
				}
				if tt.acked {
					s.seq += uint32(len(ping))
					k.packet(s, 21*time.Second, false, ackFlag, "")
				}
			}
			v := k.film().view(t)
			got := v.PacketServices()[0].Sent("client")
			if got.Unheard != tt.want {
				t.Fatalf("%d connections unheard, want %d: %+v", got.Unheard, tt.want, got)
			}
			found, err := packetLoss.Detect(v)
			if tt.closed && (len(found) > 0 || err != nil || got.Retransmissions != 0 || got.Timeouts != 0 || got.RetransmitWait != 0) {
				t.Errorf("%d findings, error %v, sums %+v", len(found), err, got)
			}
			if tt.want == 0 {
				if slices.ContainsFunc(found, func(f rule.Finding) bool { return f.Subject.Kind == view.KindService }) {
					t.Errorf("found %s", found[0].Headline)
				}
				return
			}
			if err != nil || len(found) != 1 {
				t.Fatalf("%d findings, error %v", len(found), err)
			}
			if got.UnheardCopies != 20 || got.UnheardQuiet < 10*time.Second || got.UnheardQuiet > 12*time.Second || got.UnheardFor != 4*6200*ms {
				t.Errorf("%+v", got)
			}
			if f := found[0]; !strings.Contains(f.Headline.String(), "4 connections to http 10.0.0.2:3306 are dead after at least 1") || f.Confidence != rule.Likely {
				t.Errorf("%s: %s", f.Confidence, f.Headline)
			}
		})
	}
}

func TestDeadConnections(t *testing.T) {
	dead := recording.PacketDirection{Segments: 5000, Retransmissions: 110, Timeouts: 110, RetransmitWait: 200 * time.Second, LargestAcked: 100,
		Unheard: 20, UnheardCopies: 100, UnheardTimeouts: 100, UnheardWait: 180 * time.Second, UnheardFor: 200 * time.Second, UnheardLargest: 90,
		UnheardQuiet: 8 * time.Second, UnheardFrom: ruletest.Start.Add(2 * time.Second)}
	scene := func(clients int, busy bool, change func(*recording.PacketDirection)) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := captured()
			p := ruletest.PacketService{Rate: 100, RTs: []time.Duration{2 * ms}, Idle: 50 * ms}
			if !busy {
				p.To = 2
			}
			h.Packets(p)
			for i := range clients {
				d := dead
				d.Client = fmt.Sprintf("10.0.1.%d", i+1)
				if change != nil {
					change(&d)
				}
				h.AllConnections(30, d, recording.PacketDirection{Client: d.Client})
			}
			return h
		}
	}
	one := func(d *recording.PacketDirection) { d.Unheard, d.UnheardCopies, d.Retransmissions = 1, 5, 15 }
	const service = "mysql 10.0.0.2:3306"
	ruletest.Check(t, packetLoss, []ruletest.Situation{
		{Name: "forgotten by a firewall: one finding for all clients", Host: scene(3, true, nil), Want: rule.Likely, Kind: view.KindService, Subject: service, Low: 59, High: 61,
			Says: "60 connections to mysql 10.0.0.2:3306 are dead after at least 8 s of silence", Proof: "no request was answered after more than 50"},
		{Name: "others were answered after as long", Host: scene(1, true, func(d *recording.PacketDirection) { d.UnheardQuiet = 20 * ms }), Want: rule.Likely, Kind: view.KindService,
			Subject: service, Low: 19, High: 21, Says: "while others are answered"},
		{Name: "nobody is answered any more", Host: scene(1, false, nil), Want: rule.Likely, Kind: view.KindService, Subject: service, Low: 19, High: 21,
			Says: "nothing comes back from " + service},
		{Name: "one connection", Host: scene(1, true, one), Want: rule.Possible, Kind: view.KindService, Subject: service, Low: 19, High: 21, Says: "1 connection to"},
		{Name: "too large for the path", Host: scene(1, true, func(d *recording.PacketDirection) { d.UnheardLargest = 1448; d.Retransmissions = 10 })},
		{Name: "none", Host: scene(1, true, func(d *recording.PacketDirection) { d.Unheard, d.Retransmissions = 0, 10 })},
	})
}
