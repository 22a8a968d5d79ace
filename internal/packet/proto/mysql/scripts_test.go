package mysql

import (
	"strings"

	"github.com/klauspost/compress/zstd"

	"rtrail/internal/packet/proto/prototest"
)

func scripts() []script {
	q := func(s string) string { return pkt(0, "\x03"+s) }
	open := func(caps uint64, steps ...prototest.Step) []prototest.Step { return append(opening(caps), steps...) }
	return []script{
		{name: "login is no exchange", steps: open(caps41)},
		{name: "text query, EOF packets", steps: open(caps41,
			client(10, q("select 1")), server(20, oldSet(1, eofBody, "\x011", "\x012"))),
		},
		{name: "text query, no EOF packets", steps: open(caps41|capDeprecateEOF,
			client(10, q("select 1")), server(20, newSet(1, "\x011", "\x012"))),
		},
		{name: "error, then ok", steps: open(caps41,
			client(10, q("select * from t")), server(20, pkt(1, "\xff\x7a\x04#42S02Table 'd.t' doesn't exist")),
			client(30, q("set x=1")), server(40, pkt(1, okBody))),
		},
		{name: "several results", steps: open(caps41,
			client(10, q("select 1; select 2; set x=1")),
			server(20, oldSet(1, more, "\x011")), server(25, oldSet(6, more, "\x012", "\x013")), server(30, pkt(12, okBody))),
		},
		{name: "error in the middle of rows", steps: open(caps41,
			client(10, q("select 1")), server(20, pkt(1, "\x01")+pkt(2, column)+pkt(3, eofBody)+pkt(4, "\x011")+pkt(5, "\xff\x25\x05#70100interrupted"))),
		},
		{name: "prepare, execute, close", steps: open(caps41,
			client(10, pkt(0, "\x16select ?")), server(20, pkt(1, "\x00\x07\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00")+pkt(2, column)+pkt(3, eofBody)+pkt(4, column)+pkt(5, eofBody)),
			client(30, pkt(0, "\x17\x07\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00")), server(40, oldSet(1, eofBody, "\x00\x00\x01")),
			client(50, pkt(0, "\x19\x07\x00\x00\x00")),
			client(60, pkt(0, "\x17\x07\x00\x00\x00\x00\x01\x00\x00\x00")), server(70, pkt(1, "\xff\xdb\x04#HY000Unknown prepared statement handler"))),
		},
		{name: "cursor and fetch", steps: open(caps41,
			client(10, pkt(0, "\x16select 1")), server(20, pkt(1, "\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00")+pkt(2, column)+pkt(3, eofBody)),
			client(30, pkt(0, "\x17\x01\x00\x00\x00\x01\x01\x00\x00\x00")), server(40, pkt(1, "\x01")+pkt(2, column)+pkt(3, "\xfe\x00\x00\x42\x00")),
			client(50, pkt(0, "\x1c\x01\x00\x00\x00\x02\x00\x00\x00")), server(60, pkt(1, "\x00\x00\x01")+pkt(2, "\x00\x00\x02")+pkt(3, "\xfe\x00\x00\x82\x00"))),
		},
		{name: "local infile", steps: open(caps41,
			client(10, q("load data local infile 'f' into table t")), server(20, pkt(1, "\xfbf")),
			client(30, pkt(2, "1\n2\n")), client(40, pkt(3, "")), server(50, pkt(4, okBody)),
			client(60, q("select 1")), server(70, oldSet(1, eofBody))),
		},
		{name: "local infile behind another result", steps: open(caps41,
			client(10, q("do 1; load data local infile 'f' into table t")), server(20, pkt(1, "\x00\x00\x00\x0a\x00\x00\x00")+pkt(2, "\xfbf")),
			client(30, pkt(3, "1\n2\n")+pkt(4, "")), server(50, pkt(5, okBody))),
		},
		{name: "local infile with reports of progress", steps: open(caps41,
			client(10, q("load data local infile 'f' into table t")), server(20, pkt(1, "\xfbf")),
			client(30, pkt(2, "1\n2\n")), server(35, pkt(3, "\xff\xff\xff\x01\x01\x01\x00\x00\x00\x00")), client(40, pkt(4, "")),
			server(45, pkt(5, "\xff\xff\xff\x01\x01\x01\x00\x00\x00\x00")), server(50, pkt(6, okBody))),
		},
		{name: "local infile that is empty, and one that fails", steps: open(caps41,
			client(10, q("load data local infile 'f' into table t")), server(20, pkt(1, "\xfbf")), client(30, pkt(2, "")), server(40, pkt(3, okBody)),
			client(50, q("load data local infile 'g' into table t")), server(60, pkt(1, "\xfbg")),
			client(70, pkt(2, "1\n")+pkt(3, "")), server(80, pkt(4, "\xff\x01\x04#42000no"))),
		},
		{name: "local infile of which a part is missing, or cut off", steps: open(caps41,
			client(10, q("load data local infile 'f' into table t")), server(20, pkt(1, "\xfbf")),
			client(30, pkt(2, "1\n2\n3\n")[:6]), client(40, pkt(3, "")).After(4), server(50, pkt(4, okBody)),
			client(60, q("load data local infile 'f' into table t")), server(70, pkt(1, "\xfbf")),
			client(80, pkt(2, "1\n2\n3\n")[:6]).Cutting(4), client(90, pkt(3, "")), server(95, pkt(4, okBody))),
		},
		{name: "local infile that ends with its connection", steps: open(caps41,
			client(10, q("load data local infile 'f' into table t")), server(20, pkt(1, "\xfbf")), client(30, pkt(2, "1\n2\n"))),
		},
		{name: "prepare and execute sent together", steps: open(caps41|capDeprecateEOF,
			client(10, pkt(0, "\x16insert 1")+pkt(0, "\x17\xff\xff\xff\xff\x00\x01\x00\x00\x00")),
			server(20, pkt(1, "\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")), server(30, pkt(1, okBody))),
		},
		{name: "small commands", steps: open(caps41,
			client(10, pkt(0, "\x0e")), server(11, pkt(1, okBody)),
			client(20, pkt(0, "\x09")), server(21, pkt(1, "Uptime: 1  Threads: 2")),
			client(30, pkt(0, "\x02db")), server(31, pkt(1, okBody)),
			client(40, pkt(0, "\x04t\x00")), server(41, pkt(1, column)+pkt(2, column)+pkt(3, eofBody)),
			client(50, pkt(0, "\x1f")), server(51, pkt(1, okBody)),
			client(60, pkt(0, "\x11joe\x00\x00db\x00")), server(61, pkt(1, "\xfenative\x00salt")), client(62, pkt(2, "secret")), server(63, pkt(3, okBody)),
			client(70, pkt(0, "\x01"))),
		},
		{name: "query attributes", steps: open(caps41|capQueryAttrs,
			client(10, q("\x00\x01select 1")), server(20, oldSet(1, eofBody)),
			client(30, q("\x01\x01\x00\x01\xfe\x00\x01n\x03abcselect 2")), server(40, oldSet(1, eofBody))),
		},
		{name: "idle connection closed by the server", steps: open(caps41,
			client(10, pkt(0, "\x0e")), server(11, pkt(1, okBody)), server(500, pkt(0, "\xff\xbf\x0f#HY000idle"))),
		},
		{name: "no answer", steps: open(caps41, client(10, q("select sleep(9)")))},
		{name: "answer cut off by the end", steps: open(caps41, client(10, q("select 1")), server(20, pkt(1, "\x01")+pkt(2, column)))},
		{name: "long statement", steps: open(caps41,
			client(10, q("select '" + strings.Repeat("x", 100) + "'")[:60]), client(15, q("select '" + strings.Repeat("x", 100) + "'")[60:]), server(20, pkt(1, okBody))),
		},
		{name: "refused", steps: []prototest.Step{server(1, greet(caps41)), client(2, login(caps41)), server(3, pkt(2, "\xff\x15\x04#28000Access denied"))}},
		{name: "refused after the method was changed", steps: []prototest.Step{server(1, greet(caps41)), client(2, login(caps41)),
			server(3, pkt(2, "\xfemysql_native_password\x00abcdefghijklmnopqrst\x00")), client(9, pkt(3, "secret")), server(11, pkt(4, "\xff\x15\x04#28000Access denied"))},
		},
		{name: "too many connections", steps: []prototest.Step{server(1, pkt(0, "\xff\x10\x04Too many connections"))}},
		{name: "too many connections, counted from 1", steps: []prototest.Step{server(1, pkt(1, "\xff\x10\x04#08004Too many connections"))}},
		{name: "refused, the login not captured", steps: []prototest.Step{server(1, greet(caps41)), server(3, pkt(2, "\xff\x15\x04#28000Access denied"))}},
		{name: "the snap length cuts the refusal", steps: []prototest.Step{server(1, greet(caps41)), client(2, login(caps41)), server(3, pkt(2, "\xff\x15\x04#28000Access denied")[:14]).Cutting(12)}},
		{name: "greeting and no login", steps: []prototest.Step{server(1, greet(caps41))}},
		{name: "binary log", steps: open(caps41, client(10, pkt(0, "\x12\x04\x00\x00\x00\x00\x00\x01\x00\x00\x00bin")), server(20, pkt(1, "\x00event")), server(30, pkt(2, "\x00event")))},
		{name: "begun in the middle", midway: true, steps: []prototest.Step{
			server(5, "tail of a row"), client(10, q("select 1")), server(20, newSet(1, "\x011")), client(30, q("select 2")), server(40, newSet(1, "\x011"))},
		},
		{name: "snap length cuts an answer", midway: true, steps: []prototest.Step{
			client(10, q("select 1")), server(20, (pkt(1, "\x01") + pkt(2, column))[:20]).Cutting(200), client(30, q("select 2 from somewhere")[:12]).Cutting(16), server(40, pkt(1, okBody))},
		},
		{name: "gap in an answer", midway: true, steps: []prototest.Step{
			client(10, q("select 1")), server(20, pkt(1, "\x01")+pkt(2, column)), server(25, "something").After(1000), client(30, q("select 2")), server(40, pkt(1, okBody))},
		},
		{name: "gap takes a request", steps: open(caps41,
			client(10, q("select 1")), server(20, pkt(1, okBody)), server(40, pkt(1, okBody)), client(50, q("select 3")).After(20), server(60, pkt(1, okBody)),
			client(70, q("select 4")), server(80, pkt(1, okBody))),
		},
		{name: "zstd", steps: open(caps41|capZstd|capDeprecateEOF,
			client(10, zipped(0, q("select 1"), 0)), server(20, zipped(1, newSet(1, "\x011", strings.Repeat("x", 250)), zstdID)),
			client(30, zipped(0, q("select '"+strings.Repeat("y", 99)+"'"), zstdID)), server(40, zipped(1, pkt(1, okBody), 0))),
		},
		{name: "compressed answer of which a part is missing", steps: open(caps41|capCompress|capDeprecateEOF,
			client(10, zipped(0, q("select 1"), 0)), server(20, zipped(1, newSet(1, "\x011"), 0)[:30]).Cutting(32),
			client(30, zipped(0, q("select 2"), 0)), server(40, zipped(1, newSet(1, "\x012"), 0))),
		},
		{name: "compressed, begun in the middle", midway: true, steps: []prototest.Step{
			client(10, zipped(0, q("select 1"), 0)), server(20, zipped(1, newSet(1, "\x011"), 0))},
		},
		{name: "the snap length cuts greeting and login", steps: []prototest.Step{
			server(1, greet(caps41)[:30]).Cutting(len(greet(caps41)) - 30), client(2, pkt(1, login(caps41)[4:])[:30]).Cutting(len(login(caps41)) - 30),
			server(3, pkt(2, okBody)), client(10, q("select 1")), server(20, oldSet(1, eofBody, "\x011"))},
		},
		{name: "TLS 1.3, whole password asked for", steps: []prototest.Step{
			server(1, greet(caps41|capSSL)), client(2, pkt(1, login(caps41 | capSSL)[4:36])),
			client(3, tlsRecord(22, 200)), server(4, tlsRecord(22, 120)+tlsRecord(20, 1)+tlsRecord(23, 900)), client(5, tlsRecord(20, 1)+tlsRecord(23, 69)+tlsRecord(23, 200)),
			server(6, tlsRecord(23, 250)+tlsRecord(23, 250)), server(7, tlsRecord(23, 4+2+17)), client(8, tlsRecord(23, 30)), server(9, tlsRecord(23, 4+7+17)),
			client(10, tlsRecord(23, 60)), server(20, tlsRecord(23, 90)), client(30, tlsRecord(23, 22)), server(40, tlsRecord(23, 4+7+17))},
		},
		{name: "TLS 1.2, method changed, hello in the packet of the request for TLS", steps: []prototest.Step{
			server(1, greet(caps41|capSSL)), client(2, pkt(1, login(caps41 | capSSL)[4:36])+tlsRecord(22, 200)),
			server(4, tlsRecord(22, 900)), client(5, tlsRecord(22, 70)+tlsRecord(20, 1)+tlsRecord(22, 40)), server(6, tlsRecord(20, 1)+tlsRecord(22, 40)),
			client(7, tlsRecord(23, 200)), server(8, tlsRecord(23, 4+44+24)), client(9, tlsRecord(23, 4+20+24)), server(9, tlsRecord(23, 4+2+24)+tlsRecord(23, 4+7+24)),
			client(10, tlsRecord(23, 60)), server(20, tlsRecord(23, 90)), client(30, tlsRecord(23, 60)), server(40, tlsRecord(23, 90))},
		},
		{name: "TLS, begun in the middle", midway: true, steps: []prototest.Step{
			client(10, tlsRecord(23, 60)), server(20, tlsRecord(23, 90)), server(21, tlsRecord(23, 90)), client(30, tlsRecord(23, 60))},
		},
		{name: "statement of two packets", steps: open(caps41,
			client(10, "\xff\xff\xff\x00\x03insert"+strings.Repeat("z", fullPacket-7)), client(20, pkt(1, "tail")), server(30, pkt(2, okBody)),
			client(40, q("select 1")), server(50, oldSet(1, eofBody, "\x011"))),
		},
		{name: "row of two packets", steps: open(caps41,
			client(10, q("select 1")), server(20, pkt(1, "\x01")+pkt(2, column)+pkt(3, eofBody)+"\xff\xff\xff\x04\xfd"+strings.Repeat("z", fullPacket-1)),
			server(30, pkt(5, "\xfe23")+pkt(6, "\x01x")+pkt(7, eofBody))),
		},
		{name: "gap takes an answer", steps: open(caps41,
			client(10, q("select 1")), server(20, pkt(1, "\x01")), client(30, q("select 2")), server(40, pkt(1, okBody)).After(60), client(50, q("select 3")), server(60, pkt(1, okBody)),
			client(70, q("select 4")), server(80, pkt(1, okBody))),
		},
		{name: "progress reports", steps: open(caps41,
			client(10, q("alter table t force")), server(20, pkt(1, "\xff\xff\xff\x01\x01\x02\x00\x00\x00")), server(30, pkt(2, okBody))),
		},
		{name: "definitions that the client has", steps: open(caps41|capDeprecateEOF,
			client(10, q("select 1")), server(20, pkt(1, "\x02\x00")+pkt(2, "\x00\x00\x01")+pkt(3, endBody))),
		},
		{name: "bulk", steps: open(caps41, client(10, pkt(0, "\xfa\x01\x00\x00\x00\x80\x00\x03\x00")), server(20, pkt(1, okBody)))},
		{name: "pipelined", steps: open(caps41,
			client(10, q("set a=1")+q("set b=2")), client(11, q("select 3")), server(20, pkt(1, okBody)), server(30, pkt(1, okBody)+oldSet(1, eofBody, "\x013")))},
		{name: "prepared before the capture began", midway: true, steps: []prototest.Step{
			client(10, pkt(0, "\x17\x09\x00\x00\x00\x00\x01\x00\x00\x00")), server(20, oldSet(1, eofBody, "\x00\x001")),
			client(30, pkt(0, "\x16select ?")), server(40, pkt(1, "\x00\x07\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00")+pkt(2, column)+pkt(3, eofBody)),
			client(50, pkt(0, "\x16select 1")), server(60, pkt(1, "\x00\x08\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00")+pkt(2, column)+pkt(3, eofBody))},
		},
		{name: "definitions without EOF, not known before", midway: true, steps: []prototest.Step{
			client(30, pkt(0, "\x16select ?")), server(40, pkt(1, "\x00\x07\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00")+pkt(2, column)),
			client(50, pkt(0, "\x16select 1")), server(60, pkt(1, "\x00\x08\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00")+pkt(2, column))},
		},
	}
}

func tlsRecord(kind byte, n int) string {
	return string([]byte{kind, 3, 3, byte(n >> 8), byte(n)}) + strings.Repeat("\x99", n)
}

const zstdID = 2

// zipped makes a packet of the compressed protocol.
func zipped(seq byte, body string, how int) string {
	size := 0
	if how == zstdID {
		w, err := zstd.NewWriter(nil)
		if err != nil {
			panic(err)
		}
		size, body = len(body), string(w.EncodeAll([]byte(body), nil))
	}
	n := len(body)
	return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), seq, byte(size), byte(size >> 8), byte(size >> 16)}) + body
}
