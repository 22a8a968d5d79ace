package mysqlconn

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-sql-driver/mysql"
)

// login is what a server may be given, and how far the login is. The driver makes
// the answers to a server's challenges; what leaves this host is decided here.
type login struct {
	password Secret
	// encrypt is the TLS to make; nil: none.
	encrypt *tls.Config
	// optional says that a server without TLS is talked to without it.
	optional bool
	// named says that the user named the server: others are never shown the
	// password itself.
	named bool
	// private says that nobody else can read the connection: a Unix socket.
	private bool
	// serverKey says that the server's RSA key is taken on trust to encrypt the
	// password where nothing else does. Whoever sits in between has one as well.
	serverKey bool

	method    string // of authentication, by the name of its plugin
	packets   int    // of the server
	encrypted bool   // TLS was made
	offered   bool   // TLS, in the greeting
}

// Capabilities of the protocol (include/mysql_com.h).
const (
	capTLS = 0x800
	// capUnderstood are those of which the wire knows what they change: long
	// passwords and flags, a database, protocol 4.1, transactions, challenges
	// with answers, plugins, attributes of the client. Not among them are files of
	// the client, compression, several statements and several results, and ends
	// of answers in another form.
	capUnderstood = 0x1 | 0x4 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x80000 | 0x100000 | 0x200000
)

// Methods of authentication. To the first two and the last one the password is
// never shown; the second and the third one may ask for it.
const (
	methodNative      = "mysql_native_password"
	methodCachingSHA2 = "caching_sha2_password"
	methodSHA256      = "sha256_password"
	methodEd25519     = "client_ed25519"
)

var methods = []string{methodNative, methodCachingSHA2, methodSHA256, methodEd25519}

// withheld is a password that a server wanted and did not get.
type withheld struct{ why string }

func (e *withheld) Error() string { return e.why }

// How the texts of withheld passwords begin, for Remedy.
const (
	passwordWanted  = "the server wants the password itself"
	wantedUnnamed   = passwordWanted + ", which goes to no server that was not named"
	wantedPlain     = passwordWanted + ", and the connection is not encrypted"
	methodUnwanted  = "the server wants a way to log in that rtrail refuses"
	unwantedOldForm = "mysql_old_password"
)

// mayShow says whether the server can be shown the password.
func (l *login) mayShow() error {
	switch {
	case l.password == "":
		return nil
	case !l.named:
		return &withheld{wantedUnnamed}
	case !l.encrypted && !l.private && !l.serverKey:
		return &withheld{wantedPlain}
	}
	return nil
}

// begins reads the greeting, and gives it to the driver as one of a server with
// the capabilities that the wire understands.
func (w *wire) begins() error {
	first, err := w.in.Peek(headerLength)
	if err == nil && first[3] <= maxGreetingNumber {
		first, err = w.in.Peek(headerLength + 1)
	}
	if err != nil && len(first) == 0 {
		return unexpectedEnd(err)
	}
	if err != nil || !beginsGreeting(first) {
		return w.notMySQL()
	}
	if n := int(first[0]) | int(first[1])<<8 | int(first[2])<<16; n > maxGreeting {
		return w.notMySQL()
	}
	payload, err := w.packet(maxGreeting)
	if err != nil {
		return err
	}
	if payload[0] == packetError {
		if payload, err = errorWithin(payload); err != nil {
			return err
		}
		w.stage = atEnd
		w.pass(payload)
		return nil
	}
	return w.greeted(payload)
}

// greeted reads a greeting (Protocol::HandshakeV10): the version up to a zero
// byte, the connection's ID (4), a challenge (8), a zero byte, capabilities (2),
// and since 4.1 the character set, the status (2), more capabilities (2), the
// challenge's length, ten zero bytes, the rest of the challenge (13 or more) and
// the method of authentication.
func (w *wire) greeted(p []byte) error {
	const oldest = 10 // version of the protocol
	version := bytes.IndexByte(p, 0)
	at := version + 1 + 4 + 8 + 1
	switch {
	case p[0] < oldest:
		return breachf("a greeting of before 1998 (protocol %d)", p[0])
	case version < 0 || len(p) < at+2+1+2+2+1+10+13:
		return breachf("a greeting that ends too early")
	}
	low, high := p[at:at+2], p[at+5:at+7]
	w.login.offered = binary.LittleEndian.Uint16(low)&capTLS != 0
	if w.login.encrypt != nil && !w.login.offered {
		if !w.login.optional {
			return mysql.ErrNoTLS
		}
		w.login.encrypt = nil
	}
	capabilities := uint32(capUnderstood)
	binary.LittleEndian.PutUint16(low, binary.LittleEndian.Uint16(low)&uint16(capabilities&0xffff))
	binary.LittleEndian.PutUint16(high, binary.LittleEndian.Uint16(high)&uint16(capabilities>>16))
	plugin := at + 18 + 13
	w.login.method, _, _ = nulled(p[plugin:])
	if slices.Contains(methods, w.login.method) && w.login.method != methodSHA256 {
		w.pass(p)
		return nil
	}
	// The driver would answer in a way that depends on what it knows of TLS. With
	// another method the server asks for its own in a packet that comes here.
	w.login.method = methodNative
	w.buffer = append(w.buffer[:headerLength+plugin], methodNative+"\x00"...)
	w.pass(w.buffer[headerLength:])
	return nil
}

// nulled is a text up to its zero byte, and what follows.
func nulled(b []byte) (text string, rest []byte, ok bool) {
	before, rest, ok := bytes.Cut(b, []byte{0})
	return string(before), rest, ok
}

// sendLogin sends what the driver has to say while it logs in: first who it is,
// then answers to what the server wants.
func (w *wire) sendLogin(b []byte) error {
	b = slices.Clone(b)
	if w.login.packets == 0 {
		const flags, short = headerLength, headerLength + 32
		if len(b) < short {
			return errors.New("log in: the driver's packet is too short")
		}
		capabilities := binary.LittleEndian.Uint32(b[flags:]) & capUnderstood
		if w.login.encrypt != nil {
			capabilities |= capTLS
		}
		binary.LittleEndian.PutUint32(b[flags:], capabilities)
		if w.login.encrypt != nil {
			if err := w.encrypt(b[:short]); err != nil {
				return err
			}
		}
	} else if w.login.method == methodSHA256 && len(b) == headerLength+1 && b[headerLength] == 1 {
		// The driver asks for the server's key, as it knows of no TLS.
		if err := w.login.mayShow(); err != nil {
			return err
		}
		if w.login.encrypted {
			b = append(append(b[:headerLength], w.login.password...), 0)
			b[0], b[1], b[2] = byte(len(b)-headerLength), byte((len(b)-headerLength)>>8), 0
		}
	}
	if w.login.encrypted {
		b[3]++ // the driver does not know of the packet that asked for TLS
	}
	_, err := w.conn.Write(b)
	return err
}

// encrypt asks for TLS with the beginning of the login packet, and makes it.
func (w *wire) encrypt(request []byte) error {
	if w.in.Buffered() > 0 {
		// It would be taken for what was said within TLS.
		return breachf("something after its greeting that was not asked for")
	}
	request = slices.Clone(request)
	request[0], request[1], request[2] = byte(len(request)-headerLength), 0, 0
	if _, err := w.conn.Write(request); err != nil {
		return err
	}
	c := tls.Client(w.socket, w.login.encrypt)
	if err := c.Handshake(); err != nil { // bounded by the deadline of the socket
		return fmt.Errorf("make TLS: %w", err)
	}
	w.conn, w.in = c, bufio.NewReaderSize(c, 16<<10)
	w.login.encrypted = true
	return nil
}

// nextLogin reads what a server answers while a client logs in.
func (w *wire) nextLogin() error {
	payload, err := w.packet(maxAuthPacket)
	if err != nil {
		return err
	}
	if w.login.packets++; w.login.packets > maxAuthPackets {
		return breachf("more packets than any login needs")
	}
	switch payload[0] {
	case packetOK:
		if err := checkOK(payload); err != nil {
			return err
		}
		w.stage = atRest
	case packetError:
		if payload, err = errorWithin(payload); err != nil {
			return err
		}
		w.stage = atEnd
	case packetEnd:
		if err := w.login.change(payload); err != nil {
			return err
		}
	case packetMore:
		if err := w.login.more(payload[1:]); err != nil {
			return err
		}
	default:
		return breachf("a packet that has no place in a login")
	}
	if w.login.encrypted {
		w.buffer[3]--
	}
	w.pass(payload)
	return nil
}

// change takes another method of authentication, once the server asks for it.
func (l *login) change(p []byte) error {
	if len(p) == 1 {
		return &withheld{methodUnwanted + ": " + unwantedOldForm}
	}
	method, challenge, ok := nulled(p[1:])
	if !ok || len(challenge) > 255 {
		return breachf("a packet that ends too early")
	}
	if !slices.Contains(methods, method) {
		return &withheld{fmt.Sprintf("%s: %.64q", methodUnwanted, method)}
	}
	l.method = method
	return nil
}

// more judges what a method says beyond its challenge.
func (l *login) more(p []byte) error {
	const fast, full = 3, 4 // of caching_sha2_password
	switch {
	case l.method == methodCachingSHA2 && len(p) == 1 && p[0] == fast:
		return nil
	case l.method == methodCachingSHA2 && len(p) == 1 && p[0] == full:
		return l.mayShow()
	case (l.method == methodCachingSHA2 || l.method == methodSHA256) && !l.encrypted:
		return l.mayShow() // the server's key
	}
	return breachf("a packet that has no place in a login")
}

// notMySQL says what came instead of a greeting.
func (w *wire) notMySQL() error {
	first, _ := w.in.Peek(min(w.in.Buffered(), maxFirst))
	return &notMySQL{bytes.Clone(first)}
}

var _ io.ReadWriteCloser = (*wire)(nil)
