package tls

import "rtrail/internal/packet/proto"

// Login judges an exchange of an encrypted login. round counts them from 1,
// bytes is the length of the answer as it was sent, record that of its last
// record without the header: the clear text and what encryption adds, which is 16
// to 24 bytes in TLS 1.2 with the usual ciphers and 17 in TLS 1.3. It is true if
// the next exchange is part of the login too.
type Login func(round int, bytes int64, record int) bool

// maxRounds bounds a login: no usual method needs as many.
const maxRounds = 6

// AtLogin makes a parser for a connection on which a protocol changes to TLS
// before its login. The next byte is the first of the ClientHello. The exchanges
// of the login are not given out.
func AtLogin(sink proto.Sink, login Login) proto.Parser {
	p := Protocol.New(sink, false).(*parser)
	p.login = login
	return p
}

// leaveOut passes over an exchange of the login.
func (p *parser) leaveOut(e *proto.Exchange) {
	p.round++
	if p.round >= maxRounds || e.Response.Empty() || !p.login(p.round, e.Response.Bytes(), p.record) {
		p.login = nil
	}
}
