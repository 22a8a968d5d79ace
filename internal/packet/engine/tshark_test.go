package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"rtrail/internal/golden"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/generate"
)

// judged are captures on which tshark and the engine are compared: real ones
// from all over the tree, and those made-up ones that show one thing each.
var judged = []string{
	"testdata/loss.pcap",
	"../proto/http/testdata/nginx.pcap", "../proto/mysql/testdata/text.pcap", "../proto/mysql/testdata/prepared.pcap",
	"../proto/redis/testdata/redis7.pcap", "../proto/dns/testdata/dnsmasq.pcap", "../proto/tls/testdata/tls13.pcap",
	"../proto/mongodb/testdata/ferretdb1.pcap", "../proto/kafka/testdata/kafka3.pcap", "../proto/memcached/testdata/memcached16.pcap",
	"../proto/amqp/testdata/rabbitmq3.pcap", "../proto/http2/testdata/nginx.pcap", "../proto/http2/testdata/grpc.pcap",
	"../proto/mqtt/testdata/mosquitto2.pcap",
	"../proto/fastcgi/testdata/phpfpm8.pcap", "../proto/fastcgi/testdata/go.pcap",
	"../proto/cassandra/testdata/cassandra5-v4.pcap", "../proto/cassandra/testdata/cassandra5-v5-lz4.pcap",
	"../proto/websocket/testdata/websockets17.pcap",
	"../proto/tds/testdata/mock.pcap",
}

var judgedTruths = []string{"lost-on-wire", "reordered", "request-resent", "response-resent", "zero-window", "port-reuse", "pipelined", "wrapped"}

// tsharkFields are what is asked of tshark, in this order.
var tsharkFields = []string{
	"frame.number", "tcp.stream", "ip.src", "tcp.srcport", "frame.len", "tcp.len", "tcp.analysis.retransmission",
	"tcp.analysis.out_of_order", "tcp.analysis.duplicate_ack", "tcp.analysis.zero_window", "http.time", "dns.time", "dns.response_to", "tcp.window_size_value",
}

// counted is what both count of one direction of a connection.
type counted struct {
	packets, wireBytes, segments, retransmissions, outOfOrder, dupACKs, zeroWindows int64
}

// judgement is what was found in a capture, by the number of a connection's
// first frame and by who sent, and by the frame of a response.
type judgement struct {
	sides map[string]*counted
	http  map[uint64]time.Duration
	dns   map[uint64]time.Duration
}

// TestAgainstTshark compares counters and times with those of tshark. What
// differs is listed in testdata/tshark.txt, and explained in docs/packets.md.
func TestAgainstTshark(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("tshark is not installed; scripts/packages tshark")
	}
	files := slices.Clone(judged)
	dir := t.TempDir()
	for _, truth := range generate.Truths() {
		if !slices.Contains(judgedTruths, truth.Name) {
			continue
		}
		var b bytes.Buffer
		if err := truth.Write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, truth.Name+".pcap")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	lines := make([][]string, len(files))
	errs := make([]error, len(files))
	var wg sync.WaitGroup
	turns := make(chan struct{}, runtime.NumCPU())
	for i, path := range files {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			theirs, err := askTshark(path)
			if err != nil {
				errs[i] = err
				return
			}
			lines[i] = compare(strings.TrimSuffix(filepath.Base(path), ".pcap"), ours(t, path), theirs)
		})
	}
	wg.Wait()
	var got []string
	for i := range files {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		got = append(got, lines[i]...)
	}
	slices.Sort(got)
	const kept = "testdata/tshark.txt"
	if golden.Updating() {
		if err := os.WriteFile(kept, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(b)), "\n")
	if d := diff.Diff(want, got); d != "" {
		t.Errorf("what differs from tshark is not what it was (-was +is):\n%s", d)
	}
}

// askTshark lets tshark read a capture. Streams are not put together, so that
// http.time ends with the first packet of a response, as RT does.
func askTshark(path string) (*judgement, error) {
	args := []string{"-r", path, "-o", "tcp.desegment_tcp_streams:FALSE", "-T", "fields", "-E", "occurrence=f"}
	for _, f := range tsharkFields {
		args = append(args, "-e", f)
	}
	out, err := exec.Command("tshark", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("run tshark on %s: %w", path, err)
	}
	j := &judgement{map[string]*counted{}, map[uint64]time.Duration{}, map[uint64]time.Duration{}}
	first := map[string]uint64{}
	for line := range strings.Lines(string(out)) {
		v := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		frame, _ := strconv.ParseUint(v[0], 10, 64)
		if v[10] != "" {
			j.http[frame] = seconds(v[10])
		}
		if v[11] != "" && v[12] != "" {
			j.dns[frame] = seconds(v[11])
		}
		if v[1] == "" {
			continue
		}
		if first[v[1]] == 0 {
			first[v[1]] = frame
		}
		k := fmt.Sprintf("%d %s:%s", first[v[1]], v[2], v[3])
		c := j.sides[k]
		if c == nil {
			c = &counted{}
			j.sides[k] = c
		}
		c.packets++
		c.wireBytes += atoi(v[4])
		for i, n := range []*int64{&c.segments, &c.retransmissions, &c.outOfOrder, &c.dupACKs, &c.zeroWindows} {
			if value := v[5+i]; value != "" && value != "0" {
				*n++
			}
		}
	}
	return j, nil
}

func atoi(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

func seconds(s string) time.Duration {
	v, _ := strconv.ParseFloat(s, 64)
	return time.Duration(math.Round(v * 1e9))
}

// ours lets the engine read a capture.
func ours(t *testing.T, path string) *judgement {
	k, _ := run(t, path, 2)
	j := &judgement{map[string]*counted{}, map[uint64]time.Duration{}, map[uint64]time.Duration{}}
	for i := range k.connections {
		c := &k.connections[i]
		for d, end := range [...]flow.Endpoint{c.Client, c.Server} {
			s := &c.Sides[d]
			if s.Packets == 0 {
				continue
			}
			j.sides[fmt.Sprintf("%d %v", c.ID, end)] = &counted{
				packets: int64(s.Packets), wireBytes: s.WireBytes, segments: int64(s.Segments), retransmissions: int64(s.Retransmissions),
				outOfOrder: int64(s.OutOfOrder), dupACKs: int64(s.DupACKs), zeroWindows: int64(s.ZeroWindows),
			}
		}
	}
	for i := range k.transactions {
		x := &k.transactions[i]
		switch {
		case x.Frames[2] == 0:
		case x.Proto == "http":
			j.http[x.Frames[2]] = x.RT
		case x.Proto == "dns":
			j.dns[x.Frames[2]] = x.RT
		}
	}
	return j
}

// compare lists what differs.
func compare(name string, ours, theirs *judgement) []string {
	var list []string
	say := func(what, counter string, a, b any) {
		list = append(list, fmt.Sprintf("%s: %s: %s: %v, tshark %v", name, what, counter, a, b))
	}
	for _, k := range union(ours.sides, theirs.sides) {
		a, b := ours.sides[k], theirs.sides[k]
		if a == nil || b == nil {
			say(k, "seen", a != nil, b != nil)
			continue
		}
		for _, c := range []struct {
			name string
			a, b int64
		}{
			{"packets", a.packets, b.packets}, {"bytes of packets", a.wireBytes, b.wireBytes}, {"segments", a.segments, b.segments},
			{"retransmissions", a.retransmissions, b.retransmissions}, {"out of order", a.outOfOrder, b.outOfOrder},
			{"duplicate ACKs", a.dupACKs, b.dupACKs}, {"zero windows", a.zeroWindows, b.zeroWindows},
		} {
			if c.a != c.b {
				say(k, c.name, c.a, c.b)
			}
		}
	}
	for _, times := range []struct {
		name string
		a, b map[uint64]time.Duration
	}{{"http.time", ours.http, theirs.http}, {"dns.time", ours.dns, theirs.dns}} {
		for _, frame := range union(times.a, times.b) {
			a, inA := times.a[frame]
			b, inB := times.b[frame]
			switch {
			case !inA:
				say(fmt.Sprintf("response %d", frame), times.name, "none", b)
			case !inB:
				say(fmt.Sprintf("response %d", frame), times.name, a, "none")
			case a != b:
				say(fmt.Sprintf("response %d", frame), times.name, a, b)
			}
		}
	}
	return list
}

// union is all keys of two maps, ascending.
func union[K cmp.Ordered, V any](a, b map[K]V) []K {
	var keys []K
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
