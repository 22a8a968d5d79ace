package mongodb

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// Fields of documents, as bytes.

func number32(n int) string {
	return string(binary.LittleEndian.AppendUint32(nil, uint32(n)))
}

func field(kind byte, name, value string) string { return string([]byte{kind}) + name + "\x00" + value }

func i32(name string, n int) string { return field(typeInt32, name, number32(n)) }

func i64(name string, n int64) string {
	return field(typeInt64, name, string(binary.LittleEndian.AppendUint64(nil, uint64(n))))
}

func double(name string, v float64) string {
	return field(typeDouble, name, string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))))
}

func str(name, value string) string {
	return field(typeString, name, number32(len(value)+1)+value+"\x00")
}

func sub(name string, fields ...string) string { return field(typeDocument, name, doc(fields...)) }

func list(name string, documents ...string) string {
	var all []string
	for i, d := range documents {
		all = append(all, field(typeDocument, strconv.Itoa(i), d))
	}
	return field(typeArray, name, doc(all...))
}

func doc(fields ...string) string {
	all := strings.Join(fields, "")
	return number32(len(all)+5) + all + "\x00"
}

// Messages.

func message32(op, id, to int, body string) string {
	return number32(len(body)+headerSize) + number32(id) + number32(to) + number32(op) + body
}

func msg(id, to, flags int, fields ...string) string {
	return message32(opMsg, id, to, number32(flags)+"\x00"+doc(fields...))
}

func documentsSection(name string, documents ...string) string {
	body := name + "\x00" + strings.Join(documents, "")
	return "\x01" + number32(len(body)+4) + body
}

var fine = double("ok", 1)
