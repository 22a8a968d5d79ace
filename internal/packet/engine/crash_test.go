package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

// bomb panics when a connection reaches a point.
type bomb struct {
	proto.Parser
	on    func(at string) // may panic
	bytes int
}

func (b *bomb) Data(c *flow.Chunk) {
	b.bytes += c.Size()
	if b.bytes > 100 {
		b.on("data")
	}
	b.Parser.Data(c)
}
func (b *bomb) Gap(d flow.Dir, n int64, at flow.Stamp) { b.on("gap"); b.Parser.Gap(d, n, at) }
func (b *bomb) Progress() proto.Progress               { b.on("progress"); return b.Parser.Progress() }
func (b *bomb) End(at flow.Stamp, how flow.Ending)     { b.on("end"); b.Parser.End(at, how) }

// mined are all protocols with a bomb in the connections of some clients, who
// are known by the number of their parser.
func mined(at string) (list []proto.Protocol, armed func(client flow.Endpoint) bool) {
	armed = func(client flow.Endpoint) bool { return client.Port%3 == 0 }
	list = Protocols()
	for i := range list {
		make := list[i].New
		list[i].New = func(s proto.Sink, midway bool) proto.Parser {
			// The assembler is the sink, and knows the connection.
			client := s.(interface{ Client() flow.Endpoint }).Client()
			return &bomb{Parser: make(s, midway), on: func(now string) {
				if now == at && armed(client) {
					panic("bomb at " + at)
				}
			}}
		}
	}
	return list, armed
}

// A decoder that panics costs its connection, wherever it does; all others are
// as they would be without.
func TestCrashCostsItsConnection(t *testing.T) {
	for _, path := range []string{"testdata/loss.pcap", "../proto/http/testdata/nginx.pcap"} {
		whole, _ := run(t, path, 1)
		for _, at := range []string{"data", "gap", "progress", "end"} {
			protocols, armed := mined(at)
			for workers := 1; workers <= 3; workers++ {
				got, report := runWith(t, path, Options{Workers: workers, Protocols: protocols})
				healthy := func(k *kept) []string {
					var list kept
					for _, x := range k.transactions {
						if !armed(x.Client) {
							list.transactions = append(list.transactions, x)
						}
					}
					for _, c := range k.connections {
						if !armed(c.Client) {
							list.connections = append(list.connections, c)
						}
					}
					return list.words()
				}
				if want, have := healthy(whole), healthy(got); !slices.Equal(want, have) {
					t.Errorf("%s, at %s, %d workers: other connections differ: %d words of %d", path, at, workers, len(have), len(want))
				}
				var mined uint64
				for _, c := range whole.connections {
					if armed(c.Client) && c.Sides[0].Bytes > 0 {
						mined++
					}
				}
				if at == "data" && (mined == 0 || report.Crashes.Connections != mined) {
					t.Errorf("%s, at %s, %d workers: %d connections given up, want %d", path, at, workers, report.Crashes.Connections, mined)
				}
				if c := report.Crashes; c.Any() && (c.First.What != "bomb at "+at || c.Frame == 0 || c.Conn == "" || !strings.Contains(c.First.Where, "crash_test.go")) {
					t.Errorf("%s, at %s, %d workers: %+v", path, at, workers, c)
				}
				if report.Crashes.Packets != 0 {
					t.Errorf("%s, at %s: %d packets of no connection", path, at, report.Crashes.Packets)
				}
			}
		}
	}
}

func runWith(t *testing.T, path string, o Options) (*kept, Report) {
	t.Helper()
	src, err := pcap.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var k kept
	if o.Collector == nil {
		o.Collector = k.collector
	}
	report, err := Run(context.Background(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	return &k, report
}

// badCollector panics in one of its methods, always.
type badCollector struct {
	*keeper
	at    string
	calls int
}

func (b *badCollector) hit(at string) {
	if b.at == at {
		b.calls++
		panic("collector at " + at)
	}
}
func (b *badCollector) Frame(*pcap.Packet, *decode.Frame) { b.hit("frame") }
func (b *badCollector) Transaction(t *rt.Transaction) {
	b.hit("transaction")
	b.keeper.Transaction(t)
}
func (b *badCollector) Connection(c *rt.Connection)            { b.hit("connection"); b.keeper.Connection(c) }
func (b *badCollector) Handshake(*rt.Connection)               { b.hit("handshake") }
func (b *badCollector) Resent(*rt.Connection, flow.Dir, int64) { b.hit("resent") }
func (b *badCollector) Progress(at int64)                      { b.hit("progress"); b.keeper.Progress(at) }

// Whoever panics, and however often, the engine comes to the end and says so.
func TestCrashEverywhere(t *testing.T) {
	for _, path := range []string{"testdata/loss.pcap", "../proto/dns/testdata/dnsmasq.pcap"} {
		for _, at := range []string{"frame", "transaction", "connection", "handshake", "resent", "progress"} {
			for workers := 1; workers <= 2; workers++ {
				var k kept
				calls := make([]*badCollector, workers)
				_, report := runWith(t, path, Options{Workers: workers, Collector: func(w int) Collector {
					calls[w] = &badCollector{keeper: &keeper{kept: &k}, at: at}
					return calls[w]
				}})
				n := 0
				for _, c := range calls {
					n += c.calls
				}
				crashes := report.Crashes.Connections + report.Crashes.Packets
				if n == 0 {
					continue
				}
				if crashes != uint64(n) {
					t.Errorf("%s, %s, %d workers: %d panics, %d told", path, at, workers, n, crashes)
				}
			}
		}
	}
}

// badSource panics when it is read, or gives packets that cannot be decoded
// without.
type badSource struct {
	pcap.Source
	batches int
}

func (b *badSource) Next(ctx context.Context) (*pcap.Batch, error) {
	if b.batches--; b.batches < 0 {
		panic("source")
	}
	return b.Source.Next(ctx)
}

// emptySource has nothing to tell.
type emptySource struct{ pcap.Source }

func (emptySource) Loss() pcap.Loss              { return pcap.Loss{} }
func (emptySource) Notes() []pcap.Note           { return nil }
func (emptySource) Interfaces() []pcap.Interface { return nil }

func TestCrashOfReader(t *testing.T) {
	var none kept
	if _, err := Run(t.Context(), &badSource{emptySource{}, 0}, Options{Workers: 2, Collector: none.collector}); err == nil || !strings.Contains(err.Error(), "crashed (bug): source") {
		t.Errorf("at the first packets: error %v", err)
	}
	src, err := pcap.OpenFile("testdata/loss.pcap")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var k kept
	report, err := Run(t.Context(), &badSource{src, 1}, Options{Workers: 2, Collector: k.collector})
	if err == nil || !strings.Contains(err.Error(), "crashed (bug): source") {
		t.Errorf("error %v", err)
	}
	if report.Packets == 0 || len(k.transactions) == 0 {
		t.Errorf("what was read before is gone: %d packets, %d transactions", report.Packets, len(k.transactions))
	}
}
