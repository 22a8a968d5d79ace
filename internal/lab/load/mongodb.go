package load

import (
	"context"
	"encoding/binary"
	"net/netip"
	"strings"
	"time"

	"rtrail/internal/lab/env"
)

// PacedFinds asks MongoDB for a document of a collection of the database lab every so often
// for d, over n connections that stay. Each connection writes one first.
func PacedFinds(ctx context.Context, in *env.NetNS, at netip.AddrPort, n int, d, every time.Duration, collection string) (PacedResult, error) {
	insert := command(bsonText("insert", collection), "\x04documents\x00"+bson("\x030\x00"+bson(bsonText("name", "hits"))))
	find := command(bsonText("find", collection), "\x10limit\x00\x01\x00\x00\x00", "\x08singleBatch\x00\x01")
	const fine = "\x01ok\x00\x00\x00\x00\x00\x00\x00\xf0\x3f" // the number 1
	call := func(c *Caller, request []byte) error {
		return c.call(request, 4, func(b []byte) int { return int(binary.LittleEndian.Uint32(b)) - 4 }, fine)
	}
	return dialect{
		greet: func(c *Caller) error { return call(c, insert) },
		ask:   func(c *Caller) error { return call(c, find) },
	}.paced(ctx, in, at, n, d, every)
}

// command is an OP_MSG with one document.
func command(fields ...string) []byte {
	le := binary.LittleEndian
	const opMsg = 2013
	body := strings.Repeat("\x00", 5) + bson(append(fields, bsonText("$db", "lab"))...)
	header := le.AppendUint32(nil, uint32(len(body)+16))
	header = le.AppendUint32(header, 1) // its number
	header = le.AppendUint32(header, 0) // and that of the request that it answers
	header = le.AppendUint32(header, opMsg)
	return append(header, body...)
}

// bson is a document of encoded fields.
func bson(fields ...string) string {
	all := strings.Join(fields, "")
	return string(binary.LittleEndian.AppendUint32(nil, uint32(len(all)+5))) + all + "\x00"
}

func bsonText(name, value string) string {
	return "\x02" + name + "\x00" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(value)+1))) + value + "\x00"
}
