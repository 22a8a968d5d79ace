package redis

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// want is what an argument is read for.
type want uint8

const (
	nothing want = iota
	name
	sub       // the subcommand
	key       // becomes the text
	keys      // a number of keys; the first follows
	streams   // looking for the word STREAMS, after which the keys follow
	replyMode // of CLIENT REPLY
)

// silence is whether commands are answered (CLIENT REPLY).
type silence uint8

const (
	speaks silence = iota
	skipsNext
	silent
)

// request decodes bytes of the client.
func (p *parser) request(c *flow.Chunk) {
	w, data := &p.ask, c.Data
	if (w.state == lost || w.state == blurred) && beginsRequest(data) {
		p.endBlurred()
		w.state = between
	}
	i, from := 0, 0
	for i < len(data) {
		switch w.state {
		case between:
			b := data[i]
			if b == '\r' || b == '\n' {
				i++
				continue
			}
			if b != '*' && (b < '!' || b > '~') {
				p.loseRequests()
				continue
			}
			if n := p.whole(c, i); n > 0 {
				i += n
				continue
			}
			from = i
			p.beginRequest(c.At)
		case line:
			text, n, ok := w.take(data[i:])
			i += n
			if !ok {
				continue
			}
			if !p.requestLine(text) {
				p.loseRequests()
			} else if w.state == between {
				p.endRequest(c, from, i-from)
			}
		case bulk:
			n := int(min(w.left, int64(len(data)-i)))
			if p.want != nothing {
				// The line end is not part of the argument.
				p.piece(data[i : i+int(min(int64(n), max(0, w.left-2)))])
			}
			i += n
			if w.left -= int64(n); w.left == 0 && p.endArgument() {
				p.endRequest(c, from, i-from)
			}
		default:
			i = len(data)
		}
		if p.off {
			return
		}
	}
	if w.state != between && w.state != lost {
		p.addRequest(c, from, len(data)-from)
	}
	if c.Cut > 0 {
		p.skipRequest(c, int64(c.Cut))
	}
}

// whole decodes a command of few arguments that begins at data[from] and lies in
// the chunk as a whole, which is what nearly all do. It returns its length; 0
// leaves it to the slower way, which gives the same result.
func (p *parser) whole(c *flow.Chunk, from int) int {
	const maxArgs = 4
	var args [maxArgs][]byte
	data := c.Data[from:]
	count, n := short(data, '*')
	if n == 0 || count < 1 || count > maxArgs {
		return 0
	}
	for i := range count {
		size, used := short(data[n:], '$')
		n += used
		if used == 0 || n+size+2 > len(data) {
			return 0
		}
		args[i] = data[n : n+size]
		n += size + 2
	}
	p.beginRequest(c.At)
	for i := range count {
		p.index, p.wordLen = int64(i), 0
		switch p.want = p.purpose(); p.want {
		case nothing:
		case key:
			p.piece(args[i])
		default:
			p.piece(args[i])
			p.understand(p.word[:p.wordLen])
		}
	}
	p.want = nothing
	p.ask.state = between
	p.endRequest(c, from, n)
	return n
}

func (p *parser) beginRequest(at int64) {
	if p.reply.state == blurred {
		p.finish()
		p.reply.state = lost
	}
	p.ask.state = line
	p.ask.line = p.ask.line[:0]
	p.open = true
	p.args, p.index, p.want, p.wordLen, p.command, p.keyAt = 0, -1, nothing, 0, nil, 0
	p.wordAt, p.blocks = 0, false
	p.queue.Open(at)
}

// requestLine takes a line: the length of a command or of an argument, or a
// command in words. The state becomes between if the command is complete.
func (p *parser) requestLine(text []byte) bool {
	w := &p.ask
	if p.args == 0 { // the first line
		if len(text) == 0 || text[0] != '*' {
			p.inline(text)
			w.state = between
			return len(text) > 0
		}
		n, ok := count(text[1:])
		if !ok || n < 1 || n > 1<<20 { // as Redis limits it
			return false
		}
		p.args = n
		return true
	}
	if len(text) < 2 || text[0] != '$' {
		return false
	}
	n, ok := count(text[1:])
	if !ok || n < 0 || n > maxBulk {
		return false
	}
	p.index++
	p.wordLen = 0
	p.want = p.purpose()
	w.left, w.state = n+2, bulk
	return true
}

// purpose is what the argument that follows is read for.
func (p *parser) purpose() want {
	k := p.command
	switch {
	case p.index == 0:
		return name
	case k == nil:
		return nothing
	case p.index == 1 && k.sub:
		return sub
	case p.index == 2 && k.kind == clientReply:
		return replyMode
	case p.keyAt == 0:
		if k.streams && p.index >= p.wordAt {
			return streams
		}
		return nothing
	case p.index == p.keyAt:
		return key
	case p.index == p.keyAt-1 && k.numbered:
		return keys
	}
	return nothing
}

// piece takes a part of an argument.
func (p *parser) piece(b []byte) {
	if p.want == key {
		if p.open {
			p.queue.Tail().AppendText(b, maxText)
		}
		return
	}
	n := copy(p.word[p.wordLen:], b)
	p.wordLen += uint8(n)
	if n < len(b) {
		p.wordLen = uint8(len(p.word)) // too long for anything known
	}
}

// endArgument says whether the command is complete.
func (p *parser) endArgument() bool {
	p.ask.state = line
	if p.want != nothing && p.want != key {
		p.understand(p.word[:p.wordLen])
	}
	p.want = nothing
	if p.args--; p.args > 0 {
		return false
	}
	p.ask.state = between
	return true
}

// understand is for arguments that say what the others are.
func (p *parser) understand(word []byte) {
	for i, c := range word {
		if c >= 'a' && c <= 'z' {
			word[i] = c - 0x20
		}
	}
	switch p.want {
	case name:
		p.become(find(word), word)
	case sub:
		if k := p.command.find(word); k != nil {
			p.become(k, word)
		}
	case keys:
		if string(word) == "0" {
			p.keyAt = 0
		}
	case streams:
		switch string(word) {
		case "STREAMS":
			p.keyAt = p.index + 1
		case "BLOCK":
			p.blocks = true
		case "GROUP": // a group and a consumer of any names
			p.wordAt = p.index + 3
		}
	case replyMode:
		switch string(word) {
		case "ON":
			p.command = &replyOnCommand
		case "OFF":
			p.command = &replyOffCommand
		case "SKIP":
			p.command = &replySkipCommand
		}
	}
}

// become is called when it is known which command this is.
func (p *parser) become(k *command, word []byte) {
	p.command, p.keyAt, p.blocks = k, int64(k.key), k.blocks
	if !p.open {
		return
	}
	q := p.queue.Tail()
	if q.Command = k.name; k == &stranger {
		q.Command = strangeName(word)
	}
}

// inline takes a command in words.
func (p *parser) inline(text []byte) {
	for len(text) > 0 {
		n := 0
		for n < len(text) && text[n] != ' ' && text[n] != '\t' {
			n++
		}
		if n > 0 {
			p.index++
			p.wordLen = 0
			p.args = 1
			if p.want = p.purpose(); p.want != nothing {
				p.piece(text[:n])
				p.endArgument()
			}
		}
		text = text[min(n+1, len(text)):]
	}
	p.args = 0
}

func (p *parser) addRequest(c *flow.Chunk, from, n int) {
	if p.open && n > 0 {
		p.queue.Tail().Request.Add(c, from, n)
	}
}

// endRequest completes the command.
func (p *parser) endRequest(c *flow.Chunk, from, n int) {
	p.addRequest(c, from, n)
	k := p.command
	if k == nil {
		k = &stranger
	}
	if !p.open {
		return
	}
	p.open = false
	q := p.queue.Tail()
	q.Tag = uint32(k.kind)
	switch k.kind {
	case subscribe, psubscribe, ssubscribe:
		p.pubsub = true
		q.Tag |= uint32(min(p.index, 1<<20)) << 8
	case unsubscribe, punsubscribe, sunsubscribe:
		q.Tag |= uint32(min(p.index, 1<<20)) << 8 // 0: all
	case replyOn:
		p.silence = speaks
	case replyOff:
		p.silence = silent
		p.queue.Unanswerable()
		return
	case replySkip:
		if p.silence == speaks {
			p.silence = skipsNext
		}
		p.queue.Unanswerable()
		return
	case reset:
		p.silence, p.multi = speaks, false
	case multi:
		p.multi = true
	case endMulti:
		p.multi = false
	}
	if p.silence != speaks {
		if p.silence == skipsNext {
			p.silence = speaks
		}
		p.queue.Unanswerable()
		return
	}
	p.wait(q)
}

// endBlurred closes a command of which the end was not captured.
func (p *parser) endBlurred() { p.open = false }

// loseRequests is for bytes that are no command.
func (p *parser) loseRequests() {
	if p.open {
		p.queue.Undo()
	}
	p.open, p.multi = false, false
	p.ask.state = lost
	p.queue.Tear()
}

// skipRequest passes over n bytes: with a chunk those that the snap length cut
// off, without one those that are missing.
func (p *parser) skipRequest(c *flow.Chunk, n int64) {
	w := &p.ask
	switch w.state {
	case between:
		p.open = false
		p.loseRequests()
		return
	case lost:
		p.queue.Tear()
		return
	}
	if p.open && (c == nil || p.want != nothing) {
		p.queue.Tail().Doubt |= proto.Lossy // its name or its key may be in there
	}
	if w.state == bulk && n <= w.left {
		if w.left -= n; w.left > 0 {
			p.extend(c, n)
			return
		}
		if p.args--; p.args > 0 {
			p.extend(c, n)
			w.state = line
			return
		}
		w.state = between
		p.extend(c, n)
		p.endRequest(nil, 0, 0)
		return
	}
	p.extend(c, n)
	if p.open {
		p.queue.Tail().Doubt |= proto.Lossy
	}
	w.state = blurred
	w.line = w.line[:0]
	p.queue.Tear()
}

func (p *parser) extend(c *flow.Chunk, n int64) {
	if c != nil {
		p.addRequest(c, len(c.Data), int(n))
	}
}

// beginsRequest says whether data begins with an array of strings.
func beginsRequest(data []byte) bool {
	return len(data) > 0 && data[0] == '*' && sniffArray(data) == proto.Sure
}
