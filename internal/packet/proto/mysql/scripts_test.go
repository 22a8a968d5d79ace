package mysql

import (
	"strings"

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
	}
}
