package engine

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
)

// talk makes the packets of a conversation with the server on a port: lines that
// begin with > are the client's, those with < the server's.
func talk(port uint16, midway bool, lines ...string) [][]byte {
	const client = 50001
	ends, next := [2]uint16{client, port}, [2]uint32{1000, 5000}
	send := func(side int, flags byte, data string) []byte {
		b := tcpPacket(ends[side], ends[1-side], next[side], next[1-side], data)
		b[47] = flags
		if side == 1 {
			copy(b[26:], []byte{10, 0, 0, 2, 10, 0, 0, 1})
		}
		next[side] += uint32(len(data))
		return b
	}
	var list [][]byte
	if !midway {
		list = append(list, send(0, 0x02, ""))
		next[0]++
		list = append(list, send(1, 0x12, ""))
		next[1]++
		list = append(list, send(0, 0x10, ""))
	}
	for _, l := range lines {
		side := strings.IndexByte("><", l[0])
		list = append(list, send(side, 0x18, l[1:]))
	}
	return list
}

func pg(kind string, body string) string {
	return kind + string(binary.BigEndian.AppendUint32(nil, uint32(4+len(body)))) + body
}

func my(seq byte, body string) string {
	return string([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), seq}) + body
}

// TestContentDecides has servers where others are expected. What they say decides,
// and where nobody understands it, direction does.
func TestContentDecides(t *testing.T) {
	startup := func() string {
		body := "\x00\x03\x00\x00user\x00me\x00\x00"
		return string(binary.BigEndian.AppendUint32(nil, uint32(4+len(body)))) + body
	}()
	const ready = "Z\x00\x00\x00\x05I"
	rows := pg("T", "\x00\x01a\x00"+strings.Repeat("\x00", 18)) + pg("D", "\x00\x01\x00\x00\x00\x011") + pg("C", "SELECT 1\x00") + ready
	extended := pg("P", "\x00select $1\x00\x00\x00") + pg("B", "\x00\x00\x00\x00\x00\x00\x00\x00") + pg("E", "\x00\x00\x00\x00\x00") + pg("S", "")
	executed := pg("1", "") + pg("2", "") + pg("D", "\x00\x01\x00\x00\x00\x011") + pg("C", "SELECT 1\x00") + ready
	ok := my(1, "\x00\x00\x00\x02\x00\x00\x00")
	kafka := "\x00\x00\x00\x1a\x00\x03\x00\x09\x00\x00\x00\x01\x00\x05fluxx\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	told := "\x00\x00\x00\x08\x00\x00\x00\x01\x00\x00\x00\x00"
	qos, qosOK := "\x01\x00\x01\x00\x00\x00\x0b\x00\x3c\x00\x0a\x00\x00\x00\x00\x00\x02\x00\xce", "\x01\x00\x01\x00\x00\x00\x04\x00\x3c\x00\x0b\xce"
	head2, head2OK := "\x00\x00\x03\x01\x05\x00\x00\x00\x01\x82\x84\x86", "\x00\x00\x01\x01\x05\x00\x00\x00\x01\x88"
	mqttHello, mqttOK := "\x10\x0d\x00\x04MQTT\x04\x02\x00\x3c\x00\x01c", "\x20\x02\x00\x00"
	mqttPut, mqttAck := "\x32\x08\x00\x03a/b\x00\x01x", "\x40\x02\x00\x01"
	cqlAsk, cqlOK := "\x04\x00\x00\x01\x07\x00\x00\x00\x0d\x00\x00\x00\x06select\x00\x01\x00", "\x84\x00\x00\x01\x08\x00\x00\x00\x04\x00\x00\x00\x01"
	upgrade, upgraded := ">GET /chat HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", "<HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
	wsAsk, wsPush := "\x81\x82\x00\x00\x00\x00hi", "\x81\x02yo"
	mongo := func(id, to byte, body string) string {
		body = "\x00\x00\x00\x00\x00" + string([]byte{byte(len(body)) + 5, 0, 0, 0}) + body + "\x00"
		return string([]byte{byte(len(body)) + 16, 0, 0, 0, id, 0, 0, 0, to, 0, 0, 0, 0xdd, 7, 0, 0}) + body
	}
	ping, pong := mongo(3, 0, "\x10ping\x00\x01\x00\x00\x00"), mongo(9, 3, "\x10ok\x00\x01\x00\x00\x00")
	fcgi := "\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00"
	record := "\x01\x06\x00\x01\x00\x08\x00\x00Status: \x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	batch := "\x01\x01\x00\x26\x00\x00\x01\x00\x16\x00\x00\x00\x12\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00g\x00o\x00 \x001\x00"
	batchDone := "\x04\x01\x00\x15\x00\x33\x01\x00\xfd\x10\x00\xc1\x00\x01\x00\x00\x00\x00\x00\x00\x00"
	fix := "8=FIX.4.2\x019=5\x0135=0\x0110=161\x01"
	dns := func(flags string) string {
		body := "\x12\x34" + flags + "\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01"
		return "\x00" + string(byte(len(body))) + body
	}
	for _, tt := range []struct {
		name   string
		port   uint16
		midway bool
		lines  []string
		want   string // protocol and command of the requests
	}{
		{"PostgreSQL where HTTP is expected", 8000, false, []string{">" + startup, "<" + pg("R", "\x00\x00\x00\x00") + ready, ">" + pg("Q", "select 1\x00"), "<" + rows}, "postgres Query"},
		{"PostgreSQL midway, a simple query", 7777, true, []string{">" + pg("Q", "select 1\x00"), "<" + rows, ">" + pg("Q", "select 2\x00"), "<" + rows}, "postgres Query, postgres Query"},
		{"PostgreSQL midway, a group", 7777, true, []string{">" + extended, "<" + executed, ">" + extended, "<" + executed}, "postgres Execute, postgres Execute"},
		{"PostgreSQL midway, an answer first", 8000, true, []string{"<" + executed, ">" + extended, "<" + executed}, "postgres , unpaired, postgres Execute"},
		{"MySQL midway, COM_PING first", 8000, true, []string{">" + my(0, "\x0e"), "<" + ok, ">" + my(0, "\x03select 1"), "<" + ok}, "mysql Ping, mysql Query"},
		{"MySQL midway, COM_PING only", 7777, true, []string{">" + my(0, "\x0e"), "<" + ok}, "mysql Ping"},
		{"MySQL midway, within a statement", 7777, true, []string{">" + strings.Repeat("'abc',", 90), "<" + ok, ">" + my(0, "\x03select 1"), "<" + ok}, "mysql , unpaired, mysql Query"},
		{"MongoDB where MySQL is expected", 3306, false, []string{">" + ping, "<" + pong}, "mongodb ping"},
		{"MongoDB midway, an answer first", 7777, true, []string{"<" + pong, ">" + ping, "<" + pong}, "mongodb , unpaired, mongodb ping"},
		{"nothing of MongoDB on its port", 27017, false, []string{">hello, here I am\r\n", "<hello\r\n"}, "generic "},
		{"FIX where HTTP is expected", 4000, false, []string{">" + fix, "<" + fix, ">" + fix, "<" + fix}, "generic , generic "},
		{"FIX midway, the server first", 4000, true, []string{"<" + fix, ">" + fix, "<" + fix}, "generic "},
		{"FastCGI where HTTP is expected", 9000, false, []string{">" + fcgi, "<" + record}, "fastcgi RESPONDER"},
		{"FastCGI midway, an answer first", 7777, true, []string{"<" + record, ">" + fcgi, "<" + record}, "fastcgi , unpaired, fastcgi RESPONDER"},
		{"HTTP where FastCGI is expected", 9000, false, []string{">GET / HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, "http GET"},
		{"TDS on any port", 7777, false, []string{">" + batch, "<" + batchDone}, "tds Query"},
		{"TDS where MySQL is expected", 3306, false, []string{">" + batch, "<" + batchDone}, "tds Query"},
		{"TDS midway, an answer first", 7777, true, []string{"<" + batchDone, ">" + batch, "<" + batchDone}, "tds , unpaired, tds Query"},
		{"nothing of TDS on its port", 1433, false, []string{">hello, here I am\r\n", "<hello\r\n"}, "generic "},
		{"nothing of FastCGI on its port", 9000, false, []string{">\x01\x02\x03\x04\x05\x06\x07\x08", "<\x01\x02\x03\x04\x05\x06\x07\x08"}, "generic "},
		{"echo where Redis is expected", 7000, false, []string{">hello\r\n", "<hello\r\n", ">PING\r\n", "<PING\r\n"}, "generic , generic "},
		{"echo of commands where Redis is expected", 7000, false, []string{">PING\r\n", "<PING\r\n", ">GET a\r\n", "<GET a\r\n"}, "generic , generic "},
		{"echo of binary where Redis is expected", 6379, true, []string{">\x01\x02\x03\x04\x05\x06", "<\x01\x02\x03\x04\x05\x06"}, "generic "},
		{"Kafka where MySQL is expected", 3306, false, []string{">" + kafka, "<" + told}, "kafka Metadata"},
		{"Kafka midway, an answer first", 7777, true, []string{"<" + told, ">" + kafka, "<" + told}, "kafka , unpaired, kafka Metadata"},
		{"memcached on any port", 7777, false, []string{">set k 0 0 2\r\nab\r\n", "<STORED\r\n"}, "memcached set"},
		{"memcached where Redis is expected", 6379, false, []string{">get k\r\n", "<VALUE k 0 2\r\nab\r\nEND\r\n"}, "memcached get"},
		{"Redis in words where memcached is expected", 11211, false, []string{">get k\r\n", "<$2\r\nab\r\n"}, "generic "},
		{"memcached midway, an answer first", 7777, true, []string{"<END\r\n", ">get k\r\n", "<END\r\n"}, "memcached , unpaired, memcached get"},
		{"a mail server where memcached is expected", 11211, false, []string{"<220 mail ready\r\n", ">EHLO me\r\n", "<250 hello\r\n"}, "generic "},
		{"HTTP/2 where HTTP is expected", 80, false, []string{">PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "<\x00\x00\x00\x04\x00\x00\x00\x00\x00", ">" + head2, "<" + head2OK}, "http2 GET"},
		{"HTTP/2 midway", 7777, true, []string{">" + head2, "<" + head2OK}, "http2 ?"},
		{"AMQP on any port", 7777, false, []string{">AMQP\x00\x00\x09\x01", "<\x01\x00\x00\x00\x00\x00\x07\x00\x0a\x00\x0a\x00\x09\x00\xce", ">" + qos, "<" + qosOK}, "amqp basic.qos"},
		{"AMQP midway", 7777, true, []string{">" + qos, "<" + qosOK}, "amqp basic.qos"},
		{"AMQP 1.0 on the port of AMQP", 5672, false, []string{">AMQP\x03\x01\x00\x00", "<AMQP\x03\x01\x00\x00"}, "generic "},
		{"MQTT on any port", 7777, false, []string{">" + mqttHello, "<" + mqttOK, ">" + mqttPut, "<" + mqttAck}, "mqtt CONNECT, mqtt PUBLISH"},
		{"MQTT where MySQL is expected", 3306, false, []string{">" + mqttHello, "<" + mqttOK}, "mqtt CONNECT"},
		{"MQTT midway", 7777, true, []string{">" + mqttPut, "<" + mqttAck}, "mqtt PUBLISH"},
		{"MQTT midway, pings", 7777, true, []string{">\xc0\x00", "<\xd0\x00"}, "mqtt PINGREQ"},
		{"nothing of MQTT on its port", 1883, false, []string{">hello, here I am\r\n", "<hello\r\n"}, "generic "},
		{"Cassandra on any port", 7777, false, []string{">\x04\x00\x00\x00\x05\x00\x00\x00\x00", "<\x84\x00\x00\x00\x06\x00\x00\x00\x02\x00\x00"}, "cassandra Options"},
		{"Cassandra where MySQL is expected", 3306, false, []string{">" + cqlAsk, "<" + cqlOK}, "cassandra Query"},
		{"Cassandra midway, an answer first", 7777, true, []string{"<" + cqlOK, ">" + cqlAsk, "<" + cqlOK}, "cassandra , unpaired, cassandra Query"},
		{"nothing of Cassandra on its port", 9042, false, []string{">hello, here I am\r\n", "<hello\r\n"}, "generic "},
		{"nothing of Kafka on its port", 9092, false, []string{">hello, here I am\r\n", "<hello\r\n"}, "generic "},
		{"SSH where HTTP is expected", 80, false, []string{"<SSH-2.0-OpenSSH_9.2\r\n", ">SSH-2.0-OpenSSH_9.2\r\n", "<\x00\x00\x04\x1c\x0a\x14abcdefgh", ">\x00\x00\x04\x1c\x0a\x14abcdefgh"}, "generic , generic , unanswered"},
		{"HTTP asked of SSH", 22, false, []string{">GET / HTTP/1.1\r\n\r\n", "<SSH-2.0-OpenSSH_9.2\r\n"}, "generic "},
		{"HTTP where Redis is expected", 6379, false, []string{">GET / HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, "http GET"},
		{"TLS asked of HTTP", 443, false, []string{">\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00", "<HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"}, "generic "},
		{"Redis in words on its port", 6379, false, []string{">PING\r\n", "<+PONG\r\n"}, "redis PING"},
		{"Redis where TLS is expected", 443, false, []string{">*1\r\n$4\r\nPING\r\n", "<+PONG\r\n"}, "redis PING"},
		{"Redis behind a greeting nobody knows", 7777, false, []string{"<welcome\r\n", ">login\r\n", "<+OK\r\n", ">*1\r\n$4\r\nPING\r\n", "<+PONG\r\n"}, "generic , redis PING"},
		{"DNS on another port", 8053, false, []string{">" + dns("\x01\x00"), "<" + dns("\x81\x80")}, "dns A"},
		{"nothing of DNS on its port", 53, false, []string{">hello\r\n", "<hello\r\n"}, "generic "},
		{"noise where PostgreSQL is expected", 5432, true, []string{">Zzzzz", "<zzzzz", ">zzzzz", "<zzzzz"}, "generic , generic "},
		{"HTTP through CONNECT", 3128, false, []string{">CONNECT a:80 HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\n\r\n", ">GET / HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, "http CONNECT, http GET"},
		{"PostgreSQL through CONNECT", 3128, false, []string{">CONNECT a:80 HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\n\r\n", ">" + startup, "<" + pg("R", "\x00\x00\x00\x00") + ready, ">" + pg("Q", "select 1\x00"), "<" + rows}, "http CONNECT, postgres Query"},
		{"nothing known through CONNECT", 3128, false, []string{">CONNECT a:80 HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\n\r\n", ">hello\r\n", "<hello\r\n"}, "http CONNECT, generic "},
		{"WebSocket behind an upgrade", 3306, false, []string{upgrade, upgraded, ">" + wsAsk, "<" + wsPush, ">" + wsAsk, "<" + wsPush}, "http GET, websocket text, websocket text"},
		{"WebSocket in the packet of the upgrade", 80, false, []string{upgrade, upgraded + wsPush + wsPush[:2], "<" + wsPush[2:], ">" + wsAsk, "<" + wsPush}, "http GET, websocket text"},
		{"WebSocket through CONNECT", 3128, false, []string{">CONNECT a:80 HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\n\r\n", upgrade, upgraded, ">" + wsAsk, "<" + wsPush}, "http CONNECT, http GET, websocket text"},
		{"WebSocket midway", 7777, true, []string{">" + wsAsk, "<" + wsPush}, "websocket text"},
		{"an upgrade to what nobody knows", 80, false, []string{strings.Replace(upgrade, "websocket", "tcp", 1), strings.Replace(upgraded, "websocket", "tcp", 1), ">hello\r\n", "<hello\r\n"}, "http GET, generic "},
		{"an upgrade to HTTP/2", 80, false, []string{strings.Replace(upgrade, "websocket", "h2c", 1), strings.Replace(upgraded, "websocket", "h2c", 1) + "\x00\x00\x00\x04\x00\x00\x00\x00\x00" + head2OK, ">PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + strings.Replace(head2, "\x01\x82", "\x03\x82", 1), "<" + strings.Replace(head2OK, "\x01\x88", "\x03\x88", 1)}, "http GET, http2 GET"},
		{"a greeting in the packet of CONNECT", 3128, false, []string{">CONNECT a:22 HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\n\r\nSSH-2.0-OpenSSH_9.2\r\n", ">SSH-2.0-OpenSSH_9.2\r\n", "<\x00\x00\x04\x1c\x0a\x14abcdefgh"}, "http CONNECT, generic "},
		{"CONNECT refused", 3128, false, []string{">CONNECT a:80 HTTP/1.1\r\n\r\n", "<HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", ">GET / HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, "http CONNECT, http GET"},
		{"HTTP through SOCKS 5", 1080, false, []string{">\x05\x01\x00", "<\x05\x00", ">\x05\x01\x00\x01\x0a\x00\x00\x03\x00\x50", "<\x05\x00\x00\x01\x0a\x00\x00\x03\x00\x50", ">GET / HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, "generic , generic , http GET"},
		{"HTTP through SOCKS 4", 1080, false, []string{">\x04\x01\x00\x50\x0a\x00\x00\x03\x00", "<\x00\x5a\x00\x00\x00\x00\x00\x00", ">GET / HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, "generic , http GET"},
		{"noise where TLS is expected", 443, false, []string{">\x01\x02\x03\x04\x05\x06", "<\x07\x08\x09\x0a\x0b\x0c"}, "generic "},
	} {
		for workers := 1; workers <= 2; workers++ {
			k, _ := run(t, writeCapture(t, talk(tt.port, tt.midway, tt.lines...)...), workers)
			slices.SortFunc(k.transactions, func(a, b rt.Transaction) int { return int(a.ID) - int(b.ID) })
			var got []string
			for _, x := range k.transactions {
				got = append(got, x.Proto+" "+x.Command)
				if x.Status != 0 {
					got = append(got, x.Status.String())
				}
			}
			if is := strings.Join(got, ", "); is != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, is, tt.want)
			}
		}
	}
}

// TestEveryPort moves real servers to the ports of all others: what is found is the
// same.
func TestEveryPort(t *testing.T) {
	files, err := filepath.Glob("../proto/*/testdata/*.pcap")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	shown := func(k *kept) (list []string) {
		for _, x := range k.transactions {
			list = append(list, fmt.Sprint(x.ID, " ", x.Proto, " ", x.Command, " ", x.Status, " ", x.Code, " ", x.RT, x.Doubt.Words()))
		}
		slices.Sort(list)
		return list
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(filepath.Dir(file)))
		t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			var own []uint16
			for _, p := range Protocols() {
				if p.Name == name {
					own = p.Ports
				}
			}
			src, err := pcap.OpenFile(file)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			var first kept
			if _, err := Run(t.Context(), src, Options{Workers: 1, Collector: first.collector}); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, to := range []uint16{7777, 80, 443, 3306, 5432, 6379} {
				if slices.Contains(own, to) {
					continue // there more is understood: parts of conversations
				}
				ports := map[uint16]uint16{}
				for _, c := range first.connections {
					ports[c.Server.Port] = to
				}
				src, err := pcap.OpenFile(file)
				if err != nil {
					t.Fatal(err)
				}
				var k kept
				if _, err := Run(t.Context(), &elsewhere{Source: src, ports: ports}, Options{Workers: 1, Collector: k.collector}); err != nil {
					t.Fatal(err)
				}
				_ = src.Close()
				got := shown(&k)
				if to == 7777 {
					want = got
				}
				if !strings.Contains(strings.Join(want, ""), " "+name+" ") {
					t.Fatalf("no request was decoded as %s: is it in Protocols()?", name)
				}
				if !slices.Equal(got, want) {
					t.Errorf("on port %d: %d requests, want %d: %s", to, len(got), len(want), firstDifference(got, want))
				}
			}
		})
	}
}

func firstDifference(got, want []string) string {
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			return fmt.Sprintf("%q is missing", want[i])
		}
	}
	return ""
}

// TestOthersOfTheServiceTell has a connection that nobody could know by itself.
func TestOthersOfTheServiceTell(t *testing.T) {
	statement := my(0, "\x04t\x00") // COM_FIELD_LIST: nothing but the port would speak for it
	unknown := talk(7777, true, ">"+statement, "<"+my(1, "\xfe\x00\x00\x02\x00"))
	for name, tt := range map[string]struct {
		others [][]byte
		want   string
	}{
		"none":          {nil, "generic"},
		"one of MySQL":  {talk(7777, true, ">"+my(0, "\x03select 1")), "mysql"},
		"one of Redis":  {talk(7777, true, ">*1\r\n$4\r\nPING\r\n"), "generic"},
		"several kinds": {append(talk(7777, true, ">*1\r\n$4\r\nPING\r\n"), talk(7777, true, ">"+my(0, "\x03select 1"))...), "generic"},
	} {
		for _, p := range tt.others {
			binary.BigEndian.PutUint16(p[34:], 50002)
		}
		k, _ := run(t, writeCapture(t, append(slices.Clone(unknown), tt.others...)...), 2)
		for _, c := range k.connections {
			if c.Client.Port == 50001 && c.Protocol != tt.want {
				t.Errorf("%s: %s, want %s", name, c.Protocol, tt.want)
			}
		}
	}
}

// TestDecodeAs has users who know better.
func TestDecodeAs(t *testing.T) {
	path := writeCapture(t, talk(8000, false, ">GET / HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")...)
	for as, want := range map[string]string{"": "http", "generic": "generic", "redis": "redis"} {
		src, err := pcap.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var k kept
		o := Options{Workers: 1, Collector: k.collector}
		if as != "" {
			o.DecodeAs = map[uint16]string{8000: as}
		}
		if _, err := Run(t.Context(), src, o); err != nil {
			t.Fatal(err)
		}
		_ = src.Close()
		if got := k.connections[0].Protocol; got != want {
			t.Errorf("as %q: %s, want %s", as, got, want)
		}
	}
}

// TestDecodeAsProxy has users who name the decoder of a proxy: what it carries is
// still decoded by what it is.
func TestDecodeAsProxy(t *testing.T) {
	const answer = "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	connect := []string{">CONNECT a:80 HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\n\r\n"}
	socks5 := []string{">\x05\x01\x00", "<\x05\x00", ">\x05\x01\x00\x01\x0a\x00\x00\x03\x00\x50", "<\x05\x00\x00\x01\x0a\x00\x00\x03\x00\x50"}
	socks4 := []string{">\x04\x01\x00\x50\x0a\x00\x00\x03\x00", "<\x00\x5a\x00\x00\x00\x00\x00\x00"}
	redis := []string{">*1\r\n$4\r\nPING\r\n", "<+PONG\r\n"}
	for _, tt := range []struct {
		as    string
		lines [][]string
		want  string
	}{
		{"http", [][]string{connect, redis}, "http CONNECT, redis PING"},
		{"http", [][]string{connect, {">GET / HTTP/1.1\r\n\r\n", answer}}, "http CONNECT, http GET"},
		{"http", [][]string{connect, {">hello\r\n", "<hello\r\n"}}, "http CONNECT, generic "},
		{"http", [][]string{{">CONNECT a:80 HTTP/1.1\r\n\r\n", "<HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"}, {">GET / HTTP/1.1\r\n\r\n", answer}}, "http CONNECT, http GET"},
		{"generic", [][]string{connect, redis}, "generic , generic "}, // asked for, so nothing is decoded
		{"generic", [][]string{socks5, redis}, "generic , generic , redis PING"},
		{"generic", [][]string{socks4, redis}, "generic , redis PING"},
	} {
		path := writeCapture(t, talk(8888, false, slices.Concat(tt.lines...)...)...)
		k, _ := runWith(t, path, Options{Workers: 1, DecodeAs: map[uint16]string{8888: tt.as}})
		slices.SortFunc(k.transactions, func(a, b rt.Transaction) int { return int(a.ID) - int(b.ID) })
		var got []string
		for _, x := range k.transactions {
			got = append(got, x.Proto+" "+x.Command)
		}
		if is := strings.Join(got, ", "); is != tt.want {
			t.Errorf("as %s, %q: %q, want %q", tt.as, tt.lines, is, tt.want)
		}
	}
}
