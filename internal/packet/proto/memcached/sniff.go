package memcached

import (
	"bytes"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// sniff knows the first line of a direction. Commands that store have so many numbers
// in their places that nobody else's have; others are words that further protocols
// use, as Redis does in inline commands: the answer tells.
func sniff(d flow.Dir, data []byte) proto.Match {
	end := bytes.IndexByte(data, '\n')
	line := data
	if end >= 0 {
		line = bytes.TrimSuffix(data[:end], []byte{'\r'})
	}
	for _, c := range line[:min(len(line), maxLine)] {
		if c < ' ' || c == 0x7f {
			return proto.No
		}
	}
	if end < 0 {
		return unfinished(d, line)
	}
	if d == flow.ToServer {
		return sniffCommand(line)
	}
	return sniffAnswer(line)
}

// unfinished judges a line of which only the beginning was seen.
func unfinished(d flow.Dir, line []byte) proto.Match {
	first, _ := word(line)
	known := len(first) < len(line) && (d == flow.ToServer && formOf(first) != nil || d == flow.ToClient && replyOf(first) != nil)
	if known || len(line) < len("lru_crawler ") {
		return proto.Maybe
	}
	return proto.No
}

func sniffCommand(line []byte) proto.Match {
	f, key, _, _, size, ok := read(line)
	switch {
	case !ok || len(key) > maxText:
		return proto.No
	case size >= 0 && f.size == 4:
		_, rest := word(line)
		_, rest = word(rest) // the key
		flags, rest := word(rest)
		expires, _ := word(rest)
		_, a := number(flags)
		_, b := number(bytes.TrimPrefix(expires, []byte{'-'}))
		if a && b {
			return proto.Sure
		}
		return proto.No
	case f.key > 0:
		return proto.Likely
	}
	return proto.Maybe
}

func sniffAnswer(line []byte) proto.Match {
	first, _ := word(line)
	r := replyOf(first)
	switch {
	case r == nil && isCounter(line):
		return proto.Maybe
	case r == nil:
		return proto.No
	case r.value == 3:
		if _, ok := r.valueSize(line); ok {
			return proto.Sure
		}
		return proto.No
	case r.word == "STORED", r.word == "NOT_STORED", r.word == "END", r.word == "HD", r.word == "EN", r.word == "CLIENT_ERROR", r.word == "SERVER_ERROR":
		return proto.Likely
	}
	return proto.Maybe
}

// begins says whether a chunk begins with a command or an answer.
func begins(d flow.Dir, data []byte) bool {
	fit := sniff(d, data)
	return fit == proto.Sure || fit == proto.Likely
}
