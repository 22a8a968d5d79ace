package mqtt

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// sniff knows CONNECT by the name of the protocol, and others by headers and lengths
// that fit to the byte.
func sniff(d flow.Dir, data []byte) proto.Match {
	if len(data) > 0 && data[0] == connect<<4 && d == flow.ToServer {
		return sniffConnect(data)
	}
	for seen := 0; ; seen++ {
		if len(data) == 0 {
			return proto.Likely
		}
		size := extent(data)
		if size > len(data) {
			return proto.Maybe
		}
		total := length(d, data[:size])
		if total == 0 || !plausible(data[0], data[size:min(int64(len(data)), total)]) {
			return proto.No
		}
		if int64(len(data)) < total {
			if seen > 0 || data[0]>>4 == publish && named(data[size:]) {
				return proto.Likely
			}
			return proto.Maybe
		}
		data = data[total:]
	}
}

// sniffConnect judges what may be a CONNECT.
func sniffConnect(data []byte) proto.Match {
	size := extent(data)
	if size > len(data) {
		return proto.Maybe
	}
	if length(flow.ToServer, data[:size]) == 0 {
		return proto.No
	}
	for _, name := range []string{"\x00\x04MQTT\x04", "\x00\x04MQTT\x05", "\x00\x06MQIsdp\x03"} {
		n := min(len(data)-size, len(name))
		if string(data[size:size+n]) == name[:n] {
			if n == len(name) {
				return proto.Sure
			}
			return proto.Maybe
		}
	}
	return proto.No
}

// begins says whether a chunk begins with a packet.
func begins(d flow.Dir, data []byte) bool {
	fit := sniff(d, data)
	return fit == proto.Sure || fit == proto.Likely
}

// plausible says whether a body, or its beginning, can be that of a packet.
func plausible(first byte, body []byte) bool {
	switch first >> 4 {
	case connack:
		return len(body) < 2 || body[0] <= 1 && (body[1] < byte(len(returned)) || body[1] >= refused)
	case publish:
		return hasTopic(body)
	case puback, pubrec, pubrel, pubcomp, subscribe, suback, unsubscribe, unsuback:
		return len(body) < 2 || binary.BigEndian.Uint16(body) > 0
	}
	return true
}

// hasTopic says whether a PUBLISH begins with a topic, which may have no wildcards and
// no control characters. An empty one has an alias.
func hasTopic(body []byte) bool {
	if len(body) < 2 {
		return true
	}
	topic := body[2:]
	if n := int(binary.BigEndian.Uint16(body)); len(topic) >= n {
		topic = topic[:n]
		if !utf8.Valid(topic) {
			return false
		}
	}
	return bytes.IndexFunc(topic, func(r rune) bool { return r < ' ' || r == '+' || r == '#' }) < 0
}

// named says whether the topic of a PUBLISH is there as a whole.
func named(body []byte) bool {
	return len(body) > 2 && body[0] == 0 && body[1] > 0 && len(body) >= 2+int(body[1])
}
