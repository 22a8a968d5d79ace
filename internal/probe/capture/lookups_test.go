package capture

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/recording"
)

var nameserver = flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 53}

func askedBy(host byte, port uint16) flow.Endpoint {
	return flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, host}), Port: port}
}

// lookup is a query over UDP that began after a while.
func lookup(at time.Duration, client flow.Endpoint, change func(*rt.Transaction)) *rt.Transaction {
	t := &rt.Transaction{Proto: "dns", Command: "A", Status: proto.Unanswered, Client: client, Server: nameserver, Start: int64(at), RequestPackets: 1, Question: uint64(at) + uint64(client.Port)<<48}
	if change != nil {
		change(t)
	}
	return t
}

// unreachable is the ICMP message that no process listens where a client asked.
func unreachable(at time.Duration, client flow.Endpoint) *decode.Frame {
	return &decode.Frame{Stamp: flow.Stamp{At: int64(at)}, Proto: decode.ICMP,
		ICMP: decode.Control{Type: 3, Code: 3, Quoted: true, QuotedProto: decode.UDP, QuotedSrc: client, QuotedDst: nameserver}}
}

func passed(at time.Duration) *decode.Frame { return &decode.Frame{Stamp: flow.Stamp{At: int64(at)}} }

// rows ends the capture and gives its rows, without what all of them have.
func rows(end time.Duration, workers ...*lookups) []recording.PacketResolver {
	var list []*part
	for _, l := range workers {
		l.close(int64(end))
		list = append(list, &part{lookups: l.take()})
	}
	var r Result
	new(cutter).lookups(&r, list)
	for i := range r.Resolvers {
		r.Resolvers[i].At, r.Resolvers[i].Server, r.Resolvers[i].ServerPort = time.Time{}, "", 0
	}
	return r.Resolvers
}

func TestLookups(t *testing.T) {
	one := askedBy(1, 4000)
	answered := func(t *rt.Transaction) { t.Status = proto.Answered }
	for _, tt := range []struct {
		name string
		film func(l *lookups)
		want []recording.PacketResolver
	}{
		{"answered", func(l *lookups) {
			l.transaction(lookup(0, one, answered))
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.Status, t.Command = proto.Answered, "PTR" }))
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.Status, t.Failed, t.Code = proto.Answered, true, "SERVFAIL" }))
		}, []recording.PacketResolver{{Queries: 3, Addresses: 1, Answered: 3, Failed: 1}}},
		{"answered to a copy", func(l *lookups) {
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.Status, t.Retransmit, t.RequestPackets = proto.Answered, time.Second, 2 }))
		}, []recording.PacketResolver{{Queries: 1, Answered: 1, Repeated: 1, Waited: time.Second, Clients: 1, Client: "10.0.0.1"}}},
		{"a copy sent after 30 ms says nothing", func(l *lookups) {
			l.transaction(lookup(0, one, func(t *rt.Transaction) {
				t.Status, t.Retransmit, t.RequestPackets = proto.Answered, 30*time.Millisecond, 2
			}))
		}, []recording.PacketResolver{{Queries: 1, Answered: 1}}},
		{"an answer long after the last copy was slow, not lost", func(l *lookups) {
			l.transaction(lookup(0, one, func(t *rt.Transaction) {
				t.Status, t.Retransmit, t.Serve, t.RequestPackets = proto.Answered, 2*time.Second, time.Second, 2
			}))
		}, []recording.PacketResolver{{Queries: 1, Answered: 1}}},
		{"nor is SERVFAIL", func(l *lookups) {
			l.transaction(lookup(0, one, func(t *rt.Transaction) {
				t.Status, t.Retransmit, t.RequestPackets, t.Failed, t.Code = proto.Answered, 8*time.Second, 4, true, "SERVFAIL"
			}))
		}, []recording.PacketResolver{{Queries: 1, Answered: 1, Failed: 1}}},
		{"asked again from another port, and by a copy", func(l *lookups) {
			same := func(t *rt.Transaction) { t.Question = 7 }
			l.transaction(lookup(6*time.Second, askedBy(1, 4003), func(t *rt.Transaction) { same(t); t.Status = proto.Answered }))
			l.transaction(lookup(0, one, same))
			l.transaction(lookup(5*time.Second, askedBy(1, 4002), same))
			l.transaction(lookup(time.Second, askedBy(1, 4009), func(t *rt.Transaction) { t.RequestPackets, t.Copied = 3, 2*time.Second }))
		}, []recording.PacketResolver{{Queries: 4, Answered: 1, Unanswered: 3, AskedAgain: 3, Waited: 15 * time.Second, Clients: 1, Client: "10.0.0.1"}}},
		{"asked by another client, of another resolver, much later, or before", func(l *lookups) {
			same := func(t *rt.Transaction) { t.Question = 7 }
			l.frame(passed(30 * time.Second))
			l.transaction(lookup(4*time.Second, one, same))
			l.transaction(lookup(5*time.Second, askedBy(2, 4000), func(t *rt.Transaction) { same(t); t.Status = proto.Answered }))
			l.transaction(lookup(20*time.Second, one, func(t *rt.Transaction) { same(t); t.Status = proto.Answered }))
			l.transaction(lookup(time.Second, one, func(t *rt.Transaction) { same(t); t.Status = proto.Answered }))
		}, []recording.PacketResolver{{Queries: 4, Answered: 3, Unanswered: 1, Waited: 5 * time.Second, Clients: 1, Client: "10.0.0.1"}}},
		{"no answer yet from one that took longer before", func(l *lookups) {
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.Status, t.RT = proto.Answered, 6*time.Second }))
			l.frame(passed(9 * time.Second))
			l.transaction(lookup(5*time.Second, one, nil))
		}, []recording.PacketResolver{{Queries: 2, Answered: 1, Young: 1}}},
		{"copies of TCP are another matter", func(l *lookups) {
			l.transaction(lookup(0, one, func(t *rt.Transaction) {
				t.Status, t.Retransmit, t.Connection, t.ID = proto.Answered, time.Second, 1, 4
			}))
		}, []recording.PacketResolver{{Queries: 1, Answered: 1}}},
		{"too young, old enough, and given up", func(l *lookups) {
			l.frame(passed(9 * time.Second))
			for _, at := range []time.Duration{9, 8, 6, 1} { // the capture ends at 10 s
				l.transaction(lookup(at*time.Second, one, nil))
			}
		}, []recording.PacketResolver{{Queries: 4, Unanswered: 3, Young: 1, Waited: 11 * time.Second, Clients: 1, Client: "10.0.0.1"}}},
		{"several clients", func(l *lookups) {
			for host := byte(3); host > 0; host-- {
				l.transaction(lookup(0, askedBy(host, 4000), nil))
			}
		}, []recording.PacketResolver{{Queries: 3, Unanswered: 3, Waited: 15 * time.Second, Clients: 3, Client: "10.0.0.1"}}},
		{"no longer followed", func(l *lookups) {
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.Doubt = proto.Ambiguous }))
			l.transaction(lookup(9*time.Second, one, func(t *rt.Transaction) { t.Doubt = proto.Ambiguous }))
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.Status = proto.Unpaired }))
		}, []recording.PacketResolver{{Queries: 2, Young: 1, Forgotten: 1, Unpaired: 1, Clients: 1, Client: "10.0.0.1"}}},
		{"bytes are missing", func(l *lookups) {
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.Doubt = proto.Lossy }))
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.Doubt = proto.Resync }))
		}, nil},
		{"other protocols and ports", func(l *lookups) {
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.Proto = "redis" }))
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.Server.Port = 5353 }))
		}, nil},
		{"refused at once", func(l *lookups) {
			l.transaction(lookup(0, askedBy(1, 4001), nil))
			l.frame(unreachable(9*time.Second, one))
			l.transaction(lookup(9*time.Second, one, nil))
		}, []recording.PacketResolver{{Queries: 2, Unanswered: 2, Refused: 1, Waited: 5 * time.Second, Clients: 1, Client: "10.0.0.1"}}},
		{"a message for a few of the queries from one port", func(l *lookups) {
			l.frame(unreachable(0, one))
			l.frame(unreachable(0, one))
			for range 5 {
				l.transaction(lookup(0, one, nil))
			}
		}, []recording.PacketResolver{{Queries: 5, Unanswered: 5, Refused: 2, Waited: 15 * time.Second, Clients: 1, Client: "10.0.0.1"}}},
		{"a message for each copy of a query", func(l *lookups) {
			for range 3 {
				l.frame(unreachable(0, one))
			}
			l.transaction(lookup(0, one, func(t *rt.Transaction) { t.RequestPackets, t.Copied = 3, 2*time.Second }))
			l.transaction(lookup(0, one, nil))
		}, []recording.PacketResolver{{Queries: 2, Unanswered: 2, AskedAgain: 1, Refused: 1, Waited: 5 * time.Second, Clients: 1, Client: "10.0.0.1"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLookups([]uint16{53})
			tt.film(l)
			if diff := cmp.Diff(tt.want, rows(10*time.Second, l)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What workers saw is added up, whoever saw it.
func TestLookupsOfWorkers(t *testing.T) {
	a, b := newLookups(nil), newLookups(nil)
	for i := range 3000 {
		l := a
		if i%3 == 0 {
			l = b
		}
		l.transaction(lookup(time.Duration(i)*time.Millisecond, askedBy(byte(i%2), uint16(i)), nil))
	}
	want := []recording.PacketResolver{{Queries: 3000, Unanswered: 3000, Waited: 15000 * time.Second, Clients: 2, Client: "10.0.0.0"}}
	if diff := cmp.Diff(want, rows(10*time.Second, a, b)); diff != "" {
		t.Error(diff)
	}
}

// TestLookupsBounded has a resolver go silent under more queries than are
// remembered: their number stays right.
func TestLookupsBounded(t *testing.T) {
	const queries = 5 * maxUnsettled
	l := newLookups(nil)
	for i := range queries {
		at := time.Duration(i) * 50 * time.Microsecond
		l.frame(passed(at + 3*time.Second))
		l.frame(unreachable(at, askedBy(byte(i>>16), uint16(i))))
		l.transaction(lookup(at, askedBy(byte(i>>16+100), uint16(i)), nil))
		if len(l.unsettled) > maxUnsettled || len(l.refusals) > maxRefusals || len(l.silent) > slowest || len(l.questions) > maxQuestions {
			t.Fatalf("%d unsettled, %d refusals, %d shown, %d questions", len(l.unsettled), len(l.refusals), len(l.silent), len(l.questions))
		}
	}
	got := rows(time.Minute, l)[0]
	if got.Queries != queries || got.Unanswered != queries || got.Waited < queries*3*time.Second || got.Waited > queries*resolverTimeout {
		t.Errorf("got %+v", got)
	}
}

// TestRefusedOnOtherPorts has resolvers on other ports than 53, and a scan of the
// ports of a host, which must leave room for the messages of DNS.
func TestRefusedOnOtherPorts(t *testing.T) {
	l := newLookups(nil)
	consul := nameserver
	consul.Port = 8600
	message := func(client, server flow.Endpoint) {
		f := unreachable(0, client)
		f.ICMP.QuotedDst = server
		l.frame(f)
	}
	message(askedBy(1, 4000), consul)
	for i := range 2 * maxRefusals {
		message(askedBy(byte(2+i>>16), uint16(i)), consul)
	}
	l.frame(unreachable(0, askedBy(1, 4001)))
	l.transaction(lookup(0, askedBy(1, 4000), func(t *rt.Transaction) { t.Server = consul }))
	l.transaction(lookup(0, askedBy(1, 4001), nil))
	if got := rows(10*time.Second, l); len(got) != 2 || got[0].Refused != 1 || got[1].Refused != 1 {
		t.Errorf("got %+v", got)
	}
	if len(l.refusals) > maxRefusals/2 {
		t.Errorf("%d messages of other ports are kept", len(l.refusals))
	}
}

// Each resolver has a query that can be shown, however many others have.
func TestLookupsShowEach(t *testing.T) {
	l := newLookups(nil)
	for range 2 * slowest {
		l.transaction(lookup(0, askedBy(1, 4000), nil))
	}
	l.transaction(lookup(0, askedBy(1, 4000), func(t *rt.Transaction) { t.Server = askedBy(9, 53) }))
	if len(l.silent) != slowest+1 || l.silent[slowest].Server != askedBy(9, 53) {
		t.Errorf("%d shown", len(l.silent))
	}
}

// A file ends with its last packet. On an interface, who hears nothing after a
// query has waited until the capture was stopped.
func TestLookupsEnd(t *testing.T) {
	for _, tt := range []struct {
		live              bool
		unanswered, young int64
	}{{false, 1, 1}, {true, 2, 0}} {
		for _, workers := range []int{1, 3} {
			src, err := pcap.Open(context.Background(), []string{"../../packet/proto/dns/testdata/dnsmasq.pcap"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Read(context.Background(), src, Options{Live: tt.live, Engine: engine.Options{Workers: workers}})
			src.Close()
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Resolvers) != 2 {
				t.Fatalf("resolvers %+v", r.Resolvers)
			}
			if got := r.Resolvers[1]; got.Server != "127.0.0.2" || got.Queries != 3 || got.Answered != 1 || got.Repeated != 0 || got.AskedAgain != 1 || got.Unanswered != tt.unanswered || got.Young != tt.young {
				t.Errorf("live %v, %d workers: got %+v", tt.live, workers, got)
			}
		}
	}
}
