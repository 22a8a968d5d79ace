package load

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"net/netip"
	"strings"
	"time"

	"rtrail/internal/lab/env"
)

// PacedProduces writes a record to the first partition of a topic of Kafka every so often
// for d, over n connections that stay, and waits for the leader to take it.
func PacedProduces(ctx context.Context, in *env.NetNS, at netip.AddrPort, n int, d, every time.Duration, topic string) (PacedResult, error) {
	request := produce(topic, "7")
	fine := kafkaText(topic) + "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00" // one partition, number 0, error 0
	return dialect{
		greet: func(*Caller) error { return nil },
		ask: func(c *Caller) error {
			return c.call(request, 4, func(b []byte) int { return int(binary.BigEndian.Uint32(b)) }, fine)
		},
	}.paced(ctx, in, at, n, d, every)
}

// produce is a Produce of version 3 with one record.
func produce(topic, value string) []byte {
	be := binary.BigEndian
	var record []byte
	record = append(record, 0, 0, 0) // attributes, and distances of the time and the offset from those of the batch
	record = binary.AppendVarint(record, -1)
	record = binary.AppendVarint(record, int64(len(value)))
	record = append(append(record, value...), 0)
	record = append(binary.AppendVarint(nil, int64(len(record))), record...)

	none := strings.Repeat("\xff", 8+2+4) // no producer ID, no epoch, no sequence
	summed := "\x00\x00" + "\x00\x00\x00\x00" + strings.Repeat("\x00", 16) + none + "\x00\x00\x00\x01" + string(record)
	sum := crc32.Checksum([]byte(summed), crc32.MakeTable(crc32.Castagnoli))
	const magic = 2
	tail := "\xff\xff\xff\xff" + string([]byte{magic}) + string(be.AppendUint32(nil, sum)) + summed
	batch := strings.Repeat("\x00", 8) + string(be.AppendUint32(nil, uint32(len(tail)))) + tail

	const acks, patience = "\x00\x01", "\x00\x00\x13\x88"
	body := "\x00\x00\x00\x03\x00\x00\x00\x01" + kafkaText("lab") + "\xff\xff" + acks + patience +
		"\x00\x00\x00\x01" + kafkaText(topic) + "\x00\x00\x00\x01\x00\x00\x00\x00" + string(be.AppendUint32(nil, uint32(len(batch)))) + batch
	return append(be.AppendUint32(nil, uint32(len(body))), body...)
}

func kafkaText(s string) string {
	return string(binary.BigEndian.AppendUint16(nil, uint16(len(s)))) + s
}
