package redis

import (
	"bytes"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// sniff knows a command by its array of strings, and takes words only if the first
// one is a command. Answers are too plain to be sure of: other protocols have
// lines that begin with the same signs.
func sniff(d flow.Dir, data []byte) proto.Match {
	switch {
	case len(data) == 0:
		return proto.Maybe
	case d == flow.ToClient:
		return sniffAnswer(data)
	case data[0] == '*':
		return sniffArray(data)
	}
	return sniffInline(data)
}

func sniffArray(data []byte) proto.Match {
	i := 1
	for i < len(data) && data[i] >= '0' && data[i] <= '9' {
		i++
	}
	rest := data[i:]
	const next = "\r\n$"
	n := min(len(next), len(rest))
	switch {
	case i > 8 || i == 1 && len(rest) > 0 || string(rest[:n]) != next[:n]:
		return proto.No
	case n == len(next):
		return proto.Sure
	}
	return proto.Maybe
}

// sniffInline judges a command in words. HTTP has requests that look like some.
func sniffInline(data []byte) proto.Match {
	line, _, whole := bytes.Cut(data, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	for _, b := range line {
		if (b < ' ' || b > '~') && b != '\t' {
			return proto.No
		}
	}
	word, _, more := bytes.Cut(line, []byte(" "))
	switch {
	case bytes.Contains(line, []byte(" HTTP/")):
		return proto.No
	case !whole && !more && len(word) < len("UNSUBSCRIBE"):
		return proto.Maybe // the word goes on
	case find(bytes.ToUpper(word)) == &stranger:
		return proto.No
	}
	return proto.Maybe
}

// sniffAnswer judges the line that an answer begins with.
func sniffAnswer(data []byte) proto.Match {
	if bytes.IndexByte([]byte("+-:$*_,#!=(%~>|"), data[0]) < 0 {
		return proto.No
	}
	line, _, whole := bytes.Cut(data[1:], []byte("\n"))
	if !whole {
		return proto.Maybe
	}
	line, whole = bytes.CutSuffix(line, []byte("\r"))
	if !whole {
		return proto.No
	}
	switch data[0] {
	case '+':
		switch string(line) {
		case "OK", "PONG", "QUEUED":
			return proto.Likely
		}
	case ':', '$', '*', '%', '~', '>', '|', '!', '=':
		digits := bytes.TrimPrefix(line, []byte("-"))
		for _, b := range digits {
			if b < '0' || b > '9' {
				return proto.No
			}
		}
		if len(digits) == 0 {
			return proto.No
		}
		return proto.Likely
	}
	return proto.Maybe
}
