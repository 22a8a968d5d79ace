package redis

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

// say is a command as clients send it; / stands for a line end in server.
func say(at int64, lines ...string) prototest.Step {
	var b strings.Builder
	for _, l := range lines {
		args := strings.Split(l, " ")
		fmt.Fprintf(&b, "*%d\r\n", len(args))
		for _, a := range args {
			fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
		}
	}
	return prototest.Client(at, b.String())
}

func server(at int64, data string) prototest.Step {
	return prototest.Server(at, strings.ReplaceAll(data, "/", "\r\n"))
}

func TestExchanges(t *testing.T) {
	tests := []struct {
		name   string
		steps  steps
		midway bool
		uncut  bool
		want   []string
	}{
		{name: "one by one", steps: steps{
			say(1, "set user:1 alice"), server(2, "+OK/"), say(3, "GET user:1"), server(4, "$5/alice/"), say(5, "get none"), server(6, "$-1/"),
		}, want: []string{
			`SET "user:1" q[1-1 #1-1 1p 0+36] r[2-2 #2-2 1p 0+5] answered`,
			`GET "user:1" q[3-3 #3-3 1p 36+25] r[4-4 #4-4 1p 5+11] answered rows=1`,
			`GET "none" q[5-5 #5-5 1p 61+23] r[6-6 #6-6 1p 16+5] answered rows=0`,
		}},
		{name: "pipelined, with errors", steps: steps{
			say(1, "LRANGE l 0 -1", "INCR l", "AUTH secret"), say(2, "NOSUCH x"),
			server(5, "*3/$1/a/:7/*2/+x/*0/"), server(6, "-WRONGTYPE Operation against/-WRONGPASS bad/-oops/"),
		}, want: []string{
			`LRANGE "l" q[1-1 #1-1 1p 0+38] r[5-5 #3-3 1p 0+27] answered rows=3`,
			`INCR "l" q[1-1 #1-1 1p 38+21] r[6-6 #4-4 1p 27+30] answered WRONGTYPE failed "Operation against" depth=2`,
			`AUTH "" q[1-1 #1-1 1p 59+26] r[6-6 #4-4 1p 57+16] answered WRONGPASS failed "bad" depth=3`,
			`NOSUCH "x" q[2-2 #2-2 1p 85+23] r[6-6 #4-4 1p 73+7] answered failed "oops" depth=4`,
		}},
		{name: "where keys are", steps: steps{
			say(1, "EVAL script 1 k1 arg", "EVALSHA abc 0 secret", "XREAD COUNT 2 STREAMS s1 0", "OBJECT ENCODING ob", "CONFIG SET requirepass x", "ZUNION 2 z1 z2", "JSON.GET doc"),
			server(2, ":1/:1/*-1/+int/+OK/*0/$-1/"),
		}, want: []string{
			`EVAL "k1" q[1-1 #1-1 1p 0+50] r[2-2 #2-2 1p 0+4] answered`,
			`EVALSHA "" q[1-1 #1-1 1p 50+45] r[2-2 #2-2 1p 4+4] answered depth=2`,
			`XREAD "s1" q[1-1 #1-1 1p 95+61] r[2-2 #2-2 1p 8+5] answered rows=0 depth=3`,
			`OBJECT ENCODING "ob" q[1-1 #1-1 1p 156+38] r[2-2 #2-2 1p 13+6] answered depth=4`,
			`CONFIG SET "" q[1-1 #1-1 1p 194+50] r[2-2 #2-2 1p 19+5] answered depth=5`,
			`ZUNION "z1" q[1-1 #1-1 1p 244+39] r[2-2 #2-2 1p 24+4] answered rows=0 depth=6`,
			`JSON.GET "doc" q[1-1 #1-1 1p 283+27] r[2-2 #2-2 1p 28+5] answered rows=0 depth=7`,
		}},
		{name: "RESP3", steps: steps{
			say(1, "HELLO 3", "A", "B", "C", "D", "E", "F", "G"),
			server(2, "%2/+server/$5/redis/+proto/:3/"),
			server(3, "|1/+popularity/%1/$1/a/,0.19/*2/:1/:2/"),
			server(4, "~2/"), server(5, "+a/#t/"),
			server(6, ">2/$10/invalidate/*1/$1/k/=15/txt:Some string/"),
			server(7, "!21/SYNTAX invalid syntax/(3492890328409238509324850943850943825024385/"),
			server(8, "$?/;4/Hell/;5/o wor/;0/"), server(9, "*?/:1/*2/_/,inf/./"),
		}, want: []string{
			`HELLO "" q[1-1 #1-1 1p 0+22] r[2-2 #2-2 1p 0+36] answered rows=2`,
			`A "" q[1-1 #1-1 1p 22+11] r[3-3 #3-3 1p 36+47] answered rows=2 depth=2`,
			`B "" q[1-1 #1-1 1p 33+11] r[4-5 #4-5 2p 83+12] answered rows=2 depth=3`,
			`C "" q[1-1 #1-1 1p 44+11] r[6-6 #6-6 1p 127+22] answered rows=1 depth=4`,
			`D "" q[1-1 #1-1 1p 55+11] r[7-7 #7-7 1p 149+28] answered SYNTAX failed "invalid syntax" depth=5`,
			`E "" q[1-1 #1-1 1p 66+11] r[7-7 #7-7 1p 177+46] answered depth=6`,
			`F "" q[1-1 #1-1 1p 77+11] r[8-8 #8-8 1p 223+29] answered depth=7`,
			`G "" q[1-1 #1-1 1p 88+11] r[9-9 #9-9 1p 252+24] answered depth=8`,
		}},
		{name: "transaction", steps: steps{
			say(1, "MULTI"), server(2, "+OK/"), say(3, "SET b 2"), server(4, "+QUEUED/"), say(5, "GET b"), server(6, "+QUEUED/"),
			say(7, "EXEC"), server(9, "*2/+OK/$1/2/"),
		}, want: []string{
			`MULTI "" q[1-1 #1-1 1p 0+15] r[2-2 #2-2 1p 0+5] answered`,
			`SET "b" q[3-3 #3-3 1p 15+27] r[4-4 #4-4 1p 5+9] answered QUEUED`,
			`GET "b" q[5-5 #5-5 1p 42+20] r[6-6 #6-6 1p 14+9] answered QUEUED`,
			`EXEC "" q[7-7 #7-7 1p 62+14] r[9-9 #8-8 1p 23+16] answered rows=2`,
		}},
		{name: "the server is asked to wait", steps: steps{
			say(1, "BLPOP q 0"), server(900, "*2/$1/q/$1/v/"), say(901, "GET a"), server(902, "$-1/"),
			say(903, "BLMPOP 5 2 q r LEFT"), server(904, "*-1/"), say(905, "WAIT 1 100", "GET a"), server(950, ":1/"), say(951, "GET b"), server(952, "$-1/$-1/"),
			say(953, "brpop s 1"), server(954, "-WRONGTYPE no list/"),
		}, want: []string{
			`BLPOP "q" q[1-1 #1-1 1p 0+29] r[900-900 #2-2 1p 0+18] answered rows=2 blocking`,
			`GET "a" q[901-901 #3-3 1p 29+20] r[902-902 #4-4 1p 18+5] answered rows=0`,
			`BLMPOP "q" q[903-903 #5-5 1p 49+54] r[904-904 #6-6 1p 23+5] answered rows=0 blocking`,
			`WAIT "" q[905-905 #7-7 1p 103+30] r[950-950 #8-8 1p 28+4] answered blocking`,
			`GET "a" q[905-905 #7-7 1p 133+20] r[952-952 #10-10 1p 32+5] answered rows=0 depth=2 blocking`,
			`GET "b" q[951-951 #9-9 1p 153+20] r[952-952 #10-10 1p 37+5] answered rows=0 depth=2`,
			`BRPOP "s" q[953-953 #11-11 1p 173+29] r[954-954 #12-12 1p 42+20] answered WRONGTYPE failed "no list" blocking`,
		}},
		{name: "streams are waited for with BLOCK only", steps: steps{
			say(1, "XREAD BLOCK 0 STREAMS s $"), server(900, "*0/"), say(901, "XREADGROUP GROUP g c COUNT 1 BLOCK 5 STREAMS s >"), server(905, "*-1/"),
			say(906, "XREADGROUP GROUP block streams COUNT 1 STREAMS s >"), server(907, "*0/"), say(908, "XREAD STREAMS block 0"), server(909, "*0/"),
		}, want: []string{
			`XREAD "s" q[1-1 #1-1 1p 0+60] r[900-900 #2-2 1p 0+4] answered rows=0 blocking`,
			`XREADGROUP "s" q[901-901 #3-3 1p 60+110] r[905-905 #4-4 1p 4+5] answered rows=0 blocking`,
			`XREADGROUP "s" q[906-906 #5-5 1p 170+101] r[907-907 #6-6 1p 9+4] answered rows=0`,
			`XREAD "block" q[908-908 #7-7 1p 271+46] r[909-909 #8-8 1p 13+4] answered rows=0`,
		}},
		{name: "within a transaction nothing waits", steps: steps{
			say(1, "MULTI", "BLPOP q 0", "EXEC"), server(2, "+OK/+QUEUED/*1/*-1/"), say(3, "BLPOP q 0"),
		}, want: []string{
			`MULTI "" q[1-1 #1-1 1p 0+15] r[2-2 #2-2 1p 0+5] answered`,
			`BLPOP "q" q[1-1 #1-1 1p 15+29] r[2-2 #2-2 1p 5+9] answered QUEUED depth=2`,
			`EXEC "" q[1-1 #1-1 1p 44+14] r[2-2 #2-2 1p 14+9] answered rows=1 depth=3`,
			`BLPOP "q" q[3-3 #3-3 1p 58+29] r[] unanswered blocking`,
		}},
		{name: "inline", steps: steps{
			prototest.Client(1, "SET k  v\r\n\r\nping\nGET k\r\n"), server(2, "+OK/+PONG/$1/v/"),
		}, want: []string{
			`SET "k" q[1-1 #1-1 1p 0+10] r[2-2 #2-2 1p 0+5] answered`,
			`PING "" q[1-1 #1-1 1p 12+5] r[2-2 #2-2 1p 5+7] answered depth=2`,
			`GET "k" q[1-1 #1-1 1p 17+7] r[2-2 #2-2 1p 12+7] answered rows=1 depth=3`,
		}},
		{name: "CLIENT REPLY", steps: steps{
			say(1, "CLIENT REPLY SKIP", "SET q 1", "GET q", "CLIENT REPLY OFF", "SET q 2", "CLIENT REPLY ON", "GET q"),
			server(2, "$1/1/+OK/$1/2/"),
		}, want: []string{
			`CLIENT REPLY "" q[1-1 #1-1 1p 0+37] r[] no answer expected`,
			`SET "q" q[1-1 #1-1 1p 37+27] r[] no answer expected`,
			`CLIENT REPLY "" q[1-1 #1-1 1p 84+36] r[] no answer expected depth=2`,
			`SET "q" q[1-1 #1-1 1p 120+27] r[] no answer expected depth=2`,
			`GET "q" q[1-1 #1-1 1p 64+20] r[2-2 #2-2 1p 0+7] answered rows=1`,
			`CLIENT REPLY "" q[1-1 #1-1 1p 147+35] r[2-2 #2-2 1p 7+5] answered depth=2`,
			`GET "q" q[1-1 #1-1 1p 182+20] r[2-2 #2-2 1p 12+7] answered rows=1 depth=3`,
		}},
		{name: "channels in RESP2", steps: steps{
			say(1, "SUBSCRIBE one two"), server(2, "*3/$9/subscribe/$3/one/:1/"), server(3, "*3/$7/message/$3/one/$2/hi/*3/$9/subscribe/$3/two/:2/"),
			say(4, "PSUBSCRIBE p*"), server(5, "*3/$10/psubscribe/$2/p*/:3/"),
			server(6, "*4/$8/pmessage/$2/p*/$2/pa/$2/hi/"),
			say(7, "PING"), server(8, "*2/$4/pong/$0//"),
			say(9, "UNSUBSCRIBE"), server(10, "*3/$11/unsubscribe/$3/one/:2/"), server(11, "*3/$11/unsubscribe/$3/two/:1/"),
			say(12, "PUNSUBSCRIBE p* q*"), server(13, "*3/$12/punsubscribe/$2/p*/:0/"), server(14, "*3/$12/punsubscribe/$2/q*/:0/"),
			say(15, "UNSUBSCRIBE"), server(16, "*3/$11/unsubscribe/$-1/:0/"),
			say(17, "GET k"), server(18, "*0/"),
		}, want: []string{
			`SUBSCRIBE "one" q[1-1 #1-1 1p 0+37] r[2-3 #2-3 2p 0+98] answered`,
			`PSUBSCRIBE "p*" q[4-4 #4-4 1p 37+29] r[5-5 #5-5 1p 98+33] answered`,
			`PING "" q[7-7 #7-7 1p 66+14] r[8-8 #8-8 1p 173+20] answered rows=2`,
			`UNSUBSCRIBE "" q[9-9 #9-9 1p 80+22] r[10-11 #10-11 2p 193+70] answered`,
			`PUNSUBSCRIBE "p*" q[12-12 #12-12 1p 102+39] r[13-14 #13-14 2p 263+70] answered`,
			`UNSUBSCRIBE "" q[15-15 #15-15 1p 141+22] r[16-16 #16-16 1p 333+31] answered`,
			`GET "k" q[17-17 #17-17 1p 163+20] r[18-18 #18-18 1p 364+4] answered rows=0`,
		}},
		{name: "channels in RESP3", steps: steps{
			say(1, "SUBSCRIBE one", "GET k"), server(2, ">3/$9/subscribe/$3/one/:1/$1/v/"), server(3, ">3/$7/message/$3/one/$2/hi/"),
		}, want: []string{
			`SUBSCRIBE "one" q[1-1 #1-1 1p 0+28] r[2-2 #2-2 1p 0+32] answered`,
			`GET "k" q[1-1 #1-1 1p 28+20] r[2-2 #2-2 1p 32+7] answered rows=1 depth=2`,
		}},
		{name: "monitor", steps: steps{
			say(1, "MONITOR"), server(2, "+OK/"), server(3, "+1700000000.123 [0 127.0.0.1:1] \"PING\"/"), server(4, "+1700000001.1 x/"),
			say(5, "RESET"), server(6, "+1700000002.1 x/+RESET/"),
		}, want: []string{
			`MONITOR "" q[1-1 #1-1 1p 0+17] r[2-2 #2-2 1p 0+5] answered`,
			`RESET "" q[5-5 #5-5 1p 17+15] r[6-6 #6-6 1p 79+8] answered`,
		}},
		{name: "replication", steps: steps{
			say(1, "REPLCONF listening-port 1"), server(2, "+OK/"), say(3, "PSYNC ? -1"), server(4, "\n\n+FULLRESYNC abc 0/$9/REDIS0011"),
			say(5, "REPLCONF ACK 1"), server(6, "*1/$4/PING/"),
		}, want: []string{
			`REPLCONF "" q[1-1 #1-1 1p 0+46] r[2-2 #2-2 1p 0+5] answered`,
			`PSYNC "" q[3-3 #3-3 1p 46+30] r[4-4 #4-4 1p 7+19] answered`,
		}},
		{name: "snap length within a value", steps: steps{
			prototest.Client(1, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100\r\nvv").Cutting(100), server(2, "+OK/"),
			say(3, "GET k"), server(4, "$100/vv").Cutting(100), say(5, "PING"), server(6, "+PONG/"),
		}, want: []string{
			`SET "k" q[1-1 #1-1 1p 0+128] r[2-2 #2-2 1p 0+5] answered`,
			`GET "k" q[3-3 #3-3 1p 128+20] r[4-4 #4-4 1p 5+108] answered rows=1`,
			`PING "" q[5-5 #5-5 1p 148+14] r[6-6 #6-6 1p 113+7] answered`,
		}},
		{name: "snap length within a list", uncut: true, steps: steps{
			say(1, "LRANGE l 0 9"), server(2, "*9/$100/vv").Cutting(900), server(3, "more"),
			say(4, "PING"), server(5, "+PONG/"), say(6, "PING"), server(7, "+PONG/"),
		}, want: []string{
			`LRANGE "l" q[1-1 #1-1 1p 0+37] r[2-3 #2-3 2p 0+916] answered rows=9 lossy resync`,
			`PING "" q[4-4 #4-4 1p 37+14] r[5-5 #5-5 1p 916+7] answered resync`,
			`PING "" q[6-6 #6-6 1p 51+14] r[7-7 #7-7 1p 923+7] answered`,
		}},
		{name: "midway", midway: true, uncut: true, steps: steps{
			server(0, "tail/"), say(1, "GET a"), server(2, "$1/v/"), say(3, "GET b"), server(4, "$1/v/"),
		}, want: []string{
			`GET "a" q[1-1 #2-2 1p 0+20] r[2-2 #3-3 1p 6+7] answered rows=1 resync`,
			`GET "b" q[3-3 #4-4 1p 20+20] r[4-4 #5-5 1p 13+7] answered rows=1`,
		}},
		{name: "not Redis", steps: steps{prototest.Client(1, "\x16\x03\x01"), server(2, "\x00\x01")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			whole := prototest.Events(tt.steps)
			got := prototest.Run(Protocol, whole, tt.midway, flow.Finished)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Fatal(diff)
			}
			for n := 1; n < 40 && !tt.uncut; n++ {
				got := prototest.Run(Protocol, prototest.Recut(whole, n), tt.midway, flow.Finished)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Fatalf("cut into pieces of %d: %s", n, diff)
				}
			}
		})
	}
}

func TestCapture(t *testing.T) { prototest.Golden(t, Protocol, "testdata/redis7.pcap") }

func TestSniff(t *testing.T) {
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, "*1\r\n$4\r\nPING\r\n", proto.Sure},
		{flow.ToServer, "*1", proto.Maybe},
		{flow.ToServer, "PING\r\n", proto.Maybe},
		{flow.ToServer, "GET / HTTP/1.1\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02", proto.No},
		{flow.ToServer, "*x", proto.No},
		{flow.ToServer, "howdy\r\n", proto.No},
		{flow.ToServer, "info memory\r\n", proto.Maybe},
		{flow.ToServer, "GE", proto.Maybe},
		{flow.ToClient, "+OK\r\n", proto.Likely},
		{flow.ToClient, "+OK POP3 ready\r\n", proto.Maybe},
		{flow.ToClient, ":12\r\n", proto.Likely},
		{flow.ToClient, "$5\r\nhello\r\n", proto.Likely},
		{flow.ToClient, ":x\r\n", proto.No},
		{flow.ToClient, "hello\r\n", proto.No},
		{flow.ToClient, "\x4a\x00\x00\x00\x0a8.0", proto.No},
		{flow.ToClient, "\x16\x03\x03", proto.No},
		{flow.ToClient, "SSH-2.0", proto.No},
	})
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// strings in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	client := prototest.Client
	f.Add(prototest.Tape(client(0, "*1\r\n$4\r\nPING\r\n"), server(1, "+PONG\r\n"), server(2, ">2\r\n$7\r\nmessage\r\n:1\r\n")), byte(0), false)
	f.Add(prototest.Tape(client(0, "SUBSCRIBE a b\r\n"), server(1, "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"),
		server(2, "|1\r\n+a\r\n%1\r\n+b\r\n_\r\n$?\r\n;1\r\nx\r\n;0\r\n")), byte(3), true)
	f.Add(prototest.Tape(client(0, "*2\r\n$4\r\nECHO\r\n$100\r\nx"), client(1, "*1\r\n").Cutting(4), server(2, "*?\r\n!3\r\nERR\r\n.\r\n").Cutting(5),
		server(3, "$-1\r\n").After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		text := string(data)
		whole := prototest.Events(steps{
			prototest.Client(1, fmt.Sprintf("*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\nPING\r\n", len(text), text, len(text), text)),
			prototest.Server(2, fmt.Sprintf("*2\r\n$%d\r\n%s\r\n+x\r\n+PONG\r\n", len(text), text)),
		})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 {
			t.Fatalf("%d exchanges; %s", len(want), diff)
		}
	})
}

func benchmark(b *testing.B, depth int, ask, answer string) {
	q := flow.Chunk{Data: []byte(strings.Repeat(ask, depth))}
	r := flow.Chunk{Data: []byte(strings.Repeat(answer, depth)), Dir: flow.ToClient}
	var n counter
	p := Protocol.New(&n, false)
	b.ReportAllocs()
	for i := 0; i < b.N; i += depth {
		q.At++
		q.Frame++
		p.Data(&q)
		q.Offset += uint64(len(q.Data))
		r.At, r.Frame = q.At, q.Frame
		p.Data(&r)
		r.Offset += uint64(len(r.Data))
	}
	if int(n) < b.N {
		b.Fatalf("%d exchanges of %d", n, b.N)
	}
}

func BenchmarkGET(b *testing.B) {
	benchmark(b, 1, "*2\r\n$3\r\nGET\r\n$8\r\nkey:1234\r\n", "$10\r\n0123456789\r\n")
}

func BenchmarkPipelinedSET(b *testing.B) {
	benchmark(b, 50, "*3\r\n$3\r\nSET\r\n$8\r\nkey:1234\r\n$10\r\n0123456789\r\n", "+OK\r\n")
}

type counter int

func (n *counter) Exchange(e *proto.Exchange) {
	if e.Status == proto.Answered && len(e.Text) == 8 {
		*n++
	}
}
