package memcached

import (
	"bytes"

	"rtrail/internal/packet/flow"
)

// reply is what an answer that begins with a word says.
type reply struct {
	word   string
	code   bool // it is worth a code
	failed bool
	value  int // which word is the length of the value that follows; 0: none follows
	more   bool
}

var replies = []reply{
	{word: "VALUE", value: 3, more: true},
	{word: "END"},
	{word: "STORED"},
	{word: "NOT_STORED", code: true},
	{word: "EXISTS", code: true},
	{word: "NOT_FOUND", code: true},
	{word: "DELETED"},
	{word: "TOUCHED"},
	{word: "OK"},
	{word: "HD"},
	{word: "VA", value: 1},
	{word: "EN", code: true},
	{word: "NF", code: true},
	{word: "NS", code: true},
	{word: "EX", code: true},
	{word: "MN"},
	{word: "ME"},
	{word: "STAT", more: true},
	{word: "ITEM", more: true},
	{word: "VERSION"},
	{word: "RESET"},
	{word: "BUSY", code: true, failed: true},
	{word: "ERROR", code: true, failed: true},
	{word: "CLIENT_ERROR", code: true, failed: true},
	{word: "SERVER_ERROR", code: true, failed: true},
}

func replyOf(first []byte) *reply {
	for i := range replies {
		if string(first) == replies[i].word {
			return &replies[i]
		}
	}
	return nil
}

// valueSize is the length of the value that follows a line; -1: none follows.
func (r *reply) valueSize(line []byte) (size int64, ok bool) {
	if r.value == 0 {
		return -1, true
	}
	var w []byte
	for range r.value + 1 {
		w, line = word(line)
	}
	size, ok = number(w)
	return size, ok && size <= maxValue
}

// answer takes a line of the server.
func (p *parser) answer(line []byte) (complete, ok bool) {
	e := &p.queue.Now
	first, rest := word(line)
	r := replyOf(first)
	if r == nil { // a counter, or an item of lru_crawler metadump
		listed := bytes.HasPrefix(first, []byte("key="))
		return !listed, listed || isCounter(line)
	}
	p.listing, p.closing = r.more, r.word == "MN"
	if r.code {
		e.Code, e.Failed = r.word, r.failed
		if r.failed {
			e.Error = string(rest)
		}
	}
	size, ok := r.valueSize(line)
	if size >= 0 {
		s := &p.sides[flow.ToClient]
		s.state, s.left = inData, size+2
		e.Rows = max(e.Rows, 0) + 1
	}
	if q := p.queue.Head(); r.word == "END" && q != nil && len(q.Text()) > 0 {
		e.Rows = max(e.Rows, 0)
	}
	return !r.more && size < 0, ok
}

// isCounter says whether a line is a number of 64 bits, which incr and decr answer;
// older servers fill it with blanks.
func isCounter(b []byte) bool {
	b = bytes.TrimRight(b, " ")
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0 && len(b) <= 20
}

// endData says whether the message is complete at the end of a value. Values of get
// go on until END.
func (p *parser) endData(d flow.Dir) bool { return d == flow.ToServer || !p.listing }

// answered gives out what is complete.
func (p *parser) answered() {
	q := p.queue.Head()
	switch {
	case q != nil && q.Command == "mn" && !p.closing && !p.queue.Now.Failed:
		// It answers a quiet command before: the answer to mn goes on.
		p.queue.Now.Code = ""
		p.sides[flow.ToClient].within = true
	case q == nil && p.quiet:
		p.queue.Forget() // of a quiet command that was given out
	default:
		p.queue.Answered()
	}
}
