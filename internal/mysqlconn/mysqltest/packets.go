// Package mysqltest is a MySQL server for tests: it greets, lets everybody in and
// answers what it is told to, or what no server would.
package mysqltest

import (
	"encoding/binary"
	"strings"
)

// Capabilities of the greeting.
const (
	TLS = 0x800
	// usual are those of MySQL 8, TLS and compression apart.
	usual = 0xf7ff &^ 0x820
)

// Challenge is the one that the server sends.
const Challenge = "0123456789abcdefghij"

// Packet puts a header before a payload.
func Packet(sequence byte, payload string) string {
	n := len(payload)
	return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), sequence}) + payload
}

// Greeting is the first packet of a server; method is the authentication that it
// prefers.
func Greeting(method string, capabilities uint16) string {
	low := usual | capabilities
	p := "\x0a8.0.43\x00\x2a\x00\x00\x00" + Challenge[:8] + "\x00" + string([]byte{byte(low), byte(low >> 8)}) +
		"\xff\x02\x00\xff\xdf\x15" + strings.Repeat("\x00", 10) + Challenge[8:] + "\x00" + method + "\x00"
	return Packet(0, p)
}

// OK says that a statement went well.
const OK = "\x00\x00\x00\x02\x00\x00\x00"

// End ends columns and rows.
const End = "\xfe\x00\x00\x02\x00"

// Error is an error of the server.
func Error(number uint16, text string) string {
	return "\xff" + string(binary.LittleEndian.AppendUint16(nil, number)) + "#HY000" + text
}

// Switch asks for another method of authentication.
func Switch(method string) string { return "\xfe" + method + "\x00" + Challenge + "\x00" }

// Text is a text with its length before it.
func Text(s string) string {
	switch n := len(s); {
	case n < 0xfb:
		return string([]byte{byte(n)}) + s
	case n < 1<<16:
		return "\xfc" + string([]byte{byte(n), byte(n >> 8)}) + s
	default:
		return "\xfd" + string([]byte{byte(n), byte(n >> 8), byte(n >> 16)}) + s
	}
}

// Column defines a column of texts.
func Column(name string) string {
	return Text("def") + Text("") + Text("") + Text("") + Text(name) + Text("") + "\x0c\x2d\x00\xff\xff\x00\x00\xfd\x00\x00\x00\x00\x00"
}

// Row is one row; a text of "\x00NULL" is NULL.
func Row(texts ...string) (s string) {
	for _, t := range texts {
		if t == Null {
			s += "\xfb"
			continue
		}
		s += Text(t)
	}
	return s
}

// Null stands for NULL in Row.
const Null = "\x00NULL"

// Result is a whole answer.
func Result(columns []string, rows ...[]string) []string {
	packets := []string{string([]byte{byte(len(columns))})}
	for _, c := range columns {
		packets = append(packets, Column(c))
	}
	packets = append(packets, End)
	for _, r := range rows {
		packets = append(packets, Row(r...))
	}
	return append(packets, End)
}
