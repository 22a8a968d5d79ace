package postgres

const (
	maxNamed      = 512      // statements and portals with names that are remembered of a connection
	maxNamedBytes = 64 << 10 // and the bytes of their texts
)

// statement is a text that was parsed.
type statement struct {
	text []byte
	cut  bool
}

// prepared remembers which text an Execute means. What does not fit is forgotten:
// then exchanges have no text.
type prepared struct {
	unnamed, current statement // the statement and the portal without names
	named            map[string]statement
	portals          map[string]statement
	bytes            int
}

func (p *prepared) parse(name, text []byte, cut bool) {
	text = text[:min(len(text), maxText)]
	if len(name) == 0 {
		p.unnamed = statement{append(p.unnamed.text[:0], text...), cut}
		return
	}
	p.forget(p.named, name)
	if p.named == nil {
		p.named = map[string]statement{}
	}
	p.keep(p.named, name, statement{append([]byte(nil), text...), cut})
}

func (p *prepared) bind(portal, name []byte, known bool) {
	var s statement
	switch {
	case !known:
	case len(name) == 0:
		s = p.unnamed
	default:
		s = p.named[string(name)]
	}
	if len(portal) == 0 {
		p.current = statement{append(p.current.text[:0], s.text...), s.cut}
		return
	}
	p.forget(p.portals, portal)
	if p.portals == nil {
		p.portals = map[string]statement{}
	}
	p.keep(p.portals, portal, statement{append([]byte(nil), s.text...), s.cut})
}

// portal is the text that an Execute of a portal means; nil if it is not known.
func (p *prepared) portal(name []byte) (text []byte, cut bool) {
	s := p.current
	if len(name) > 0 {
		s = p.portals[string(name)]
	}
	return s.text, s.cut
}

func (p *prepared) close(kind byte, name []byte) {
	switch {
	case kind == 'S' && len(name) > 0:
		p.forget(p.named, name)
	case kind == 'P' && len(name) > 0:
		p.forget(p.portals, name)
	}
}

func (p *prepared) forget(from map[string]statement, name []byte) {
	if s, ok := from[string(name)]; ok {
		p.bytes -= len(s.text) + len(name)
		delete(from, string(name))
	}
}

// keep remembers a text, for which others have to go if there is no room.
func (p *prepared) keep(in map[string]statement, name []byte, s statement) {
	size := len(s.text) + len(name)
	for _, m := range []map[string]statement{p.portals, p.named} {
		for old := range m {
			if p.bytes+size <= maxNamedBytes && len(in) < maxNamed {
				break
			}
			p.bytes -= len(m[old].text) + len(old)
			delete(m, old)
		}
	}
	in[string(name)] = s
	p.bytes += size
}
