package framed

import "rtrail/internal/packet/proto"

// Prefix is the beginning of the body of a message, which is all that most decoders
// look at. The zero value is one of which nothing has come.
type Prefix struct {
	kept *proto.Buffer
	done bool
}

// Begin makes ready for another message.
func (p *Prefix) Begin(stock *proto.Buffers) {
	stock.Put(&p.kept)
	p.done = false
}

// Take takes a piece of a body. As soon as max bytes are there, or the body ends with
// the piece, it returns the prefix, once, which is valid until the next call. It
// copies nothing if the piece has all of it.
func (p *Prefix) Take(stock *proto.Buffers, piece []byte, max int, ends bool) (prefix []byte, ok bool) {
	if p.done {
		return nil, false
	}
	have := 0
	if p.kept != nil {
		have = len(p.kept.B)
	}
	piece = piece[:min(len(piece), max-have)]
	p.done = ends || have+len(piece) == max
	if p.done && have == 0 {
		return piece, true
	}
	if p.kept == nil {
		p.kept = stock.Get()
	}
	p.kept.B = append(p.kept.B, piece...)
	return p.kept.B, p.done
}

// Rest returns what of the prefix has come, once, when no more of it will.
func (p *Prefix) Rest() (prefix []byte, ok bool) {
	if p.done {
		return nil, false
	}
	p.done = true
	if p.kept == nil {
		return nil, true
	}
	return p.kept.B, true
}
