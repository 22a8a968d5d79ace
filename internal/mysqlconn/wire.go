package mysqlconn

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// Bounds of what a server may send. The driver allocates what a server announces:
// a column count of 2^32 alone would end the process.
const (
	// maxGreeting is the largest first packet: real ones have about 100 bytes.
	maxGreeting = 1 << 10
	// maxAuthPacket is the largest packet of a login: one with a key of RSA has
	// about 450 bytes, an error at most 2 KiB.
	maxAuthPacket = 8 << 10
	// maxAuthPackets is how many packets the server may send to log in. Four are
	// the most that any method needs.
	maxAuthPackets = 8
	// maxColumns of an answer: SHOW REPLICA STATUS, the widest one that rtrail asks
	// for, has about 60.
	maxColumns = 256
	// maxColumnPacket is the definition of one column: six names of 256 bytes.
	maxColumnPacket = 4 << 10
	// maxRow is one row: the status of InnoDB has up to 1 MiB.
	maxRow = 4 << 20
	// maxErrorText is how much of the server's error texts is read on; its own are
	// shorter than 512 characters.
	maxErrorText = 1 << 10
	// maxAnswer bytes and maxRowPackets rows are read of one answer, to throw most
	// of it away; then the connection is given up. 10,000 sessions with statements
	// of 4 KiB are 40 MiB.
	maxAnswer     = 64 << 20
	maxRowPackets = 300_000
	// maxPerSecond is how many bytes are read in a second; the rest waits in the
	// server.
	maxPerSecond = 16 << 20
	// keptBuffer is the largest buffer that is kept for the next packet.
	keptBuffer = 256 << 10
)

// stage is what the server may say next.
type stage int

const (
	atLogin      stage = iota // it greets and authenticates
	atRest                    // nothing: it has answered everything
	atReply                   // the first packet of an answer
	atPing                    // the answer to a ping
	atColumns                 // definitions of columns, and the end of them
	atRows                    // rows, and the end of them
	atPrepare                 // the first packet of the answer to a prepare
	atParameters              // definitions of parameters, and the end of them
	atDescribed               // definitions of columns of a prepared statement, and the end of them
	atEnd                     // nothing: it has refused the login
)

// wire is a connection to a server below the driver. It lets packets through to
// the driver that are as they should be, within bounds, and ends the connection
// at the first one that is not. It makes TLS itself, so that it sees what the
// driver sees.
//
// Read and Write are called by one goroutine at a time, as the driver does; Close
// by any.
type wire struct {
	socket net.Conn
	conn   net.Conn // the socket, or TLS on top of it
	in     *bufio.Reader
	login  login
	stage  stage
	left   uint64 // definitions of columns or parameters that are still due
	// columns of a prepared statement are due after its parameters.
	columns uint64
	ready   []byte // checked, and not yet read by the driver
	buffer  []byte // the latest packet with its header
	err     error  // why the connection is of no use any more

	answered, rows int // bytes and rows of the answer that is under way
	second         time.Time
	read           int // bytes in this second

	closing sync.Once
	closed  chan struct{}
}

func newWire(socket net.Conn, l login) *wire {
	return &wire{socket: socket, conn: socket, in: bufio.NewReaderSize(socket, 16<<10), login: l, closed: make(chan struct{})}
}

// breach is what a server said that none says, or more of it than is read.
type breach struct{ what string }

// breachBegins is how the text of every breach begins.
const breachBegins = "the server sends "

func (e *breach) Error() string { return breachBegins + e.what }
func (e *breach) Unwrap() error { return ErrNotMySQL }

func breachf(format string, args ...any) error { return &breach{fmt.Sprintf(format, args...)} }

// Read gives the driver what was checked.
func (w *wire) Read(b []byte) (int, error) {
	for len(w.ready) == 0 {
		if w.err != nil {
			return 0, w.err
		}
		if err := w.next(); err != nil {
			w.err = err
			return 0, err
		}
	}
	n := copy(b, w.ready)
	w.ready = w.ready[n:]
	return n, nil
}

// Write sends a packet of the driver, which writes one at a time.
func (w *wire) Write(b []byte) (int, error) {
	err := w.err
	if err == nil {
		err = w.send(b)
	}
	if err != nil {
		w.err = err
		return 0, err
	}
	return len(b), nil
}

const (
	comQuit  = 1
	comQuery = 3
	comPing  = 14
)

// send lets commands pass to which the answer is known: statements, as text and
// prepared, and pings.
func (w *wire) send(b []byte) error {
	if len(b) < 5 {
		return errors.New("send to the server: a packet without a command")
	}
	switch {
	case w.stage == atLogin:
		return w.sendLogin(b)
	case b[4] == comQuit:
		w.stage = atEnd
	case w.stage != atRest:
		return errors.New("send to the server: its last answer has not ended")
	case w.in.Buffered() > 0:
		return breachf("something that was not asked for")
	case b[4] == comPing:
		w.stage = atPing
	case b[4] == comQuery || b[4] == comExecute:
		w.stage = atReply
	case b[4] == comPrepare:
		w.stage = atPrepare
	case b[4] == comForget: // has no answer
	default:
		return fmt.Errorf("send to the server: rtrail has no use for command %d", b[4])
	}
	w.answered, w.rows = 0, 0
	_, err := w.conn.Write(b)
	return err
}

// headerLength is that of a packet: three bytes of length, and its number.
const headerLength = 4

// packet reads one packet of at most so many bytes into the buffer, which grows
// with what has come, not with what is announced.
func (w *wire) packet(most int) (payload []byte, err error) {
	if cap(w.buffer) > keptBuffer {
		w.buffer = nil
	}
	w.buffer = slices.Grow(w.buffer[:0], headerLength)[:headerLength]
	if _, err := io.ReadFull(w.in, w.buffer); err != nil {
		return nil, unexpectedEnd(err)
	}
	n := int(w.buffer[0]) | int(w.buffer[1])<<8 | int(w.buffer[2])<<16
	switch {
	case n == 0:
		return nil, breachf("an empty packet")
	case n > most:
		return nil, breachf("a packet of %d bytes where %d are the most", n, most)
	}
	w.limit(n)
	w.answered += headerLength + n
	for end := headerLength + n; len(w.buffer) < end; {
		from := len(w.buffer)
		part := min(end-from, max(from, 4<<10))
		w.buffer = slices.Grow(w.buffer, part)[:from+part]
		if _, err := io.ReadFull(w.in, w.buffer[from:]); err != nil {
			return nil, unexpectedEnd(err)
		}
	}
	return w.buffer[headerLength:], nil
}

// unexpectedEnd keeps the driver from taking the end of a connection for the end
// of an answer.
func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// limit waits until more may be read: who sends faster has to wait.
func (w *wire) limit(n int) {
	now := time.Now()
	if now.Sub(w.second) >= time.Second {
		w.second, w.read = now, 0
	}
	if w.read += n; w.read <= maxPerSecond {
		return
	}
	rest := time.NewTimer(time.Until(w.second.Add(time.Second)))
	defer rest.Stop()
	select {
	case <-rest.C:
	case <-w.closed:
	}
	w.second, w.read = time.Now(), n
}

// pass gives the packet in the buffer to the driver, or as much of it.
func (w *wire) pass(payload []byte) {
	n := len(payload)
	w.buffer[0], w.buffer[1], w.buffer[2] = byte(n), byte(n>>8), byte(n>>16)
	w.ready = w.buffer[:headerLength+n]
}

// next reads a packet and says whether the server may send it now.
func (w *wire) next() error {
	switch w.stage {
	case atLogin:
		return w.nextLogin()
	case atReply, atPing:
		return w.nextReply()
	case atPrepare:
		return w.nextPrepared()
	case atColumns, atParameters, atDescribed:
		return w.nextColumn()
	case atRows:
		return w.nextRow()
	}
	// The end of the connection is what is waited for.
	if _, err := w.in.ReadByte(); err != nil {
		return unexpectedEnd(err)
	}
	return breachf("something that was not asked for")
}

// First bytes of packets.
const (
	packetOK         = 0x00
	packetMore       = 0x01
	packetLocal      = 0xfb
	packetEnd        = 0xfe
	packetError      = 0xff
	endLength        = 5 // of a packet that ends columns or rows
	moreResults      = 0x0008
	shortestOK       = 7
	shortestColumn   = 6 + 1 + 12
	columnsAreNoEnd  = 9 // a first byte of 0xfe in a longer packet is a length
	shortestErrorMsg = 3
)

func (w *wire) nextReply() error {
	payload, err := w.packet(maxAuthPacket)
	if err != nil {
		return err
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
		w.stage = atRest
	case packetLocal:
		return breachf("a request for a file of this host (LOAD DATA LOCAL), which rtrail refuses")
	default:
		n, ok := lengthAt(payload)
		switch {
		case !ok || n == 0 || w.stage == atPing:
			return breachf("an answer that makes no sense")
		case n > maxColumns:
			return breachf("an answer of %d columns where %d are the most", n, maxColumns)
		}
		w.stage, w.left = atColumns, n
	}
	w.pass(payload)
	return nil
}

func (w *wire) nextColumn() error {
	payload, err := w.packet(maxColumnPacket)
	if err != nil {
		return err
	}
	end := payload[0] == packetEnd && len(payload) < columnsAreNoEnd
	switch {
	case w.left > 0 && (end || payload[0] == packetError || len(payload) < shortestColumn):
		return breachf("fewer columns than it announced")
	case w.left == 0 && !end:
		return breachf("more columns than it announced")
	case end:
		if err := checkEnd(payload); err != nil {
			return err
		}
		switch w.stage {
		case atColumns:
			w.stage = atRows
		case atParameters:
			w.describe()
		default:
			w.stage = atRest
		}
	default:
		w.left--
	}
	w.pass(payload)
	return nil
}

func (w *wire) nextRow() error {
	payload, err := w.packet(maxRow)
	if err != nil {
		return err
	}
	switch {
	case payload[0] == packetEnd && len(payload) < columnsAreNoEnd:
		if err := checkEnd(payload); err != nil {
			return err
		}
		w.stage = atRest
	case payload[0] == packetError:
		if payload, err = errorWithin(payload); err != nil {
			return err
		}
		w.stage = atRest
	default:
		w.rows++
		if w.answered > maxAnswer || w.rows > maxRowPackets {
			return breachf("an answer of more than %d MiB or %d rows", maxAnswer>>20, maxRowPackets)
		}
	}
	w.pass(payload)
	return nil
}

// checkOK refuses what the driver would read beyond, and results that follow one
// nobody asked for.
func checkOK(p []byte) error {
	rest := p[1:]
	for range 2 { // rows affected, last inserted ID
		n, ok := lengthOf(rest)
		if !ok {
			return breachf("a packet that ends too early")
		}
		rest = rest[n:]
	}
	if len(p) < shortestOK || len(rest) < 4 {
		return breachf("a packet that ends too early")
	}
	if binary.LittleEndian.Uint16(rest)&moreResults != 0 {
		return breachf("more results than statements")
	}
	return nil
}

func checkEnd(p []byte) error {
	if len(p) != endLength {
		return breachf("an end of its answer that makes no sense")
	}
	if binary.LittleEndian.Uint16(p[3:])&moreResults != 0 {
		return breachf("more results than statements")
	}
	return nil
}

// errorWithin is an error of the server with no more text than is read on.
func errorWithin(p []byte) ([]byte, error) {
	if len(p) <= shortestErrorMsg || p[3] == '#' && len(p) < 9 {
		return nil, breachf("an error without a text")
	}
	return p[:min(len(p), maxErrorText)], nil
}

// lengthOf is how many bytes a length-encoded integer takes; ok is false if they
// are not all there.
func lengthOf(b []byte) (n int, ok bool) {
	if len(b) == 0 {
		return 0, false
	}
	switch b[0] {
	case 0xfc:
		n = 3
	case 0xfd:
		n = 4
	case 0xfe:
		n = 9
	case 0xfb, 0xff:
		return 0, false
	default:
		n = 1
	}
	return n, n <= len(b)
}

// lengthAt reads a length-encoded integer.
func lengthAt(b []byte) (v uint64, ok bool) {
	n, ok := lengthOf(b)
	switch {
	case !ok:
		return 0, false
	case n == 1:
		return uint64(b[0]), true
	}
	for i := n - 1; i > 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v, true
}

// Close closes the connection; a Read or Write that waits returns.
func (w *wire) Close() error {
	w.closing.Do(func() { close(w.closed) })
	return w.socket.Close()
}

// LocalAddr is this host's end.
func (w *wire) LocalAddr() net.Addr { return w.socket.LocalAddr() }

// RemoteAddr is the server's end.
func (w *wire) RemoteAddr() net.Addr { return w.socket.RemoteAddr() }

// SetDeadline bounds reading and writing.
func (w *wire) SetDeadline(t time.Time) error { return w.socket.SetDeadline(t) }

// SetReadDeadline bounds reading.
func (w *wire) SetReadDeadline(t time.Time) error { return w.socket.SetReadDeadline(t) }

// SetWriteDeadline bounds writing.
func (w *wire) SetWriteDeadline(t time.Time) error { return w.socket.SetWriteDeadline(t) }
