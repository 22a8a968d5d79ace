package fingerprint

import "bytes"

const (
	maxParameters = 16 // names of a query that are shown
	maxSegment    = 64 // bytes of a segment that are shown
	// maxName is the longest name in MySQL: 64 characters of at most four bytes.
	maxName = 256
)

// named makes COMMAND: name, or what stands between them, of a command and a name.
func (s *shape) named(command, between string, name []byte) {
	s.out = append(append(s.out[:0], command...), between...)
	for _, c := range name[:min(len(name), maxName)] {
		if c < ' ' || c == 0x7f {
			c = '?'
		}
		s.out = append(s.out, c)
	}
	if len(name) > maxName {
		s.out = append(s.out, dots...)
	}
}

// path makes METHOD /path/?name=? of a method and the target of a request.
func (s *shape) path(method string, target []byte) {
	s.out = append(append(s.out[:0], method...), ' ')
	if n := bytes.IndexByte(target, '#'); n >= 0 {
		target = target[:n]
	}
	var query []byte
	if n := bytes.IndexByte(target, '?'); n >= 0 {
		target, query = target[:n], target[n+1:]
	}
	// http://user:password@host/path
	if n := bytes.Index(target, []byte("://")); n >= 0 && bytes.IndexByte(target[:n], '/') < 0 {
		s.out = append(s.out, target[:n+3]...)
		target = target[n+3:]
		host := target
		if e := bytes.IndexByte(target, '/'); e >= 0 {
			host = target[:e]
		}
		target = target[len(host):]
		if at := bytes.LastIndexByte(host, '@'); at >= 0 {
			host = host[at+1:]
		}
		s.out = append(s.out, host[:min(len(host), maxSegment)]...)
	}
	for len(target) > 0 && len(s.out) < maxShape {
		n := bytes.IndexByte(target, '/')
		if n < 0 {
			s.segment(target)
			break
		}
		s.segment(target[:n])
		s.out = append(s.out, '/')
		target = target[n+1:]
	}
	s.query(query)
}

// query writes the names of parameters.
func (s *shape) query(query []byte) {
	for i := 0; len(query) > 0; i++ {
		if i == maxParameters || len(s.out) >= maxShape {
			s.out = append(s.out, dots...)
			return
		}
		one := query
		if n := bytes.IndexByte(query, '&'); n >= 0 {
			one, query = query[:n], query[n+1:]
		} else {
			query = nil
		}
		if i == 0 {
			s.out = append(s.out, '?')
		} else {
			s.out = append(s.out, '&')
		}
		name, _, valued := bytes.Cut(one, []byte("="))
		switch {
		case valued:
			s.part(name)
			s.out = append(s.out, "=?"...)
		case isFlag(one):
			s.out = append(s.out, one...)
		default:
			s.out = append(s.out, '?') // a value without a name, as of a link that holds good once
		}
	}
}

// maxFlag is the longest parameter without a value that is taken for a word.
const maxFlag = 20

// isFlag says whether a parameter without a value is a word: ?wsdl, ?list-type.
func isFlag(b []byte) bool {
	for _, c := range b {
		if !letters([]byte{c}) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return len(b) <= maxFlag
}

// segment writes a part of a path: identifiers become ?, also before an ending
// such as .jpg, and what follows a semicolon goes.
func (s *shape) segment(b []byte) {
	if n := bytes.IndexByte(b, ';'); n >= 0 {
		b = b[:n]
	}
	if n := bytes.LastIndexByte(b, '.'); n > 0 && len(b)-n <= 6 && letters(b[n+1:]) && identifier(b[:n]) && !identifier(b) {
		s.out = append(append(s.out, '?'), b[n:]...)
		return
	}
	s.part(b)
}

func (s *shape) part(b []byte) {
	if identifier(b) {
		s.out = append(s.out, '?')
		return
	}
	s.printable(b)
}

// printable writes what is not an identifier.
func (s *shape) printable(b []byte) {
	long := len(b) > maxSegment
	for _, c := range b[:min(len(b), maxSegment)] {
		if c <= ' ' || c >= 0x7f {
			c = '?'
		}
		s.out = append(s.out, c)
	}
	if long {
		s.out = append(s.out, dots...)
	}
}

func letters(b []byte) bool {
	for _, c := range b {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return len(b) > 0
}

// identifier says whether a part of a path or key names one thing among many: a
// number, a date, a UUID, a hexadecimal run of eight or more, a random token,
// an address of mail, or something percent-encoded.
func identifier(b []byte) bool {
	var digits, hexes, lowers, uppers, marks int
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f':
			hexes++
			lowers++
		case c >= 'A' && c <= 'F':
			hexes++
			uppers++
		case c >= 'g' && c <= 'z':
			lowers++
		case c >= 'G' && c <= 'Z':
			uppers++
		case c == '@', c == '%':
			return true
		case c == '-', c == '+', c == '.', c == ':', c == ',', c == '{', c == '}', c == '_', c == '~', c == '=':
			marks++
		default:
			return false
		}
	}
	all := lowers + uppers
	switch {
	case digits == 0:
		return false
	case all == 0:
		return true
	case hexes == all && digits+hexes >= 8:
		return true
	}
	// Base 64, and base 32 and 36, which have letters of one case and no marks.
	return digits+all >= 16 && (lowers > 0 && uppers > 0 || digits > 1 && marks == 0)
}

// key makes COMMAND name:?:part of a command and a key.
func (s *shape) key(command string, key []byte) {
	s.out = append(append(s.out[:0], command...), ' ')
	for len(key) > 0 && len(s.out) < maxShape/8 {
		n := bytes.IndexAny(key, ":/ |")
		part := key
		if n >= 0 {
			part = key[:n]
		}
		if identifier(part) {
			s.out = append(s.out, '?')
		} else {
			s.undigited(part)
		}
		if n < 0 {
			return
		}
		s.out = append(s.out, key[n])
		key = key[n+1:]
	}
	if len(key) > 0 {
		s.out = append(s.out, dots...)
	}
}

// undigited writes one ? for each run of digits or of bytes that are no text.
func (s *shape) undigited(b []byte) {
	run := false
	for _, c := range b[:min(len(b), maxSegment)] {
		if c >= '0' && c <= '9' || c <= ' ' || c >= 0x7f {
			if !run {
				s.out = append(s.out, '?')
			}
			run = true
			continue
		}
		run = false
		s.out = append(s.out, c)
	}
	if len(b) > maxSegment {
		s.out = append(s.out, dots...)
	}
}

// domain makes A ?.example.com of a type and a domain name: labels that are
// identifiers become ?, several of them one.
func (s *shape) domain(kind string, name []byte) {
	s.out = append(append(s.out[:0], kind...), ' ')
	was := false
	for len(name) > 0 {
		label := name
		n := bytes.IndexByte(name, '.')
		if n >= 0 {
			label, name = name[:n], name[n+1:]
		} else {
			name = nil
		}
		is := identifier(label)
		if is && was {
			continue
		}
		if was || len(s.out) > len(kind)+1 {
			s.out = append(s.out, '.')
		}
		s.part(label)
		was = is
	}
}
