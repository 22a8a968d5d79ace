package memcached

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

type steps = []prototest.Step

var client, server = prototest.Client, prototest.Server

func TestExchanges(t *testing.T) {
	large := "VALUE k 0 5000\r\n" + strings.Repeat("secret..", 625) + "\r\nEND\r\n"
	prototest.Scripts(t, Protocol, []prototest.Script{
		{Name: "too large: the server reads the value and refuses it", Steps: steps{client(1, "set k 0 0 6\r\nsecret\r\n"), server(2, "SERVER_ERROR object too large for cache\r\n")},
			Want: []string{`set "k" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered SERVER_ERROR failed "object too large for cache"`}},
		{Name: "a value that looks like answers", Steps: steps{client(1, "get k\r\n"), server(2, "VALUE k 0 10\r\nEND\r\nEND\r\n\r\nEND\r\n")},
			Want: []string{`get "k" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered rows=1`}},
		{Name: "a value that looks like commands", Steps: steps{client(1, "set k 0 0 12\r\nget x\r\nquit\n\r\nget y\r\n"), server(2, "STORED\r\nEND\r\n")},
			Want: []string{`set "k" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`, `get "y" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered rows=0 depth=2`}},
		{Name: "a quiet command that is answered", Steps: steps{client(1, "mg a v q\r\nmg b v q\r\nmn\r\n"), server(2, "VA 6\r\nsecret\r\n"), server(3, "MN\r\n")},
			Want: []string{`mg "a" q[1-1 #1-1 1p] r[] no answer expected`, `mg "b" q[1-1 #1-1 1p] r[] no answer expected`, `mn "" q[1-1 #1-1 1p] r[2-3 #2-3 2p] answered rows=1`}},
		{Name: "after a quiet command nobody knows whose the answer is", Steps: steps{client(1, "ms a 6 q\r\nsecret\r\nget b\r\n"), server(2, "END\r\n")},
			Want: []string{`ms "a" q[1-1 #1-1 1p] r[] no answer expected`, `get "b" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered rows=0 ambiguous`}},
		{Name: "unknown command", Steps: steps{client(1, "bogus secret\r\n"), server(2, "ERROR\r\n")}, Want: []string{`? "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered ERROR failed ""`}},
		{Name: "lists", Steps: steps{client(1, "lru_crawler metadump all\r\nincr n 1\r\n"), server(2, "key=secret exp=-1\r\nEND\r\n18446744073709551615\r\n")},
			Want: []string{`lru_crawler "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`, `incr "n" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered depth=2`}},
		{Name: "a log is not decoded", Steps: steps{client(1, "get a\r\nwatch fetchers\r\n"), server(2, "OK\r\nts=1 gid=2 type=item_get key=secret\r\n")},
			Want: []string{`get "a" q[1-1 #1-1 1p] r[] unanswered`}},
		{Name: "a part of a value is missing", Uncut: true, Steps: steps{client(1, "get k\r\n"), server(2, large[:2000]), server(3, large[3000:]).After(1000)},
			Want: []string{`get "k" q[1-1 #1-1 1p] r[2-3 #2-3 2p] answered rows=1 lossy`}},
		{Name: "midway", Midway: true, Uncut: true, Steps: steps{server(1, "the rest of a value\r\nEND\r\n"), client(2, "get k\r\n"), server(3, "END\r\n")},
			Want: []string{`get "k" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered rows=0 resync`}},
		{Name: "ends within an answer", Uncut: true, Steps: steps{client(1, "get k\r\n"), server(2, large[:100])},
			Want: []string{`get "k" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered failed "connection ended within the answer" rows=1`}},
		{Name: "not memcached", Steps: steps{client(1, "GET / HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 200 OK\r\n\r\n")}},
	})
}

const file = "testdata/memcached16.pcap"

// The capture holds no word of the values that were written and read.
func TestCapture(t *testing.T) {
	prototest.Golden(t, Protocol, file)
	if found := prototest.Conversations(t, Protocol, file, 1<<20); strings.Contains(found, "secret") {
		t.Errorf("a value is shown:\n%s", found)
	}
}

// TestAgainstTshark compares the commands and the words of answers that tshark knows,
// which are the classic ones, with the packets that end them.
func TestAgainstTshark(t *testing.T) {
	found := map[string]bool{}
	for _, e := range prototest.Exchanges(t, Protocol, file) {
		found[fmt.Sprintf("%d%s", e.Request.Last.Frame, e.Command)] = true
		found[fmt.Sprint(e.Response.Last.Frame)], found[fmt.Sprintf("%d%s", e.Response.Last.Frame, e.Code)] = true, true
	}
	commands, answers := 0, 0
	for _, row := range prototest.Tshark(t, file, "tcp.port==21211,memcache", "memcache", "frame.number", "memcache.command", "memcache.response") {
		switch frame, command, word := row[0], row[1], row[2]; {
		case command == "STAT":
		case command != "":
			commands++
			if !found[frame+command] {
				t.Errorf("frame %s: %s is missing", frame, command)
			}
		case word != "":
			answers++
			if !found[frame] || strings.HasPrefix(word, "NOT_") && !found[frame+word] {
				t.Errorf("frame %s: %s is missing", frame, word)
			}
		}
	}
	if commands < 25 || answers < 15 {
		t.Errorf("tshark knows %d commands and %d answers", commands, answers)
	}
}

func TestSniff(t *testing.T) {
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, "set k 0 0 5\r\nab", proto.Sure},
		{flow.ToServer, "cas k 0 -1 5 77 noreply\r\n", proto.Sure},
		{flow.ToServer, "get a b c\r\n", proto.Likely},
		{flow.ToServer, "mg a v\r\n", proto.Likely},
		{flow.ToServer, "version\r\n", proto.Maybe},
		{flow.ToServer, "get", proto.Maybe},
		{flow.ToServer, "set k one two three\r\n", proto.No},
		{flow.ToServer, "GET / HTTP/1.1\r\n\r\n", proto.No},
		{flow.ToServer, "EHLO mail.example.com\r\n", proto.No},
		{flow.ToServer, "*1\r\n$4\r\nPING\r\n", proto.No},
		{flow.ToServer, "\x80\x00\x00\x05", proto.No},
		{flow.ToClient, "VALUE k 0 5\r\nab", proto.Sure},
		{flow.ToClient, "STORED\r\n", proto.Likely},
		{flow.ToClient, "ERROR\r\n", proto.Maybe},
		{flow.ToClient, "+OK\r\n", proto.No},
		{flow.ToClient, "220 mail.example.com ready\r\n", proto.No},
		{flow.ToClient, "18446744073709551615\r\n", proto.Maybe},
	})
}

func TestOwes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		want  bool
		steps steps
	}{
		{"asked", true, steps{client(1, "get k\r\n")}},
		{"answered", false, steps{client(1, "get k\r\n"), server(2, "END\r\n")}},
		{"asking", false, steps{client(1, "get k\r\nset k 0 0 9\r\nab")}},
		{"answering", false, steps{client(1, "get k\r\n"), server(2, "VALUE k 0 9\r\nab")}},
		{"quiet", false, steps{client(1, "mg k v q\r\n")}},
	} {
		if got := prototest.Owes(Protocol, tt.steps); got != tt.want {
			t.Errorf("%s: owes %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// values in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	f.Add(prototest.Tape(client(0, "set k 0 0 6\r\nsecret\r\nget k\r\n"), server(1, "STORED\r\nVALUE k 0 6\r\nsecret\r\nEND\r\n")), byte(0), false)
	f.Add(prototest.Tape(client(0, "mg a v q\r\nms b 3 q\r\nabc\r\nmn\r\n"), server(1, "VA 6 s6\r\nsecret\r\nMN\r\n").Cutting(3)), byte(3), true)
	f.Add(prototest.Tape(client(0, "stats\r\nincr n 1\r\nbogus\r\nwatch\r\n"), server(1, "STAT a b\r\nEND\r\n12 \r\nERROR\r\n").After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		value := fmt.Sprintf("%d\r\n%s\r\n", len(data), data)
		whole := prototest.Events(steps{
			client(1, "set k 0 0 "+value), server(2, "STORED\r\n"),
			client(3, "get k\r\n"), server(4, "VALUE k 0 "+value+"END\r\n"),
		})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 || !strings.HasPrefix(want[1], `get "k" q`) {
			t.Fatalf("%q; %s", want, diff)
		}
	})
}
