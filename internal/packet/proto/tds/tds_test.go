package tds

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

type steps = []prototest.Step

var client, server = prototest.Client, prototest.Server

func u16(n int) string    { return string(binary.LittleEndian.AppendUint16(nil, uint16(n))) }
func u32(n int) string    { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
func u64(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }

func wide(s string) (all string) {
	for _, c := range utf16.Encode([]rune(s)) {
		all += u16(int(c))
	}
	return all
}

// packets is a message in packets of at most room bytes of body.
func packets(kind byte, room int, body string) (all string) {
	for number := byte(1); ; number++ {
		part := body[:min(room, len(body))]
		body = body[len(part):]
		status := byte(0)
		if body == "" {
			status = lastPacket
		}
		all += string([]byte{kind, status}) + string(binary.BigEndian.AppendUint16(nil, uint16(len(part)+headerSize))) + "\x00\x00" + string([]byte{number, 0}) + part
		if body == "" {
			return all
		}
	}
}

var headers = u32(22) + u32(18) + u16(2) + strings.Repeat("\x00", 8) + u32(1)

func sql(text string) string { return packets(batch, 4000, headers+wide(text)) }

func answerOf(tokens ...string) string { return packets(result, 4000, strings.Join(tokens, "")) }

func doneOf(token byte, status, rows int) string {
	return string([]byte{token}) + u16(status) + u16(0xc1) + u64(uint64(rows))
}

func fault(number int, severity byte, words string) string {
	body := u32(number) + "\x01" + string([]byte{severity}) + u16(len(words)) + wide(words) + "\x00\x00" + u32(1)
	return "\xaa" + u16(len(body)) + body
}

func param(kind byte, value string) string {
	switch kind {
	case intN:
		return "\x00\x00\x26\x04\x04" + value
	default:
		return "\x02" + wide("@p") + "\x00" + string([]byte{kind}) + u16(8000) + "\x09\x04\xd0\x00\x34" + u16(len(value)) + value
	}
}

func rpc(number int, params ...string) string {
	return packets(procedure, 4000, headers+u16(0xffff)+u16(number)+u16(0)+strings.Join(params, ""))
}

func hello() string {
	return packets(prelogin, 4000, "\x00\x00\x0b\x00\x06\x01\x00\x11\x00\x01\xff"+"\x00\x00\x00\x00\x00\x00\x02")
}

func loginOf(version int) string {
	return packets(login, 4000, u32(94)+u32(version)+strings.Repeat("\x00", 80)+wide("secret")[:6])
}

func TestExchanges(t *testing.T) {
	rows := string([]byte{metadata}) + u16(1) + strings.Repeat("secret", 2000)
	fine := answerOf(rows, doneOf(done, counted, 7))
	record := "\x17\x03\x03\x00\x30" + strings.Repeat("x", 48)
	big := "select '" + strings.Repeat("x", 6000) + "'"
	prototest.Scripts(t, Protocol, []prototest.Script{
		{Name: "a login and a statement of several packets", Steps: steps{client(1, hello()), server(2, packets(result, 4000, "\x00\x00\x06\x00\x06\xff\x10\x00\x00\x00\x00\x00")),
			client(3, loginOf(0x74000004)), server(4, answerOf("\xad"+u16(4)+"abcd", doneOf(done, 0, 0))), client(5, sql("select 1")), server(6, fine[:3000]), server(7, fine[3000:])},
			Want: []string{`Prelogin "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`, `Login "" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`, `Query "select 1" q[5-5 #5-5 1p] r[6-7 #6-7 2p] answered rows=7`}},
		{Name: "a long statement", Steps: steps{client(1, sql(big)), server(2, answerOf(doneOf(done, 0, 0)))},
			Want: []string{`Query "` + big[:(maxPrefix-len(headers))/2] + `"... q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`}},
		{Name: "letters of all sizes", Steps: steps{client(1, sql("select 'ä€😀'")), server(2, answerOf(doneOf(done, 0, 0)))},
			Want: []string{`Query "select 'ä€😀'" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`}},
		{Name: "an error", Steps: steps{client(1, sql("select x")), server(2, answerOf(fault(5701, 10, "told"), fault(207, 16, "Invalid column name 'x'."), doneOf(done, hasFailed, 0)))},
			Want: []string{`Query "select x" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 207 failed "Invalid column name 'x'."`}},
		{Name: "an error behind rows", Steps: steps{client(1, sql("select 1/0")), server(2, answerOf(rows, fault(8134, 16, "Divide by zero"), doneOf(done, hasFailed, 0)))},
			Want: []string{`Query "select 1/0" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered failed ""`}},
		{Name: "procedures", Steps: steps{client(1, rpc(executeSQL, param(nvarchar, wide("select @p")), param(nvarchar, wide("@p int")), param(intN, "secr"))),
			server(2, answerOf(rows, doneOf(doneInProc, more|counted, 3), "\x79"+u32(0), doneOf(doneProc, 0, 0))),
			client(3, rpc(prepexec, param(intN, "\x01\x00\x00\x00"), param(nvarchar, wide("@p int")), param(nvarchar, wide("select 2")))), server(4, answerOf(doneOf(doneProc, 0, 0))),
			client(5, rpc(12, param(intN, "\x01\x00\x00\x00"))), server(6, answerOf(doneOf(doneProc, 0, 0))),
			client(7, packets(procedure, 4000, headers+u16(7)+wide("dbo.Pay")+u16(0)+param(nvarchar, wide("secret")))), server(8, answerOf("\x79"+u32(0), doneOf(doneProc, 0, 0)))},
			Want: []string{`Execute "select @p" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered rows=3`, `Execute "select 2" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`,
				`Execute "" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered`, `EXEC "dbo.Pay" q[7-7 #7-7 1p] r[8-8 #8-8 1p] answered`}},
		{Name: "given up", Steps: steps{client(1, sql("select slow")), client(2, packets(attention, 4000, "")), server(3, answerOf(doneOf(done, stopped, 0))), client(4, sql("select 1")), server(5, answerOf(doneOf(done, counted, 1)))},
			Want: []string{`Query "select slow" q[1-1 #1-1 1p] r[3-3 #3-3 1p] answered CANCELLED failed ""`, `Query "select 1" q[4-4 #4-4 1p] r[5-5 #5-5 1p] answered rows=1`}},
		{Name: "given up too late", Steps: steps{client(1, sql("select 1")), server(2, answerOf(doneOf(done, counted, 1))), client(3, packets(attention, 4000, "")), server(4, answerOf(doneOf(done, stopped, 0))), client(5, sql("select 2"))},
			Want: []string{`Query "select 1" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered rows=1`, `Query "select 2" q[5-5 #5-5 1p] r[] unanswered`}},
		{Name: "transactions", Steps: steps{client(1, packets(transaction, 4000, headers+u16(7)+"\x00\x00")), server(2, answerOf(doneOf(done, 0, 0)))},
			Want: []string{`COMMIT "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`}},
		{Name: "before TDS 7.2", Steps: steps{client(1, loginOf(0x71000001)), server(2, answerOf("\xfd\x00\x00\x00\x00"+u32(0))), client(3, packets(batch, 4000, wide("select 1"))), server(4, answerOf(rows, "\xfd\x10\x00\xc1\x00"+u32(5)))},
			Want: []string{`Login "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`, `Query "select 1" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered rows=5`}},
		{Name: "a login within TLS", Uncut: true, Steps: steps{client(1, packets(prelogin, 4000, "\x16\x03\x01\x00\x05hello")), server(2, packets(prelogin, 4000, "\x16\x03\x03\x00\x05hello")), client(3, record), client(4, record),
			server(5, answerOf(doneOf(done, 0, 0))), client(6, sql("select 1")), server(7, answerOf(doneOf(done, 0, 0)))},
			Want: []string{`Prelogin "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`, `Login "" q[3-4 #3-4 2p] r[5-5 #5-5 1p] answered`, `Query "select 1" q[6-6 #6-6 1p] r[7-7 #7-7 1p] answered`}},
		{Name: "all within TLS", Uncut: true, Steps: steps{client(1, packets(prelogin, 4000, "\x16\x03\x01\x00\x05hello")), server(2, packets(prelogin, 4000, "\x16\x03\x03\x00\x05hello")), client(3, record),
			server(4, record), client(5, record), server(6, record)},
			Want: []string{`Prelogin "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`, `TLS "" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered approximate resync`}},
		{Name: "midway", Midway: true, Uncut: true, Steps: steps{server(1, "the rest of rows"), client(2, sql("select 1")), server(3, answerOf(doneOf(done, 0, 0)))},
			Want: []string{`Query "select 1" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered`}},
		{Name: "rows are missing", Uncut: true, Steps: steps{client(1, sql("select 1")), server(2, fine[:100]), server(3, fine[200:]).After(100)},
			Want: []string{`Query "select 1" q[1-1 #1-1 1p] r[2-3 #2-3 2p] answered rows=7 lossy`}},
		{Name: "not TDS", Steps: steps{client(1, "GET / HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 200 OK\r\n\r\n")}},
	})
}

const file = "testdata/mock.pcap"

// Statements are kept as they were sent; what procedures and logins are given is not.
func TestCapture(t *testing.T) {
	prototest.Golden(t, Protocol, file)
	for _, line := range strings.Split(prototest.Conversations(t, Protocol, file, 1<<20), "\n") {
		if strings.Contains(line, "secret") && !strings.HasPrefix(line, "Query ") {
			t.Errorf("a value is shown: %s", line)
		}
	}
}

// TestAgainstTshark compares messages in order: the packets of requests, but for Attention,
// and of their answers.
func TestAgainstTshark(t *testing.T) {
	waiting := map[string]string{}
	var want []string
	for _, row := range prototest.Tshark(t, file, "tcp.port==11433,tds", "tds", "frame.number", "tcp.stream", "tds.type", "tds.length") {
		frame, stream := row[0], row[1]
		switch row[2] {
		case "4":
			if asked, ok := waiting[stream]; ok {
				want = append(want, fmt.Sprintf("%s %s+%s", asked, frame, row[3]))
			}
			delete(waiting, stream)
		case "6":
		default:
			waiting[stream] = frame + "+" + row[3]
		}
	}
	var got []string
	for _, e := range prototest.Exchanges(t, Protocol, file) {
		got = append(got, fmt.Sprintf("%d+%d %d+%d", e.Request.First.Frame, e.Request.Bytes(), e.Response.Last.Frame, e.Response.Bytes()))
	}
	prototest.Agree(t, file, want, got, 30)
}

func TestSniff(t *testing.T) {
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, hello(), proto.Sure},
		{flow.ToServer, hello()[:9], proto.Maybe},
		{flow.ToServer, loginOf(0x74000004), proto.Sure},
		{flow.ToServer, loginOf(0x05000000), proto.No},
		{flow.ToServer, sql("select 1"), proto.Sure},
		{flow.ToServer, packets(batch, 4000, wide("select 1")), proto.Likely},
		{flow.ToServer, packets(attention, 4000, ""), proto.Likely},
		{flow.ToServer, answerOf(doneOf(done, 0, 0)), proto.No},
		{flow.ToClient, sql("select 1"), proto.No},
		{flow.ToClient, answerOf(doneOf(done, 0, 0)), proto.Likely},
		{flow.ToClient, answerOf(doneOf(done, 0, 0))[:10], proto.Maybe},
		{flow.ToClient, answerOf("\x01\x02\x03"), proto.No},
		{flow.ToServer, "\x12", proto.Maybe},
		{flow.ToServer, "G", proto.No},
		{flow.ToServer, "GET / HTTP/1.1\r\n\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaa", proto.No},
	})
}

// What asks still or is answered is owed nothing.
func TestOwes(t *testing.T) {
	ask := sql("select 1")
	for _, tt := range []struct {
		name  string
		want  bool
		steps steps
	}{
		{"asked", true, steps{client(1, ask)}},
		{"asking", false, steps{client(1, ask[:20])}},
		{"asking for more", false, steps{client(1, ask+packets(batch, 9, headers)[:17])}},
		{"answering", false, steps{client(1, ask), server(2, answerOf(doneOf(done, 0, 0))[:9])}},
		{"answered", false, steps{client(1, ask), server(2, answerOf(doneOf(done, 0, 0)))}},
	} {
		if got := prototest.Owes(Protocol, tt.steps); got != tt.want {
			t.Errorf("%s: owes %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// parameters and rows in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	f.Add(prototest.Tape(client(0, hello()+loginOf(0x74000004)+sql("select 1")), server(1, answerOf(fault(208, 16, "x"), doneOf(done, hasFailed, 0)))), byte(0), false)
	f.Add(prototest.Tape(client(0, rpc(prepexec, param(intN, "abcd"), param(nvarchar, "ab"), param(nvarchar, wide("select 2")))), server(1, answerOf(doneOf(doneProc, 0, 0))).Cutting(3)), byte(3), true)
	f.Add(prototest.Tape(client(0, "\x17\x03\x03\x00\x05hello"), server(1, "\x17\x03\x03\x00\x05hello"), client(2, packets(attention, 1, "")), server(3, answerOf(doneOf(done, stopped, 0))).After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		data = data[:min(len(data), 60000)]
		whole := prototest.Events(steps{
			client(1, rpc(executeSQL, param(nvarchar, wide("select @p")), string(data))),
			server(2, answerOf(string(data), doneOf(done, 0, 0))),
		})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 1 || !strings.HasPrefix(want[0], `Execute "select @p" q`) {
			t.Fatalf("%q; %s", want, diff)
		}
	})
}
