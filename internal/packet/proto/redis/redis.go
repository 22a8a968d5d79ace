// Package redis decodes the protocol of Redis and its relatives: RESP2, RESP3
// and inline commands.
//
// An exchange is a command and its answer. Command is the upper-case name, with
// the subcommand where the name alone says little (CONFIG GET), Text the first
// key (for pub/sub the first channel), never a value or a password. Code and
// Error are the first word and the rest of an error; an answer "+QUEUED", which
// is all that a command within MULTI gets, has the Code QUEUED. Rows is the
// number of elements of the answer: pairs of a map, 1 for a string, 0 for null,
// -1 for numbers and status. Errors inside the answer of EXEC do not make EXEC
// fail.
//
// What is no answer: pushes of RESP3, messages of channels, lines of MONITOR and
// attributes. A subscription is answered once for each channel; the exchange
// ends with the last of these. After CLIENT REPLY OFF or SKIP there is none.
// The server waits with the answers of some commands because it is asked to: BLPOP
// and its like, XREAD and XREADGROUP with BLOCK, WAIT. They are marked
// proto.Blocking unless they are only queued within MULTI, and so is what was sent
// behind them before they were answered, since it has to wait as long.
//
// After PSYNC and SYNC the connection carries a replication stream, which is not
// decoded.
//
// In step, the result does not depend on how the bytes are cut into chunks. Out
// of step a message is found again where a chunk begins with one.
package redis

import (
	"bytes"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder. The ports are those of Redis (6379), of further
// instances and TLS terminators beside it (6380, 6381), of Sentinel (26379), of
// the cluster tutorial (7000 to 7005) and of envoy's and twemproxy's examples
// (22121).
var Protocol = proto.Protocol{
	Name:  "redis",
	Ports: []uint16{6379, 6380, 6381, 7000, 7001, 7002, 7003, 7004, 7005, 22121, 26379},
	Sniff: sniff,
	New: func(sink proto.Sink, midway bool) proto.Parser {
		p := &parser{queue: pair.New(sink, maxPending, midway)}
		if midway {
			p.ask.state, p.reply.state = lost, lost
		}
		return p
	},
}

const (
	// maxPending bounds the commands under way: clients that pipeline by hundreds
	// are common, by thousands rare.
	maxPending = 1024
	// maxText bounds the key that is kept.
	maxText = 256
	// maxLine is how much of a line is looked at. Only inline commands and errors
	// are long.
	maxLine = 512
	// maxDepth bounds nesting. Redis itself nests to 8 (COMMAND DOCS), its client
	// library reads 9.
	maxDepth = 16
	// maxBulk bounds the length of a string: Redis allows 512 MB, and more if
	// configured.
	maxBulk = 1 << 40
)

type state uint8

const (
	between state = iota // the next byte begins a message
	line                 // the line that begins a message or an element
	bulk                 // left bytes of a string, its line end included
	blurred              // a message of which the framing was lost: goes on until another begins
	lost                 // out of step
)

// way is the state of one direction.
type way struct {
	state state
	left  int64
	line  []byte // the beginning of a line that continues in the next chunk
}

type parser struct {
	queue pair.Queue
	off   bool // a replication stream

	// What the client says.
	ask     way
	open    bool // the command being read is the tail of the queue
	want    want // what the argument being read is read for
	wordLen uint8
	silence silence
	word    [24]byte // the beginning of the argument being read
	args    int64    // that are still to come
	index   int64    // of the argument being read
	keyAt   int64    // index of the first key; 0: none, or not known yet
	wordAt  int64    // index of the first argument that may be an option of a command with STREAMS
	blocks  bool     // the server is asked to wait
	waits   uint16   // commands under way for which it is
	multi   bool     // commands are queued, up to EXEC
	command *command

	// What the server says.
	reply    way
	depth    uint8
	capture  capture
	watched  bool // the message may be a push
	push     bool // the message is of the push type
	pubsub   bool // the client has subscribed to something
	parted   bool // the client broke the protocol, and the server said so: it closes
	monitor  bool
	firstLen uint8
	attrs    uint16          // which levels of the stack are attributes
	first    [16]byte        // the first element of a watched message
	number   int64           // its last number
	subs     [3]int64        // subscriptions: channels, patterns, sharded channels
	part     proto.Span      // of a watched message
	stack    [maxDepth]int64 // elements still to come; openList or openString
}

// Data decodes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) {
	if p.off {
		return
	}
	if c.Dir == flow.ToServer {
		p.request(c)
	} else {
		p.response(c)
	}
}

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) {
	if p.off || n <= 0 {
		return
	}
	if d == flow.ToServer {
		p.skipRequest(nil, n)
	} else {
		p.skipResponse(nil, n)
	}
}

// End gives out what is left.
func (p *parser) End(_ flow.Stamp, how flow.Ending) {
	if p.off {
		return
	}
	if p.reply.state == blurred {
		p.finish()
	}
	p.queue.End(how, false)
	p.off = true
}

// Progress says what the connection is doing.
func (p *parser) Progress() proto.Progress {
	switch s := p.reply.state; {
	case p.off, p.monitor, s == blurred:
		return proto.Unclear
	case s != lost && (s != between || p.depth > 0):
		return proto.Answering
	case p.parted:
		return proto.Dismissed
	case p.queue.Len() > 0:
		return proto.Waiting
	case s == lost, p.ask.state == lost, p.queue.Behind():
		return proto.Unclear
	}
	return proto.Idle
}

// Owes says whether the server has a whole command and owes its reply.
func (p *parser) Owes() bool {
	h := p.queue.Head()
	return p.Progress() == proto.Waiting && p.ask.state == between && p.args == 0 && !p.pubsub && h != nil && h.Doubt&proto.Blocking == 0
}

// Debt is the oldest request.
func (p *parser) Debt() proto.Debt { return p.queue.Debt() }

// take finds the rest of a line in data, as far as maxLine; ok is false if it
// goes on in the next chunk.
func (w *way) take(data []byte) (text []byte, n int, ok bool) {
	if n = lineEnd(data); n < 0 {
		w.keep(data)
		return nil, len(data), false
	}
	text = data[:n]
	if len(w.line) > 0 || n > maxLine {
		w.keep(text)
		text = w.line
		w.line = w.line[:0]
	}
	if m := len(text); m > 0 && text[m-1] == '\r' {
		text = text[:m-1]
	}
	return text, n + 1, true
}

// lineEnd is where the first line of data ends; -1: not in data. Nearly all lines
// are short, and a loop finds their ends sooner than a call does.
func lineEnd(data []byte) int {
	for i, b := range data[:min(len(data), 12)] {
		if b == '\n' {
			return i
		}
	}
	return bytes.IndexByte(data, '\n')
}

// short reads a line of the given type with a number of at most five digits, if
// all of it is in data. used is 0 if it is not.
func short(data []byte, kind byte) (n, used int) {
	if len(data) < 4 || data[0] != kind {
		return 0, 0
	}
	for i := 1; i < len(data) && i < 7; i++ {
		c := data[i] - '0'
		if c > 9 {
			if i > 1 && data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
				return n, i + 2
			}
			break
		}
		n = n*10 + int(c)
	}
	return 0, 0
}

func (w *way) keep(b []byte) {
	w.line = append(w.line, b[:min(len(b), maxLine-len(w.line))]...)
}

// count reads the number of a line; "?" is open.
func count(b []byte) (n int64, ok bool) {
	if len(b) == 0 {
		return 0, false
	}
	switch {
	case b[0] == '?' && len(b) == 1:
		return openList, true
	case b[0] == '-':
		return -1, string(b) == "-1"
	}
	for _, c := range b {
		if c < '0' || c > '9' || n > maxBulk {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// Lengths of what is streamed: not known.
const (
	openList   = -2
	openString = -3
)
