package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// attack is a capture that somebody made to harm its reader: classic, of IP
// packets, a microsecond apart.
type attack struct {
	bytes.Buffer
	at uint64
}

func (h *attack) packet(p []byte) {
	if h.Len() == 0 {
		h.Write([]byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0})
		h.at = 1700000000e6
	}
	h.at++
	for _, n := range []uint32{uint32(h.at / 1e6), uint32(h.at % 1e6), uint32(len(p)), uint32(len(p))} {
		_ = binary.Write(h, binary.LittleEndian, n)
	}
	h.Write(p)
}

// ip is a packet between a client and the server, of a protocol.
func (h *attack) ip(proto byte, toClient bool, client byte, payload []byte) {
	p := append(make([]byte, 20), payload...)
	p[0], p[8], p[9] = 0x45, 64, proto
	binary.BigEndian.PutUint16(p[2:], uint16(len(p)))
	copy(p[12:], []byte{10, 0, 0, client, 10, 9, 9, 9})
	if toClient {
		copy(p[12:], []byte{10, 9, 9, 9, 10, 0, 0, client})
	}
	h.packet(p)
}

// call is one connection.
type call struct {
	h            *attack
	client, port uint16
	next         [2]uint32
	window       uint16
}

func (h *attack) connect(client, port uint16) *call {
	c := &call{h: h, client: client, port: port, next: [2]uint32{1000, 9000}, window: 65535}
	c.segment(0, 2, 0, "")
	c.next[0]++
	c.segment(1, 0x12, 0, "")
	c.next[1]++
	c.segment(0, 0x10, 0, "")
	return c
}

// segment sends data some bytes off what comes next.
func (c *call) segment(side int, flags byte, off uint32, data string) {
	t := append(make([]byte, 20), data...)
	ports := [2]uint16{c.client, c.port}
	binary.BigEndian.PutUint16(t, ports[side])
	binary.BigEndian.PutUint16(t[2:], ports[1-side])
	binary.BigEndian.PutUint32(t[4:], c.next[side]+off)
	binary.BigEndian.PutUint32(t[8:], c.next[1-side]+off)
	t[12], t[13] = 5<<4, flags
	binary.BigEndian.PutUint16(t[14:], c.window)
	c.h.ip(6, side == 1, 1, t)
}

// say sends data in order: lines of the client begin with >, of the server with <.
func (c *call) say(lines ...string) *call {
	for _, l := range lines {
		side := strings.IndexByte("><", l[0])
		for data := l[1:]; data != ""; {
			n := min(len(data), 60000)
			c.segment(side, 0x18, 0, data[:n])
			c.next[side] += uint32(n)
			data = data[n:]
		}
	}
	return c
}

const okHTTP = "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

// hostileCaptures are what parsers were ever made to fall over by.
var hostileCaptures = map[string]func(h *attack){
	"seconds of a classic capture": func(h *attack) {
		for i, s := range []uint32{0, 1<<32 - 1, 5, 1<<31 - 1, 1 << 31} {
			h.connect(uint16(5000+i), 80).say(">GET / HTTP/1.1\r\n\r\n")
			h.at = uint64(s) * 1e6
			h.connect(uint16(6000+i), 80).say(">GET / HTTP/1.1\r\n\r\n", okHTTP)
		}
	},
	"sequence numbers half round": func(h *attack) {
		for i := range uint16(50) {
			c := h.connect(5000+i, 80).say(">GET / HTTP/1.1\r\n\r\n", okHTTP)
			for _, off := range []uint32{1 << 31, 1<<31 + 1, 1<<31 - 1, 1 << 30, 1 << 28, 3} {
				c.segment(0, 0x18, off, "xxxxxxxxxx")
				c.segment(1, 0x18, off, "yyyyyyyyyy")
			}
			c.say(">GET / HTTP/1.1\r\n\r\n", okHTTP)
		}
	},
	"closed windows": func(h *attack) {
		for i := range uint16(5000) {
			c := h.connect(5000+i, 80)
			c.window = 0
			c.say(">GET / HTTP/1.1\r\n\r\n")
			c.segment(1, 0x10, 0, "")
			c.segment(0, 0x10, 0, "x")
		}
	},
	"a byte here and there": func(h *attack) {
		c := h.connect(5000, 80).say(">POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n")
		for i := range uint32(60_000) {
			c.segment(0, 0x18, i*7919%900_000, "a")
		}
	},
	"an endless header": func(h *attack) {
		c := h.connect(5000, 80).say(">GET / HTTP/1.1\r\nX: ")
		for range 200 {
			c.say(">" + strings.Repeat("a", 60000))
		}
		c.say(">\r\n\r\n", okHTTP)
	},
	"lengths of HTTP": func(h *attack) {
		client := uint16(5000)
		for _, n := range []string{"8000000000000000", "7fffffffffffffff", "ffffffffffffffffff", "-1", strings.Repeat("0", 70000), "1;" + strings.Repeat("x", 70000), "", "zz"} {
			const chunked = " HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
			client += 2
			h.connect(client, 80).say(">POST /"+chunked+n+"\r\nabc", "<HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+n+"\r\nabc", ">GET / HTTP/1.1\r\n\r\n", okHTTP)
		}
		for _, n := range []string{"9223372036854775807", "9223372036854775808", "-5", "99999999999999999999"} {
			client += 2
			h.connect(client, 80).say(">GET / HTTP/1.1\r\nContent-Length: "+n+"\r\n\r\nabc", "<HTTP/1.1 200 OK\r\nContent-Length: "+n+"\r\n\r\nabc", ">GET / HTTP/1.1\r\n\r\n", okHTTP)
		}
	},
	"HTTP/2, continued": func(h *attack) {
		h.connect(5000, 80).say(">PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", "<\x00\x00\x00\x04\x00\x00\x00\x00\x00",
			">\x00\x00\x01\x01\x00\x00\x00\x00\x01a"+strings.Repeat("\x00\x00\x01\x09\x00\x00\x00\x00\x01a", 100_000))
	},
	"packets of MySQL that go on": func(h *attack) {
		c := h.connect(5000, 3306)
		full := "\x03select " + strings.Repeat("1,", 1<<23)
		for i := range 3 {
			c.say(">\xff\xff\xff" + string(byte(i)) + full[:1<<24-1])
		}
		h.connect(5001, 3306).say(">" + strings.Repeat("\xff\xff\xff\x00\x03", 3000))
		h.connect(5002, 3306).say(">\x09\x00\x00\x00\x03select 1", "<\x01\x00\x00\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff")
		h.connect(5003, 3306).say(">" + strings.Repeat("\x09\x00\x00\x00\x03select 1", 200_000))
	},
	"lengths of PostgreSQL": func(h *attack) {
		client := uint16(5000)
		for _, length := range []string{"\xff\xff\xff\xff", "\x80\x00\x00\x00", "\x00\x00\x00\x00", "\x00\x00\x00\x03", "\x7f\xff\xff\xff"} {
			h.connect(client, 5432).say(">" + length + "\x00\x03\x00\x00user\x00")
			for _, kind := range "QPBEDSCF" {
				client++
				h.connect(client, 5432).say(">\x00\x00\x00\x10\x00\x03\x00\x00user\x00a\x00\x00", "<R\x00\x00\x00\x08\x00\x00\x00\x00Z\x00\x00\x00\x05I",
					">"+string(kind)+length+"abcabc", "<"+string(kind)+length+"abcabc", ">Q\x00\x00\x00\x0dselect 1\x00", "<C\x00\x00\x00\x0dSELECT 1\x00Z\x00\x00\x00\x05I")
			}
		}
	},
	"arrays of Redis": func(h *attack) {
		for i, x := range []string{strings.Repeat("*1\r\n", 1_000_000), "*1000000000\r\n", "*-5\r\n", "$-7\r\n", "$9223372036854775807\r\nabc", "*9223372036854775808\r\n", "%4611686018427387904\r\n",
			strings.Repeat("*2147483647\r\n", 1000), strings.Repeat("|1\r\n", 100_000)} {
			h.connect(uint16(5000+i), 6379).say(">*1\r\n$4\r\nPING\r\n", "<"+x, ">*1\r\n$4\r\nPING\r\n", "<+PONG\r\n")
			h.connect(uint16(6000+i), 6379).say(">"+x, "<+OK\r\n")
		}
	},
	"frames of Kafka": func(h *attack) {
		c := h.connect(5000, 9092)
		for range 1000 {
			c.say(">\x7f\xff\xff\xff\x00\x03\x00\x09\x00\x00\x00\x01\x00\x05fluxx", "<\xff\xff\xff\xff\x00\x00\x00\x01")
		}
	},
	"names of DNS": func(h *attack) {
		names := []string{"\xc0\x0c", "\xc0\x0e\xc0\x0c", "\x01a\xc0\x0c", "\x3f" + strings.Repeat("a", 63) + "\xc0\x0c", "\xff\xff", strings.Repeat("\x01a", 200) + "\x00", "\x40a\x00", ""}
		for i := range 8000 {
			id := string([]byte{byte(i >> 8), byte(i)})
			ports := string([]byte{byte(64 + i>>8), byte(i), 0, 53})
			q := id + "\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + names[i%len(names)] + "\x00\x01\x00\x01"
			a := id + "\x81\x80\x00\x01\xff\xff\xff\xff\xff\xff" + names[i%len(names)] + "\x00\x01\x00\x01\xc0\x0c"
			length := func(s string) string { return string([]byte{byte((8 + len(s)) >> 8), byte(8 + len(s)), 0, 0}) }
			h.ip(17, false, byte(i), []byte(ports+length(q)+q))
			h.ip(17, true, byte(i), []byte(ports[2:]+ports[:2]+length(a)+a))
		}
	},
	"records of TLS": func(h *attack) {
		hello := "\x01\x00\x00\x80\x03\x03" + strings.Repeat("a", 32) + "\x00\x00\x02\x13\x01\x01\x00"
		var pieces strings.Builder
		for range 500 {
			for _, b := range []byte(hello) {
				pieces.WriteString("\x16\x03\x01\x00\x01" + string([]byte{b}))
			}
		}
		h.connect(5000, 443).say(">"+pieces.String(), "<"+strings.Repeat("\x16\x03\x03\x00\x00", 100_000), ">"+strings.Repeat("\x17\x03\x03\x00\x00", 100_000))
		h.connect(5001, 443).say(">\x16\x03\x01\xff\xff\x01\xff\xff\xff"+strings.Repeat("a", 70_000), "<\x16\x03\x03\x00\x04\x02\x00\x00\x00")
	},
	"a server on each port": func(h *attack) {
		for i := range uint16(5000) {
			h.connect(50000, 1+i).say(fmt.Sprintf(">GET /%d/a HTTP/1.1\r\n\r\n", i), okHTTP)
		}
	},
}

// TestHostileCaptures shows that each view of each of them ends, soon, and without a
// crash.
func TestHostileCaptures(t *testing.T) {
	for name, write := range hostileCaptures {
		t.Run(name, func(t *testing.T) {
			var h attack
			write(&h)
			dir := t.TempDir()
			file := filepath.Join(dir, "a.pcap")
			if err := os.WriteFile(file, h.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, view := range []string{"packets", "packets --by statement", "packets --transactions --json", "packets --histogram", "packets --json", "packets --connection 1", "diagnose --json"} {
				words := strings.Fields(view)
				args := append([]string{words[0], file}, words[1:]...)
				out, stderr := &bounded{most: 256 << 20}, &bounded{most: 1 << 20}
				ended := make(chan int, 1)
				go func() { ended <- run(args, out, stderr) }()
				select {
				case code := <-ended:
					if all := out.String() + stderr.String(); code > exitFailed || strings.Contains(all, "crashed (bug)") || strings.Contains(all, errTooMuch.Error()) {
						t.Errorf("%v: exit code %d: %.300s %.500s", args, code, stderr.String(), out.String())
					}
				case <-time.After(20 * time.Second):
					t.Fatalf("%v does not end", args)
				}
			}
		})
	}
}
