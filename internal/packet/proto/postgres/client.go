package postgres

import (
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/pair"
)

// How a group of messages is closed; kept in the tag of a pending exchange. Above
// are the number of completions it expects and its command.
const (
	unclosed = iota
	bySync   // and Query, FunctionCall: answered up to ReadyForQuery
	byFlush  // answered up to the last completion
	closer   = 3
	weight   = 2 // shift: 3 bits
	extended = 1 << 5
	expected = 6 // shift
)

// commands by weight.
var commands = [...]string{"Sync", "Close", "Describe", "Bind", "Parse", "Execute"}

const (
	syncs = iota
	closes
	describes
	binds
	parses
	executes
)

// client takes a message of the client.
func (p *parser) client(s *side) {
	switch s.kind {
	case 'Q':
		text, _, ok := cstring(s.body)
		t := p.group(s)
		if t.Tag>>weight&7 < executes {
			t.Command = "Query"
		}
		p.executed(t, text, !ok)
		p.close(t, bySync)
	case 'F':
		t := p.group(s)
		t.Command = "FunctionCall"
		p.close(t, bySync)
	case 'P':
		name, rest, _ := cstring(s.body)
		text, _, ok := cstring(rest)
		p.prepared.parse(name, text, !ok || s.cutShort() && !ok)
		t := p.add(s, parses)
		if t.Tag>>weight&7 == parses {
			t.SetText(text, maxText)
			t.TextCut = t.TextCut || !ok
		}
	case 'B':
		portal, rest, _ := cstring(s.body)
		statement, _, ok := cstring(rest)
		p.prepared.bind(portal, statement, ok)
		p.add(s, binds)
	case 'D':
		p.add(s, describes)
	case 'E':
		portal, _, _ := cstring(s.body)
		text, cut := p.prepared.portal(portal)
		p.executed(p.add(s, executes), text, cut)
	case 'C':
		if len(s.body) > 1 {
			name, _, _ := cstring(s.body[1:])
			p.prepared.close(s.body[0], name)
		}
		p.add(s, closes)
	case 'S':
		p.sync(s)
	case 'H':
		if p.open {
			t := p.group(s)
			p.close(t, byFlush)
		}
	case 'd', 'c', 'f':
		if p.copying && p.queue.Len() > 0 {
			h := p.queue.Head()
			if h != nil {
				join(&h.Request, &s.span)
				h.Doubt |= s.doubt
			}
			p.copying = s.kind == 'd'
		}
	case 'p':
		if p.stage == greeting {
			join(&p.login, &s.span)
			p.loginDoubt |= s.doubt
		}
	case 'X':
		p.unanswerable("Terminate", s)
	}
}

// sync closes the open group, or is one of its own.
func (p *parser) sync(s *side) {
	if p.resync && !p.open {
		// The server ignored the Sync before the COPY data: this one is the same.
		p.resync = false
		if h := p.queue.Head(); h != nil {
			join(&h.Request, &s.span)
		}
		return
	}
	t := p.group(s)
	if t.Command == "" {
		t.Command = commands[syncs]
	}
	t.Tag |= extended
	p.close(t, bySync)
}

// group is the open group, extended by a message; a new one if there is none.
func (p *parser) group(s *side) *pair.Pending {
	if !p.open || p.queue.Len() == 0 {
		t := p.queue.Open(s.span.First.At)
		t.Request = s.span
		t.Doubt |= s.doubt
		p.open, p.batch = true, batch{}
		return t
	}
	t := p.queue.Tail()
	if p.queue.Len() == 1 && !p.queue.Now.Response.Empty() {
		// The server answers what it has already: which part of the answer
		// belongs to this message is not known.
		t.Doubt |= proto.Ambiguous
	}
	join(&t.Request, &s.span)
	t.Doubt |= s.doubt
	return t
}

// add makes a message of the extended protocol a part of the open group.
func (p *parser) add(s *side, w uint32) *pair.Pending {
	t := p.group(s)
	if t.Command == "" || w > t.Tag>>weight&7 {
		t.Tag = t.Tag&^(7<<weight) | w<<weight
		t.Command = commands[w]
	}
	t.Tag |= extended
	t.Tag += 1 << expected
	return t
}

// close ends the open group.
func (p *parser) close(t *pair.Pending, how uint32) {
	t.Tag |= how
	p.open = false
}
