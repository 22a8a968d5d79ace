package http

import (
	"bytes"
	"net/http"
	"strings"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// methods are those of RFC 9110, PATCH, WebDAV's and those of caches.
var methods = [...]string{"GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE",
	"PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH", "PURGE", "BAN", "MKCALENDAR", "QUERY"}

// word is the method as a string that does not hold the packet.
func word(method []byte) string {
	if known := Method(method); known != "" {
		return known
	}
	return string(method)
}

// Method is a method that is known as a string that does not hold the packet; "": it is
// not known.
func Method(method []byte) string {
	switch string(method) {
	case "GET":
		return "GET"
	case "POST":
		return "POST"
	case "HEAD":
		return "HEAD"
	case "PUT":
		return "PUT"
	}
	for _, m := range methods {
		if string(method) == m {
			return m
		}
	}
	return ""
}

// codes are the three digits of every status.
var codes = func() (list [1000]string) {
	for i := range list {
		list[i] = string([]byte{'0' + byte(i/100), '0' + byte(i/10%10), '0' + byte(i%10)})
	}
	return list
}()

// Status is a status from 0 to 999 as text, without a new string.
func Status(code int) string { return codes[code] }

// maxPhrase bounds the reason that is kept.
const maxPhrase = 128

// Phrase is the reason as the server worded it, or the usual one if it did not.
func Phrase(code int, reason []byte) string {
	usual := http.StatusText(code)
	if len(reason) == 0 || string(reason) == usual {
		return usual
	}
	return strings.ToValidUTF8(string(reason[:min(len(reason), maxPhrase)]), "�")
}

// isToken says whether a byte may begin a method. Methods are case-sensitive,
// and all that are in use are upper case.
func isToken(b byte) bool { return b >= 'A' && b <= 'Z' }

// maxMethod is the length of the longest word that is taken for a method.
const maxMethod = 24

// splitRequest takes a request line apart. Of a long one, only the beginning is
// there.
func splitRequest(line []byte, long bool) (method, target []byte, ok bool) {
	i := bytes.IndexByte(line, ' ')
	if i < 2 || i > maxMethod {
		return nil, nil, false
	}
	for _, b := range line[:i] {
		if !isToken(b) && b != '-' && b != '_' {
			return nil, nil, false
		}
	}
	method, target = line[:i], line[i+1:]
	if long {
		return method, target, len(target) > 0
	}
	n := len(target) - len(" HTTP/1.1")
	if n < 1 {
		return nil, nil, false
	}
	version := target[n:]
	if string(version[:8]) != " HTTP/1." || version[8] < '0' || version[8] > '9' {
		return method, target[:n], string(line) == "PRI * HTTP/2.0"
	}
	return method, target[:n], true
}

// splitStatus takes a status line apart.
func splitStatus(line []byte) (code int, reason []byte, ok bool) {
	if len(line) < len("HTTP/1.1 200") || string(line[:7]) != "HTTP/1." || line[8] != ' ' {
		return 0, nil, false
	}
	for _, b := range line[9:12] {
		if b < '0' || b > '9' {
			return 0, nil, false
		}
		code = code*10 + int(b-'0')
	}
	if code < 100 || len(line) > 12 && line[12] != ' ' {
		return 0, nil, false
	}
	if len(line) > 13 {
		reason = line[13:]
	}
	return code, reason, true
}

// beginsRequest says whether data begins with a method that is known.
func beginsRequest(data []byte) bool {
	for _, m := range methods {
		if len(data) > len(m) && data[len(m)] == ' ' && string(data[:len(m)]) == m {
			return true
		}
	}
	return false
}

// beginsResponse says whether data begins with a version and a status.
func beginsResponse(data []byte) bool {
	return len(data) >= 9 && string(data[:7]) == "HTTP/1." && data[8] == ' '
}

// value is what follows "name:" in a field, if the field has that name (given in
// lower case).
func value(line []byte, name string) ([]byte, bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !equalFold(line[:len(name)], name) {
		return nil, false
	}
	return bytes.TrimSpace(line[len(name)+1:]), true
}

func equalFold(b []byte, lower string) bool {
	for i := range lower {
		if c := b[i]; c != lower[i] && (c < 'A' || c > 'Z' || c|0x20 != lower[i]) {
			return false
		}
	}
	return true
}

func endsWithFold(b []byte, lower string) bool {
	return len(b) >= len(lower) && equalFold(b[len(b)-len(lower):], lower)
}

// maxLength bounds lengths, so that sums cannot overflow: an exabyte.
const maxLength = 1 << 60

func decimal(b []byte) (n int64, ok bool) {
	for i, c := range b {
		if c == ',' && i > 0 {
			break // a list of equal values (RFC 9110, 8.6)
		}
		if c < '0' || c > '9' || n > maxLength/10 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(b) > 0
}

// hexadecimal is the number at the beginning of a chunk's size line; extensions
// may follow it.
func hexadecimal(b []byte) (n int64, ok bool) {
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return n, i > 0 && (c == ';' || c == ' ' || c == '\t')
		}
		if n > maxLength/16 {
			return 0, false
		}
		n = n*16 + int64(c)
	}
	return n, len(b) > 0
}

// sniff knows a request by its method and, where the line is complete, by its
// version; and an answer by its version. Nothing else begins a message.
func sniff(d flow.Dir, data []byte) proto.Match {
	if len(data) == 0 {
		return proto.Maybe
	}
	if d == flow.ToClient {
		return sniffAnswer(data)
	}
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		line := data[:i]
		if i > 0 && line[i-1] == '\r' {
			line = line[:i-1]
		}
		if _, _, ok := splitRequest(line, false); !ok || !bytes.Contains(line, []byte(" HTTP/1.")) {
			return proto.No // HTTP/2, RTSP, SIP, an inline command of Redis
		}
		return proto.Sure
	}
	if !beginsRequest(data) {
		for _, m := range methods {
			if len(data) <= len(m) && m[:len(data)] == string(data) {
				return proto.Maybe
			}
		}
		return proto.No
	}
	target := data[bytes.IndexByte(data, ' ')+1:]
	if len(target) > 0 && (target[0] == '/' || bytes.HasPrefix(target, []byte("http"))) {
		return proto.Sure
	}
	return proto.Maybe
}

func sniffAnswer(data []byte) proto.Match {
	const version = "HTTP/1."
	n := min(len(version), len(data))
	switch {
	case string(data[:n]) != version[:n]:
		return proto.No
	case n < len(version):
		return proto.Maybe
	}
	return proto.Sure
}
