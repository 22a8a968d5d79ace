package generate

import (
	"encoding/binary"
	"strconv"
)

// The bytes of the MySQL protocol that the captures need.
// https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html

// message appends a protocol packet.
func message(b []byte, seq byte, payload []byte) []byte {
	n := len(payload)
	b = append(b, byte(n), byte(n>>8), byte(n>>16), seq)
	return append(b, payload...)
}

const capabilities = 0x00000001 | // long password
	0x00000008 | // connect with database
	0x00000200 | // protocol 4.1
	0x00008000 | // secure connection
	0x00080000 // plugin authentication

// greeting is what a server says first.
func greeting(thread uint32) []byte {
	b := append([]byte{10}, "8.4.3\x00"...)
	b = binary.LittleEndian.AppendUint32(b, thread)
	b = append(b, "saltsalt\x00"...)
	b = binary.LittleEndian.AppendUint16(b, capabilities&0xffff)
	b = append(b, 45, 2, 0) // utf8mb4; autocommit
	b = binary.LittleEndian.AppendUint16(b, capabilities>>16)
	b = append(b, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = append(b, "saltsaltsalt\x00mysql_native_password\x00"...)
	return message(nil, 0, b)
}

// login is the client's answer to the greeting.
func login() []byte {
	b := binary.LittleEndian.AppendUint32(nil, capabilities)
	b = binary.LittleEndian.AppendUint32(b, 1<<24)
	b = append(b, 45)
	b = append(b, make([]byte, 23)...)
	b = append(b, "app\x00\x14"...)
	b = append(b, "hash of twenty bytes"...)
	b = append(b, "shop\x00mysql_native_password\x00"...)
	return message(nil, 1, b)
}

// okay is an OK packet.
func okay(seq byte) []byte { return message(nil, seq, []byte{0, 0, 0, 2, 0, 0, 0}) }

// query appends a COM_QUERY packet.
func query(b []byte, text []byte) []byte {
	n := len(text) + 1
	b = append(b, byte(n), byte(n>>8), byte(n>>16), 0, 3)
	return append(b, text...)
}

// quit is COM_QUIT.
func quit() []byte { return message(nil, 0, []byte{1}) }

// column describes a column of strings.
func column(name string) []byte {
	b := []byte("\x03def\x04shop\x01t\x01t")
	for range 2 {
		b = append(b, byte(len(name)))
		b = append(b, name...)
	}
	return append(b, 12, 45, 0, 255, 0, 0, 0, 0xfd, 0, 0, 0, 0, 0)
}

var endOfRows = []byte{0xfe, 0, 0, 2, 0}

// resultSet is the text result set of one column.
func resultSet(rows int, row []byte) []byte {
	b := message(nil, 1, []byte{1})
	b = message(b, 2, column("c"))
	b = message(b, 3, endOfRows)
	value := make([]byte, 0, len(row)+3)
	if len(row) < 251 {
		value = append(value, byte(len(row)))
	} else {
		value = append(value, 0xfc, byte(len(row)), byte(len(row)>>8))
	}
	value = append(value, row...)
	seq := byte(4)
	for range rows {
		b = message(b, seq, value)
		seq++
	}
	return message(b, seq, endOfRows)
}

// pointSelect appends the text of a query for one row.
func pointSelect(b []byte, id uint64) []byte {
	b = append(b, "SELECT c FROM t WHERE id = "...)
	return strconv.AppendUint(b, id, 10)
}
