// Package dns pairs DNS queries with their answers, over UDP (Tracker) and over
// TCP (Protocol).
//
// The command of an exchange is the type asked for (A, AAAA, PTR...; NOTIFY and
// UPDATE for those), its text the name in lower case without the final dot, its
// code the one of the answer: NOERROR, NXDOMAIN, SERVFAIL... or TRUNCATED if the
// answer did not fit and the client has to ask again over TCP. Rows counts the
// records of the answer section.
//
// Failed is set if the server did not do its work: FORMERR, SERVFAIL, NOTIMP,
// REFUSED and the like. NXDOMAIN is not a failure: the server says, as it
// should, that the name does not exist. Clients ask for such names all the time
// because of search lists.
//
// Multicast DNS (port 5353) is left out: it has no requests with answers.
package dns

import (
	"encoding/binary"
	"strconv"
)

const (
	header  = 12
	maxName = 255 // bytes of an encoded name: RFC 1035, 2.3.4
	maxText = 4 * maxName
	// maxJumps bounds the pointers that are followed in one name. Each must point
	// before the last, so that there are no loops anyway.
	maxJumps = 16
	// question is as much of a message as is looked at: RFC 1035, 4.1.
	question = header + maxName + 4
)

// Flags and codes of the header: RFC 1035, 4.1.1.
const (
	response  = 1 << 15
	truncated = 1 << 9
	recursion = 1 << 8

	query  = 0
	notify = 4
	update = 5
)

// message is what is needed of a message.
type message struct {
	id      uint16
	flags   uint16
	kind    uint16
	asked   bool // there is a question
	cut     bool // the name was not captured to its end
	answers uint16
	name    []byte // in the buffer of the caller
}

func (m *message) isResponse() bool { return m.flags&response != 0 }

// parse reads a header and the question. It returns false for what is no DNS.
// name is appended to the buffer. partial says that the bytes end before the
// message does.
func (m *message) parse(b, buffer []byte, partial bool) bool {
	if !plausible(b) {
		return false
	}
	be := binary.BigEndian
	*m = message{id: be.Uint16(b), flags: be.Uint16(b[2:]), answers: be.Uint16(b[6:])}
	if be.Uint16(b[4:]) == 0 {
		return true
	}
	m.asked = true
	name, after, ok := readName(b, header, buffer)
	m.name = name
	if !ok || after+4 > len(b) {
		m.cut = true
		return partial
	}
	m.kind = be.Uint16(b[after:])
	return true
}

// plausible says whether a header may be one of DNS: an opcode in use, at most
// one question, exactly one in a request, and no response code in a request.
func plausible(b []byte) bool {
	if len(b) < header {
		return false
	}
	flags, questions := binary.BigEndian.Uint16(b[2:]), binary.BigEndian.Uint16(b[4:])
	switch flags >> 11 & 15 {
	case query, notify, update:
	default:
		return false
	}
	if flags&response == 0 {
		return questions == 1 && flags&15 == 0
	}
	return questions <= 1
}

// asksOne says whether a whole message has the one question of a query or of its
// answer, in a class that is in use, of a type that is known, and no other bits and
// counts than those have: other protocols do not happen to look like that.
func asksOne(b []byte) bool {
	if !plausible(b) || binary.BigEndian.Uint16(b[4:]) != 1 {
		return false
	}
	flags, answers, authorities, more := binary.BigEndian.Uint16(b[2:]), binary.BigEndian.Uint16(b[6:]), binary.BigEndian.Uint16(b[8:]), binary.BigEndian.Uint16(b[10:])
	if flags&response == 0 && (flags>>11 != query || answers != 0 || authorities != 0 || more > 2) {
		return false
	}
	if flags&response != 0 && flags>>11&15 != query {
		return false
	}
	var space [maxText + 64]byte
	_, after, ok := readName(b, header, space[:0])
	if !ok || after+4 > len(b) {
		return false
	}
	kind, class := binary.BigEndian.Uint16(b[after:]), binary.BigEndian.Uint16(b[after+2:])
	_, known := types[kind]
	const internet, chaos, all = 1, 3, 255
	return known && (class == internet || class == chaos || class == all)
}

// readName appends the name at an offset to a buffer, in lower case, labels
// parted by dots, other bytes than printable ones as \DDD. It returns the offset
// after it, and false if it is not complete.
func readName(b []byte, i int, buffer []byte) (name []byte, after int, ok bool) {
	size, jumps, lowest := 0, 0, i
	for {
		if i >= len(b) {
			return buffer, after, false
		}
		n := int(b[i])
		switch {
		case n == 0:
			if after == 0 {
				after = i + 1
			}
			if size == 0 {
				buffer = append(buffer, '.')
			}
			return buffer, after, true
		case n >= 0xc0:
			if i+1 >= len(b) {
				return buffer, after, false
			}
			to := n&0x3f<<8 | int(b[i+1])
			if after == 0 {
				after = i + 2
			}
			if jumps++; jumps > maxJumps || to >= lowest {
				return buffer, after, false
			}
			i, lowest = to, to
		case n > 63:
			return buffer, after, false
		default:
			if size += n + 1; size >= maxName || i+1+n > len(b) {
				return buffer, after, false
			}
			if size > n+1 {
				buffer = append(buffer, '.')
			}
			buffer = appendLabel(buffer, b[i+1:i+1+n])
			i += 1 + n
		}
	}
}

func appendLabel(buffer, label []byte) []byte {
	for _, c := range label {
		switch {
		case c >= 'A' && c <= 'Z':
			buffer = append(buffer, c|0x20)
		case c == '.', c == '\\':
			buffer = append(buffer, '\\', c)
		case c > ' ' && c < 0x7f:
			buffer = append(buffer, c)
		default:
			buffer = append(buffer, '\\', '0'+c/100, '0'+c/10%10, '0'+c%10)
		}
	}
	return buffer
}

// types are the names of https://www.iana.org/assignments/dns-parameters that
// are in use.
var types = map[uint16]string{
	1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 10: "NULL", 12: "PTR", 13: "HINFO", 15: "MX", 16: "TXT", 17: "RP", 18: "AFSDB",
	24: "SIG", 25: "KEY", 28: "AAAA", 29: "LOC", 33: "SRV", 35: "NAPTR", 37: "CERT", 39: "DNAME", 41: "OPT", 42: "APL",
	43: "DS", 44: "SSHFP", 45: "IPSECKEY", 46: "RRSIG", 47: "NSEC", 48: "DNSKEY", 49: "DHCID", 50: "NSEC3", 51: "NSEC3PARAM",
	52: "TLSA", 53: "SMIMEA", 55: "HIP", 59: "CDS", 60: "CDNSKEY", 61: "OPENPGPKEY", 62: "CSYNC", 63: "ZONEMD",
	64: "SVCB", 65: "HTTPS", 99: "SPF", 108: "EUI48", 109: "EUI64", 249: "TKEY", 250: "TSIG", 251: "IXFR", 252: "AXFR",
	255: "ANY", 256: "URI", 257: "CAA", 32768: "TA", 32769: "DLV",
}

const (
	ixfr = 251
	axfr = 252
)

// command is what was asked for.
func command(flags, kind uint16) string {
	switch flags >> 11 & 15 {
	case notify:
		return "NOTIFY"
	case update:
		return "UPDATE"
	}
	if s, ok := types[kind]; ok {
		return s
	}
	return "TYPE" + strconv.Itoa(int(kind))
}

// codes are the response codes that a header can hold.
var codes = [16]string{"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET", "NXRRSET",
	"NOTAUTH", "NOTZONE", "DSOTYPENI", "RCODE12", "RCODE13", "RCODE14", "RCODE15"}

// outcome is the code of an answer and whether it is a failure.
func (m *message) outcome() (code string, failed bool) {
	c := m.flags & 15
	if c == 0 && m.flags&truncated != 0 {
		return "TRUNCATED", false
	}
	return codes[c], c != 0 && c != 3
}
