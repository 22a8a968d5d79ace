package net

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"rtrail/internal/rule"
)

var (
	asker      = []byte{10, 0, 0, 1}
	nameserver = []byte{10, 0, 0, 2}
)

// ip makes a packet without options.
func ip(proto byte, from, to, payload []byte) []byte {
	p := make([]byte, 20, 20+len(payload))
	p[0], p[8], p[9] = 0x45, 64, proto
	binary.BigEndian.PutUint16(p[2:], uint16(20+len(payload)))
	copy(p[12:], from)
	copy(p[16:], to)
	return append(p, payload...)
}

// dnsPacket is a query for A test.example, or the answer to it.
func dnsPacket(port, id uint16, answer bool) []byte {
	m := append(make([]byte, 8+12), "\x04test\x07example\x00\x00\x01\x00\x01"...)
	binary.BigEndian.PutUint16(m, port)
	binary.BigEndian.PutUint16(m[2:], 53)
	binary.BigEndian.PutUint16(m[4:], uint16(len(m)))
	binary.BigEndian.PutUint16(m[8:], id)
	binary.BigEndian.PutUint16(m[10:], 0x0100)
	m[13] = 1
	if !answer {
		return ip(17, asker, nameserver, m)
	}
	binary.BigEndian.PutUint16(m, 53)
	binary.BigEndian.PutUint16(m[2:], port)
	binary.BigEndian.PutUint16(m[10:], 0x8180)
	return ip(17, nameserver, asker, m)
}

// refusal is the ICMP message that no process listens.
func refusal(query []byte) []byte {
	return ip(1, nameserver, asker, append([]byte{3, 3, 0, 0, 0, 0, 0, 0}, query...))
}

// lookUp films n queries, one each 10 ms, of which some are answered after 2 ms
// and some refused after 1 ms.
func lookUp(n int, answered, refused func(i int) bool) *film {
	f := newFilm()
	for i := range n {
		at, port, id := time.Duration(i)*10*ms, uint16(20000+i%40000), uint16(i)
		query := dnsPacket(port, id, false)
		f.packet(at, query)
		if refused(i) {
			f.packet(at+ms, refusal(query))
		}
		if answered(i) {
			f.packet(at+2*ms, dnsPacket(port, id, true))
		}
	}
	return f
}

func never(int) bool { return false }

func each(n int) func(int) bool { return func(i int) bool { return i%n == 0 } }

func except(f func(int) bool) func(int) bool { return func(i int) bool { return !f(i) } }

// TestDNSInCapture has more queries than a recording keeps transactions: what a
// verdict says of them must be of all. The queries of the last two seconds, 200
// of them, are held against nobody unless they were refused.
func TestDNSInCapture(t *testing.T) {
	for _, tt := range []struct {
		name     string
		film     *film
		rule     rule.Rule
		headline string
		impact   string
		evidence string
	}{
		{"a third is lost", lookUp(6000, except(each(3)), never), dnsSlow, "1,934 of 5,934 got no answer", "33 % of 5,934 lookups",
			"1,934 queries without an answer, 0 answered only after a retry, of 5,934; 66 more were asked less than 2 s before the end"},
		{"few are lost", lookUp(60000, except(each(30)), never), dnsSlow, "1,994 of 59,994 got no answer", "3.3 % of 59,994 lookups", "1,994 queries"},
		{"fewer than count", lookUp(60000, except(each(100)), never), dnsSlow, "", "", ""},
		{"all are lost", lookUp(6000, never, never), dnsUnreachable, "no answer of the resolver 10.0.0.2:53 was captured to 5,800 queries of 10.0.0.1", "all lookups", "5,800 queries"},
		{"all are refused", lookUp(6000, never, each(1)), dnsUnreachable, "all 6,000 queries of 10.0.0.1 were refused", "all lookups", "6,000 of them were answered by ICMP"},
		{"some are refused", lookUp(6000, never, each(5)), dnsUnreachable, "none of 6,000 queries of 10.0.0.1 was answered, 1,200 were refused", "all lookups", "1,200 of them were answered by ICMP"},
		{"the rest came just before the end", lookUp(30, never, each(5)), dnsUnreachable, "none of 30 queries of 10.0.0.1 was answered, 6 were refused", "all lookups", "6 queries without an answer, 0 answered only after a retry, of 6; 24 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := tt.rule.Detect(tt.film.view(t))
			if err != nil {
				t.Fatal(err)
			}
			if tt.headline == "" {
				if len(found) > 0 {
					t.Errorf("found %s", found[0].Headline)
				}
				return
			}
			if len(found) != 1 {
				t.Fatalf("found %v", found)
			}
			holds(t, found[0], tt.headline, tt.impact, tt.evidence)
		})
	}
}

func holds(t *testing.T, f rule.Finding, headline, impact string, evidence ...string) {
	t.Helper()
	if !strings.Contains(f.Headline.String(), headline) || !strings.Contains(f.Impact.Text.String(), impact) {
		t.Errorf("got %q, %q, want %q, %q", f.Headline, f.Impact.Text, headline, impact)
	}
	var all []string
	for _, e := range f.Evidence {
		all = append(all, e.What.String())
	}
	for _, want := range evidence {
		if !strings.Contains(strings.Join(all, "\n"), want) {
			t.Errorf("no evidence %q in %q", want, all)
		}
	}
}

// What is captured of one direction has no answers. Clients that send each query
// twice at once say nothing by that; those that ask again after a while do, if the
// capture is known to show what comes to them.
func TestAnswersThatWereNotCaptured(t *testing.T) {
	for _, tt := range []struct {
		name  string
		again time.Duration
		tcp   string // what else was captured: "both" directions of a connection, "one" of it
		want  rule.Confidence
		says  string
	}{
		{"copies at once", 20 * ms, "both", rule.Possible, "but no client asked again"},
		{"asked again, other traffic in both directions", time.Second, "both", rule.Certain, "answers nothing"},
		{"asked again, nothing else", time.Second, "", rule.Possible, "only one direction was captured"},
		{"asked again, other traffic in one direction", time.Second, "one", rule.Possible, "only one direction was captured"},
	} {
		f := newFilm()
		for i := range 40 {
			query := dnsPacket(uint16(20000+i), uint16(i), false)
			copy(query[41:], fmt.Sprintf("%04d", i)) // in the place of "test"
			f.packet(time.Duration(2*i)*time.Second, query)
			f.packet(time.Duration(2*i)*time.Second+tt.again, query)
			if tt.tcp != "" {
				f.segment(time.Duration(2*i)*time.Second, 5000, 80, true, ackFlag, uint32(100+10*i), uint32(100+10*i), uint32(i), "0123456789")
			}
			if tt.tcp == "both" {
				f.segment(time.Duration(2*i)*time.Second+ms, 5000, 80, false, ackFlag, uint32(100+10*i), uint32(110+10*i), uint32(i), "0123456789")
			}
		}
		found, err := dnsUnreachable.Detect(f.view(t))
		if err != nil || len(found) != 1 || found[0].Confidence != tt.want || !strings.Contains(found[0].Headline.String(), tt.says) {
			t.Errorf("%s: found %v, error %v, want %s, %q", tt.name, found, err, tt.want, tt.says)
		}
	}
}

// TestLossInOneDirection repeats a tenth of the segments: without what the other
// side says, nobody knows which of them had arrived.
func TestLossInOneDirection(t *testing.T) {
	for both, want := range map[bool]rule.Confidence{true: rule.Likely, false: rule.Possible} {
		f := newFilm()
		for i := range 2000 {
			at, seq := time.Duration(i)*10*ms, uint32(100+10*i)
			f.segment(at, 5000, 80, true, ackFlag, seq, 100, uint32(i), "0123456789")
			if i%10 == 0 {
				f.segment(at+8*ms, 5000, 80, true, ackFlag, seq, 100, uint32(i+1), "0123456789")
			}
			if both {
				f.segment(at+9*ms, 5000, 80, false, ackFlag, 100, seq+10, uint32(i), "")
			}
		}
		found := lossInPackets(f.view(t), func(string, string) bool { return false })
		if len(found) != 1 || found[0].Confidence != want {
			t.Errorf("both directions %v: found %v, want %s", both, found, want)
		}
	}
}

// TestDNSOnceEach reads queries to a resolver one of which is the slowest and a
// failed one too: it is counted once, and as failed, though a copy was sent before.
// Of three, the last one is too young: a single one is lost.
func TestDNSOnceEach(t *testing.T) {
	raw, err := os.ReadFile("../../packet/proto/dns/testdata/dnsmasq.pcap")
	if err != nil {
		t.Fatal(err)
	}
	f := &film{}
	f.Write(raw)
	v := f.view(t)
	if found, err := dnsSlow.Detect(v); err != nil || len(found) > 0 {
		t.Fatalf("found %v, %v", found, err)
	}
	if r := v.PacketResolvers()[1]; r.Server != "127.0.0.2" || r.Queries != 3 || r.Answered != 1 || r.Failed != 1 || r.Repeated != 0 || r.Unanswered != 1 || r.AskedAgain != 1 || r.Young != 1 {
		t.Errorf("%+v", r)
	}
	frames := map[int64]bool{}
	for _, x := range v.PacketTransactions() {
		if frames[x.FirstFrame] && x.Connection == x.FirstFrame {
			t.Errorf("frame %d is there twice", x.FirstFrame)
		}
		frames[x.FirstFrame] = true
	}
}
