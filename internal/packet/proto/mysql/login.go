package mysql

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/tls"
)

// Capabilities that change the shape of packets (include/mysql_com.h).
const (
	capLongPassword   = 1 << 0 // MariaDB: the server is MySQL if set
	capCompress       = 1 << 5
	capProtocol41     = 1 << 9
	capSSL            = 1 << 11
	capDeprecateEOF   = 1 << 24
	capOptionalMeta   = 1 << 25
	capZstd           = 1 << 26
	capQueryAttrs     = 1 << 27
	capMariaCacheMeta = 1 << 36 // MariaDB's own begin at 32
	// capKnown is ours: the login was seen. The bits from 48 are not used by anyone.
	capKnown = 1 << 48
)

// isGreeting says whether a packet of sequence number 0 is the server's greeting
// of protocol version 10: version text, thread, 8 random bytes and a zero.
func isGreeting(b []byte) bool {
	if len(b) < 2 || b[0] != 10 {
		return false
	}
	for i, c := range b[1:] {
		if c == 0 {
			end := 1 + i + 1 + 4 + 8
			return i >= 3 && (end >= len(b) || b[end] == 0)
		}
		if c < ' ' || c > '~' || i > 100 {
			return false
		}
	}
	// A snap length may cut it within the version.
	return len(b) >= 6 && b[1] >= '1' && b[1] <= '9' && (b[2] == '.' || b[3] == '.')
}

// loginMatch judges a packet of sequence number 1 as the client's answer to the
// greeting: its filler of 19 bytes tells. A snap length may have cut it.
func loginMatch(b []byte, size int) proto.Match {
	const filler, end, extra = 9, 28, 32
	switch {
	case size < extra:
		return proto.No
	case len(b) >= 4 && le32(b)&capProtocol41 == 0:
		return proto.No
	}
	for _, c := range b[min(filler, len(b)):min(end, len(b))] {
		if c != 0 {
			return proto.No
		}
	}
	if len(b) < end {
		return proto.Maybe
	}
	return proto.Sure
}

// greeting keeps the capabilities of the server.
func (p *parser) greeting(b []byte) {
	p.phase = phaseAuth
	p.forgetLogin()
	p.side[flow.ToServer].lost = false
	p.caps = 0
	i := 1
	for i < len(b) && b[i] != 0 {
		i++
	}
	i += 1 + 4 + 8 + 1
	if len(b) < i+7 {
		return
	}
	caps := uint64(le16(b[i:])) | uint64(le16(b[i+5:]))<<16
	if caps&capLongPassword == 0 && len(b) >= i+18 {
		caps |= uint64(le32(b[i+14:])) << 32
	}
	p.caps = caps
}

// login keeps the capabilities that both have. length is that of the packet.
func (p *parser) login(b []byte, length uint32) {
	if p.caps&capKnown != 0 || len(b) < 4 {
		return // a later packet of the same login
	}
	caps := uint64(le32(b))
	if length == 32 && caps&capSSL != 0 {
		p.tls = tls.AtLogin(p.sink, loginGoesOn)
		p.forgetLogin()
		return
	}
	if len(b) >= 32 {
		caps |= uint64(le32(b[28:])) << 32 // MySQL leaves it 0
	}
	if p.caps != 0 {
		caps &= p.caps
	}
	p.caps = caps | capKnown
}

// loginAnswer takes a packet of the server during the login at the beginning.
func (p *parser) loginAnswer(b []byte) {
	if len(b) > 0 && b[0] == packetErr {
		p.refuse(b)
		return
	}
	p.resp.Reset()
	if p.caps&capKnown == 0 || len(b) == 0 || b[0] != packetOK {
		return // it asks for more, or the login was not seen
	}
	p.forgetLogin()
	p.phase = phaseCommand
	if p.caps&(capCompress|capZstd) != 0 {
		p.zip = newZip()
		p.zip.clear = true
	}
}

// forgetLogin forgets what the client said to log in: it is no request.
func (p *parser) forgetLogin() {
	if p.waiting == 0 {
		p.cur = request{}
	}
}

// refuse takes the error with which the server ends a login, or with which it
// begins a connection that it does not want.
func (p *parser) refuse(b []byte) {
	if p.refused || p.waiting > 0 {
		return
	}
	p.keepError(b)
	p.failed, p.refused = true, true
	p.side[flow.ToClient].final = true
}

// refusal gives a refused login out.
func (p *parser) refusal() {
	p.cur.cmd, p.cur.depth = comConnect, 1
	status := proto.Answered
	switch {
	case p.cur.span.Empty():
		status = proto.Unpaired
	case p.resp.Empty():
		p.doubt |= proto.Lossy
	}
	p.give(&p.cur, &p.resp, status, p.doubt)
	p.forgetLogin()
	p.newAnswer()
}

// isRefusal says whether the first packet of a server is an error instead of the
// greeting: a number of the server's and its text. Some servers count it as their
// second packet.
func isRefusal(b []byte, size int) bool {
	if len(b) < 4+3+8 || size+4 != len(b) || b[3] > 1 || b[4] != packetErr || le16(b[5:]) < 1000 || le16(b[5:]) >= 2000 {
		return false
	}
	for _, c := range b[7:] {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// loginGoesOn judges an answer to an encrypted login by the length of its last
// packet. The client speaks again after the packet of 2 bytes that asks for the
// whole password (caching_sha2_password, 01 04), and after a change of the method:
// 44 bytes with the names mysql_native_password and caching_sha2_password, 48 with
// client_ed25519. An OK packet, which ends the login, is of 7 bytes and more; one
// that tells of 37 bytes of session state costs an exchange.
func loginGoesOn(_ int, _ int64, record int) bool {
	for _, clear := range [...]int{4 + 2, 4 + 44, 4 + 48} {
		switch record - clear {
		case 16, 17, 24: // ChaCha20 in TLS 1.2, TLS 1.3, GCM in TLS 1.2
			return true
		}
	}
	return false
}
